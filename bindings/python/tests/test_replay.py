"""Masks of known outputs, masses and artifacts by digest, beside numpy and plain definitions."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import END, TURN, byte_tokens

import grammarc

WIDTH = len(byte_tokens()) + 45
SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 40}, "n": {"type": "array", "items": {"type": "integer"}}},
    "required": ["name", "n"],
    "additionalProperties": False,
}
OPTIONS: dict[str, Any] = {"end_tokens": [END, TURN], "logit_width": WIDTH}


@pytest.fixture(scope="module")
def grammar(compiler: grammarc.Compiler) -> grammarc.Grammar:
    return compiler.json_schema(SCHEMA)


def outputs(grammar: grammarc.Grammar, count: int) -> Iterator[list[int]]:
    """Outputs that are drawn evenly among what is allowed, to their ends or to 300 tokens."""
    for seed in range(count):
        pick, matcher, tokens = random.Random(seed), grammar.matcher(**OPTIONS), []
        while not matcher.is_finished and len(tokens) < 300:
            tokens.append(pick.choice(matcher.allowed()))
            matcher.accept(tokens[-1])
        yield tokens


def bits(row: np.ndarray) -> np.ndarray:
    return np.unpackbits(row.view(np.uint8), bitorder="little")[:WIDTH].astype(bool)


def test_rows_are_those_of_the_loop(grammar: grammarc.Grammar) -> None:
    for tokens in outputs(grammar, 6):
        found = grammarc.replay(grammar, tokens, **OPTIONS)
        assert (found.accepted, found.tokens) == (len(tokens), tokens)
        rows, matcher = np.asarray(found.rows), grammar.matcher(**OPTIONS)
        assert rows.shape == (len(tokens), -(-WIDTH // 32))
        for row, token in zip(rows, tokens, strict=True):
            assert np.flatnonzero(bits(row)).tolist() == matcher.allowed()
            matcher.accept(token)
        # Into an array with more rows, from an array of tokens: rows behind stay as they are.
        given = np.zeros((len(tokens) + 2, rows.shape[1]), dtype=np.int32)
        again = grammarc.replay(grammar, np.array(tokens), given, **OPTIONS)
        assert again.rows is given and again.tokens == tokens
        assert (given[: len(tokens)] == rows).all() and (given[len(tokens) :] == 0).all()


@pytest.mark.parametrize("most", [1, 7, 1024])
def test_parts_are_the_whole(grammar: grammarc.Grammar, most: int) -> None:
    (tokens,) = outputs(grammar, 1)
    whole = np.asarray(grammarc.replay(grammar, tokens, **OPTIONS).rows)
    at = 0
    for part in grammarc.replay_parts(grammar, tokens, most, **OPTIONS):
        assert part.accepted == len(part.tokens) <= most and part.tokens == tokens[at : at + most]
        assert (np.asarray(part.rows)[: part.accepted] == whole[at : at + most]).all()
        at += part.accepted
    assert at == len(tokens)


def test_a_refused_token_ends_it(grammar: grammarc.Grammar) -> None:
    (tokens,) = outputs(grammar, 1)
    for bad in (END, -1, WIDTH - 1, 1 << 40):
        wrong = [*tokens[:5], bad, *tokens[6:12]]
        found = grammarc.replay(grammar, wrong, **OPTIONS)
        rows = np.asarray(found.rows)
        assert found.accepted == 5 and (rows[6:] == rows[5]).all()
        assert [part.accepted for part in grammarc.replay_parts(grammar, wrong, 4, **OPTIONS)] == [4, 1]
    assert grammarc.replay(grammar, [], **OPTIONS).accepted == 0
    assert list(grammarc.replay_parts(grammar, [], **OPTIONS)) == []


def test_rows_that_are_too_few_are_refused(grammar: grammarc.Grammar) -> None:
    (tokens,) = outputs(grammar, 1)
    matcher = grammar.matcher(**OPTIONS)
    with pytest.raises(IndexError, match="rows of 5 masks"):
        matcher.replay(tokens[:5], grammarc.Bitmask(5, WIDTH), 1)
    with pytest.raises(ValueError):
        matcher.replay(tokens[:5], grammarc.Bitmask(5, WIDTH - 64))
    with pytest.raises(ValueError, match="at least one row"):
        next(grammarc.replay_parts(grammar, tokens, 0, **OPTIONS))
    assert matcher.rollback_depth == 0
    assert matcher.replay(tokens[:5], grammarc.Bitmask(9, WIDTH), 2) == 5 and matcher.rollback_depth == 5


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_masses_are_numpy_s(grammar: grammarc.Grammar, dtype: Any) -> None:
    pick = np.random.default_rng(1)
    for tokens in outputs(grammar, 3):
        matcher = grammar.matcher(**OPTIONS)
        for token in tokens:
            logits = (pick.normal(size=(2, WIDTH)) * 8).astype(dtype)
            exact = logits[1].astype(np.float64)
            sums = [float(np.log(np.exp(part - part.max()).sum()) + part.max()) for part in (exact, exact[matcher.allowed()])]
            for log_sum in (None, sums[0]):
                assert matcher.log_mass(logits, log_sum, 1) == pytest.approx(sums[1] - sums[0], abs=1e-5)
            matcher.accept(token)


def test_masses_ask_for_sound_numbers(grammar: grammarc.Grammar) -> None:
    matcher, row = grammar.matcher(**OPTIONS), np.zeros(WIDTH, dtype=np.float32)
    assert matcher.log_mass(row) == pytest.approx(math.log(len(matcher.allowed()) / WIDTH))
    for bad in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="log-sum-exp"):
            matcher.log_mass(row, bad)
    with pytest.raises(ValueError, match="logits"):
        matcher.log_mass(row[:-1].copy())
    with pytest.raises(ValueError, match="several rows"):
        matcher.log_mass(np.zeros((2, WIDTH), dtype=np.float32))


@pytest.fixture
def folder(tmp_path: Path, vocabulary: grammarc.Vocabulary, grammar: grammarc.Grammar) -> Path:
    """A folder as ``grammarc build`` makes them, with files that are no artifacts."""
    (tmp_path / "v" / "deep").mkdir(parents=True)
    vocabulary.save(tmp_path / "v.gvocab")
    grammar.save(tmp_path / "v" / "deep" / "a.gmask")
    (tmp_path / "v" / "empty.gmask").touch()
    (tmp_path / "v" / "other.gmask").write_bytes(b"x" * 400)
    (tmp_path / "index.json").write_text("{}")
    return tmp_path


def test_artifacts_by_digest(folder: Path, grammar: grammarc.Grammar, monkeypatch: pytest.MonkeyPatch) -> None:
    for digest in (grammar.digest, grammar.digest.hex()):
        found = grammarc.open_artifact(digest, [folder / "nothing", folder])
        assert found == grammar and found.path == folder / "v" / "deep" / "a.gmask"
    # Opened once, whoever asks.
    assert grammarc.open_artifact(grammar.digest, [folder]) is found
    assert grammarc.open_artifact(grammar.digest, [folder], vocabulary=grammar.vocabulary).digest == grammar.digest
    monkeypatch.setenv("GRAMMARC_ARTIFACTS", str(folder))
    assert grammarc.open_artifact(grammar.digest) is found


def test_artifacts_that_are_not_there(folder: Path, grammar: grammarc.Grammar) -> None:
    for bad in ("", "xyz", "00" * 31, b"short", "0" * 65):
        with pytest.raises(ValueError, match="a digest has 32 bytes"):
            grammarc.open_artifact(bad, [folder])
    with pytest.raises(grammarc.ArtifactError, match="there is no artifact 0000.* in "):
        grammarc.open_artifact(bytes(32), [folder])
    with pytest.raises(grammarc.ArtifactError, match="in no folder"):
        grammarc.open_artifact(bytes(32), [])
    other = grammarc.Vocabulary.from_tokens([b"a", b"<end>"], special_ids=[1], end_tokens=[1])
    with pytest.raises(grammarc.VocabularyMismatch, match="another vocabulary"):
        grammarc.open_artifact(grammar.digest, [folder], vocabulary=other)
    (folder / "v.gvocab").unlink()
    with pytest.raises(grammarc.ArtifactError):
        grammarc.open_artifact(grammar.digest, [folder / "v"])


def test_folders_are_looked_through_again(folder: Path, compiler: grammarc.Compiler, grammar: grammarc.Grammar) -> None:
    known, slow = grammarc.ArtifactFolders([folder], seconds=0), grammarc.ArtifactFolders([folder])
    assert known.open(grammar.digest) == slow.open(grammar.digest)
    later = compiler.regex("later")
    for folders in (known, slow):
        with pytest.raises(grammarc.ArtifactError):
            folders.open(later.digest)
    later.save(folder / "later.gmask")
    assert known.open(later.digest).language == "regex"
    # Not sooner than ten seconds after the last time.
    with pytest.raises(grammarc.ArtifactError):
        slow.open(later.digest)
    # A file that was replaced is not what it was.
    grammar.save(folder / "later.gmask")
    with pytest.raises(grammarc.ArtifactError):
        known.open(compiler.regex("other").digest)
    (folder / "v" / "deep" / "a.gmask").unlink()
    assert grammarc.ArtifactFolders([folder]).open(grammar.digest).path == folder / "later.gmask"


def test_a_record_is_a_digest_and_tokens(folder: Path, grammar: grammarc.Grammar) -> None:
    """What a trainer keeps of an output gives its masks again, in a process that compiled nothing."""
    (tokens,) = outputs(grammar, 1)
    record = json.dumps({"grammar": grammar.digest.hex(), "tokens": tokens})
    read = json.loads(record)
    opened = grammarc.open_artifact(read["grammar"], [folder])
    first, again = (np.asarray(grammarc.replay(one, read["tokens"], **OPTIONS).rows) for one in (grammar, opened))
    assert (first == again).all()
