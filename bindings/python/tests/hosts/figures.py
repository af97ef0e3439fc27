"""What the scripts that drive real hosts share: prompts, the check of what came out, and a line of figures.

A script generates ten texts for each schema of :mod:`schemas`, checks each with ``jsonschema``, and generates as many tokens
without a grammar for some of the schemas, in turns with those. It prints one line of JSON for each of its modes, from which
``table.py`` makes a page. Figures are printed and never compared with anything.
"""

from __future__ import annotations

import importlib.metadata
import json
import platform
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import jsonschema
from schemas import SCHEMAS

import grammarc

GENERATIONS = 10
"""Texts for each schema."""

MOST_TOKENS = 200
"""Tokens of a generation. One that has not ended by then is ended by the shortest way, and counted so."""

PAIRED = 4
"""Each of so many schemas is generated without a grammar too."""

_ABOUT = [
    "Answer in JSON.",
    "Answer in JSON, please.",
    "Think of winter, and answer in JSON.",
    "Make it short.",
    "It is for a children's book, so be friendly, and answer in JSON.",
    "JSON only.",
    "Invent something that nobody else would, and answer with nothing but JSON.",
    "Answer as a pirate, in JSON.",
    "Use names from Greek myths. JSON.",
    "Be precise; the answer is read by a program that takes JSON.",
]


def prompts_of(name: str) -> list[str]:
    """Ten requests for one schema, of several lengths."""
    asked, _ = SCHEMAS[name]
    return [f"{asked} {about}" for about in _ABOUT[:GENERATIONS]]


class Clock:
    """Seconds of a block, by the wall and by the work of all threads: the second is what a busy machine does not change."""

    seconds = worked = 0.0

    def __enter__(self) -> Clock:
        self._began = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds += time.perf_counter() - self._began[0]
        self.worked += time.process_time() - self._began[1]


class Timed:
    """A processor, with the time of the processor that it takes: what waits does not count."""

    def __init__(self, processor: Callable[[Any, Any], Any]) -> None:
        self._processor = processor
        self.seconds = 0.0
        self.calls = 0

    def __call__(self, tokens: Any, logits: Any) -> Any:
        start = time.thread_time()
        result = self._processor(tokens, logits)
        self.seconds += time.thread_time() - start
        self.calls += 1
        return result


class Tally:
    """Counts of one mode of a host."""

    def __init__(self, host: str, distribution: str, mode: str, model: str) -> None:
        self.line: dict[str, Any] = {
            "host": host,
            "version": importlib.metadata.version(distribution),
            "mode": mode,
            "model": model,
            "python": platform.python_version(),
            "grammarc": grammarc.__version__,
            "schemas": 0,
            "generations": 0,
            "valid": 0,
            "finished": 0,
            "tokens": 0,
        }
        self._held = [0.0, 0.0, 0.0]
        self._free = [0.0, 0.0, 0.0]
        self._mask = [0.0, 0.0]

    def take(self, name: str, grammar: grammarc.Grammar, texts: Iterable[list[int]], ends: Iterable[int]) -> None:
        """Checks the texts of one schema, each as its tokens up to its end token or the last."""
        ends = set(ends)
        self.line["schemas"] += 1
        for tokens in texts:
            finished = bool(tokens) and tokens[-1] in ends
            text = [token for token in tokens if token not in ends]
            matcher = grammar.matcher()
            accepted = matcher.accept_many(text)
            if accepted == len(text) and not finished:
                text += matcher.ending()
            written = b"".join(grammar.vocabulary.token_bytes(token) for token in text)
            valid = accepted == len(tokens) - finished and is_valid(written, SCHEMAS[name][1])
            if not valid:
                print(f"not valid: {name} {written!r}", file=sys.stderr, flush=True)
            self.line["generations"] += 1
            self.line["valid"] += valid
            self.line["finished"] += finished
            self.line["tokens"] += len(tokens)
        line = self.line
        print(
            f"{line['host']}, {line['mode']}: {name}, {line['valid']} of {line['generations']} valid so far",
            file=sys.stderr,
            flush=True,
        )

    def held(self, tokens: int, clock: Clock) -> None:
        """Tokens of a paired schema under its grammar."""
        self._held = [sum(pair) for pair in zip(self._held, (tokens, clock.seconds, clock.worked), strict=True)]

    def free(self, tokens: int, clock: Clock) -> None:
        """As many tokens without."""
        self._free = [sum(pair) for pair in zip(self._free, (tokens, clock.seconds, clock.worked), strict=True)]

    def mask(self, rows: int, seconds: float) -> None:
        """Seconds of the processor that masks took, for rows of logits."""
        self._mask = [self._mask[0] + rows, self._mask[1] + seconds]

    def say(self) -> None:
        """Prints the line."""
        for suffix, (tokens, seconds, worked) in (("", self._held), ("_free", self._free)):
            self.line[f"tokens_per_second{suffix}"] = round(tokens / seconds, 2) if seconds else None
            self.line[f"tokens_per_processor_second{suffix}"] = round(tokens / worked, 2) if worked else None
        rows, seconds = self._mask
        self.line["microseconds_a_row"] = round(seconds / rows * 1e6, 1) if rows else None
        print(json.dumps(self.line), flush=True)


def is_valid(text: bytes, schema: Any) -> bool:
    """Whether a text is JSON and an instance of its schema, by ``json`` and ``jsonschema``, formats included."""
    try:
        value = json.loads(text)
        jsonschema.validate(value, schema, format_checker=jsonschema.FormatChecker())
    except (ValueError, jsonschema.ValidationError):
        return False
    return True
