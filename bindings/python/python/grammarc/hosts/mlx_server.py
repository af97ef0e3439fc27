"""mlx-lm's server with ``response_format``: ``python -m grammarc.hosts.mlx_server --model MODEL``, with the server's arguments.

The server reads no ``response_format`` and ignores it. :func:`install` has it read from requests of completions and chats, and
also ``structured_outputs`` as vLLM has it (``json``, ``regex``, ``choice``, ``grammar``). A request is compiled in the thread
that reads it, beside the generation of others, and one that cannot be compiled is answered with status 400. A prompt that
leaves a model in its thoughts lets it think on: the grammar holds what comes behind them.
"""

from __future__ import annotations

import functools
import json
import threading
from typing import Any

from grammarc._errors import GrammarcError, SourceError
from grammarc._native import Grammar
from grammarc.compiler import Compiler, Limits, PathLike
from grammarc.hosts import mlx
from grammarc.hosts._probe import Host
from grammarc.hosts._requests import constraint_of
from grammarc.tokenizers import from_tokenizer

_HOST = Host("mlx-lm", "mlx-lm 0.32")
_ATTRIBUTE = "grammarc"
"""Where a generation's arguments carry its grammar to the thread that generates."""

_SECONDS = 10.0
"""Time that a compilation may take."""


def install(*, cache: PathLike | None = None, limits: Limits | None = None) -> None:
    """Puts grammars into ``mlx_lm.server``, once. ``cache`` is a folder for compiled grammars and vocabularies, ``limits`` are
    those of a compilation. :class:`.HostMismatch` where the server is not as this knows it; nothing is replaced then."""
    server: Any = _HOST.module("mlx_lm.server")
    utils: Any = _HOST.module("mlx_lm.utils")
    make = _HOST.member(server, "_make_logits_processors")
    if getattr(make, _ATTRIBUTE, False):
        return
    generator = _HOST.member(server, "ResponseGenerator")
    handler = _HOST.member(server, "APIHandler")
    generate = _HOST.member(generator, "generate")
    complete = _HOST.member(handler, "handle_completion")
    _HOST.takes(make, "args")
    _HOST.takes(generate, "request", "generation_args")
    _HOST.takes(complete, "request", "stop_words")
    for name in ("load_tokenizer", "load_config", "_download"):
        _HOST.member(utils, name)

    models = _Models(utils, cache, limits or {"timeout": _SECONDS})
    asked = threading.local()

    @functools.wraps(complete)
    def handle_completion(self: Any, request: Any, stop_words: list[str]) -> None:
        try:
            asked.held = models.held(self)
        except Exception as error:
            _refuse(self, error)
            return
        try:
            complete(self, request, stop_words)
        finally:
            asked.held = None

    @functools.wraps(generate)
    def generate_held(self: Any, request: Any, generation_args: Any, *rest: Any, **named: Any) -> Any:
        setattr(generation_args, _ATTRIBUTE, getattr(asked, "held", None))
        context, responses = generate(self, request, generation_args, *rest, **named)
        return context, responses

    @functools.wraps(make)
    def make_logits_processors(args: Any) -> list[Any]:
        processors = list(make(args) or [])
        held = getattr(args, _ATTRIBUTE, None)
        return processors if held is None else [*processors, held.processor()]

    setattr(make_logits_processors, _ATTRIBUTE, True)
    handler.handle_completion = handle_completion
    generator.generate = generate_held
    server._make_logits_processors = make_logits_processors


class _Model:
    """What requests of one model need: its compiler, the tokens at which it stops, those that begin and end its thoughts."""

    def __init__(self, compiler: Compiler, tokenizer: Any) -> None:
        self.compiler = compiler
        self.ends = sorted(tokenizer.eos_token_ids)
        has_thoughts = tokenizer.has_thinking and tokenizer.think_start_tokens and tokenizer.think_end_tokens
        self.thoughts = (list(tokenizer.think_start_tokens), list(tokenizer.think_end_tokens)) if has_thoughts else None

    def behind(self, prompt: list[int]) -> list[int]:
        """The tokens behind which a grammar begins: those that end the thoughts in which a prompt leaves the model."""
        if self.thoughts is None:
            return []
        start, end = self.thoughts
        return end if _last(prompt, start) > _last(prompt, end) else []


class _Held:
    """The grammar of a request, with its model."""

    def __init__(self, grammar: Grammar, model: _Model) -> None:
        self._grammar = grammar
        self._model = model

    def processor(self) -> Any:
        made: list[Any] = []

        def process(tokens: Any, logits: Any) -> Any:
            if not made:
                after = self._model.behind([int(token) for token in tokens.tolist()])
                made.append(
                    mlx.GrammarLogitsProcessor(
                        self._grammar, end_tokens=self._model.ends, after=after, ends_on_refusal=True
                    )
                )
            return made[0](tokens, logits)

        return process


class _Models:
    """Models by the path that the server loads them from."""

    def __init__(self, utils: Any, cache: PathLike | None, limits: Limits) -> None:
        self._utils = utils
        self._cache = cache
        self._limits = limits
        self._lock = threading.Lock()
        self._known: dict[str, _Model] = {}

    def held(self, handler: Any) -> _Held | None:
        """The grammar of a handler's request; ``None`` where it asks for free text."""
        constraint = constraint_of(handler.body)
        if constraint is None:
            return None
        provider = handler.response_generator.model_provider
        named = handler.requested_model
        path = getattr(provider, "_model_map", {}).get(named, named)
        with self._lock:
            model = self._known.get(path)
            if model is None:
                model = self._known[path] = self._load(path, getattr(provider, "_tokenizer_config", None))
        return _Held(model.compiler.compile(constraint.kind, constraint.source), model)

    def _load(self, path: str, tokenizer_config: Any) -> _Model:
        folder = self._utils._download(path, allow_patterns=["*.json"])
        config = self._utils.load_config(folder)
        tokenizer = self._utils.load_tokenizer(path, tokenizer_config, eos_token_ids=_ids(config.get("eos_token_id")))
        width = config.get("vocab_size") or config.get("text_config", {}).get("vocab_size")
        if not isinstance(width, int):
            raise SourceError(f"the configuration of {path} has no vocab_size")
        vocabulary = from_tokenizer(tokenizer, logit_width=width, cache=self._cache)
        return _Model(Compiler(vocabulary, cache=self._cache, limits=self._limits), tokenizer)


def _refuse(handler: Any, error: Exception) -> None:
    """Answers a request whose constraint is none."""
    ours = isinstance(error, (GrammarcError, ValueError, TypeError))
    handler._set_completion_headers(400 if ours else 500)
    handler.end_headers()
    handler.wfile.write(json.dumps({"error": str(error)}).encode())


def _ids(ids: Any) -> list[int] | None:
    if ids is None:
        return None
    return list(ids) if isinstance(ids, (list, tuple)) else [int(ids)]


def _last(tokens: list[int], run: list[int]) -> int:
    """Where a run begins for the last time; -1 where it does not."""
    for start in range(len(tokens) - len(run), -1, -1):
        if tokens[start : start + len(run)] == run:
            return start
    return -1


def main() -> None:
    """Runs the server."""
    install()
    _HOST.module("mlx_lm.server").main()


if __name__ == "__main__":
    main()
