"""The parsers for vLLM: registration, tags of requests, whole outputs, streams through both parsers."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest
from hosts import calls, vllm_parsers
from hosts.vllm_parsers import TOKENIZER

import grammarc
from grammarc.hosts import _calls, _vllm_reasoning, vllm_calls
from grammarc.hosts._serving import HostMismatch


@pytest.fixture(params=vllm_parsers.each())
def modules(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    vllm_parsers.install(monkeypatch)
    found = vllm_parsers.each()[request.param]
    vllm_calls.add_tool_parsers(found.tools)
    vllm_calls.add_reasoning_parsers(found.reasoning)
    return found


@pytest.fixture(params=calls.OUTPUTS)
def output(request: pytest.FixtureRequest) -> calls.Output:
    return calls.OUTPUTS[request.param]


def tool_parser(modules: SimpleNamespace, style: str) -> Any:
    return modules.tools.ToolParserManager.known[f"grammarc:{style}"](TOKENIZER, None)


def reasoning_parser(modules: SimpleNamespace, style: str, prompt: str | None = None) -> Any:
    made = modules.reasoning.ReasoningParserManager.known[f"grammarc:{style}"](TOKENIZER, model_config=None)
    if prompt is not None:
        made.set_prompt_token_ids(TOKENIZER.encode(prompt))
    return made


def request(**members: Any) -> vllm_parsers.Request:
    tools = [vllm_parsers.Tool(function=vllm_parsers.Function(**one)) for one in calls.TOOLS]
    return vllm_parsers.Request(**{"tools": tools, "tool_choice": "auto", **members})


def response(**members: Any) -> vllm_parsers.Response:
    return vllm_parsers.Response(**{"tools": calls.TOOLS, "tool_choice": "auto", **members})


def streamed(modules: SimpleNamespace, style: str, prompt: str | None, parts: list[str]) -> calls.Stream:
    """An output that goes through both parsers as vLLM has it: the reasoning parser, until the reasoning is over, and then the other."""
    tools, reasoning = tool_parser(modules, style), None
    if prompt is not None:
        reasoning = reasoning_parser(modules, style, prompt)
        if reasoning.is_reasoning_end(TOKENIZER.encode(prompt)):
            reasoning = None
    asked, messages = request(), []
    for part in parts:
        if reasoning is not None:
            said = reasoning.extract_reasoning_streaming("", part, part, [], [], [])
            messages.append(said)
            if not reasoning.has_engine_confirmed_reasoning_end():
                continue
            rest = reasoning.finish_streaming()
            part = "".join(getattr(one, "content", None) or "" for one in (said, rest))
            said.__dict__["content"] = said.__pydantic_extra__["content"] = None
            reasoning = None
        messages.append(tools.extract_tool_calls_streaming("", part, part, [], [], [], asked))
    messages.append((reasoning or tools).finish_streaming())
    stream = calls.Stream()
    for message in messages:
        stream.reasoning += getattr(message, "reasoning", None) or ""
        stream.text += getattr(message, "content", None) or ""
        for call in getattr(message, "tool_calls", ()):
            name = getattr(call.function, "name", None)
            assert (name is not None) == (getattr(call, "id", None) is not None)
            stream.call(call.index, name, getattr(call.function, "arguments", None))
    return stream


def test_the_known_interfaces_are_found(modules: SimpleNamespace) -> None:
    vllm_calls.probe_tools(modules.tools.ToolParser)
    _vllm_reasoning.probe_reasoning(modules.reasoning.ReasoningParser)


def test_other_interfaces_are_refused() -> None:
    modules = vllm_parsers.stubs()
    modules.tools.ToolParser.extract_tool_calls = lambda self, output: None
    with pytest.raises(HostMismatch, match="ToolParser.extract_tool_calls"):
        vllm_calls.add_tool_parsers(modules.tools)
    assert not modules.tools.ToolParserManager.known
    del modules.reasoning.ReasoningParser.engine_based_streaming
    with pytest.raises(HostMismatch, match="engine_based_streaming"):
        vllm_calls.add_reasoning_parsers(modules.reasoning)


def test_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    vllm_parsers.install(monkeypatch)
    modules = vllm_parsers.stubs()
    monkeypatch.setitem(sys.modules, vllm_calls.TOOLS, modules.tools)
    monkeypatch.setitem(sys.modules, vllm_calls.REASONING, modules.reasoning)
    vllm_calls.register()
    vllm_calls.register()
    assert list(modules.tools.ToolParserManager.known) == list(_calls.parsers())
    assert list(modules.reasoning.ReasoningParserManager.known) == list(_calls.parsers())
    for made in modules.tools.ToolParserManager.known.values():
        assert issubclass(made, modules.tools.ToolParser)
        assert made.engine_based_streaming and not made.supports_required_and_named


def test_whole_outputs(modules: SimpleNamespace, output: calls.Output) -> None:
    for asked in (request(), response()):
        answer = tool_parser(modules, output.style).extract_tool_calls(output.rest, asked)
        assert answer.content == (output.text or None)
        found = [(call.function.name, json.loads(call.function.arguments)) for call in answer.tool_calls]
        assert found == output.calls and answer.tools_called == bool(output.calls)


OPENED = "<|im_start|>user\n</think><end>\n<|im_start|>assistant\n<think>\n"
CLOSED = "<|im_start|>assistant\n<think>\n\n</think>\n\n"
PROMPTS = {"open": OPENED, "closed": CLOSED, "none": "<think>\n</think>\n\nSo.<end>\n<|im_start|>assistant\n"}
"""Prompts by what they say of the reasoning of ``qwen_3``."""


def written(output: calls.Output, state: str | None) -> str:
    """An output behind a prompt."""
    begin = {"open": output.reasoning, "none": f"<think>{output.reasoning}"}
    return begin.get(state or "", "") + output.rest


REASONED = [output for output in calls.OUTPUTS.values() if output.style == "qwen_3"]


@pytest.mark.parametrize("state", PROMPTS)
def test_whole_reasoning(modules: SimpleNamespace, state: str) -> None:
    for output in REASONED:
        expected = (output.said or None if state != "closed" else None, output.rest)
        assert reasoning_parser(modules, "qwen_3", PROMPTS[state]).extract_reasoning(written(output, state), request()) == expected
        if state == "none":
            # The model need not reason.
            assert reasoning_parser(modules, "qwen_3", PROMPTS[state]).extract_reasoning(output.rest, request()) == (None, output.rest)


def test_whole_reasoning_behind_a_prompt_that_is_not_known(modules: SimpleNamespace) -> None:
    for output in REASONED:
        for state in PROMPTS:
            if output.said or state == "closed":
                expected = (output.said if state != "closed" else None, output.rest)
                assert reasoning_parser(modules, "qwen_3").extract_reasoning(written(output, state), request()) == expected


@pytest.mark.parametrize("length", calls.CHUNKS)
def test_streams(modules: SimpleNamespace, output: calls.Output, length: int) -> None:
    states = [None, *(PROMPTS if output.style == "qwen_3" else ())]
    for state in states:
        stream = streamed(modules, output.style, state and PROMPTS[state], calls.chunks(written(output, state), length))
        assert (stream.text, stream.calls) == (output.text, output.calls)
        assert stream.reasoning == (output.said if state in ("open", "none") else "")
    if output.style == "qwen_3":
        stream = streamed(modules, output.style, PROMPTS["none"], calls.chunks(output.rest, length))
        assert (stream.reasoning, stream.text, stream.calls) == ("", output.text, output.calls)


@pytest.mark.parametrize("text", calls.WRONG)
def test_what_is_no_call_is_text(modules: SimpleNamespace, text: str) -> None:
    answer = tool_parser(modules, "qwen_3").extract_tool_calls(text, request())
    assert (answer.content, answer.tool_calls) == (text, [])
    for length in calls.CHUNKS:
        stream = streamed(modules, "qwen_3", OPENED, calls.chunks(f"Hm</think>\n\n{text}", length))
        assert (stream.reasoning, stream.text, stream.calls) == ("Hm", text, [])


def test_requests_without_calls_are_not_read(modules: SimpleNamespace) -> None:
    text = calls.OUTPUTS["a call"].rest
    for asked in (request(tool_choice="none"), request(tools=None)):
        made = tool_parser(modules, "qwen_3")
        assert made.extract_tool_calls(text, asked).content == text
        assert made.extract_tool_calls_streaming("", "", text, [], [], [], asked).content == text
        assert made.extract_tool_calls_streaming("", "", "", [], [], [], asked) is None
        assert made.finish_streaming() is None
        before = asked.model_copy()
        assert made.adjust_request(asked) == before


CALL = '<tool_call>\n{"name": "get", "arguments": {"city":"x","days":1}}\n</tool_call>'
FREE = '<tool_call>\n{"name": "get", "arguments": {"x":1}}\n</tool_call>'
NAMED = vllm_parsers.Named(function=vllm_parsers.Function(name="get"))

TAGS: dict[str, tuple[dict[str, Any], list[str], list[str]]] = {
    "auto": ({}, ["Text.", CALL, FREE, CALL + FREE], ["<tool_call>\n"]),
    "required": ({"tool_choice": "required"}, [CALL, CALL + FREE], ["Text."]),
    "named": ({"tool_choice": NAMED}, [CALL], ["Text.", CALL + CALL, CALL.replace("get", "now")]),
    "one": ({"parallel_tool_calls": False}, ["Text.", CALL], [CALL + CALL]),
    "strict": ({"strict": True}, ["Text.", CALL], [FREE]),
    "a format": (
        {"response_format": vllm_parsers.Delta(type="json_schema", json_schema={"type": "array"})}, [CALL, "[]"], ["Text.", "{}"]
    ),
}
"""Requests, outputs that their tags take, and outputs that they refuse."""


@pytest.mark.parametrize("name", TAGS)
@pytest.mark.parametrize("state", [None, *PROMPTS])
def test_tags(modules: SimpleNamespace, name: str, state: str | None) -> None:
    members, good, bad = TAGS[name]
    members = dict(members)
    asked = request(**{key: value for key, value in members.items() if key != "strict"})
    made = tool_parser(modules, "qwen_3")
    if "strict" in members:
        made.get_structural_tag(asked, reasoning=False, strict_level=vllm_parsers.ToolStrictLevel.PARAMETER)
    if state is not None:
        asked = reasoning_parser(modules, "qwen_3", PROMPTS[state]).adjust_request(asked)
    asked = made.adjust_request(asked)
    assert asked.skip_special_tokens is False and asked.response_format is None
    # The reasoning is a part of the tag where the prompt is known, and not beside another format.
    is_whole = state in ("open", "none") and name != "a format"
    assert asked._grammar_from_parser == is_whole
    begins = {"open": ["Hm</think>\n\n"], "none": ["<think>Hm</think>\n\n", ""]}[state or ""] if is_whole else [""]
    grammar = calls.compiled(asked.structured_outputs.structural_tag)
    for begin in begins:
        for text in good:
            grammar.check(begin + text)
        for text in bad:
            with pytest.raises(grammarc.TextRefused):
                grammar.check(begin + text)
    assert _vllm_reasoning.MARK not in asked.model_dump_json()


def test_tags_of_responses(modules: SimpleNamespace) -> None:
    asked = response(text=vllm_parsers.Delta(type="json_schema", json_schema={"type": "array"}))
    asked = tool_parser(modules, "qwen_3").adjust_request(asked)
    assert asked.text is None
    grammar = calls.compiled(asked.structured_outputs.structural_tag)
    grammar.check("[]")
    grammar.check(CALL)


def test_without_the_plug_in_nothing_is_held_to_a_tag(modules: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    vllm_parsers.install(monkeypatch, plugin=False)
    asked = tool_parser(modules, "qwen_3").adjust_request(request())
    assert asked.structured_outputs is None and asked.skip_special_tokens is False
    for choice in ("required", NAMED):
        with pytest.raises(vllm_parsers.Refusal, match="GRAMMARC_VLLM=1"):
            tool_parser(modules, "qwen_3").adjust_request(request(tool_choice=choice))


@pytest.mark.parametrize("state", PROMPTS)
def test_what_the_engine_asks_of_reasoning(modules: SimpleNamespace, state: str) -> None:
    made = reasoning_parser(modules, "qwen_3", PROMPTS[state])
    assert made.is_reasoning_end(TOKENIZER.encode(PROMPTS[state])) == (state == "closed")
    assert (made.reasoning_start_str, made.reasoning_end_str) == ("<think>", "</think>")
    said = TOKENIZER.encode("Hm.</think>Yes")
    assert not made.is_reasoning_end_streaming(said[:3], said[:3])
    assert made.is_reasoning_end_streaming(said[:4], said[2:4])
    assert made.extract_content_ids(said) == TOKENIZER.encode("Yes")
    assert made.count_reasoning_tokens(said) == 3
    assert made.count_reasoning_tokens(TOKENIZER.encode("<think>Hm.")) == 3
    assert made.count_reasoning_tokens(TOKENIZER.encode("Yes")) == (3 if state == "open" else 0)


def test_reasoning_that_cannot_be_found_is_refused(modules: SimpleNamespace) -> None:
    known = modules.reasoning.ReasoningParserManager.known
    for style, tokenizer, words in (
        ("llama", TOKENIZER, "write no reasoning"),
        ("qwen_3", vllm_parsers.Tokenizer("<tool_call>"), "no token that ends"),
    ):
        with pytest.raises(ValueError, match=words):
            known[f"grammarc:{style}"](tokenizer)


def test_control_tokens_of_the_reasoning_are_found_by_the_grammar() -> None:
    tokenizer = vllm_parsers.Tokenizer("<|channel>", "<channel|>", "<|tool_call>", "<tool_call|>", "<think>")
    found = _vllm_reasoning.markers_of("gemma_4", tokenizer)
    assert (list(found.begins.values()), list(found.ends.values())) == (["<|channel>"], ["<channel|>"])
