"""Runs the tests of real clients against a server: `run.py BASE_URL [ARGUMENTS OF PYTEST]`, with environments that have them.

`run.py --scripted` runs what can do without a model against a server that answers by a script: the examples, and what frameworks send.
With GRAMMARC_FULL=1 also the examples of AG2 and CrewAI, each in an environment of its own. With GRAMMARC_WHEEL=FILE, a wheel of the
Python package, also the examples that use it.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent
sys.path.insert(0, str(TESTS.parents[3] / "tests" / "python"))

from environment import environment  # noqa: E402

SCRIPTED = "--scripted"

APART = ("ag2", "crewai")
"""Frameworks whose requirements do not go with those of the others."""


def main() -> None:
    server, *arguments = sys.argv[1:]
    variables = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    if server == SCRIPTED:
        variables.pop("GRAMMARC_SERVER", None)
        tests = [TESTS / "test_examples.py", TESTS / "test_sent.py"]
    else:
        variables["GRAMMARC_SERVER"] = server
        tests = [TESTS]

    def run(requirements: str, *more: object) -> int:
        pytest = [environment(TESTS / requirements), "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", *arguments, *more]
        return subprocess.run(list(map(str, pytest)), env=variables).returncode

    with tempfile.TemporaryDirectory() as package:
        if wheel := os.environ.get("GRAMMARC_WHEEL"):
            install = [environment(TESTS / "requirements.txt"), "-m", "pip", "install", "--quiet", "--no-deps", "--target", package, wheel]
            subprocess.run(list(map(str, install)), check=True)
            variables["PYTHONPATH"] = package
        status = run("requirements.txt", *tests)
        if os.environ.get("GRAMMARC_FULL") == "1":
            for name in APART:
                status = status or run(f"requirements-{name}.txt", TESTS / "test_examples.py", "-k", name)
    sys.exit(status)


if __name__ == "__main__":
    main()
