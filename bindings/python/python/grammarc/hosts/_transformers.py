"""The base of the processors for transformers: checks grammars against the model, and refuses modes that would ignore them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NoReturn

import transformers  # type: ignore[import-not-found,unused-ignore]

from grammarc._errors import VocabularyMismatch
from grammarc._native import Grammar, Vocabulary
from grammarc.hosts._sequences import expect_width
from grammarc.tokenizers import from_tokenizer


def width_of(model: Any) -> int | None:
    """Length of the model's logit row, if its configuration has it."""
    config: Any = getattr(model, "config", None)
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    width = getattr(text, "vocab_size", None)
    return width if isinstance(width, int) else None


class GrammarProcessor(transformers.LogitsProcessor):  # type: ignore[misc,unused-ignore]
    """A processor with a grammar for each row of a generation. All grammars have the model's vocabulary."""

    def __init__(self, grammar: Grammar | Sequence[Grammar | None], model: object, tokenizer: object) -> None:
        self._grammars = [grammar] if isinstance(grammar, Grammar) else list(grammar)
        if not self._grammars or not all(one is None or isinstance(one, Grammar) for one in self._grammars):
            raise TypeError("a grammar, or a list of a grammar or None for each prompt, is needed")
        self._vocabulary = _vocabulary_of(self._grammars)
        width = width_of(model)
        if width is not None:
            self._expect_width(width)
        if tokenizer is not None and self._vocabulary is not None:
            _expect_tokenizer(self._vocabulary, tokenizer)

    @property
    def supports_continuous_batching(self) -> bool:  # type: ignore[override, unused-ignore]
        """Raises ``ValueError``: transformers reads this before it drops a processor."""
        self.refuse_batch()

    def refuse_batch(self) -> NoReturn:
        """Raises ``ValueError`` for continuous batching."""
        raise ValueError(
            "generate_batch (continuous batching) runs rows of several requests through one processor and shows it one token of "
            "each, so no grammar can be held to; use generate, which takes batches, or "
            "grammarc.hosts.transformers_continuous.GrammarContinuousProcessor"
        )

    def _expect_width(self, width: int) -> None:
        """Raises ``ValueError`` where rows of logits are not as long as the vocabulary says."""
        if self._vocabulary is not None:
            expect_width(self._vocabulary, width)


def _vocabulary_of(grammars: Sequence[Grammar | None]) -> Vocabulary | None:
    """The vocabulary of all grammars. Raises :class:`grammarc.VocabularyMismatch` where they have several."""
    vocabularies = [one.vocabulary for one in grammars if one is not None]
    for other in vocabularies[1:]:
        if other != vocabularies[0]:
            raise VocabularyMismatch(
                f"the grammars have several vocabularies, {vocabularies[0].name} and {other.name}; compile them with one Compiler"
            )
    return vocabularies[0] if vocabularies else None


def _expect_tokenizer(vocabulary: Vocabulary, tokenizer: object) -> None:
    """Raises :class:`grammarc.VocabularyMismatch` where a tokenizer has other tokens than the vocabulary."""
    other = from_tokenizer(tokenizer, logit_width=vocabulary.logit_width)
    if len(other) != len(vocabulary):
        raise VocabularyMismatch(f"the tokenizer has {len(other)} tokens, and the grammar's vocabulary {len(vocabulary)}")
    for token in range(len(other)):
        ours, theirs = vocabulary.token_bytes(token), other.token_bytes(token)
        if ours != theirs:
            raise VocabularyMismatch(f"token {token} is {theirs!r} of the tokenizer, and {ours!r} of the grammar's vocabulary")


@functools.cache
def refuse_batches() -> None:
    """Makes ``generate_batch`` refuse grammars as processors, since it ignores the keyword ``logits_processor``."""
    try:
        from transformers.generation.continuous_batching import (  # type: ignore[import-not-found,unused-ignore]
            ContinuousMixin,
        )
    except ImportError:
        return
    original = ContinuousMixin.generate_batch

    @functools.wraps(original)
    def generate_batch(self: Any, *arguments: Any, **options: Any) -> Any:
        for processor in options.get("logits_processor") or ():
            if isinstance(processor, GrammarProcessor):
                processor.refuse_batch()
        return original(self, *arguments, **options)

    ContinuousMixin.generate_batch = generate_batch  # type: ignore[method-assign, unused-ignore]
