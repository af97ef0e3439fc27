"""The value of a JSON text while it comes, for pages and tools that show it before it is whole.

>>> from grammarc.partial import PartialJson
>>> partial = PartialJson()
>>> for part in ('{"name": "Ada Lo', 'velace", "born": 18'):
...     changes = partial.push(part)
>>> partial.value, partial.is_complete("/name"), partial.is_complete("/born")
({'name': 'Ada Lovelace'}, True, False)
>>> _ = partial.push("15}")
>>> partial.finish()
{'name': 'Ada Lovelace', 'born': 1815}

A part that has appeared stays. Numbers, literals and keys appear when they are whole; strings grow, but for those of which the
schema lists the texts, which appear when they are whole too. What closes is judged by its schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from grammarc import _native
from grammarc._errors import PartialError
from grammarc.repair import SchemaLike, judge

__all__ = ["Added", "Change", "Closed", "Grew", "PartialError", "PartialJson", "stream_json"]


@dataclass(frozen=True)
class Added:
    """A part has appeared: a scalar as it is, a string as far as it goes, a container without parts."""

    pointer: str
    """Its JSON pointer."""
    value: Any


@dataclass(frozen=True)
class Grew:
    """A string has grown."""

    pointer: str
    delta: str


@dataclass(frozen=True)
class Closed:
    """A string or a container is whole."""

    pointer: str
    violations: str | None
    """What its schema says against it."""


Change = Added | Grew | Closed


class PartialJson:
    """The value of one text. Time is linear in the text; for one thread at a time."""

    def __init__(self, schema: SchemaLike = None, *, constrained: bool = False) -> None:
        """``constrained`` says that a grammar of the schema constrains the text. Then a string of which the schema lists the texts
        appears as soon as what has come leaves one of them, and a text that goes on otherwise is an error.
        """
        self._inner = _native.Partial(judge(schema), constrained)
        self.value: Any = None
        """The value so far; ``None`` while nothing of it is certain. It is the same object while it grows: copy what is to stay."""

    def push(self, part: str) -> list[Change]:
        """Reads a further part, and returns what has changed.

        Raises :class:`PartialError` where the text is the beginning of no JSON, or has a key twice in one object. The value stays
        as it was before this part.
        """
        return [self._apply(change) for change in json.loads(self._inner.push(part))]

    def finish(self) -> Any:
        """Ends the text, and returns its value. Raises :class:`PartialError` where it is no whole JSON."""
        self.value = json.loads(self._inner.finish())
        return self.value

    def is_complete(self, pointer: str) -> bool:
        """Whether the part at a JSON pointer is there and whole."""
        return self._inner.is_complete(pointer)

    def _apply(self, change: dict[str, Any]) -> Change:
        pointer: str = change["pointer"]
        if "violations" in change:
            return Closed(pointer, change["violations"])
        if "delta" in change:
            self._put(pointer, lambda before: before + change["delta"])
            return Grew(pointer, change["delta"])
        value = json.loads(change["value"])
        self._put(pointer, lambda _: value)
        # The value so far goes on growing; what is handed out does not.
        return Added(pointer, json.loads(change["value"]) if isinstance(value, dict | list) else value)

    def _put(self, pointer: str, made: Any) -> None:
        """Puts what is made of the part at a pointer in its place."""
        if not pointer:
            self.value = made(self.value)
            return
        *above, last = (step.replace("~1", "/").replace("~0", "~") for step in pointer[1:].split("/"))
        container = self.value
        for step in above:
            container = container[int(step) if isinstance(container, list) else step]
        if isinstance(container, dict):
            container[last] = made(container.get(last))
        elif int(last) == len(container):
            container.append(made(None))
        else:
            container[int(last)] = made(container[int(last)])


def stream_json(parts: Iterable[str], schema: SchemaLike = None) -> Iterator[Any]:
    """The value after each part that changed it, and at last the whole one. It is the same object while it grows."""
    partial = PartialJson(schema)
    for part in parts:
        if partial.push(part):
            yield partial.value
    yield partial.finish()
