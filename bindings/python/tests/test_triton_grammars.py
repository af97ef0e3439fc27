"""The kernels in Triton over tables of real grammars, against matchers: what they allow, where they end, what they leave to the host."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

import grammarc
from grammarc import cuda

pytest.importorskip("triton", reason="Triton is not installed: its kernels are not tested")

from kernels.tensors import INTERPRETED, read, tensor  # noqa: E402

from grammarc.kernels import triton as kernels  # noqa: E402

HOST, REFUSED, FINISHED = 1, 2, 4

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 6},
        "flags": {"type": "array", "items": {"type": "boolean"}, "maxItems": 3},
        "kind": {"enum": ["the", "name", None]},
        "inner": {"type": "object", "additionalProperties": {"type": "integer"}},
    },
    "required": ["name", "kind"],
    "additionalProperties": False,
}


def grammars(compiler: grammarc.Compiler) -> list[grammarc.Grammar]:
    return [
        compiler.json_schema(json.dumps(SCHEMA)),
        compiler.json_schema("{}"),
        compiler.regex("(true|false| a){2,5}[0-9]{1,40}"),
        compiler.gbnf('root ::= "[" (root ("," root)*)? "]" | "null" | [a-z]+'),
        compiler.choice(["the", "the name", "null"]),
        # An "a" goes on in the first rule or begins the second: the host's to read.
        compiler.gbnf('root ::= x y\nx ::= "a"+ | "(" x ")"\ny ::= ("a" | "b")* "."'),
    ]


class Sequences:
    """Matchers, and beside them positions and rows of the same sequences for kernels."""

    def __init__(self, listed: list[grammarc.Grammar], each: int) -> None:
        self.matchers = [one.matcher() for one in listed for _ in range(each)]
        count = len(self.matchers)
        self.width = listed[0].vocabulary.logit_width
        self.tables = cuda.Tables(pool_bytes=64 << 20)
        self.grammars = [self.tables.upload(matcher) for matcher in self.matchers]
        self.held: list[Any] = [None] * count
        self.positions = np.zeros((count, 72), dtype=np.int32)
        self.rows = np.zeros((count, 16), dtype=np.int32)
        self.status = np.zeros(count, dtype=np.int32)
        self.pool = np.zeros(1 << 20, dtype=np.int32)
        for slot in range(count):
            self.write(slot)

    def write(self, slot: int) -> None:
        """Writes a slot from its matcher."""
        grammar, matcher = self.grammars[slot], self.matchers[slot]
        self.held[slot] = self.tables.row(grammar, matcher)
        self.rows[slot] = np.frombuffer(self.held[slot].words, dtype=np.int32)
        self.positions[slot] = np.frombuffer(self.tables.position(grammar, matcher), dtype=np.int32)
        for at, words in self.tables.patches():
            self.pool[at : at + len(words) // 4] = np.frombuffer(words, dtype=np.int32)

    def allowed(self) -> Any:
        """By slot, whether each token is allowed, as the kernel writes it into logits."""
        logits = tensor(np.zeros((len(self.matchers), self.width), dtype=np.float32), "float32")
        kernels.apply(logits, tensor(self.pool, "int32"), tensor(self.rows, "int32"))
        return read(logits) == 0

    def sampled(self, random: np.random.Generator, step: int) -> Any:
        count = len(self.matchers)
        logits = random.normal(size=(count, self.width)).astype(np.float32)
        out = tensor(np.zeros(count, dtype=np.int32), "int32")
        kernels.sample(
            tensor(logits, "float32"),
            tensor(self.pool, "int32"),
            tensor(self.rows, "int32"),
            out=out,
            scratch=tensor(np.zeros(count * kernels.scratch_columns(self.width), dtype=np.int64), "int64"),
            temperatures=tensor(np.full(count, 2.0, dtype=np.float32), "float32"),
            seeds=tensor(np.arange(count, dtype=np.int64), "int64"),
            steps=tensor(np.full(count, step, dtype=np.int64), "int64"),
        )
        return read(out)

    def advance(self, tokens: Any) -> None:
        positions, rows, status = (tensor(one, "int32") for one in (self.positions, self.rows, self.status))
        kernels.advance(tensor(self.pool, "int32"), positions, rows, status, tensor(tokens, "int32"))
        self.positions, self.rows, self.status = read(positions), read(rows), read(status)


def mask_of(matcher: grammarc.Matcher, width: int) -> Any:
    row = np.zeros(width, dtype=np.float32)
    matcher.apply(row)
    return row == 0


def test_sequences_of_real_grammars(compiler: grammarc.Compiler) -> None:
    random = np.random.default_rng(1)
    sequences = Sequences(grammars(compiler), 3)
    count, seen = len(sequences.matchers), set()
    for step in range(14 if INTERPRETED else 400):
        allowed = sequences.allowed()
        for slot, matcher in enumerate(sequences.matchers):
            assert (allowed[slot] == mask_of(matcher, sequences.width)).all(), (slot, step)
        tokens = sequences.sampled(random, step)
        assert all(allowed[slot, token] for slot, token in enumerate(tokens))
        others = random.integers(sequences.width, size=count).astype(np.int32)
        tokens = np.where(random.random(count) < 0.2, others, tokens).astype(np.int32)
        sequences.advance(tokens)
        for slot, (matcher, token, status) in enumerate(zip(sequences.matchers, tokens, sequences.status, strict=True)):
            seen.add(int(status))
            taken = matcher.try_accept(int(token))
            if status & HOST:
                sequences.write(slot)
            else:
                assert taken == (status & REFUSED == 0), (slot, step, token)
            assert matcher.is_finished == (status & FINISHED != 0) or status & HOST
            if matcher.is_finished and random.random() < 0.5:
                matcher.reset()
                sequences.write(slot)
                sequences.status[slot] = 0
    assert {0, HOST, REFUSED, FINISHED} <= seen, seen
