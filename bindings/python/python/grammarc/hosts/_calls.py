"""Parsers of tool calls: tags of requests, and readers of outputs.

Hosts hand text to their parsers, with special tokens spelled. So the grammars that read outputs are over single bytes, for any
tokenizer, and without masks: the first output of a list of tools waits a millisecond. Schemas are not part of these grammars:
arguments that the host left free are read as well, and a tool's schema decides on the types of values in tags.

An output that leaves the grammar is text from there on. Nothing that a model writes is an error.
"""

from __future__ import annotations

import functools
import json
import logging
import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from grammarc._errors import GrammarcError
from grammarc._native import CallPart, Calls, Grammar, Vocabulary, tool_styles
from grammarc.compiler import Compiler

logger = logging.getLogger("grammarc.calls")

NAME = "grammarc"
"""Name of a parser whose style ``GRAMMARC_TOOL_STYLE`` names."""

STYLES = tuple(tool_styles())
"""The styles of the compiler."""

GRAMMARS = 256
"""Grammars that are kept, each of one style and list of names. The least recently used is dropped first."""

Open = Literal["prefilled", "written", "optional"]
"""Who writes the beginning of the reasoning: the prompt, the model, or the model if it reasons."""


def parsers() -> dict[str, str | None]:
    """Returns the styles of all parsers by their names. The style of ``grammarc`` is None."""
    return {NAME: None, **{f"{NAME}:{style}": style for style in STYLES}}


def style_of(style: str | None) -> str:
    """Returns the style of a parser: for None, that of ``GRAMMARC_TOOL_STYLE``. Raises ``ValueError`` if it is unset or unknown."""
    name = style or os.environ.get("GRAMMARC_TOOL_STYLE")
    if not name:
        raise ValueError(f"grammarc: set GRAMMARC_TOOL_STYLE to the style of the model's calls, or name the parser {NAME}:STYLE")
    try:
        grammar(name, ())
    except GrammarcError as error:
        raise ValueError(f"grammarc: {error}") from error
    return name


def function(name: str, parameters: Any, *, strict: bool, description: str | None = None) -> dict[str, Any]:
    """Returns a tool in the form of OpenAI's chat completions."""
    members = {"name": name, "description": description, "parameters": parameters}
    return {"type": "function", "function": {**{key: value for key, value in members.items() if value is not None}, "strict": strict}}


def tag(style: str, tools: Sequence[Mapping[str, Any]], **options: Any) -> dict[str, Any]:
    """Returns the tag of a request for tool calls. ``options`` are the other keys of the ``tools`` format."""
    return {"type": "tools", "style": style, "tools": list(tools), **options}


@functools.cache
def _compiler() -> Compiler:
    """Returns the compiler of grammars that read outputs."""
    tokens = [bytes([byte]) for byte in range(256)]
    # No output spells the token that every vocabulary has to end with.
    vocabulary = Vocabulary.from_tokens([*tokens, b"\xff<end>"], special_ids=[256], end_tokens=[256])
    return Compiler(vocabulary, threads=1, artifacts=(), memory_entries=1, masks=False)


@functools.lru_cache(GRAMMARS)
def grammar(style: str, names: tuple[str, ...], reasoning: Open | None = None) -> Grammar:
    """Returns the grammar of outputs that call tools of these names with any arguments. Raises :class:`GrammarcError`."""
    options = {} if reasoning is None else {"reasoning": {"open": reasoning}}
    source = tag(style, [function(name, None, strict=False) for name in names], **options)
    return _compiler().compile("structural_tag", json.dumps(source))


def reasons(style: str) -> bool:
    """Returns whether outputs of a style may begin with reasoning."""
    try:
        grammar(style, (), "optional")
    except GrammarcError:
        return False
    return True


def has_call(style: str, output: str) -> bool:
    """Returns whether an output has the beginning of a call, of whatever tool."""
    calls = Calls(grammar(style, ()), style)
    calls.push_text(output)
    # Text without tools excludes what begins a call.
    return calls.left is not None


class CallDelta(NamedTuple):
    """The part of a call that an output adds."""

    call: int
    """The number of the call."""
    name: str | None
    """The name of the tool at the beginning of the call, and None later."""
    arguments: str
    """JSON to append."""


class Delta(NamedTuple):
    """What one step of a stream adds to an answer: text, and calls or their arguments."""

    reasoning: str = ""
    text: str = ""
    calls: tuple[CallDelta, ...] = ()


class Call(NamedTuple):
    """A whole call."""

    name: str
    arguments: str
    """JSON."""


class Answer(NamedTuple):
    """A whole answer."""

    reasoning: str
    text: str
    calls: tuple[Call, ...]


class Reader:
    """Reads one output as it comes.

    ``tools`` are OpenAI's objects. Their schemas decide on the types of values in tags.
    """

    def __init__(self, style: str, tools: Iterable[Mapping[str, Any]], reasoning: Open | None = None) -> None:
        typed = {one["function"]["name"]: {**one, "function": {**one["function"], "strict": True}} for one in tools}
        self._calls: Calls | None = None
        try:
            self._calls = Calls(grammar(style, tuple(typed), reasoning), style, list(typed.values()))
        except (GrammarcError, UnicodeError) as error:
            logger.warning("calls of these tools are left in the text: %s", error)

    def push(self, text: str) -> Delta:
        """Reads the next text of the output. Returns the part of the answer that is certain by now."""
        if self._calls is None:
            return Delta(text=text)
        return _delta(self._calls.push_text(text))

    def finish(self) -> Delta:
        """Ends the output. Returns the rest of the answer. The arguments of a call that was cut off stay incomplete."""
        return _delta(self._calls.finish()) if self._calls is not None else Delta()

    def read(self, output: str) -> Answer:
        """Reads a whole output. A call is left out if its arguments were cut off."""
        begun, rest = self.push(output), self.finish()
        names: dict[int, str] = {}
        arguments: dict[int, str] = {}
        for call, name, more in (*begun.calls, *rest.calls):
            names.setdefault(call, name or "")
            arguments[call] = arguments.get(call, "") + more
        calls = (Call(name, arguments[call]) for call, name in names.items() if _is_json(arguments[call]))
        return Answer(begun.reasoning + rest.reasoning, begun.text + rest.text, tuple(calls))


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _delta(parts: Iterable[CallPart]) -> Delta:
    """Joins parts that came at once, with one delta a call."""
    texts = {"reasoning": "", "text": ""}
    calls: dict[int, CallDelta] = {}
    for part in parts:
        index = part.index
        if part.kind == "reasoning" or part.kind == "text":
            texts[part.kind] += part.text
        elif index is not None:
            begun = calls.get(index, CallDelta(index, None, ""))
            name = part.name if part.kind == "call" else begun.name
            calls[index] = CallDelta(index, name, begun.arguments + part.text)
    return Delta(texts["reasoning"], texts["text"], tuple(calls.values()))
