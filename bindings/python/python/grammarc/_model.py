"""Models of a host as the loop of :mod:`grammarc.generation` asks them: tokens in, a row of logits out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Protocol, TypeAlias, runtime_checkable
from weakref import WeakKeyDictionary

from grammarc._native import Vocabulary
from grammarc.compiler import Compiler

Messages: TypeAlias = Sequence[Mapping[str, Any]]
"""A conversation."""


@runtime_checkable
class Model(Protocol):
    """A model of your own. For one sequence at a time."""

    context: int | None
    """Most tokens of a prompt and its output together; ``None`` without a bound."""

    def vocabulary(self) -> Vocabulary:
        """The vocabulary, as wide as the rows of logits."""
        ...

    def encode(self, prompt: str | Messages) -> list[int]:
        """The tokens of a prompt or a conversation."""
        ...

    def spell(self, text: str) -> list[int] | None:
        """The tokens of a text that goes on where others ended, without control tokens: for bytes that a grammar forces. ``None`` where there
        is no tokenizer."""
        ...

    def feed(self, kept: int, tokens: list[int]) -> Any:
        """Keeps so many tokens of the sequence, reads these behind them, and returns the logits behind the last: one row of ``float32`` that may
        be written to, of numpy or torch."""
        ...


@dataclass(frozen=True)
class Opened:
    """A model with a compiler for its vocabulary."""

    model: Model
    compiler: Compiler

    def spell(self, text: str) -> list[int] | None:
        """The tokens of a text, byte for byte; ``None`` where the tokenizer cannot spell it."""
        vocabulary = self.compiler.vocabulary
        tokens = self.model.spell(text)
        if tokens is None or b"".join(map(vocabulary.token_bytes, tokens)) == text.encode():
            return tokens
        # Some tokenizers put a space before every text: the tokens of a text that goes on are those after a line feed.
        tokens = self.model.spell("\n" + text) or []
        cuts = range(len(tokens) + 1)
        cut = next((at for at in cuts if b"".join(map(vocabulary.token_bytes, tokens[at:])) == text.encode()), None)
        return None if cut is None else tokens[cut:]


_HOSTS: tuple[tuple[str, str], ...] = (
    ("llama_cpp", "grammarc.hosts._llama_cpp_model"),
    ("transformers", "grammarc.hosts._transformers_model"),
)
"""For each Python package whose models are supported, the module that runs them."""

_COMPILERS: WeakKeyDictionary[Any, Compiler] = WeakKeyDictionary()
"""By model, so that a second call compiles nothing anew."""


def opened(model: Any, tokenizer: Any, compiler: Compiler | None) -> Opened:
    """A model for one sequence. Raises ``TypeError`` for what is no model."""
    run = model if isinstance(model, Model) else _host_of(model)(model, tokenizer)
    if compiler is None:
        compiler = _COMPILERS.get(model)
    if compiler is None:
        compiler = _COMPILERS[model] = Compiler(run.vocabulary(), early=True)
    return Opened(run, compiler)


def _host_of(model: Any) -> Callable[[Any, Any], Model]:
    """The class that runs a model of a package."""
    packages = {base.__module__.partition(".")[0] for base in type(model).__mro__}
    for package, module in _HOSTS:
        if package in packages:
            made: Callable[[Any, Any], Model] = import_module(module).HostModel
            return made
    raise TypeError(
        f"{type(model).__name__} is no model of transformers and no Llama of llama-cpp-python; write the methods of "
        "grammarc.generation.Model for one of your own"
    )
