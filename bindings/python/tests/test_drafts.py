"""Drafts: tokens that a grammar forces, as chains and trees, and masks along trees."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import grammarc

CALL = {
    "type": "object",
    "properties": {
        "name": {"const": "get_weather"},
        "arguments": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "unit": {"enum": ["celsius", "fahrenheit"]}},
            "required": ["city", "unit"],
            "additionalProperties": False,
        },
    },
    "required": ["name", "arguments"],
    "additionalProperties": False,
}
ANSWER = json.dumps({"name": "get_weather", "arguments": {"city": "Paris", "unit": "celsius"}})


def by_bytes(text: str) -> list[int]:
    """The tokens of the vocabulary of the tests: one for each byte."""
    return list(text.encode())


def test_a_draft_is_what_the_schema_forces(compiler: grammarc.Compiler) -> None:
    matcher = compiler.json_schema(CALL).matcher()
    drafter = grammarc.Drafter(by_bytes)
    draft = drafter.draft(matcher, [])
    assert bytes(draft).startswith(b'{"name": "get_weather", "arguments": {"city": "'[:1])
    assert matcher.validate(draft) == len(draft)
    assert drafter.draft(matcher, [], 0) == []
    assert drafter.draft(matcher, [], 3) == draft[:3]
    run = drafter.injection(matcher, [])
    assert draft[: len(run)] == run
    assert len(draft) - len(run) <= 1
    assert matcher.rollback_depth == 0


def test_an_encoder_may_fail(compiler: grammarc.Compiler) -> None:
    # More than one token begins this text, so the encoder is asked.
    matcher = compiler.choice(["true, please"]).matcher()

    def broken(text: str) -> list[int]:
        raise RuntimeError(f"no {text}")

    with pytest.raises(RuntimeError, match="no true, please"):
        grammarc.Drafter(broken).draft(matcher, [])
    assert grammarc.Drafter(lambda _: None).draft(matcher, []) == []
    with pytest.raises(TypeError):
        grammarc.Drafter(lambda _: ["x"]).draft(matcher, [])  # type: ignore[list-item, arg-type]


@pytest.mark.parametrize("seed", range(20))
def test_a_tree_has_allowed_paths(compiler: grammarc.Compiler, seed: int) -> None:
    rng = random.Random(seed)
    matcher = compiler.json_schema(CALL).matcher()
    text = by_bytes(ANSWER)[: rng.randrange(len(ANSWER))]
    assert matcher.accept_many(text) == len(text)
    drafter = grammarc.Drafter(by_bytes)
    tokens, parents = drafter.tree(matcher, text, 12, 4)
    assert len(tokens) == len(parents) <= 12
    assert all(-1 <= parent < node for node, parent in enumerate(parents))
    words = -(-matcher.logit_width // 32)
    rows = np.zeros((len(tokens) + 2, words), dtype=np.int32)
    assert matcher.fill_tree(tokens, parents, rows, row=1) == [True] * len(tokens)
    assert not rows[0].any()
    for node in range(len(tokens)):
        path, at = [], node
        while at >= 0:
            path.append(tokens[at])
            at = parents[at]
        step, row = matcher.fork(), np.zeros((1, words), dtype=np.int32)
        assert step.accept_many(path[::-1]) == len(path)
        step.fill(row)
        np.testing.assert_array_equal(rows[node + 2], row[0])


def test_wrong_trees_are_refused(compiler: grammarc.Compiler) -> None:
    matcher = compiler.choice(["yes"]).matcher()
    words = -(-matcher.logit_width // 32)
    rows = np.zeros((3, words), dtype=np.int32)
    assert matcher.fill_tree([ord("y"), ord("x")], [-1, 0], rows) == [True, False]
    np.testing.assert_array_equal(rows[1], rows[2])
    for parents in ([0, 1], [-1, 1], [-1], [-1, -2], [-1, 7]):
        with pytest.raises(ValueError, match="node"):
            matcher.fill_tree([ord("y"), ord("e")], parents, rows)
    with pytest.raises(IndexError, match="3 masks"):
        matcher.fill_tree([ord("y"), ord("e")], [-1, 0], rows, row=1)


def test_drafts_of_a_real_tokenizer(data: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    folder = data / "tokenizers" / "llama3_1"
    tokenizer = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    encode: Callable[[str], list[int]] = lambda text: tokenizer.encode(text, add_special_tokens=False).ids  # noqa: E731
    vocabulary = grammarc.Vocabulary.from_file(folder)
    matcher = grammarc.Compiler(vocabulary).json_schema(CALL, whitespace="spaced").matcher()
    drafter = grammarc.Drafter(encode)
    answer, at, steps, right, drafted = encode(ANSWER), 0, 0, 0, 0
    # What a model that writes this answer needs: one call for each token that no draft had.
    while at < len(answer):
        draft = drafter.draft(matcher, answer[max(0, at - 6) : at])
        kept = next((n for n, token in enumerate(draft) if answer[at + n : at + n + 1] != [token]), len(draft))
        drafted, right, steps = drafted + len(draft), right + kept, steps + 1
        took = answer[at : at + kept + 1]
        assert matcher.accept_many(took) == len(took)
        at += len(took)
    assert matcher.is_accepting
    assert steps <= len(answer) / 2, (steps, len(answer))
    assert right >= drafted * 0.8, (right, drafted)
