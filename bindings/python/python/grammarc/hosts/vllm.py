"""vLLM: JSON, regular expressions, choices, grammars and structural tags by grammarc, and what it has not by XGrammar.

vLLM has no registry of backends (vllm-project/vllm#50966), so :func:`install` puts a subclass of its ``XgrammarBackend`` in that
class's place, from the entry point ``vllm.general_plugins``, in every process of a server where ``GRAMMARC_VLLM=1``. Masks of both
engines have one layout, so their requests share batches. What a request may hold is checked by grammarc as well, since XGrammar's
own checks would refuse schemas that grammarc takes.

:func:`install` looks at every interface that it relies on, and raises :class:`HostMismatch`, which stops the server, where one is
another: no request is ever left without its grammar.
"""

from __future__ import annotations

import functools
import json
import logging
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from typing import Any

from grammarc import __version__
from grammarc._drafters import drafter_of
from grammarc._native import Drafter, Grammar, Matcher
from grammarc.hosts import _vllm_beams, _vllm_drafts, _vllm_masks
from grammarc.hosts._devices import Devices
from grammarc.hosts._serving import (
    ANY_OBJECT,
    ARTIFACT,
    Checker,
    Counters,
    HostMismatch,
    OnlyXgrammar,
    Server,
    Servers,
    Settings,
    choices,
    digest_in,
    expect,
    expect_parameters,
    json_text,
    step_back,
)

__all__ = ["HostMismatch", "install", "stats"]

logger = logging.getLogger("vllm.grammarc")

_counters = Counters(
    "requests", "delegated", "refused_requests", "fills", "accepts", "refused_tokens", "validations", "rollbacks",
    "drafts",
)
_made = Servers()
_servers: weakref.WeakSet[Server] = weakref.WeakSet()
"""Servers whose counters :func:`stats` adds up."""
_checker = Checker()
_devices = Devices(logger)

KINDS = frozenset({"JSON", "JSON_OBJECT", "REGEX", "GRAMMAR", "CHOICE", "STRUCTURAL_TAG"})
"""Kinds of requests that the plug-in knows."""


def stats() -> dict[str, Any]:
    """Counters of this process: ``requests`` that grammarc took, ``delegated`` to XGrammar, ``refused_requests``; calls ``fills``,
    ``accepts``, ``validations``, ``rollbacks``; ``refused_tokens``; and those of :attr:`grammarc.Compiler.stats`.

    Grammars live in the process of the engine: the one of ``LLM`` where ``VLLM_ENABLE_V1_MULTIPROCESSING=0``. They are
    logged there by ``vllm.grammarc`` at the level of debugging, at each request.
    """
    return _counters.with_those_of(server.stats() for server in list(_servers))


def install() -> None:
    """Puts grammarc in the place of vLLM's XGrammar backend. Doing it again does nothing.

    Raises :class:`HostMismatch` where this version of vLLM has other interfaces.
    """
    # By name, since types of another package are nothing that this one could be checked by.
    structured_output: Any = import_module("vllm.v1.structured_output")
    backend_xgrammar: Any = import_module("vllm.v1.structured_output.backend_xgrammar")
    backend_types = import_module("vllm.v1.structured_output.backend_types")
    utils = import_module("vllm.v1.structured_output.utils")
    sampling_params, exceptions = import_module("vllm.sampling_params"), import_module("vllm.exceptions")
    if getattr(structured_output.XgrammarBackend, "_is_grammarc", False):
        return
    probe(structured_output, backend_types, backend_xgrammar, sampling_params, utils, exceptions)
    backend, refusal = backend_class(backend_types, backend_xgrammar, utils), refusal_class(exceptions)
    _vllm_beams.install(refusal, _counters.refused_requests)
    original = backend_xgrammar.validate_xgrammar_grammar
    backend_xgrammar.validate_xgrammar_grammar = validator(original, utils.grammar_is_likely_lark, refusal)
    # The engine's manager and beam search look the backend up in different modules.
    structured_output.XgrammarBackend = backend_xgrammar.XgrammarBackend = backend
    settings = Settings.from_environment()
    widen(structured_output.StructuredOutputManager, settings.at_once)
    _vllm_drafts.install(structured_output.StructuredOutputManager, Request, _counters)
    if settings.gpu:
        try:
            _vllm_masks.install(_devices)
        except HostMismatch as error:
            logger.warning("masks are applied by vLLM's own kernels: %s", error)
    announce()


