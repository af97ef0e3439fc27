"""Ends of sequences in logits processors: ``prob_limit``, ``early_stop`` and ``overshoot``.

A processor sees the logits and the tokens, and cannot take tokens back. So a sequence is ended by leaving its end tokens alone, and a cut
is a place in its text, which :attr:`Row.output` applies. Decisions are those of Rust's decoder (``generate/src/decoder``), in its order:
tests compare both.

Cost of a token: its bytes; with ``overshoot``, a byte step of the grammar for each.
"""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from grammarc._errors import VocabularyMismatch
from grammarc._native import Grammar, Reading
from grammarc._params import EarlyStop, ProbLimit, prob_limit_of

Finish: TypeAlias = Literal["stop", "unlikely", "length"]


@dataclass(frozen=True)
class Ended:
    """What was generated in one row."""

    text: str
    """The text, without what was cut."""
    finish: Finish
    """``stop``: the model or the grammar ended it. ``unlikely``: ``prob_limit`` did. ``length``: the host did, and the text may be no text of
    the grammar."""
    masses: tuple[float, ...]
    """For each token, an end token that the model chose included: the probability that the model gave to all allowed tokens together. 1 for
    tokens that close the text."""


@dataclass(frozen=True)
class Ends:
    """Where rows end."""

    prob_limit: ProbLimit | None
    early_stop: EarlyStop
    overshoots: bool

    @classmethod
    def of(
        cls, prob_limit: ProbLimit | float | None, early_stop: EarlyStop, overshoots: bool, masses: bool
    ) -> Ends | None:
        """The options of a processor; ``None`` where they are the defaults. Raises ``ValueError`` for those that are wrong."""
        if early_stop not in get_args(EarlyStop):
            raise ValueError(f"early_stop: {early_stop!r} is none of {', '.join(get_args(EarlyStop))}")
        if early_stop == "longest" and not overshoots:
            raise ValueError(
                "early_stop='longest' lets tokens go past the end of the grammar's text: write overshoot=compiler.text_behind((kind, "
                "source)), the grammar with any text behind it"
            )
        limit = prob_limit_of(prob_limit)
        is_default = limit is None and early_stop == "must_end" and not overshoots and not masses
        return None if is_default else cls(limit, early_stop, overshoots)


class Row:
    """One sequence: its position, and where it ends. Tokens are read once, in their order."""

    def __init__(
        self, grammar: Grammar, behind: Grammar | None, ends: Ends, end_tokens: Iterable[int] | None, width: int
    ) -> None:
        if behind is not None and behind.vocabulary != grammar.vocabulary:
            raise VocabularyMismatch("overshoot: the grammar with text behind it is of another vocabulary; compile both with one Compiler")
        listed = None if end_tokens is None else list(end_tokens)
        # No tokens are taken back.
        self.matcher = (behind or grammar).matcher(end_tokens=listed, logit_width=width, rollback_window=0)
        if not self.matcher.end_tokens:
            raise ValueError("a processor ends a sequence by an end token, and there is none: give end_tokens")
        self.tokens: list[int] = []
        self._ends = ends
        self._vocabulary = grammar.vocabulary
        self._reading = Reading(grammar) if behind is not None else None
        self._has_left = False
        self._log = bytearray()
        # The first and the last place so far where the text may end, in bytes; the first is behind at least one.
        self._first: int | None = None
        self._last: int | None = None
        if (self.matcher if self._reading is None else self._reading).is_accepting:
            self._last = 0
        self._masses: list[float] = []
        self._unlikely = 0
        self._route: list[int] = []
        self._finish: Finish | None = None
        self._cut = 0
        self._has_ended = False
        self._look_for_end()

    @property
    def only(self) -> tuple[int, ...] | None:
        """The tokens that alone may come next; ``None`` where the matcher's mask decides."""
        if self._finish is not None:
            return tuple(self.matcher.end_tokens)
        return (self._route[0],) if self._route else None

    @property
    def is_over(self) -> bool:
        """Whether an end token has come."""
        return self._has_ended

    @property
    def output(self) -> Ended:
        """What was generated so far, cut where the text ends."""
        finish, cut = self._finish, self._cut
        if finish is None:
            finish, cut = "length", self._place()
        masses = [*self._masses, *[1.0] * (len(self.tokens) - len(self._masses))]
        # A character that is not whole yet is left out, as Rust does.
        text = getincrementaldecoder("utf-8")("replace").decode(bytes(self._log[:cut]))
        return Ended(text, finish, tuple(masses))

    def read(self, token: int) -> bool:
        """Reads the next token, and returns whether it was allowed. Tokens behind an end token are padding, and allowed."""
        if self._has_ended:
            return True
        is_end = token in self.matcher.end_tokens
        if self._finish is not None:
            self._has_ended = is_end
            return is_end
        if self._route and token != self._route[0]:
            return False
        if not self.matcher.try_accept(token):
            return False
        if self.matcher.is_finished:
            self._has_ended = True
            self._end("stop", self._place())
            return True
        self._push(token)
        if self._route:
            del self._route[0]
            if not self._route:
                self._end("unlikely", self._place())
        else:
            self._look_for_end()
        return True

    def weigh(self, mass: float) -> None:
        """Takes the probability of all allowed tokens at this place. Ends the text where it is below the limit for long enough."""
        if len(self._masses) > len(self.tokens):
            return
        self._masses += [1.0] * (len(self.tokens) - len(self._masses)) + [mass]
        limit = self._ends.prob_limit
        # A token that alone is allowed says nothing about the model: Rust's decoder does not ask for it.
        is_plain = mass >= (limit.below if limit else 0) and not self._unlikely
        if limit is None or (not is_plain and self.matcher.forced_tokens()):
            return
        self._unlikely = self._unlikely + 1 if mass < limit.below else 0
        if self._unlikely < limit.patience:
            return
        if self._last is not None:
            self._end("unlikely", self._last)
            return
        self._route = self.matcher.ending()

    def rest(self, text: bytes) -> Ended:
        """The output where the host's text has gone on behind the tokens that were read."""
        if self._finish is None and text.startswith(bytes(self._log)):
            self._read_bytes(text[len(self._log) :])
        return self.output

    def _push(self, token: int) -> None:
        self.tokens.append(token)
        if self._vocabulary.token_kind(token) == "text":
            self._read_bytes(self._vocabulary.token_bytes(token))
        elif self._reading is not None and not self._has_left:
            self._has_left = not self._reading.read_token(token)
        if self._reading is None and self.matcher.is_accepting:
            self._accepts(len(self._log))

    def _read_bytes(self, added: bytes) -> None:
        begin = len(self._log)
        self._log += added
        if self._reading is None or self._has_left:
            return
        count, ends = self._reading.read(added)
        self._has_left = count < len(added)
        for end in ends:
            self._accepts(begin + end)

    def _accepts(self, place: int) -> None:
        self._last = place
        if self._first is None and place > 0:
            self._first = place

    def _look_for_end(self) -> None:
        if self._must_end():
            self._end("stop", self._place())
        elif self._ends.early_stop == "first" and self._first is not None:
            self._end("stop", self._first)
        elif self._has_left:
            self._end("stop", self._place())

    def _must_end(self) -> bool:
        """Whether nothing but an end may follow."""
        if self._reading is not None:
            return not self._has_left and self._reading.is_accepting and not self._reading.may_go_on
        return self.matcher.must_end

    def _place(self) -> int:
        """The end of the text where it ends here."""
        if self._reading is not None and self._last is not None:
            return self._last
        return len(self._log)

    def _end(self, finish: Finish, cut: int) -> None:
        self._finish, self._cut = finish, cut
