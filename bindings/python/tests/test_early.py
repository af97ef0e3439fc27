"""Grammars that are used before their masks are computed."""

from __future__ import annotations

import pickle
import random
from pathlib import Path

import numpy as np
import pytest

import grammarc

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^[a-z]+(-[a-z]+)*$", "maxLength": 300},
        "tags": {"type": "array", "items": {"enum": ["red", "green", "blue"]}, "maxItems": 4},
        "count": {"type": "integer", "minimum": 3},
    },
    "required": ["name", "count"],
}


@pytest.fixture
def early(vocabulary: grammarc.Vocabulary) -> grammarc.Compiler:
    return grammarc.Compiler(vocabulary, threads=1, early=True)


def test_masks_are_those_of_the_whole_grammar(
    early: grammarc.Compiler, compiler: grammarc.Compiler, vocabulary: grammarc.Vocabulary
) -> None:
    grammar, whole = early.json_schema(SCHEMA), compiler.json_schema(SCHEMA)
    draw = random.Random(48)
    for _ in range(4):
        one, other = grammar.matcher(), whole.matcher()
        rows = np.zeros((2, -(-vocabulary.logit_width // 32)), dtype=np.int32)
        for _ in range(12):
            one.fill(rows, 0)
            other.fill(rows, 1)
            assert (rows[0] == rows[1]).all()
            allowed = np.flatnonzero(np.unpackbits(rows[0].view(np.uint8), bitorder="little"))
            if not len(allowed) or one.is_finished:
                break
            token = int(draw.choice(allowed))
            one.accept(token)
            other.accept(token)
    assert grammar.wait() and grammar.is_complete


def test_whatever_needs_the_artifact_waits_for_it(
    early: grammarc.Compiler, compiler: grammarc.Compiler, tmp_path: Path
) -> None:
    whole = compiler.json_schema(SCHEMA)
    assert whole.is_complete and whole.wait(0)
    assert early.json_schema(SCHEMA) == whole
    assert early.json_schema({"enum": [1, 2]}).digest == compiler.json_schema({"enum": [1, 2]}).digest
    grammar = early.json_schema({"type": "array", "items": SCHEMA})
    grammar.save(tmp_path / "a.gmask")
    opened = grammarc.Grammar.open(tmp_path / "a.gmask", grammar.vocabulary)
    assert opened == grammar and opened.is_complete
    assert pickle.loads(pickle.dumps(early.json_schema({"type": "integer"}))).is_complete


def test_a_second_request_finds_the_artifact(early: grammarc.Compiler) -> None:
    early.json_schema(SCHEMA).wait()
    before = early.stats.compiled
    assert early.json_schema(SCHEMA).is_complete
    assert early.stats.compiled == before == 1


def test_errors_of_the_source_come_at_once_and_limits_of_masks_when_they_are_met(
    vocabulary: grammarc.Vocabulary, early: grammarc.Compiler
) -> None:
    with pytest.raises(grammarc.SourceError):
        early.json_schema({"type": "strin"})
    narrow = grammarc.Compiler(vocabulary, threads=1, early=True, limits={"pairs": 1})
    grammar = narrow.json_schema(SCHEMA)
    with pytest.raises(grammarc.LimitError):
        grammar.wait()
    assert not grammar.is_complete
    grammar.check('{"name": "a-b", "count": 3}')
    row = np.zeros((1, -(-vocabulary.logit_width // 32)), dtype=np.int32)
    grammar.matcher().fill(row, 0)
    assert row.any()
