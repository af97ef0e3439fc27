"""transformers: grammars as logits processors of ``generate``.

    vocabulary = grammarc.hosts.transformers.vocabulary(model, tokenizer)
    grammar = grammarc.Compiler(vocabulary).json_schema(schema)
    model.generate(**inputs, logits_processor=[GrammarLogitsProcessor(grammar, model)])

``generate`` calls a processor with all tokens of all rows, prompt included, and nothing that says which row goes on where: beams
change places, finished rows are padded, assisted generation goes back. So positions are found by tokens (:mod:`._sequences`), and
choices are checked where they are made (:mod:`._loops`). Rows of several lengths are padded in front, as ``generate`` wants them.

A step costs one copy of the scores, which other parts of ``generate`` may still hold, one look for its largest, and some microseconds
for each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from grammarc._errors import GrammarcError, SourceError
from grammarc._native import Grammar, Matcher, Vocabulary
from grammarc._params import EarlyStop, ProbLimit
from grammarc.hosts import _loops, _torch
from grammarc.hosts._config import ids
from grammarc.hosts._ends import Ended, Ends
from grammarc.hosts._sequences import TOKEN, Positions, refused
from grammarc.hosts._transformers import GrammarProcessor, refuse_batches, width_of
from grammarc.hosts._transformers_ends import Ending
from grammarc.tokenizers import from_tokenizer

refuse_batches()


def vocabulary(model: Any, tokenizer: Any, **options: Any) -> Vocabulary:
    """The vocabulary of a model and its tokenizer: as wide as the model's logits, with the end tokens at which ``generate``
    stops, as far as the tokenizer has them. ``options`` are those of :func:`grammarc.tokenizers.from_file`."""
    if "logit_width" not in options:
        width = width_of(model)
        if width is None:
            raise SourceError(
                f"the configuration of {type(model).__name__} has no vocab_size; pass logit_width, the length of its logits"
            )
        options["logit_width"] = width
    ends = ids(getattr(getattr(model, "generation_config", None), "eos_token_id", None)) or ()
    known = [token for token in ends if token < len(tokenizer)]
    if known:
        options.setdefault("end_tokens", known)
    return from_tokenizer(tokenizer, **options)


class GrammarLogitsProcessor(GrammarProcessor):
    """Holds the rows of a generation to a grammar: all to one, or each prompt of the batch to its own, where ``None`` leaves a
    prompt free.

    ``model`` has the tokens that end a sequence and the one that pads finished rows, where ``end_tokens`` and ``pad_token``
    are not given; without either, end tokens are the vocabulary's. ``tokenizer``, where it is given, has to be the one that the
    grammar's vocabulary was made of. ``in_place`` writes to the scores that it is given: for loops of one's own; ``generate`` may
    hand out the same scores as ``logits``.

    A token that its mask forbade raises :class:`grammarc.TokenRefused` as soon as ``generate`` has chosen it, in every mode: something
    behind this processor overrides its mask. In a loop of one's own the next call raises, unless ``drafts`` says that rows hold
    drafts, which may be wrong.

    ``prob_limit`` ends a row where all allowed tokens together are less likely than that, for ``patience`` tokens in a row.
    ``early_stop`` is ``must_end`` (where nothing else can follow, or the model takes an end token), ``first`` (at the first text of the
    grammar) or ``longest`` (at the token that leaves the grammar). ``overshoot``, :meth:`grammarc.Compiler.text_behind` of the grammar's
    source, lets tokens go past the end of the grammar's text. ``generate`` cannot take tokens back, so a row that ends before its last
    token is cut in :meth:`outputs`, which has the probabilities of masks as well, with ``masses`` also without these options. They are
    refused for beams, assisted generation and ``drafts``.

    One processor may serve several generations after each other.
    """

    def __init__(
        self,
        grammar: Grammar | Sequence[Grammar | None],
        model: Any = None,
        *,
        tokenizer: Any = None,
        end_tokens: Iterable[int] | None = None,
        pad_token: int | None = None,
        drafts: bool = False,
        in_place: bool = False,
        prob_limit: ProbLimit | float | None = None,
        early_stop: EarlyStop = "must_end",
        overshoot: Grammar | Sequence[Grammar | None] | None = None,
        masses: bool = False,
    ) -> None:
        super().__init__(grammar, model, tokenizer)
        config = getattr(model, "generation_config", None)
        if end_tokens is None:
            end_tokens = ids(getattr(config, "eos_token_id", None))
        if pad_token is None:
            pad_token = next(iter(ids(getattr(config, "pad_token_id", None)) or ()), None)
        self._ends = None if end_tokens is None else sorted(set(end_tokens))
        self._pad = pad_token
        self._drafts = drafts
        self._in_place = in_place
        ends = Ends.of(prob_limit, early_stop, overshoot is not None, masses)
        if ends is not None and (drafts or in_place):
            raise ValueError("prob_limit, early_stop, overshoot and masses do not go with drafts or in_place: leave one of them away")
        behind = [overshoot] if overshoot is None or isinstance(overshoot, Grammar) else list(overshoot)
        self._ending = None if ends is None else Ending(self._grammars, behind, ends, self._ends, self._pad)
        # Of a loop of one's own, by the width of the logits: an assistant's may be another than the model's.
        self._generations: dict[int, _Generation] = {}

    def reset(self) -> None:
        """Takes the next call of a loop of one's own for the first of a generation. Those of ``generate`` are known without."""
        self._generations.clear()
        if self._ending is not None:
            self._ending.reset()

    def outputs(self, sequences: torch.Tensor | None = None) -> list[Ended | None]:
        """What was generated in each row of the last generation, cut where its text ends; ``None`` in rows without a grammar. In a loop of
        one's own, ``sequences`` are its last tokens, prompts included. Raises :class:`grammarc.GrammarcError` where the processor was
        made without ``prob_limit``, ``early_stop``, ``overshoot`` and ``masses``.
        """
        if self._ending is None:
            raise GrammarcError("outputs are kept with prob_limit, early_stop or overshoot: write masses=True to keep them without these")
        return self._ending.outputs(sequences)

    def __call__(self, input_ids: torch.LongTensor, scores: torch.Tensor) -> torch.Tensor:
        if input_ids.shape[0] != scores.shape[0]:
            raise ValueError(
                f"there are {input_ids.shape[0]} rows of tokens for {scores.shape[0]} rows of scores"
            )
        if self._ending is not None:
            self._expect_width(scores.shape[1])
            return self._ending.apply(input_ids, scores, self)
        loop = _loops.current()
        if not (self._drafts if loop is None else loop.is_assisted):
            self._expect_width(scores.shape[1])
        # Choices of `generate` were checked: rows without a position are candidates, drafts and padding then.
        may_be_refused = self._drafts
        if loop is None:
            generation, runs = self._by_tokens(input_ids, scores.shape[1])
        else:
            watch = self._watch(loop)
            generation = watch.generation(scores.shape[1])
            runs = generation.runs(input_ids)
            may_be_refused |= watch.has_checked(loop.tokens if loop.name == _loops.ASSISTED else input_ids)
        matchers: list[Matcher] = []
        listed: list[int] = []
        closed: list[int] = []
        also: list[tuple[int, int]] = []
        for row, run in enumerate(runs):
            positions = generation.of(row, len(runs))
            if positions is None:
                continue
            position = positions.at(run)
            if position is None:
                if not may_be_refused:
                    raise refused(run, positions)
                closed.append(row)
                also += [(row, token) for token in positions.start.end_tokens]
            else:
                listed.append(row)
                matchers.append(position)
            if self._pad is not None and (position is None or position.is_finished):
                also.append((row, self._pad))
        if not self._in_place:
            scores = scores.clone(memory_format=torch.contiguous_format)
        _torch.apply(scores, matchers, listed, closed=closed, also=also)
        # Drafts may run into rows that are never chosen from.
        if not (self._drafts or (loop is not None and loop.name == _loops.ASSISTED)):
            _torch.expect_choice(scores, listed, 1 if loop is None else loop.beams)
        return scores

    def _watch(self, loop: _loops.Loop) -> _Watch:
        """The watch of a loop of ``generate``, added on the first call."""
        watch = loop.watch(self)
        if not isinstance(watch, _Watch):
            watch = _Watch(self, self._grammars, self._ends, loop.tokens)
            loop.add(watch)
        return watch

    def _by_tokens(self, input_ids: torch.Tensor, width: int) -> tuple[_Generation, list[bytes]]:
        """The generation to which a call of a custom loop belongs, found by its tokens, and the tokens generated in each row."""
        generation = self._generations.get(width)
        if generation is not None and generation.begins(input_ids):
            runs = generation.runs(input_ids)
            if generation.goes_on(runs, 2 if self._drafts else 1):
                return generation, runs
        if not self._drafts:
            self._generations.clear()
        generation = self._generations[width] = _Generation(self._grammars, self._ends, input_ids, width)
        return generation, [b""] * input_ids.shape[0]


