"""JSON out of what a model wrote: the repair is guided by the schema, says what it changed, and makes nothing up.

>>> from grammarc.repair import loads, repair
>>> loads("Sure! {'name': 'Ada', 'born': 1815,}")
{'name': 'Ada', 'born': 1815}
>>> [edit.kind for edit in repair('[1, 2,]').edits]
['extra-comma']

A schema chooses between readings of a text, and nothing else: no key or value is invented, dropped, moved or given another
type to please it (types alone with ``coerce``). What has two readings that are as good as each other says so, and in strict use is refused.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

from grammarc import _native
from grammarc._errors import RepairError
from grammarc._repaired import Edit, Repaired
from grammarc.schema import Schema, to_text

__all__ = ["Edit", "RepairError", "Repaired", "loads", "repair"]

SchemaLike: TypeAlias = "Schema | None"
"""A JSON Schema: its text, the parsed object, or a type; none where any JSON will do."""


def repair(
    text: str,
    schema: SchemaLike = None,
    *,
    strict: bool = False,
    cut: bool = False,
    drop_open_strings: bool = False,
    coerce: bool = False,
) -> Repaired:
    """Repairs a text. One that is JSON and an instance of the schema is returned as it is.

    ``strict`` takes repairs alone of which every edit is certain, escapes a quote within a string or adds a closer, and beside which
    there is no other reading. ``cut`` says that
    the text is known to be cut off. A string that is open at the end is kept as far as it goes, or with ``drop_open_strings``
    dropped with its key. With ``coerce`` a scalar of another type than the schema wants becomes one of the type, character by
    character (``"5"`` becomes ``5``, and ``5`` becomes ``"5"``), and ``NaN`` and ``undefined`` become ``null``: as edits of the kind
    ``coerced`` that are never certain, so that ``strict`` refuses them. What is derived from the last 128 schemas is kept.

    Raises :class:`RepairError` where there is no such reading, and :class:`grammarc.SourceError` where the schema is none.
    """
    return Repaired._of(judge(schema).repair(text, strict, cut, drop_open_strings, coerce))


def loads(text: str, schema: SchemaLike = None, *, strict: bool = False, cut: bool = False, coerce: bool = False) -> Any:
    """The value of a repaired text. See :func:`repair`."""
    return repair(text, schema, strict=strict, cut=cut, coerce=coerce).value


def judge(schema: SchemaLike) -> _native.Json:
    """What a schema's texts are held to; the last ones are kept."""
    return _judge(None if schema is None else to_text(schema))


@lru_cache(maxsize=128)
def _judge(schema: str | None) -> _native.Json:
    return _native.Json(schema)
