"""Whether a host is the one that a plug-in was written for.

Plug-ins replace names inside of their hosts, and hosts move. So each looks at what it is about to replace, when it is
installed: a name that is missing or takes other arguments is an error then, with the place in it, and never a request that
runs without its constraint.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import inspect
from collections.abc import Callable
from types import ModuleType
from typing import Any

from grammarc.hosts._serving import HostMismatch

__all__ = ["Host", "HostMismatch"]


class Host:
    """One host, by the name of its distribution and the versions that the plug-in was run with."""

    def __init__(self, distribution: str, known: str) -> None:
        self.distribution = distribution
        self.known = known

    @property
    def version(self) -> str:
        """Version that is installed, as far as it says."""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return "of an unknown version"

    def module(self, name: str) -> ModuleType:
        """A module of the host."""
        try:
            return importlib.import_module(name)
        except ImportError as error:
            raise HostMismatch(
                f"{self.distribution} cannot be imported ({error}); this plug-in knows {self.known}"
            ) from error

    def member(self, owner: Any, name: str) -> Any:
        """Something that the plug-in replaces or calls."""
        found = getattr(owner, name, None)
        if found is None:
            raise self.mismatch(f"{_name(owner)} has no {name}")
        return found

    def takes(self, function: Callable[..., Any], *parameters: str) -> None:
        """Checks that a function has these parameters, in this order and before all others without a default."""
        found = list(inspect.signature(function).parameters.values())
        if found and found[0].name == "self":
            found = found[1:]
        names = [parameter.name for parameter in found]
        needed = [
            parameter.name
            for parameter in found[len(parameters) :]
            if parameter.default is parameter.empty
            and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        ]
        if tuple(names[: len(parameters)]) != parameters or needed:
            raise self.mismatch(
                f"{_name(function)} takes ({', '.join(names)}), and not ({', '.join(parameters)})"
            )

    def mismatch(self, reason: str) -> HostMismatch:
        """The error for something that is not as expected."""
        return HostMismatch(
            f"{self.distribution} {self.version} is not as this plug-in knows it ({self.known}): {reason}. "
            "Nothing was replaced; use a version that it knows, or a grammarc that knows this one"
        )


def _name(of: Any) -> str:
    return getattr(of, "__qualname__", None) or getattr(of, "__name__", None) or type(of).__qualname__
