"""Trees of drafts in SGLang.

SGLang verifies a fixed number of nodes for each request. Node 0 is the root: the token that was drawn last. A matrix marks the
ancestors of each node, and its own place. :class:`Tree` makes both arrays.

The mask of a batch has a row of bits for each node. SGLang walks the tree with ``accept_token``, ``fill_vocab_mask`` and ``rollback``
for each node. :func:`install` has one call of :meth:`grammarc.Matcher.fill_tree` do it for requests of grammarc.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from typing import Any

from grammarc._native import Matcher
from grammarc.hosts._serving import Counters, expect, expect_parameters


class Tree:
    """Draft tokens behind a root. Parents come before their children.

    No two children of a node have the same token. SGLang's sampler adds up the probabilities of siblings, so it would draw a token
    that is there twice too often.

    In a chain, each node is the only child of the one before it. Some attention kernels take no other trees.
    """

    def __init__(self, root: int, nodes: int, *, is_chain: bool = False) -> None:
        self.tokens = [root]
        self.parents = [-1]
        self._nodes = nodes
        self._is_chain = is_chain
        self._children: dict[tuple[int, int], int] = {}

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another node."""
        return len(self.tokens) >= self._nodes

    def add(self, tokens: Iterable[int], parents: Iterable[int]) -> None:
        """Adds nodes with the indices of their parents among them, -1 for a child of the root. Leaves out nodes that the tree has,
        nodes beyond its size, and what follows these."""
        places: list[int | None] = []
        for token, parent in zip(tokens, parents, strict=True):
            place = 0 if parent < 0 else places[parent]
            places.append(None if place is None else self._child(place, token))

    def _child(self, parent: int, token: int) -> int | None:
        """The index of a child, which is added if there is room."""
        known = self._children.get((parent, token))
        if known is not None:
            return known
        node = len(self.tokens)
        if self.is_full or (self._is_chain and parent != node - 1):
            return None
        self.tokens.append(token)
        self.parents.append(parent)
        self._children[parent, token] = node
        return node

    def write(self, tokens: Any, ancestors: Any) -> None:
        """Writes the tree to a request's arrays. What is left of them is a chain behind the last node, of the root's token: a draft
        like any other, which is hardly ever right."""
        rest = len(tokens) - len(self.tokens)
        parents = [*self.parents, *range(len(self.tokens) - 1, len(tokens) - 1)]
        tokens[:] = [*self.tokens, *[self.tokens[0]] * rest]
        ancestors[:] = 0
        for node, parent in enumerate(parents):
            if parent >= 0:
                ancestors[node] = ancestors[parent]
            ancestors[node, node] = 1


def parents_of(ancestors: Any) -> list[int]:
    """The parents of nodes 1 and later, less one: those of :meth:`Tree.add`. A node without ancestors counts as a child of the root."""
    found = []
    for node in range(1, len(ancestors)):
        above = ancestors[node, :node].nonzero()[0]
        found.append(int(above[-1]) - 1 if len(above) else -1)
    return found


def active(grammar: Any, request_class: type) -> Any:
    """grammarc's request that a grammar of SGLang's is, or wraps for a model that reasons and has finished its reasoning. None for
    other grammars."""
    if isinstance(grammar, request_class):
        return grammar
    inner, is_generation = getattr(grammar, "grammar", None), getattr(grammar, "_is_generation", None)
    return inner if isinstance(inner, request_class) and is_generation is not None and is_generation() else None


_TRAVERSE = (
    "retrieve_next_token",
    "retrieve_next_sibling",
    "draft_tokens",
    "grammar",
    "allocate_token_bitmask",
    "vocab_size",
)


def probe(utils: Any) -> None:
    """Raises :class:`HostMismatch` unless the module ``spec_utils`` has the interface that :func:`install` relies on."""
    expect_parameters(getattr(utils, "traverse_tree", None), *_TRAVERSE, where="spec_utils.traverse_tree")
    expect(
        "traverse_tree" in utils.generate_token_bitmask.__code__.co_names,
        "SGLang's generate_token_bitmask does not call traverse_tree",
    )


def install(utils: Any, request_class: type, counters: Counters) -> None:
    """Has the module ``spec_utils`` fill the rows of trees by one call for requests of a class. Doing it again does nothing."""
    original = utils.traverse_tree
    if getattr(original, "_fills_trees", False):
        return

    @functools.wraps(original)
    def traverse_tree(
        retrieve_next_token: Any,
        retrieve_next_sibling: Any,
        draft_tokens: Any,
        grammar: Any,
        allocate_token_bitmask: Any,
        vocab_size: int | None = None,
    ) -> None:
        request = active(grammar, request_class)
        if request is not None:
            links = linked(retrieve_next_token.tolist(), retrieve_next_sibling.tolist())
            ends = request._end_tokens or request._matcher.grammar.vocabulary.end_tokens
            if links is not None and ends:
                counters.trees.add()
                fill(request._matcher, draft_tokens.tolist(), links, ends, allocate_token_bitmask)
                return
        original(retrieve_next_token, retrieve_next_sibling, draft_tokens, grammar, allocate_token_bitmask, vocab_size)

    traverse_tree._fills_trees = True  # type: ignore[attr-defined]
    utils.traverse_tree = traverse_tree


def linked(first_children: Sequence[int], next_siblings: Sequence[int]) -> list[int] | None:
    """The parent of each node from node 1 on, as its number minus one, computed from first children and next siblings. None if a node
    has no earlier parent."""
    parents: list[int | None] = [None] * len(first_children)
    for node, first in enumerate(first_children):
        child = first
        while child != -1:
            if child <= node or parents[child] is not None:
                return None
            parents[child] = node - 1
            child = next_siblings[child]
    found = [parent for parent in parents[1:] if parent is not None]
    return found if len(found) == len(parents) - 1 else None


def fill(matcher: Matcher, tokens: list[int], parents: list[int], ends: Sequence[int], rows: Any) -> None:
    """Fills the row of each node with the mask behind it. As in SGLang, the row behind an end token keeps allowing all tokens, and
    nothing is filled for a request that has ended. Rows of refused nodes are never read."""
    if matcher.is_finished:
        return
    allowed = matcher.fill_tree(tokens[1:], parents, rows)
    for node, is_allowed in enumerate(allowed, 1):
        if is_allowed and tokens[node] in ends:
            rows[node] = -1
