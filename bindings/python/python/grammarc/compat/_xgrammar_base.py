"""What the modules of the shim share: XGrammar's own names, where it is installed, and its class of errors."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any, TypeVar

from grammarc._errors import GrammarcError
from grammarc.hosts._serving import described

_T = TypeVar("_T")


@functools.cache
def real_names() -> dict[str, Any]:
    """XGrammar's own names, by the modules that they are defined in. Raises ``ImportError``."""
    names: dict[str, Any] = {}
    for module in ("tokenizer_info", "grammar", "compiler", "matcher"):
        names.update(vars(importlib.import_module(f"xgrammar.{module}")))
    return names


def is_installed() -> bool:
    """Whether XGrammar itself is installed."""
    try:
        real_names()
    except ImportError:
        return False
    return True


def real(name: str, what: str) -> Any:
    """XGrammar's own name. Raises ``RuntimeError`` where it is not installed, saying what needs it."""
    try:
        return real_names()[name]
    except ImportError as error:
        raise RuntimeError(f"grammarc: {what} need the package xgrammar, which is not installed") from error


def checked(work: Callable[[], _T]) -> _T:
    """Raises what grammarc refuses as the ``RuntimeError`` that hosts of XGrammar expect."""
    try:
        return work()
    except GrammarcError as error:
        raise RuntimeError(described(error)) from error
