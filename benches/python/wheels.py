"""What the wheels cost: size, dependencies, import time and memory, of grammarc and its peers.

    python wheels.py WHEEL            the wheel of grammarc; peers come from the package index

Each is installed into an environment of its own. Times are user CPU of `python -c "import X"` less that of an empty program,
medians of nine; memory is the peak of the process.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

CACHE = Path(os.environ.get("GRAMMARC_CACHE") or Path.home() / ".cache" / "grammarc") / "wheels"
# XGrammar's own dependencies are gigabytes; its import is that of a serving stack, which has them.
PEERS = {"llguidance": ["llguidance==1.9.1"], "outlines_core": ["outlines_core==0.2.14"]}


def python_of(name: str, requirements: list[str]) -> Path:
    folder = CACHE / name
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *requirements], check=True)
        (folder / "complete").touch()
    return python


def measure(python: Path, code: str) -> tuple[float, float]:
    """User CPU in seconds and peak memory in MB of a program."""
    program = f"{code}\nimport resource, sys\nused = resource.getrusage(resource.RUSAGE_SELF)\nprint(used.ru_utime, used.ru_maxrss / 1024)"
    runs = [subprocess.run([python, "-c", program], capture_output=True, text=True, check=True).stdout.split() for _ in range(9)]
    return statistics.median(float(run[0]) for run in runs), statistics.median(float(run[1]) for run in runs)


def size_of(requirement: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", folder, requirement], check=True)
        return sum(file.stat().st_size for file in Path(folder).iterdir()) / 1e6


def main() -> None:
    wheel = Path(sys.argv[1])
    rows = {"grammarc": (python_of("grammarc-" + str(int(wheel.stat().st_mtime)), [str(wheel)]), wheel.stat().st_size / 1e6)}
    for name, requirements in PEERS.items():
        rows[name] = (python_of(name, requirements), size_of(requirements[0]))
    if xgrammar := os.environ.get("XGRAMMAR_PYTHON"):
        rows["xgrammar"] = (Path(xgrammar), size_of("xgrammar==0.2.8"))
    print("| | wheel, MB | import, user s | import, peak MB |\n| --- | --: | --: | --: |")
    for name, (python, size) in rows.items():
        empty, import_ = measure(python, ""), measure(python, f"import {name}")
        print(f"| {name} | {size:.1f} | {import_[0] - empty[0]:.3f} | {import_[1] - empty[1]:.1f} |")


if __name__ == "__main__":
    main()
