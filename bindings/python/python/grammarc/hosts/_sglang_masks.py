"""SGLang's masks: rows of bits, or numbers of rows that are on the device.

SGLang lets a backend allocate the mask of a batch, has it filled and moved, and hands it back to be applied, so what it is is the
backend's own. Here it is a list of who fills which row, until it is moved: four bytes a row then, the numbers of rows of
:class:`grammarc.cuda.Rows`, where the batch is grammarc's and the device takes it. Otherwise it becomes the rows of bits that it
denotes: where SGLang filters tokens of a row, where an engine fills that knows bits alone, and where tables do not fit.

For a tree of drafts SGLang allocates on the processor, whatever the model's device is, and reads bits from the rows that it has filled:
these are rows of bits from the start.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any, Protocol

from grammarc import cuda, fill_batch
from grammarc._errors import GrammarcError
from grammarc._native import Matcher
from grammarc.hosts._devices import BITS, Devices


class Filler(Protocol):
    """A request of grammarc's."""

    _matcher: Matcher
    _tables: Tables


class Tables:
    """A grammar's tables on the devices that it was asked for on, shared by its requests."""

    def __init__(self) -> None:
        self._on: dict[int, tuple[cuda.Device, cuda.Grammar]] = {}

    def on(self, device: cuda.Device, matcher: Matcher) -> cuda.Grammar:
        """The tables on a device, copied when they are first asked for."""
        found = self._on.get(id(device))
        if found is None:
            found = self._on[id(device)] = device, device.upload(matcher)
        return found[1]


class Masks:
    """Makes and applies the masks of one backend."""

    by_number = True
    """Whether rows are named by number where the device allows it."""

    def __init__(self, width: int, devices: Devices, logger: logging.Logger) -> None:
        self._width = width
        self._devices = devices
        self._logger = logger
        self._rows: dict[int, Counted] = {}
        self._has_said = False

    def allocate(self, count: int, device: Any) -> Any:
        """A mask with all tokens allowed."""
        torch: Any = import_module("torch")
        if self.by_number and self._devices.at(torch.device(device)) is not None:
            return Mask(self._width, count)
        return bits(self._width, count)

    def move(self, mask: Any, device: Any) -> Any:
        """The mask on the model's device."""
        if not isinstance(mask, Mask):
            return mask.to(device, non_blocking=True)
        torch: Any = import_module("torch")
        opened = self._devices.at(torch.device(device))
        if mask.is_by_number and opened is not None:
            try:
                return self._numbers(mask, opened, device)
            except GrammarcError as error:
                # A step of rows of bits costs a copy, and nothing else. The next one may fare better.
                if not self._has_said:
                    self._has_said = True
                    self._logger.warning("masks go to the device as rows of bits where this happens: %s", error)
        return mask.as_bits().to(device, non_blocking=True)

    def _numbers(self, mask: Mask, device: cuda.Device, where: Any) -> Numbers:
        torch: Any = import_module("torch")
        rows = self._rows.get(id(device))
        if rows is None or len(mask) > rows.count:
            rows = self._rows[id(device)] = Counted(device, max(4096, 2 * len(mask)))
        rows.table.begin()
        numbers = [-1] * len(mask)
        for row, request in mask.fillers.items():
            matcher = request._matcher
            numbers[row] = rows.table.number(request._tables.on(device, matcher), matcher)
        rows.table.flush()
        moved = torch.tensor(numbers, dtype=torch.int32, pin_memory=is_pinned()).to(where, non_blocking=True)
        return Numbers(rows.table, moved)

    def apply(self, logits: Any, mask: Any) -> None:
        """Sets the logits of what is not allowed to negative infinity, in place."""
        if isinstance(mask, Numbers):
            mask.rows.apply(logits, mask.numbers)
            return
        device = self._devices.at(logits.device)
        if device is not None:
            device.apply_bitmask(logits, mask)
        elif logits.device.type != "cpu":
            theirs: Any = import_module("sglang.srt.constrained.xgrammar_backend")
            theirs.XGrammarGrammarBackend.apply_vocab_mask(logits, mask)
        else:
            torch: Any = import_module("torch")
            allowed = (mask.unsqueeze(-1) >> torch.arange(BITS, dtype=torch.int32)) & 1
            logits.masked_fill_(~allowed.flatten(1)[:, : logits.shape[-1]].bool(), float("-inf"))


class Numbers:
    """A mask on the device: numbers of rows, -1 where all tokens are allowed."""

    def __init__(self, rows: cuda.Rows, numbers: Any) -> None:
        self.rows = rows
        self.numbers = numbers


class Counted:
    """A table of rows, and how many it has."""

    def __init__(self, device: cuda.Device, count: int) -> None:
        self.table = device.rows(count)
        self.count = count


class Mask:
    """The mask of a batch while it is filled."""

    def __init__(self, width: int, count: int) -> None:
        self._width = width
        self._count = count
        self._bits: Any = None
        self.fillers: dict[int, Filler] = {}

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, at: Any) -> Any:
        """As of rows of bits."""
        return self.as_bits()[at]

    @property
    def is_by_number(self) -> bool:
        """Whether all rows are of requests of grammarc's."""
        return self._bits is None

    def fill(self, row: int, request: Filler) -> None:
        """Has a request fill a row, until its position changes."""
        if self._bits is None:
            self.fillers[row] = request
        else:
            request._matcher.fill(self._bits, row)

    def allow_all(self) -> None:
        """Allows all tokens in all rows."""
        self._bits = None
        self.fillers.clear()

    def as_bits(self) -> Any:
        """The rows of bits, as which the mask goes on."""
        if self._bits is None:
            self._bits = bits(self._width, self._count)
            if self.fillers:
                fill_batch([request._matcher for request in self.fillers.values()], self._bits, list(self.fillers))
        return self._bits


def bits(width: int, count: int) -> Any:
    """Rows of bits with all tokens allowed."""
    torch: Any = import_module("torch")
    return torch.full((count, -(-width // BITS)), -1, dtype=torch.int32, pin_memory=is_pinned())


def is_pinned() -> bool:
    """Whether copies to the device are from pinned memory."""
    return bool(import_module("sglang.srt.utils.common").is_pin_memory_available())
