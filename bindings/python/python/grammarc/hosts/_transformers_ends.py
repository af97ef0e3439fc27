"""Rows of transformers' ``generate`` that end by ``prob_limit``, ``early_stop`` or ``overshoot`` (:mod:`._ends`).

A row is one sequence that goes on token by token, so beams and drafts are refused: their rows change places and go back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch  # type: ignore[import-not-found,unused-ignore]

from grammarc._errors import GrammarcError, TokenRefused
from grammarc._native import Grammar
from grammarc.hosts import _loops, _torch
from grammarc.hosts._ends import Ended, Ends, Row

Grammars = Sequence[Grammar | None]


class Ending:
    """The masks of a processor whose rows end by these options."""

    def __init__(
        self, grammars: Grammars, behind: Grammars, ends: Ends, end_tokens: list[int] | None, pad: int | None
    ) -> None:
        if len(behind) not in (1, len(grammars)):
            raise ValueError(f"overshoot: {len(behind)} grammars with text behind them do not go with {len(grammars)} grammars")
        self._grammars = [(one, behind[at % len(behind)]) for at, one in enumerate(grammars)]
        self._ends, self._end_tokens, self._pad = ends, end_tokens, pad
        self._rows: _Rows | None = None

    def reset(self) -> None:
        """Takes the next call of a loop of one's own for the first of a generation."""
        self._rows = None

    def outputs(self, sequences: torch.Tensor | None) -> list[Ended | None]:
        """What was generated in each row of the last generation; ``None`` in rows without a grammar. ``sequences`` may go on behind the
        tokens of the last call."""
        if self._rows is None:
            raise GrammarcError("nothing was generated yet: call generate with the processor first")
        if sequences is not None:
            self._rows.read(sequences)
        return [None if row is None else row.output for row in self._rows.rows]

    def apply(self, input_ids: torch.Tensor, scores: torch.Tensor, owner: object) -> torch.Tensor:
        """The masked scores."""
        held = self._found(input_ids, scores.shape[1], owner)
        held.read(input_ids)
        rows = [(at, row) for at, row in enumerate(held.rows) if row is not None]
        masked = scores.clone(memory_format=torch.contiguous_format)
        by_mask = [at for at, row in rows if row.only is None]
        _torch.apply(masked, [row.matcher for _, row in rows if row.only is None], by_mask)
        weighed = dict(rows)
        for at, mass in zip(by_mask, _torch.masses(scores, masked, by_mask), strict=True):
            weighed[at].weigh(mass)
        for at, row in rows:
            if row.only is not None:
                masked[at] = -torch.inf
                only = list(row.only)
                masked[at, only] = scores[at, only]
            if row.is_over and self._pad is not None:
                masked[at, self._pad] = scores[at, self._pad]
        _torch.expect_choice(masked, [at for at, row in rows if not row.is_over])
        return masked

    def _found(self, input_ids: torch.Tensor, width: int, owner: object) -> _Rows:
        """The rows of the generation to which a call belongs."""
        loop = _loops.current()
        if loop is None:
            if self._rows is None or not self._rows.goes_on(input_ids):
                self._rows = self._made(input_ids, width)
            return self._rows
        if loop.name in (_loops.BEAMS, _loops.ASSISTED) or loop.is_assisted:
            raise ValueError(
                "prob_limit, early_stop, overshoot and masses follow rows that go on token by token, and rows of beams and assisted "
                "generation go back: write num_beams=1 and no assistant_model or prompt_lookup_num_tokens, or leave the options away"
            )
        watch = loop.watch(owner)
        if not isinstance(watch, _Watch):
            self._rows = self._made(loop.tokens, width)
            watch = _Watch(owner, self._rows)
            loop.add(watch)
        return watch.held

    def _made(self, prompts: torch.Tensor, width: int) -> _Rows:
        count = prompts.shape[0]
        if count % len(self._grammars):
            raise ValueError(f"{len(self._grammars)} grammars cannot be shared among {count} rows")
        of = [self._grammars[row * len(self._grammars) // count] for row in range(count)]
        rows = [None if one is None else Row(one, behind, self._ends, self._end_tokens, width) for one, behind in of]
        return _Rows(prompts, rows)


class _Rows:
    """The rows of one generation."""

    def __init__(self, prompts: torch.Tensor, rows: list[Row | None]) -> None:
        self._prompts, self.rows = prompts.clone(), rows
        self._read = prompts.shape[1]
        self._last = self._prompts

    def goes_on(self, input_ids: torch.Tensor) -> bool:
        """Whether rows are those that were read, with at most one token more."""
        rows, length = self._last.shape
        if input_ids.shape[0] != rows or not length <= input_ids.shape[1] <= length + 1 or input_ids.device != self._last.device:
            return False
        is_equal: bool = torch.equal(input_ids[:, :length], self._last)
        return is_equal

    def read(self, input_ids: torch.Tensor, open_rows: Sequence[int] | None = None) -> None:
        """Reads the tokens that were not read yet. Raises :class:`grammarc.TokenRefused` for one that was not allowed."""
        new = input_ids[:, self._read :].to("cpu").tolist()
        number = self._read - self._prompts.shape[1]
        self._read, self._last = max(self._read, input_ids.shape[1]), input_ids
        for at, row in enumerate(self.rows):
            if row is None or (open_rows is not None and at not in open_rows):
                continue
            for token in new[at]:
                if not row.read(token):
                    raise TokenRefused(
                        f"token {token} was chosen as number {number} of the generation, and its mask forbade it: something between "
                        "the mask and the choice overrides masks, or the mask was not used",
                        token,
                    )


class _Watch(_loops.Watch):
    """Observes each token that is sampled in one generation, the last one included."""

    def __init__(self, owner: object, held: _Rows) -> None:
        check: Callable[[torch.Tensor, list[int]], None] = held.read
        super().__init__(owner, check)
        self.held = held
