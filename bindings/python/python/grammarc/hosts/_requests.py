"""What OpenAI-shaped requests ask of the text, as sources of grammars.

``response_format`` is OpenAI's, ``structured_outputs`` is vLLM's. What asks for structure in another way is refused, since a
server that ignores it would answer freely.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

from grammarc.compiler import Kind

ANY_OBJECT = {"type": "object"}
"""The schema of JSON objects: what ``json_object`` asks for."""

_ELSEWHERE = (
    "grammar",
    "json_schema",
    "guided_json",
    "guided_regex",
    "guided_choice",
    "guided_grammar",
    "guided_decoding_backend",
)


class Constraint(NamedTuple):
    """A source of a grammar that a request has in it."""

    kind: Kind
    source: Any


def constraint_of(body: Mapping[str, Any]) -> Constraint | None:
    """The constraint of a request; ``None`` where it asks for free text. ``ValueError`` where it asks for something that is not
    understood."""
    for name in _ELSEWHERE:
        if body.get(name) is not None:
            raise ValueError(f"{name} is not supported; use response_format or structured_outputs")
    found = [one for one in (_response_format(body), _structured_outputs(body)) if one is not None]
    if len(found) > 1:
        raise ValueError("response_format and structured_outputs exclude each other")
    return found[0] if found else None


def _response_format(body: Mapping[str, Any]) -> Constraint | None:
    asked = body.get("response_format")
    if asked is None:
        return None
    kind = asked.get("type") if isinstance(asked, Mapping) else None
    if kind == "text":
        return None
    if kind == "json_object":
        return Constraint("json_schema", asked.get("schema", ANY_OBJECT))
    if kind == "json_schema":
        wrapped = asked.get("json_schema")
        if isinstance(wrapped, Mapping) and wrapped.get("schema") is not None:
            return Constraint("json_schema", wrapped["schema"])
        raise ValueError("response_format of type json_schema needs json_schema.schema")
    raise ValueError(f"response_format of type {kind!r} is not supported; there are text, json_object and json_schema")


def _structured_outputs(body: Mapping[str, Any]) -> Constraint | None:
    asked = body.get("structured_outputs")
    if asked is None:
        return None
    if not isinstance(asked, Mapping):
        raise ValueError("structured_outputs is an object")
    given = {name: value for name, value in asked.items() if value is not None and value is not False}
    if len(given) != 1:
        raise ValueError("structured_outputs has one of json, json_object, regex, choice and grammar")
    ((name, value),) = given.items()
    if name == "json_object":
        return Constraint("json_schema", ANY_OBJECT)
    if name == "json":
        return Constraint("json_schema", value if isinstance(value, str) else json.dumps(value))
    kinds: dict[str, Kind] = {"regex": "regex", "choice": "choice", "grammar": "gbnf"}
    if name not in kinds:
        raise ValueError(f"structured_outputs.{name} is not supported; there are json, json_object, regex, choice and grammar")
    return Constraint(kinds[name], value)