def announce() -> None:
    """Logs that this process has the plug-in, as soon as vLLM has configured its log.

    An API process loads plug-ins before that, and so does an engine in the process of its caller.
    """
    versions = __version__, import_module("vllm").__version__
    say = functools.partial(logger.info, "grammarc %s serves structured outputs of vLLM %s", *versions)
    log: Any = import_module("vllm.logger")
    original = getattr(log, "configure_logging", None)
    if original is None or (logger.hasHandlers() and logger.isEnabledFor(logging.INFO)):
        say()
        return

    @functools.wraps(original)
    def configure_logging(config: Any) -> None:
        log.configure_logging = original
        original(config)
        say()

    log.configure_logging = configure_logging


def probe(
    structured_output: Any,
    backend_types: Any,
    backend_xgrammar: Any,
    sampling_params: Any,
    utils: Any,
    exceptions: Any,
) -> None:
    """Raises :class:`HostMismatch` unless these modules of vLLM have the interfaces that the plug-in relies on."""
    kinds = {kind.name for kind in backend_types.StructuredOutputOptions}
    expect(kinds == KINDS, f"vLLM has the kinds of requests {sorted(kinds)}, and grammarc knows {sorted(KINDS)}")
    request = backend_types.StructuredOutputGrammar
    methods = {
        "accept_tokens": ("self", "request_id", "tokens"),
        "validate_tokens": ("self", "tokens"),
        "rollback": ("self", "num_tokens"),
        "fill_bitmask": ("self", "bitmask", "batch_index"),
        "is_terminated": ("self",),
        "reset": ("self",),
    }
    expect(
        request.__abstractmethods__ == set(methods),
        f"grammars of vLLM have the methods {sorted(request.__abstractmethods__)}, and grammarc's have {sorted(methods)}",
    )
    for name, parameters in methods.items():
        expect_parameters(getattr(request, name), *parameters, where=f"StructuredOutputGrammar.{name}")
    backend = backend_xgrammar.XgrammarBackend
    expect(
        issubclass(backend, backend_types.StructuredOutputBackend),
        "vLLM's XgrammarBackend is no StructuredOutputBackend",
    )
    expect_parameters(backend, "vllm_config", "tokenizer", "vocab_size", where="XgrammarBackend")
    expect_parameters(backend.__post_init__, "self", where="XgrammarBackend.__post_init__")
    expect_parameters(
        backend.compile_grammar,
        "self",
        "request_type",
        "grammar_spec",
        "stop_token_ids",
        where="XgrammarBackend.compile_grammar",
    )
    expect_parameters(
        backend.allocate_token_bitmask, "self", "max_num_seqs", where="XgrammarBackend.allocate_token_bitmask"
    )
    expect_parameters(backend.destroy, "self", where="XgrammarBackend.destroy")
    expect_parameters(backend_xgrammar.validate_xgrammar_grammar, "sampling_params", where="validate_xgrammar_grammar")
    expect_parameters(utils.grammar_is_likely_lark, "grammar_str", where="grammar_is_likely_lark")
    client, validation = exceptions.VLLMClientError, exceptions.VLLMValidationError
    expect(
        issubclass(validation, client) and not issubclass(client, validation),
        "vLLM's errors of clients are not what its errors of validation are a kind of",
    )
    _vllm_drafts.probe(structured_output.StructuredOutputManager)
    # What is replaced has to be what is looked up at each call.
    makes = structured_output.StructuredOutputManager.grammar_init
    expect(
        "XgrammarBackend" in makes.__code__.co_names,
        "vLLM's StructuredOutputManager.grammar_init does not make an XgrammarBackend",
    )
    expect_parameters(
        structured_output.StructuredOutputManager.__init__, "self", "vllm_config", where="StructuredOutputManager"
    )
    expect(
        "executor" in makes.__code__.co_names,
        "vLLM's StructuredOutputManager.grammar_init does not compile in the manager's executor",
    )
    checks = sampling_params.SamplingParams._validate_structured_outputs
    expect(
        "validate_xgrammar_grammar" in checks.__code__.co_names,
        "vLLM's SamplingParams does not look up validate_xgrammar_grammar when it checks a request",
    )


