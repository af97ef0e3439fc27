"""Environments of Python for tests, kept in $GRAMMARC_CACHE/python (~/.cache/grammarc/python) by the digest of what is in them.

They are filled by uv, which takes a third of the time that pip does, and by pip where uv fails: it does not read pip's settings, of which
the index may be one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

CACHE = Path(os.environ.get("GRAMMARC_CACHE") or Path.home() / ".cache" / "grammarc") / "python"

NO_ENVIRONMENT = 77
"""Exit status where the environment cannot be made, as of a test that is skipped."""


def installs(python: Path, *what: object) -> bool:
    """Whether pip installs something."""
    return not subprocess.run([python, "-m", "pip", "install", "--quiet", *what]).returncode


def fills(folder: Path, requirements: Path) -> bool:
    """Whether the uv of an environment installs requirements into it."""
    line = [folder / "bin" / "uv", "pip", "install", "--quiet", "--python", folder / "bin" / "python", "-r", requirements]
    return not subprocess.run(line).returncode


def environment(requirements: Path) -> Path:
    """The interpreter of an environment with these requirements."""
    text = requirements.read_bytes() + sys.version.encode()
    folder = CACHE / hashlib.sha256(text).hexdigest()[:16]
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        if not (installs(python, "uv") and fills(folder, requirements)) and not installs(python, "-r", requirements):
            print("the requirements of the tests cannot be installed: is the package index reachable?", file=sys.stderr)
            sys.exit(NO_ENVIRONMENT)
        (folder / "complete").touch()
    return python
