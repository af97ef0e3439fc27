"""Splitters: what an output of a structural tag was made of."""

from __future__ import annotations

import inspect
import json
import re
import threading
from pathlib import Path

import pytest
from conftest import END, WORDS, byte_tokens

import grammarc


def tool(name: str, properties: dict[str, object]) -> dict[str, object]:
    parameters = {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
    return {"type": "function", "function": {"name": name, "parameters": parameters}}


TOOLS = [
    tool("get", {"city": {"type": "string"}, "days": {"type": "integer"}}),
    tool("now", {}),
]

Part = tuple[str, "int | None", "str | None", str]

JSON_PARTS: list[Part] = [
    ("text", None, None, "I look: {"),
    ("markup", 0, "get", '<tool_call>\n{"name": "get", "arguments": '),
    ("json", 0, "get", '{"city": "日 </tool_call", "days": 123}'),
    ("markup", 0, "get", "}\n</tool_call>"),
    ("text", None, None, " and <tool_cal"),
    ("markup", 1, "now", '<tool_call>\n{"name": "now", "arguments": '),
    ("json", 1, "now", "{}"),
    ("markup", 1, "now", "}\n</tool_call>"),
]

XML_PARTS: list[Part] = [
    ("text", None, None, "I look: <"),
    ("markup", 0, "get", "<tool_call><function=get>"),
    ("xml", 0, "get", "<parameter=city>日 </parameter=</parameter><parameter=days>123</parameter>"),
    ("markup", 0, "get", "</function></tool_call>"),
]


def grammar_of(compiler: grammarc.Compiler, style: str) -> grammarc.Grammar:
    return compiler.compile("structural_tag", json.dumps({"type": "tools", "style": style, "tools": TOOLS}))


@pytest.fixture(params=[("qwen_3", JSON_PARTS), ("mimo", XML_PARTS)], ids=["json", "xml"])
def case(request: pytest.FixtureRequest, compiler: grammarc.Compiler) -> tuple[grammarc.Grammar, list[Part]]:
    style, parts = request.param
    return grammar_of(compiler, style), parts


def joined(pieces: list[grammarc.Piece]) -> list[Part]:
    """The parts that pieces are of."""
    parts: list[tuple[str, int | None, str | None, bytes]] = []
    for piece in pieces:
        assert piece.bytes
        if piece.begins:
            parts.append((piece.kind, piece.call, piece.name, piece.bytes))
        else:
            assert (piece.kind, piece.call, piece.name) == parts[-1][:3]
            parts[-1] = (*parts[-1][:3], parts[-1][3] + piece.bytes)
    return [(*part[:3], part[3].decode()) for part in parts]


def encoded(text: str) -> list[int]:
    """A text as the longest words and else bytes."""
    data, tokens = text.encode(), byte_tokens()
    words = sorted((word.encode() for word in WORDS), key=len, reverse=True)
    ids = []
    while data:
        token = next((word for word in words if data.startswith(word)), data[:1])
        ids.append(tokens.index(token))
        data = data[len(token) :]
    return ids


def text_of(parts: list[Part]) -> str:
    return "".join(part[3] for part in parts)


def test_tokens_are_split_into_the_parts(case: tuple[grammarc.Grammar, list[Part]]) -> None:
    grammar, parts = case
    splitter = grammarc.Splitter(grammar)
    pieces = [piece for token in encoded(text_of(parts)) for piece in splitter.push(token)]
    assert splitter.is_accepting and not splitter.is_finished
    pieces += splitter.finish()
    assert joined(pieces) == parts
    assert splitter.is_finished and not splitter.is_accepting
    assert splitter.calls == ["get", "now"][: len(splitter.calls)] and splitter.calls
    arguments = {part[1]: part[3] for part in parts if part[1] is not None and part[0] != "markup"}
    found: dict[int | None, bytes] = {}
    for piece in pieces:
        if piece.is_arguments:
            found[piece.call] = found.get(piece.call, b"") + piece.bytes
    assert {call: data.decode() for call, data in found.items()} == arguments


@pytest.mark.parametrize("run", [1, 2, 3, 7, 1000])
def test_bytes_are_split_as_tokens_are(case: tuple[grammarc.Grammar, list[Part]], run: int) -> None:
    grammar, parts = case
    data = text_of(parts).encode()
    splitter = grammarc.Splitter(grammar)
    pieces = [piece for at in range(0, len(data), run) for piece in splitter.push_bytes(data[at : at + run])]
    assert joined(pieces + splitter.finish()) == parts


@pytest.mark.parametrize("run", [1, 3, 1000])
def test_text_is_split_as_tokens_are(case: tuple[grammarc.Grammar, list[Part]], run: int) -> None:
    grammar, parts = case
    text = text_of(parts)
    splitter = grammarc.Splitter(grammar)
    pieces = [piece for at in range(0, len(text), run) for piece in splitter.push_text(text[at : at + run])]
    assert joined(pieces + splitter.finish()) == parts


def test_an_output_that_was_cut_off_is_split_as_far_as_it_goes(case: tuple[grammarc.Grammar, list[Part]]) -> None:
    grammar, parts = case
    data = text_of(parts).encode()
    for length in range(len(data) + 1):
        splitter = grammarc.Splitter(grammar)
        pieces = splitter.push_bytes(data[:length]) + splitter.finish()
        assert b"".join(piece.bytes for piece in pieces) == data[:length]
        assert splitter.is_finished and splitter.finish() == []
    assert joined(pieces) == parts


def test_what_is_not_allowed_is_refused(compiler: grammarc.Compiler) -> None:
    splitter = grammarc.Splitter(grammar_of(compiler, "qwen_3"))
    begin = b'<tool_call>\n{"name": "'
    splitter.push_bytes(begin)
    with pytest.raises(grammarc.TokenRefused):
        splitter.push(ord("x"))
    with pytest.raises(grammarc.TokenRefused):
        splitter.push(1 << 20)
    with pytest.raises(grammarc.TokenRefused):
        splitter.push(END)
    with pytest.raises(grammarc.TextRefused) as refused:
        splitter.push_bytes(b"geX")
    assert refused.value.offset == 2
    with pytest.raises(grammarc.TextRefused):
        splitter.push_text("é")
    # What stood before it was read.
    splitter.push_bytes(b't", "arguments": {"city": "a", "days": 1}}\n</tool_call>')
    splitter.push(END)
    assert splitter.is_finished and splitter.calls == ["get"]
    with pytest.raises(grammarc.TokenRefused):
        splitter.push(ord("x"))


def test_a_source_without_parts_is_markup(compiler: grammarc.Compiler) -> None:
    splitter = grammarc.Splitter(compiler.compile("gbnf", 'root ::= "a"+'))
    pieces = splitter.push_bytes(b"aaa") + splitter.finish()
    assert [(piece.kind, piece.call, piece.name, piece.is_arguments) for piece in pieces] == [("markup", None, None, False)]
    assert "markup" in repr(pieces[0])


def test_threads_share_a_splitter(compiler: grammarc.Compiler) -> None:
    splitter = grammarc.Splitter(compiler.compile("gbnf", 'root ::= "a"{4000} "b"'))
    lengths = []

    def push() -> None:
        pieces = [piece for _ in range(1000) for piece in splitter.push(ord("a"))]
        lengths.append(sum(len(piece.bytes) for piece in pieces))

    threads = [threading.Thread(target=push) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    splitter.push(ord("b"))
    assert len(lengths) == 4 and splitter.is_accepting


def test_the_stub_has_what_the_types_have() -> None:
    stub = (Path(grammarc.__file__).parent / "_native.pyi").read_text()
    for kind in (grammarc.Piece, grammarc.Splitter):
        declared = re.search(rf"^class {kind.__name__}:\n((?:    .*\n|\n)*)", stub, re.MULTILINE)
        assert declared is not None
        names = set(re.findall(r"def (\w+)\(", declared[1])) - {"__new__"}
        members = {name for name, _ in inspect.getmembers(kind) if not name.startswith("_")}
        assert names - {"__repr__"} == members
