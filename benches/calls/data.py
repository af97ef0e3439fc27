"""Gold answers of the Berkeley Function Calling Leaderboard as tool lists and calls.

The package `bfcl-eval` has, for each question, the functions and the values that are right for each argument. An
`Answer` takes the first right value that the schema takes, in the order of the schema's properties. An answer that violates
its own schemas is left out, because no exact grammar accepts it. `load` counts these.

Schemas are read as the leaderboard hands them to servers: its type names become those of JSON Schema, and a name of a
function has `_` for characters that OpenAI's API does not take.
"""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

PACKAGE = "bfcl-eval"
CATEGORIES = (
    "simple_python",
    "multiple",
    "parallel",
    "parallel_multiple",
    "live_simple",
    "live_multiple",
    "live_parallel",
    "live_parallel_multiple",
)
"""Single-turn questions on Python functions. The other languages have argument types of their own."""

TYPES = {"dict": "object", "float": "number", "tuple": "array", "any": "string"}
"""The leaderboard's names of types, where JSON Schema has others. `any` is a string in its own list."""

OMITTED = ""
"""The value that says: an optional argument may be left out."""


@dataclass(frozen=True)
class Call:
    """A call: the tool's name and its arguments, in the schema's order."""

    name: str
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Answer:
    """A question's tools and the calls that answer it."""

    id: str
    tools: list[dict[str, Any]]
    calls: list[Call]


@dataclass(frozen=True)
class Loaded:
    """What `load` found."""

    answers: list[Answer]
    violating: list[str]
    """Questions whose answers violate the schemas of their tools."""
    version: str
    """The package's version."""

    def facts(self, every: int) -> dict[str, Any]:
        """The head of a result."""
        return {"package": PACKAGE, "version": self.version, "every": every, "answers": len(self.answers), "violate their schemas": len(self.violating)}


def tool_name(name: str) -> str:
    """A function's name in the alphabet of OpenAI's API."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)


def schema(source: Any) -> Any:
    """A schema of the leaderboard as JSON Schema."""
    if isinstance(source, list):
        return [schema(one) for one in source]
    if not isinstance(source, dict):
        return source
    read = {key: value for key, value in source.items() if key not in ("optional", "default", "properties")}
    read = {key: value if key in ("enum", "required") else schema(value) for key, value in read.items()}
    if isinstance(read.get("type"), str):
        read["type"] = TYPES.get(read["type"], read["type"])
    if isinstance(source.get("properties"), dict):
        read["properties"] = {name: schema(one) for name, one in source["properties"].items()}
    return read


def tool(function: dict[str, Any]) -> dict[str, Any]:
    """A function of the leaderboard as a tool of OpenAI's API."""
    described = {"name": tool_name(function["name"]), "description": function["description"], "parameters": schema(function["parameters"])}
    return {"type": "function", "function": described}


def value(options: list[Any], by: Any) -> Any:
    """The first right value of an argument that its schema takes. If there is none, `OMITTED` if that is right, and otherwise the
    first."""
    written = [written_out(option, by) for option in options if option != OMITTED]
    taken = (one for one in written if jsonschema.Draft202012Validator(by).is_valid(one))
    return next(taken, OMITTED if OMITTED in options or not written else written[0])


def written_out(option: Any, by: Any) -> Any:
    """A right value as JSON. In objects, each key has a list of right values again."""
    if isinstance(option, dict):
        return members(option, by)
    if isinstance(option, list):
        return [members(item, by.get("items", {})) if isinstance(item, dict) else item for item in option]
    return option


def members(right: dict[str, Any], by: Any) -> dict[str, Any]:
    """An object with a right value of each key. A value that is not a list is the only right one."""
    properties = by.get("properties", {})
    chosen = {key: value(options if isinstance(options, list) else [options], properties.get(key, {})) for key, options in right.items()}
    return {key: one for key, one in chosen.items() if one != OMITTED}


def ordered(instance: Any, by: Any) -> Any:
    """The instance with its keys in the order of the schema's properties, at every depth."""
    if isinstance(instance, list):
        return [ordered(item, by.get("items", {})) for item in instance]
    if not isinstance(instance, dict):
        return instance
    properties = by.get("properties", {})
    keys = [key for key in properties if key in instance] + [key for key in instance if key not in properties]
    return {key: ordered(instance[key], properties.get(key, {})) for key in keys}


def answer(question: dict[str, Any], right: dict[str, Any]) -> Answer:
    """The answer to a question."""
    tools = [tool(function) for function in question["function"]]
    by_name = {one["function"]["name"]: one["function"]["parameters"] for one in tools}
    calls = []
    for call in right["ground_truth"]:
        ((name, arguments),) = call.items()
        name = tool_name(name)
        parameters = by_name.get(name, {})
        calls.append(Call(name, ordered(members(arguments, parameters), parameters)))
    return Answer(question["id"], tools, calls)


def is_valid(one: Answer) -> bool:
    """Whether each call is of one of the tools and valid by its schema, as the package `jsonschema` reads it. An undeclared key
    counts as invalid, because tools are closed. Names of tools must differ."""
    by_name = {tool["function"]["name"]: tool["function"]["parameters"] for tool in one.tools}
    return len(by_name) == len(one.tools) and all(
        call.name in by_name and jsonschema.Draft202012Validator(closed(by_name[call.name])).is_valid(call.arguments) for call in one.calls
    )


def closed(by: Any) -> Any:
    """The schema with `additionalProperties: false` beside each `properties`."""
    if isinstance(by, list):
        return [closed(one) for one in by]
    if not isinstance(by, dict):
        return by
    read = {key: value if key in ("enum", "required", "properties") else closed(value) for key, value in by.items()}
    if "properties" in by:
        read["properties"] = {name: closed(one) for name, one in by["properties"].items()}
        read["additionalProperties"] = False
    return read


def lines(file: Path) -> Iterator[dict[str, Any]]:
    with file.open(encoding="utf-8") as opened:
        for line in opened:
            yield json.loads(line)


def load(every: int = 1) -> Loaded:
    """Every `every`th answer of each category, in the package's order."""
    # The package's own module reads the environment and files at import, and is not needed for the data.
    spec = importlib.util.find_spec("bfcl_eval")
    if spec is None or spec.origin is None:
        raise SystemExit(f"install the package {PACKAGE}: pip install --no-deps {PACKAGE}==2026.3.23")
    folder = Path(spec.origin).parent / "data"
    answers: list[Answer] = []
    violating: list[str] = []
    for category in CATEGORIES:
        questions = lines(folder / f"BFCL_v4_{category}.json")
        right = lines(folder / "possible_answer" / f"BFCL_v4_{category}.json")
        for number, (question, one) in enumerate(zip(questions, right, strict=True)):
            assert question["id"] == one["id"], question["id"]
            if number % every:
                continue
            made = answer(question, one)
            if is_valid(made):
                answers.append(made)
            else:
                violating.append(made.id)
    return Loaded(answers, violating, importlib.metadata.version(PACKAGE))
