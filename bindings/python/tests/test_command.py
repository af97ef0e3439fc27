"""``python -m grammarc``."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import grammarc


def run(*arguments: object, text: str | None = None) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "grammarc", *map(str, arguments)]
    return subprocess.run(line, capture_output=True, text=True, input=text, timeout=120)


def test_from_a_vocabulary_to_a_verdict(vocabulary: grammarc.Vocabulary, tmp_path: Path) -> None:
    vocabulary.save(tmp_path / "v.gvocab")
    schema = tmp_path / "s.json"
    schema.write_text(json.dumps({"type": "integer", "title": "n"}))
    made = run("compile", schema, "--vocab", tmp_path / "v.gvocab", "--options", '{"whitespace": "compact"}')
    assert made.returncode == 0 and made.stdout.strip() == str(tmp_path / "s.gmask"), made.stderr
    artifact = ("--vocab", tmp_path / "v.gvocab")
    good = run("check", tmp_path / "s.gmask", "-", *artifact, text="12")
    assert (good.returncode, good.stdout) == (0, "accepted\n")
    bad = run("check", tmp_path / "s.gmask", "-", *artifact, text="1x")
    assert bad.returncode == 1 and bad.stdout.startswith("byte 1:")
    facts = json.loads(run("inspect", tmp_path / "s.gmask", *artifact).stdout)
    assert facts["language"] == "json-schema" and len(facts["report"]) == 2
    facts = json.loads(run("inspect", tmp_path / "v.gvocab").stdout)
    assert facts["tokens"] == len(vocabulary)
    (tmp_path / "r.regex").write_text("a+\n")
    alone = run("compile", tmp_path / "r.regex", "--vocab", tmp_path / "v.gvocab", "--standalone")
    assert alone.returncode == 0
    assert run("check", tmp_path / "r.gmask", "-", text="aa").returncode == 0


def test_problems_are_told(tmp_path: Path, vocabulary: grammarc.Vocabulary) -> None:
    vocabulary.save(tmp_path / "v.gvocab")
    (tmp_path / "s.json").write_text('{"type": "strin"}')
    failed = run("compile", tmp_path / "s.json", "--vocab", tmp_path / "v.gvocab")
    assert failed.returncode == 1 and "error at /type" in failed.stderr
    assert run("inspect", tmp_path / "none.gmask").returncode == 1
    assert run("compile", tmp_path / "x.txt", "--vocab", tmp_path / "v.gvocab").returncode == 1
    assert run("vocab", tmp_path / "none.json").returncode == 1
