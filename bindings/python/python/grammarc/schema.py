"""Schemas as Python has them: text, parsed JSON, or types.

A pydantic model, dataclass or TypedDict becomes the JSON Schema that pydantic derives from it, so pydantic is needed for
these alone.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, TypeAlias

from grammarc._errors import SourceError

Json: TypeAlias = "str | bytes | Mapping[str, Any] | bool"
"""A JSON Schema: its text, the parsed object, ``True`` or ``False``."""

Schema: TypeAlias = "Json | type"
"""A JSON Schema, or a type that pydantic derives one from."""


def to_text(schema: Schema) -> str:
    """The text of a schema, with keys in the order in which they stand."""
    if isinstance(schema, str):
        return schema
    if isinstance(schema, (bytes, bytearray, memoryview)):
        try:
            return bytes(schema).decode("utf-8")
        except UnicodeDecodeError as error:
            raise SourceError(f"the schema is not UTF-8: {error}") from error
    if is_type(schema):
        schema = of_type(schema)
    try:
        return json.dumps(schema, ensure_ascii=False, allow_nan=False, default=_plain)
    except (ValueError, RecursionError, TypeError) as error:
        raise SourceError(f"the schema cannot be written as JSON: {error}") from error


def of_type(kind: Any) -> Mapping[str, Any]:
    """The JSON Schema of a pydantic model, dataclass, TypedDict or any other type that pydantic knows."""
    model_json_schema = getattr(kind, "model_json_schema", None)
    if callable(model_json_schema):
        return model_json_schema()  # type: ignore[no-any-return]
    try:
        from pydantic import TypeAdapter
        from pydantic.errors import PydanticSchemaGenerationError, PydanticUserError
    except ImportError as error:
        name = getattr(kind, "__name__", repr(kind))
        raise SourceError(
            f"pydantic derives the schema of {name}, and it is not installed; install it, or pass a JSON Schema"
        ) from error
    try:
        return TypeAdapter(kind).json_schema()
    except (PydanticSchemaGenerationError, PydanticUserError) as error:
        raise SourceError(f"pydantic derives no schema of {kind!r}: {error}") from error


def is_type(schema: Schema) -> bool:
    """Whether ``schema`` is a Python type, from which pydantic derives a JSON Schema, rather than a JSON Schema itself."""
    return not isinstance(schema, (str, bytes, bytearray, memoryview, Mapping, bool))


def is_closed(schema: Schema, closed: bool | None) -> bool:
    """Whether objects take the schema's names alone: as ``closed`` says, or by default where the schema is a type."""
    return is_type(schema) if closed is None else closed


def value_of(schema: Schema, text: str) -> Any:
    """The value of a JSON text: an instance of the type, where the schema is one, else parsed JSON."""
    validate = getattr(schema, "model_validate_json", None)
    if callable(validate):
        return validate(text)
    if not is_type(schema):
        return json.loads(text)
    from pydantic import TypeAdapter

    kind: Any = schema
    return TypeAdapter(kind).validate_json(text)


def _plain(value: object) -> object:
    """Values inside of a schema that JSON has under another name."""
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, (tuple, set, frozenset)):
        return list(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    raise TypeError(f"{type(value).__name__} is not JSON")
