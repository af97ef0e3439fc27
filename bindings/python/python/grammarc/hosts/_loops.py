"""Loops of transformers' ``generate`` that call a logits processor.

``generate`` shows a processor neither its last choice, nor whether rows are beams or drafts. The loop knows both: it asks its stopping
criteria after each choice, and beam search has a score for each candidate. So a processor finds the loop among the frames of its
callers and adds a :class:`Watch` to its criteria.

The loops are known by the names that transformers 5 has for them. Other loops are not found: a processor in them sees a choice at its
next call, and the last choice not at all.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, NamedTuple

import torch  # type: ignore[import-not-found,unused-ignore]
import transformers  # type: ignore[import-not-found,unused-ignore]

BEAMS = "_beam_search"
"""The loop of beam search."""

ASSISTED = "_assisted_decoding"
"""The loop that tries drafts."""

_SAMPLE = "_sample"
"""The loop of greedy search and sampling."""

_LOOPS = frozenset({_SAMPLE, BEAMS, ASSISTED})


class Loop(NamedTuple):
    """A loop that chooses tokens of a generation."""

    name: str
    variables: dict[str, Any]
    """Its local variables, as they are now."""
    is_assisted: bool
    """Whether an assistant's loop inside of it is running."""

    @property
    def tokens(self) -> torch.Tensor:
        """The tokens of all rows so far. In beam search they are the prompts only."""
        tokens: torch.Tensor = self.variables["input_ids"]
        return tokens

    @property
    def beams(self) -> int:
        """Number of rows for one prompt: the beams in beam search, else 1."""
        return self.variables.get("num_beams") or 1 if self.name == BEAMS else 1

    def watch(self, owner: object) -> Watch | None:
        """The watch of a processor in the loop's criteria, if it was added."""
        found = (one for one in self.variables["stopping_criteria"] if isinstance(one, Watch) and one.owner is owner)
        return next(found, None)

    def add(self, watch: Watch) -> None:
        """Adds a watch to the criteria of this generation. Their list belongs to this generation alone."""
        self.variables["stopping_criteria"].append(watch)

    def open_rows(self, count: int) -> list[int]:
        """The rows of ``count`` whose last tokens are choices, while the criteria are asked.

        Rows that ended before are not among them, since they are padded. Nor are candidates of beam search with a score of
        negative infinity, which fill up beams and are never returned.
        """
        rows = None
        if self.name == BEAMS:
            scores = self.variables.get("topk_log_probs")
            rows = None if scores is None else scores.flatten() != -torch.inf
        elif self.name == _SAMPLE:
            rows = self.variables.get("unfinished_sequences")
        if rows is None or rows.numel() != count:
            return list(range(count))
        return [row for row, is_open in enumerate(rows.tolist()) if is_open]


class Watch(transformers.StoppingCriteria):  # type: ignore[misc,unused-ignore]
    """Shows a processor each choice of one generation: a criterion that never stops.

    ``check`` gets the tokens of all rows and the rows whose last tokens are choices, and raises where one is wrong.
    """

    def __init__(self, owner: object, check: Callable[[torch.Tensor, list[int]], None]) -> None:
        self.owner = owner
        self._check = check

    def __call__(self, input_ids: torch.Tensor, scores: Any, **_: Any) -> torch.Tensor:
        rows = input_ids.shape[0]
        loop = current()
        self._check(input_ids, list(range(rows)) if loop is None else loop.open_rows(rows))
        return torch.zeros(rows, dtype=torch.bool, device=input_ids.device)


def current() -> Loop | None:
    """The loop that is running in this thread, if there is one. If an assistant's loop runs, the model's loop around it."""
    frame: FrameType | None = sys._getframe(1)
    is_assisted = False
    while frame is not None:
        if frame.f_code.co_name in _LOOPS:
            variables = frame.f_locals
            criteria = variables.get("stopping_criteria")
            if isinstance(criteria, transformers.StoppingCriteriaList) and torch.is_tensor(variables.get("input_ids")):
                if not getattr(variables.get("generation_config"), "is_assistant", False):
                    return Loop(frame.f_code.co_name, variables, is_assisted)
                is_assisted = True
        frame = frame.f_back
    return None
