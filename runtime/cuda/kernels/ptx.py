"""Compiles the kernels to PTX with the NVRTC of requirements.txt; needs neither a GPU nor a toolkit.

    python3 ptx.py           writes grammarc.ptx
    python3 ptx.py --check   fails where grammarc.ptx is not what the sources make

PTX of ISA 8.1 for compute_80 runs on every device from the A100 on: the driver compiles it for the device at hand when it is
loaded, and keeps the result.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PTX = HERE / "grammarc.ptx"
OPTIONS = ["--gpu-architecture=compute_80", "--std=c++17", "--fmad=false"]

sys.path.insert(0, str(HERE.parents[2] / "tests" / "python"))


def library() -> ctypes.CDLL:
    """The NVRTC of the environment that requirements.txt describes."""
    from environment import environment

    python = environment(HERE / "requirements.txt")
    ask = "import sysconfig; print(sysconfig.get_paths()['purelib'])"
    packages = subprocess.run([python, "-c", ask], check=True, capture_output=True, text=True).stdout.strip()
    folder = Path(packages) / "nvidia" / "cuda_nvrtc" / "lib"
    # The compiler finds its builtins by their name alone, among what is loaded.
    for name in ["libnvrtc-builtins.so.12.1", "libnvrtc.so.12"]:
        loaded = ctypes.CDLL(str(folder / name), mode=ctypes.RTLD_GLOBAL)
    return loaded


def compiled(source: str, name: str, headers: list[Path]) -> str:
    """The PTX of a source, which may include the headers."""
    nvrtc = library()
    texts = (ctypes.c_char_p * len(headers))(*[header.read_bytes() for header in headers])
    names = (ctypes.c_char_p * len(headers))(*[header.name.encode() for header in headers])
    options = (ctypes.c_char_p * len(OPTIONS))(*[option.encode() for option in OPTIONS])
    program = ctypes.c_void_p()
    arguments = [source.encode(), name.encode(), len(headers), texts, names]
    check(nvrtc, nvrtc.nvrtcCreateProgram(ctypes.byref(program), *arguments))
    status = nvrtc.nvrtcCompileProgram(program, len(OPTIONS), options)
    if status != 0:
        sys.exit(text(nvrtc, "ProgramLog", program))
    return text(nvrtc, "PTX", program)


def text(nvrtc: ctypes.CDLL, what: str, program: ctypes.c_void_p) -> str:
    """A text of a program: its log or its PTX."""
    size = ctypes.c_size_t()
    check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}Size")(program, ctypes.byref(size)))
    room = ctypes.create_string_buffer(size.value)
    check(nvrtc, getattr(nvrtc, f"nvrtcGet{what}")(program, room))
    return room.value.decode()


def check(nvrtc: ctypes.CDLL, status: int) -> None:
    if status != 0:
        nvrtc.nvrtcGetErrorString.restype = ctypes.c_char_p
        sys.exit(f"NVRTC: {nvrtc.nvrtcGetErrorString(status).decode()}")


if __name__ == "__main__":
    made = compiled((HERE / "grammarc.cu").read_text(), "grammarc.cu", sorted(HERE.glob("*.cuh")))
    if sys.argv[1:] == ["--check"]:
        if not PTX.exists() or PTX.read_text() != made:
            sys.exit(f"{PTX.name} is not what the sources make: run {Path(__file__).name}")
    else:
        PTX.write_text(made)
        print(f"{PTX.name}: {len(made)} bytes")
