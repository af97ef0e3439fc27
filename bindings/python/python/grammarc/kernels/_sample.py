# mypy: ignore-errors
# Functions of the language of Triton, which a checker of Python does not know.
"""Tokens picked under masks, without writing the masks into the logits: the greatest logit, or a draw from their softmax.

A draw is the argmax of logit / temperature + G with G from the standard Gumbel distribution, whose bits come from Philox 4x32-10
of the seed, the step and the token; the arithmetic is that of ``runtime/cuda/kernels/sample.cuh``, operation by operation, so
that the same seed draws the same token. It has to be compiled without contraction of products and sums.

The best of each block of columns goes to scratch memory; a second kernel takes the best of those. A candidate is a number of 64
bits: the ordered logit above the complement of the token, so ties go to the least token.
"""

import triton
import triton.language as tl

from grammarc.kernels._apply import FLOAT16, FLOAT32, shifted
from grammarc.kernels._masks import ALL, NONE, PART_COUNT, PARTS, PENDING, ROW, bits_of, load, load_where, row_has, row_words

SPARSE = tl.constexpr(2048)
"""Rows whose masks are lists of fewer tokens are read token by token."""

NOTHING = tl.constexpr(-0x8000000000000000)
"""The candidate that is less than all others."""


@triton.jit
def logarithm(value):
    """The natural logarithm of positive normal numbers, within two units in the last place."""
    bits = value.to(tl.int32, bitcast=True) - 0x3F3504F3
    exponent = (bits >> 23).to(tl.float32)
    t = ((bits & 0x7FFFFF) + 0x3F3504F3).to(tl.float32, bitcast=True) - 1.0
    total = tl.fma(0.0714975372, t, -0.115712009)
    total = tl.fma(total, t, 0.116615109)
    total = tl.fma(total, t, -0.124110505)
    total = tl.fma(total, t, 0.142499372)
    total = tl.fma(total, t, -0.166684806)
    total = tl.fma(total, t, 0.200007081)
    total = tl.fma(total, t, -0.249999896)
    total = tl.fma(total, t, 0.333333313)
    square = t * t
    small = tl.fma(square * t, total, square * -0.5)
    return tl.fma(exponent, 0.693147182, t + small)


@triton.jit
def gumbel(random):
    """Numbers from the standard Gumbel distribution, by random words."""
    wide = random >= 0x800000
    whole = tl.where(wide, random >> 9, random).to(tl.int32, bitcast=True).to(tl.float32)
    v = (whole + 0.5) * tl.where(wide, 1.1920928955078125e-7, 2.3283064365386963e-10)
    total = tl.fma(0.166666667, v, 0.2)
    total = tl.fma(total, v, 0.25)
    total = tl.fma(total, v, 0.333333333)
    total = tl.fma(total, v, 0.5)
    total = tl.fma(total, v, 1.0)
    exponential = tl.where(v < 0.0625, total * v, -logarithm(1.0 - v))
    return -logarithm(exponential)


@triton.jit
def candidate(value, token):
    bits = (value + 0.0).to(tl.int32, bitcast=True)
    ordered = bits ^ ((bits >> 31) & 0x7FFFFFFF)
    ordered = tl.where(value != value, -0x80000000, ordered).to(tl.int32)
    return (ordered.to(tl.int64) << 32) | (token ^ -1).to(tl.uint32, bitcast=True).to(tl.int64)


@triton.jit
def scored(logits, offset, token, allowed, temperature, seed, step, DTYPE: tl.constexpr):
    """The candidates of a block of tokens; the least of all where one is not allowed."""
    if DTYPE == FLOAT32:
        value = tl.load(logits.to(tl.pointer_type(tl.float32), bitcast=True) + offset, mask=allowed, other=0.0)
    else:
        half = tl.load(logits.to(tl.pointer_type(tl.int16), bitcast=True) + offset, mask=allowed, other=0)
        if DTYPE == FLOAT16:
            value = half.to(tl.float16, bitcast=True).to(tl.float32)
        else:
            value = (half.to(tl.int32) << 16).to(tl.float32, bitcast=True)
    if temperature > 0.0:
        # Four words of tokens share a counter.
        counter = ((token >> 7) * 32 + (token & 31)).to(tl.uint32, bitcast=True)
        zero = tl.zeros_like(counter)
        low = zero + (step & ALL).to(tl.uint32)
        high = zero + ((step >> 32) & ALL).to(tl.uint32)
        r0, r1, r2, r3 = tl.philox(seed, counter, zero, low, high, 10)
        word = (token >> 5) & 3
        random = tl.where(word == 0, r0, tl.where(word == 1, r1, tl.where(word == 2, r2, r3)))
        value = tl.fma(value, tl.div_rn(1.0, temperature), gumbel(random))
    return tl.where(allowed, candidate(value, token), NOTHING)


