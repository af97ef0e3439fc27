"""Outputs with calls, as models of several styles write them, and what is in them. Written by hand."""

from __future__ import annotations

import json
from typing import Any, NamedTuple

import contract

import grammarc
from grammarc.hosts._serving import Server


def tool(name: str, strict: bool | None = None, **properties: Any) -> dict[str, Any]:
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": None, "parameters": parameters, "strict": strict}


TOOLS = [
    tool("get", city={"type": "string"}, days={"type": "integer"}),
    tool("now"),
]
"""Functions, for the tools of each host."""


class Output(NamedTuple):
    """An output, cut into reasoning that the prompt has opened, and the rest."""

    style: str
    reasoning: str
    """As it is written, with what ends it."""
    rest: str
    said: str
    """The reasoning as it is meant."""
    text: str
    calls: list[tuple[str, dict[str, Any]]]


CITY = 'a "b"\n}]}\n</tool_call> é日😀 </parameter </arg_value'
QUOTED = json.dumps(CITY, ensure_ascii=False)
GET: tuple[str, dict[str, Any]] = ("get", {"city": CITY, "days": 5})
NOW: tuple[str, dict[str, Any]] = ("now", {})

OUTPUTS = {
    "no call": Output("qwen_3", "Hm.\n</think>\n\n", "It is <b>late</b> {1}.", "Hm.\n", "It is <b>late</b> {1}.", []),
    "a call": Output(
        "qwen_3",
        "I look </thin.\n</think>\n\n",
        f'I look <tool\n<tool_call>\n{{"name": "get", "arguments": {{"city": {QUOTED}, "days": 5}}}}\n</tool_call>',
        "I look </thin.\n",
        "I look <tool\n",
        [GET],
    ),
    "calls alone": Output(
        "qwen_3",
        "</think>\n\n",
        '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>\n<tool_call>\n'
        f'{{"name": "get", "arguments": {{"city": {QUOTED}, "days": 5}}}}\n</tool_call>',
        "",
        "\n",
        [NOW, GET],
    ),
    "JSON without tags": Output(
        "llama", "", f'{{"name": "get", "parameters": {{"city": {QUOTED}, "days": 5}}}}', "", "", [GET]
    ),
    "members as tags": Output(
        "glm_4_7",
        "So</think>",
        f"Both:\n<tool_call>get<arg_key>city</arg_key><arg_value>{CITY}</arg_value><arg_key>days</arg_key>"
        "<arg_value>5</arg_value></tool_call><tool_call>now</tool_call>",
        "So",
        "Both:\n",
        [GET, NOW],
    ),
    "members on lines": Output(
        "qwen_3_coder",
        "",
        f"<tool_call>\n<function=get>\n<parameter=city>\n{CITY}\n</parameter>\n<parameter=days>\n5\n</parameter>\n"
        "</function>\n</tool_call>",
        "",
        "",
        [GET],
    ),
}

WRONG = [
    '<tool_call>\n{"name": "other", "arguments": {}}\n</tool_call>',
    'So <tool_call>\n{"name": }',
    "<tool_call><tool_call>",
]
"""Outputs that are no calls in ``qwen_3``, so they are text."""


def compiled(source: str) -> grammarc.Grammar:
    """A tag as a server compiles it."""
    return Server(contract.Tokenizer(), contract.WIDTH).compile("structural_tag", source)


CHUNKS = (1, 2, 5, 20, 10_000)


def chunks(text: str, length: int) -> list[str]:
    return [text[at : at + length] for at in range(0, len(text), length)]


class Stream:
    """An answer put together from what a stream adds."""

    def __init__(self) -> None:
        self.reasoning, self.text = "", ""
        self._names: list[str] = []
        self._arguments: list[str] = []

    def call(self, index: int, name: str | None, arguments: str | None) -> None:
        if name is not None:
            assert index == len(self._names)
            self._names.append(name)
            self._arguments.append("")
        self._arguments[index] += arguments or ""

    @property
    def calls(self) -> list[tuple[str, Any]]:
        return [(name, json.loads(said)) for name, said in zip(self._names, self._arguments, strict=True)]
