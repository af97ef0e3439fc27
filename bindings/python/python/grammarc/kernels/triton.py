"""grammarc's kernels in Triton: masks applied, positions advanced and tokens sampled on a device, without a binary of grammarc.

    from grammarc.kernels import triton as kernels
    kernels.apply(logits, pool, rows, row_map=slots)
    kernels.sample(logits, pool, rows, out=tokens, scratch=scratch)
    kernels.advance(pool, positions, rows, status, tokens)

They work over the tables of ``runtime/cuda`` (its README is the specification of every word), and give what its kernels give,
bit by bit: tensors of ``int32`` on the device that hold the pool, the rows (16 words each), the positions (72) and a status for
each slot. Use them where a host takes no binary, or a device is none of CUDA's; ``grammarc.cuda`` is faster.

Tensors are those of torch, and anything else that has ``data_ptr()``, ``stride()``, ``shape`` and ``dtype`` as Triton reads them. No
function allocates, reads from the device or waits for it. Each launches one kernel, :func:`sample` two, on the current stream, so
all may be captured in a graph once they have run with the same types of arguments.

Arguments that many of them take:

``row_map``
    by row of logits, the number of its row of ``rows`` or of the bitmask, negative to leave it as it is. Without it, its own.
``column_tokens``
    by column of the logits, its token, negative for none: for vocabularies of draft models. Without it, columns are consecutive
    tokens from ``first`` on, where ``first`` is that of a device's share of the vocabulary.
"""

from __future__ import annotations

from typing import Any

from grammarc.kernels._advance import advance_kernel, draft_kernel
from grammarc.kernels._apply import apply_bitmask_kernel, apply_kernel, fill_kernel
from grammarc.kernels._sample import pick_kernel, score_kernel

__all__ = ["advance", "apply", "apply_bitmask", "draft", "fill", "sample", "scratch_columns"]

_BLOCK = 4096
_SAMPLED = 2048
_DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2}
_ROW = 16
_POSITION = 72


def apply(
    logits: Any, pool: Any, rows: Any, *, row_map: Any = None, column_tokens: Any = None, first: int = 0
) -> None:
    """Sets the logits that their rows do not allow to negative infinity, in place.

    ``logits`` is ``[rows, columns]`` of ``float32``, ``float16`` or ``bfloat16``, its columns next to each other. Rows without a
    mask, and those whose mask is pending, stay as they are. Tokens past the vocabulary are not allowed. Raises ``ValueError``
    for other shapes and types.
    """
    count, columns, dtype = _logits(logits)
    _words(pool, "pool", 1)
    _records(rows, "rows", _ROW)
    _indices(row_map, "row_map", count)
    _indices(column_tokens, "column_tokens", columns)
    if count and columns:
        apply_kernel[(count, _blocks(columns, _BLOCK))](
            logits, logits.stride(0), columns, pool, rows, row_map, column_tokens, first, DTYPE=dtype, BLOCK=_BLOCK
        )


def apply_bitmask(
    logits: Any,
    bitmask: Any,
    *,
    tokens: int | None = None,
    row_map: Any = None,
    column_tokens: Any = None,
    first: int = 0,
) -> None:
    """As :func:`apply`, with a host's bitmask: ``int32 [rows, words]``, bit ``t % 32`` of word ``t // 32`` set where token ``t`` is
    allowed.

    ``tokens`` is the number of tokens that the bitmask speaks of, at most 32 a word, and all of them by default; the others are
    not allowed.
    """
    count, columns, dtype = _logits(logits)
    _words(bitmask, "bitmask", 2)
    width = int(bitmask.shape[1])
    known = 32 * width if tokens is None else tokens
    if not 0 <= known <= 32 * width:
        raise ValueError(f"a bitmask of {width} words speaks of at most {32 * width} tokens, not of {known}")
    _indices(row_map, "row_map", count)
    _indices(column_tokens, "column_tokens", columns)
    if row_map is None and int(bitmask.shape[0]) < count:
        raise ValueError(f"{count} rows of logits need as many rows of the bitmask, which has {int(bitmask.shape[0])}")
    if count and columns:
        apply_bitmask_kernel[(count, _blocks(columns, _BLOCK))](
            logits,
            logits.stride(0),
            columns,
            bitmask,
            bitmask.stride(0),
            width,
            known,
            row_map,
            column_tokens,
            first,
            DTYPE=dtype,
            BLOCK=_BLOCK,
        )


