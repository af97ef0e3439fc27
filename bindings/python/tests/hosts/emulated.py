"""A device without a GPU, for hosts' tests: the emulated driver, for which tensors on the processor are on the device."""

from __future__ import annotations

import functools
import logging
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from grammarc import cuda
from grammarc.hosts._devices import Devices


@functools.cache
def driver() -> str:
    """The path of the emulated driver, compiled once. Tests that need it are skipped without a compiler or the sources."""
    sources = Path(os.environ.get("GRAMMARC_ROOT", "")) / "runtime" / "cuda"
    if not (sources / "emulator").is_dir() or shutil.which("g++") is None:
        pytest.skip("the emulated driver needs g++, and GRAMMARC_ROOT")
    library = Path(tempfile.mkdtemp()) / "libemulated.so"
    line = ["g++", "-std=c++20", "-O1", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-fno-strict-aliasing"]
    folders = [f"-I{sources / 'emulator'}", f"-I{sources / 'kernels'}"]
    subprocess.run([*line, *folders, sources / "emulator" / "driver.cpp", "-o", library], check=True)
    return str(library)


def device(pool_bytes: int = 64 << 20) -> cuda.Device:
    """A device."""
    return cuda.Device(driver=driver(), pool_bytes=pool_bytes)


def devices(pool_bytes: int = 64 << 20) -> Devices:
    """Devices for tensors on the processor."""
    return Devices(logging.getLogger("emulated"), lambda ordinal: device(pool_bytes), ("cpu",))
