"""The shim ``grammarc.compat.xgrammar`` for the checks of ``contract``."""

from __future__ import annotations

import functools
from typing import Any

import contract
import numpy as np

from grammarc.compat import xgrammar


@functools.cache
def compiled(kind: str) -> xgrammar.CompiledGrammar:
    info = xgrammar.TokenizerInfo.from_huggingface(contract.Tokenizer(), vocab_size=contract.WIDTH)
    compiler = xgrammar.GrammarCompiler(info)
    if kind == "tag":
        return compiler.compile_structural_tag(contract.TAG)
    return compiler.compile_regex(contract.PATTERN)


class Xgrammar(contract.Sequence):
    def __init__(self, kind: str, matcher: Any = None) -> None:
        self.kind = kind
        self.matcher = matcher or xgrammar.GrammarMatcher(compiled(kind), override_stop_tokens=sorted(contract.ENDS))

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
        return Xgrammar(self.kind)

    def fork(self) -> contract.Sequence:
        return Xgrammar(self.kind, self.matcher.fork())


contract.HOSTS["xgrammar shim"] = functools.partial(Xgrammar, "regex")
contract.HOSTS["xgrammar shim, tag"] = functools.partial(Xgrammar, "tag")
