"""What a parser read of an output, against what was written.

A reading is right if it has the calls that were written: the same names, in order, with equal arguments. Texts of numbers may
differ (`1.0` and `1`), types may not (`true` and `1`). Text before the calls is compared without white space around it, which hosts strip
at will.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import machine


@dataclass
class Reading:
    """A parser's text and calls. Arguments are JSON texts."""

    text: str = ""
    calls: list[tuple[str, str]] = field(default_factory=list)
    failed: str | None = None
    """The error that the parser raised."""


class Parts:
    """A stream's parts, joined: names and arguments by the call's number."""

    def __init__(self) -> None:
        self.text: list[str] = []
        self.calls: dict[int, list[str]] = {}

    def add_call(self, number: int, name: str | None, arguments: str | None) -> None:
        call = self.calls.setdefault(number, ["", ""])
        call[0] += name or ""
        call[1] += arguments or ""

    def reading(self) -> Reading:
        return Reading("".join(self.text), [(name, arguments) for _, (name, arguments) in sorted(self.calls.items())])


def normal(value: Any) -> Any:
    """A value with its types told apart: Python's `True` equals 1."""
    if isinstance(value, dict):
        return ("object", sorted((key, normal(one)) for key, one in value.items()))
    if isinstance(value, list):
        return ("array", [normal(one) for one in value])
    if isinstance(value, bool) or value is None:
        return ("literal", str(value))
    return ("number", float(value)) if isinstance(value, (int, float)) else ("string", value)


def are_calls(reading: Reading, calls: list[dict[str, Any]]) -> bool:
    """Whether a reading has these calls."""
    if reading.failed is not None or len(reading.calls) != len(calls):
        return False
    for (name, arguments), call in zip(reading.calls, calls, strict=True):
        try:
            read = json.loads(arguments)
        except ValueError:
            return False
        # `repr` compares nested tuples of mixed types.
        if name != call["name"] or repr(normal(read)) != repr(normal(call["arguments"])):
            return False
    return True


def same(left: Reading, right: Reading) -> bool:
    """Whether two readings have the same calls and the same text."""
    try:
        calls = [{"name": name, "arguments": json.loads(arguments)} for name, arguments in right.calls]
    except ValueError:
        return left == right
    return are_calls(left, calls) and left.text.strip() == right.text.strip()


def attempt(read: Callable[[], Reading]) -> Reading:
    """A reading, or the error as one. Whatever a parser raises is its verdict on an output."""
    try:
        return read()
    except Exception as error:
        return Reading(failed=f"{type(error).__name__}: {error}"[:200])


@dataclass
class Verdicts:
    """Counts of one parser on one style's outputs."""

    outputs: int = 0
    with_prose: int = 0
    whole_wrong: int = 0
    raised: int = 0
    stream_wrong: dict[str, int] = field(default_factory=dict)
    stream_differs: dict[str, int] = field(default_factory=dict)
    text_lost: dict[str, int] = field(default_factory=dict)
    """Outputs whose text before the calls is not read, by the size of pieces, and of the whole as `whole`."""
    nanoseconds: list[float] = field(default_factory=list)
    """The time of a token in pieces of one, for each output."""
    examples: list[str] = field(default_factory=list)
    """Ids of some outputs that are read wrongly."""

    def add(self, output: dict[str, Any], whole: Reading, streams: dict[str, Reading]) -> None:
        self.outputs += 1
        self.with_prose += bool(output["prose"])
        is_wrong = not are_calls(whole, output["calls"])
        self.whole_wrong += is_wrong
        self.raised += any(one.failed is not None for one in (whole, *streams.values()))
        for size, reading in streams.items():
            wrong = not are_calls(reading, output["calls"])
            self.stream_wrong[size] = self.stream_wrong.get(size, 0) + wrong
            self.stream_differs[size] = self.stream_differs.get(size, 0) + (not same(reading, whole))
            is_wrong = is_wrong or wrong
        for size, reading in {"whole": whole, **streams}.items():
            lost = bool(output["prose"]) and output["prose"].strip() != reading.text.strip()
            self.text_lost[size] = self.text_lost.get(size, 0) + lost
        if is_wrong and len(self.examples) < 5:
            self.examples.append(output["id"])

    def facts(self) -> dict[str, Any]:
        return {
            "outputs": self.outputs,
            "with prose": self.with_prose,
            "whole wrong": self.whole_wrong,
            "raised": self.raised,
            "stream wrong": self.stream_wrong,
            "stream differs": self.stream_differs,
            "text lost": self.text_lost,
            "microseconds a token": {
                name: round(machine.percentile(self.nanoseconds, share) / 1e3, 1) for name, share in (("p50", 0.5), ("p99", 0.99))
            },
            "examples": self.examples,
        }


def judged(parser: Any, outputs: list[dict[str, Any]]) -> Verdicts:
    """Reads each output whole and in pieces. `parser` has `start(output)`, `whole(output)` and `stream(state, pieces)`."""
    verdicts = Verdicts()
    for output in outputs:
        whole = attempt(lambda output=output: parser.whole(parser.start(output), output))  # type: ignore[misc]
        streams = {}
        for size, pieces in output["pieces"].items():
            try:
                state = parser.start(output)
            except Exception as error:
                streams[size] = Reading(failed=f"{type(error).__name__}: {error}"[:200])
                continue
            start = time.perf_counter_ns()
            streams[size] = attempt(lambda state=state, pieces=pieces: parser.stream(state, pieces))  # type: ignore[misc]
            took = time.perf_counter_ns() - start
            if size == "1":
                verdicts.nanoseconds.append(took / sum(len(ids) for ids, _ in pieces))
        verdicts.add(output, whole, streams)
    return verdicts
