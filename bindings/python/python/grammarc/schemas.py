"""Questions about JSON Schemas: how two relate, which providers take one, instances of it, and why a text is refused.

A schema is a dict, a JSON text, or a class with a schema, such as a model of Pydantic. Answers are exact where they say so: the
compiler decides inclusion, and shows an instance where there is one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from grammarc._native import CancelToken, ask_about_schemas
from grammarc.schema import Schema, to_text

__all__ = [
    "Case",
    "Change",
    "Difference",
    "Finding",
    "Linted",
    "Lowered",
    "SchemaExplanation",
    "Witnesses",
    "diff",
    "diff_tools",
    "explain",
    "lint",
    "lower",
    "witness",
]


class Change(NamedTuple):
    """A keyword in which two schemas differ."""

    left: str | None
    """JSON pointer in the old schema; ``None`` where it lacks the keyword."""
    right: str | None
    keyword: str
    effect: Literal["none", "narrower", "wider", "different", "unknown"]


class Difference(NamedTuple):
    """How the values of two schemas relate. It is true where the change is compatible."""

    tool: str | None
    """Name of the tool, for lists of tools."""
    relation: str
    """``equal``, ``within`` (the new schema allows more), ``contains`` (less), ``overlapping``, ``disjoint`` or ``unknown``; for
    a tool also ``added`` and ``removed``."""
    compatible: bool | None
    """Whether the change preserves what was asked for; ``None`` where that was not decided."""
    left_only: Any
    """A value that only the old schema allows, in ``{"witness": ..., "text": ...}``; ``{"empty": True, "proved": ...}`` where there
    is none."""
    right_only: Any
    changes: list[Change]
    undecided: list[dict[str, Any]]

    def __bool__(self) -> bool:
        return self.compatible is True


class Case(NamedTuple):
    """A JSON text, with the keyword that it is about."""

    text: str
    why: str
    pointer: str

    @property
    def value(self) -> Any:
        """The value of the text."""
        return json.loads(self.text)


class Witnesses(NamedTuple):
    """Instances of a schema, and texts that are none."""

    valid: list[Case]
    invalid: list[Case]
    """Each is refused by its keyword alone."""
    silent: list[str]
    """JSON pointers to keywords that change nothing."""
    dead: list[str]
    """JSON pointers to branches and values that add nothing."""
    undecided: list[dict[str, Any]]


class SchemaExplanation(NamedTuple):
    """Where a text is refused, and why."""

    accepted: int
    """Number of bytes of the text, in UTF-8, that are accepted."""
    byte: int | None
    """The byte that is refused; ``None`` where all are accepted."""
    instance: str
    """JSON pointer to the innermost value at that place."""
    places: list[str]
    """JSON pointers to the schemas that apply to it."""
    cause: Literal["one-of", "together", "key-order", "text-form", "syntax", "unknown", "none"]
    blame: list[dict[str, Any]]
    """The keywords to blame, each with ``pointer``, ``keyword`` and ``value``."""
    next: bytes
    """The bytes that may come there."""
    may_end: bool


class Finding(NamedTuple):
    """What a target does with one place of a schema."""

    target: str
    tool: str | None
    rule: str
    pointer: str
    keyword: str
    treatment: str
    severity: Literal["note", "uncertain", "loss", "error"]
    certainty: str
    message: str
    change: str | None
    source: str
    seen: str


class Linted(NamedTuple):
    """What is to be said about a schema."""

    findings: list[Finding]
    silent: list[str]
    dead: list[str]


class Lowered(NamedTuple):
    """A schema that a target takes."""

    target: str
    relation: str
    """``equal``, ``narrower``, ``wider``, ``overlapping``, ``disjoint`` or ``unknown``."""
    proved: bool
    kept: bool
    """Whether the relation is as asked, and the target enforces the schema."""
    schema: Any
    stand_ins: list[dict[str, Any]]
    lost: list[dict[str, Any]]
    rewritten: list[dict[str, Any]]
    findings: list[Finding]
    undecided: list[str]

    def decode(self, value: Any) -> Any:
        """The value of the source that a value of the lowered schema denotes."""
        return json.loads(ask_about_schemas("unstand", json.dumps({"value": value, "lowered": self.schema, "stand_ins": self.stand_ins})))


def _ask(question: str, request: Mapping[str, Any], cancel: CancelToken | None) -> Any:
    return json.loads(ask_about_schemas(question, json.dumps(request), cancel))


def _difference(found: Mapping[str, Any]) -> Difference:
    changes = [Change(**change) for change in found["changes"]]
    names = ("tool", "relation", "compatible", "left_only", "right_only")
    given = {name: found.get(name) for name in names}
    return Difference(**given, changes=changes, undecided=found["undecided"])  # type: ignore[arg-type]


def _findings(found: Iterable[Mapping[str, Any]]) -> list[Finding]:
    def finding(one: Mapping[str, Any]) -> Finding:
        fields: dict[str, Any] = {name: one.get(name) for name in Finding._fields}
        return Finding(**fields)

    return [finding(one) for one in found]


def diff(
    old: Schema,
    new: Schema,
    *,
    compatible: Literal["input", "output", "both"] = "both",
    seconds: float = 2.0,
    cancel: CancelToken | None = None,
) -> Difference:
    """Compares the values of two schemas. ``compatible`` says what has to stay valid: what was sent before (``input``: the new
    schema allows all values of the old one), what comes now (``output``), or both. ``seconds`` limits each of three questions."""
    request = {"old": to_text(old), "new": to_text(new), "compatible": compatible, "seconds": seconds}
    (found,) = _ask("diff", request, cancel)
    return _difference(found)


def diff_tools(
    old: Sequence[Mapping[str, Any]],
    new: Sequence[Mapping[str, Any]],
    *,
    compatible: Literal["input", "output", "both"] = "both",
    seconds: float = 2.0,
    cancel: CancelToken | None = None,
) -> list[Difference]:
    """Compares two lists of tools, as OpenAI, Anthropic or MCP write them, by the names of the tools."""
    request = {"old": list(old), "new": list(new), "compatible": compatible, "seconds": seconds}
    return [_difference(found) for found in _ask("diff", request, cancel)]


def witness(
    schema: Schema,
    *,
    only: Iterable[Literal["shortest", "boundary", "near-miss"]] = (),
    random: int = 0,
    seed: int = 0,
    at: str = "",
    seconds: float = 2.0,
    cancel: CancelToken | None = None,
) -> Witnesses:
    """Instances of a schema at the edges of its keywords, and texts that one keyword alone refuses. ``at`` is a JSON pointer to the
    part whose keywords are considered."""
    request = {"schema": to_text(schema), "only": list(only), "random": random, "seed": seed, "at": at, "seconds": seconds}
    found = _ask("witness", request, cancel)
    for name in ("valid", "invalid"):
        found[name] = [Case(**case) for case in found[name]]
    return Witnesses(**found)


def explain(
    schema: Schema, text: str, *, end: bool = False, seconds: float = 2.0, cancel: CancelToken | None = None
) -> SchemaExplanation:
    """Finds where a text is refused, and the keywords to blame. With ``end``, also why it may not end at its end."""
    found = _ask("explain", {"schema": to_text(schema), "text": text, "end": end, "seconds": seconds}, cancel)
    found["places"] = [place["pointer"] for place in found["places"]]
    found["next"] = bytes(found["next"])
    return SchemaExplanation(**found)


def lint(
    schema: Schema | Sequence[Mapping[str, Any]],
    *,
    targets: Iterable[str] = (),
    exact: bool = False,
    seconds: float = 2.0,
    cancel: CancelToken | None = None,
) -> Linted:
    """What providers and engines do with a schema or with a list of tools. ``targets`` are names such as ``openai-strict``, or
    ``all``. ``exact`` also finds keywords that change nothing: a question for each keyword."""
    # Sequences that are no lists are not schemas either, and are refused there.
    given = list(schema) if isinstance(schema, (list, tuple)) else to_text(schema)  # type: ignore[arg-type]
    found = _ask("lint", {"schema": given, "for": list(targets), "exact": exact, "seconds": seconds}, cancel)
    return Linted(_findings(found["findings"]), found["silent"], found["dead"])


def lower(
    schema: Schema,
    target: str,
    *,
    keep: Literal["narrower", "wider", "equal"] = "narrower",
    stand_ins: Iterable[Literal["null", "root"]] = ("null", "root"),
    keep_undocumented: bool = False,
    seconds: float = 2.0,
    cancel: CancelToken | None = None,
) -> Lowered:
    """The schema that a target takes, and how it relates to the source. ``keep`` says which values may give where no rewriting is
    exact: with ``narrower``, what a model writes is always valid for the source. :meth:`Lowered.decode` undoes stand-ins."""
    request = {
        "schema": to_text(schema),
        "for": target,
        "keep": keep,
        "stand_ins": list(stand_ins),
        "keep_undocumented": keep_undocumented,
        "seconds": seconds,
    }
    found = _ask("lower", request, cancel)
    found["findings"] = _findings(found["findings"])
    return Lowered(**{name: found[name] for name in Lowered._fields})