@triton.jit
def best_of_list(logits, row_at, columns, first, pool, list, length, temperature, seed, step, DTYPE: tl.constexpr):
    """The best of a list of tokens."""
    BLOCK: tl.constexpr = 128
    best = tl.full([BLOCK], NOTHING, dtype=tl.int64)
    at = length * 0
    while at < length:
        place = at + tl.arange(0, BLOCK)
        token = load_where(pool, list + place, place < length)
        column = token - first
        there = (place < length) & (column >= 0) & (column < columns)
        found = scored(logits, row_at + column, token, there, temperature, seed, step, DTYPE)
        best = tl.maximum(best, found)
        at = at + BLOCK
    return tl.max(best, axis=0)


@triton.jit
def is_sparse(pool, row):
    """Whether a row's masks are lists of few tokens."""
    total = tl.load(row + 2)
    parts = tl.load(row) & PART_COUNT
    part = parts * 0
    while part < parts:
        mask = tl.load(row + PARTS + part)
        total = total + load(pool, mask + 5)
        if load(pool, mask) != NONE:
            total = total + SPARSE
        part = part + 1
    return total < SPARSE


@triton.jit
def score_kernel(
    logits,
    stride,
    columns,
    pool,
    rows,
    row_map,
    column_tokens,
    first,
    temperatures,
    seeds,
    steps,
    scratch,
    DTYPE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Grid: rows of logits, blocks of columns. The best of each block to ``scratch``."""
    WORDS: tl.constexpr = BLOCK // 32
    at = tl.program_id(0)
    begin = tl.program_id(1) * BLOCK
    mapped = at
    if row_map is not None:
        mapped = tl.load(row_map + at).to(tl.int32)
    row = rows + tl.maximum(mapped, 0).to(tl.int64) * ROW
    kind = tl.load(row)
    best = at.to(tl.int64) * 0 + NOTHING
    if (mapped >= 0) & ((kind & PENDING) == 0):
        temperature = at.to(tl.float32) * 0.0
        seed = at.to(tl.int64) * 0
        step = at.to(tl.int64) * 0
        if temperatures is not None:
            temperature = tl.load(temperatures + at)
        if seeds is not None:
            seed = tl.load(seeds + at).to(tl.int64)
        if steps is not None:
            step = tl.load(steps + at).to(tl.int64)
        row_at = at.to(tl.int64) * stride
        column = begin + tl.arange(0, BLOCK)
        sparse = kind != kind
        if column_tokens is None:
            if kind != 0:
                sparse = is_sparse(pool, row)
        if sparse:
            if begin == 0:
                parts = kind & PART_COUNT
                part = parts * 0
                while part < parts:
                    mask = tl.load(row + PARTS + part)
                    plus = load(pool, mask + 3)
                    count = load(pool, mask + 4)
                    found = best_of_list(logits, row_at, columns, first, pool, plus, count, temperature, seed, step, DTYPE)
                    best = tl.maximum(best, found)
                    part = part + 1
                ends = tl.load(row + 1)
                count = tl.load(row + 2)
                found = best_of_list(logits, row_at, columns, first, pool, ends, count, temperature, seed, step, DTYPE)
                best = tl.maximum(best, found)
        else:
            inside = column < columns
            if column_tokens is not None:
                token = tl.load(column_tokens + column, mask=inside, other=-1).to(tl.int32)
                allowed = inside
                if kind != 0:
                    known = token >= 0
                    allowed = known & row_has(pool, row, tl.where(known, token, 0))
            else:
                token = first + column
                allowed = inside
                if kind != 0:
                    word = (first + begin) >> 5
                    words = row_words(pool, row, word, WORDS)
                    shift = (first + begin) & 31
                    if shift != 0:
                        words = shifted(words, row_words(pool, row, word + 1, WORDS), shift)
                    allowed = inside & bits_of(words, WORDS)
            if tl.sum(allowed.to(tl.int32), axis=0) > 0:
                found = scored(logits, row_at + column, token, allowed, temperature, seed, step, DTYPE)
                best = tl.maximum(best, tl.max(found, axis=0))
    tl.store(scratch + at.to(tl.int64) * tl.num_programs(1) + tl.program_id(1), best)


@triton.jit
def pick_kernel(scratch, blocks, tokens, BLOCK: tl.constexpr):
    """Grid: rows of logits. The token of each row's best, -1 where there is none."""
    at = tl.program_id(0)
    block = tl.arange(0, BLOCK)
    found = tl.load(scratch + at.to(tl.int64) * blocks + block, mask=block < blocks, other=NOTHING)
    best = tl.max(found, axis=0)
    token = (best & ALL).to(tl.int32) ^ -1
    tl.store(tokens + at, tl.where(best == NOTHING, -1, token))
