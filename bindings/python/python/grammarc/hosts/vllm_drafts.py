"""A drafter for vLLM that drafts nothing itself: the plug-in adds what grammars force, where the grammars are.

    vllm serve ... --speculative-config '{"method": "custom_class", "model": "grammarc.hosts.vllm_drafts.Forced",
                                          "num_speculative_tokens": 8}'

Needs ``GRAMMARC_VLLM=1`` and no asynchronous scheduling.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Forced"]


class Forced:
    """A proposer for ``custom_class`` without proposals."""

    def __init__(self, vllm_config: Any) -> None:
        pass

    def load_model(self, *args: Any, **options: Any) -> None:
        """There is none."""

    def propose(
        self, sampled_token_ids: list[list[int]], num_tokens_no_spec: Any, token_ids_cpu: Any, slot_mappings: Any = None
    ) -> list[list[int]]:
        """No drafts for any request."""
        return [[] for _ in sampled_token_ids]
