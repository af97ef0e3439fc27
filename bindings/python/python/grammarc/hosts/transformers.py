"""transformers: grammars as logits processors of ``generate``.

    vocabulary = grammarc.hosts.transformers.vocabulary(model, tokenizer)
    grammar = grammarc.Compiler(vocabulary).json_schema(schema)
    model.generate(**inputs, logits_processor=[GrammarLogitsProcessor(grammar, model)])

``generate`` calls a processor with all tokens of all rows, prompt included, and nothing that says which row goes on where: beams
change places, finished rows are padded, assisted generation goes back. So positions are found by tokens (:mod:`._sequences`).
The prompt is what is there at the first call; rows of several lengths are padded in front of it, as ``generate`` wants them.

A step costs one copy of the scores, which other parts of ``generate`` may still hold, and some microseconds for each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]
import transformers  # type: ignore[import-not-found,unused-ignore]

from grammarc._errors import SourceError
from grammarc._native import Grammar, Matcher, Vocabulary
from grammarc.hosts import _torch
from grammarc.hosts._config import ids
from grammarc.hosts._sequences import TOKEN, Positions, refused
from grammarc.tokenizers import from_tokenizer


def vocabulary(model: Any, tokenizer: Any, **options: Any) -> Vocabulary:
    """The vocabulary of a model and its tokenizer: as wide as the model's logits, with the end tokens at which ``generate``
    stops, as far as the tokenizer has them. ``options`` are those of :func:`grammarc.tokenizers.from_file`."""
    if "logit_width" not in options:
        options["logit_width"] = _width(model)
    ends = ids(getattr(getattr(model, "generation_config", None), "eos_token_id", None)) or ()
    known = [token for token in ends if token < len(tokenizer)]
    if known:
        options.setdefault("end_tokens", known)
    return from_tokenizer(tokenizer, **options)


class GrammarLogitsProcessor(transformers.LogitsProcessor):  # type: ignore[misc,unused-ignore]
    """Holds the rows of a generation to a grammar: all to one, or each prompt of the batch to its own, where ``None`` leaves a
    prompt free.

    ``model`` tells the tokens that end a sequence and the one that pads finished rows, where ``end_tokens`` and ``pad_token``
    do not; without either, end tokens are the vocabulary's. Put it last among processors of your own. ``in_place`` writes to
    the scores that it is given: for loops of one's own; ``generate`` may hand out the same scores as ``logits``.

    ``drafts`` is for generations with an ``assistant_model`` or ``prompt_lookup_num_tokens``, where tokens are tried that their
    mask forbids. Beam search, too, goes on with candidates that score negative infinity where there are not enough others.
    Both are led to their end. Elsewhere a token that its mask forbade raises :class:`grammarc.TokenRefused`.

    One processor may serve several generations after each other, and not two at a time.
    """

    supports_continuous_batching = False

    def __init__(
        self,
        grammar: Grammar | Sequence[Grammar | None],
        model: Any = None,
        *,
        end_tokens: Iterable[int] | None = None,
        pad_token: int | None = None,
        drafts: bool = False,
        in_place: bool = False,
    ) -> None:
        self._grammars = [grammar] if isinstance(grammar, Grammar) else list(grammar)
        if not self._grammars or not all(one is None or isinstance(one, Grammar) for one in self._grammars):
            raise TypeError("a grammar, or a list of a grammar or None for each prompt, is needed")
        config = getattr(model, "generation_config", None)
        if end_tokens is None:
            end_tokens = ids(getattr(config, "eos_token_id", None))
        if pad_token is None:
            pad_token = next(iter(ids(getattr(config, "pad_token_id", None)) or ()), None)
        self._ends = None if end_tokens is None else sorted(set(end_tokens))
        self._pad = pad_token
        self._drafts = drafts
        self._in_place = in_place
        # By the width of the logits: an assistant's may be another than the model's.
        self._generations: dict[int, _Generation] = {}

    def reset(self) -> None:
        """Takes the next call for the first of a generation."""
        self._generations.clear()

    def __call__(self, input_ids: torch.LongTensor, scores: torch.Tensor) -> torch.Tensor:
        if input_ids.shape[0] != scores.shape[0]:
            raise ValueError(
                f"there are {input_ids.shape[0]} rows of tokens for {scores.shape[0]} rows of scores"
            )
        generation, runs = self._generation(input_ids, scores.shape[1])
        matchers: list[Matcher] = []
        listed: list[int] = []
        closed: list[int] = []
        also: list[tuple[int, int]] = []
        for row, run in enumerate(runs):
            positions = generation.of(row)
            if positions is None:
                continue
            position = positions.at(run)
            if position is None:
                if not (self._drafts or generation.has_beams(row)):
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
        return scores

    def _generation(self, input_ids: torch.Tensor, width: int) -> tuple[_Generation, list[bytes]]:
        """The generation that a call belongs to, and what was generated in each row."""
        generation = self._generations.get(width)
        runs = None if generation is None else generation.runs(input_ids, 2 if self._drafts else 1)
        if generation is None or runs is None:
            if not self._drafts:
                self._generations.clear()
            generation = _Generation(self._grammars, self._ends, input_ids, width)
            self._generations[width] = generation
            runs = [b""] * input_ids.shape[0]
        return generation, runs


class _Generation:
    """One generation: its prompts, and the positions of its grammars."""

    def __init__(
        self, grammars: Sequence[Grammar | None], ends: list[int] | None, prompt: torch.Tensor, width: int
    ) -> None:
        rows = prompt.shape[0]
        if rows % len(grammars):
            raise ValueError(f"{len(grammars)} grammars cannot be shared among {rows} rows")
        self._prompt = prompt.clone()
        self._positions = [None if one is None else Positions(one, ends, width) for one in grammars]
        for positions in self._positions:
            if positions is not None:
                # Those of this step and of the one before, and as many again for beams and drafts that go back.
                positions.capacity = max(positions.capacity, 4 * rows)

    def of(self, row: int) -> Positions | None:
        """The positions of a row's grammar. Beams and samples of one prompt stand next to each other."""
        rows: int = self._prompt.shape[0]
        return self._positions[row * len(self._positions) // rows]

    def runs(self, input_ids: torch.Tensor, ahead: int) -> list[bytes] | None:
        """What was generated in each row; ``None`` where the call is not one of this generation: it has other prompts, or
        more than ``ahead`` tokens behind a position that was asked for."""
        rows, length = self._prompt.shape
        if input_ids.shape[0] != rows or input_ids.shape[1] < length or input_ids.device != self._prompt.device:
            return None
        if not torch.equal(input_ids[:, :length], self._prompt):
            return None
        runs = _bytes_of(input_ids[:, length:])
        return runs if all(self._goes_on(row, run, ahead) for row, run in enumerate(runs)) else None

    def _goes_on(self, row: int, run: bytes, ahead: int) -> bool:
        positions = self.of(row)
        return positions is None or any(
            positions.knows(run[: len(run) - back * TOKEN] if back else run)
            for back in range(min(ahead, len(run) // TOKEN) + 1)
        )

    def has_beams(self, row: int) -> bool:
        """Whether the row may be a beam: a row beside it has the same prompt."""
        beside = [near for near in (row - 1, row + 1) if 0 <= near < self._prompt.shape[0]]
        return any(torch.equal(self._prompt[row], self._prompt[near]) for near in beside)


def _bytes_of(tokens: torch.Tensor) -> list[bytes]:
    """Each row as a run."""
    array = tokens.to("cpu", torch.int64).contiguous().numpy()
    return [row.tobytes() for row in array]


def _width(model: Any) -> int:
    """Length of the model's logit row."""
    config: Any = getattr(model, "config", None)
    text = config.get_text_config() if hasattr(config, "get_text_config") else config
    width = getattr(text, "vocab_size", None)
    if not isinstance(width, int):
        raise SourceError(
            f"the configuration of {type(model).__name__} has no vocab_size; pass logit_width, the length of its logits"
        )
    return width
