"""SGLang's requests for the checks of ``contract``."""

from __future__ import annotations

import functools
from typing import Any

import contract
import numpy as np
from hosts import sglang_modules

from grammarc.hosts import _sglang_trees, sglang


@functools.cache
def backend(name: str) -> Any:
    made = sglang.backend_class(sglang_modules.each()[name])
    return made(contract.Tokenizer(), contract.WIDTH, set(contract.ENDS))


class Sglang(contract.Sequence):
    def __init__(self, name: str, kind: str, source: str, grammar: Any = None) -> None:
        self.name, self.kind, self.source = name, kind, source
        self.grammar = getattr(backend(name), f"dispatch_{kind}")(source) if grammar is None else grammar

    def row(self) -> np.ndarray:
        mask = contract.rows(3)
        self.grammar.fill_vocab_mask(mask, 1)
        assert (mask[[0, 2]] == -1).all()
        batch = contract.rows(3)
        row = sglang_modules.each()["stubs"].GrammarRow(2, self.grammar)
        self.grammar.fill_vocab_mask_batched([row], batch)
        assert (batch[2] == mask[1]).all() and (batch[:2] == -1).all()
        return mask[1]

    def accept(self, token: int) -> bool:
        try:
            self.grammar.accept_token(token)
        except ValueError:
            return False
        return True

    def rollback(self, tokens: int) -> None:
        self.grammar.rollback(tokens)

    def is_finished(self) -> bool:
        return self.grammar.is_terminated()  # type: ignore[no-any-return]

    def fills_when_finished(self) -> bool:
        return False

    def draft_rows(self, tokens: list[int]) -> list[np.ndarray]:
        # As SGLang goes through a tree that is a chain: a draft is looked up in the row before it.
        rows = [self.row()]
        taken = 0
        for token in tokens:
            if not rows[-1].view(np.uint32)[token // 32] >> np.uint32(token % 32) & 1:
                break
            self.grammar.accept_token(token)
            taken += 1
            if self.grammar.is_terminated():
                break
            rows.append(self.row())
        for _ in range(taken):
            self.grammar.rollback(1)
        # The same by one call.
        filled = contract.rows(len(tokens) + 1)
        chain = list(range(-1, len(tokens) - 1))
        _sglang_trees.fill(self.grammar._matcher, [0, *tokens], chain, contract.ENDS, filled)
        assert all((row == other).all() for row, other in zip(rows, filled, strict=False))
        return rows

    def fresh(self) -> contract.Sequence:
        return Sglang(self.name, self.kind, self.source, self.grammar.copy())


for name in sglang_modules.each():
    contract.HOSTS[f"sglang {name}"] = functools.partial(Sglang, name, "regex", contract.PATTERN)
    contract.HOSTS[f"sglang {name}, tag"] = functools.partial(Sglang, name, "structural_tag", contract.TAG)
