"""The CUDA kernels on the processor: ``runtime/cuda/emulator``, compiled when it is first asked for and called as the driver."""

from __future__ import annotations

import ctypes
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(os.environ.get("GRAMMARC_ROOT") or Path(__file__).parents[4]) / "runtime" / "cuda"
DTYPES = {"float32": 0, "float16": 1, "bfloat16": 2}


class Logits(ctypes.Structure):
    _fields_ = [
        ("at", ctypes.c_void_p),
        ("stride", ctypes.c_int64),
        ("columns", ctypes.c_uint32),
        ("dtype", ctypes.c_uint32),
        ("first", ctypes.c_uint32),
        ("rows", ctypes.c_uint32),
        ("map", ctypes.c_void_p),
        ("tokens", ctypes.c_void_p),
    ]


class Apply(ctypes.Structure):
    _fields_ = [("pool", ctypes.c_void_p), ("rows", ctypes.c_void_p), ("logits", Logits)]


class Bitmask(ctypes.Structure):
    _fields_ = [
        ("bitmask", ctypes.c_void_p),
        ("bitmask_stride", ctypes.c_int64),
        ("words", ctypes.c_uint32),
        ("tokens", ctypes.c_uint32),
        ("logits", Logits),
    ]


class Fill(ctypes.Structure):
    _fields_ = [
        ("pool", ctypes.c_void_p),
        ("rows", ctypes.c_void_p),
        ("bitmask", ctypes.c_void_p),
        ("stride", ctypes.c_int64),
        ("words", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("map", ctypes.c_void_p),
    ]


class Advance(ctypes.Structure):
    _fields_ = [
        ("pool", ctypes.c_void_p),
        ("positions", ctypes.c_void_p),
        ("rows", ctypes.c_void_p),
        ("status", ctypes.c_void_p),
        ("places", ctypes.c_uint32),
        ("count", ctypes.c_uint32),
        ("slots", ctypes.c_void_p),
        ("tokens", ctypes.c_void_p),
        ("token_stride", ctypes.c_int64),
        ("accepted", ctypes.c_void_p),
        ("drafts", ctypes.c_uint32),
        ("allowed", ctypes.c_void_p),
    ]


class Sample(ctypes.Structure):
    _fields_ = [
        ("pool", ctypes.c_void_p),
        ("rows", ctypes.c_void_p),
        ("logits", Logits),
        ("best", ctypes.c_void_p),
        ("blocks", ctypes.c_void_p),
        ("tokens", ctypes.c_void_p),
        ("temperatures", ctypes.c_void_p),
        ("seeds", ctypes.c_void_p),
        ("steps", ctypes.c_void_p),
        ("advances", ctypes.c_uint32),
        ("advance", Advance),
    ]


@functools.cache
def path() -> str:
    """The path of the emulated driver, built once. Tests that need it are skipped without its sources or a compiler."""
    if shutil.which(os.environ.get("CXX") or "c++") is None or not FOLDER.is_dir():
        import pytest

        pytest.skip("the emulated driver needs a compiler of C++, and GRAMMARC_ROOT")
    made = Path(tempfile.mkdtemp()) / "libemulated.so"
    subprocess.run([FOLDER / "emulator" / "build", made], check=True)
    return str(made)


@functools.cache
def library() -> Any:
    return ctypes.CDLL(path())


def launch(name: str, params: ctypes.Structure, grid: tuple[int, int], block: int) -> None:
    driver = library()
    module, function = ctypes.c_void_p(), ctypes.c_void_p()
    assert driver.cuModuleLoadData(ctypes.byref(module), b".version 8.1") == 0
    assert driver.cuModuleGetFunction(ctypes.byref(function), module, name.encode()) == 0, name
    pointers = (ctypes.c_void_p * 1)(ctypes.addressof(params))
    size = (*grid, 1, block, 1, 1)
    assert driver.cuLaunchKernel(function, *map(ctypes.c_uint, size), 0, None, pointers, None) == 0, name


def gumbels(random: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The numbers that the CUDA source makes of random words."""
    made = np.zeros(len(random), dtype=np.float32)
    library().gumbels(ctypes.c_void_p(at(random)), ctypes.c_void_p(at(made)), ctypes.c_uint(len(random)))
    return made


def at(array: np.ndarray[Any, Any] | None) -> int | None:
    return None if array is None else int(array.ctypes.data)


def logits_of(
    logits: np.ndarray[Any, Any],
    dtype: str,
    row_map: np.ndarray[Any, Any] | None = None,
    column_tokens: np.ndarray[Any, Any] | None = None,
    first: int = 0,
) -> Logits:
    rows, columns = logits.shape
    stride = logits.strides[0] // logits.itemsize
    return Logits(at(logits), stride, columns, DTYPES[dtype], first, rows, at(row_map), at(column_tokens))


def grid_of(logits: Logits) -> tuple[int, int]:
    return max(1, -(-logits.columns // 8192)), logits.rows
