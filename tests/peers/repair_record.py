"""A plugin of pytest that writes down what json_repair's own tests ask of it, and what it answers.

    cd JSON_REPAIR && PYTHONPATH=. pytest -p repair_record --repair-cases cases.jsonl tests

Each line is a call: suite, test, text, options, and the answer as a value, or that it was refused. `grammarc-benches`' `suites` asks
grammarc the same. Nothing of the tests is kept in the project: they are run where they are.
"""

from __future__ import annotations

import functools
import json
from typing import Any

import pytest
import src.json_repair.json_repair as peer

CASES: list[dict[str, Any]] = []
CURRENT = ""


def recorded(original: Any) -> Any:
    """The function, with a line for each call by a test; calls within it are its own business."""
    inside = False

    @functools.wraps(original)
    def wrapped(text: Any = "", *args: Any, **options: Any) -> Any:
        nonlocal inside
        if inside or not isinstance(text, str):
            return original(text, *args, **options)
        row: dict[str, Any] = {"suite": "json_repair", "test": CURRENT, "text": text, "options": dict(options)}
        inside = True
        try:
            answer = original(text, *args, **options)
            value = answer[0] if isinstance(answer, tuple) else answer
            # A text is JSON unless objects were asked for; an empty one is no value.
            row["answer"] = json.loads(value) if isinstance(value, str) and value and not options.get("return_objects") else value
            return answer
        except Exception as error:
            row["refused"] = str(error)[:200]
            raise
        finally:
            inside = False
            try:
                CASES.append(json.loads(json.dumps(row)))
            except (TypeError, ValueError):
                pass

    return wrapped


peer.repair_json = recorded(peer.repair_json)


def pytest_addoption(parser: Any) -> None:
    parser.addoption("--repair-cases", default="repair_cases.jsonl")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: Any) -> None:
    global CURRENT
    CURRENT = item.nodeid.removeprefix("tests/")


def pytest_sessionfinish(session: Any) -> None:
    with open(session.config.getoption("--repair-cases"), "w", encoding="utf-8") as out:
        out.writelines(json.dumps(case) + "\n" for case in CASES)
