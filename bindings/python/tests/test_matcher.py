"""Matchers: masks, tokens, drafts, rollback."""

from __future__ import annotations

import random

import numpy as np
import pytest
from conftest import END, TURN

import grammarc

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 5}, "n": {"type": "integer"}, "tags": {"type": "array", "items": {"enum": ["a", "b"]}}},
    "required": ["name"],
    "additionalProperties": False,
}


def words(matcher: grammarc.Matcher) -> int:
    return -(-matcher.logit_width // 32)


def row_of(matcher: grammarc.Matcher) -> np.ndarray:
    mask = np.zeros((1, words(matcher)), dtype=np.int32)
    matcher.fill(mask)
    return mask[0]


def tokens_of(row: np.ndarray) -> list[int]:
    bits = np.unpackbits(row.view(np.uint8), bitorder="little")
    return np.flatnonzero(bits).tolist()


def walk(matcher: grammarc.Matcher, rng: random.Random, most: int) -> list[int]:
    tokens: list[int] = []
    while len(tokens) < most and not matcher.is_finished:
        token = rng.choice(matcher.allowed())
        matcher.accept(token)
        tokens.append(token)
    return tokens


@pytest.mark.parametrize("seed", range(50))
def test_all_ways_to_a_mask_agree(compiler: grammarc.Compiler, seed: int) -> None:
    rng = random.Random(seed)
    matcher = compiler.json_schema(SCHEMA).matcher()
    walk(matcher, rng, rng.randrange(30))
    width = matcher.logit_width
    allowed = matcher.allowed()
    assert tokens_of(row_of(matcher)) == allowed
    assert [token for token in range(width) if matcher.allows(token)] == allowed
    assert matcher.must_end == (matcher.is_accepting and set(allowed) <= set(matcher.end_tokens))
    for dtype in (np.float32, np.float16):
        logits = np.arange(width, dtype=np.float32).astype(dtype)
        expected = logits.copy()
        expected[[token for token in range(width) if token not in set(allowed)]] = -np.inf
        matcher.apply(logits)
        np.testing.assert_array_equal(logits, expected)
    bitmask = grammarc.Bitmask(3, width)
    assert matcher.fill(bitmask, 1)
    shared = np.asarray(bitmask)
    assert shared.shape == bitmask.shape == (3, words(matcher))
    assert (shared[0] == -1).all() and (shared[2] == -1).all()
    assert tokens_of(shared[1]) == allowed


@pytest.mark.parametrize("seed", range(50))
def test_accept_validate_rollback_and_drafts_agree(compiler: grammarc.Compiler, seed: int) -> None:
    rng = random.Random(seed)
    matcher = compiler.json_schema(SCHEMA).matcher()
    walk(matcher, rng, rng.randrange(10))
    if matcher.is_finished:
        matcher.reset()
    position, depth = matcher.export(), matcher.rollback_depth
    tokens = walk(matcher.fork(), rng, 8)
    tokens.insert(rng.randrange(len(tokens) + 1), rng.choice([-1, 2**40, matcher.logit_width, 3]))
    fork = matcher.fork()
    rows, valid = [row_of(fork)], 0
    for token in tokens:
        if not fork.try_accept(token):
            break
        valid += 1
        rows.append(row_of(fork))
    rows += [rows[-1]] * (len(tokens) + 1 - len(rows))
    assert matcher.validate(tokens) == valid
    mask = np.zeros((len(tokens) + 3, words(matcher)), dtype=np.int32)
    assert matcher.fill_drafts(tokens, mask, 1) == valid
    np.testing.assert_array_equal(mask[1:-1], np.stack(rows))
    assert not mask[0].any() and not mask[-1].any()
    assert (matcher.export(), matcher.rollback_depth) == (position, depth)
    assert matcher.accept_many(tokens) == valid
    assert matcher.export() == fork.export()
    matcher.rollback(valid)
    assert matcher.export() == position
    with pytest.raises(ValueError, match="cannot be taken back"):
        matcher.rollback(depth + 1)


def test_a_text_is_one_step(compiler: grammarc.Compiler) -> None:
    grammar = compiler.json_schema({"type": "object", "properties": {"ok": {"type": "boolean"}}})
    matcher, by_tokens = grammar.matcher(), grammar.matcher()
    matcher.accept_text('{"ok"')
    assert by_tokens.accept_many(list(b'{"ok"')) == 5
    assert matcher.export() == by_tokens.export() and matcher.rollback_depth == 1
    position = matcher.export()
    with pytest.raises(grammarc.TextRefused) as refused:
        matcher.accept_text(b": no")
    assert refused.value.offset == 2 and matcher.export() == position
    for call in (matcher.accept_many, matcher.validate):
        with pytest.raises(TypeError, match="accept_text"):
            call(b": true")


def test_without_end_tokens_a_sequence_ends_where_nothing_may_follow() -> None:
    vocabulary = grammarc.Vocabulary.from_tokens([bytes([byte]) for byte in range(256)])
    matcher = grammarc.Compiler(vocabulary).json_schema({"enum": [1, 12]}).matcher()
    rows = []
    while not matcher.is_finished:
        rows.append(matcher.allowed())
        matcher.accept(rows[-1][-1])
    assert rows == [[ord("1")], [ord("2")]] and matcher.allowed() == []


def test_the_end_is_exactly_the_end_tokens(compiler: grammarc.Compiler) -> None:
    matcher = compiler.choice(["true"]).matcher()
    assert matcher.end_tokens == [END, TURN]
    matcher.accept_many(list(b"true"))
    assert matcher.is_accepting and matcher.must_end and not matcher.is_finished
    assert matcher.allowed() == [END, TURN]
    matcher.accept(TURN)
    assert matcher.is_finished
    assert tokens_of(row_of(matcher)) == [END, TURN]
    assert not matcher.try_accept(END)
    with pytest.raises(grammarc.TokenRefused, match="follows the end") as refused:
        matcher.accept(65)
    assert refused.value.token == 65
    matcher.rollback(1)
    assert not matcher.is_finished and matcher.allowed() == [END, TURN]


def test_end_tokens_are_each_matchers_own(compiler: grammarc.Compiler) -> None:
    grammar = compiler.choice(["a"])
    text = grammar.matcher(end_tokens=[ord("b")])
    text.accept(ord("a"))
    assert text.allowed() == [ord("b")]
    nobody = grammar.matcher(end_tokens=[])
    nobody.accept(ord("a"))
    assert nobody.allowed() == [] and nobody.is_accepting
    with pytest.raises(ValueError, match="outside the logit row"):
        grammar.matcher(end_tokens=[10**6])
    for nothing in (-1, 2**40):
        with pytest.raises(ValueError, match=f"{nothing} is no token's id"):
            grammar.matcher(end_tokens=[nothing])
    with pytest.raises(ValueError, match="logit width"):
        grammar.matcher(logit_width=10)


def test_refusal_changes_nothing(compiler: grammarc.Compiler) -> None:
    matcher = compiler.json_schema(SCHEMA).matcher()
    matcher.accept(ord("{"))
    position = matcher.export()
    for token in (ord("}") + 1, -1, -(2**70), 2**70, matcher.logit_width, 2**32 - 1):
        assert not matcher.try_accept(token)
        with pytest.raises(grammarc.TokenRefused):
            matcher.accept(token)
        assert not matcher.allows(token)
        assert matcher.export() == position
    for token in (1.5, "1", None):
        with pytest.raises(TypeError):
            matcher.try_accept(token)  # type: ignore[arg-type]
    assert matcher.try_accept(np.int64(ord('"')))


def test_endings_end(compiler: grammarc.Compiler) -> None:
    rng = random.Random(7)
    grammar = compiler.json_schema(SCHEMA)
    for _ in range(50):
        matcher = grammar.matcher(end_tokens=[])
        tokens = walk(matcher, rng, rng.randrange(12)) if matcher.allowed() else []
        before = matcher.export()
        ending = matcher.ending()
        assert matcher.export() == before
        assert matcher.accept_many(ending) == len(ending)
        assert matcher.is_accepting, tokens
        if tokens == []:
            text = b"".join(grammar.vocabulary.token_bytes(token) for token in ending)
            assert text == b'{"name":""}'


def test_forced(compiler: grammarc.Compiler) -> None:
    matcher = compiler.json_schema({"const": {"name": 1}}, whitespace="compact").matcher()
    assert matcher.forced_bytes() == b'{"name":1}'
    run = compiler.regex("abc+").matcher().forced_tokens()
    assert run == [ord("a"), ord("b"), ord("c")]


def test_positions_travel(compiler: grammarc.Compiler) -> None:
    grammar = compiler.json_schema(SCHEMA)
    matcher = grammar.matcher()
    walk(matcher, random.Random(1), 9)
    other = grammar.matcher()
    other.restore(matcher.export())
    assert other.allowed() == matcher.allowed() and other.rollback_depth == 0
    with pytest.raises(ValueError, match="another grammar"):
        compiler.choice(["a"]).matcher().restore(matcher.export())
    with pytest.raises(ValueError, match="not an exported position"):
        other.restore(b"nonsense")


def test_a_refused_token_is_explained(compiler: grammarc.Compiler) -> None:
    matcher = compiler.json_schema(SCHEMA).matcher()
    matcher.accept_text('{"name": "Ada", "n": ')
    with pytest.raises(grammarc.TokenRefused) as caught:
        matcher.accept(ord("x"))
    matcher.accept_text("1")
    found = caught.value.explanation
    assert isinstance(found, grammarc.Explanation)
    assert (found.is_allowed, found.accepted, found.byte) == (False, 0, ord("x"))
    assert found.places == ["/properties/n"] and found.next == b"-0123456789"
    assert found.completion == b"0}" and not found.may_end
    assert "/properties/n" in repr(found)
    allowed = matcher.explain(ord("}"))
    assert allowed.is_allowed and allowed.byte is None and allowed.may_end and allowed.completion == b""
    assert matcher.explain(END).byte is None
    assert grammarc.TokenRefused("made by hand", 1).explanation is None
