"""What every host must hold to, with an oracle of its own.

The grammar is a choice of texts over a vocabulary of some letters, so what may come next is read from the texts themselves. A
:class:`Driver` wraps one host: it starts a sequence, shows which tokens are allowed next as the host's own arrays have it, and
appends a token.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from typing import Any

import grammarc

TOKENS = [b"a", b"b", b"c", b"ab", b"bc", b"abc", b"aa", b"<end>", b"<also>", None]
"""Tokens by id; the last is a hole."""

ENDS = (7, 8)
"""The tokens that end a sequence."""

WIDTH = 43
"""Length of the rows of logits: longer than the vocabulary, and no multiple of 32."""

TEXTS = ["abc", "abcabc", "aab", "b", "cab"]

VOCABULARY = grammarc.Vocabulary.from_tokens(
    TOKENS, special_ids=ENDS, end_tokens=[ENDS[0]], logit_width=WIDTH, name="letters"
)
COMPILER = grammarc.Compiler(VOCABULARY)
GRAMMAR = COMPILER.choice(TEXTS)


def allowed_after(tokens: Iterable[int], texts: Iterable[str] = TEXTS) -> set[int]:
    """The tokens that may follow, by the texts: what an end token leaves is the end tokens."""
    texts = list(texts)
    so_far = ""
    for token in tokens:
        if token in ENDS:
            return set(ENDS)
        so_far += text_of(token)
    found = {
        id
        for id, token in enumerate(TOKENS)
        if token is not None and id not in ENDS and any(text.startswith(so_far + text_of(id)) for text in texts)
    }
    return found | (set(ENDS) if so_far in texts else set())


def text_of(token: int) -> str:
    found = TOKENS[token]
    assert found is not None
    return found.decode()


def walk(seed: int, texts: Iterable[str] = TEXTS) -> list[int]:
    """Random tokens of one sequence, up to its end token."""
    chosen: list[int] = []
    pick = random.Random(seed)
    while not chosen or chosen[-1] not in ENDS:
        chosen.append(pick.choice(sorted(allowed_after(chosen, texts))))
    return chosen


class Driver:
    """One sequence in one host."""

    def allowed(self) -> set[int]:
        """The tokens whose logits the host leaves finite."""
        raise NotImplementedError

    def push(self, token: int) -> None:
        """Appends a token that the host has chosen."""
        raise NotImplementedError


def check_walks(start: Any, walks: int = 40) -> None:
    """Along random sequences and one step beyond their ends, a host allows what the texts allow."""
    for seed in range(walks):
        driver = start()
        chosen: list[int] = []
        for token in walk(seed):
            assert driver.allowed() == allowed_after(chosen), (seed, chosen)
            driver.push(token)
            chosen.append(token)
        assert driver.allowed() == set(ENDS), (seed, chosen)
