"""What a grammar says of itself."""

from __future__ import annotations

from typing import Literal, NamedTuple


class KeywordVerdict(NamedTuple):
    """What a grammar makes of one keyword of its source."""

    pointer: str
    """JSON pointer to the keyword."""
    keyword: str
    verdict: Literal["exact", "annotation", "narrower", "approximate"]
    reason: str
    """Why, where the verdict is not exact; else empty."""


class RefusedTool(NamedTuple):
    """A tool that does not compile, of a grammar that was made without it or without a part of its schema."""

    name: str
    state: Literal["loosened", "any-object", "left-out"]
    """``loosened``: only the parts of its schema that compile are enforced; ``any-object``: its arguments may be any object;
    ``left-out``: it cannot be called."""
    pointer: str
    """JSON pointer to the fault in the source."""
    code: str
    message: str


class WorkBound(NamedTuple):
    """Bounds on the work of a step and on the memory of a sequence."""

    longest_chain: int | None
    """Most follow masks that one mask is made of; ``None`` where it grows with the nesting."""
    most_configurations: int | None
    """Most configurations of a position; ``None`` where they grow with the input."""
    state_bytes: int
    """Bytes of a sequence's state at nesting depth zero."""


KeywordVerdict.__module__ = RefusedTool.__module__ = WorkBound.__module__ = "grammarc"
