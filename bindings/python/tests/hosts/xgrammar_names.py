"""Writes ``xgrammar_names.json`` beside this file: the public names of the installed XGrammar, with their parameters.

    python bindings/python/tests/hosts/xgrammar_names.py

``test_xgrammar_signatures.py`` holds the shim against it, also where XGrammar is not installed.
"""

from __future__ import annotations

import importlib
import inspect
import json
from importlib.metadata import version
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_suffix(".json")

def parameters(function: Any) -> list[dict[str, Any]] | None:
    """The parameters of a function: name, kind and default; None of what has no signature."""
    try:
        found = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        {"name": one.name, "kind": one.kind.name, **({} if one.default is one.empty else {"default": shown(one.default)})}
        for one in found
        if one.name not in ("self", "cls")
    ]


def shown(value: Any) -> str:
    """A default as text. Enumerations by their names alone, since a shim has its own."""
    return f"<{value.name}>" if hasattr(value, "name") else repr(value)


def members(owner: type) -> dict[str, Any]:
    """The public members of a class: their parameters, or None of attributes and properties. Overloads have none either."""
    found: dict[str, Any] = {"__init__": parameters(owner.__init__)}  # type: ignore[misc]
    for name in vars(owner):
        if not name.startswith("_"):
            member = getattr(owner, name)
            found[name] = parameters(member) if callable(member) else None
    return found


def names() -> dict[str, Any]:
    """The names of the installed XGrammar."""
    module, found = importlib.import_module("xgrammar"), dict[str, Any]()
    for name, value in sorted(vars(module).items()):
        if name.startswith("_") or not getattr(value, "__module__", "").startswith("xgrammar"):
            continue
        found[name] = {"members": members(value)} if inspect.isclass(value) else {"parameters": parameters(value)}
    return {"version": version("xgrammar"), "names": found}


if __name__ == "__main__":
    FILE.write_text(json.dumps(names(), indent=1, sort_keys=True) + "\n")
