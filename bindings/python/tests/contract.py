"""What every host relies on, as one list of checks for all of them.

A host is driven through :class:`Sequence`: one sequence under one grammar, by the methods that the host itself calls. The checks know
the language as a finite set of texts and find the tokens that are allowed by looking at their prefixes, so that nothing of grammarc
is asked what is right. ``test_contract.py`` runs every check for every host of :data:`HOSTS`; a host that has no such operation
says so by raising :class:`Absent`.
"""

from __future__ import annotations

import abc
import functools
import json
from collections.abc import Callable, Iterable
from itertools import islice, product
from typing import Any

import numpy as np
from conftest import END, TURN, byte_tokens

import grammarc

TOKENS = byte_tokens()
WIDTH = len(TOKENS) + 45
"""Width of the hosts' rows: wider than the vocabulary, and no multiple of 32."""
ENDS = frozenset({END, TURN})
PATTERN = "(true|false|a,name){1,2}"
TEXTS = frozenset(
    "".join(parts).encode() for count in (1, 2) for parts in product(("true", "false", "a,name"), repeat=count)
)
"""All texts of the pattern."""
_TAGS = [
    {"type": "json_schema", "json_schema": {"const": True}},
    {"type": "tag", "begin": "fal", "content": {"type": "grammar", "grammar": 'root ::= "s"'}, "end": "e"},
    {"type": "tag", "begin": "a", "content": {"type": "regex", "pattern": ",n"}, "end": ["ame"]},
]
TAG = json.dumps(
    {
        "type": "structural_tag",
        "format": {"type": "repeat", "min": 1, "max": 2, "content": {"type": "or", "elements": _TAGS}},
    }
)
"""A structural tag with the same texts."""


class Absent(Exception):
    """The host has no such operation."""


class Sequence(abc.ABC):
    """A sequence under :data:`PATTERN` or :data:`TAG`, with the end tokens :data:`ENDS` and rows of :data:`WIDTH`, as a host drives it."""

    @abc.abstractmethod
    def row(self) -> np.ndarray:
        """The mask of the next token: 32-bit words, of a row that was full of ones before."""

    @abc.abstractmethod
    def accept(self, token: int) -> bool:
        """Accepts a token, and says whether it was allowed."""

    @abc.abstractmethod
    def rollback(self, tokens: int) -> None:
        """Takes back tokens."""

    @abc.abstractmethod
    def is_finished(self) -> bool:
        """Whether an end token was accepted."""

    def fills_when_finished(self) -> bool:
        """Whether the host asks for the row of a finished sequence."""
        return True

    def validate(self, tokens: list[int]) -> int:
        """How many tokens are allowed one after the other."""
        raise Absent

    def draft_rows(self, tokens: list[int]) -> list[np.ndarray]:
        """The rows before each draft and behind the last, as the host gets them; those behind a draft that is not allowed may
        be missing or anything."""
        raise Absent

    def reset(self) -> None:
        """Goes back to the start."""
        raise Absent

    def fresh(self) -> Sequence:
        """The same grammar at its start, for another request."""
        raise Absent

    def fork(self) -> Sequence:
        """A second sequence at the same position."""
        raise Absent


HOSTS: dict[str, Callable[[], Sequence]] = {}
"""Sequences at their start, by host. Modules of hosts enter theirs."""


def tokens_of(row: np.ndarray) -> set[int]:
    """The tokens of a row, those past its width too."""
    return set(np.flatnonzero(np.unpackbits(np.ascontiguousarray(row).view(np.uint8), bitorder="little")).tolist())


@functools.cache
def allowed_after(text: bytes) -> frozenset[int]:
    """The tokens that may follow a text, by the texts of the pattern."""
    rest = [whole[len(text) :] for whole in TEXTS if whole.startswith(text)]
    special = len(TOKENS) - 4
    tokens = {id for id, token in enumerate(TOKENS[:special]) if token and any(one.startswith(token) for one in rest)}
    return frozenset(tokens | (ENDS if b"" in rest else set()))


def spelled(text: str, by: int = 1) -> list[int]:
    """A text as tokens of single bytes, or with the longest words of the vocabulary."""
    data, tokens = text.encode(), []
    while data:
        found = max(
            (
                id
                for id, token in enumerate(TOKENS[:-4])
                if token and data.startswith(token) and (by > 1 or len(token) == 1)
            ),
            key=lambda id: len(TOKENS[id]),
        )
        tokens.append(found)
        data = data[len(TOKENS[found]) :]
    return tokens


def text_of(tokens: Iterable[int]) -> bytes:
    """The text of tokens."""
    return b"".join(TOKENS[token] for token in tokens)


