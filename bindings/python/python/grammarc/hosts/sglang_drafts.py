"""SGLang: drafts by the grammar, ``--speculative-algorithm GRAMMARC``.

    python -m sglang.launch_server --model-path MODEL --grammar-backend grammarc --speculative-algorithm GRAMMARC

:func:`register` makes the algorithm known, from the entry point ``sglang.srt.plugins``. The algorithm is SGLang's ``NGRAM``, whose
worker looks for drafts among earlier outputs. For requests with a grammar of grammarc, the tokens that the grammar forces come first,
with a branch for each token where few are allowed. The n-grams' drafts fill what is left. The model verifies the drafts, so the law
of the output stays that of constrained decoding.

SGLang does not overlap steps of a batch with a grammar, so grammars have read the output when their drafts are made.
"""

from __future__ import annotations

import functools
import inspect
import logging
from importlib import import_module
from typing import Any

from grammarc._drafters import drafter_of
from grammarc._native import Drafter, Matcher
from grammarc.hosts import sglang
from grammarc.hosts._serving import HostMismatch, expect, expect_parameters
from grammarc.hosts._sglang_trees import Tree, active, parents_of

__all__ = ["NAME", "HostMismatch", "register"]

NAME = "GRAMMARC"
"""Name of the algorithm."""

logger = logging.getLogger("sglang.grammarc")

_TAIL = 6
"""How many last tokens of an output its forced text is encoded with."""


def register() -> None:
    """Makes ``--speculative-algorithm GRAMMARC`` known to SGLang, if its registry is as expected. Doing it again does nothing."""
    known: Any = import_module("sglang.srt.speculative.spec_info")
    try:
        probe(known)
    except HostMismatch as error:
        # The grammar backend works without drafts.
        logger.warning("the speculative algorithm %s is not available: %s", NAME, error)
        return
    algorithms = known.SpeculativeAlgorithm
    try:
        algorithms.from_string(NAME)
    except ValueError:
        algorithms.register(NAME, supports_overlap=True, spec_class=algorithm_class(known))(worker)


def probe(known: Any) -> None:
    """Raises :class:`HostMismatch` unless the module ``spec_info`` has the interface that :func:`register` relies on."""
    algorithms, custom = getattr(known, "SpeculativeAlgorithm", None), getattr(known, "CustomSpecAlgo", None)
    expect(hasattr(algorithms, "NGRAM"), "SGLang has no speculative algorithm NGRAM")
    options = ("name", "supports_overlap", "validate_server_args", "spec_class")
    for function, parameters, where in (
        (getattr(algorithms, "register", None), options, "SpeculativeAlgorithm.register"),
        (getattr(algorithms, "from_string", None), ("name",), "SpeculativeAlgorithm.from_string"),
        (getattr(algorithms, "handle_server_args", None), ("self", "server_args"), "handle_server_args"),
        (getattr(custom, "handle_server_args", None), ("self", "server_args"), "CustomSpecAlgo.handle_server_args"),
        (getattr(custom, "create_worker", None), ("self", "server_args"), "CustomSpecAlgo.create_worker"),
    ):
        expect_parameters(function, *parameters, where=where)


def algorithm_class(known: Any) -> Any:
    """The class of the algorithm: it answers SGLang's questions as ``NGRAM`` does, and makes another worker."""
    ngram = known.SpeculativeAlgorithm.NGRAM
    own = ("create_worker", "handle_server_args")
    fields: dict[str, Any] = {
        name: _answer(ngram, name)
        for name, value in vars(known.SpeculativeAlgorithm).items()
        if inspect.isfunction(value) and not name.startswith("_") and name not in own
    }

    def handle_server_args(self: Any, server_args: Any) -> None:
        settle(ngram, server_args)

    fields |= {"__module__": __name__, "handle_server_args": handle_server_args}
    return type("GrammarcAlgorithm", (known.CustomSpecAlgo,), fields)


def _answer(ngram: Any, name: str) -> Any:
    def answer(self: Any, *arguments: Any, **options: Any) -> Any:
        return getattr(ngram, name)(*arguments, **options)

    return answer


def settle(ngram: Any, server_args: Any) -> None:
    """Sets the options of a server as ``NGRAM`` does. Raises ``ValueError`` where it refuses them, and for another grammar backend."""
    if server_args.grammar_backend != sglang.NAME:
        raise ValueError(f"--speculative-algorithm {NAME} needs --grammar-backend {sglang.NAME}")
    declared = _Declared(server_args)
    ngram.handle_server_args(declared)
    for _, options in declared._resolved_overrides:
        for name, value in options.items():
            setattr(server_args, name, value)


