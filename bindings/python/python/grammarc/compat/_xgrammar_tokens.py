"""Vocabularies of the shim ``xgrammar``."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from enum import Enum
from typing import Any

import grammarc
from grammarc._drafters import drafter_of
from grammarc.compat._xgrammar_base import checked, real

_MARKER = re.compile(rb"<\|.*\|>|<\xef\xbd\x9c.*\xef\xbd\x9c>", re.DOTALL)
"""Names of control tokens that no text has."""

_STOPS = frozenset(
    {
        "</s>",
        "<eos>",
        "<end_of_turn>",
        "<|end_of_text|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|im_end|>",
        "<|end|>",
        "<｜end▁of▁sentence｜>",
    }
)
"""Names of tokens that end a sequence, where a vocabulary says nothing of that."""


class VocabType(Enum):
    """How tokens of a vocabulary are written."""

    RAW = 0
    BYTE_FALLBACK = 1
    BYTE_LEVEL = 2


class TokenizerInfo:
    """A vocabulary."""

    def __init__(
        self,
        encoded_vocab: Sequence[bytes | str],
        vocab_type: VocabType = VocabType.RAW,
        *,
        vocab_size: int | None = None,
        stop_token_ids: Sequence[int] | int | None = None,
        add_prefix_space: bool = False,
    ) -> None:
        # The enumeration may be XGrammar's own.
        self.vocab_type = VocabType(getattr(vocab_type, "value", vocab_type))
        self.vocab_size = len(encoded_vocab) if vocab_size is None else vocab_size
        self.add_prefix_space = add_prefix_space
        self.prepend_space_in_tokenization = add_prefix_space
        self._encoded = list(encoded_vocab)
        self._tokenizer: Any = None
        if isinstance(stop_token_ids, int):
            stop_token_ids = [stop_token_ids]
        if stop_token_ids is None:
            names = (
                (id, one.decode("utf-8", "replace") if isinstance(one, bytes) else one)
                for id, one in enumerate(encoded_vocab)
            )
            stop_token_ids = [id for id, name in names if name in _STOPS]
        self.stop_token_ids = list(stop_token_ids)

    @staticmethod
    def from_huggingface(
        tokenizer: Any, *, vocab_size: int | None = None, stop_token_ids: Sequence[int] | int | None = None
    ) -> TokenizerInfo:
        """A vocabulary of a tokenizer of transformers, or any other that :meth:`grammarc.Vocabulary.from_tokenizer` takes."""
        if isinstance(stop_token_ids, int):
            stop_token_ids = [stop_token_ids]
        vocabulary = checked(
            lambda: grammarc.Vocabulary.from_tokenizer(tokenizer, logit_width=vocab_size, end_tokens=stop_token_ids)
        )
        info = TokenizerInfo([], vocab_size=vocabulary.logit_width, stop_token_ids=list(vocabulary.end_tokens))
        info._tokenizer = tokenizer
        info.__dict__["vocabulary"] = vocabulary
        return info

    @staticmethod
    def from_vocab_and_metadata(encoded_vocab: Sequence[bytes | str], metadata: str) -> TokenizerInfo:
        """A vocabulary from its tokens and the text of :meth:`dump_metadata`."""
        said = json.loads(metadata)
        return TokenizerInfo(
            encoded_vocab,
            VocabType(said["vocab_type"]),
            vocab_size=said["vocab_size"],
            stop_token_ids=said["stop_token_ids"],
            add_prefix_space=said["add_prefix_space"],
        )

    @staticmethod
    def _detect_metadata_from_hf(backend_str: str) -> dict[str, Any]:
        """The form of the tokens in the text of a ``tokenizer.json``, for TensorRT-LLM: ``vocab_type`` and ``add_prefix_space``."""
        decoder = json.dumps(json.loads(backend_str).get("decoder") or {})
        if '"ByteLevel"' in decoder:
            kind = VocabType.BYTE_LEVEL
        elif '"ByteFallback"' in decoder:
            kind = VocabType.BYTE_FALLBACK
        else:
            kind = VocabType.RAW
        return {"vocab_type": kind, "add_prefix_space": '"Strip"' in decoder}

    def dump_metadata(self) -> str:
        """Everything but the tokens, as JSON."""
        return json.dumps(
            {
                "vocab_type": self.vocab_type.value,
                "vocab_size": self.vocab_size,
                "add_prefix_space": self.add_prefix_space,
                "stop_token_ids": self.stop_token_ids,
            }
        )

    @functools.cached_property
    def vocabulary(self) -> grammarc.Vocabulary:
        """The same vocabulary as grammarc's type."""
        tokens = [_decoded(token, self.vocab_type) for token in self._encoded][: self.vocab_size]
        special = {id for id, token in enumerate(tokens) if _MARKER.fullmatch(token)} | set(self.stop_token_ids)
        return checked(
            lambda: grammarc.Vocabulary.from_tokens(
                [token or None for token in tokens],
                special_ids=[id for id in special if id < len(tokens)],
                end_tokens=[id for id in self.stop_token_ids if id < len(tokens)],
                logit_width=self.vocab_size,
            )
        )

    @functools.cached_property
    def decoded_vocab(self) -> list[bytes]:
        """The bytes of each token; those of control tokens are their names."""
        vocabulary = self.vocabulary
        known = [vocabulary.token_bytes(id) for id in range(min(len(vocabulary), self.vocab_size))]
        return known + [b""] * (self.vocab_size - len(known))

    @property
    def special_token_ids(self) -> list[int]:
        """Tokens that match no text."""
        vocabulary = self.vocabulary
        return [id for id in range(len(vocabulary)) if vocabulary.token_kind(id) != "text"]

    @functools.cached_property
    def _drafter(self) -> grammarc.Drafter | None:
        """Spells forced text as the tokenizer does, if it is one of transformers."""
        return drafter_of(self._tokenizer, self.vocabulary)

    @functools.cached_property
    def _xgrammar(self) -> Any:
        """The same for XGrammar."""
        made = real("TokenizerInfo", "grammars of XGrammar")
        stops = self.stop_token_ids or None
        if self._tokenizer is not None:
            return made.from_huggingface(self._tokenizer, vocab_size=self.vocab_size, stop_token_ids=stops)
        kind = real("VocabType", "vocabularies")(self.vocab_type.value)
        return made(
            self._encoded,
            kind,
            vocab_size=self.vocab_size,
            stop_token_ids=stops,
            add_prefix_space=self.add_prefix_space,
        )


@functools.cache
def _byte_level() -> dict[str, int]:
    """Characters by which byte-level tokenizers write bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(plain)]
    return {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}


def _decoded(token: bytes | str, kind: VocabType) -> bytes:
    """The bytes that a token adds to a text."""
    text = token.decode("utf-8", "surrogateescape") if isinstance(token, bytes) else token
    if kind is VocabType.BYTE_LEVEL:
        letters = _byte_level()
        if all(letter in letters for letter in text):
            return bytes(letters[letter] for letter in text)
    elif kind is VocabType.BYTE_FALLBACK:
        if re.fullmatch(r"<0x[0-9A-Fa-f]{2}>", text):
            return bytes([int(text[3:5], 16)])
        text = text.replace("▁", " ")
    return text.encode("utf-8", "surrogateescape")
