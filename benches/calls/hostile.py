"""Calls whose values hurt parsers: quotes, line ends, brackets, half of markers, texts that look like other types.

The calls are random and the same in every run. A style that writes values as tags cannot write its own closing tag in a string, nor
tell the text `null` from null where both are allowed. Such values are left out for that style.
"""

from __future__ import annotations

import random
from typing import Any

from data import Answer, Call

STRINGS = [
    "",
    " ",
    "  two spaces before",
    "two spaces behind  ",
    "a\nb",
    "a\n\nb",
    "\n",
    "\nline end before",
    "line end behind\n",
    "tab\there",
    'she said "yes"',
    '"',
    '\\"',
    "C:\\temp\\new",
    "back\\",
    "}]}",
    '"}]}',
    "{}",
    "[1, 2]",
    '{"name": "ping", "arguments": {}}',
    "</tool",
    "</function",
    "<tool",
    "a < b > c",
    "&lt;b&gt;",
    "5",
    "-1.50",
    "true",
    "False",
    "null",
    "None",
    "2024-01-31",
    "😀",
    "👩‍👩‍👧 family",
    "é ü ß",
    "日本語、テスト",
    "مرحبا",
    "a, b; c",
    "key: value",
    "'single'",
    "`code`",
    "```json\n{}\n```",
    "ARGS] [TOOL_CALLS",
    "x" * 200,
    "\u2028 separator",
    "$1 {0} %s",
]
PROSE = [
    "Let me look.",
    "I will call the tool now: it takes a < b.",
    "The set {1, 2} is small, and [3] is a list.",
    'You asked for "everything".',
    "Zwei Aufrufe, bitte 😀",
    "First line.\nSecond line.",
]
WORDS = ["red", "green light", "blue"]


def parameters() -> list[dict[str, Any]]:
    """Schemas of three tools: flat, nested, and with types that parsers guess at."""
    text, flag = {"type": "string"}, {"type": "boolean"}
    flat = {"a": text, "b": text, "count": {"type": "integer"}, "ratio": {"type": "number"}, "is_on": flag}
    inner = {"type": "object", "properties": {"x": text, "y": {"type": "integer"}}, "required": ["x", "y"]}
    nested = {"spot": inner, "names": {"type": "array", "items": text}, "note": text}
    guessed = {
        "maybe": {"type": ["string", "null"]},
        "some": {"type": "array"},
        "color": {"enum": WORDS},
        "level": {"type": ["integer", "null"]},
        "last": text,
    }
    return [{"type": "object", "properties": one, "required": list(one), "additionalProperties": False} for one in (flat, nested, guessed)]


NAMES = ("write_note", "place-marker", "set_level_2")


class Calls:
    """Draws hostile calls for a style."""

    def __init__(self, rng: random.Random, markers: tuple[str, ...], *, has_tags: bool) -> None:
        self.rng = rng
        self.has_tags = has_tags
        self.strings = [one for one in STRINGS if not any(marker in one for marker in markers)]
        self.tools: list[dict[str, Any]] = [
            {"type": "function", "function": {"name": name, "description": "Takes what comes.", "parameters": one}}
            for name, one in zip(NAMES, parameters(), strict=True)
        ]

    def string(self) -> str:
        """A hostile string, or two joined."""
        picked = self.rng.choice(self.strings)
        return picked + self.rng.choice(self.strings) if self.rng.random() < 0.2 else picked

    def value(self, schema: dict[str, Any]) -> Any:
        rng, kind = self.rng, schema.get("type")
        if "enum" in schema:
            return rng.choice(schema["enum"])
        if isinstance(kind, list):
            if self.has_tags:
                # Its text would also be that of null, or of a number.
                return "plain" if "string" in kind else rng.randint(-9, 9)
            return None if rng.random() < 0.5 else self.value({"type": kind[0]})
        if kind == "string":
            return self.string()
        if kind == "integer":
            return rng.choice([0, -1, 7, 10**12])
        if kind == "number":
            return rng.choice([0.5, -2.25, 3, 1e-7])
        if kind == "boolean":
            return rng.random() < 0.5
        if kind == "array":
            return [self.value(schema.get("items", {"type": rng.choice(["string", "integer"])})) for _ in range(rng.randrange(4))]
        return {key: self.value(one) for key, one in schema["properties"].items()}

    def answer(self, number: int) -> Answer:
        """One to three calls."""
        calls = []
        for _ in range(self.rng.choice([1, 1, 2, 3])):
            function = self.rng.choice(self.tools)["function"]
            calls.append(Call(function["name"], self.value(function["parameters"])))
        return Answer(f"hostile_{number}", self.tools, calls)
