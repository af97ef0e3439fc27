"""Builds the wheel, installs it into an environment without Rust, and runs the tests there.

Environments are kept in $GRAMMARC_CACHE/python (~/.cache/grammarc/python), by the digest of what is installed in them; the
package itself is installed anew each time. Arguments go to pytest, but for `--replay`: with it, replay.py reads standard input
after the tests.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

TESTS = Path(__file__).resolve().parent
PACKAGE = TESTS.parent
ROOT = PACKAGE.parents[1]
CACHE = Path(os.environ.get("GRAMMARC_CACHE") or Path.home() / ".cache" / "grammarc") / "python"

REPLAY = "--replay"
NO_ENVIRONMENT = 77
"""Exit status where the environment cannot be made, as of a test that is skipped."""


def environment(requirements: Path) -> Path:
    """The interpreter of an environment with these requirements."""
    text = requirements.read_bytes() + sys.version.encode()
    folder = CACHE / hashlib.sha256(text).hexdigest()[:16]
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        try:
            run(python, "-m", "pip", "install", "--quiet", "-r", requirements)
        except subprocess.CalledProcessError:
            print("the requirements of the tests cannot be installed: is the package index reachable?", file=sys.stderr)
            sys.exit(NO_ENVIRONMENT)
        (folder / "complete").touch()
    return python


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
        shutil.copy(ROOT / "docs" / "python.md", tests)
        data = {"GRAMMARC_DATA": os.environ.get("GRAMMARC_DATA") or str(ROOT.parent / "shared" / "data")}
        without_rust = {"PATH": os.pathsep.join(part for part in os.environ["PATH"].split(os.pathsep) if "cargo" not in part)}
        arguments = [argument for argument in sys.argv[1:] if argument != REPLAY]
        pytest = [python, "-m", "pytest", "-q", *arguments, tests]
        run(*pytest, cwd=scratch, env=os.environ | data | without_rust, stdin=subprocess.DEVNULL)
        if REPLAY in sys.argv:
            run(python, tests / "replay.py", cwd=scratch)


if __name__ == "__main__":
    main()
