"""The masks of outputs that are known, for trainers.

An output is recorded as the digest of its grammar's artifact and its tokens. Its masks follow from these, bit for bit, so they need not
be stored.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, SupportsIndex

from grammarc._native import Bitmask, Grammar, Matcher

PART = 1024
"""Rows of a part by default: 16 MiB for a vocabulary of 128,000 tokens."""


class Replay(NamedTuple):
    """The masks of an output, or of a part of it."""

    tokens: list[int]
    """The tokens."""
    accepted: int
    """How many of the tokens the grammar accepts: all, unless the output was cut by something else or is not of this grammar."""
    rows: Any
    """The masks: row ``i`` is that from which token ``i`` was drawn. Rows after the first refused token are copies of its row."""


def replay(
    grammar: Grammar,
    tokens: Iterable[SupportsIndex],
    rows: Any = None,
    *,
    end_tokens: Iterable[SupportsIndex] | None = None,
    logit_width: int | None = None,
) -> Replay:
    """The masks of an output, each from which one of its tokens was drawn.

    They are written to ``rows``, a :class:`Bitmask` or an array of ``int32`` with at least a row for each token, or to a new
    :class:`Bitmask`. ``end_tokens`` and ``logit_width`` are those of the matcher that constrained the output. For outputs whose masks
    do not fit into memory, :func:`replay_parts` reuses one buffer.
    """
    matcher = _start(grammar, end_tokens, logit_width)
    known = _ids(tokens)
    if rows is None:
        rows = Bitmask(len(known), matcher.logit_width)
    return Replay(known, matcher.replay(known, rows), rows)


def replay_parts(
    grammar: Grammar,
    tokens: Iterable[SupportsIndex],
    most: int = PART,
    *,
    end_tokens: Iterable[SupportsIndex] | None = None,
    logit_width: int | None = None,
) -> Iterator[Replay]:
    """The masks of an output in parts of at most ``most`` tokens, all in one buffer that the next part overwrites.

    The first rows of the buffer belong to the tokens of the part. The parts end at the first token that is refused.
    """
    if most < 1:
        raise ValueError(f"a part has at least one row, and not {most}")
    matcher = _start(grammar, end_tokens, logit_width)
    known = _ids(tokens)
    rows = Bitmask(min(most, len(known)), matcher.logit_width)
    for start in range(0, len(known), most):
        part = known[start : start + most]
        accepted = matcher.replay(part, rows)
        yield Replay(part, accepted, rows)
        if accepted < len(part):
            return


def _start(grammar: Grammar, end_tokens: Iterable[SupportsIndex] | None, logit_width: int | None) -> Matcher:
    # Nothing is taken back.
    return grammar.matcher(end_tokens=end_tokens, logit_width=logit_width, rollback_window=0)


def _ids(tokens: Iterable[SupportsIndex]) -> list[int]:
    """The tokens as a list; arrays give theirs at once."""
    listed = getattr(tokens, "tolist", None)
    return listed() if listed is not None else [int(token) for token in tokens]
