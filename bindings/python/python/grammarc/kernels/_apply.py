# mypy: ignore-errors
# Functions of the language of Triton, which a checker of Python does not know.
"""Masks over logits, and masks as a host's bitmask: a program for each row and block of columns.

Logits are never read, so a NaN of an allowed token stays. What is written is the bit pattern of negative infinity, so the
kernels see logits as integers of their width.
"""

import triton
import triton.language as tl

from grammarc.kernels._masks import ALL, PENDING, ROW, bitmask_words, bits_of, row_has, row_words

FLOAT32 = tl.constexpr(0)
FLOAT16 = tl.constexpr(1)


@triton.jit
def shifted(words, after, shift):
    """Words of columns that begin at bit ``shift`` of ``words``; ``after`` are the words one further."""
    shift = shift.to(tl.uint32, bitcast=True)
    return (words >> shift) | (after << (32 - shift))


@triton.jit
def write_over(logits, at, stride, begin, columns, allowed, DTYPE: tl.constexpr, BLOCK: tl.constexpr):
    """Writes negative infinity over the logits of a block that are not allowed."""
    column = begin + tl.arange(0, BLOCK)
    forbidden = (allowed == 0) & (column < columns)
    offset = at.to(tl.int64) * stride + column
    if DTYPE == FLOAT32:
        tl.store(logits.to(tl.pointer_type(tl.int32), bitcast=True) + offset, -0x800000, mask=forbidden)
    elif DTYPE == FLOAT16:
        tl.store(logits.to(tl.pointer_type(tl.int16), bitcast=True) + offset, -0x400, mask=forbidden)
    else:
        tl.store(logits.to(tl.pointer_type(tl.int16), bitcast=True) + offset, -0x80, mask=forbidden)


@triton.jit
def write_words(logits, at, stride, begin, columns, words, DTYPE: tl.constexpr, BLOCK: tl.constexpr):
    """As :func:`write_over`, for columns whose bits are in words. Where all are ones, nothing is unpacked."""
    WORDS: tl.constexpr = BLOCK // 32
    past = begin + tl.arange(0, WORDS) * 32 >= columns
    some = tl.sum(((words != ALL) & (past == 0)).to(tl.int32), axis=0)
    if some > 0:
        write_over(logits, at, stride, begin, columns, bits_of(words, WORDS), DTYPE, BLOCK)


@triton.jit
def apply_kernel(
    logits,
    stride,
    columns,
    pool,
    rows,
    row_map,
    column_tokens,
    first,
    DTYPE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Grid: rows of logits, blocks of columns."""
    WORDS: tl.constexpr = BLOCK // 32
    at = tl.program_id(0)
    begin = tl.program_id(1) * BLOCK
    mapped = at
    if row_map is not None:
        mapped = tl.load(row_map + at).to(tl.int32)
    if mapped >= 0:
        row = rows + mapped.to(tl.int64) * ROW
        kind = tl.load(row)
        if (kind != 0) & ((kind & PENDING) == 0):
            if column_tokens is not None:
                column = begin + tl.arange(0, BLOCK)
                token = tl.load(column_tokens + column, mask=column < columns, other=-1).to(tl.int32)
                known = token >= 0
                allowed = known & row_has(pool, row, tl.where(known, token, 0))
                write_over(logits, at, stride, begin, columns, allowed, DTYPE, BLOCK)
            else:
                token = first + begin
                words = row_words(pool, row, token >> 5, WORDS)
                if (token & 31) != 0:
                    after = row_words(pool, row, (token >> 5) + 1, WORDS)
                    words = shifted(words, after, token & 31)
                write_words(logits, at, stride, begin, columns, words, DTYPE, BLOCK)


@triton.jit
def apply_bitmask_kernel(
    logits,
    stride,
    columns,
    bitmask,
    bitmask_stride,
    bitmask_words_count,
    bitmask_tokens,
    row_map,
    column_tokens,
    first,
    DTYPE: tl.constexpr,
    BLOCK: tl.constexpr,
):
    """Grid: rows of logits, blocks of columns."""
    WORDS: tl.constexpr = BLOCK // 32
    at = tl.program_id(0)
    begin = tl.program_id(1) * BLOCK
    mapped = at
    if row_map is not None:
        mapped = tl.load(row_map + at).to(tl.int32)
    if mapped >= 0:
        row = bitmask + mapped.to(tl.int64) * bitmask_stride
        if column_tokens is not None:
            column = begin + tl.arange(0, BLOCK)
            token = tl.load(column_tokens + column, mask=column < columns, other=-1).to(tl.int32)
            known = (token >= 0) & (token < bitmask_tokens)
            word = tl.load(row + (token >> 5), mask=known, other=0)
            write_over(logits, at, stride, begin, columns, (word >> (token & 31)) & 1, DTYPE, BLOCK)
        else:
            token = first + begin
            words = bitmask_words(row, bitmask_words_count, bitmask_tokens, token >> 5, WORDS)
            if (token & 31) != 0:
                after = bitmask_words(row, bitmask_words_count, bitmask_tokens, (token >> 5) + 1, WORDS)
                words = shifted(words, after, token & 31)
            write_words(logits, at, stride, begin, columns, words, DTYPE, BLOCK)


@triton.jit
def fill_kernel(bitmask, stride, words_count, pool, rows, row_map, WORDS: tl.constexpr):
    """Grid: rows of the bitmask, blocks of words."""
    at = tl.program_id(0)
    first = tl.program_id(1) * WORDS
    mapped = at
    if row_map is not None:
        mapped = tl.load(row_map + at).to(tl.int32)
    if mapped >= 0:
        row = rows + mapped.to(tl.int64) * ROW
        kind = tl.load(row)
        words = tl.zeros([WORDS], dtype=tl.uint32) | ALL
        if (kind != 0) & ((kind & PENDING) == 0):
            words = row_words(pool, row, first, WORDS)
        place = first + tl.arange(0, WORDS)
        tl.store(bitmask + at.to(tl.int64) * stride + place, words.to(tl.int32, bitcast=True), mask=place < words_count)
