"""Hosts that hand over all tokens of a sequence at every step, and TensorRT-LLM, for the checks of ``contract``.

The host chooses, so ``accept`` of these takes what the logits leave finite and nothing else. Hosts whose library is not installed
are left out; their own test modules say so.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any
from unittest import mock

import contract
import numpy as np
from hosts import stubs

import grammarc

PROMPT = [3, 1, 4]


@functools.cache
def grammar() -> grammarc.Grammar:
    return grammarc.Compiler(contract.vocabulary()).regex(contract.PATTERN)


class Whole(contract.Sequence):
    """A sequence that a processor sees whole. ``logits`` calls it and returns the row."""

    def __init__(self, processor: Any, logits: Callable[[Any, list[int]], np.ndarray], tokens: tuple[int, ...] = ()) -> None:
        self.processor, self.logits, self.tokens = processor, logits, list(tokens)

    def row(self) -> np.ndarray:
        logits = self.logits(self.processor, PROMPT + self.tokens)
        assert logits.shape == (contract.WIDTH,) and not np.isnan(logits).any()
        bits = np.zeros(-(-contract.WIDTH // 32) * 32, dtype=bool)
        bits[: contract.WIDTH] = np.isfinite(logits)
        return np.packbits(bits, bitorder="little").view(np.int32)

    def accept(self, token: int) -> bool:
        if token not in contract.tokens_of(self.row()) or self.is_finished():
            return False
        self.tokens.append(token)
        return True

    def rollback(self, tokens: int) -> None:
        del self.tokens[len(self.tokens) - tokens :]

    def is_finished(self) -> bool:
        return bool(self.tokens) and self.tokens[-1] in contract.ENDS

    def draft_rows(self, tokens: list[int]) -> list[np.ndarray]:
        rows, before = [self.row()], list(self.tokens)
        for token in tokens:
            if not self.accept(token):
                break
            rows.append(self.row())
        self.tokens = before
        return rows

    def reset(self) -> None:
        self.tokens = []
        reset = getattr(self.processor, "reset", None)
        if reset is not None:
            reset()

    def fresh(self) -> contract.Sequence:
        return Whole(self.processor, self.logits)

    def fork(self) -> contract.Sequence:
        return Whole(self.processor, self.logits, tuple(self.tokens))


def llama_cpp() -> contract.Sequence:
    from grammarc.hosts.llama_cpp import GrammarLogitsProcessor

    def logits(processor: Any, tokens: list[int]) -> np.ndarray:
        scores = stubs.candidates(contract.WIDTH)
        scores[:] = processor(np.array(tokens, dtype=np.intc), scores)
        processor.check()
        return np.array(scores)

    llama = stubs.Llama(contract.WIDTH, tuple(contract.ENDS))
    with mock.patch.dict(sys.modules, llama_cpp=stubs.llama_cpp()):
        return Whole(GrammarLogitsProcessor(grammar(), llama), logits)


def transformers() -> contract.Sequence:
    import torch

    from grammarc.hosts.transformers import GrammarLogitsProcessor

    def logits(processor: Any, tokens: list[int]) -> np.ndarray:
        scores = torch.zeros(1, contract.WIDTH)
        return np.asarray(processor(torch.tensor([tokens]), scores)[0])

    return Whole(GrammarLogitsProcessor(grammar(), end_tokens=contract.ENDS), logits)


def dynamo() -> contract.Sequence:
    import torch

    from grammarc.hosts.dynamo import GrammarProcessor

    def logits(processor: Any, tokens: list[int]) -> np.ndarray:
        scores = torch.zeros(contract.WIDTH)
        processor(tokens, scores)
        return scores.numpy()

    return Whole(GrammarProcessor(grammar(), end_tokens=contract.ENDS), logits)


def mlx() -> contract.Sequence:
    import mlx.core as mx

    from grammarc.hosts.mlx import GrammarLogitsProcessor

    def logits(processor: Any, tokens: list[int]) -> np.ndarray:
        return np.array(processor(mx.array(tokens), mx.zeros((1, contract.WIDTH))))[0]

    return Whole(GrammarLogitsProcessor(grammar(), end_tokens=contract.ENDS), logits)


class TensorRt(contract.Sequence):
    """A request in the guided decoder."""

    def __init__(self, params: stubs.GuidedDecodingParams, factory: Any = None) -> None:
        from grammarc.hosts import tensorrt_llm

        if factory is None:
            decoder = stubs.tensorrt_llm()
            try:
                tensorrt_llm.install()
                factory = decoder.XGrammarMatcherFactory(stubs.guided(contract.TOKENS, contract.ENDS), contract.WIDTH, 8)
            finally:
                stubs.forget("tensorrt_llm")
        self.factory, self.params = factory, params
        self.matcher = factory.create(params)

    def row(self) -> np.ndarray:
        masks = contract.rows(3)
        self.matcher.fill_next_token_bitmask(masks, 1)
        assert (masks[[0, 2]] == -1).all()
        return masks[1]

    def accept(self, token: int) -> bool:
        return bool(self.matcher.accept_token(token))

    def rollback(self, tokens: int) -> None:
        self.matcher.rollback(tokens)

    def is_finished(self) -> bool:
        return bool(self.matcher.is_terminated())

    def draft_rows(self, tokens: list[int]) -> list[np.ndarray]:
        # As the decoder does it.
        rows, taken = [self.row()], 0
        for token in tokens:
            if not self.matcher.accept_token(token):
                break
            taken += 1
            if self.matcher.is_terminated():
                break
            rows.append(self.row())
        self.matcher.rollback(taken)
        return rows

    def fresh(self) -> contract.Sequence:
        return TensorRt(self.params, self.factory)


contract.HOSTS["llama-cpp-python"] = llama_cpp
contract.HOSTS["tensorrt-llm"] = functools.partial(
    TensorRt, stubs.GuidedDecodingParams(stubs.GuideType.REGEX, contract.PATTERN)
)
contract.HOSTS["tensorrt-llm, tag"] = functools.partial(
    TensorRt, stubs.GuidedDecodingParams(stubs.GuideType.STRUCTURAL_TAG, contract.TAG)
)
if find_spec("torch"):
    contract.HOSTS["dynamo"] = dynamo
    if find_spec("transformers"):
        contract.HOSTS["transformers"] = transformers
if find_spec("mlx"):
    contract.HOSTS["mlx-lm"] = mlx