class _Watch(_loops.Watch):
    """The watch of one generation, with its positions."""

    def __init__(
        self, owner: object, grammars: Sequence[Grammar | None], ends: list[int] | None, prompt: torch.Tensor
    ) -> None:
        super().__init__(owner, self._check_choices)
        self._grammars, self._ends, self._prompt = grammars, ends, prompt
        # By the width of the logits: an assistant's may be another than the model's.
        self._generations: dict[int, _Generation] = {}
        # Of the last call: that of the model, whose logits are masked before it chooses.
        self._width = 0
        self._checked = prompt.shape[1]

    def generation(self, width: int) -> _Generation:
        """The generation at a width of logits."""
        self._width = width
        if width not in self._generations:
            self._generations[width] = _Generation(self._grammars, self._ends, self._prompt, width)
        return self._generations[width]

    def has_checked(self, input_ids: torch.Tensor) -> bool:
        """Whether the last tokens were checked when they were chosen. They were not if a model's own loop asks no criteria."""
        return bool(input_ids.shape[1] == self._checked)

    def _check_choices(self, input_ids: torch.Tensor, rows: list[int]) -> None:
        self._checked = input_ids.shape[1]
        generation = self.generation(self._width)
        runs = generation.runs(input_ids)
        for row in rows:
            positions = generation.of(row, len(runs))
            if positions is not None and positions.at(runs[row]) is None:
                raise refused(runs[row], positions)