def walk(host: Sequence, tokens: list[int]) -> None:
    """Accepts tokens that are allowed."""
    for token in tokens:
        assert host.accept(token), token


def expect_at(host: Sequence, text: bytes) -> None:
    """The row is that behind a text."""
    assert tokens_of(host.row()) == allowed_after(text)


# The checks. Each takes what makes a sequence.


def masks_are_those_of_the_texts(make: Callable[[], Sequence]) -> None:
    """Every row on the way through every text, in single bytes and in words."""
    for text in sorted(TEXTS):
        for by in (1, 9):
            host = make()
            tokens = spelled(text.decode(), by)
            for at, token in enumerate(tokens):
                expect_at(host, text_of(tokens[:at]))
                assert host.accept(token)
            expect_at(host, text)
            assert not host.is_finished()


def the_end_is_the_end_set(make: Callable[[], Sequence]) -> None:
    """Where a text must end, the row has the end tokens and nothing else, and each of them ends it."""
    for end in sorted(ENDS):
        host = make()
        walk(host, spelled("falsefalse"))
        assert tokens_of(host.row()) == ENDS
        assert host.accept(end)
        assert host.is_finished()


def an_end_is_not_allowed_before(make: Callable[[], Sequence]) -> None:
    """End tokens are refused where the text is not complete, and allowed where it may be longer."""
    host = make()
    walk(host, spelled("tru"))
    assert not tokens_of(host.row()) & ENDS
    for end in sorted(ENDS):
        assert not host.accept(end)
    walk(host, spelled("e"))
    assert tokens_of(host.row()) >= ENDS
    assert len(tokens_of(host.row())) > len(ENDS)


