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
from typing import Any

import numpy

from grammarc._errors import GrammarcError
from grammarc._native import Grammar, Vocabulary
from grammarc.hosts._probe import Host
from grammarc.hosts._sequences import Follower, nothing_left
from grammarc.tokenizers import from_tokenizer

_log = logging.getLogger("grammarc")
_HOST = Host("llama-cpp-python", "llama-cpp-python 0.3.36")


def vocabulary(llama: Any, **options: Any) -> Vocabulary:
    """The vocabulary of a ``Llama``, from the file of its model: as wide as its logits, with all tokens at which it stops.
    ``options`` are those of :func:`grammarc.tokenizers.from_file`."""
    if "end_tokens" not in options:
        options["end_tokens"] = end_tokens(llama)
    return from_tokenizer(llama, **options)


def end_tokens(llama: Any) -> list[int]:
    """The tokens at which a ``Llama`` stops: those that llama.cpp takes for the end of a generation, and not EOS alone."""
    llama_cpp = _HOST.module("llama_cpp")
    is_end = _HOST.member(llama_cpp, "llama_vocab_is_eog")
    model = _HOST.member(llama, "_model")
    return [token for token in range(llama.n_vocab()) if is_end(model.vocab, token)]


class GrammarLogitsProcessor:
    """Holds the generations of a ``Llama`` to a grammar, one after the other.

    Call :meth:`check` after each.
    """

    def __init__(self, grammar: Grammar, llama: Any) -> None:
        if getattr(llama, "draft_model", None) is not None:
            raise ValueError(
                "llama-cpp-python shows processors its drafts as if they were chosen, so no grammar can be held to; make the "
                "Llama without draft_model"
            )
        self._width = int(llama.n_vocab())
        self._ends = end_tokens(llama)
        self._sequence = Follower(grammar, self._ends, self._width)
        self._calls = 0
        self._error: Exception | None = None

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        self._calls += 1
        # Not contiguous: the scores are a column of llama.cpp's table of candidates.
        row = numpy.array(scores, dtype=numpy.float32)
        try:
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
