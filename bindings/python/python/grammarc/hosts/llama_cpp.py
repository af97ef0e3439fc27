"""llama-cpp-python: grammars as logits processors of ``Llama``, and its vocabularies.

    llama = llama_cpp.Llama("model.gguf")
    grammar = grammarc.Compiler(grammarc.hosts.llama_cpp.vocabulary(llama)).json_schema(schema)
    held = GrammarLogitsProcessor(grammar, llama)
    llama.create_completion(prompt, logits_processor=LogitsProcessorList([held]))
    held.check()

llama.cpp calls a processor from C, where an exception goes nowhere: the host prints it and samples freely. So a processor that
fails here leaves nothing but the tokens that end the generation, and keeps the exception for :meth:`check`.

With ``logit_bias`` beside processors, llama-cpp-python drops both (``logits_processor.extend(...)`` is ``None``): nothing that a
processor does can be seen then, and :meth:`check` says that it was not called.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import numpy

from grammarc._errors import GrammarcError, TokenRefused
from grammarc._native import Grammar, Vocabulary
from grammarc._params import EarlyStop, ProbLimit
from grammarc.hosts._ends import Ended, Ends, Row
from grammarc.hosts._probe import Host
from grammarc.hosts._sequences import Follower, nothing_left
from grammarc.tokenizers import from_tokenizer

_log = logging.getLogger("grammarc")
HOST = Host("llama-cpp-python", "llama-cpp-python 0.3.36")


def vocabulary(llama: Any, **options: Any) -> Vocabulary:
    """The vocabulary of a ``Llama``, from the file of its model: as wide as its logits, with all tokens at which it stops.
    ``options`` are those of :func:`grammarc.tokenizers.from_file`."""
    if "end_tokens" not in options:
        options["end_tokens"] = end_tokens(llama)
    return from_tokenizer(llama, **options)


def end_tokens(llama: Any) -> list[int]:
    """The tokens at which a ``Llama`` stops: those that llama.cpp takes for the end of a generation, and not EOS alone."""
    llama_cpp = HOST.module("llama_cpp")
    is_end = HOST.member(llama_cpp, "llama_vocab_is_eog")
    model = HOST.member(llama, "_model")
    return [token for token in range(llama.n_vocab()) if is_end(model.vocab, token)]


class GrammarLogitsProcessor:
    """Holds the generations of a ``Llama`` to a grammar, one after the other.

    Call :meth:`check` after each.

    ``prob_limit``, ``early_stop``, ``overshoot`` and ``masses`` are those of
    :class:`grammarc.hosts.transformers.GrammarLogitsProcessor`. A ``Llama`` cannot take tokens back, so :meth:`output` cuts its text.
    """

    def __init__(
        self,
        grammar: Grammar,
        llama: Any,
        *,
        prob_limit: ProbLimit | float | None = None,
        early_stop: EarlyStop = "must_end",
        overshoot: Grammar | None = None,
        masses: bool = False,
    ) -> None:
        if getattr(llama, "draft_model", None) is not None:
            raise ValueError(
                "llama-cpp-python shows processors its drafts as if they were chosen, so no grammar can be held to; make the "
                "Llama without draft_model"
            )
        self._width = int(llama.n_vocab())
        self._ends = end_tokens(llama)
        self._sequence = Follower(grammar, self._ends, self._width)
        ends = Ends.of(prob_limit, early_stop, overshoot is not None, masses)
        self._ending = None if ends is None else _Ending(lambda: Row(grammar, overshoot, ends, self._ends, self._width))
        self._calls = 0
        self._error: Exception | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        self._calls += 1
        # Not contiguous: the scores are a column of llama.cpp's table of candidates.
        row = numpy.array(scores, dtype=numpy.float32)
        try:
            if self._ending is not None:
                self._ending.apply([int(token) for token in input_ids], row)
            else:
                self._sequence.at(numpy.asarray(input_ids, dtype=numpy.int64).tobytes()).apply(row)
            if row.max() == -numpy.inf:
                raise nothing_left(0)
        except Exception as error:
            if self._error is None:
                self._error = error
                _log.error("a generation of llama-cpp-python is ended: %s", error)
            # What was forbidden before has to be allowed for the generation to end.
            kept = {token: numpy.maximum(row[token], 0) for token in self._ends if token < row.size}
            row.fill(-numpy.inf)
            for token, score in kept.items():
                row[token] = score
        return row

    def reset(self) -> None:
        """Takes the next call for the first of a generation."""
        self._sequence.reset()
        if self._ending is not None:
            self._ending.reset()

    def output(self, text: str) -> Ended:
        """Returns the last generation, cut where its text ends. ``text`` is the text that the host returned: processors do not see its last token.
        Raises :class:`grammarc.GrammarcError` where the processor was made without ``prob_limit``, ``early_stop``, ``overshoot`` and
        ``masses``.
        """
        if self._ending is None:
            raise GrammarcError("outputs are kept with prob_limit, early_stop or overshoot: write masses=True to keep them without these")
        return self._ending.output(text)

    def check(self) -> None:
        """Raises what went wrong since the last check: a :class:`grammarc.GrammarcError` where the host did not call the
        processor, and else what ended the generation."""
        error, calls = self._error, self._calls
        self._error, self._calls = None, 0
        if error is not None:
            raise error
        if not calls:
            raise GrammarcError(
                "llama-cpp-python did not call the grammar's processor, so the text is not held to it; it drops processors where "
                "logit_bias is given as well"
            )


class _Ending:
    """The mask of a sequence that ends by ``prob_limit``, ``early_stop`` or ``overshoot``."""

    def __init__(self, start: Callable[[], Row]) -> None:
        self._start = start
        # Fails now where the options do not fit the grammar.
        self._row = start()
        self._seen: list[int] | None = None

    def reset(self) -> None:
        """Takes the next call for the first of a generation."""
        self._seen = None

    def output(self, text: str) -> Ended:
        """What was generated, of which the host says this text."""
        return self._row.rest(text.encode())

    def apply(self, tokens: list[int], logits: numpy.ndarray[Any, Any]) -> None:
        """Masks the logits for the token that follows ``tokens``, which are the whole sequence with the prompt."""
        row = self._row
        if self._seen is not None and tokens[:-1] == self._seen and not row.is_over:
            if not row.read(tokens[-1]):
                raise TokenRefused(f"token {tokens[-1]} was chosen, and its mask forbade it", tokens[-1])
        elif tokens != self._seen:
            row = self._row = self._start()
        self._seen = tokens
        before = logits.copy()
        if row.only is None:
            row.matcher.apply(logits)
            row.weigh(_mass(before, logits))
        if row.only is not None:
            logits.fill(-numpy.inf)
            logits[list(row.only)] = before[list(row.only)]


def _mass(before: numpy.ndarray[Any, Any], after: numpy.ndarray[Any, Any]) -> float:
    """The probability of all allowed tokens together, of a row of logits before its mask and after it. O(logits)."""
    most = float(before.max())
    if most == -numpy.inf:
        return 0.0
    sums = [float(numpy.exp(logits.astype(numpy.float64) - most).sum()) for logits in (before, after)]
    return min(sums[1] / sums[0], 1.0)
