"""Drafters of tokenizers as hosts have them."""

from __future__ import annotations

from typing import Any

from grammarc._native import Drafter, Vocabulary


def drafter_of(tokenizer: Any, vocabulary: Vocabulary) -> Drafter | None:
    """The drafter of a tokenizer with ``encode(text, add_special_tokens=False)``, as those of transformers.

    None for other tokenizers, and for one whose tokens do not spell the texts that they encode: such a tokenizer adds
    whitespace, or changes characters.
    """
    if not hasattr(tokenizer, "convert_tokens_to_ids"):
        return None

    def encode(text: str) -> list[int]:
        return list(tokenizer.encode(text, add_special_tokens=False))

    sample = 'the {"a": 1}\n'
    spelled = b"".join(vocabulary.token_bytes(token) for token in encode(sample))
    return Drafter(encode) if spelled == sample.encode() else None