def widen(manager: Any, threads: int) -> None:
    """Gives a class of managers so many threads to compile in.

    vLLM's has half as many as there are processors, so a few requests that take their whole deadline would keep all others
    waiting, those too whose grammar is there already. Compilations leave the interpreter to others, and the processors too.
    """
    init = manager.__init__

    @functools.wraps(init)
    def __init__(self: Any, vllm_config: Any) -> None:
        init(self, vllm_config)
        # Without a tokenizer there is none.
        executor = getattr(self, "executor", None)
        if executor is not None:
            executor.shutdown(wait=False)
            self.executor = ThreadPoolExecutor(threads, "grammarc", initializer=step_back)

    manager.__init__ = __init__


def refusal_class(exceptions: Any) -> Any:
    """The error for a request that is refused: of the client, and a ``ValueError``.

    Not vLLM's own error of validation: where it may choose a backend, it would try the next one, and give that one all later
    requests too.
    """
    return type("GrammarcRefusal", (exceptions.VLLMClientError, ValueError), {"__module__": __name__})


def validator(original: Any, is_lark: Any, refusal: Any) -> Any:
    """The check of a request: grammarc's for what grammarc compiles, and the original for the rest.

    vLLM asks the same function of constraints that have no backend yet. Structural tags of requests are such, and are let
    through: vLLM keeps no reason of a refusal there, and asks again, of the whole request. Of other constraints its parsers of
    tool calls want to know whether XGrammar could take them into a structural tag, and get the original's answer.
    """

    @functools.wraps(original)
    def validate_xgrammar_grammar(sampling_params: Any) -> None:
        asked = sampling_params.structured_outputs
        if asked is None:
            return original(sampling_params)  # type: ignore[no-any-return]
        if asked._backend is None and asked.structural_tag is not None:
            return None
        if asked._backend is None:
            return original(sampling_params)  # type: ignore[no-any-return]
        try:
            if asked.json is not None:
                _checker.check("json_schema", json_text(asked.json))
            elif asked.json_object:
                pass
            elif asked.regex is not None:
                _checker.check("regex", asked.regex)
            elif asked.choice is not None:
                _checker.check("choice", asked.choice)
            elif asked.grammar is not None:
                _checker.check("lark" if is_lark(asked.grammar) else "ebnf", asked.grammar)
            elif asked.structural_tag is not None:
                tag = json_text(asked.structural_tag)
                digest = digest_in(tag)
                _checker.check(*(("structural_tag", tag) if digest is None else (ARTIFACT, digest)))
            else:
                return original(sampling_params)  # type: ignore[no-any-return]
        except OnlyXgrammar as error:
            try:
                return original(sampling_params)  # type: ignore[no-any-return]
            except Exception:
                # Nobody takes it: grammarc's words have its place.
                _counters.refused_requests.add()
                raise refusal(str(error)) from error
        except ValueError as error:
            _counters.refused_requests.add()
            raise refusal(str(error)) from error

    return validate_xgrammar_grammar


def backend_class(backend_types: Any, backend_xgrammar: Any, utils: Any) -> Any:
    """The backend for these modules of vLLM."""
    named = {"__module__": __name__}
    request = type("GrammarcGrammar", (Request, backend_types.StructuredOutputGrammar), dict(named))
    fields = {**named, "_request": request, "_is_lark": staticmethod(utils.grammar_is_likely_lark)}
    return type("GrammarcBackend", (Hybrid, backend_xgrammar.XgrammarBackend), fields)


class Request:
    """One request: what a ``StructuredOutputGrammar`` does."""

    def __init__(self, matcher: Matcher) -> None:
        self._matcher = matcher

    def accept_tokens(self, request_id: str, tokens: list[int]) -> bool:
        """Accepts tokens; those after the end are ignored. False where one is not allowed."""
        _counters.accepts.add()
        matcher = self._matcher
        accepted = matcher.accept_many(tokens)
        if accepted == len(tokens) or matcher.is_finished:
            return True
        _counters.refused_tokens.add()
        logger.error("request %s: token %s is not allowed", request_id, tokens[accepted])
        return False

    def validate_tokens(self, tokens: list[int]) -> list[int]:
        """The first tokens, as far as they are allowed one after the other."""
        _counters.validations.add()
        return tokens[: self._matcher.validate(tokens)]

    def rollback(self, num_tokens: int) -> None:
        """Takes back tokens, the end too."""
        _counters.rollbacks.add()
        self._matcher.rollback(num_tokens)

    def fill_bitmask(self, bitmask: Any, batch_index: int) -> None:
        """Writes the mask of the next token to a row."""
        _counters.fills.add()
        self._matcher.fill(bitmask, batch_index)

    def is_terminated(self) -> bool:
        """Whether an end token was accepted."""
        return self._matcher.is_finished

    def reset(self) -> None:
        """Goes back to the start."""
        self._matcher.reset()


