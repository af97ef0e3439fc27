"""The kernels in Triton against the CUDA source, which an emulator runs on the processor, and against numpy.

They run in Triton's interpreter, which needs neither a device nor torch; with ``TRITON_INTERPRET=0`` on a device.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("triton", reason="Triton is not installed: its kernels are not tested")

import triton  # noqa: E402
import triton.language as tl  # noqa: E402
from kernels import emulator, expected, tables  # noqa: E402
from kernels.tensors import BITS, INTERPRETED, read, tensor  # noqa: E402

from grammarc.kernels import triton as kernels  # noqa: E402
from grammarc.kernels._sample import gumbel  # noqa: E402

# Infinities less infinities are what is tested.
pytestmark = pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")

DTYPES = ["float32", "float16", "bfloat16"]
INFINITY = {"float32": 0xFF800000, "float16": 0xFC00, "bfloat16": 0xFF80}
SIGN = {"float32": 1 << 31, "float16": 1 << 15, "bfloat16": 1 << 15}
UNSIGNED = {"float32": np.uint32, "float16": np.uint16, "bfloat16": np.uint16}


@pytest.fixture(autouse=True)
def rounds_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter rounds the product of a fused multiply and add, and a device does not."""
    if not INTERPRETED:
        return
    from triton.runtime import interpreter

    def fused(self: Any, x: Any, y: Any, z: Any) -> Any:
        product = x.data.astype(np.float64) * y.data.astype(np.float64)
        addend = z.data.astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore"):
            total = product + addend
            part = total - product
            error = (product - (total - part)) + (addend - part)
            # Rounded to odd, so that rounding again to 24 bits is as rounding once.
            bits = total.view(np.int64)
            away = np.where((error > 0) == (total > 0), 1, -1)
            inexact = ((error > 0) | (error < 0)) & (bits & 1 == 0)
            rounded = np.where(inexact, bits + away, bits).view(np.float64).astype(np.float32)
        return interpreter.TensorHandle(rounded, z.dtype.scalar)

    monkeypatch.setattr(interpreter.InterpreterBuilder, "create_fma", fused)


def logits_in(random: np.random.Generator, dtype: str, rows: int, columns: int, pad: int, offset: int = 0) -> Any:
    """Rows of random bits, as a view of memory that is wider by ``pad``."""
    memory = random.integers(1 << 16, size=(offset + rows * (columns + pad)) * (2 if dtype == "float32" else 1), dtype=np.uint16)
    memory = memory.view(BITS[dtype]).copy()
    return memory[offset:].reshape(rows, columns + pad)[:, :columns]


def other(array: Any) -> Any:
    """The same view of a copy of the memory."""
    base = array.base.copy()
    offset = array.ctypes.data - array.base.ctypes.data
    return np.ndarray(array.shape, array.dtype, base, offset, array.strides)


def masked_by_numpy(array: Any, dtype: str, allowed: Any) -> Any:
    """The memory of logits after masking, by numpy."""
    masked = other(array)
    bits = masked.view(UNSIGNED[dtype])
    bits[~allowed] = INFINITY[dtype]
    return masked.base


def same_bits(made: Any, wanted: Any) -> None:
    made, wanted = (np.ascontiguousarray(one).reshape(-1).view(np.uint8) for one in (made, wanted))
    assert (made == wanted).all(), f"{(made != wanted).sum()} bytes differ, the first at {np.argmax(made != wanted)}"


def optional(array: Any, dtype: str = "int32") -> Any:
    return None if array is None else tensor(array, dtype)


