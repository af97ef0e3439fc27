"""Outlines: grammarc as a backend for its steerable models (transformers, mlx-lm, llama.cpp).

    grammarc.hosts.outlines.install()
    generator = outlines.Generator(model, Character, backend="grammarc")

Defaults follow Outlines' own backend, ``outlines_core``: at most a space behind ``,`` and ``:``, keys in the order of the
schema, and no keys that the schema does not name. Context-free grammars are GBNF.
"""

from __future__ import annotations

import functools
from typing import Any

from grammarc._native import Grammar, Vocabulary
from grammarc.compiler import Compiler, PathLike
from grammarc.hosts._probe import Host

NAME = "grammarc"
_HOST = Host("outlines", "outlines 1.3.3")

_WHITESPACE = {
    None: "natural",
    r"[ ]?": "natural",
    "": "compact",
    " ": "spaced",
    r"[ \n\t]*": "flexible",
    r"[\n\t ]*": "flexible",
    r"[\n ]*": "flexible",
    r"\s*": "flexible",
}
"""Forms of whitespace by the pattern that Outlines has for them."""


def install(*, default: bool = False, cache: PathLike | None = None) -> None:
    """Makes ``backend="grammarc"`` known to Outlines, and with ``default`` has it used where no backend is named. ``cache`` is a
    folder for compiled grammars. :class:`.HostMismatch` where Outlines is not as this knows it; nothing is replaced then."""
    backends: Any = _HOST.module("outlines.backends")
    get = _HOST.member(backends, "_get_backend")
    defaults = ("JSON_SCHEMA_DEFAULT_BACKEND", "REGEX_DEFAULT_BACKEND")
    for constant in defaults:
        _HOST.member(backends, constant)
    if not getattr(get, NAME, False):
        _HOST.takes(get, "backend_name", "model")
        backend_class = _backend_class()

        @functools.wraps(get)
        def get_backend(backend_name: str, model: Any) -> Any:
            return backend_class(model, cache=cache) if backend_name == NAME else get(backend_name, model)

        setattr(get_backend, NAME, True)
        backends._get_backend = get_backend
    if default:
        for constant in defaults:
            setattr(backends, constant, NAME)


@functools.cache
def _backend_class() -> type:
    base = _HOST.member(_HOST.module("outlines.backends.base"), "BaseBackend")
    processor = _processor_class()
    _HOST.takes(base.get_json_schema_logits_processor, "json_schema")
    _HOST.takes(base.get_regex_logits_processor, "regex")
    _HOST.takes(base.get_cfg_logits_processor, "grammar")

    class GrammarcBackend(base):  # type: ignore[misc, valid-type]
        """Makes processors for one model. ``options`` of schemas are those of :meth:`grammarc.Compiler.json_schema`."""

        def __init__(self, model: Any, *, cache: PathLike | None = None, **options: Any) -> None:
            self._model = model
            self._compiler = Compiler(vocabulary(model), cache=cache)
            self._options = {"closed": True, **options}

        def get_json_schema_logits_processor(self, json_schema: str, whitespace_pattern: str | None = None) -> Any:
            options = dict(self._options)
            if whitespace_pattern is not None or "whitespace" not in options:
                options["whitespace"] = _whitespace(whitespace_pattern)
            return processor(self._compiler.json_schema(json_schema, **options), self._model)

        def get_regex_logits_processor(self, regex: str) -> Any:
            return processor(self._compiler.regex(regex), self._model)

        def get_cfg_logits_processor(self, grammar: str) -> Any:
            return processor(self._compiler.gbnf(grammar), self._model)

    return GrammarcBackend


@functools.cache
def _processor_class() -> type:
    base = _HOST.member(_HOST.module("outlines.processors.base_logits_processor"), "OutlinesLogitsProcessor")
    _HOST.takes(base.process_logits, "input_ids", "logits")

    class GrammarcLogitsProcessor(base):  # type: ignore[misc, valid-type]
        """Holds the rows of a generation to a grammar, by the processor of the model's own host."""

        def __init__(self, grammar: Grammar, model: Any) -> None:
            super().__init__(model.tensor_library_name)
            self._held = _held(grammar, model)
            self._one_row = model.tensor_library_name != "torch"

        def reset(self) -> None:
            self._held.reset()

        def process_logits(self, input_ids: Any, logits: Any) -> Any:
            if not self._one_row:
                return self._held(input_ids, logits)
            if logits.shape[0] != 1:
                raise ValueError(f"Outlines hands over one sequence of this model, and not {logits.shape[0]}")
            return self._held(input_ids[0], logits[0])[None]

    return GrammarcLogitsProcessor


def vocabulary(model: Any) -> Vocabulary:
    """The vocabulary of a model of Outlines."""
    library = getattr(model, "tensor_library_name", None)
    if library == "torch":
        from grammarc.hosts import transformers

        return transformers.vocabulary(_HOST.member(model, "model"), _HOST.member(model, "hf_tokenizer"))
    if library == "mlx":
        from grammarc.hosts import mlx

        return mlx.vocabulary(_HOST.member(model, "model"), _HOST.member(model, "mlx_tokenizer"))
    if library == "numpy":
        from grammarc.hosts import llama_cpp

        return llama_cpp.vocabulary(_HOST.member(model, "model"))
    raise NotImplementedError(
        f"the backend grammarc serves models of transformers, mlx-lm and llama-cpp-python, and not of {library!r}"
    )


def _held(grammar: Grammar, model: Any) -> Any:
    library = model.tensor_library_name
    if library == "torch":
        from grammarc.hosts import transformers

        return transformers.GrammarLogitsProcessor(grammar, model.model)
    if library == "mlx":
        from grammarc.hosts import mlx

        return mlx.GrammarLogitsProcessor(grammar)
    from grammarc.hosts import llama_cpp

    return llama_cpp.GrammarLogitsProcessor(grammar, model.model)


def _whitespace(pattern: str | None) -> str:
    try:
        return _WHITESPACE[pattern]
    except KeyError:
        known = ", ".join(repr(one) for one in _WHITESPACE if one is not None)
        raise NotImplementedError(
            f"the backend grammarc has no whitespace_pattern {pattern!r}; it has {known}"
        ) from None
