"""What a repair gives."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple


class Edit(NamedTuple):
    """One change to a text."""

    at: tuple[int, int]
    """Its place in the text, in characters."""
    kind: str
    grade: Literal["certain", "likely"]
    removed: str
    inserted: str


@dataclass(frozen=True)
class Repaired:
    """JSON out of a text that is nearly JSON."""

    text: str
    """The JSON: what was not changed stands as it stood."""
    edits: tuple[Edit, ...]
    """What was changed, from left to right; nothing where the text was right."""
    ambiguous: bool
    """Another value is as good a reading of the text."""
    truncated: bool
    """The text ended before its JSON did."""

    @property
    def value(self) -> Any:
        """The value, as :mod:`json` reads it."""
        return json.loads(self.text)

    @classmethod
    def _of(cls, outcome: str) -> Repaired:
        found = json.loads(outcome)
        edits = (Edit(**{**edit, "at": tuple(edit["at"])}) for edit in found["edits"])
        return cls(found["text"], tuple(edits), found["ambiguous"], found["truncated"])