class Hybrid:
    """The backend: what grammarc compiles, and ``super()``, an ``XgrammarBackend``, for the rest."""

    _is_grammarc = True
    _request: Any
    _is_lark: Any
    vllm_config: Any
    tokenizer: Any
    vocab_size: int

    def __post_init__(self) -> None:
        self._compact = bool(self.vllm_config.structured_outputs_config.disable_any_whitespace)
        self._width = self.vocab_size
        self._server = _made.of(self.tokenizer, self._width)
        self._xgrammar_lock = threading.Lock()
        self._has_xgrammar = False
        _servers.add(self._server)

    @functools.cached_property
    def drafter(self) -> Drafter | None:
        """Spells forced text as the model's tokenizer does; none for tokenizers that cannot."""
        try:
            return drafter_of(self.tokenizer, self._server.compiler.vocabulary)
        except Exception:
            logger.exception("forced tokens are not drafted")
            return None

    def compile_grammar(self, request_type: Any, grammar_spec: str, stop_token_ids: set[int] | None = None) -> Any:
        """The grammar of a request. Raises ``ValueError`` with the reason where it is refused."""
        try:
            grammar = self._compile(request_type.name, grammar_spec)
        except ValueError:
            _counters.refused_requests.add()
            raise
        if grammar is None:
            _counters.delegated.add()
            self._make_xgrammar()
            return super().compile_grammar(request_type, grammar_spec, stop_token_ids)  # type: ignore[misc]
        _counters.requests.add()
        matcher = grammar.matcher(
            end_tokens=sorted(stop_token_ids) if stop_token_ids else None, logit_width=self._width
        )
        if logger.isEnabledFor(logging.DEBUG):
            logger.debug("%s request; counters %s", request_type.name, json.dumps(stats()))
        return self._request(matcher)

    def _compile(self, kind: str, source: str) -> Grammar | None:
        """The grammar, or None for what is XGrammar's."""
        server = self._server
        match kind:
            case "JSON":
                return server.json_schema(source, compact=self._compact)
            case "JSON_OBJECT":
                return server.json_schema(ANY_OBJECT, compact=self._compact, closed=False)
            case "REGEX":
                return server.compile("regex", source)
            case "CHOICE":
                return server.compile("choice", choices(source))
            case "GRAMMAR":
                kind = "lark" if self._is_lark(source) else "ebnf"
            case "STRUCTURAL_TAG":
                digest = digest_in(source)
                kind, source = ("structural_tag", source) if digest is None else (ARTIFACT, digest)
            case _:
                raise ValueError(f"grammarc: there is no kind of request {kind}")
        try:
            return server.compile(kind, source, compact=self._compact)
        except OnlyXgrammar:
            return None

    def _make_xgrammar(self) -> None:
        """Makes what ``super()`` needs, once."""
        with self._xgrammar_lock:
            if self._has_xgrammar:
                return
            super().__post_init__()  # type: ignore[misc]
            # For tokenizers of Mistral it takes their size in place of the model's.
            theirs, width = self.vocab_size, self._width
            if -(-theirs // 32) != -(-width // 32):
                raise ValueError(
                    f"XGrammar's masks have {theirs} tokens here and the model's {width}: what grammarc does not support cannot "
                    "be served beside it; start the server without GRAMMARC_VLLM"
                )
            self._has_xgrammar = True

    def allocate_token_bitmask(self, max_num_seqs: int) -> Any:
        """Rows of a mask, with all tokens allowed."""
        torch: Any = import_module("torch")
        return torch.full((max_num_seqs, -(-self._width // 32)), -1, dtype=torch.int32)

    def destroy(self) -> None:
        """Gives back what XGrammar holds."""
        logger.debug("counters %s", json.dumps(stats()))
        if self._has_xgrammar:
            super().destroy()  # type: ignore[misc]
