"""onnxruntime-genai: a generator whose sequences are held to grammars.

    generator = onnxruntime_genai.Generator(model, params)
    generator.append_tokens(prompt)
    held = GrammarGenerator(generator, params, grammar)
    while not generator.is_done():
        token = held.next()[0]

The library has no hook between its model and its choice, so this drives the generator: it takes the logits, hands masked ones
back, has a token chosen and accepts it. Built-in guidance (``set_guidance``) may not be on beside it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy

from grammarc._errors import SourceError, TokenRefused
from grammarc._native import Grammar, Matcher, Vocabulary, apply_batch
from grammarc.hosts._probe import Host
from grammarc.hosts._sequences import expect_width, nothing_left
from grammarc.tokenizers import from_file

_HOST = Host("onnxruntime-genai", "onnxruntime-genai 0.18")


def vocabulary(folder: str | os.PathLike[str], **options: Any) -> Vocabulary:
    """The vocabulary of a model's folder: its tokenizer, as wide as ``genai_config.json`` says, with the end tokens of that.
    ``options`` are those of :func:`grammarc.tokenizers.from_file`."""
    path = os.path.join(folder, "genai_config.json")
    try:
        with open(path, encoding="utf-8") as file:
            model = json.load(file)["model"]
        width, ends = int(model["vocab_size"]), model["eos_token_id"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise SourceError(f"{path} has no model of onnxruntime-genai in it: {error!r}") from error
    options.setdefault("logit_width", width)
    options.setdefault("end_tokens", list(ends) if isinstance(ends, list) else [int(ends)])
    return from_file(folder, **options)


class GrammarGenerator:
    """Drives a generator: all sequences of its batch under one grammar, or each under its own, where ``None`` leaves one free.

    ``params`` are those that the generator was made of. ``end_tokens`` are those at which the model stops, the vocabulary's by
    default. Greedy choice and sampling; beams change places unseen, and are refused.
    """

    def __init__(
        self,
        generator: Any,
        params: Any,
        grammar: Grammar | Sequence[Grammar | None],
        *,
        end_tokens: Iterable[int] | None = None,
    ) -> None:
        for name in ("get_logits", "set_logits", "generate_next_token", "get_next_tokens", "is_done"):
            _HOST.member(generator, name)
        options = _HOST.member(params, "get_search_options")()
        if options.get("num_beams", 1) > 1:
            raise ValueError("onnxruntime-genai does not show how beams change places; use num_beams=1 beside grammars")
        self._generator = generator
        self._grammars = grammar
        self._ends = None if end_tokens is None else [int(token) for token in end_tokens]
        self._matchers: list[Matcher | None] | None = None

    @property
    def matchers(self) -> list[Matcher | None]:
        """The matchers of the sequences; none before the first step."""
        return list(self._matchers or [])

    def next(self) -> list[int]:
        """Generates the next token of each sequence, and returns them; finished sequences get padding."""
        self.apply()
        self._generator.generate_next_token()
        return self.accept()

    def apply(self) -> None:
        """The half of :meth:`next` before a token is chosen: masks the generator's logits."""
        logits = numpy.ascontiguousarray(self._generator.get_logits(), dtype=numpy.float32)
        rows = logits.reshape(-1, logits.shape[-1])
        matchers = self._matchers
        if matchers is None:
            matchers = self._matchers = self._start(*rows.shape)
        listed = [row for row, matcher in enumerate(matchers) if matcher is not None]
        apply_batch([matcher for matcher in matchers if matcher is not None], rows, listed)
        for row in listed:
            if rows[row].max() == -numpy.inf:
                raise nothing_left(row)
        self._generator.set_logits(logits)

    def accept(self) -> list[int]:
        """The half of :meth:`next` behind the choice: accepts the tokens that the generator chose, and returns them.
        :class:`grammarc.TokenRefused` where a mask was not heeded, as under built-in guidance."""
        matchers = self._matchers or []
        tokens = [int(token) for token in self._generator.get_next_tokens()]
        if len(tokens) != len(matchers):
            raise _HOST.mismatch(f"it chose {len(tokens)} tokens for {len(matchers)} rows of logits")
        for row, (matcher, token) in enumerate(zip(matchers, tokens, strict=True)):
            if matcher is None or matcher.is_finished:
                continue
            if not matcher.try_accept(token):
                raise TokenRefused(
                    f"token {token} was chosen for sequence {row}, and its mask forbade it: something overrides the logits",
                    token,
                )
        return tokens

    def _start(self, rows: int, width: int) -> list[Matcher | None]:
        grammars = [self._grammars] * rows if isinstance(self._grammars, Grammar) else list(self._grammars)
        if len(grammars) != rows:
            raise ValueError(f"{len(grammars)} grammars were given for {rows} sequences")
        for grammar in grammars:
            if grammar is not None:
                expect_width(grammar.vocabulary, width)
        return [
            None if one is None else one.matcher(end_tokens=self._ends, logit_width=width, rollback_window=0)
            for one in grammars
        ]
