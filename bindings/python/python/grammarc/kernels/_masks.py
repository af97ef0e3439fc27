# mypy: ignore-errors
# Functions of the language of Triton, which a checker of Python does not know.
"""Words of a mask, for a program of Triton: of rows of the pool, and of a host's bitmask.

A program holds a block of consecutive words of one row, 32 tokens a word. Entries of lists that fall into the block are found by
a search and set or cleared by comparison with the numbers of the block's words, some at a time, since a program of Triton has
no atomic operations on what it holds.

The layout of the pool is that of ``runtime/cuda/README.md``. Words are ``int32`` in memory; an offset above 2**31 is negative
there, and is widened as an unsigned number.
"""

import triton
import triton.language as tl

NONE = tl.constexpr(-1)
"""The absence of an offset."""

ROW = tl.constexpr(16)
"""Words of a row."""
PARTS = tl.constexpr(3)
"""First part of a row."""
PART_COUNT = tl.constexpr(0xFF)
MASKED = tl.constexpr(0x100)
PENDING = tl.constexpr(0x200)

ALL = tl.constexpr(0xFFFFFFFF)
TILE = tl.constexpr(16)
"""Entries of a list that are compared with a block at a time."""


@triton.jit
def load(pool, offset):
    """A word of the pool, or a block of them."""
    return tl.load(pool + offset.to(tl.uint32, bitcast=True).to(tl.int64))


@triton.jit
def load_where(pool, offset, condition):
    """Words of the pool where a condition holds, 0 elsewhere."""
    return tl.load(pool + offset.to(tl.uint32, bitcast=True).to(tl.int64), mask=condition, other=0)


@triton.jit
def lower_bound(pool, list, length, key):
    """The number of entries of an ascending list that are less than ``key``, or than each of a block of keys."""
    step = length * 0 + 1
    while step * 2 <= length:
        step = step * 2
    found = key * 0
    while step > 0:
        probed = found + step
        inside = probed <= length
        less = inside & (load_where(pool, list + probed - 1, inside) < key)
        found = tl.where(less, probed, found)
        step = step >> 1
    return found


@triton.jit
def list_has(pool, list, length, key):
    """Whether an ascending list has a token, or each of a block of tokens."""
    at = lower_bound(pool, list, length, key)
    inside = at < length
    return inside & (load_where(pool, list + at, inside) == key)


@triton.jit
def with_list(pool, list, length, first, words, SET: tl.constexpr, WORDS: tl.constexpr):
    """A block of words that begins at word ``first``, with the entries of an ascending list set, or cleared."""
    if length > 0:
        at = lower_bound(pool, list, length, first * 32)
        end = lower_bound(pool, list, length, (first + WORDS) * 32)
        place = first + tl.arange(0, WORDS)
        while at < end:
            entry = at + tl.arange(0, TILE)
            token = load_where(pool, list + entry, entry < end)
            bit = (token * 0 + 1).to(tl.uint32, bitcast=True) << (token & 31).to(tl.uint32, bitcast=True)
            here = (place[:, None] == (token >> 5)[None, :]) & (entry < end)[None, :]
            # No two entries are the same bit, so the sum is the union.
            bits = tl.sum(tl.where(here, bit[None, :], 0), axis=1).to(tl.uint32)
            if SET:
                words = words | bits
            else:
                words = words & (bits ^ ALL)
            at = at + TILE
    return words


@triton.jit
def row_words(pool, row, first, WORDS: tl.constexpr):
    """The block of words of a row that begins at word ``first``: the union of its parts, and its end tokens."""
    place = first + tl.arange(0, WORDS)
    union = tl.zeros([WORDS], dtype=tl.uint32)
    parts = tl.load(row) & PART_COUNT
    part = parts * 0
    while part < parts:
        mask = tl.load(row + PARTS + part)
        dense = load(pool, mask)
        words = tl.zeros([WORDS], dtype=tl.uint32)
        if dense != NONE:
            inside = place < load(pool, mask + 7)
            full = load(pool, mask + 6)
            ones = inside & (place < 0)
            if full != NONE:
                # Most of a wide mask is ones, and a bit says so of 32 words.
                chunk = place >> 5
                ones = inside & (((load_where(pool, full + (chunk >> 5), inside) >> (chunk & 31)) & 1) != 0)
            words = load_where(pool, dense + place, inside & (ones == 0)).to(tl.uint32, bitcast=True)
            words = tl.where(ones, ALL, words).to(tl.uint32)
            words = with_list(pool, load(pool, mask + 1), load(pool, mask + 2), first, words, False, WORDS)
        words = with_list(pool, load(pool, mask + 3), load(pool, mask + 4), first, words, True, WORDS)
        union = union | words
        part = part + 1
    return with_list(pool, tl.load(row + 1), tl.load(row + 2), first, union, True, WORDS)


@triton.jit
def row_has(pool, row, token):
    """Whether a row allows each of a block of tokens, none of which is negative."""
    allowed = token < 0
    parts = tl.load(row) & PART_COUNT
    part = parts * 0
    while part < parts:
        mask = tl.load(row + PARTS + part)
        dense = load(pool, mask)
        # A token of the dense row is not in the other list, and one that is not is not in this.
        if dense != NONE:
            inside = (token >> 5) < load(pool, mask + 7)
            there = inside & (((load_where(pool, dense + (token >> 5), inside) >> (token & 31)) & 1) != 0)
            kept = there & (list_has(pool, load(pool, mask + 1), load(pool, mask + 2), token) == 0)
            allowed = allowed | kept
        allowed = allowed | list_has(pool, load(pool, mask + 3), load(pool, mask + 4), token)
        part = part + 1
    return allowed | list_has(pool, tl.load(row + 1), tl.load(row + 2), token)


@triton.jit
def bitmask_words(row, words, tokens, first, WORDS: tl.constexpr):
    """The block of words of a bitmask's row that begins at word ``first``, without the bits from token ``tokens`` on."""
    place = first + tl.arange(0, WORDS)
    inside = (place < words) & (place * 32 < tokens)
    word = tl.load(row + place, mask=inside, other=0).to(tl.uint32, bitcast=True)
    over = place * 32 + 32 - tokens
    kept = (place * 0 - 1).to(tl.uint32, bitcast=True) >> tl.where(over > 0, over & 31, 0).to(tl.uint32, bitcast=True)
    return word & kept


@triton.jit
def bits_of(words, WORDS: tl.constexpr):
    """Whether each bit of a block of words is set: a block of 32 times as many."""
    lane = tl.arange(0, 32).to(tl.uint32, bitcast=True)
    return tl.reshape(((words[:, None] >> lane[None, :]) & 1) != 0, [WORDS * 32])
