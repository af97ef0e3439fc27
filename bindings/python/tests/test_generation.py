"""Partial values, prompts and actions of agents through Python."""

from __future__ import annotations

import copy
import json
import os
from pathlib import Path
from typing import Any

import pytest

import grammarc
from grammarc.agents import AgentFormat, AgentTool, extract_json_response, tags, with_end
from grammarc.partial import Added, Closed, Grew, PartialJson, stream_json
from grammarc.prompts import PromptManager

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


def test_a_text_that_is_no_json_is_told_with_its_place() -> None:
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
    assert (action.action_type, action.content, action.raw_json) == ("search", {"query": "a } b"}, written)
    assert agent.parse("<think>x</think> <search> tides </search>").content == "tides"
    assert extract_json_response(written) == json.loads(written)
    assert extract_json_response(written, ["other"]) is None
    assert [tuple(tag) for tag in tags("<answer> 1 </answer><bbox>2</bbox>")] == [("answer", "1"), ("bbox", "2")]
    assert with_end(with_end("<a>x", "</a>"), "</a>") == "<a>x</a>"
    with pytest.raises(grammarc.ActionError, match='"query"'):
        agent.parse(written.replace('"query"', '"question"'))
    with pytest.raises(grammarc.ActionError):
        agent.forced("answer", {})
    with pytest.raises(grammarc.SourceError, match="answer"):
        AgentFormat([AgentTool("answer", "", QUERY)])


def test_the_schema_of_actions_compiles(compiler: grammarc.Compiler) -> None:
    agent = AgentFormat([AgentTool("search", "Searches.", QUERY)])
    compiler.json_schema(agent.schema, whitespace="compact").check(agent.forced("search", {"query": "x"}))


SAMPLES = Path(os.environ["GRAMMARC_ROOT"]) / "generate" / "samples" / "extraction.json"


def test_prompts_by_name() -> None:
    manager = PromptManager(json.loads(SAMPLES.read_text(encoding="utf-8")), {"text": "none"})
    assert "extract-definitions" in manager.ids and len(manager.ids) == 6
    wanted = manager.wants("extract-definitions")
    assert wanted.kind == "jsonl" and "entity" in wanted.schema["properties"]
    rendered = manager.render("extract-definitions", text="Tides are {{ rises }}.")
    assert rendered.prompt.endswith("Tides are {{ rises }}.") and rendered.messages[0]["role"] == "system"
    lines = '```jsonl\n{"entity": "tide", "definition": "a rise"}\nno\n{"entity": "x"}\n{"entity": "y", "defi'
    assert manager.take("extract-definitions", lines) == [{"entity": "tide", "definition": "a rise"}]
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


def test_lines_of_a_prompt_are_a_grammar(compiler: grammarc.Compiler) -> None:
    manager = PromptManager({"templates": {"t": {"prompt": "", "response-type": "jsonl", "schema": {"type": "integer"}}}})
    grammar = compiler.gbnf(manager._fields("t", {})["grammar"])
    grammar.check("1\n22\n")
    with pytest.raises(grammarc.TextRefused):
        grammar.check('1\n"a"\n')
