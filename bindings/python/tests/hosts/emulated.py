"""A device without a GPU, for hosts' tests: the emulated driver, for which tensors on the processor are on the device."""

from __future__ import annotations

import logging

from kernels.emulator import path

from grammarc import cuda
from grammarc.hosts._devices import Devices


def device(pool_bytes: int = 64 << 20) -> cuda.Device:
    """A device."""
    return cuda.Device(driver=path(), pool_bytes=pool_bytes)


def devices(pool_bytes: int = 64 << 20) -> Devices:
    """Devices for tensors on the processor."""
    return Devices(logging.getLogger("emulated"), lambda ordinal: device(pool_bytes), ("cpu",))
