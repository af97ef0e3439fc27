"""Grammars on CUDA devices: masks that are already where the logits are.

    device = grammarc.cuda.Device()
    grammar = device.upload(matcher)                  # once for each grammar
    slots = device.slots(256)                         # once for a server
    slots.write(3, grammar, matcher)                  # once for a sequence
    slots.apply(logits, places)                       # a step: nothing is copied
    slots.advance(tokens, places)

Nothing of CUDA is installed with grammarc: the driver is found when a :class:`Device` is opened, and ``DeviceError`` says what is
missing. Arrays are those of torch, cupy or numba on the device, and stay where they are: anything with ``data_ptr()`` or
``__cuda_array_interface__``. Work is launched on torch's current stream, or on ``stream``, and not waited for.

What the device does not decide it leaves to the host, and says so in :attr:`Slots.status`: see ``docs/gpu.md``.
"""

from __future__ import annotations

import math
import sys
from typing import Any, NamedTuple, final

from grammarc._native import CudaDevice, CudaGrammar, CudaRow, CudaRows, CudaSlots, CudaTables, Matcher

__all__ = ["Device", "Grammar", "Row", "Rows", "Slots", "Status", "Tables", "custom_ops"]

Grammar = CudaGrammar
"""A grammar on a device. ``bytes`` is what its own tables take there."""

Row = CudaRow
"""A row for kernels of the host's: ``words`` are its 16 words. What it alone names is given back with it."""

_DTYPES = {"float32": (0, 4), "float16": (1, 2), "bfloat16": (2, 2)}
_WORDS = {"int32": 4, "uint32": 4}
_LONG = {"int64": 8, "uint64": 8}
_EMULATED = "grammarc emulator"


class Status(NamedTuple):
    """How the last token of a slot was taken."""

    waits_for_host: bool
    """The device does not decide it: take it in the matcher, and write the slot."""
    refused: bool
    """It is not allowed; the position stayed."""
    finished: bool
    """It was an end token."""


class _Array(NamedTuple):
    address: int
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    """In elements."""
    dtype: str


@final
class Device:
    """A device, opened in its primary context, which is torch's.

    ``pool_bytes`` is the most that tables may take, up to 16 GB; memory is taken as grammars come. ``driver`` is the path of the
    driver's library where the system does not find it.
    """

    def __init__(self, ordinal: int = 0, *, pool_bytes: int = 4 << 30, driver: str | None = None) -> None:
        self._device = CudaDevice(ordinal, pool_bytes, driver)
        self._emulated = self._device.name == _EMULATED

    @property
    def name(self) -> str:
        return self._device.name

    @property
    def used(self) -> int:
        """Bytes that tables take."""
        return self._device.usage()[0]

    @property
    def held(self) -> int:
        """Bytes of device memory that the pool holds."""
        return self._device.usage()[1]

    def upload(self, matcher: Matcher, *, stream: int | None = None) -> Grammar:
        """Copies a grammar's tables to the device, and those of its vocabulary where they are not there. The end tokens are those
        of the matcher, which does not move."""
        return self._device.upload(matcher, _stream(stream))

    def slots(self, slots: int, drafts: int = 0, *, stream: int | None = None) -> Slots:
        """Places for some sequences, and for some drafts after each."""
        return Slots(self, self._device.slots(slots, drafts, _stream(stream)))

    def rows(self, rows: int = 4096, *, stream: int | None = None) -> Rows:
        """A table of rows for a host that advances itself and sends four bytes for each row of logits."""
        return Rows(self, self._device.rows(rows, _stream(stream)))

    def apply_bitmask(
        self,
        logits: Any,
        bitmask: Any,
        numbers: Any = None,
        *,
        tokens: int | None = None,
        first_token: int = 0,
        column_tokens: Any = None,
        stream: int | None = None,
    ) -> None:
        """Sets the logits that a bitmask on the device does not allow to negative infinity, in place.

        ``bitmask`` is ``int32 [rows, words]``: bit ``t % 32`` of word ``t // 32`` is token ``t``. ``tokens`` are those that it speaks
        of, 32 a word unless it is said; the others are not allowed. ``numbers`` are rows of the bitmask: see :meth:`Slots.apply`.
        """
        bits = self._bits(bitmask)
        known = bits[1] * 32 if tokens is None else tokens
        given = self._logits(logits, numbers, first_token, column_tokens)
        self._device.apply_bitmask(bits, known, given, _stream(stream))

    def synchronize(self, stream: int | None = None) -> None:
        """Waits for the work of a stream."""
        self._device.synchronize(_stream(stream))

    def _array(self, array: Any, what: str, dtypes: dict[str, Any], dimensions: int) -> _Array:
        found = _described(array, what, host=self._emulated)
        if found.dtype not in dtypes:
            raise TypeError(f"{what}: elements are of {found.dtype}, and not of {' or '.join(dtypes)}")
        if len(found.shape) != dimensions:
            raise ValueError(f"{what}: {len(found.shape)} dimensions, and not {dimensions}")
        if found.shape[-1] > 1 and found.strides[-1] != 1:
            raise ValueError(f"{what}: the elements of a row are not next to each other")
        return found

    def _list(self, array: Any, what: str, count: int, dtypes: dict[str, int] = _WORDS) -> int:
        """The address of a list of at least `count` elements, 0 for None."""
        if array is None:
            return 0
        found = self._array(array, what, dtypes, 1)
        if found.shape[0] < count:
            raise ValueError(f"{what}: {found.shape[0]} elements, and {count} are needed")
        return found.address

    def _logits(
        self, logits: Any, numbers: Any, first: int, column_tokens: Any
    ) -> tuple[int, int, int, int, int, int, int, int]:
        found = self._array(logits, "the logits", _DTYPES, 2)
        rows, columns = found.shape
        stride = found.strides[0] if rows > 1 else columns
        numbers = self._list(numbers, "the numbers of rows", rows)
        tokens = self._list(column_tokens, "the tokens of columns", columns)
        return found.address, _DTYPES[found.dtype][0], rows, columns, stride, first, numbers, tokens

    def _bits(self, bitmask: Any) -> tuple[int, int, int]:
        found = self._array(bitmask, "the bitmask", _WORDS, 2)
        rows, words = found.shape
        return found.address, words, found.strides[0] if rows > 1 else words

    def _tokens(self, tokens: Any) -> tuple[int, int, int]:
        found = self._array(tokens, "the tokens", _WORDS, 1)
        return found.address, found.shape[0], 1


