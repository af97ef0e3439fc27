"""How a tokenizer spells a text behind tokens that are there already, for the shim ``xgrammar``."""

from __future__ import annotations

from typing import Any

import grammarc

_TAILS = (6, 1, 0)
"""How many tokens before the text are encoded with it: the first number of them that encode to themselves."""


class Encoder:
    """The encoding of one tokenizer of transformers."""

    def __init__(self, tokenizer: Any, vocabulary: grammarc.Vocabulary) -> None:
        self._tokenizer = tokenizer
        self._vocabulary = vocabulary

    def continued(self, before: list[int], text: bytes) -> list[int] | None:
        """The tokens of a text behind others, as far as it is whole characters; none where the tokenizer would join it to what is there.

        None where its tokens do not spell the text, as those of a tokenizer that changes texts.
        """
        whole = text.decode("utf-8", "ignore")
        if not whole:
            return []
        for count in _TAILS:
            tail = before[len(before) - count :] if count else []
            if len(tail) < count:
                continue
            try:
                spelled = self._spelled(tail).decode()
            except UnicodeDecodeError:
                continue
            if self._encode(spelled) != tail:
                continue
            found = self._encode(spelled + whole)
            if found[:count] != tail:
                return []
            found = found[count:]
            return found if self._spelled(found) == whole.encode() else None
        return None

    def _encode(self, text: str) -> list[int]:
        return list(self._tokenizer.encode(text, add_special_tokens=False)) if text else []

    def _spelled(self, tokens: list[int]) -> bytes:
        """The bytes of tokens. Those of control tokens are none, so that they never encode to themselves."""
        vocabulary = self._vocabulary
        return b"".join(vocabulary.token_bytes(token) for token in tokens if vocabulary.token_kind(token) == "text")
