"""SGLang's registry of speculative algorithms and its worker of n-grams for tests: the interfaces of 0.5.23 that drafts rely on. The
registry is SGLang's own, and so is ``spec_utils``, where ``GRAMMARC_SGLANG=1`` says that it is installed. The worker needs kernels."""

from __future__ import annotations

import enum
import os
from types import SimpleNamespace
from typing import Any

import numpy as np
from hosts import sglang_spec_utils


def each() -> dict[str, Any]:
    """The modules ``spec_info`` and ``spec_utils`` by name."""
    found: dict[str, Any] = {"stubs": (registry(), sglang_spec_utils)}
    if os.environ.get("GRAMMARC_SGLANG") == "1":
        from sglang.srt.speculative import spec_info, spec_utils

        found["itself"] = (spec_info, spec_utils)
    return found


def options(**more: Any) -> SimpleNamespace:
    """Options of a server."""
    named: dict[str, Any] = {
        "grammar_backend": "grammarc",
        "speculative_algorithm": "GRAMMARC",
        "device": "cuda",
        "disable_overlap_schedule": False,
        "max_running_requests": None,
        "enable_mixed_chunk": True,
        "speculative_ngram_max_bfs_breadth": 4,
        "speculative_ngram_external_corpus_path": None,
        "speculative_num_draft_tokens": None,
        "speculative_num_steps": None,
        "speculative_eagle_topk": None,
        "page_size": 1,
        "attention_backend": "triton",
        "attn_dp_size": 1,
        "ep_join_mode": None,
    }
    return SimpleNamespace(**{**named, **more})


def registry() -> SimpleNamespace:
    """The module ``spec_info`` of SGLang 0.5.23."""
    registered: dict[str, Any] = {}

    class CustomSpecAlgo:
        def __init__(
            self, name: str, factory: Any, *, supports_overlap: bool = False, validate_server_args: Any = None
        ) -> None:
            self.name, self.factory, self.supports_overlap = name, factory, supports_overlap

        def is_ngram(self) -> bool:
            return False

        def handle_server_args(self, server_args: Any) -> None: ...

        def create_worker(self, server_args: Any) -> Any:
            return self.factory(server_args)

    class SpeculativeAlgorithm(enum.Enum):
        NGRAM = enum.auto()
        NONE = enum.auto()

        @classmethod
        def from_string(cls, name: str | None) -> Any:
            if name in cls.__members__:
                return cls[str(name)]
            if name not in registered:
                raise ValueError(f"Unknown speculative algorithm name: {name}")
            return registered[name]

        @classmethod
        def register(
            cls,
            name: str,
            *,
            supports_overlap: bool = False,
            validate_server_args: Any = None,
            spec_class: Any = CustomSpecAlgo,
        ) -> Any:
            def decorator(factory: Any) -> Any:
                assert name not in registered
                registered[name] = spec_class(
                    name=name,
                    factory=factory,
                    supports_overlap=supports_overlap,
                    validate_server_args=validate_server_args,
                )
                return factory

            return decorator

        def is_ngram(self) -> bool:
            return self is SpeculativeAlgorithm.NGRAM

        def is_eagle(self) -> bool:
            return False

        def has_draft_kv(self) -> bool:
            return not self.is_ngram()

        def handle_server_args(self, server_args: Any) -> None:
            if server_args.device not in ("cuda", "cpu", "xpu"):
                raise ValueError("Ngram speculative decoding only supports CUDA, CPU, or XPU devices.")

            def declare(**fields: Any) -> None:
                server_args._resolved_overrides.append(("ngram", fields))

            declare(enable_mixed_chunk=False, speculative_eagle_topk=server_args.speculative_ngram_max_bfs_breadth)
            declare(speculative_num_draft_tokens=12, max_running_requests=48)

        def create_worker(self, server_args: Any) -> Any: ...

    return SimpleNamespace(SpeculativeAlgorithm=SpeculativeAlgorithm, CustomSpecAlgo=CustomSpecAlgo)


class NGRAMWorker:
    """A worker whose n-grams find what a test says: chains of tokens, one for each request."""

    def __init__(self, server_args: Any, gpu_id: int, nccl_port: int, target_worker: Any) -> None:
        self._target_worker = target_worker
        self.draft_token_num = server_args.speculative_num_draft_tokens
        self.topk = server_args.speculative_eagle_topk

    def _prepare_draft_tokens(self, batch: Any) -> tuple[np.ndarray, np.ndarray]:
        nodes = self.draft_token_num
        tokens = np.zeros((len(batch.reqs), nodes), dtype=np.int64)
        ancestors = np.zeros((len(batch.reqs), nodes, nodes), dtype=np.int64)
        for request, its_tokens, its_ancestors in zip(batch.reqs, tokens, ancestors, strict=True):
            found = request.ngrams[: nodes - 1]
            its_tokens[0] = request.output_ids[-1]
            its_tokens[1 : 1 + len(found)] = found
            # What is left is token 0 behind the root, as often as there is room.
            its_ancestors[:, 0] = 1
            for node in range(nodes):
                its_ancestors[node, : min(node, len(found)) if node <= len(found) else 1] = 1
                its_ancestors[node, node] = 1
        return tokens.reshape(-1), ancestors.reshape(-1)


class ScheduleBatch:
    """The requests of a step."""

    def __init__(self, reqs: list[Any]) -> None:
        self.reqs = reqs
        self.has_grammar = any(request.grammar is not None for request in reqs)

    def grammar_needs_sync(self) -> bool:
        return self.has_grammar