@final
class Slots:
    """Sequences on a device, each in a slot. Slots do not move: a captured graph may hold them.

    A place is ``slot * (drafts + 1) + j``: where a sequence is after ``j`` drafts.
    """

    def __init__(self, device: Device, slots: CudaSlots) -> None:
        self._device = device
        self._slots = slots

    def __len__(self) -> int:
        return len(self._slots)

    @property
    def drafts(self) -> int:
        """Drafts that each slot has places for."""
        return self._slots.drafts

    def write(self, slot: int, grammar: Grammar, matcher: Matcher, *, stream: int | None = None) -> None:
        """Writes where a sequence is: at its beginning, after a rollback, or where the device waits for the host."""
        self._slots.write(slot, grammar, matcher, _stream(stream))

    def release(self, slot: int, *, stream: int | None = None) -> None:
        """Lets a slot go: its rows allow everything from here on."""
        self._slots.release(slot, _stream(stream))

    def apply(
        self,
        logits: Any,
        places: Any = None,
        *,
        first_token: int = 0,
        column_tokens: Any = None,
        stream: int | None = None,
    ) -> None:
        """Sets the logits that are not allowed to negative infinity, in place.

        ``logits`` is ``[rows, columns]`` of ``float32``, ``float16`` or ``bfloat16``. ``places`` is ``int32 [rows]`` on the device, -1 to
        leave a row as it is; without it, row r is place r. ``first_token`` is the token of column 0, where the vocabulary is split
        over devices; ``column_tokens`` is ``int32 [columns]``, for vocabularies of models that draft.
        """
        given = self._device._logits(logits, places, first_token, column_tokens)
        self._slots.apply(given, _stream(stream))

    def fill(self, bitmask: Any, places: Any = None, *, stream: int | None = None) -> None:
        """Writes masks as rows of an ``int32 [rows, words]`` bitmask on the device, for hosts that apply it themselves."""
        found = self._device._array(bitmask, "the bitmask", _WORDS, 2)
        numbers = self._device._list(places, "the places", found.shape[0])
        self._slots.fill(self._device._bits(bitmask), found.shape[0], numbers, _stream(stream))

    def advance(self, tokens: Any, slots: Any = None, accepted: Any = None, *, stream: int | None = None) -> None:
        """Takes a token in each sequence's slot.

        All are ``int32 [sequences]`` on the device: tokens, -1 for none; slots, -1 for none, without it its own number; and how
        many drafts of each were accepted, after which its token comes.
        """
        given = self._device._tokens(tokens)
        numbers = self._device._list(slots, "the slots", given[1])
        after = self._device._list(accepted, "the accepted drafts", given[1])
        self._slots.advance(given, numbers, after, _stream(stream))

    def draft(self, tokens: Any, slots: Any = None, allowed: Any = None, *, stream: int | None = None) -> None:
        """Makes the places after each draft of ``int32 [sequences, drafts]``, up to the first that is not allowed: from there on rows
        are as that one's. ``allowed`` is ``int32 [sequences]`` and receives how many are allowed."""
        found = self._device._array(tokens, "the drafts", _WORDS, 2)
        count, drafts = found.shape
        numbers = self._device._list(slots, "the slots", count)
        counts = self._device._list(allowed, "the allowed drafts", count)
        stride = found.strides[0] if count > 1 else drafts
        self._slots.draft((found.address, count, stride), numbers, drafts, counts, _stream(stream))

    def sample(
        self,
        logits: Any,
        tokens: Any,
        places: Any = None,
        *,
        temperatures: Any = None,
        seeds: Any = None,
        steps: Any = None,
        advance: bool = False,
        slots: Any = None,
        stream: int | None = None,
    ) -> None:
        """Samples an allowed token in each row of logits into ``tokens``, ``int32 [rows]``: -1 where there is none, or where the row
        waits for the host.

        ``temperatures`` is ``float32 [rows]``, 0 for the greatest logit, which it is without it. A draw is that of its seed and
        step, ``int64 [rows]``, on every device: use a step once with a seed. With ``advance``, each token is taken in its row's slot
        at once.
        """
        given = self._device._logits(logits, places, 0, None)
        rows = given[2]
        of = self._device._list
        by_row = (
            of(tokens, "the tokens", rows),
            of(temperatures, "the temperatures", rows, {"float32": 4}),
            of(seeds, "the seeds", rows, _LONG),
            of(steps, "the steps", rows, _LONG),
        )
        if by_row[0] == 0:
            raise TypeError("the tokens have no place")
        numbers = of(slots, "the slots", rows) if advance else None
        self._slots.sample(given, by_row, numbers, _stream(stream))

    @property
    def status(self) -> int:
        """Address of the statuses on the device, ``uint32`` by slot: bits 0, 1 and 2 are the fields of :class:`Status`. For hosts that copy
        them with their tokens."""
        return self._slots.status

    def statuses(self, *, stream: int | None = None) -> list[Status]:
        """The statuses by slot, when the work of the stream is done."""
        return [Status(*status) for status in self._slots.statuses(_stream(stream))]


