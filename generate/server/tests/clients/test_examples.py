"""The files of `examples/`, as they stand, against the server."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[4] / "examples"

PERSON = r"Person\(name='.{0,30}', born=[12]\d{3}\)"

CALLED = r"answer: str called: (True|False) True"
"""A model may call a tool or not, and one that answers by a script does."""

SAID = {
    "openai_chat.py": [
        r"value: Person\(name='.{0,30}', born=[12]\d{3}, field='(art|mathematics|music|physics)'\)",
        r"stream: True Person\(name='.{0,30}', born=[12]\d{3}, field='(art|mathematics|music|physics)'\)",
        r"call: weather Weather\(city='.{0,20}', unit='[CF]'\)",
    ],
    "langchain_structured.py": [f"value: {PERSON}", r"call: weather \['city', 'unit'\]", "result: [CF]"],
    "instructor_person.py": [f"value: {PERSON}", f"parts: True {PERSON}"],
    "autogen_agent.py": [f"value: {PERSON}", CALLED],
    "ag2_agent.py": [f"value: {PERSON}", CALLED],
    "crewai_crew.py": [f"value: {PERSON}", CALLED],
    "pydantic_ai_agent.py": [f"value: {PERSON}", "result: [CF]"],
    "openai_agents.py": [f"value: {PERSON}", "result: [CF]"],
    "langchain_parsers.py": [r"values: \d+", "(value|refused): .*", r"items: \d+"],
    "stream_partial.py": [r'\{"name": ".*\]\}', r'whole: \{"name": ".*", "born": [12]\d{3}, "fields": \["[a-z]+"(, "[a-z]+")?\]\}'],
    "stream_jsonl.py": [r".+ in .+", r"cut: (True|False) skipped: \[.*\]"],
}
"""What each writes: the last lines that are no warnings."""

NEEDS = {
    "langchain_structured.py": "langchain_openai",
    "instructor_person.py": "instructor",
    "autogen_agent.py": "autogen_agentchat",
    "ag2_agent.py": "ag2",
    "crewai_crew.py": "crewai",
    "pydantic_ai_agent.py": "pydantic_ai",
    "openai_agents.py": "agents",
    "langchain_parsers.py": "grammarc",
    "stream_partial.py": "grammarc",
    "stream_jsonl.py": "grammarc",
}
"""What is not in every environment of these tests (run.py)."""


@pytest.mark.parametrize("name", SAID)
def test_python(name: str, url: str) -> None:
    if name in NEEDS:
        pytest.importorskip(NEEDS[name], reason=f"{NEEDS[name]} is not installed: {name} is not run")
    done = subprocess.run([sys.executable, EXAMPLES / name, url], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if line]
    for line, pattern in zip(lines[-len(SAID[name]) :], SAID[name], strict=True):
        assert re.fullmatch(pattern, line), done.stdout
    assert "GRAMMARC_SERVER" in os.environ or "called: False" not in done.stdout


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl: chat.sh is not run")
def test_curl(url: str) -> None:
    done = subprocess.run(["sh", EXAMPLES / "chat.sh", url], capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stdout + done.stderr
    person, choice, compiled, name = map(json.loads, done.stdout.splitlines())
    said = [reply["choices"][0]["message"]["content"] for reply in (person, choice, name)]
    assert list(json.loads(said[0])) == ["name", "born"]
    assert said[1] in ("yes", "no") and compiled["least_tokens"] > 0
    assert re.fullmatch("[A-Z][a-z]{2,11}", said[2])


def test_none_is_forgotten() -> None:
    """Each example that takes a server's address is run here."""
    served = {path.name for path in EXAMPLES.glob("*.py") if "[URL]" in path.read_text(encoding="utf-8")}
    assert served == set(SAID)