class _Generation:
    """One generation at one width of logits: its prompts, and the positions of its grammars."""

    def __init__(
        self, grammars: Sequence[Grammar | None], ends: list[int] | None, prompt: torch.Tensor, width: int
    ) -> None:
        rows = prompt.shape[0]
        if rows % len(grammars):
            raise ValueError(f"{len(grammars)} grammars cannot be shared among {rows} rows")
        self._prompt = prompt.clone()
        self._positions = [None if one is None else Positions(one, ends, width) for one in grammars]

    def of(self, row: int, rows: int) -> Positions | None:
        """The positions of a row's grammar. Rows of one prompt are neighbours."""
        return self._positions[row * len(self._positions) // rows]

    def runs(self, input_ids: torch.Tensor) -> list[bytes]:
        """The bytes of the token ids that were generated in each row."""
        tokens = input_ids[:, self._prompt.shape[1] :].to("cpu", torch.int64).contiguous().numpy()
        for positions in self._positions:
            if positions is not None:
                # Those of this step and of the one before, and as many again for beams and drafts that go back.
                positions.capacity = max(positions.capacity, 4 * len(tokens))
        return [row.tobytes() for row in tokens]

    def begins(self, input_ids: torch.Tensor) -> bool:
        """Whether rows begin with the prompts."""
        rows, length = self._prompt.shape
        if input_ids.shape[0] != rows or input_ids.shape[1] < length or input_ids.device != self._prompt.device:
            return False
        is_equal: bool = torch.equal(input_ids[:, :length], self._prompt)
        return is_equal

    def goes_on(self, runs: list[bytes], ahead: int) -> bool:
        """Whether each row has at most ``ahead`` tokens after a known position."""
        return all(self._knows(self.of(row, len(runs)), run, ahead) for row, run in enumerate(runs))

    @staticmethod
    def _knows(positions: Positions | None, run: bytes, ahead: int) -> bool:
        return positions is None or any(
            positions.knows(run[: len(run) - back * TOKEN]) for back in range(min(ahead, len(run) // TOKEN) + 1)
        )
