"""SGLang: ``--grammar-backend grammarc``.

:func:`register` makes the backend known, from the entry point ``sglang.srt.plugins``, in every process; nothing else happens until
a server is started with it. JSON, regular expressions, grammars and structural tags are compiled by grammarc; tags that only XGrammar
takes go to it where it is installed, and are refused where it is not. Masks of both have one layout, so their requests share batches.

SGLang wraps only its own backends for models that reason, so :func:`init` does it for this one, with SGLang's wrapper.

Where the model is on a device that grammarc has kernels for, a batch's mask is four bytes a row (:mod:`._sglang_masks`). The rows of
a tree of drafts are filled by one call (:mod:`._sglang_trees`), and :mod:`.sglang_drafts` drafts by the grammar.

A compilation that SGLang gives up on ends: its future is cancelled, and with it the compilation. What ran out of time is not kept
as a refusal.
"""

from __future__ import annotations

import dataclasses
import json
import logging
import threading
import weakref
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from importlib import import_module
from typing import Any

from grammarc import fill_batch
from grammarc._native import CancelToken, Grammar, Matcher
from grammarc.hosts import _sglang_trees
from grammarc.hosts._devices import Devices
from grammarc.hosts._serving import (
    ANY_VALUE,
    Counters,
    HostMismatch,
    OnlyXgrammar,
    Server,
    Settings,
    expect,
    expect_parameters,
    step_back,
)
from grammarc.hosts._sglang_masks import Mask, Masks, Tables, bits

__all__ = ["HostMismatch", "NAME", "init", "register", "stats"]

NAME = "grammarc"
"""Name of the backend."""

logger = logging.getLogger("sglang.grammarc")

_counters = Counters(
    "requests",
    "delegated",
    "refused_requests",
    "fills",
    "batches",
    "accepts",
    "refused_tokens",
    "rollbacks",
    "copies",
    "trees",
    "drafts",
)
_servers: weakref.WeakSet[Server] = weakref.WeakSet()
_thread = threading.local()
_devices = Devices(logger)


def stats() -> dict[str, Any]:
    """Counters of this process: ``requests`` that were compiled or found, ``delegated`` to XGrammar, ``refused_requests``; rows written by
    ``fills`` one by one, ``batches`` of rows, ``trees`` of rows; ``accepts``, ``refused_tokens``, ``rollbacks``, ``copies``; tokens
    that were drafted by the grammar, ``drafts``; and those of :attr:`grammarc.Compiler.stats`. They are the scheduler's, where grammars live."""
    return _counters.with_those_of(server.stats() for server in list(_servers))


def register() -> None:
    """Makes ``--grammar-backend grammarc`` known to SGLang. Doing it again does nothing."""
    # By name, since types of another package are nothing that this one could be checked by.
    known: Any = import_module("sglang.srt.arg_groups.choices")
    base: Any = import_module("sglang.srt.constrained.base_grammar_backend")
    if NAME not in known.GRAMMAR_BACKEND_CHOICES:
        known.add_grammar_backend_choices([NAME])
    base.register_grammar_backend(NAME, init)


