"""Making pickled objects again.

What was opened from a file is pickled as its path and digest, and opened once for all objects of a process: a pickle of a
grammar is a few hundred bytes, and the pages of its file are shared.
"""

from __future__ import annotations

from typing import TypeVar

from grammarc._errors import ArtifactError
from grammarc._native import Grammar, Matcher, Vocabulary

_vocabularies: dict[tuple[str, bytes], Vocabulary] = {}
_grammars: dict[tuple[str, bytes], Grammar] = {}

_MOST = 256
"""Objects that a table keeps; the oldest leave first."""


def open_vocabulary(path: str, fingerprint: bytes) -> Vocabulary:
    key = (str(path), fingerprint)
    found = _vocabularies.get(key)
    if found is None:
        found = Vocabulary.open(path)
        if found.fingerprint != fingerprint:
            raise ArtifactError(f"{path} holds another vocabulary than when it was pickled")
        _keep(_vocabularies, key, found)
    return found


def open_grammar(path: str, digest: bytes, vocabulary: Vocabulary | None) -> Grammar:
    key = (str(path), digest)
    found = _grammars.get(key)
    if found is None:
        found = Grammar.open(path, vocabulary)
        if found.digest != digest:
            raise ArtifactError(f"{path} holds another grammar than when it was pickled")
        _keep(_grammars, key, found)
    return found


def matcher(
    grammar: Grammar, end_tokens: list[int], logit_width: int, rollback_window: int, position: bytes
) -> Matcher:
    made = grammar.matcher(
        end_tokens=end_tokens, logit_width=logit_width, rollback_window=rollback_window
    )
    made.restore(position)
    return made


_T = TypeVar("_T")


def _keep(table: dict[tuple[str, bytes], _T], key: tuple[str, bytes], value: _T) -> None:
    while len(table) >= _MOST:
        table.pop(next(iter(table)), None)
    table[key] = value