class _Declared:
    """A server's options, with the method by which SGLang's own algorithms change them. Plug-ins lack it, so each change is assigned."""

    def __init__(self, server_args: Any) -> None:
        self._server_args = server_args
        self._resolved_overrides: list[tuple[str, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._server_args, name)


def worker(server_args: Any) -> Any:
    """The class of workers. Raises :class:`HostMismatch` where this version of SGLang has other interfaces."""
    ngram: Any = import_module("sglang.srt.speculative.ngram_worker")
    batches: Any = import_module("sglang.srt.managers.schedule_batch")
    probe_worker(ngram.NGRAMWorker, batches.ScheduleBatch)
    return worker_class(ngram.NGRAMWorker)


def probe_worker(ngram: Any, batch: Any) -> None:
    """Raises :class:`HostMismatch` unless the worker of ``NGRAM`` and the class of batches have the interfaces that drafts rely on."""
    drafts = getattr(ngram, "_prepare_draft_tokens", None)
    expect_parameters(drafts, "self", "batch", where="NGRAMWorker._prepare_draft_tokens")
    expect_parameters(getattr(batch, "grammar_needs_sync", None), "self", where="ScheduleBatch.grammar_needs_sync")
    for name in ("draft_token_num", "topk", "_target_worker"):
        expect(name in ngram.__init__.__code__.co_names, f"SGLang's NGRAMWorker has no {name}")


def worker_class(ngram: Any) -> Any:
    """A subclass of SGLang's class of n-gram workers, which also drafts the tokens that grammars force."""
    return type("GrammarcWorker", (Drafting, ngram), {"__module__": __name__})


class Drafting:
    """The methods that the subclass adds to the worker of ``NGRAM``: drafts of forced tokens."""

    _target_worker: Any
    draft_token_num: int
    topk: int

    @functools.cached_property
    def _drafts(self) -> Drafts:
        return Drafts(getattr(self._target_worker, "tokenizer", None), self.topk)

    def _prepare_draft_tokens(self, batch: Any) -> tuple[Any, Any]:
        """The nodes of all requests: their tokens, and the matrices of their ancestors, each as one flat array."""
        tokens, ancestors = super()._prepare_draft_tokens(batch)  # type: ignore[misc]
        # In other batches no request has a grammar, or grammars have not read the last tokens yet.
        if batch.grammar_needs_sync():
            nodes = self.draft_token_num
            rows = tokens.reshape(-1, nodes), ancestors.reshape(-1, nodes, nodes)
            for request, its_tokens, its_ancestors in zip(batch.reqs, *rows, strict=True):
                self._drafts.add(request, its_tokens, its_ancestors)
        return tokens, ancestors


class Drafts:
    """Makes the drafts of requests. ``width`` is the most branches of a node."""

    def __init__(self, tokenizer: Any, width: int) -> None:
        self._tokenizer = tokenizer
        self._width = width
        self._drafter: Drafter | None = None
        self._is_made = False
        self._has_failed = False

    def add(self, request: Any, tokens: Any, ancestors: Any) -> None:
        """Puts what the grammar of a request forces before the n-grams' drafts, in place. Leaves other requests as they are."""
        grammar = active(request.grammar, sglang.Request)
        if grammar is None or grammar._matcher.is_finished:
            return
        tree = Tree(int(tokens[0]), len(tokens), is_chain=self._width == 1)
        tree.add(*self._forced(grammar._matcher, request, len(tokens) - 1))
        for _ in tree.tokens[1:]:
            sglang._counters.drafts.add()
        if not tree.is_full:
            tree.add(tokens[1:].tolist(), parents_of(ancestors))
        tree.write(tokens, ancestors)

    def _forced(self, matcher: Matcher, request: Any, nodes: int) -> tuple[list[int], list[int]]:
        """The tokens and parents of a tree of at most so many nodes. Empty where the drafter fails."""
        try:
            drafter = self._drafter_for(matcher)
            return ([], []) if drafter is None else drafter.tree(matcher, last_of(request), nodes, self._width)
        except Exception:
            # A tokenizer that fails costs drafts, not requests.
            if not self._has_failed:
                logger.exception("forced tokens are not drafted any more where this fails")
            self._has_failed = True
            return [], []

    def _drafter_for(self, matcher: Matcher) -> Drafter | None:
        """The drafter of the model's tokenizer. None for a tokenizer that cannot spell texts."""
        if not self._is_made:
            self._is_made = True
            self._drafter = drafter_of(self._tokenizer, matcher.grammar.vocabulary)
        return self._drafter


def last_of(request: Any) -> list[int]:
    """The last tokens of a request, those of its prompt too."""
    output = list(request.output_ids[-_TAIL:])
    rest = _TAIL - len(output)
    return [*request.origin_input_ids_unpadded[-rest:], *output] if rest else output
