"""The shim ``grammarc.compat.xgrammar`` for the checks of ``contract``."""

from __future__ import annotations

import functools
from typing import Any

import contract
import numpy as np

from grammarc.compat import xgrammar


@functools.cache
def compiled() -> xgrammar.CompiledGrammar:
    info = xgrammar.TokenizerInfo.from_huggingface(contract.Tokenizer(), vocab_size=contract.WIDTH)
    return xgrammar.GrammarCompiler(info).compile_regex(contract.PATTERN)


class Xgrammar(contract.Sequence):
    def __init__(self, matcher: Any = None) -> None:
        self.matcher = matcher or xgrammar.GrammarMatcher(compiled(), override_stop_tokens=sorted(contract.ENDS))

    def row(self) -> np.ndarray:
        mask = contract.rows(2)
        assert self.matcher.fill_next_token_bitmask(mask, 1)
        assert (mask[0] == -1).all()
        return mask[1]

    def accept(self, token: int) -> bool:
        return self.matcher.accept_token(token)  # type: ignore[no-any-return]

    def rollback(self, tokens: int) -> None:
        self.matcher.rollback(tokens)

    def is_finished(self) -> bool:
        return self.matcher.is_terminated()  # type: ignore[no-any-return]

    def fills_when_finished(self) -> bool:
        return False

    def reset(self) -> None:
        self.matcher.reset()

    def fresh(self) -> contract.Sequence:
        return Xgrammar()

    def fork(self) -> contract.Sequence:
        return Xgrammar(self.matcher.fork())


contract.HOSTS["xgrammar shim"] = Xgrammar
