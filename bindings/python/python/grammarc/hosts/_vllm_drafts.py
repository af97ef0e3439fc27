"""Drafts of forced tokens for vLLM, made where the grammars are: in the scheduler's process.

After each step the scheduler asks its ``StructuredOutputManager`` for the allowed prefix of every request's drafts, of empty ones
too, and sends what it gets to the workers. :func:`install` has that method go on with the tokens that the grammar forces, up to
``num_speculative_tokens``. So any drafter of vLLM gets better, and :class:`grammarc.hosts.vllm_drafts.Forced` drafts by the
grammar alone.

With asynchronous scheduling the forward pass has the drafts before the scheduler sees them, and nothing is added.
"""

from __future__ import annotations

import functools
import logging
from typing import Any

from grammarc.hosts._serving import Counters, expect, expect_parameters

logger = logging.getLogger("vllm.grammarc")

_TAIL = 6
"""How many last tokens of an output its forced text is encoded with."""


def probe(manager: Any) -> None:
    """Raises :class:`HostMismatch` unless the class of managers has the interface that drafts rely on."""
    validates = getattr(manager, "validate_tokens", None)
    expect(callable(validates), "vLLM's StructuredOutputManager has no validate_tokens")
    expect_parameters(validates, "self", "request", "spec_tokens", where="StructuredOutputManager.validate_tokens")
    bounds = getattr(manager, "_get_constraint_bounds", None)
    expect(
        callable(bounds) and bounds.__code__.co_varnames[:3] == ("self", "request", "spec_tokens"),
        "vLLM's StructuredOutputManager has no _get_constraint_bounds that says where a grammar begins",
    )


def install(manager: Any, request_class: type, counters: Counters) -> None:
    """Has a class of managers draft what grammars force. ``request_class`` is that of grammarc's requests."""
    original = manager.validate_tokens
    failed = False

    @functools.wraps(original)
    def validate_tokens(self: Any, request: Any, spec_tokens: list[int]) -> list[int]:
        nonlocal failed
        allowed: list[int] = original(self, request, spec_tokens)
        try:
            room = _most(self.vllm_config) - len(allowed)
            if room <= 0 or not request.use_structured_output:
                return allowed
            more = _more(self, request, request_class, allowed, room)
            for _ in more:
                counters.drafts.add()
        except Exception:
            # A tokenizer that fails costs drafts, not requests.
            if not failed:
                logger.exception("forced tokens are not drafted any more where this fails")
            failed = True
            return allowed
        return allowed + more if more else allowed

    manager.validate_tokens = validate_tokens


_METHODS = frozenset({"ngram", "suffix", "custom_class"})
"""Drafters of vLLM without probabilities: where a draft has one, an added token would be verified with that of another."""


def _most(config: Any) -> int:
    """The most drafts of a request; 0 where they cannot be added to."""
    speculative = config.speculative_config
    if speculative is None or speculative.method not in _METHODS or config.scheduler_config.async_scheduling:
        return 0
    return int(config.num_speculative_tokens)


def _more(manager: Any, request: Any, request_class: type, allowed: list[int], room: int) -> list[int]:
    """At most so many forced tokens behind the drafts that are allowed."""
    grammar = request.structured_output_request.grammar
    if not isinstance(grammar, request_class):
        return []
    drafter = manager.backend.drafter
    if drafter is None:
        return []
    # While the model reasons, the grammar has not begun.
    start, _ = manager._get_constraint_bounds(request, [])
    if start != 0:
        return []
    matcher = grammar._matcher  # type: ignore[attr-defined]
    if allowed:
        matcher = matcher.fork()
        if matcher.accept_many(allowed) < len(allowed):
            return []
    if matcher.is_finished:
        return []
    # A view of vLLM's, which has no negative indices for ranges in every version.
    known = request.all_token_ids
    last = [*known[max(0, len(known) - _TAIL) :], *allowed]
    more: list[int] = drafter.draft(matcher, last[-_TAIL:], room)
    return more
