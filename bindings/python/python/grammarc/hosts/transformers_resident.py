"""transformers: grammars as logits processors of ``generate``, with masks and positions on the device.

    model = transformers.AutoModelForCausalLM.from_pretrained(MODEL).to("cuda")
    held = ResidentLogitsProcessor(grammar, model)
    model.generate(**inputs, logits_processor=[held])

Each row has a slot of :class:`grammarc.cuda.Slots`. A call takes the last token of each row in its slot and masks the scores, both on
the device: no token and no mask is copied, the host reads four bytes of status a row. Where the device leaves a token to the host, the
host takes all of that row that it has not seen in a matcher of its own and writes the slot, so the results are those of
:class:`grammarc.hosts.transformers.GrammarLogitsProcessor`.

Slots go on with their rows: greedy search and sampling do, and beams and drafts do not. Those of ``generate`` are known by its loop
(:mod:`._loops`), those of other loops by comparing tokens, and both raise an error.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from grammarc import cuda
from grammarc._errors import TokenRefused
from grammarc._native import Grammar, Matcher
from grammarc.hosts import _devices, _loops, _torch
from grammarc.hosts._config import ids
from grammarc.hosts._transformers import GrammarProcessor, refuse_batches

refuse_batches()

_INSTEAD = "use grammarc.hosts.transformers.GrammarLogitsProcessor"


class ResidentLogitsProcessor(GrammarProcessor):
    """Holds the rows of a generation to a grammar on their device: all to one, or each prompt of the batch to its own, where ``None``
    leaves a prompt free.

    For greedy search and sampling. With beams, ``assistant_model`` or ``prompt_lookup_num_tokens`` it raises ``ValueError``, which
    names what takes them. A token that its mask forbade raises :class:`grammarc.TokenRefused` as soon as ``generate`` has chosen it.

    ``model`` has the tokens that end a sequence where ``end_tokens`` is not given; without either they are the vocabulary's.
    ``tokenizer``, where it is given, has to be the one that the grammar's vocabulary was made of. ``device`` is opened where the scores
    are unless it is given; :class:`grammarc.DeviceError` where that is not possible. ``in_place`` writes to the scores that it is given,
    which spares a copy: not with ``output_logits``, for ``generate`` hands those out.

    A finished row's mask has the end tokens alone; ``generate`` pads it whatever the mask says. One processor may serve several
    generations after each other, and not two at a time.
    """

    def __init__(
        self,
        grammar: Grammar | Sequence[Grammar | None],
        model: object = None,
        *,
        tokenizer: object = None,
        end_tokens: Iterable[int] | None = None,
        device: cuda.Device | None = None,
        in_place: bool = False,
    ) -> None:
        super().__init__(grammar, model, tokenizer)
        if end_tokens is None:
            end_tokens = ids(getattr(getattr(model, "generation_config", None), "eos_token_id", None))
        self._ends = None if end_tokens is None else sorted(set(end_tokens))
        self._device = device
        self._in_place = in_place
        self._slots: cuda.Slots | None = None
        # By the width of the logits: the grammars on the device.
        self._resident: dict[int, list[cuda.Grammar | None]] = {}
        self._generation: _Generation | None = None

    def reset(self) -> None:
        """Takes the next call for the first of a generation."""
        self._generation = None

    def __call__(self, input_ids: torch.LongTensor, scores: torch.Tensor) -> torch.Tensor:
        if input_ids.shape[0] != scores.shape[0]:
            raise ValueError(
                f"there are {input_ids.shape[0]} rows of tokens for {scores.shape[0]} rows of scores"
            )
        self._expect_width(scores.shape[1])
        generation = self._generation
        loop = _loops.current()
        is_begun = loop is None or self._is_watched(loop)
        if generation is None or not is_begun or not generation.goes_on(input_ids, scores.shape[1]):
            generation = self._begin(input_ids, scores)
        if not self._in_place:
            scores = scores.clone(memory_format=torch.contiguous_format)
        generation.slots.apply(scores, generation.places)
        _torch.expect_choice(scores, generation.held())
        return scores

    def _is_watched(self, loop: _loops.Loop) -> bool:
        """Whether a loop of ``generate`` has called before. The first call adds a watch that checks the loop's choices."""
        if loop.name in (_loops.BEAMS, _loops.ASSISTED):
            raise ValueError(f"beams change their places, and drafts go ahead: for these {_INSTEAD}")
        if loop.watch(self) is not None:
            return True
        loop.add(_loops.Watch(self, self._check_choices))
        return False

    def _check_choices(self, input_ids: torch.Tensor, rows: list[int]) -> None:
        if self._generation is not None:
            self._generation.goes_on(input_ids, self._generation.width, rows)

    def _begin(self, input_ids: torch.Tensor, scores: torch.Tensor) -> _Generation:
        self._generation = None
        rows, width = scores.shape
        if rows % len(self._grammars):
            raise ValueError(f"{len(self._grammars)} grammars cannot be shared among {rows} rows")
        if self._device is None:
            index = scores.device.index if scores.is_cuda else None
            self._device = cuda.Device(_devices.current() if scores.is_cuda and index is None else index or 0)
        if self._slots is None or len(self._slots) < rows:
            self._slots = self._device.slots(rows)
        options: dict[str, Any] = {"end_tokens": self._ends, "logit_width": width, "rollback_window": 0}
        starts = [None if one is None else one.matcher(**options) for one in self._grammars]
        if width not in self._resident:
            uploaded = [None if one is None else self._device.upload(one) for one in starts]
            self._resident[width] = uploaded
        held = list(zip(starts, self._resident[width], strict=True))
        # Samples of one prompt stand next to each other.
        of_rows = [held[row * len(held) // rows] for row in range(rows)]
        self._generation = _Generation(self._slots, of_rows, input_ids, width)
        return self._generation


class _Generation:
    """One generation: its tokens so far, and the slots of its rows."""

    def __init__(
        self,
        slots: cuda.Slots,
        rows: Sequence[tuple[Matcher | None, cuda.Grammar | None]],
        prompt: torch.Tensor,
        width: int,
    ) -> None:
        self.slots = slots
        self.width = width
        self._tokens = prompt
        self._length = prompt.shape[1]
        self._resident = [resident for _, resident in rows]
        # Where the host is in each row: a start, which rows share, or a matcher of the row and how many tokens it has taken.
        self._matchers = [matcher for matcher, _ in rows]
        self._taken = [0] * len(rows)
        self._finished = [False] * len(rows)
        numbers = []
        for row, (matcher, resident) in enumerate(rows):
            if matcher is not None and resident is not None:
                slots.write(row, resident, matcher)
            numbers.append(-1 if matcher is None else row)
        self.places = torch.tensor(numbers, dtype=torch.int32, device=prompt.device)

    def held(self) -> list[int]:
        """The rows that have a grammar and are not finished."""
        return [row for row, matcher in enumerate(self._matchers) if matcher is not None and not self._finished[row]]

    def goes_on(self, input_ids: torch.Tensor, width: int, open_rows: Collection[int] | None = None) -> bool:
        """Advances by the token that a call has more than the one before, and checks it in ``open_rows``, by default in all rows. Returns
        ``False`` if the call begins another generation, and raises ``ValueError`` if beams or drafts changed the rows."""
        before = self._tokens
        (rows, length), more = before.shape, input_ids.shape[1] - before.shape[1]
        if width != self.width or input_ids.shape[0] != rows or input_ids.device != before.device:
            return False
        if more not in (0, 1) or not torch.equal(input_ids[:, :length], before):
            if more > -(length - self._length) and torch.equal(input_ids[:, : self._length], before[:, : self._length]):
                raise ValueError(
                    f"the rows do not go on with their tokens: beams change their places, and drafts go ahead. For these "
                    f"{_INSTEAD}; reset() goes before another generation whose prompt begins like this one's"
                )
            return False
        if more == 0:
            return True
        self._tokens = input_ids
        self.slots.advance(input_ids[:, -1].to(torch.int32).contiguous(), self.places)
        statuses = self.slots.statuses()
        for row in range(rows):
            waits, is_refused, is_finished = statuses[row]
            if self._finished[row] or self._matchers[row] is None:
                continue
            if open_rows is not None and row not in open_rows:
                # The host ended it, and pads it.
                self._finished[row] = True
                continue
            self._finished[row] = is_finished
            if waits:
                self._take_over(row)
            elif is_refused:
                raise self._refused(row)
        return True

    def _take_over(self, row: int) -> None:
        """Takes a row's tokens on the host, and writes its slot."""
        start, resident = self._matchers[row], self._resident[row]
        assert start is not None and resident is not None
        matcher = start if self._taken[row] else start.fork()
        tokens = self._tokens[row, self._length :].tolist()
        if matcher.accept_many(tokens[self._taken[row] :]) < len(tokens) - self._taken[row]:
            raise self._refused(row)
        self._matchers[row], self._taken[row] = matcher, len(tokens)
        self._finished[row] = matcher.is_finished
        self.slots.write(row, resident, matcher)

    def _refused(self, row: int) -> TokenRefused:
        token = int(self._tokens[row, -1])
        at = self._tokens.shape[1] - self._length - 1
        return TokenRefused(
            f"token {token} was chosen as number {at} of the generation of row {row}, and its mask forbade it: beams or drafts "
            f"did, for which {_INSTEAD}; or something between the mask and the choice overrides masks",
            token,
        )
