"""Lines of JSON out of what a model wrote: what is whole is kept, whatever happened to the rest.

>>> from grammarc.jsonl import parse_jsonl
>>> found = parse_jsonl('```jsonl\\n{"a": 1}\\nno\\n{"a": 2}\\n{"a": ')
>>> found.items, found.truncated
([{'a': 1}, {'a': 2}], True)
>>> [(line.line, line.reason) for line in found.skipped][0][0]
3
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from grammarc import _native
from grammarc.repair import SchemaLike, judge

__all__ = ["Jsonl", "JsonlStream", "Skipped", "parse_jsonl", "stream_jsonl"]


class Skipped(NamedTuple):
    """A line that is no item."""

    line: int
    """Its number, from 1."""
    reason: str


@dataclass(frozen=True)
class Jsonl:
    """The items of a text."""

    items: list[Any]
    skipped: list[Skipped]
    truncated: bool
    """The last line was cut off, or the text was cut: items may be missing at its end."""
    warning: str | None


def parse_jsonl(text: str, schema: SchemaLike = None, *, repair: bool = False, coerce: bool = False, cut: bool = False) -> Jsonl:
    """The items of a text with one JSON value a line: blank lines and fences are passed over, other lines that are no JSON, or
    no instances of the schema, are skipped and reported. ``repair`` repairs lines where that is certain, and ``coerce`` changes scalars to
    the type that the schema wants, as :func:`grammarc.repair.repair` does. ``cut`` says that the text was cut, such as by
    ``max_tokens``: a number at its end is no item then, since it may go on.
    """
    return _of(judge(schema).lines(text, repair, coerce, cut))


def _of(text: str) -> Jsonl:
    """Builds the result from the JSON that the native parser returns."""
    found = json.loads(text)
    items = [json.loads(item["value"]) for item in found["items"]]
    skipped = [Skipped(line["line"], line["reason"]) for line in found["skipped"]]
    return Jsonl(items, skipped, found["truncated"], found["warning"])


class JsonlStream:
    """Lines of JSON as they come: each item is there at its line feed."""

    def __init__(self, schema: SchemaLike = None, *, repair: bool = False, coerce: bool = False) -> None:
        self._inner = _native.JsonlStream(judge(schema), repair, coerce)
        self.skipped: list[Skipped] = []

    def push(self, part: str) -> list[Any]:
        """The items that end in a further part of the text."""
        return self._taken(self._inner.push(part))

    def finish(self, *, cut: bool = False) -> list[Any]:
        """The last items. ``cut`` says that the text was cut: see :func:`parse_jsonl`."""
        return self._taken(self._inner.finish(cut))

    @property
    def truncated(self) -> bool:
        """The last line was cut off, or the text was cut."""
        return self._inner.is_truncated

    def _taken(self, entries: list[str]) -> list[Any]:
        items = []
        for entry in map(json.loads, entries):
            if "reason" in entry:
                self.skipped.append(Skipped(entry["line"], entry["reason"]))
            else:
                items.append(json.loads(entry["value"]))
        return items


def stream_jsonl(parts: Iterable[str], schema: SchemaLike = None, *, repair: bool = False, coerce: bool = False) -> Iterator[Any]:
    """The items of a text that comes in parts, each as soon as its line is whole."""
    stream = JsonlStream(schema, repair=repair, coerce=coerce)
    for part in parts:
        yield from stream.push(part)
    yield from stream.finish()
