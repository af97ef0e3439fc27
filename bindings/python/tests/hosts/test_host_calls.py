"""What the parsers of all hosts share: styles, grammars that read outputs, readers."""

from __future__ import annotations

import json

import pytest
from hosts import calls

import grammarc
from grammarc.hosts import _calls

TOOLS = [{"type": "function", "function": one} for one in calls.TOOLS]


def test_the_styles_are_those_of_the_compiler(compiler: grammarc.Compiler) -> None:
    with pytest.raises(grammarc.SourceError) as refused:
        compiler.compile("structural_tag", json.dumps({"type": "tools", "style": "----", "tools": []}))
    listed = refused.value.diagnostics[0].help or ""
    assert set(listed.removeprefix("there are ").split(", ")) == set(_calls.STYLES)


@pytest.mark.parametrize("style", _calls.STYLES)
def test_every_style_has_grammars(style: str) -> None:
    for names in ((), ("get", "now")):
        grammar = _calls.grammar(style, names)
        assert grammar is _calls.grammar(style, names)
    assert _calls.style_of(style) == style
    assert not _calls.reasons(style) or _calls.grammar(style, (), "prefilled") is not None


def test_the_schema_decides_on_types_where_tools_are_not_strict() -> None:
    output = "<tool_call>get<arg_key>city</arg_key><arg_value>5</arg_value><arg_key>days</arg_key><arg_value>5</arg_value></tool_call>"
    for strict in (None, False, True):
        tools = [{"type": "function", "function": {**one, "strict": strict}} for one in calls.TOOLS]
        (call,) = _calls.Reader("glm_4_7", tools).read(output).calls
        assert json.loads(call.arguments) == {"city": "5", "days": 5}


def test_arguments_that_the_schema_refuses_are_read() -> None:
    (call,) = _calls.Reader("qwen_3", TOOLS).read('<tool_call>\n{"name": "now", "arguments": {"x": 1}}\n</tool_call>').calls
    assert (call.name, json.loads(call.arguments)) == ("now", {"x": 1})


@pytest.mark.parametrize("name", calls.OUTPUTS)
def test_reasoning_and_calls_are_read_at_once(name: str) -> None:
    output = calls.OUTPUTS[name]
    if not output.reasoning:
        return
    answer = _calls.Reader(output.style, TOOLS, "prefilled").read(output.reasoning + output.rest)
    found = [(call.name, json.loads(call.arguments)) for call in answer.calls]
    assert (answer.reasoning, answer.text, found) == (output.said, output.text, output.calls)


def test_arguments_stream_before_the_call_ends() -> None:
    reader = _calls.Reader("qwen_3", TOOLS)
    begun = reader.push('<tool_call>\n{"name": "get", "arguments": {"city": "Oslo and so on')
    (call,) = begun.calls
    assert (call.call, call.name) == (0, "get") and call.arguments.startswith('{"city": "Oslo')
    assert reader.push(" and on").calls[0].name is None