@final
class Rows:
    """Rows by number, for a host that advances its matchers itself: what positions allow repeats, so a row is copied once and named by
    four bytes afterwards."""

    def __init__(self, device: Device, rows: CudaRows) -> None:
        self._device = device
        self._rows = rows

    def begin(self) -> None:
        """Begins a step: rows that are not asked for in it may be given up."""
        self._rows.begin()

    def number(self, grammar: Grammar, matcher: Matcher, *, stream: int | None = None) -> int:
        """The number of the row that a matcher allows."""
        return self._rows.number(grammar, matcher, _stream(stream))

    def flush(self, *, stream: int | None = None) -> None:
        """Copies new rows to the device, before the work that names them."""
        self._rows.flush(_stream(stream))

    def apply(
        self,
        logits: Any,
        numbers: Any,
        *,
        first_token: int = 0,
        column_tokens: Any = None,
        stream: int | None = None,
    ) -> None:
        """As :meth:`Slots.apply`, with numbers of :meth:`number`, or -1 to leave a row as it is."""
        given = self._device._logits(logits, numbers, first_token, column_tokens)
        self._rows.apply(given, _stream(stream))

    def fill(self, bitmask: Any, numbers: Any, *, stream: int | None = None) -> None:
        """As :meth:`Slots.fill`, with numbers of :meth:`number`."""
        found = self._device._array(bitmask, "the bitmask", _WORDS, 2)
        given = self._device._list(numbers, "the numbers", found.shape[0])
        self._rows.fill(self._device._bits(bitmask), found.shape[0], given, _stream(stream))


