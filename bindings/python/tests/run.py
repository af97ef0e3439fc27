"""Builds the wheel, installs it into an environment without Rust, and runs the tests there.

Environments are kept (tests/python/environment.py); the package itself is installed anew each time. Arguments go to pytest, but for `--replay`: with it, replay.py reads standard input
after the tests.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent
ROOT = PACKAGE.parents[1]

REPLAY = "--replay"

sys.path.insert(0, str(ROOT / "tests" / "python"))

from environment import environment  # noqa: E402


def run(*line: object, **options: object) -> None:
    subprocess.run([str(part) for part in line], check=True, **options)  # type: ignore[call-overload]


def main() -> None:
    python = environment(TESTS / "requirements.txt")
    with tempfile.TemporaryDirectory() as scratch:
        profile = os.environ.get("GRAMMARC_PROFILE", "dev")
        build = [python, "-m", "maturin", "build", "--profile", profile, "--out", scratch, "--quiet"]
        run(*build, "--interpreter", python, cwd=PACKAGE, env=os.environ | {"CARGO_TARGET_DIR": str(ROOT / "target")})
        (wheel,) = Path(scratch).glob("*.whl")
        run(python, "-m", "pip", "install", "--quiet", "--force-reinstall", "--no-deps", wheel)
        # The tests run from a folder of their own, so that what they import is the wheel.
        tests = Path(scratch) / "tests"
        shutil.copytree(TESTS, tests, ignore=shutil.ignore_patterns("__pycache__"))
        # Pages and examples are where they are.
        data = {"GRAMMARC_DATA": os.environ.get("GRAMMARC_DATA") or str(ROOT.parent / "shared" / "data"), "GRAMMARC_ROOT": str(ROOT)}
        without_rust = {"PATH": os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if "cargo" not in part)}
        arguments = [argument for argument in sys.argv[1:] if argument != REPLAY]
        # Files side by side, since fixtures of a file are dear.
        workers = ["-n", min(4, os.cpu_count() or 1), "--dist", "loadfile"]
        pytest = [python, "-m", "pytest", "-q", *workers, *arguments, tests]
        run(*pytest, cwd=scratch, env=os.environ | data | without_rust, stdin=subprocess.DEVNULL)
        if REPLAY in sys.argv:
            run(python, tests / "replay.py", cwd=scratch)


if __name__ == "__main__":
    main()
