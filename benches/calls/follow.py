"""An answer followed token by token: the calls of the model that drafts save, and how many drafts are right.

The model is the answer: it draws the answer's next token whatever is drafted. A step of *verified* drafts is one call. The
step takes the drafts up to the first that the answer does not have, and one token more. *Injected* tokens take no call, so a
step is a call where the answer goes on behind them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol


class Position(Protocol):
    """A matcher of any engine."""

    def accept_many(self, tokens: Sequence[int]) -> int: ...


Tree = tuple[list[int], list[int]]
"""Tokens, and the parent of each, -1 for the root. Parents come before children."""

Propose = Callable[[Any, list[int]], Tree]
"""Drafts at a position, after the tokens before it."""


class Refused(Exception):
    """A token of the answer is not allowed."""


@dataclass
class Count:
    """Sums over answers."""

    tokens: int = 0
    calls: int = 0
    drafts: int = 0
    right: int = 0
    steps: int = 0

    @property
    def saved(self) -> float:
        """The share of model calls saved, in percent."""
        return 100 * (1 - self.calls / self.tokens)

    @property
    def right_share(self) -> float | None:
        """The share of drafts that are right, in percent."""
        return 100 * self.right / self.drafts if self.drafts else None


def chain(propose: Callable[[Any, list[int]], list[int]]) -> Propose:
    """Drafts one after the other, as a tree."""

    def tree(matcher: Any, before: list[int]) -> Tree:
        drafts = propose(matcher, before)
        return drafts, list(range(-1, len(drafts) - 1))

    return tree


def agreed(tree: Tree, tokens: list[int]) -> int:
    """How many of the tokens a path from the root has."""
    drafts, parents = tree
    node, depth = -1, 0
    while depth < len(tokens):
        children = (at for at, parent in enumerate(parents) if parent == node and drafts[at] == tokens[depth])
        child = next(children, None)
        if child is None:
            break
        node, depth = child, depth + 1
    return depth


def follow(matcher: Position, tokens: list[int], propose: Propose, count: Count, *, is_verified: bool = True) -> None:
    """Follows an answer and adds to the sums. Raises `Refused` before it adds if the engine refuses the answer."""
    calls = drafts = right = steps = at = 0
    while at < len(tokens):
        tree = propose(matcher, tokens[:at])
        depth = agreed(tree, tokens[at:])
        drafts += len(tree[0])
        right += depth
        steps += 1
        calls += is_verified or at + depth < len(tokens)
        taken = tokens[at : at + depth + 1]
        if matcher.accept_many(taken) != len(taken):
            raise Refused(f"token {at} and those behind it: {taken}")
        at += len(taken)
    count.tokens += len(tokens)
    count.calls += calls
    count.drafts += drafts
    count.right += right
    count.steps += steps