def init(server_args: Any, tokenizer: Any, vocab_size: int, eos_token_ids: Any) -> Any:
    """The backend of a server. Raises :class:`HostMismatch` where this version of SGLang has other interfaces."""
    base: Any = import_module("sglang.srt.constrained.base_grammar_backend")
    context: Any = import_module("sglang.srt.runtime_context")
    serving = context.get_serving()
    probe(base, serving)
    if context.get_spec().speculative_algorithm is not None:
        speculation: Any = import_module("sglang.srt.speculative.spec_utils")
        _sglang_trees.probe(speculation)
        _sglang_trees.install(speculation, Request, _counters)
    backend = backend_class(base)(
        tokenizer,
        vocab_size,
        eos_token_ids,
        whitespace=whitespace(
            serving.constrained_json_disable_any_whitespace, serving.constrained_json_max_whitespace_cnt
        ),
    )
    if not serving.reasoning_parser:
        return backend
    reasoning: Any = import_module("sglang.srt.parser.reasoning_parser")
    parser = reasoning.ReasoningParser(model_type=serving.reasoning_parser, stream_reasoning=False, tokenizer=tokenizer)
    if not parser.detector.get_think_end_token_ids(tokenizer):
        return backend
    wrapper = import_module("sglang.srt.constrained.reasoner_grammar_backend").ReasonerGrammarBackend
    expect_parameters(
        wrapper.__init__,
        "self",
        "grammar_backend",
        "reasoning_parser",
        "tokenizer",
        "enable_strict_thinking",
        where="ReasonerGrammarBackend",
    )
    wrapped = type("GrammarcReasonerBackend", (Compiling, wrapper), {"__module__": __name__})
    made = wrapped(backend, parser, tokenizer, enable_strict_thinking=serving.enable_strict_thinking)
    made.executor = backend.executor
    backend.shares_masks = True
    return made


def whitespace(is_disabled: bool, most: int | None) -> str | None:
    """The form of whitespace for the options of a server; None for the one of ``GRAMMARC_WHITESPACE``. Without any whitespace,
    SGLang has XGrammar write one space behind each comma and colon."""
    if is_disabled:
        return "spaced"
    return f"flexible:{most}" if most is not None else None


def probe(base: Any, serving: Any) -> None:
    """Raises :class:`HostMismatch` unless SGLang has the interfaces that the backend relies on."""
    grammar, backend = base.BaseGrammarObject, base.BaseGrammarBackend
    methods = {
        "accept_token": ("self", "token"),
        "rollback": ("self", "k"),
        "is_terminated": ("self",),
        "allocate_vocab_mask": ("self", "vocab_size", "batch_size", "device"),
        "fill_vocab_mask": ("self", "vocab_mask", "idx"),
        "fill_vocab_mask_batched": ("entries", "vocab_mask"),
        "reset_vocab_mask": ("vocab_mask",),
        "move_vocab_mask": ("vocab_mask", "device"),
        "apply_vocab_mask": ("logits", "vocab_mask"),
        "copy": ("self",),
        "try_jump_forward": ("self", "tokenizer"),
    }
    for name, parameters in methods.items():
        expect_parameters(getattr(grammar, name, None), *parameters, where=f"BaseGrammarObject.{name}")
    expect(base.GrammarRow._fields == ("row", "grammar"), "SGLang's GrammarRow has other fields than row and grammar")
    for kind in ("json", "regex", "ebnf", "structural_tag"):
        name = f"dispatch_{kind}"
        expect_parameters(getattr(backend, name, None), "self", "key_string", where=f"BaseGrammarBackend.{name}")
    expect_parameters(backend.set_cache, "self", "key", "value", where="BaseGrammarBackend.set_cache")
    waits = backend.get_cached_or_future_value
    expect(
        "executor" in waits.__code__.co_names,
        "SGLang's get_cached_or_future_value does not compile in the backend's executor",
    )
    for option in (
        "constrained_json_disable_any_whitespace",
        "constrained_json_max_whitespace_cnt",
        "reasoning_parser",
        "enable_strict_thinking",
    ):
        expect(hasattr(serving, option), f"SGLang has no option {option}")


def backend_class(base: Any) -> Any:
    """The backend for this module of SGLang."""
    named = {"__module__": __name__}
    request = type("GrammarcGrammar", (Request, base.BaseGrammarObject), dict(named))
    fields = {**named, "_base": base, "_request": request}
    return type("GrammarcBackend", (Backend, Compiling, base.BaseGrammarBackend), fields)


class Compilation(Future[Any]):
    """A compilation that ends when it is cancelled, running or not."""

    def __init__(self, token: CancelToken) -> None:
        super().__init__()
        self._token = token

    def cancel(self) -> bool:
        """Ends the compilation. False where it was running: its result, a refusal, comes soon."""
        self._token.cancel()
        return super().cancel()


