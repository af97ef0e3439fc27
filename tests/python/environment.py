"""Environments of Python for tests, kept in $GRAMMARC_CACHE/python (~/.cache/grammarc/python) by the digest of what is in them."""

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


def environment(requirements: Path) -> Path:
    """The interpreter of an environment with these requirements."""
    text = requirements.read_bytes() + sys.version.encode()
    folder = CACHE / hashlib.sha256(text).hexdigest()[:16]
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        shutil.rmtree(folder, ignore_errors=True)
        venv.create(folder, with_pip=True)
        if subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", requirements]).returncode:
            print("the requirements of the tests cannot be installed: is the package index reachable?", file=sys.stderr)
            sys.exit(NO_ENVIRONMENT)
        (folder / "complete").touch()
    return python
