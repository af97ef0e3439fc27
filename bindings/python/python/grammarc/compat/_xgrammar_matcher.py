"""Masks and matchers of the shim ``xgrammar``."""

from __future__ import annotations

import bisect
import functools
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

import grammarc
from grammarc.compat._xgrammar_base import real, real_names
from grammarc.compat._xgrammar_compiler import CompiledGrammar

_TAIL = 6
"""Most steps before a text with which it is encoded. More change the encoding of a text behind them next to never."""


def get_bitmask_shape(batch_size: int, vocab_size: int) -> tuple[int, int]:
    """Rows, and words of a row."""
    return (batch_size, -(-vocab_size // 32))


def allocate_token_bitmask(batch_size: int, vocab_size: int) -> Any:
    """Rows of torch with all tokens allowed."""
    torch: Any = import_module("torch")
    return torch.full(get_bitmask_shape(batch_size, vocab_size), -1, dtype=torch.int32)


def reset_token_bitmask(bitmask: Any) -> None:
    """Allows all tokens."""
    bitmask.fill_(-1)


def apply_token_bitmask_inplace(
    logits: Any,
    bitmask: Any,
    *,
    vocab_size: int | None = None,
    indices: Sequence[int] | None = None,
    backend: str = "auto",
) -> None:
    """Sets the logits of what is not allowed to negative infinity, in place: of all rows, or of those listed.

    On devices by XGrammar's own kernels, where it is installed.
    """
    if logits.device.type != "cpu":
        try:
            theirs = real_names()["apply_token_bitmask_inplace"]
        except ImportError:
            pass
        else:
            theirs(logits, bitmask, vocab_size=vocab_size, indices=indices, backend=backend)
            return
    torch: Any = import_module("torch")
    rows, masks = (logits, bitmask) if logits.dim() == 2 else (logits.unsqueeze(0), bitmask.view(1, -1))
    width = min(rows.shape[-1], masks.shape[-1] * 32, *(() if vocab_size is None else (vocab_size,)))
    shifts = torch.arange(32, dtype=torch.int32, device=masks.device)
    at = torch.arange(rows.shape[0]) if indices is None else torch.as_tensor(indices)
    for row in at.tolist():
        bits = (masks[row].unsqueeze(-1) >> shifts) & 1
        rows[row, :width].masked_fill_(bits.flatten()[:width] == 0, float("-inf"))


class GrammarMatcher:
    """One sequence. For a grammar that XGrammar compiled, XGrammar's own matcher."""

    def __new__(cls, compiled_grammar: Any, **options: Any) -> Any:
        if isinstance(compiled_grammar, CompiledGrammar):
            return super().__new__(cls)
        if type(compiled_grammar).__module__.partition(".")[0] == "xgrammar":
            return real("GrammarMatcher", "its grammars")(compiled_grammar, **options)
        raise ValueError("grammarc: a matcher needs a compiled grammar")

    def __init__(
        self,
        compiled_grammar: CompiledGrammar,
        *,
        override_stop_tokens: Sequence[int] | int | None = None,
        terminate_without_stop_token: bool = False,
        max_rollback_tokens: int = -1,
        default_temperature: float | None = None,
    ) -> None:
        if isinstance(override_stop_tokens, int):
            override_stop_tokens = [override_stop_tokens]
        info = compiled_grammar.tokenizer_info
        stops = info.stop_token_ids if override_stop_tokens is None else override_stop_tokens
        matcher = compiled_grammar.compiled.matcher(
            end_tokens=list(stops), logit_width=info.vocab_size, rollback_window=sys.maxsize
        )
        self._set(matcher, terminate_without_stop_token, default_temperature, [], info._drafter)

    def _set(
        self,
        matcher: grammarc.Matcher,
        ends_itself: bool,
        temperature: float | None,
        steps: list[list[int]],
        drafter: grammarc.Drafter | None,
    ) -> None:
        self._matcher = matcher
        self._drafter = drafter
        self._ends_itself = ends_itself
        self.temperature = temperature
        self.max_rollback_tokens = -1
        self._steps = steps
        """Tokens of each step: one, or those of a text."""

    @property
    def stop_token_ids(self) -> list[int]:
        """The tokens that end the sequence."""
        return self._matcher.end_tokens

    def accept_token(self, token_id: int, *, debug_print: bool = False) -> bool:
        """Accepts a token. False for whatever is not accepted."""
        # A matcher that ends by itself takes no stop tokens, as XGrammar's.
        if self._ends_itself and token_id in self._matcher.end_tokens:
            return False
        if not self._matcher.try_accept(token_id):
            return False
        self._steps.append([token_id])
        return True

    def accept_string(self, input_str: str | bytes, *, debug_print: bool = False) -> bool:
        """Accepts a text, as one step of rollback. False where it is not accepted, or no tokens spell it."""
        text = input_str.encode() if isinstance(input_str, str) else bytes(input_str)
        tokens = _spelled(_by_bytes(self._matcher.grammar.vocabulary), text)
        if tokens is None or self._matcher.validate(tokens) < len(tokens):
            return False
        self._matcher.accept_many(tokens)
        self._steps.append(tokens)
        return True

    def fill_next_token_bitmask(self, bitmask: Any, index: int = 0, *, debug_print: bool = False) -> bool:
        """Writes the mask of the next token to a row, and says whether it forbids anything."""
        if self._matcher.is_finished:
            raise RuntimeError("grammarc: the sequence has ended, and no token follows")
        forbids = self._matcher.fill(bitmask, index)
        return self._without_ends(bitmask, index) or forbids

    def _without_ends(self, bitmask: Any, index: int) -> bool:
        """Clears the stop tokens in a row, for a matcher that ends by itself. Returns whether there are stop tokens."""
        if not self._ends_itself:
            return False
        row = bitmask[index] if bitmask.ndim == 2 else bitmask
        for token in self._matcher.end_tokens:
            bit = token % 32
            row[token // 32] &= ~(1 << bit) if bit < 31 else 0x7FFFFFFF
        return bool(self._matcher.end_tokens)

    def find_jump_forward_string(self) -> str:
        """The text with which every continuation begins, as far as it is whole characters."""
        forced = self._matcher.forced_bytes()
        try:
            return forced.decode()
        except UnicodeDecodeError as error:
            return forced[: error.start].decode()

    def find_jump_forward_tokens(self) -> list[int]:
        """Tokens of the text with which every continuation begins, as the tokenizer would spell it behind the tokens before, 64 at
        most; the last is left out if a longer allowed token begins with it.

        Without a tokenizer, the longest text token at each place, and the last is left out if a longer one of any kind begins with it.
        """
        if self._matcher.is_finished or self._matcher.is_accepting:
            return []
        vocabulary = self._matcher.grammar.vocabulary
        if self._drafter is not None:
            last = [token for step in self._steps[-_TAIL:] for token in step]
            found = self._drafter.injection(self._matcher, last)
            is_text = [vocabulary.token_kind(token) == "text" for token in found]
            return found[: is_text.index(False)] if False in is_text else found
        forced, tokens = self._matcher.forced_bytes(), _by_bytes(vocabulary)
        found = tokens.longest_at_each_place(forced)
        return found[:-1] if found and tokens.is_prefix(vocabulary.token_bytes(found[-1])) else found

    def traverse_draft_tree(
        self,
        retrieve_next_token: Any,
        retrieve_next_sibling: Any,
        draft_tokens: Any,
        token_bitmask: Any,
        time_threshold: float = -1.0,
        temperatures: Any = None,
    ) -> bool:
        """Writes the mask after each draft of a tree. The root is accepted already. After a draft that is not allowed, and after the end,
        the mask is empty. Returns ``False`` when a positive ``time_threshold``, in seconds, has passed."""
        deadline = time.monotonic() + time_threshold if time_threshold > 0 else None
        children, siblings, drafts = retrieve_next_token.tolist(), retrieve_next_sibling.tolist(), draft_tokens.tolist()
        if temperatures is not None:
            temperatures.fill_(-1)
        waiting: list[tuple[int, grammarc.Matcher | None]] = [(0, self._matcher)] if drafts else []
        while waiting:
            if deadline is not None and time.monotonic() > deadline:
                return False
            node, matcher = waiting.pop()
            if matcher is None or matcher.is_finished:
                token_bitmask[node] = 0
                continue
            matcher.fill(token_bitmask, node)
            self._without_ends(token_bitmask, node)
            if temperatures is not None and self.temperature is not None:
                temperatures[node] = self.temperature
            child = children[node]
            while child >= 0:
                below = matcher.fork()
                is_end = self._ends_itself and drafts[child] in matcher.end_tokens
                waiting.append((child, below if not is_end and below.try_accept(drafts[child]) else None))
                child = siblings[child]
        return True

    def rollback(self, num_tokens: int = 1) -> None:
        """Takes back steps, the end too."""
        if num_tokens > len(self._steps):
            raise RuntimeError(f"grammarc: there are {len(self._steps)} steps to take back, and not {num_tokens}")
        if num_tokens > 0:
            self._matcher.rollback(sum(map(len, self._steps[-num_tokens:])))
            del self._steps[-num_tokens:]

    def is_terminated(self) -> bool:
        """Whether a stop token was accepted, or the text is complete where that is enough. It can be gone on with then."""
        return self._matcher.is_finished or (self._ends_itself and self._matcher.is_accepting)

    def is_completed(self) -> bool:
        """Whether the text is complete."""
        return self._matcher.is_finished or self._matcher.is_accepting

    def reset(self) -> None:
        """Goes back to the start."""
        self._matcher.reset()
        self._steps.clear()

    def fork(self) -> GrammarMatcher:
        """A second matcher at the same position."""
        other: GrammarMatcher = object.__new__(type(self))
        other._set(self._matcher.fork(), self._ends_itself, self.temperature, list(self._steps), self._drafter)
        return other


class BatchGrammarMatcher:
    """Many matchers in one call."""

    def __init__(self, max_threads: int | str = "auto") -> None:
        self._threads = 1 if max_threads == "auto" else int(max_threads)

    def batch_fill_next_token_bitmask(
        self, matchers: Sequence[Any], bitmask: Any, indices: Sequence[int] | None = None, debug_print: bool = False
    ) -> None:
        """Writes a row for each matcher: the first rows, or those listed."""
        rows = list(range(len(matchers)) if indices is None else indices)
        ours = [(one, row) for one, row in zip(matchers, rows, strict=True) if isinstance(one, GrammarMatcher)]
        if any(one._matcher.is_finished for one, _ in ours):
            raise RuntimeError("grammarc: a sequence has ended, and no token follows")
        grammarc.fill_batch([one._matcher for one, _ in ours], bitmask, [row for _, row in ours], threads=self._threads)
        for one, row in zip(matchers, rows, strict=True):
            if isinstance(one, GrammarMatcher):
                one._without_ends(bitmask, row)
            else:
                one.fill_next_token_bitmask(bitmask, row)

    @staticmethod
    def batch_fill_temperature(matchers: Sequence[Any], temperatures: Any, indices: Sequence[int] | None = None) -> None:
        """Writes the temperature of each matcher to the places of ``indices``, by default the first ones; -1 for none."""
        places = range(len(matchers)) if indices is None else indices
        for one, at in zip(matchers, places, strict=True):
            temperatures[at] = -1 if one.temperature is None else one.temperature

    @staticmethod
    def batch_accept_token(matchers: Sequence[Any], tokens: Sequence[int], debug_print: bool = False) -> list[bool]:
        """Accepts a token for each."""
        return [one.accept_token(token) for one, token in zip(matchers, tokens, strict=True)]

    @staticmethod
    def batch_accept_string(
        matchers: Sequence[Any], strings: Sequence[str | bytes], debug_print: bool = False
    ) -> list[bool]:
        """Accepts a text for each."""
        return [one.accept_string(text) for one, text in zip(matchers, strings, strict=True)]

    @staticmethod
    def batch_rollback(matchers: Sequence[Any], num_tokens: Sequence[int] | int = 1) -> None:
        """Takes back steps of each."""
        counts = [num_tokens] * len(matchers) if isinstance(num_tokens, int) else num_tokens
        for one, count in zip(matchers, counts, strict=True):
            one.rollback(count)


class _TextTokens:
    """Text tokens of a vocabulary by their bytes."""

    def __init__(self, vocabulary: grammarc.Vocabulary) -> None:
        text = (id for id in range(len(vocabulary)) if vocabulary.token_kind(id) == "text")
        self.ids = {vocabulary.token_bytes(id): id for id in text}
        self.longest = max(map(len, self.ids), default=0)
        self._sorted = sorted(self.ids)

    def longest_at_each_place(self, text: bytes) -> list[int]:
        """The longest token at each place of a text, up to a place where no token begins."""
        found, at = list[int](), 0
        while at < len(text):
            ends = range(min(len(text), at + self.longest), at, -1)
            end = next((end for end in ends if text[at:end] in self.ids), None)
            if end is None:
                break
            found.append(self.ids[text[at:end]])
            at = end
        return found

    def is_prefix(self, token: bytes) -> bool:
        """Whether a longer token begins with this one. It is then the next in the order of bytes."""
        after = bisect.bisect_right(self._sorted, token)
        return after < len(self._sorted) and self._sorted[after].startswith(token)


@functools.lru_cache(maxsize=8)
def _by_bytes(vocabulary: grammarc.Vocabulary) -> _TextTokens:
    return _TextTokens(vocabulary)


def _spelled(tokens: _TextTokens, text: bytes) -> list[int] | None:
    """Tokens that spell a text, or None where none do. Quadratic in the longest token at worst."""
    # The last token of a spelling of each prefix that has one.
    last: dict[int, int] = {0: 0}
    for end in range(1, len(text) + 1):
        for start in range(max(0, end - tokens.longest), end):
            if start in last and text[start:end] in tokens.ids:
                last[end] = start
                break
    spelling: list[int] = []
    end = len(text)
    while end:
        if end not in last:
            return None
        start = last[end]
        spelling.append(tokens.ids[text[start:end]])
        end = start
    return spelling[::-1]