def padding_is_zero(make: Callable[[], Sequence]) -> None:
    """Bits of ids that are no token, up to the end of the row, are zero everywhere, also at the end."""
    host = make()
    assert len(host.row()) == -(-WIDTH // 32)
    for token in [*spelled("true"), None, *spelled("true")]:
        assert max(tokens_of(host.row())) < len(TOKENS)
        if token is not None:
            assert host.accept(token)


def a_finished_sequence_still_has_a_row(make: Callable[[], Sequence]) -> None:
    """A host that asks for the row of a finished sequence gets the end tokens, and never a row of zeros."""
    host = make()
    if not host.fills_when_finished():
        raise Absent
    walk(host, [*spelled("true"), END])
    assert tokens_of(host.row()) == ENDS


def refusal_changes_nothing(make: Callable[[], Sequence]) -> None:
    """A token that is not allowed is refused, whatever it is, and the sequence is where it was."""
    host = make()
    walk(host, spelled("a,"))
    for token in (spelled("x")[0], END, len(TOKENS) - 4, WIDTH - 1, len(TOKENS) + 1):
        assert not host.accept(token)
        expect_at(host, b"a,")
    walk(host, spelled("name", 9))
    expect_at(host, b"a,name")


def ids_that_are_none_are_refused(make: Callable[[], Sequence]) -> None:
    """-1, ids past the row and ids of more than 32 or 64 bits are refused, not raised and not taken for others."""
    host = make()
    first = spelled("t")[0]
    for token in (-1, WIDTH, WIDTH + 1000, 2**31, 2**32 + first, 2**63, 2**64 + first, -(2**40)):
        assert not host.accept(token)
    expect_at(host, b"")


def rollback_goes_through_the_end(make: Callable[[], Sequence]) -> None:
    """Tokens are taken back one by one and many at once, the end token among them."""
    host = make()
    tokens = [*spelled("truefalse"), END]
    walk(host, tokens)
    assert host.is_finished()
    host.rollback(1)
    assert not host.is_finished()
    expect_at(host, b"truefalse")
    host.rollback(3)
    expect_at(host, b"truefa")
    walk(host, [*spelled("lse"), TURN])
    host.rollback(len(tokens))
    expect_at(host, b"")
    assert not host.is_finished()


def validation_moves_nothing(make: Callable[[], Sequence]) -> None:
    """The longest allowed prefix is reported, up to and with the end, and the sequence stays."""
    host = make()
    walk(host, spelled("true"))
    good = [*spelled("false"), END]
    bad = spelled("x")[0]
    assert host.validate([]) == 0
    assert host.validate(good) == len(good)
    assert host.validate([*good, *good]) == len(good)
    for at in range(len(good)):
        assert host.validate([*good[:at], bad, *good[at:]]) == at
        assert host.validate([*good[:at], -1]) == at
    expect_at(host, b"true")
    walk(host, good)
    assert host.validate(good) == 0


def drafts_of_which_one_is_bad(make: Callable[[], Sequence]) -> None:
    """The rows of drafts are those of single steps, up to the draft that is not allowed, wherever that is."""
    good = [*spelled("rue"), *spelled("a,name", 9)]
    bad = spelled("x")[0]
    for at in range(len(good) + 1):
        host = make()
        walk(host, spelled("t"))
        drafts = list(good)
        if at < len(good):
            drafts[at] = bad
        rows = host.draft_rows(drafts)
        for row, count in zip(islice(rows, at + 1), range(at + 1), strict=True):
            assert tokens_of(row) == allowed_after(b"t" + text_of(good[:count])), (at, count)
        expect_at(host, b"t")


def reset_goes_to_the_start(make: Callable[[], Sequence]) -> None:
    """A sequence that was reset is as new, after the end as before it."""
    host = make()
    for tokens in (spelled("tr"), [*spelled("true"), END]):
        walk(host, tokens)
        host.reset()
        assert not host.is_finished()
        expect_at(host, b"")


def a_fresh_one_shares_nothing(make: Callable[[], Sequence]) -> None:
    """A fresh sequence of the same grammar is at the start, and neither moves the other."""
    host = make()
    walk(host, spelled("tr"))
    other = host.fresh()
    expect_at(other, b"")
    walk(other, [*spelled("false"), END])
    expect_at(host, b"tr")


def a_fork_goes_its_own_way(make: Callable[[], Sequence]) -> None:
    """A fork is at the same position, and neither moves the other."""
    host = make()
    walk(host, spelled("tr"))
    other = host.fork()
    walk(other, [*spelled("ue"), END])
    expect_at(host, b"tr")
    other.rollback(1)
    expect_at(other, b"true")


CHECKS: dict[str, Callable[[Callable[[], Sequence]], None]] = {
    check.__name__: check
    for check in (
        masks_are_those_of_the_texts,
        the_end_is_the_end_set,
        an_end_is_not_allowed_before,
        padding_is_zero,
        a_finished_sequence_still_has_a_row,
        refusal_changes_nothing,
        ids_that_are_none_are_refused,
        rollback_goes_through_the_end,
        validation_moves_nothing,
        drafts_of_which_one_is_bad,
        reset_goes_to_the_start,
        a_fresh_one_shares_nothing,
        a_fork_goes_its_own_way,
    )
}


def rows(count: int = 1) -> np.ndarray:
    """Rows of ones."""
    return np.full((count, -(-WIDTH // 32)), -1, dtype=np.int32)


@functools.cache
def vocabulary() -> grammarc.Vocabulary:
    """The vocabulary of the checks."""
    special = range(len(TOKENS) - 4, len(TOKENS))
    return grammarc.Vocabulary.from_tokens(TOKENS, special_ids=special, end_tokens=sorted(ENDS), logit_width=WIDTH)


class Tokenizer:
    """A tokenizer that hosts can be given: the tokens of the checks."""

    tokens = TOKENS
    special_token_ids = tuple(range(len(TOKENS) - 4, len(TOKENS)))
    eos_token_id = END


class EncodingTokenizer(Tokenizer):
    """One that encodes: a token for each byte."""

    failing = False

    def convert_tokens_to_ids(self, tokens: Any) -> Any:
        raise NotImplementedError

    def encode(self, text: str, add_special_tokens: bool = True) -> list[int]:
        assert not add_special_tokens
        if self.failing:
            raise RuntimeError("broken")
        return spelled(text)


class Python(Sequence):
    """The matcher itself."""

    def __init__(self, matcher: grammarc.Matcher | None = None) -> None:
        if matcher is None:
            grammar = grammarc.Compiler(vocabulary()).regex(PATTERN)
            matcher = grammar.matcher(end_tokens=sorted(ENDS), logit_width=WIDTH)
        self.matcher = matcher

    def row(self) -> np.ndarray:
        mask = rows()
        self.matcher.fill(mask)
        return mask[0]

    def accept(self, token: int) -> bool:
        return self.matcher.try_accept(token)

    def rollback(self, tokens: int) -> None:
        self.matcher.rollback(tokens)

    def is_finished(self) -> bool:
        return self.matcher.is_finished

    def validate(self, tokens: list[int]) -> int:
        return self.matcher.validate(tokens)

    def draft_rows(self, tokens: list[int]) -> list[np.ndarray]:
        mask = rows(len(tokens) + 1)
        valid = self.matcher.fill_drafts(tokens, mask)
        return list(mask[: valid + 1])

    def reset(self) -> None:
        self.matcher.reset()

    def fresh(self) -> Sequence:
        return Python(self.matcher.grammar.matcher(end_tokens=sorted(ENDS), logit_width=WIDTH))

    def fork(self) -> Sequence:
        return Python(self.matcher.fork())


HOSTS["python"] = Python
