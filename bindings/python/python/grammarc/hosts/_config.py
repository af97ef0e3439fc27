"""What configurations of models have in several forms."""

from __future__ import annotations

from typing import Any


def ids(given: Any) -> list[int] | None:
    """Token ids of a configuration: none, one, several, or a tensor of them."""
    if given is None:
        return None
    if hasattr(given, "tolist"):
        given = given.tolist()
    return [int(id) for id in given] if isinstance(given, (list, tuple, set)) else [int(given)]
