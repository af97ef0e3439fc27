"""Devices that hosts' tensors are on, opened for grammarc's kernels where that is possible.

A server goes on without: where no driver is found, or a device is none of CUDA's, masks go to it as rows of bits, for kernels of the
host's. That is said once for each device.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection
from typing import Any

from grammarc import cuda
from grammarc._errors import GrammarcError
from grammarc.hosts._serving import Settings

BITS = 32
"""Tokens of a word of a bitmask."""


class Devices:
    """Devices of one process by number, each opened once. Any thread may ask.

    ``opens`` makes a device of its number, and ``kinds`` are the types of torch's devices that it is asked for.
    """

    def __init__(
        self,
        logger: logging.Logger,
        opens: Callable[[int], cuda.Device] | None = None,
        kinds: Collection[str] = ("cuda",),
    ) -> None:
        self._logger = logger
        self._opens = opens
        self._kinds = kinds
        self._lock = threading.Lock()
        self._opened: dict[int, cuda.Device | None] = {}

    def at(self, device: Any) -> cuda.Device | None:
        """The device of a ``torch.device``; None where grammarc has no kernels for it."""
        if device.type not in self._kinds:
            return None
        ordinal = device.index
        if ordinal is None:
            ordinal = current() if device.type == "cuda" else 0
        with self._lock:
            if ordinal not in self._opened:
                self._opened[ordinal] = self._open(ordinal)
            return self._opened[ordinal]

    def _open(self, ordinal: int) -> cuda.Device | None:
        settings = Settings.from_environment()
        if not settings.gpu:
            return None
        opens = self._opens or (lambda number: cuda.Device(number, pool_bytes=settings.gpu_bytes))
        try:
            opened = opens(ordinal)
        except GrammarcError as error:
            self._logger.warning("masks go to the device as rows of bits, for the host's kernels: %s", error)
            return None
        self._logger.info("masks are applied by grammarc on device %d, %s", ordinal, opened.name)
        return opened


def current() -> int:
    """The number of torch's current device."""
    import torch  # type: ignore[import-not-found,unused-ignore]

    return int(torch.cuda.current_device())
