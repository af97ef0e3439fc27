"""Work on a module of a host as soon as that is imported, for plug-ins that must not import it themselves."""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any


def when_imported(name: str, act: Callable[[ModuleType], None]) -> None:
    """Calls ``act`` with a module: now if it is imported already, otherwise right after its import. What ``act`` raises fails
    that import."""
    module = sys.modules.get(name)
    if module is not None:
        act(module)
    else:
        sys.meta_path.insert(0, _Watch(name, act))


class _Watch:
    """A finder that finds one module, by way of all others, and leaves."""

    def __init__(self, name: str, act: Callable[[ModuleType], None]) -> None:
        self._name, self._act = name, act

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name != self._name:
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec(name)
        loader: Any = spec.loader if spec is not None else None
        if loader is None:
            return spec
        execute = loader.exec_module

        def exec_module(module: ModuleType) -> None:
            execute(module)
            self._act(module)

        loader.exec_module = exec_module
        return spec