# Bitmasks of hosts


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(
    ("columns", "tokens", "words", "first", "pad", "offset"),
    [
        (1, 1, 1, 0, 0, 0),
        (31, 31, 1, 0, 1, 1),
        (33, 32, 2, 0, 0, 0),
        (1000, 990, 32, 0, 24, 3),
        (4096, 4096, 128, 0, 0, 0),
        (4100, 4097, 129, 0, 0, 0),
        # Wider logits than the bitmask, as padded vocabularies have; and devices' shares of a vocabulary.
        (9001, 8000, 250, 0, 7, 1),
        (700, 2000, 63, 640, 0, 0),
        (700, 2000, 63, 997, 12, 5),
        (5000, 2000, 70, 1999, 0, 0),
    ],
)
def test_bitmask(dtype: str, columns: int, tokens: int, words: int, first: int, pad: int, offset: int) -> None:
    random = np.random.default_rng(columns * 31 + first)
    rows = 5
    shares = np.array([0.0, 0.001, 0.5, 0.999, 1.0])
    inside = random.random((rows, words * 32)) < shares[:, None]
    bitmask = np.zeros((rows, words + 2), dtype=np.int32)
    bitmask[:, :words] = np.stack([tables.bitmask_of(row) for row in inside]).view(np.int32)
    row_map = random.permutation(rows).astype(np.int32)
    row_map[random.integers(rows)] = -1
    logits = logits_in(random, dtype, rows, columns, pad, offset)

    allowed = np.ones((rows, columns), dtype=bool)
    for row, source in enumerate(row_map):
        if source >= 0:
            token = np.arange(columns) + first
            known = token < tokens
            allowed[row] = known & inside[source][np.where(known, token, 0)]
    wanted = masked_by_numpy(logits, dtype, allowed)

    by_cuda = other(logits)
    described = emulator.logits_of(by_cuda, dtype, row_map, None, first)
    params = emulator.Bitmask(emulator.at(bitmask), words + 2, words, tokens, described)
    emulator.launch("grammarc_apply_bitmask", params, emulator.grid_of(described), 256)
    same_bits(by_cuda.base, wanted)

    at = tensor(logits, dtype)
    masks = tensor(bitmask.reshape(-1)[:].reshape(rows, words + 2)[:, :words], "int32")
    kernels.apply_bitmask(at, masks, tokens=tokens, row_map=tensor(row_map, "int32"), first=first)
    same_bits(read(at), wanted)


def test_bitmask_of_a_drafting_vocabulary() -> None:
    random = np.random.default_rng(4)
    rows, columns, tokens = 3, 4500, 700
    inside = random.random((rows, 704)) < 0.5
    bitmask = np.stack([tables.bitmask_of(row) for row in inside]).view(np.int32)
    column_tokens = random.integers(-3, 720, size=columns).astype(np.int32)
    logits = logits_in(random, "float16", rows, columns, 0)
    known = (column_tokens >= 0) & (column_tokens < tokens)
    wanted = masked_by_numpy(logits, "float16", known & inside[:, np.where(known, column_tokens, 0)])
    by_cuda = other(logits)
    described = emulator.logits_of(by_cuda, "float16", None, column_tokens)
    params = emulator.Bitmask(emulator.at(bitmask), bitmask.shape[1], bitmask.shape[1], tokens, described)
    emulator.launch("grammarc_apply_bitmask", params, emulator.grid_of(described), 256)
    same_bits(by_cuda.base, wanted)
    at = tensor(logits, "float16")
    kernels.apply_bitmask(at, tensor(bitmask, "int32"), tokens=tokens, column_tokens=tensor(column_tokens, "int32"))
    same_bits(read(at), wanted)


# Rows of the pool


class Rows:
    """A pool of masks, and rows of them of all kinds."""

    def __init__(self, seed: int, tokens: int, count: int) -> None:
        random = np.random.default_rng(seed)
        self.tokens = tokens
        pool = tables.Pool(random)
        masks = [pool.mask(tokens) for _ in range(12)]
        self.allowed: list[set[int] | None] = []
        records = []
        for row in range(count):
            parts = random.choice(masks, size=int(random.choice([0, 1, 1, 2, 3, 13])), replace=True).tolist()
            ends = sorted(random.choice(tokens, size=int(random.integers(3)), replace=False).tolist())
            record, allowed = pool.row(parts, ends)
            if row % 7 == 5:
                record[0] = 0
            if row % 7 == 6:
                record[0] |= tables.PENDING
            records.append(record)
            self.allowed.append(allowed if row % 7 < 5 else None)
        self.pool = pool.array()
        self.rows = np.array(records, dtype=np.uint32).view(np.int32)

    def inside(self, row: int, token: Any) -> Any:
        """Whether a row allows each of some tokens."""
        allowed = self.allowed[row]
        if allowed is None:
            return np.ones(len(token), dtype=bool)
        known = np.zeros(max(int(token.max()), self.tokens) + 1, dtype=bool)
        known[list(allowed)] = True
        return (token >= 0) & known[np.maximum(token, 0)]


# The widest has chunks of ones beyond the first word that has bits for them.
SIZES = [(1, 700, 705, 0), (2, 9000, 9088, 0), (3, 9000, 3000, 3004)]
CASES = [(*sizes, dtype, drafting) for sizes in SIZES for dtype in DTYPES for drafting in (False, True)]