class Compilations(ThreadPoolExecutor):
    """Threads that compile."""

    def __init__(self, at_once: int = 16) -> None:
        super().__init__(at_once, "grammarc", initializer=step_back)

    def submit(self, work: Callable[..., Any], /, *arguments: Any, **options: Any) -> Future[Any]:
        """As of any executor, with a future that ends its compilation."""
        token = CancelToken()
        future = Compilation(token)

        def run() -> None:
            if not future.set_running_or_notify_cancel():
                return
            _thread.token = token
            try:
                result = work(*arguments, **options)
            except BaseException as error:
                future.set_exception(error)
            else:
                future.set_result(result)
            finally:
                _thread.token = None

        super().submit(run)
        return future


class Compiling:
    """What the backend and its wrapper for models that reason share: refusals that hold for good are kept, others are not."""

    def set_cache(self, key: Any, value: Any) -> None:
        """Keeps what a request was answered with, unless a later one may be answered otherwise."""
        # SGLang makes a refusal of its own where it did not wait for an answer.
        is_refusal = hasattr(value, "error_message")
        if not is_refusal or getattr(value, "_is_final", False):
            super().set_cache(key, value)  # type: ignore[misc]


class Backend:
    """The backend: sources to grammars."""

    _base: Any
    _request: Any

    shares_masks = False
    """Whether SGLang has each request fill its row, of whichever engine it is."""

    def __init__(
        self,
        tokenizer: Any,
        vocab_size: int,
        eos_token_ids: Any,
        *,
        whitespace: str | None = None,
        devices: Devices | None = None,
    ) -> None:
        super().__init__()
        settings = Settings.from_environment()
        self.executor = Compilations(settings.at_once)
        if whitespace is not None:
            settings = dataclasses.replace(settings, whitespace=whitespace)
        self._server = Server(tokenizer, vocab_size, settings)
        self._tokenizer = tokenizer
        self._width = vocab_size
        ends = [eos_token_ids] if isinstance(eos_token_ids, int) else sorted(eos_token_ids or ())
        self._ends: list[int] | None = ends or None
        self._masks = Masks(vocab_size, devices or _devices, logger)
        self._xgrammar: Any = None
        self._xgrammar_lock = threading.Lock()
        _servers.add(self._server)

    def dispatch_json(self, key_string: str) -> Any:
        """A JSON Schema, or any JSON value."""
        schema, closed = (ANY_VALUE, False) if key_string == "$$ANY$$" else (key_string, True)
        return self._answer("json", lambda cancel: self._server.json_schema(schema, closed=closed, cancel=cancel))

    def dispatch_regex(self, key_string: str) -> Any:
        """A regular expression."""
        return self._answer("regex", lambda cancel: self._server.compile("regex", key_string, cancel))

    def dispatch_ebnf(self, key_string: str) -> Any:
        """A grammar in XGrammar's notation, which GBNF is a part of."""
        return self._answer("ebnf", lambda cancel: self._server.compile("ebnf", key_string, cancel))

    def dispatch_structural_tag(self, key_string: str) -> Any:
        """A structural tag."""
        tag = filled_tag(key_string)
        try:
            return self._answer("structural_tag", lambda cancel: self._server.compile("structural_tag", tag, cancel))
        except OnlyXgrammar as error:
            return self._delegate(key_string, str(error))

    def _answer(self, kind: str, compiled: Callable[[CancelToken | None], Grammar]) -> Any:
        try:
            grammar = compiled(getattr(_thread, "token", None))
        except OnlyXgrammar:
            raise
        except ValueError as error:
            return self._refused(str(error), _is_final(error))
        _counters.requests.add()
        statistics = self._base.GrammarStats(dispatch_type=kind)
        return self._request(grammar, self._ends, self._width, statistics, self._masks, Tables())

    def _refused(self, message: str, is_final: bool) -> Any:
        _counters.refused_requests.add()
        logger.info("refused: %s", message)
        refusal = self._base.InvalidGrammarObject(message)
        refusal._is_final = is_final
        return refusal

    def _delegate(self, key_string: str, otherwise: str) -> Any:
        """A structural tag by XGrammar."""
        with self._xgrammar_lock:
            if self._xgrammar is None:
                try:
                    theirs: Any = import_module("sglang.srt.constrained.xgrammar_backend")
                except ImportError as error:
                    return self._refused(f"{otherwise} (XGrammar takes it, and is missing: {error})", False)
                self._xgrammar = theirs.XGrammarGrammarBackend(
                    self._tokenizer, vocab_size=self._width, model_eos_token_ids=self._ends
                )
                if self.shares_masks:
                    # A request of XGrammar's may be asked to fill a mask of ours, and fills bits alone.
                    self._masks.by_number = False
        _counters.delegated.add()
        answer = self._xgrammar.dispatch_structural_tag(key_string)
        if hasattr(answer, "error_message"):
            answer._is_final = True
        return answer

    @property
    def is_support_token_filter(self) -> bool:
        """Whether tokens can be taken out of a row while the model thinks."""
        return True

    @staticmethod
    def set_token_filter(
        vocab_mask: Any, token_ids: list[int], batch_idx: int, is_allowed: bool = True, reset_vocab_mask: bool = True
    ) -> None:
        """Allows or forbids tokens in a row."""
        if isinstance(vocab_mask, Mask):
            vocab_mask = vocab_mask.as_bits()
        filters: Any = import_module("sglang.srt.constrained.torch_ops.token_filter_torch_ops")
        filters.set_token_filter_torch(
            vocab_mask, token_ids, batch_idx, is_allowed=is_allowed, reset_vocab_mask=reset_vocab_mask
        )

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:
        """A mask with all tokens allowed."""
        return self._masks.allocate(batch_size, device)

    def move_vocab_mask(self, vocab_mask: Any, device: Any) -> Any:
        """The mask on the model's device."""
        return self._masks.move(vocab_mask, device)

    def apply_vocab_mask(self, logits: Any, vocab_mask: Any) -> None:
        """Sets the logits of what is not allowed to negative infinity, in place."""
        self._masks.apply(logits, vocab_mask)

    def initialize_vocab_mask_buffer(self, name: str, vocab_size: int, max_rows: int, device: Any) -> Any:
        """Rows that SGLang uses again in every step."""
        return self._base.register_vocab_mask_buffer(name, bits(vocab_size, max_rows), max_rows)


