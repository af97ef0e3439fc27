"""Partial values, prompts and actions of agents through Python."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

import grammarc
from grammarc.agents import AgentFormat, AgentTool, extract_json_object, extract_json_response, tags, with_end
from grammarc.partial import Added, Closed, Grew, PartialJson, stream_json
from grammarc.prompts import Items, Prompt, PromptManager, group_by_type

TEXT = ' {"a/b": [1, -2.5e3, true, null, "h\\u00e9\\ud83d\\ude00", {}], "kind": "second", "~": {"x": [[], ["日本"]]}} '
SCHEMA = {"type": "object", "properties": {"kind": {"enum": ["first", "second"]}, "a/b": {"maxItems": 3}}}


def grows(before: Any, after: Any) -> bool:
    """Whether a value is the same with more in it."""
    if isinstance(before, dict):
        return isinstance(after, dict) and all(key in after and grows(value, after[key]) for key, value in before.items())
    if isinstance(before, list):
        return isinstance(after, list) and len(before) <= len(after) and all(map(grows, before, after))
    if isinstance(before, str):
        return isinstance(after, str) and after.startswith(before)
    return before is None or before == after


@pytest.mark.parametrize("size", [1, 2, 7, 1000])
@pytest.mark.parametrize("schema", [None, SCHEMA])
def test_a_value_grows_until_it_is_the_whole_one(size: int, schema: Any) -> None:
    partial, before = PartialJson(schema), None
    for at in range(0, len(TEXT), size):
        partial.push(TEXT[at : at + size])
        assert grows(before, partial.value), (before, partial.value)
        before = copy.deepcopy(partial.value)
    assert before == json.loads(TEXT)
    assert partial.finish() == json.loads(TEXT) and partial.is_complete("/~0/x")
    with pytest.raises(ValueError, match="has ended"):
        partial.push(" ")


def test_changes_say_what_grew_and_what_closed() -> None:
    partial = PartialJson(SCHEMA)
    assert partial.push('{"kind": "first') == [Added("", {})]
    assert partial.push('"') == [Added("/kind", "first"), Closed("/kind", None)]
    partial = PartialJson(SCHEMA, constrained=True)
    assert partial.push('{"kind": "fi') == [Added("", {}), Added("/kind", "first")]
    assert partial.value == {"kind": "first"} and not partial.is_complete("/kind")
    assert partial.push('rst", "t": "a') == [Closed("/kind", None), Added("/t", ""), Grew("/t", "a")]
    *_, closed = partial.push('", "a/b": [1, 2, 3, 4]')
    assert isinstance(closed, Closed) and closed.pointer == "/a~1b" and closed.violations is not None
    *_, last = stream_json(["[1,", "2", "]"])
    assert last == [1, 2]


def test_a_text_that_is_no_json_is_reported_with_its_place() -> None:
    partial = PartialJson()
    partial.push('{"a": 1,')
    with pytest.raises(grammarc.PartialError) as refused:
        partial.push(' "a": 2}')
    assert partial.value == {"a": 1} and refused.value.offset > 7
    with pytest.raises(grammarc.PartialError):
        PartialJson().finish()


QUERY = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"], "additionalProperties": False}


def test_actions_are_taken_out_of_what_models_write() -> None:
    agent = AgentFormat([AgentTool("search", "Searches.", QUERY)])
    written = agent.forced("search", {"query": "a } b"})
    action = agent.parse(f"Well: {{ {written} and so on")
    assert (action.action_type, action.content, action.raw_json) == ("search", "a } b", written)
    assert agent.parse("<think>x</think> <search> tides </search>").content == "tides"
    assert extract_json_response(f"so: {written} and {written}") == written
    assert extract_json_object(written) == json.loads(written)
    assert extract_json_response(written, ["other"]) is None and extract_json_object(written, ["other"]) is None
    assert [tuple(tag) for tag in tags("<answer> 1 </answer><bbox>2</bbox>")] == [("answer", "1"), ("bbox", "2")]
    assert with_end(with_end("<a>x", "</a>"), "</a>") == "<a>x</a>"
    with pytest.raises(grammarc.ActionError, match='"query"'):
        agent.parse(written.replace('"query"', '"question"'))
    with pytest.raises(grammarc.ActionError):
        agent.forced("answer", {})
    assert agent.forced("search", "a } b") == written
    answer = agent.parse(agent.forced("answer", "42", think="done"))
    assert (answer.action_type, answer.content, json.loads(answer.raw_json or "")["think"]) == ("answer", "42", "done")
    with pytest.raises(grammarc.SourceError, match="answer"):
        AgentFormat([AgentTool("answer", "", QUERY)])


def test_contents_of_actions_are_arguments_or_all() -> None:
    def content(tool: AgentTool) -> Any:
        return AgentFormat([tool]).parse(AgentFormat([tool]).forced(tool.name, {"query": "q"})).content

    assert content(AgentTool("search", "", QUERY)) == "q"
    assert content(AgentTool("search", "", QUERY, content=False)) == {"query": "q"}
    assert content(AgentTool("find", "", QUERY)) == {"query": "q"}
    assert content(AgentTool("find", "", QUERY, content="query")) == "q"
    with pytest.raises(grammarc.SourceError, match="`find`.*`text`"):
        AgentFormat([AgentTool("find", "", QUERY, content="text")])


def test_lists_of_outputs() -> None:
    agent = AgentFormat([AgentTool("search", "Searches.", QUERY)])
    search = agent.forced("search", "a")
    outputs = [f"so {search} <search>no</search>", '{"think": "<search> b </search> <answer>c</answer>', "I do not know"]
    assert agent.postprocess_predictions(outputs) == (["search", "search", None], ["a", "b", None])
    kept = [search + "</s>", "<search> b </search></s>", "I do not know</s>"]
    assert agent.postprocess_responses(outputs, "</s>") == kept == agent.postprocess_responses(kept, "</s>")
    message = agent.failed("search", "the index is away")
    assert "`search` failed: the index is away" in message and '"query"' in message and "null" in message


def test_the_schema_of_actions_compiles(compiler: grammarc.Compiler) -> None:
    agent = AgentFormat([AgentTool("search", "Searches.", QUERY)])
    compiler.json_schema(agent.schema, whitespace="compact").check(agent.forced("search", {"query": "x"}))


SAMPLES = Path(os.environ["GRAMMARC_ROOT"]) / "generate" / "agents" / "samples" / "extraction.json"


def test_prompts_by_name(caplog: pytest.LogCaptureFixture) -> None:
    manager = PromptManager(json.loads(SAMPLES.read_text(encoding="utf-8")), {"text": "none"})
    assert manager.ids == PromptManager.from_file(SAMPLES).ids and len(manager.ids) == 9
    seed = ["definitions", "relationships", "topics", "rows", "with-ontologies"]
    assert {f"extract-{name}" for name in seed} | {"agent-kg-extract", "ontology-extract"} <= set(manager.ids)
    wanted = manager.wants("extract-definitions")
    assert wanted.kind == "jsonl" and "entity" in wanted.schema["properties"]
    rendered = manager.render("extract-definitions", text="Tides are {{ rises }}.")
    assert rendered.prompt.endswith("Tides are {{ rises }}.") and rendered.messages[0]["role"] == "system"
    lines = '```jsonl\n{"entity": "tide", "definition": "a rise"}\nno\n{"entity": "x"}\n{"entity": "y", "defi'
    with caplog.at_level("WARNING", logger="grammarc.prompts"):
        items = manager.take("extract-definitions", lines)
    assert isinstance(items, Items) and items == [{"entity": "tide", "definition": "a rise"}]
    assert [line.line for line in items.skipped] == [3, 4, 5] and items.truncated and items.warning is None
    assert "definition" in items.skipped[1].reason
    assert [record.getMessage().split(" is no item")[0] for record in caplog.records] == [
        f"prompt extract-definitions: line {line}" for line in (3, 4, 5)
    ]
    none = manager.take("extract-definitions", "nothing here")
    assert none == [] and none.warning is not None and manager.take("extract-rows", "{}\n", cut=True).truncated
    table = {"template-index": '["one"]', "template.one": '{"prompt": "{{ a }}", "response-type": "json", "schema": {"type": "integer"}}'}
    manager = PromptManager(table)
    assert manager.render("one", a=3) == ("Be helpful.", "3")
    assert manager.take("one", "```json\n7\n```") == 7
    with pytest.raises(grammarc.PromptError, match="Schema validation fail"):
        manager.take("one", '"7"')
    with pytest.raises(grammarc.PromptError, match="ID invalid"):
        manager.render("two")
    with pytest.raises(grammarc.SourceError, match="template.one"):
        PromptManager({**table, "template.one": '{"prompt": "{{ a"}'})


def test_a_configuration_of_the_wrong_shape_is_reported(tmp_path: Path) -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "neither `templates` nor `template-index`"),
        ({"templates": []}, "`templates`: expected an object of prompts by id, and found a list"),
        ({"templates": {"a": {"prompt": "x", "response_type": "json"}}}, "`templates.a.response_type`.*`response-type`"),
        ({"template-index": '["a"]', "template.a": "x"}, "`template.a`: expected the JSON text of an object"),
    ]
    for config, message in wrong:
        with pytest.raises(grammarc.SourceError, match=message):
            PromptManager(config)
        path = tmp_path / "prompts.json"
        path.write_text(json.dumps(config), encoding="utf-8")
        with pytest.raises(grammarc.SourceError, match=message):
            PromptManager.from_file(path)


def test_prompts_without_a_configuration() -> None:
    manager = PromptManager(terms={"who": "all"})
    assert manager.ids == []
    manager.add("one", Prompt("To {{ who }}.", "json", {"who": "one"}, {"type": "integer"}))
    assert manager.render("one") == ("Be helpful.", "To one.") and manager.take("one", "7") == 7
    assert manager.wants("one").schema == {"type": "integer"}
    manager.set_system("For {{ who }}.")
    for template in ("{{ x", "{{ x | frob }}"):
        with pytest.raises(grammarc.SourceError):
            manager.add("one", Prompt(template))
        with pytest.raises(grammarc.SourceError):
            manager.set_system(template)
    with pytest.raises(grammarc.SourceError, match="the schema of the prompt `two`"):
        manager.add("two", Prompt("x", "json", schema={"type": "frob"}))
    assert manager.render("one") == ("For one.", "To one.") and manager.ids == ["one"]


def test_items_by_their_type() -> None:
    items = [{"type": "b", "n": 1}, {"type": "a"}, 5, {"type": "b", "n": 2}, {"type": 7}]
    assert group_by_type(items) == {"b": [items[0], items[3]], "a": [items[1]], None: [5, {"type": 7}]}


def test_lines_of_a_prompt_are_a_grammar(compiler: grammarc.Compiler) -> None:
    def grammar(schema: Any) -> grammarc.Grammar:
        manager = PromptManager()
        manager.add("t", Prompt("", "jsonl", schema=schema))
        return compiler.ebnf(manager._fields("t", {})["structured_outputs"]["grammar"])

    grammar({"type": "integer"}).check("1\n22\n")
    with pytest.raises(grammarc.TextRefused):
        grammar({"type": "integer"}).check('1\n"a"\n')
    grammar(None).check('{"a": [1]}\n"x"')
    # The member that distinguishes branches comes first, as in Rust's grammar.
    branches = [
        {"type": "object", "properties": {"n": {"type": "integer"}, "type": {"const": kind}}, "required": ["n", "type"], "additionalProperties": False}
        for kind in ("a", "b")
    ]
    union = grammar({"oneOf": branches})
    union.check('{"type": "b", "n": 1}\n')
    with pytest.raises(grammarc.TextRefused):
        union.check('{"n": 1, "type": "b"}\n')