@pytest.mark.parametrize(
    ("seed", "tokens", "columns", "first", "dtype", "drafting"), [*CASES, (4, 50000, 50001, 0, "bfloat16", False)]
)
def test_masks(seed: int, tokens: int, columns: int, first: int, dtype: str, drafting: bool) -> None:
    made = Rows(seed, tokens, 14)
    random = np.random.default_rng(seed)
    row_map = np.concatenate([random.permutation(14), [-1, 3]]).astype(np.int32)
    if tokens > 10000:
        row_map = row_map[:6].copy()
    column_tokens = random.integers(-1, tokens + 40, size=columns).astype(np.int32) if drafting else None
    logits = logits_in(random, dtype, len(row_map), columns, 3)
    token = np.arange(columns) + first if column_tokens is None else column_tokens
    everything = np.ones(columns, dtype=bool)
    allowed = np.stack([everything if row < 0 else made.inside(row, token) for row in row_map])
    wanted = masked_by_numpy(logits, dtype, allowed)

    by_cuda = other(logits)
    described = emulator.logits_of(by_cuda, dtype, row_map, column_tokens, 0 if drafting else first)
    params = emulator.Apply(emulator.at(made.pool), emulator.at(made.rows), described)
    emulator.launch("grammarc_apply", params, emulator.grid_of(described), 256)
    same_bits(by_cuda.base, wanted)

    at = tensor(logits, dtype)
    kernels.apply(
        at,
        tensor(made.pool, "int32"),
        tensor(made.rows, "int32"),
        row_map=tensor(row_map, "int32"),
        column_tokens=optional(column_tokens),
        first=0 if drafting else first,
    )
    same_bits(read(at), wanted)


def test_fill() -> None:
    made = Rows(7, 5000, 14)
    words = 160
    row_map = np.array([3, -1, 0, 5, 6, 12, 1], dtype=np.int32)
    memory = np.full((len(row_map), words + 3), 7, dtype=np.int32)
    by_cuda = memory.copy()
    params = emulator.Fill(
        emulator.at(made.pool), emulator.at(made.rows), emulator.at(by_cuda), words + 3, words, len(row_map), emulator.at(row_map)
    )
    emulator.launch("grammarc_fill", params, (1, len(row_map)), 256)
    wanted = memory.copy()
    for row, source in enumerate(row_map):
        if source >= 0:
            wanted[row, :words] = tables.bitmask_of(made.inside(source, np.arange(words * 32))).view(np.int32)
    same_bits(by_cuda, wanted)
    at = tensor(memory.reshape(-1)[:].reshape(len(row_map), words + 3)[:, :words], "int32")
    kernels.fill(at, tensor(made.pool, "int32"), tensor(made.rows, "int32"), row_map=tensor(row_map, "int32"))
    same_bits(read(at), wanted)


# Positions


