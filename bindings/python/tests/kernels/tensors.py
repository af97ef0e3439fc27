"""Tensors for kernels: torch's on a device where there is one, and arrays of numpy for the interpreter of Triton elsewhere.

The interpreter asks a tensor for little: where it is, and what it would ask of torch to bring it to the processor and back.
"""

from __future__ import annotations

import os
from typing import Any

import numpy as np

INTERPRETED = os.environ.get("TRITON_INTERPRET", "0") == "1"

BITS = {"float32": np.float32, "float16": np.float16, "bfloat16": np.uint16, "int32": np.int32, "int64": np.int64}
"""What holds a type in numpy, which has no bfloat16."""


class Tensor:
    """A view of an array, as Triton sees tensors."""

    def __init__(self, array: np.ndarray[Any, Any], dtype: str) -> None:
        assert array.dtype == BITS[dtype]
        self.array = array
        self.dtype = f"torch.{dtype}"
        self.shape = array.shape

    def data_ptr(self) -> int:
        return int(self.array.ctypes.data)

    def stride(self, dimension: int | None = None) -> Any:
        strides = tuple(step // self.array.itemsize for step in self.array.strides)
        return strides if dimension is None else strides[dimension]

    # What the interpreter does around a launch; the memory is the processor's already.

    def untyped_storage(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def new_empty(self, size: int, device: str) -> Tensor:
        return self

    def set_(self, *memory: Any) -> None:
        pass

    def copy_(self, other: Any) -> None:
        pass

    def storage_offset(self) -> int:
        return 0

    def size(self) -> Any:
        return self.shape


def tensor(array: np.ndarray[Any, Any], dtype: str) -> Any:
    """An array of bits as a tensor: a view of it for the interpreter, a copy on the device else."""
    if INTERPRETED:
        return Tensor(array, dtype)
    import torch

    base = array if array.base is None else array.base
    held = torch.from_numpy(np.ascontiguousarray(base.view(np.int16) if base.dtype == np.uint16 else base)).cuda()
    held = held.view(getattr(torch, dtype))
    if array.base is None:
        return held
    offset = (array.ctypes.data - base.ctypes.data) // array.itemsize
    strides = tuple(step // array.itemsize for step in array.strides)
    return held.as_strided(array.shape, strides, offset)


def read(tensor: Any) -> np.ndarray[Any, Any]:
    """The bits of a tensor, with all of the memory around a view that :func:`tensor` was given."""
    if isinstance(tensor, Tensor):
        array = tensor.array
        return array if array.base is None else array.base
    import torch

    whole = torch.empty(0, dtype=tensor.dtype, device=tensor.device).set_(tensor.untyped_storage())
    name = str(tensor.dtype).rpartition(".")[2]
    bits = whole.view(torch.int16 if name == "bfloat16" else tensor.dtype).cpu().numpy().view(BITS[name])
    return bits.reshape(tuple(tensor.shape)) if bits.size == tensor.numel() else bits