def fill(bitmask: Any, pool: Any, rows: Any, *, row_map: Any = None) -> None:
    """Writes masks as a host's bitmask, ``int32 [rows, words]``. A row without a mask, or whose mask is pending, allows all."""
    _words(bitmask, "bitmask", 2)
    _words(pool, "pool", 1)
    _records(rows, "rows", _ROW)
    count, width = (int(size) for size in bitmask.shape)
    _indices(row_map, "row_map", count)
    if count and width:
        fill_kernel[(count, _blocks(width, _BLOCK // 32))](
            bitmask, bitmask.stride(0), width, pool, rows, row_map, WORDS=_BLOCK // 32
        )


def advance(
    pool: Any,
    positions: Any,
    rows: Any,
    status: Any,
    tokens: Any,
    *,
    slots: Any = None,
    accepted: Any = None,
    places: int = 1,
) -> None:
    """Takes one token for each sequence in its slot: the position, the row and the status of the slot change.

    ``positions`` is ``[slots * places, 72]`` and ``rows`` ``[slots * places, 16]``, ``status`` has a word for each slot.
    ``tokens`` are by sequence, negative for none. ``slots`` are the sequences' slots, negative for none; without them, sequence
    ``i`` has slot ``i``. ``accepted`` is the number of drafts that were accepted and that the token comes after.
    """
    slot_count = _slots(positions, rows, places)
    _indices(status, "status", slot_count)
    count = _sequences(pool, tokens, slots, slot_count)
    _indices(accepted, "accepted", count)
    if count:
        advance_kernel[(count,)](
            pool, positions, rows, status, places, slots, tokens, tokens.stride(0), accepted, num_warps=1
        )


def draft(
    pool: Any,
    positions: Any,
    rows: Any,
    tokens: Any,
    *,
    places: int,
    slots: Any = None,
    allowed: Any = None,
) -> None:
    """Writes positions and rows after each draft of a sequence, up to the first that is not allowed.

    ``tokens`` is ``[sequences, drafts]`` with fewer drafts than ``places``. The number of drafts that are allowed goes to
    ``allowed``, ``int32`` by sequence.
    """
    slot_count = _slots(positions, rows, places)
    if len(tokens.shape) != 2 or int(tokens.shape[1]) >= places or tokens.stride(1) != 1:
        raise ValueError(
            f"drafts are [sequences, drafts], next to each other, with fewer than {places} drafts; got {tuple(tokens.shape)}"
        )
    count = _sequences(pool, tokens, slots, slot_count)
    _indices(allowed, "allowed", count)
    if count and int(tokens.shape[1]):
        draft_kernel[(count,)](
            pool,
            positions,
            rows,
            places,
            slots,
            tokens,
            tokens.stride(0),
            int(tokens.shape[1]),
            allowed,
            num_warps=1,
        )


def sample(
    logits: Any,
    pool: Any,
    rows: Any,
    *,
    out: Any,
    scratch: Any,
    temperatures: Any = None,
    seeds: Any = None,
    steps: Any = None,
    row_map: Any = None,
    column_tokens: Any = None,
    first: int = 0,
) -> None:
    """Picks a token for each row of logits under its mask, to ``out``, ``int32`` by row: -1 where none is allowed, the mask is
    pending, or the row is left out. A row without a mask allows all.

    The token is that of the greatest logit, the least of several, where the temperature is 0 or there are none; else a draw
    from the softmax of the logits over the temperature. ``temperatures`` are ``float32`` by row, ``seeds`` and ``steps``
    ``int64``: a seed draws other numbers in each step. NaN is less than all other logits.

    ``scratch`` is ``int64 [rows, scratch_columns(columns)]``, or as many numbers in another shape. :func:`advance` takes ``out`` as
    its tokens.
    """
    count, columns, dtype = _logits(logits)
    _words(pool, "pool", 1)
    _records(rows, "rows", _ROW)
    for name, by_row in {"out": out, "temperatures": temperatures, "seeds": seeds, "steps": steps, "row_map": row_map}.items():
        _indices(by_row, name, count)
    _indices(column_tokens, "column_tokens", columns)
    blocks = scratch_columns(columns)
    room = 1
    for size in scratch.shape:
        room *= int(size)
    if _name(scratch) != "int64" or room < count * blocks:
        raise ValueError(f"{count} rows of {columns} logits need {count * blocks} int64 of scratch")
    if count:
        score_kernel[(count, blocks)](
            logits,
            logits.stride(0),
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
            DTYPE=dtype,
            BLOCK=_SAMPLED,
            enable_fp_fusion=False,
        )
        pick_kernel[(count,)](scratch, blocks, out, BLOCK=1 << (blocks - 1).bit_length(), num_warps=1)


def scratch_columns(columns: int) -> int:
    """Numbers of scratch memory that :func:`sample` needs for each row of so many logits."""
    return max(1, _blocks(columns, _SAMPLED))


def _blocks(size: int, block: int) -> int:
    return -(-size // block)


def _name(tensor: Any) -> str:
    """The name of a tensor's dtype, without its library's."""
    return str(tensor.dtype).rpartition(".")[2]


def _logits(logits: Any) -> tuple[int, int, int]:
    """Rows, columns and the number of the dtype."""
    dtype = _DTYPES.get(_name(logits))
    if dtype is None:
        raise ValueError(f"logits are float32, float16 or bfloat16, not {_name(logits)}")
    if len(logits.shape) != 2 or (int(logits.shape[1]) > 1 and logits.stride(1) != 1):
        raise ValueError("logits are [rows, columns], with columns next to each other")
    return int(logits.shape[0]), int(logits.shape[1]), dtype


def _words(tensor: Any, name: str, dimensions: int) -> None:
    if _name(tensor) != "int32" or len(tensor.shape) != dimensions:
        raise ValueError(f"{name} is int32 with {dimensions} dimensions, not {_name(tensor)} with {len(tensor.shape)}")
    if int(tensor.shape[-1]) > 1 and tensor.stride(dimensions - 1) != 1:
        raise ValueError(f"words of {name} are next to each other")


def _records(tensor: Any, name: str, words: int) -> None:
    """Records of so many words, one after the other."""
    _words(tensor, name, 2)
    if int(tensor.shape[1]) != words or tensor.stride(0) != words:
        raise ValueError(f"{name} is [count, {words}], one after the other, not {tuple(tensor.shape)}")


def _indices(tensor: Any, name: str, count: int) -> None:
    """Numbers by row, column or sequence, if any."""
    if tensor is None:
        return
    if len(tensor.shape) != 1 or int(tensor.shape[0]) < count or (count > 1 and tensor.stride(0) != 1):
        raise ValueError(f"{name} is {count} numbers next to each other, not {tuple(tensor.shape)}")


def _slots(positions: Any, rows: Any, places: int) -> int:
    """The number of slots."""
    _records(positions, "positions", _POSITION)
    _records(rows, "rows", _ROW)
    held = int(positions.shape[0])
    if places < 1 or held % places or int(rows.shape[0]) != held:
        raise ValueError(
            f"slots of {places} places need positions and rows for each: there are {held} and {int(rows.shape[0])}"
        )
    return held // places


def _sequences(pool: Any, tokens: Any, slots: Any, slot_count: int) -> int:
    """The number of sequences."""
    _words(pool, "pool", 1)
    count = int(tokens.shape[0])
    _indices(slots, "slots", count)
    if slots is None and count > slot_count:
        raise ValueError(f"{count} sequences need as many slots, of which there are {slot_count}")
    return count
