"""Converts Python's parameters for the end of an output to those of Rust (docs/generation.md, "Where an output ends")."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

EarlyStop: TypeAlias = Literal["must_end", "first", "longest"]
"""The place at which an output ends that is a text of its grammar already: where nothing else can follow, at once, or at the token that
leaves the grammar."""

OnLength: TypeAlias = Literal["truncate", "close"]
"""The treatment of an output that has no tokens left: it ends where it stands, or is closed in time."""

Forced: TypeAlias = Literal["off", "exact", "canonical", "draft"]
"""Whether tokens that the grammar makes certain are taken without asking the model."""


class ProbLimit(NamedTuple):
    """A bound below which the tokens that a grammar allows are too unlikely to go on."""

    below: float
    """The threshold for the total probability of all allowed tokens, from 0 to 1."""
    patience: int = 1
    """How many tokens in a row it has to be below, at least 1."""


def prob_limit_of(given: ProbLimit | float | None) -> ProbLimit | None:
    """A limit as users write it: a number is one with a patience of 1. Raises ``ValueError`` for one out of range."""
    if given is None:
        return None
    limit = ProbLimit(*given) if isinstance(given, tuple) else ProbLimit(float(given))
    if not 0 <= limit.below <= 1:
        raise ValueError(f"prob_limit.below: {limit.below} is not between 0 and 1")
    if limit.patience < 1:
        raise ValueError(f"prob_limit.patience: {limit.patience} tokens in a row are none; write at least 1")
    return limit