def filled_tag(text: str) -> str:
    """A structural tag as SGLang reads it: a schema that is missing or null is that of any value, and the older form may say
    ``at_least_one``."""
    try:
        tag = json.loads(text)
    except (ValueError, RecursionError):
        # What is wrong with it is grammarc's to say.
        return text
    if not isinstance(tag, dict):
        return text
    structures = tag.get("structures")
    if not isinstance(structures, list):
        return json.dumps(tag) if _fill(tag.get("format")) else text
    is_said = isinstance(tag.get("at_least_one"), bool)
    at_least_one = tag.pop("at_least_one") if is_said else False
    missing = [one for one in structures if isinstance(one, dict) and one.get("schema") is None]
    for one in missing:
        one["schema"] = {}
    if at_least_one:
        tag = {
            "type": "triggered_tags",
            "triggers": tag.get("triggers"),
            "tags": [_newer(one) for one in structures],
            "at_least_one": True,
        }
    return json.dumps(tag) if missing or is_said else text


def _newer(structure: Any) -> Any:
    """A tag of the older form in the newer one."""
    if not isinstance(structure, dict):
        return structure
    content = {"type": "json_schema", "json_schema": structure.get("schema")}
    return {**{key: value for key, value in structure.items() if key != "schema"}, "content": content}


def _fill(format: Any) -> bool:
    """Puts schemas where formats have none. Whether there were such."""
    is_changed, formats = False, [format]
    while formats:
        one = formats.pop()
        if not isinstance(one, dict):
            continue
        if one.get("type") in ("json_schema", "qwen_xml_parameter") and one.get("json_schema") is None:
            one["json_schema"] = {}
            is_changed = True
        formats.append(one.get("content"))
        for key in ("elements", "tags"):
            listed = one.get(key)
            formats.extend(listed if isinstance(listed, list) else ())
    return is_changed


