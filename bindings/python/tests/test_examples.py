"""The files of `examples/` that need the package and no model, as they stand. Those of a server talk to one that a test scripts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from loopback import listening

import grammarc

EXAMPLES = Path(os.environ.get("GRAMMARC_ROOT") or Path(__file__).parents[3]) / "examples"


def run(name: str, *arguments: object) -> list[str]:
    package = str(Path(grammarc.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=120,
        env=os.environ | {"PYTHONPATH": package, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_repair() -> None:
    value, *edits, missing, other = run("repair_text.py")
    assert json.loads(value) == {"name": "Ada Lovelace", "born": 1815, "tags": ["math", "engines"]}
    assert all(edit.startswith("certain") for edit in edits) and any("extra-comma" in edit for edit in edits)
    assert missing.startswith("refused:") and "/born" in missing
    assert other.startswith("refused:") and "/born" in other


def test_partial_values() -> None:
    pytest.importorskip("httpx")
    with listening() as server:
        server.text = '{"name": "Ada", "born": 1815, "fields": ["mathematics"]}'
        *values, whole = run("stream_partial.py", server.url)
    assert whole == "whole: " + json.dumps(json.loads(server.text))
    values = [json.loads(value) for value in values]
    assert len(values) > 4 and values[-1] == json.loads(server.text)
    assert all("Ada".startswith(value.get("name", "")) and value.get("born", 1815) == 1815 for value in values)
    assert all(field == "mathematics" for value in values for field in value.get("fields", []))


def test_lines_as_they_come() -> None:
    pytest.importorskip("httpx")
    with listening() as server:
        server.text = '{"city": "Oslo", "country": "Norway"}\n{"city": 7}\n{"city": "Rome", "country": "Italy"}\n{"city": "Par'
        said = run("stream_jsonl.py", server.url)
    assert said[:2] == ["Oslo in Norway", "Rome in Italy"]
    assert said[2].startswith("cut: True skipped: [") and "line=2" in said[2]
    assert server.asked[0][1]["structured_outputs"]["grammar"]


def test_parts_are_whole_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The output of the batch examples, without Ray and vLLM (test_ray.py has the first)."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    from extraction import Parts, made_documents, replacing, row

    answers = {document["id"]: '{"name": "A", "event": "born", "year": 1900}\nno\n' for document in made_documents(10)}
    rows = [row(document, answer) for document, answer in answers.items()]
    parts = Parts(tmp_path / "parts")
    parts.write(rows[:4])
    parts.write(rows[:4])
    with pytest.raises(KeyError), replacing(tmp_path / "parts" / "x.jsonl") as file:
        file.write('{"document": "d0')
        raise KeyError
    assert parts.done() == set(list(answers)[:4])
    parts.write(rows[3:8])
    counts = parts.merge(answers, tmp_path / "records.jsonl")
    assert counts == {"documents": 8, "missing": 2, "doubled": 1, "records": 8, "skipped_lines": 8, "truncated_answers": 0}
    written = [json.loads(line) for line in (tmp_path / "records.jsonl").read_text().splitlines()]
    assert [record["document"] for record in written] == list(answers)[:8]
