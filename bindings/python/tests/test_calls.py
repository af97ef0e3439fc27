"""Readers of calls: reasoning, text, and calls with their arguments as JSON, however an output is divided."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from conftest import END

import grammarc

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string"}, "days": {"type": ["integer", "null"]}},
                "required": ["city", "days"],
                "additionalProperties": False,
            },
        },
    }
]
CITY = 'a "b"\n</tool_call'
OUTPUTS = {
    "qwen_3": f"I look: <tool_call>\n{json.dumps({'name': 'get', 'arguments': {'city': CITY, 'days': 3}})}\n</tool_call>",
    "mimo": f"I look: <tool_call><function=get><parameter=city>{CITY}</parameter><parameter=days>3</parameter></function></tool_call>",
}


@pytest.fixture(params=[True, False], ids=["masks", "without"])
def reader(request: pytest.FixtureRequest, compiler: grammarc.Compiler) -> grammarc.Compiler:
    return compiler if request.param else grammarc.Compiler(compiler.vocabulary, masks=False)


def grammar_of(compiler: grammarc.Compiler, style: str) -> grammarc.Grammar:
    return compiler.compile("structural_tag", json.dumps({"type": "tools", "style": style, "tools": TOOLS}))


def joined(parts: list[grammarc.CallPart]) -> tuple[str, str, list[tuple[str, Any]]]:
    """The text, the reasoning and the calls of parts."""
    text, reasoning, calls = "", "", dict[int, tuple[str, str]]()
    for part in parts:
        if part.kind == "text":
            text += part.text
        elif part.kind == "reasoning":
            reasoning += part.text
        else:
            assert part.index is not None and part.name is not None
            assert part.kind != "call" or (part.text == "" and part.index == len(calls))
            calls[part.index] = part.name, calls.get(part.index, ("", ""))[1] + part.text
    return text, reasoning, [(name, json.loads(arguments)) for name, arguments in calls.values()]


@pytest.mark.parametrize("style", OUTPUTS)
def test_calls_are_read_however_the_text_is_divided(reader: grammarc.Compiler, style: str) -> None:
    grammar = grammar_of(reader, style)
    expected = ("I look: ", "", [("get", {"city": CITY, "days": 3})])
    dice = random.Random(5)
    for longest in (1, 3, 20, 1000):
        calls = grammarc.Calls(grammar, style, TOOLS)
        rest, parts = OUTPUTS[style], []
        while rest:
            length = dice.randint(1, longest)
            parts += calls.push_text(rest[:length])
            rest = rest[length:]
        parts += calls.finish()
        assert joined(parts) == expected
        assert (calls.names, calls.left) == (["get"], None)
        assert calls.finish() == []
    by_token = grammarc.Calls(grammar, style, TOOLS)
    parts = [part for byte in OUTPUTS[style].encode() for part in by_token.push(byte)]
    assert joined(parts + by_token.finish()) == expected


def test_a_string_comes_before_its_end_and_other_values_do_not(compiler: grammarc.Compiler) -> None:
    calls = grammarc.Calls(grammar_of(compiler, "mimo"), "mimo", TOOLS)
    start = "<tool_call><function=get><parameter=city>Os"
    assert [(part.kind, part.text) for part in calls.push_text(start)] == [("call", ""), ("arguments", '{"city":"Os')]
    assert [part.text for part in calls.push_text("lo</parameter><parameter=days>12")] == ['lo"']
    assert [part.text for part in calls.push_text("3</parameter>")] == [',"days":123']
    parts, incomplete = calls.cut()
    assert (parts, incomplete) == ([], 0)


def test_every_output_is_read(compiler: grammarc.Compiler) -> None:
    grammar = grammar_of(compiler, "mimo")
    calls = grammarc.Calls(grammar, "mimo", TOOLS)
    parts = calls.push_text(OUTPUTS["mimo"] + "<tool_call><function=frob>") + calls.finish()
    whole = len(OUTPUTS["mimo"].encode())
    assert calls.left is not None and calls.left > whole
    text, _, found = joined(parts)
    assert found == [("get", {"city": CITY, "days": 3})] and text.startswith("I look: ") and text.endswith("frob>")
    assert grammarc.Calls(grammar).push_text(b"\xff\xff")[0].text == "\ufffd\ufffd"
    calls = grammarc.Calls(grammar, "mimo", TOOLS)
    calls.push_text("<tool_call><function=get><parameter=ci")
    assert calls.cut()[1] == 0 and calls.left is None
    calls = grammarc.Calls(grammar, "mimo", TOOLS)
    calls.push_text("<tool_call><function=get><parameter=city>Oslo</parameter>\x01")
    assert calls.left is not None
    # An end token has no text, and a call that was left is incomplete.
    assert calls.push(END) == [] and calls.cut() == ([], 0)


def test_wrong_arguments_are_errors(compiler: grammarc.Compiler) -> None:
    grammar = grammar_of(compiler, "mimo")
    with pytest.raises(ValueError, match="no style of tool calls `frob`"):
        grammarc.Calls(grammar, "frob")
    with pytest.raises(TypeError):
        grammarc.Calls(grammar, "mimo", [object()])
    assert repr(grammarc.Calls(grammar).push_text("hi")[0]) == '<grammarc.CallPart text, "hi">'


def test_a_grammar_for_reading_has_no_masks(compiler: grammarc.Compiler, tmp_path: Any) -> None:
    grammar = grammar_of(grammarc.Compiler(compiler.vocabulary, masks=False), "mimo")
    assert not grammar.is_complete
    with pytest.raises(ValueError, match="asked for none"):
        grammar.wait()
    with pytest.raises(ValueError, match="asked for none"):
        grammar.save(tmp_path / "x.gmask")