class Slots:
    """Positions and rows of slots, twice: as the CUDA source makes them, and as Triton does."""

    def __init__(self, pool: Any, positions: list[list[int]], places: int) -> None:
        self.pool = pool
        self.places = places
        self.count = len(positions) // places
        start = np.array(positions, dtype=np.uint32).view(np.int32)
        rows = np.random.default_rng(0).integers(1 << 30, size=(len(positions), 16)).astype(np.int32)
        rows[:, 0] = tables.MASKED | tables.PENDING
        self.positions = [start.copy(), start.copy()]
        self.rows = [rows.copy(), rows.copy()]
        self.status = [np.full(self.count, -5, dtype=np.int32) for _ in range(2)]

    def _params(self, tokens: Any, slots: Any, accepted: Any, drafts: int, allowed: Any) -> emulator.Advance:
        at = emulator.at
        arrays = at(self.pool), at(self.positions[0]), at(self.rows[0]), at(self.status[0])
        stride = tokens.strides[0] // 4
        return emulator.Advance(*arrays, self.places, len(tokens), at(slots), at(tokens), stride, at(accepted), drafts, at(allowed))

    def advance(self, tokens: Any, slots: Any = None, accepted: Any = None) -> Any:
        """Takes tokens by both, and returns the statuses."""
        params = self._params(tokens, slots, accepted, 0, None)
        emulator.launch("grammarc_advance", params, (-(-len(tokens) // 64), 1), 64)
        pool, positions, rows, status = (
            tensor(one, "int32") for one in (self.pool, self.positions[1], self.rows[1], self.status[1])
        )
        places = {"places": self.places}
        kernels.advance(
            pool, positions, rows, status, tensor(tokens, "int32"), slots=optional(slots), accepted=optional(accepted), **places
        )
        self.positions[1], self.rows[1], self.status[1] = read(positions), read(rows), read(status)
        return self.check()

    def draft(self, tokens: Any, slots: Any = None) -> Any:
        """Takes drafts by both, and returns how many are allowed."""
        allowed = [np.full(len(tokens), -7, dtype=np.int32) for _ in range(2)]
        params = self._params(tokens, slots, None, tokens.shape[1], allowed[0])
        emulator.launch("grammarc_draft", params, (-(-len(tokens) // 64), 1), 64)
        pool, positions, rows, count = (
            tensor(one, "int32") for one in (self.pool, self.positions[1], self.rows[1], allowed[1])
        )
        kernels.draft(
            pool, positions, rows, tensor(tokens, "int32"), places=self.places, slots=optional(slots), allowed=count
        )
        self.positions[1], self.rows[1] = read(positions), read(rows)
        assert (allowed[0] == read(count)).all()
        self.check()
        return allowed[0]

    def check(self) -> Any:
        """What means something is the same: the stack below its height, the parts of a row that it has."""
        for by_cuda, by_triton in zip(*self.positions, strict=True):
            assert (by_cuda[:7] == by_triton[:7]).all(), (by_cuda[:8], by_triton[:8])
            depth = by_cuda[3]
            for stack in (8, 40):
                assert (by_cuda[stack : stack + depth] == by_triton[stack : stack + depth]).all()
        for by_cuda, by_triton in zip(*self.rows, strict=True):
            assert by_cuda[0] == by_triton[0], (hex(by_cuda[0]), hex(by_triton[0]))
            if not by_cuda[0] & tables.PENDING:
                width = 3 + (by_cuda[0] & 0xFF)
                assert (by_cuda[1:width] == by_triton[1:width]).all()
        assert (self.status[0] == self.status[1]).all()
        return self.status[0]


def test_positions_advance_as_by_cuda() -> None:
    count, seen = 24, set()
    for seed in range(3):
        made = tables.Automata(seed)
        start = made.positions(count)
        start[-1][0] = tables.NONE
        slots = Slots(made.pool.array(), start, 1)
        for step in range(5):
            before = slots.positions[0].copy()
            chosen = None
            if step % 2:
                chosen = made.random.permutation(count).astype(np.int32)
                chosen[made.random.integers(count)] = -1
            status = slots.advance(made.tokens(count, ends=0.3, short=0.3), chosen)
            seen |= set(status.tolist())
            for old, new, row in zip(before, slots.positions[0], slots.rows[0], strict=True):
                seen |= {"grew"} if new[3] > old[3] else {"shrank"} if new[3] < old[3] else set()
                seen |= {"ends"} if row[2] and not new[6] else set()
                seen |= {"many"} if row[0] & 0xFF > 5 else set()
            # Positions that wait or are finished do not move any more: others are put there, of the finished ones later.
            share = np.where(status[:-1] == 4, 0.2, 0.7)
            for slot in np.flatnonzero((status[:-1] != 0) & (made.random.random(count - 1) < share)):
                fresh = np.array(made.positions(1)[0], dtype=np.uint32).view(np.int32)
                for positions in slots.positions:
                    positions[slot] = fresh
    # A refused token and more masks than a row names is 3, any token after an end token 6.
    assert {0, 1, 2, 3, 4, 6, "grew", "shrank", "ends", "many"} <= seen, seen


def test_drafts_and_rollback_as_by_cuda() -> None:
    made = tables.Automata(11)
    count, drafts = 40, 3
    places = drafts + 1
    start = []
    for one in made.positions(count):
        start += [one] + [[0] * 72 for _ in range(drafts)]
    slots = Slots(made.pool.array(), start, places)
    taken: set[int] = set()
    for step in range(4):
        tokens = made.tokens((count, drafts + 2), ends=0.05, short=0.8)[:, :drafts]
        chosen = None if step % 2 else made.random.permutation(count).astype(np.int32)
        allowed = slots.draft(tokens, chosen)
        taken |= set(allowed.tolist())
        # As many as were allowed, fewer, or more than that.
        accepted = np.clip(allowed + made.random.integers(-1, 2, size=count), 0, places).astype(np.int32)
        slots.advance(made.tokens(count, ends=0.05, short=0.5), chosen, accepted)
    assert {0, 1, 2, 3} <= taken


# Samples


def check_samples(made: Rows, logits: Any, dtype: str, row_map: Any, **options: Any) -> Any:
    """Tokens that both pick, the same."""
    column_tokens, first = options.get("column_tokens"), options.get("first", 0)
    temperatures, seeds, steps = (options.get(name) for name in ("temperatures", "seeds", "steps"))
    rows, columns = logits.shape
    by_cuda = np.full(rows, -9, dtype=np.int32)
    best, blocks = np.zeros(rows, dtype=np.uint64), np.zeros(rows, dtype=np.uint32)
    described = emulator.logits_of(logits, dtype, row_map, column_tokens, first)
    at = emulator.at
    params = emulator.Sample(
        at(made.pool), at(made.rows), described, at(best), at(blocks), at(by_cuda), at(temperatures), at(seeds), at(steps), 0
    )
    emulator.launch("grammarc_sample", params, emulator.grid_of(described), 256)
    out = tensor(np.full(rows, -9, dtype=np.int32), "int32")
    scratch = tensor(np.zeros((rows, kernels.scratch_columns(columns)), dtype=np.int64), "int64")
    kernels.sample(
        tensor(logits, dtype),
        tensor(made.pool, "int32"),
        tensor(made.rows, "int32"),
        out=out,
        scratch=scratch,
        temperatures=optional(temperatures, "float32"),
        seeds=optional(seeds, "int64"),
        steps=optional(steps, "int64"),
        row_map=tensor(row_map, "int32"),
        column_tokens=optional(column_tokens),
        first=first,
    )
    assert (read(out) == by_cuda).all(), (read(out), by_cuda)
    return by_cuda


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("tokens", "columns", "first"), [(700, 705, 0), (9000, 9088, 0), (9000, 3000, 3004)])
def test_the_greatest_logit(dtype: str, tokens: int, columns: int, first: int) -> None:
    """Bits at random: NaN, both zeros, infinities and numbers below the normal ones are among them."""
    made = Rows(tokens + first, tokens, 14)
    random = np.random.default_rng(5)
    row_map = np.concatenate([np.arange(14), [-1]]).astype(np.int32)
    logits = logits_in(random, dtype, len(row_map), columns, 5)
    # Few different logits, so that ties are many.
    logits[::3] = random.choice(logits[0, :40], size=logits[::3].shape)
    # A zero is as great as the other.
    zeros = random.choice(np.array([0, SIGN[dtype]], dtype=UNSIGNED[dtype]), size=columns)
    logits[1] = logits[7] = zeros.view(BITS[dtype])
    picked = check_samples(made, logits, dtype, row_map, first=first)
    values = logits if dtype != "bfloat16" else (logits.astype(np.uint32) << 16).view(np.float32)
    token = np.arange(columns) + first
    for row, source in enumerate(row_map):
        if source < 0 or source % 7 == 6:
            assert picked[row] == -1
            continue
        inside = np.flatnonzero(made.inside(source, token))
        if len(inside) == 0:
            assert picked[row] == -1
            continue
        number = np.where(np.isnan(values[row, inside]), -np.inf, values[row, inside])
        assert picked[row] == token[inside[np.argmax(number)]] or np.isneginf(number).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("drafting", [False, True])
def test_draws(dtype: str, drafting: bool) -> None:
    tokens = 3000
    made = Rows(17, tokens, 14)
    random = np.random.default_rng(6)
    row_map = np.arange(14).astype(np.int32)
    values = random.normal(size=(14, tokens)).astype(np.float32)
    memory = values.astype(BITS[dtype]) if dtype != "bfloat16" else (values.view(np.uint32) >> 16).astype(np.uint16)
    logits = memory.reshape(-1)[:].reshape(14, tokens)[:, :2990]
    options = {
        "temperatures": random.choice([0.0, 0.3, 1.0, 1.7], size=14).astype(np.float32),
        "seeds": random.integers(-(1 << 63), 1 << 63, size=14),
        "steps": random.integers(1 << 40, size=14),
    }
    if drafting:
        options["column_tokens"] = random.permutation(tokens)[:2990].astype(np.int32)
    first = check_samples(made, logits, dtype, row_map, **options)
    again = check_samples(made, logits, dtype, row_map, **{**options, "steps": options["steps"] + 1})
    assert (first != again).any()


@triton.jit
def gumbel_kernel(random, made, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(made + at, gumbel(tl.load(random + at).to(tl.uint32, bitcast=True)))


def test_noise_is_the_same_to_the_bit() -> None:
    block, blocks = 4096, 32
    random = np.random.default_rng(8).integers(1 << 32, size=block * blocks, dtype=np.uint32)
    # Few bits and many, and both sides of where the arithmetic changes.
    random[: block * 8] >>= np.arange(block * 8, dtype=np.uint32) % 32
    random[:64] = (np.array([[0], [0x800000], [0x10000000], [0xFFFFFFFF]]) + np.arange(16) - 8).reshape(-1) & 0xFFFFFFFF
    made = tensor(np.zeros(len(random), dtype=np.float32), "float32")
    gumbel_kernel[(blocks,)](tensor(random.view(np.int32), "int32"), made, BLOCK=block, enable_fp_fusion=False)
    same_bits(read(made), emulator.gumbels(random))


def test_results_that_are_carried_elsewhere() -> None:
    """What is made for machines with a device holds in the interpreter."""
    made = expected.make(rows=5, tokens=3000, slots=8, steps=2)
    assert expected.check(made) == "45120 logits, 15 samples and 64 tokens as by the CUDA source"
    made["picked float16"][0] += 1
    with pytest.raises(AssertionError, match="samples of float16"):
        expected.check(made)


# What a caller may not pass


def test_arguments_are_checked() -> None:
    made = Rows(1, 64, 3)
    pool, rows = tensor(made.pool, "int32"), tensor(made.rows, "int32")
    good = np.zeros((3, 64), dtype=np.float32)
    with pytest.raises(ValueError, match="float32, float16 or bfloat16"):
        kernels.apply(tensor(np.zeros((3, 64), dtype=np.int32), "int32"), pool, rows)
    with pytest.raises(ValueError, match="next to each other"):
        kernels.apply(tensor(good.T, "float32"), pool, rows)
    with pytest.raises(ValueError, match=r"rows is \[count, 16\]"):
        kernels.apply(tensor(good, "float32"), pool, tensor(np.zeros((3, 15), dtype=np.int32), "int32"))
    with pytest.raises(ValueError, match="row_map is 3 numbers"):
        kernels.apply(tensor(good, "float32"), pool, rows, row_map=tensor(np.zeros(2, dtype=np.int32), "int32"))
    with pytest.raises(ValueError, match="at most 64 tokens"):
        kernels.apply_bitmask(tensor(good, "float32"), tensor(np.zeros((3, 2), dtype=np.int32), "int32"), tokens=65)
    with pytest.raises(ValueError, match="as many rows of the bitmask"):
        kernels.apply_bitmask(tensor(good, "float32"), tensor(np.zeros((2, 2), dtype=np.int32), "int32"))
    out, scratch = tensor(np.zeros(3, dtype=np.int32), "int32"), tensor(np.zeros(2, dtype=np.int64), "int64")
    with pytest.raises(ValueError, match="need 3 int64 of scratch"):
        kernels.sample(tensor(good, "float32"), pool, rows, out=out, scratch=scratch)
    with pytest.raises(ValueError, match="fewer than 1 drafts"):
        slots = tensor(np.zeros((3, 72), dtype=np.int32), "int32")
        drafts = np.zeros((2, 2), dtype=np.int32)
        kernels.draft(pool, slots, rows, tensor(drafts, "int32"), places=1)
    tokens = tensor(np.zeros(4, dtype=np.int32), "int32")
    with pytest.raises(ValueError, match="4 sequences need as many slots"):
        kernels.advance(pool, slots, rows, out, tokens)
    with pytest.raises(ValueError, match="slots of 2 places"):
        kernels.advance(pool, slots, rows, out, tokens, places=2)


def test_kernels_compile_for_devices() -> None:
    """Triton's compiler takes them for three devices, none of which has to be there."""
    script = Path(__file__).parent / "kernels" / "compile.py"
    made = subprocess.run([sys.executable, script], env=os.environ | {"TRITON_INTERPRET": "0"}, capture_output=True, text=True)
    assert made.returncode == 0, made.stderr
    assert made.stdout.count("compiled") == 7 * 3 * 3, made.stdout
