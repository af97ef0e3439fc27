"""The engine of XGrammar 0.2, over grammarc: the names that serving stacks use of ``xgrammar``.

>>> from grammarc.compat import xgrammar
>>> xgrammar.install()          # before the host imports its own

puts them where programs look for them: into the package ``xgrammar`` where that is installed, or as that package where it is not.
What only XGrammar takes (Lark grammars that lead to others by name, some options of structural tags) it compiles where it is installed,
and is refused where it is not; whatever this module does not have is looked up in it too.

As there: ``fill_next_token_bitmask`` says whether the mask forbids anything and raises ``RuntimeError`` behind the end, ``accept_token``
is False for whatever is not accepted, rollback has no bound, ``strict_mode`` closes objects, any whitespace is allowed by default. Other
than there, whitespace comes in runs of at most 19 unless ``max_whitespace_cnt`` says otherwise, and control tokens match no text.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any

from grammarc.compat._xgrammar_base import real_names
from grammarc.compat._xgrammar_compiler import (
    CompiledGrammar,
    Grammar,
    GrammarCompiler,
)
from grammarc.compat._xgrammar_matcher import (
    BatchGrammarMatcher,
    GrammarMatcher,
    allocate_token_bitmask,
    apply_token_bitmask_inplace,
    get_bitmask_shape,
    reset_token_bitmask,
)
from grammarc.compat._xgrammar_tokens import TokenizerInfo, VocabType

__all__ = [
    "ENGINE",
    "BatchGrammarMatcher",
    "CompiledGrammar",
    "Grammar",
    "GrammarCompiler",
    "GrammarMatcher",
    "TokenizerInfo",
    "VocabType",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "get_bitmask_shape",
    "install",
    "reset_token_bitmask",
    "uninstall",
]

ENGINE = (
    "BatchGrammarMatcher",
    "CompiledGrammar",
    "Grammar",
    "GrammarCompiler",
    "GrammarMatcher",
    "TokenizerInfo",
    "VocabType",
    "allocate_token_bitmask",
    "apply_token_bitmask_inplace",
    "get_bitmask_shape",
    "reset_token_bitmask",
)
"""Names that :func:`install` replaces."""

_replaced: dict[str, Any] = {}


def install() -> None:
    """Puts the names of :data:`ENGINE` into ``xgrammar``, or this module in its place. Doing it again does nothing."""
    this = sys.modules[__name__]
    try:
        real = importlib.import_module("xgrammar")
    except ImportError:
        sys.modules["xgrammar"] = this
        return
    if real is this or _replaced:
        return
    real_names()
    for name in ENGINE:
        _replaced[name] = getattr(real, name)
        setattr(real, name, globals()[name])


def uninstall() -> None:
    """Takes back what :func:`install` did."""
    if sys.modules.get("xgrammar") is sys.modules[__name__]:
        del sys.modules["xgrammar"]
    for name, original in _replaced.items():
        setattr(sys.modules["xgrammar"], name, original)
    _replaced.clear()


def __getattr__(name: str) -> Any:
    if name == "bitmask_dtype":
        return importlib.import_module("torch").int32
    if name.startswith("__") or sys.modules.get("xgrammar") is sys.modules[__name__]:
        raise AttributeError(f"grammarc.compat.xgrammar has no {name}, and xgrammar is not installed")
    try:
        return getattr(importlib.import_module("xgrammar"), name)
    except ImportError as error:
        raise AttributeError(f"grammarc.compat.xgrammar has no {name}, and xgrammar is not installed") from error
