"""SGLang's module ``base_grammar_backend`` for tests: its interfaces in 0.5.23, written down, and its own where ``GRAMMARC_SGLANG=1``
says that it is installed and may be imported, which takes a while."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, NamedTuple


def each() -> dict[str, Any]:
    """Modules by name."""
    found: dict[str, Any] = {"stubs": stubs()}
    if os.environ.get("GRAMMARC_SGLANG") == "1":
        from sglang.srt.constrained import base_grammar_backend

        found["itself"] = base_grammar_backend
    return found


def serving(**more: Any) -> SimpleNamespace:
    """Options of a server."""
    options: dict[str, Any] = {
        "constrained_json_disable_any_whitespace": False,
        "constrained_json_max_whitespace_cnt": None,
        "reasoning_parser": None,
        "enable_strict_thinking": False,
    }
    return SimpleNamespace(**{**options, **more})


def stubs() -> SimpleNamespace:
    """The interfaces of SGLang 0.5.23."""

    @dataclass
    class GrammarStats:
        compilation_time: float | None = None
        is_cache_hit: bool = False
        tree_traversal_time: list[float] = field(default_factory=list)
        dispatch_type: str | None = None

    class GrammarRow(NamedTuple):
        row: int
        grammar: Any

    class BaseGrammarObject:
        def __init__(self) -> None:
            self._finished = False
            self.grammar_stats: Any = None
            self.current_token: Any = None

        def maybe_init_reasoning(self, reasoning: bool) -> None: ...
        def accept_token(self, token: int) -> None: ...
        def rollback(self, k: int) -> None: ...
        def is_terminated(self) -> bool: ...
        def allocate_vocab_mask(self, vocab_size: int, batch_size: int, device: Any) -> Any: ...
        def fill_vocab_mask(self, vocab_mask: Any, idx: int) -> None: ...

        @staticmethod
        def fill_vocab_mask_batched(entries: Any, vocab_mask: Any) -> None: ...
        @staticmethod
        def reset_vocab_mask(vocab_mask: Any) -> None: ...
        @staticmethod
        def move_vocab_mask(vocab_mask: Any, device: Any) -> Any: ...
        @staticmethod
        def apply_vocab_mask(logits: Any, vocab_mask: Any) -> None: ...

        def copy(self) -> Any:
            return self

        @property
        def finished(self) -> bool:
            return self._finished

        @finished.setter
        def finished(self, finished: bool) -> None:
            self._finished = finished

        def try_jump_forward(self, tokenizer: Any) -> Any: ...

    class InvalidGrammarObject(BaseGrammarObject):
        def __init__(self, error_message: str = "Unknown grammar error") -> None:
            super().__init__()
            self.error_message = error_message

    class BaseGrammarBackend:
        def __init__(self) -> None:
            self.executor = ThreadPoolExecutor()
            self.cache: dict[Any, Any] = {}

        def dispatch_json(self, key_string: str) -> Any: ...
        def dispatch_regex(self, key_string: str) -> Any: ...
        def dispatch_ebnf(self, key_string: str) -> Any: ...
        def dispatch_structural_tag(self, key_string: str) -> Any: ...

        def _init_value_dispatch(self, key: Any, require_reasoning: bool) -> Any:
            return getattr(self, f"dispatch_{key[0]}")(key[1])

        def get_cached_or_future_value(self, key: Any, require_reasoning: bool) -> Any:
            value = self.cache.get(key)
            if value:
                copied_value = value.copy()
                copied_value.maybe_init_reasoning(require_reasoning)
                return copied_value, True
            value = self.executor.submit(self._init_value_dispatch, key, require_reasoning)
            return value, False

        def set_cache(self, key: Any, value: Any) -> None:
            self.cache[key] = value

    return SimpleNamespace(
        GrammarStats=GrammarStats,
        GrammarRow=GrammarRow,
        BaseGrammarObject=BaseGrammarObject,
        InvalidGrammarObject=InvalidGrammarObject,
        BaseGrammarBackend=BaseGrammarBackend,
    )
