"""Positions of sequences, found by their tokens.

Some hosts hand over all tokens of a sequence at every step and say nothing else: beams change places, drafts are taken back,
one processor serves several generations. So a position is a value here, found by the run of tokens that leads to it, and is
never moved: going on from it forks it, which costs a fraction of a microsecond. Positions of the last steps are kept, and one
that is not is made again from the start.

Runs are bytes, eight for each token: they are hashed and compared in no time, and a host's array becomes one in a copy.
A step costs the hash of one run, and a fork and an accept for each row.
"""

from __future__ import annotations

import copy
import struct
from collections.abc import Iterable, Iterator

from grammarc._errors import GrammarcError, TokenRefused
from grammarc._native import Grammar, Matcher, Vocabulary

TOKEN = 8
"""Bytes of a token in a run."""

KEPT = 64
"""Positions that are kept of one sequence: how far drafts may go back."""

SEQUENCES = 1024
"""Sequences that may take turns; of more, those that were not called for longest begin anew."""


def run_of(tokens: Iterable[int]) -> bytes:
    """The run of some tokens. Ids may be negative, as padding is in some hosts."""
    listed = list(tokens)
    return struct.pack(f"={len(listed)}q", *listed)


def tokens_of(run: bytes) -> tuple[int, ...]:
    """The tokens of a run."""
    return struct.unpack(f"={len(run) // TOKEN}q", run)


def expect_width(vocabulary: Vocabulary, width: int) -> None:
    """Raises ``ValueError`` where a model's rows of logits are not as long as its grammar's vocabulary says: the grammar belongs to
    another model."""
    if width != vocabulary.logit_width:
        raise ValueError(
            f"the model's rows have {width} logits, and the logit width of the grammar's vocabulary {vocabulary.name} is "
            f"{vocabulary.logit_width}: is it another model's? Where rows are padded, make the vocabulary with "
            f"logit_width={width}, as the vocabulary() of each module of grammarc.hosts does"
        )


class Positions:
    """Positions under one grammar, by the tokens that were generated.

    Tokens behind an end token are ignored, since hosts pad finished sequences. A run with a token that the grammar refuses has
    no position: ``at`` returns ``None`` for it and for all that begin with it.
    """

    def __init__(
        self, grammar: Grammar, end_tokens: Iterable[int] | None = None, logit_width: int | None = None
    ) -> None:
        ends = None if end_tokens is None else list(end_tokens)
        # No tokens are taken back: positions that came before are in the table.
        self._start = grammar.matcher(end_tokens=ends, logit_width=logit_width, rollback_window=0)
        self._table: dict[bytes, Matcher | None] = {b"": self._start}
        self.capacity = KEPT

    def again(self) -> Positions:
        """The start of another sequence under the same grammar."""
        other = copy.copy(self)
        other._table = {b"": self._start}
        return other

    @property
    def start(self) -> Matcher:
        """The position before any token."""
        return self._start

    def knows(self, run: bytes) -> bool:
        """Whether the position of a run is kept."""
        return run in self._table

    def at(self, run: bytes) -> Matcher | None:
        """The position after a run, not to be moved; ``None`` where the grammar refuses one of its tokens."""
        table = self._table
        if run in table:
            return table[run]
        known = run[:-TOKEN]
        if known not in table:
            known = self._nearest(run)
        position = table[known]
        if position is not None and not position.is_finished:
            position = position.fork()
            for token in tokens_of(run[len(known) :]):
                if not position.try_accept(token):
                    position = None
                    break
                if position.is_finished:
                    break
        self._keep(run, position)
        return position

    def _nearest(self, run: bytes) -> bytes:
        """The longest part of a run, from its start, whose position is kept."""
        lengths = {len(kept) for kept in self._table}
        for length in sorted(lengths, reverse=True):
            if length < len(run) and run[:length] in self._table:
                return run[:length]
        return b""

    def _keep(self, run: bytes, position: Matcher | None) -> None:
        table = self._table
        while len(table) > self.capacity:
            # The oldest behind the start, which stays.
            oldest = iter(table)
            next(oldest)
            del table[next(oldest)]
        table[run] = position


class Follower:
    """Sequences of a host that hands over their tokens, with the prompt in front, at every step: one after the other, or in
    turns.

    What is there at a sequence's first call is its prompt. A call goes on with a sequence if it has at most one token more than
    a call before; anything else is the first call of another one. Sequences with the same tokens are at the same position, so
    they need not be distinguished; a prompt that is another with one token more has to be announced by :meth:`reset`, or have a
    follower of its own.
    """

    def __init__(
        self, grammar: Grammar, end_tokens: Iterable[int] | None = None, logit_width: int | None = None
    ) -> None:
        if logit_width is not None:
            expect_width(grammar.vocabulary, logit_width)
        self._fresh = Positions(grammar, end_tokens, logit_width)
        # By prompt, in the order of their last calls.
        self._sequences: dict[bytes, Positions] = {}

    @property
    def end_tokens(self) -> list[int]:
        """The tokens that end a sequence."""
        return list(self._fresh.start.end_tokens)

    def reset(self) -> None:
        """Takes the next call for the first of a sequence."""
        self._sequences.clear()

    def at(self, tokens: bytes) -> Matcher:
        """The position of the sequence whose run, prompt and all, this is. :class:`TokenRefused` where a token in it was not
        allowed: something behind the mask chose it."""
        prompt = self._prompt_of(tokens)
        if prompt is None:
            while len(self._sequences) >= SEQUENCES:
                del self._sequences[next(iter(self._sequences))]
            self._sequences[tokens] = self._fresh.again()
            return self._fresh.start
        positions = self._sequences[prompt] = self._sequences.pop(prompt)
        run = tokens[len(prompt) :]
        position = positions.at(run)
        if position is None:
            raise refused(run, positions)
        return position

    def _prompt_of(self, tokens: bytes) -> bytes | None:
        """The prompt of the sequence that this goes on with."""
        for prompt in self._likely():
            if tokens.startswith(prompt):
                run = tokens[len(prompt) :]
                positions = self._sequences[prompt]
                if positions.knows(run) or positions.knows(run[:-TOKEN]):
                    return prompt
        return None

    def _likely(self) -> Iterator[bytes]:
        """The prompts: that of the last call first, since most hosts have one sequence, and then by age, since the others take
        turns."""
        if self._sequences:
            last = next(reversed(self._sequences))
            yield last
            for prompt in self._sequences:
                if prompt is not last:
                    yield prompt


def nothing_left(row: int) -> GrammarcError:
    """The error for a row of masked logits of which none is finite."""
    return GrammarcError(
        f"no token is left in row {row}: all that the grammar allows there was forbidden before its mask. min_new_tokens, min_length or "
        "min_tokens may be more than the grammar has; suppress_tokens, bad_words_ids, no_repeat_ngram_size or logit_bias may forbid "
        "what it needs"
    )


def refused(run: bytes, positions: Positions) -> TokenRefused:
    """The error for a run that has no position."""
    tokens = tokens_of(run)
    count = positions.start.fork().accept_many(tokens)
    token = tokens[count] if count < len(tokens) else -1
    return TokenRefused(
        f"token {token} was chosen as number {count} of the generation, and its mask forbade it: something between the mask "
        "and the choice overrides masks, or the mask was not used",
        token,
    )
