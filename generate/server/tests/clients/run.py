"""Runs the tests of real clients against a server: `run.py BASE_URL`, with an environment that has them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parents[3] / "tests" / "python"))

from environment import environment  # noqa: E402


def main() -> None:
    server, *arguments = sys.argv[1:]
    variables = os.environ | {"GRAMMARC_SERVER": server, "PYTHONDONTWRITEBYTECODE": "1"}
    pytest = [environment(TESTS / "requirements.txt"), "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments, TESTS]
    sys.exit(subprocess.run(pytest, env=variables).returncode)


if __name__ == "__main__":
    main()
