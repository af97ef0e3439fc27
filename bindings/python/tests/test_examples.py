"""The files of `examples/` that need the package and no model, as they stand. Those of a server talk to one that a test scripts."""

from __future__ import annotations

import ast
import json
import os
import re
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


def test_transformers(tmp_path: Path) -> None:
    """A model to which all tokens are alike, in a folder as a hub has it: of those that are allowed it takes the first."""
    torch = pytest.importorskip("torch", reason="torch is not installed: transformers_generate.py is not run")
    transformers = pytest.importorskip("transformers", reason="transformers is not installed: transformers_generate.py is not run")
    from test_tokenizer_objects import byte_level

    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level(), eos_token="<|end|>", pad_token="<|turn|>")
    size = {"hidden_size": 8, "intermediate_size": 8, "num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1}
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id}
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(vocab_size=len(tokenizer), **size, **ends))
    torch.nn.init.zeros_(model.lm_head.weight)
    for part in (tokenizer, model):
        part.save_pretrained(tmp_path)
    person = {"name": "!" * 30, "born": 1000}
    *batch, value = run("transformers_generate.py", tmp_path)
    assert batch == [f"value: {person}"] * 2 and re.fullmatch(r"value: Person\(name='.{0,30}', born=[12]\d{3}\)", value)


def test_llama_cpp() -> None:
    """The small model, where `grammarc model smollm2` put it."""
    pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: llama_cpp_generate.py is not run")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    models = sorted((cache / "grammarc" / "models").glob("SmolLM2*.gguf"))
    if not models:
        pytest.skip("the model smollm2 was not fetched: llama_cpp_generate.py is not run")
    said, typed = run("llama_cpp_generate.py", models[0])
    assert re.fullmatch(r"value: Person\(name='.{0,30}', born=[12]\d{3}\)", typed)
    value = ast.literal_eval(said.removeprefix("value: "))
    assert set(value) == {"name", "born"} and len(value["name"]) <= 30 and 1000 <= value["born"] <= 2025


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
