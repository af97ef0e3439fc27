"""vLLM's requests for the checks of ``contract``, on stubs and on vLLM's own modules."""

from __future__ import annotations

import functools
from types import SimpleNamespace
from typing import Any

import contract
import numpy as np
from hosts import vllm_modules

from grammarc.hosts import vllm


class Vllm(contract.Sequence):
    def __init__(self, modules: SimpleNamespace, kind: str, source: str, backend: Any = None) -> None:
        self.modules = modules
        self.kind, self.source = kind, source
        if backend is None:
            made = vllm.backend_class(modules.backend_types, modules.backend_xgrammar, modules.utils)
            backend = made(vllm_modules.config(), contract.Tokenizer(), contract.WIDTH)
        self.backend = backend
        option = modules.backend_types.StructuredOutputOptions[kind]
        self.grammar = backend.compile_grammar(option, source, stop_token_ids=set(contract.ENDS))
        assert isinstance(self.grammar, modules.backend_types.StructuredOutputGrammar)

    def row(self) -> np.ndarray:
        mask = contract.rows(3)
        self.grammar.fill_bitmask(mask, 1)
        assert (mask[[0, 2]] == -1).all()
        return mask[1]

    def accept(self, token: int) -> bool:
        return self.grammar.accept_tokens("request", [token])  # type: ignore[no-any-return]

    def rollback(self, tokens: int) -> None:
        self.grammar.rollback(tokens)

    def is_finished(self) -> bool:
        return self.grammar.is_terminated()  # type: ignore[no-any-return]

    def fills_when_finished(self) -> bool:
        return False

    def validate(self, tokens: list[int]) -> int:
        valid = self.grammar.validate_tokens(tokens)
        assert valid == tokens[: len(valid)]
        return len(valid)

    def draft_rows(self, tokens: list[int]) -> list[np.ndarray]:
        manager = self.modules.structured_output.StructuredOutputManager
        if hasattr(manager, "grammar_bitmask") and _has_torch():
            return self.rows_of_the_manager(manager, tokens)
        # As the manager does it.
        rows, taken = [self.row()], 0
        for token in tokens:
            if self.grammar.is_terminated() or not self.grammar.accept_tokens("request", [token]):
                break
            taken += 1
            rows.append(self.row())
        if taken:
            self.grammar.rollback(taken)
        return rows

    def rows_of_the_manager(self, manager_class: Any, tokens: list[int]) -> list[np.ndarray]:
        """The rows that vLLM's manager hands to its workers."""
        import torch

        manager = object.__new__(manager_class)
        config = vllm_modules.config()
        config.num_speculative_tokens = len(tokens)
        config.scheduler_config = SimpleNamespace(max_num_seqs=2)
        manager.__dict__.update(
            backend=self.backend,
            vllm_config=config,
            reasoner_cls=None,
            enable_in_reasoning=False,
            fill_bitmask_parallel_threshold=128,
            _grammar_bitmask=None,
            _full_mask=torch.tensor(-1, dtype=torch.int32),
        )
        structured = SimpleNamespace(grammar=self.grammar, reasoning_ended=True)
        request = SimpleNamespace(use_structured_output=True, structured_output_request=structured)
        mask = manager.grammar_bitmask({"request": request}, ["request"], {"request": list(tokens)})
        return list(mask[: len(tokens) + 1])

    def reset(self) -> None:
        self.grammar.reset()

    def fresh(self) -> contract.Sequence:
        return Vllm(self.modules, self.kind, self.source, self.backend)


def _has_torch() -> bool:
    try:
        import torch  # noqa: F401
    except ImportError:
        return False
    return True


for name, modules in vllm_modules.each().items():
    contract.HOSTS[f"vllm {name}"] = functools.partial(Vllm, modules, "REGEX", contract.PATTERN)
    contract.HOSTS[f"vllm {name}, tag"] = functools.partial(Vllm, modules, "STRUCTURAL_TAG", contract.TAG)
