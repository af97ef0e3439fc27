"""NVIDIA Dynamo: grammars as ``dynamo.logits_processing.BaseLogitsProcessor``, one protocol over TensorRT-LLM, vLLM and SGLang.

    entry = PythonProcessorSpec(factory=lambda: GrammarProcessor(grammar))

A processor serves one request and changes its logits in place. Adapters of Dynamo log what a processor raises and sample from
the logits as they are; so where something fails, the logits are first left with nothing but the tokens that end the request.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from grammarc._native import Grammar
from grammarc.hosts import _torch
from grammarc.hosts._sequences import Follower, run_of


class GrammarProcessor:
    """Holds one request to a grammar.

    What is there at the first call is the prompt, whether the adapter hands it over or not. ``end_tokens`` are those at which
    the engine stops, the vocabulary's by default.
    """

    def __init__(self, grammar: Grammar, *, end_tokens: Iterable[int] | None = None) -> None:
        self._grammar = grammar
        self._ends = None if end_tokens is None else sorted(set(end_tokens))
        self._sequence: Follower | None = None
        self._width = 0

    def __call__(self, input_ids: Sequence[int], logits: Any) -> None:
        row = logits.unsqueeze(0) if logits.dim() == 1 else logits
        try:
            if row.dim() != 2 or row.shape[0] != 1:
                raise ValueError(f"the logits of one request have the shape (width), and not {tuple(logits.shape)}")
            if self._sequence is None or self._width != row.shape[1]:
                self._width = row.shape[1]
                self._sequence = Follower(self._grammar, self._ends, self._width)
            position = self._sequence.at(run_of(input_ids))
            _torch.apply(row, [position], [0])
            _torch.expect_choice(row, [0])
        except Exception:
            self._end(logits)
            raise

    def _end(self, logits: Any) -> None:
        """Leaves nothing but the tokens that end the request."""
        ends = self._ends if self._ends is not None else self._grammar.vocabulary.end_tokens
        # What was forbidden before has to be allowed for the request to end.
        kept = {token: logits[..., token].clamp(min=0) for token in ends if token < logits.shape[-1]}
        logits.fill_(float("-inf"))
        for token, logit in kept.items():
            logits[..., token] = logit
