"""Twenty schemas as applications have them, each with a prompt. Everything in them is bounded, so that a small model
ends."""

from __future__ import annotations

from typing import Any


def obj(properties: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
        **more,
    }


def text(most: int = 24, **more: Any) -> dict[str, Any]:
    return {"type": "string", "maxLength": most, **more}


def whole(low: int, high: int) -> dict[str, Any]:
    return {"type": "integer", "minimum": low, "maximum": high}


def some(items: Any, most: int, least: int = 0, **more: Any) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most, **more}


SCHEMAS: dict[str, tuple[str, Any]] = {
    "person": ("Describe a person.", obj({"name": text(), "age": whole(0, 120), "employed": {"type": "boolean"}})),
    "weather": (
        "What is the weather in Paris?",
        obj({"city": text(), "unit": {"enum": ["celsius", "fahrenheit"]}, "degrees": whole(-40, 60)}),
    ),
    "sentiment": (
        "Is 'I love it' positive?",
        obj({"label": {"enum": ["positive", "negative", "neutral"]}, "stars": whole(1, 5)}),
    ),
    "call": (
        "Call a tool to book a table.",
        obj(
            {
                "tool": {"const": "book_table"},
                "arguments": obj(
                    {"guests": whole(1, 12), "time": {"type": "string", "pattern": "^[0-2][0-9]:[0-5][0-9]$"}}
                ),
            }
        ),
    ),
    "date": ("When was the moon landing?", obj({"date": {"type": "string", "format": "date"}})),
    "mail": (
        "Give an email address.",
        obj({"email": {"type": "string", "pattern": "^[a-z]{1,10}@[a-z]{1,10}\\.(com|org)$"}}),
    ),
    "tags": ("List tags of a blog post.", obj({"tags": some(text(12), 4, 1)})),
    "point": (
        "Give a point.",
        {"type": "array", "prefixItems": [whole(0, 99), whole(0, 99)], "items": False, "minItems": 2},
    ),
    "choice": ("Pick an answer.", obj({"answer": {"enum": ["a", "b", "c", "d"]}, "sure": {"type": "boolean"}})),
    "nested": (
        "Describe a company.",
        obj({"company": obj({"name": text(), "address": obj({"street": text(), "number": whole(1, 999)})})}),
    ),
    "orders": (
        "List the orders.",
        obj(
            {
                "orders": some(
                    obj({"id": whole(1, 9999), "sku": {"type": "string", "pattern": "^[A-Z]{3}-[0-9]{4}$"}}), 3, 1
                )
            }
        ),
    ),
    "either": ("Give an id or a name.", obj({"key": {"anyOf": [whole(0, 9999), text(16)]}})),
    "nullable": ("Give a nickname, if there is one.", obj({"nick": {"type": ["string", "null"], "maxLength": 16}})),
    "optional": (
        "Describe a car.",
        {
            "type": "object",
            "properties": {"make": text(), "doors": whole(2, 5), "electric": {"type": "boolean"}},
            "required": ["make"],
            "additionalProperties": False,
        },
    ),
    "reference": (
        "Describe two people.",
        {
            "$defs": {"person": obj({"name": text(16)})},
            **obj({"first": {"$ref": "#/$defs/person"}, "second": {"$ref": "#/$defs/person"}}),
        },
    ),
    "tree": (
        "Draw a small tree.",
        {
            "$defs": {
                "leaf": obj({"value": whole(0, 9)}),
                "branch": obj({"left": {"$ref": "#/$defs/leaf"}, "right": {"$ref": "#/$defs/leaf"}}),
            },
            **obj({"root": {"$ref": "#/$defs/branch"}}),
        },
    ),
    "one": (
        "Describe a shape.",
        {
            "oneOf": [
                obj({"kind": {"const": "circle"}, "radius": whole(1, 99)}),
                obj({"kind": {"const": "square"}, "side": whole(1, 99)}),
            ]
        },
    ),
    "multiple": (
        "Give a price in steps of five.",
        obj({"price": {"type": "integer", "multipleOf": 5, "minimum": 0, "maximum": 500}}),
    ),
    "unique": ("Give three different digits.", obj({"digits": some(whole(0, 9), 3, 3, uniqueItems=True)})),
    "both": (
        "Describe a pet.",
        {
            "allOf": [
                {"type": "object", "properties": {"name": text(16)}, "required": ["name"]},
                {"properties": {"legs": whole(0, 8)}, "required": ["legs"]},
            ]
        },
    ),
}
