"""mlx-lm: grammars as logits processors, and ``response_format`` for its server.

    model, tokenizer = mlx_lm.load(...)
    vocabulary = grammarc.hosts.mlx.vocabulary(model, tokenizer)
    grammar = grammarc.Compiler(vocabulary).json_schema(schema)
    mlx_lm.generate(model, tokenizer, prompt, logits_processors=[GrammarLogitsProcessor(grammar)])

A processor gets all tokens of the sequence, prompt in front, and logits of one row, and returns new logits: arrays of mlx are
values. The mask goes to mlx as words and becomes booleans there. The token that was just sampled has to be known, so a step
waits for the one before.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

import mlx.core as mx  # type: ignore[import-not-found,unused-ignore]
import numpy

from grammarc._errors import SourceError, TokenRefused
from grammarc._native import Bitmask, Grammar, Matcher, Vocabulary
from grammarc.hosts._sequences import TOKEN, Follower, run_of
from grammarc.tokenizers import from_tokenizer

_log = logging.getLogger("grammarc")
_BITS = 32


def vocabulary(model: Any, tokenizer: Any, **options: Any) -> Vocabulary:
    """The vocabulary of a model and tokenizer as ``mlx_lm.load`` returns them: as wide as the model's logits, with the end
    tokens at which mlx-lm stops. ``options`` are those of :func:`grammarc.tokenizers.from_file`."""
    if "logit_width" not in options:
        options["logit_width"] = _width(model)
    return from_tokenizer(tokenizer, **options)


class GrammarLogitsProcessor:
    """Holds a sequence to a grammar. One processor may serve several generations after each other; each sequence of a batch
    needs its own.

    ``end_tokens`` are those at which mlx-lm stops, ``tokenizer.eos_token_ids``; the vocabulary's by default. ``after`` are
    tokens behind which the grammar begins, such as those that end the thoughts of a model: until they were generated one after
    the other, nothing is forbidden. ``ends_on_refusal`` ends a sequence, with an error in the log, in which a token was chosen
    that its mask forbade, where an exception would stop the other sequences of a server too.
    """

    def __init__(
        self,
        grammar: Grammar,
        *,
        end_tokens: Iterable[int] | None = None,
        after: Iterable[int] = (),
        ends_on_refusal: bool = False,
    ) -> None:
        self._grammar = grammar
        self._ends = None if end_tokens is None else sorted(set(end_tokens))
        self._after = run_of(after)
        self._ends_on_refusal = ends_on_refusal
        self._free: bytes | None = None
        self._sequence: Follower | None = None
        self._mask = Bitmask(1, 1)
        self._width = 0

    def reset(self) -> None:
        """Takes the next call for the first of a generation."""
        self._free = None
        if self._sequence is not None:
            self._sequence.reset()

    def __call__(self, tokens: mx.array, logits: mx.array) -> mx.array:
        if logits.ndim not in (1, 2) or logits.size != logits.shape[-1]:
            raise ValueError(f"a processor serves one sequence, and these are logits of the shape {logits.shape}")
        run = numpy.array(tokens, dtype=numpy.int64).reshape(-1).tobytes()
        if self._after and self._is_free(run):
            return logits
        sequence = self._of(logits.shape[-1])
        try:
            position = sequence.at(run)
        except TokenRefused as error:
            if not self._ends_on_refusal:
                raise
            _log.error("a generation of mlx-lm is ended: %s", error)
            return self._ending(sequence, logits)
        return masked(position, logits, self._mask)

    def _is_free(self, run: bytes) -> bool:
        """Whether the tokens behind which the grammar begins are still to come, behind the prompt of the first call."""
        if self._free is None or not run.startswith(self._free):
            self._free = run
        found = run.find(self._after, len(self._free))
        while found >= 0 and found % TOKEN:
            found = run.find(self._after, found + 1)
        return found < 0

    def _of(self, width: int) -> Follower:
        if self._sequence is None or self._width != width:
            self._sequence = Follower(self._grammar, self._ends, width)
            self._mask = Bitmask(1, width)
            self._width = width
        return self._sequence

    @staticmethod
    def _ending(sequence: Follower, logits: mx.array) -> mx.array:
        ends = numpy.zeros(logits.shape[-1], dtype=bool)
        ends[sequence.end_tokens] = True
        return mx.where(mx.array(ends), logits, _least(logits))


def masked(position: Matcher, logits: mx.array, mask: Bitmask) -> mx.array:
    """The logits with negative infinity for what may not come next. ``mask`` is room for one row."""
    if not position.fill(mask):
        return logits
    words = mx.array(numpy.asarray(mask).view(numpy.uint32))
    bits = mx.right_shift(words.reshape(-1, 1), mx.arange(_BITS, dtype=mx.uint32))
    allowed = mx.bitwise_and(bits, 1).astype(mx.bool_).reshape(-1)[: logits.shape[-1]]
    return mx.where(allowed, logits, _least(logits))


def _least(logits: mx.array) -> mx.array:
    return mx.array(-float("inf"), dtype=logits.dtype)


def _width(model: Any) -> int:
    """Length of the model's logit row."""
    for holder in (model, getattr(model, "language_model", None)):
        arguments = getattr(holder, "args", None)
        for place in (arguments, getattr(arguments, "text_config", None)):
            width = place.get("vocab_size") if isinstance(place, dict) else getattr(place, "vocab_size", None)
            if isinstance(width, int) and width > 0:
                return width
    raise SourceError(
        f"the arguments of {type(model).__module__} have no vocab_size; pass logit_width, the length of the model's logits"
    )