def _is_final(error: ValueError) -> bool:
    """Whether the same source is refused next time."""
    from grammarc import Cancelled, LimitError

    return not isinstance(error.__cause__, (Cancelled, LimitError))


class Request:
    """One request: what a ``BaseGrammarObject`` does."""

    current_token: int | None

    def __init__(
        self,
        grammar: Grammar,
        end_tokens: list[int] | None,
        width: int,
        statistics: Any,
        masks: Masks,
        tables: Tables,
    ) -> None:
        super().__init__()
        self._grammar = grammar
        self._end_tokens = end_tokens
        self._width = width
        self._masks = masks
        self._tables = tables
        self.grammar_stats = statistics
        self._matcher: Matcher = grammar.matcher(end_tokens=end_tokens, logit_width=width)

    def accept_token(self, token: int) -> None:
        """Accepts a token; those after the end are ignored. Raises ``ValueError`` where it is not allowed."""
        matcher = self._matcher
        if matcher.is_finished:
            return
        self.current_token = token
        _counters.accepts.add()
        if not matcher.try_accept(token):
            _counters.refused_tokens.add()
            raise ValueError(f"grammarc: token {token} is not allowed")

    def rollback(self, k: int) -> None:
        """Takes back tokens, the end too."""
        _counters.rollbacks.add()
        self._matcher.rollback(k)

    def is_terminated(self) -> bool:
        """Whether an end token was accepted."""
        return self._matcher.is_finished

    def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any:
        """A mask with all tokens allowed."""
        return self._masks.allocate(batch_size, device)

    def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None:
        """Writes the mask of the next token to a row."""
        _counters.fills.add()
        if isinstance(vocab_mask, Mask):
            vocab_mask.fill(idx, self)
        else:
            self._matcher.fill(vocab_mask, idx)

    @staticmethod
    def fill_vocab_mask_batched(entries: list[Any], vocab_mask: Any) -> None:
        """Writes the rows of a batch: grammarc's in one call, those of other engines one by one."""
        ours = [(row, grammar) for row, grammar in entries if isinstance(grammar, Request)]
        if isinstance(vocab_mask, Mask):
            for row, grammar in ours:
                vocab_mask.fill(row, grammar)
        if len(ours) < len(entries):
            rows = vocab_mask.as_bits() if isinstance(vocab_mask, Mask) else vocab_mask
            for row, grammar in entries:
                if not isinstance(grammar, Request):
                    grammar.fill_vocab_mask(rows, row)
        if ours:
            _counters.batches.add()
        if ours and not isinstance(vocab_mask, Mask):
            fill_batch([grammar._matcher for _, grammar in ours], vocab_mask, [row for row, _ in ours])

    @staticmethod
    def reset_vocab_mask(vocab_mask: Any) -> None:
        """Allows all tokens."""
        if isinstance(vocab_mask, Mask):
            vocab_mask.allow_all()
        else:
            vocab_mask.fill_(-1)

    def move_vocab_mask(self, vocab_mask: Any, device: Any) -> Any:
        """The mask on the model's device."""
        return self._masks.move(vocab_mask, device)

    def apply_vocab_mask(self, logits: Any, vocab_mask: Any) -> None:
        """Sets the logits of what is not allowed to negative infinity, in place."""
        self._masks.apply(logits, vocab_mask)

    def copy(self) -> Any:
        """The same grammar for a new request, at its start."""
        _counters.copies.add()
        statistics = self.grammar_stats
        if statistics is not None:
            statistics = dataclasses.replace(statistics, is_cache_hit=True, tree_traversal_time=[])
        return type(self)(self._grammar, self._end_tokens, self._width, statistics, self._masks, self._tables)

    def try_jump_forward(self, tokenizer: Any) -> None:
        """Nothing: SGLang no longer calls it."""
