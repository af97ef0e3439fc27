"""Runs the tests of the command's pages in a browser: `run.py COMMAND [ARGUMENTS OF PYTEST]`, with an environment that has Playwright."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parents[3] / "tests" / "python"))

from environment import environment  # noqa: E402


def main() -> None:
    command, *arguments = sys.argv[1:]
    variables = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "GRAMMARC_COMMAND": command}
    pytest = [environment(TESTS / "requirements.txt"), "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", TESTS, *arguments]
    sys.exit(subprocess.run(list(map(str, pytest)), env=variables).returncode)


if __name__ == "__main__":
    main()