@final
class Tables:
    """Tables in memory of the host's, for kernels that are not ours, such as those of ``grammarc.kernels.triton``.

    ``pool`` is an ``int32`` array on the device, or None where the host writes :meth:`patches` itself.
    """

    def __init__(self, pool: Any = None, *, pool_bytes: int | None = None) -> None:
        if pool is not None:
            pool_bytes = 4 * len(pool)
        self._pool = pool
        self._tables = CudaTables(4 << 30 if pool_bytes is None else pool_bytes)

    @property
    def used(self) -> int:
        """Bytes that tables take."""
        return self._tables.usage()[0]

    def upload(self, matcher: Matcher) -> Grammar:
        """Adds a grammar, with its vocabulary where it is not there, and writes what is new to the pool."""
        grammar = self._tables.upload(matcher)
        self._write()
        return grammar

    def row(self, grammar: Grammar, matcher: Matcher) -> Row:
        """What a matcher allows. Keep the row while its words are used."""
        row = self._tables.row(grammar, matcher)
        self._write()
        return row

    def position(self, grammar: Grammar, matcher: Matcher) -> bytes:
        """Where a matcher is, as the 72 words of a position."""
        return self._tables.position(grammar, matcher)

    def patches(self) -> list[tuple[int, bytes]]:
        """Patches to be written since this was last asked: the number of the first word, and the words."""
        return self._tables.patches()

    def _write(self) -> None:
        if self._pool is None:
            return
        for at, words in self._tables.patches():
            part = self._pool[at : at + len(words) // 4]
            if "torch" in sys.modules and hasattr(part, "copy_"):
                torch = sys.modules["torch"]
                part.copy_(torch.frombuffer(bytearray(words), dtype=torch.int32))
            else:
                part[:] = memoryview(words).cast("i")


def custom_ops(slots: Slots) -> Any:
    """Torch operators over slots, which ``torch.compile`` and CUDA graphs take as they are: ``apply(logits, places)`` and
    ``advance(tokens, slots)``, each changing what it is given in place and returning nothing.

    The slots are named by number in the graph and live as long as the operators.
    """
    import torch  # type: ignore[import-not-found,unused-ignore]

    number = len(_REGISTERED)
    _REGISTERED.append(slots)

    def operator(name: str, changed: str, other: str, work: Any) -> Any:
        # The schema is said, since what annotations name is imported in here alone.
        schema = f"(Tensor(a!) {changed}, Tensor {other}) -> ()"
        made = torch.library.custom_op(f"grammarc::{name}_{number}", work, mutates_args={changed}, schema=schema)
        made.register_fake(lambda *_: None)
        return made

    # Tokens stay as they are, and what they change is not torch's: named as changed, the operator is not taken for one without effect.
    return _Operators(
        operator("apply", "logits", "places", lambda logits, places: slots.apply(logits, places)),
        operator("advance", "tokens", "numbers", lambda tokens, numbers: slots.advance(tokens, numbers)),
    )


class _Operators(NamedTuple):
    apply: Any
    advance: Any


_REGISTERED: list[Slots] = []


def _stream(stream: int | None) -> int:
    """The stream's handle: torch's current one, where torch has one, unless it is said."""
    if stream is not None:
        return stream
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        return int(torch.cuda.current_stream().cuda_stream)
    return 0


def _described(array: Any, what: str, *, host: bool) -> _Array:
    """Address, shape, strides and type of an array. ``host``: memory of the process is memory of the device."""
    if hasattr(array, "data_ptr"):
        if not host and not getattr(array, "is_cuda", False):
            raise TypeError(f"{what}: the array is on {array.device}, and not on the device")
        dtype = str(array.dtype).removeprefix("torch.")
        return _Array(array.data_ptr(), tuple(array.shape), tuple(array.stride()), dtype)
    interface = getattr(array, "__cuda_array_interface__", None)
    if interface is None and host:
        interface = getattr(array, "__array_interface__", None)
    if interface is None:
        raise TypeError(f"{what}: expected an array on the device, as of torch or cupy, and not {type(array).__qualname__}")
    kinds = {"<f8": "float64", "<f4": "float32", "<f2": "float16", "<i4": "int32", "<u4": "uint32", "<i8": "int64", "<u8": "uint64"}
    dtype = kinds.get(interface["typestr"], interface["typestr"])
    shape = tuple(interface["shape"])
    size = int(interface["typestr"][2:])
    strides = interface.get("strides")
    if strides is None:
        elements = tuple(math.prod(shape[at + 1 :]) for at in range(len(shape)))
    else:
        elements = tuple(stride // size for stride in strides)
    if interface["data"][1]:
        raise TypeError(f"{what}: the array cannot be written")
    return _Array(int(interface["data"][0]), shape, elements, dtype)
