"""Structural tags as programs of XGrammar hand them over, as texts."""

from __future__ import annotations

import json
from typing import Any

from grammarc.schema import to_text


def tag_text(*arguments: Any, **options: Any) -> str:
    """The text of a structural tag: of a text, a dictionary or an object of XGrammar's, or of the tags and triggers of the older
    form. Raises ``TypeError`` for other arguments."""
    names = ("structural_tag",) if len(arguments) + len(options) == 1 else ("tags", "triggers")
    given = dict(zip(names, arguments, strict=False), **options)
    if len(arguments) > len(names) or set(given) != set(names):
        raise TypeError("a structural tag, or tags and triggers are needed")
    if "structural_tag" in given:
        return _newer(given["structural_tag"])
    return _older(given["tags"], given["triggers"])


def _newer(tag: Any) -> str:
    if isinstance(tag, str):
        return tag
    if isinstance(tag, dict):
        return json.dumps(tag)
    dump = getattr(tag, "model_dump", None)
    if dump is None or isinstance(tag, type):
        raise TypeError(f"a structural tag is a text, a dictionary or a StructuralTag, and not {type(tag).__name__}")
    return json.dumps(dump(mode="json", by_alias=True))


def _older(tags: Any, triggers: Any) -> str:
    if not isinstance(tags, list) or not isinstance(triggers, list):
        raise TypeError("tags and triggers are lists")
    structures = [{"begin": one.begin, "schema": to_text(one.schema_), "end": one.end} for one in tags]
    return json.dumps({"structures": structures, "triggers": triggers})
