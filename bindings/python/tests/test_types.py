"""Programs that use the package are strictly typed: the examples of all pages, and what types promise."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="mypy is not installed: types are not checked")

ROOT = Path(os.environ.get("GRAMMARC_ROOT") or Path(__file__).parents[3])
PAGES = sorted(path for path in [ROOT / "README.md", ROOT / "bindings/python/README.md", *ROOT.glob("docs/**/*.md")] if path.is_file())

SETTINGS = """
[mypy]
strict = true
ignore_missing_imports = true
{}

[mypy-transformers.*,torch.*,outlines.*,llama_cpp.*,mlx.*,mlx_lm.*,openai.*,langchain_openai.*,langchain_core.*]
follow_imports = skip
"""
"""Types of other packages are theirs, where these are installed."""

OF_PAGES = "disable_error_code = name-defined, top-level-await"
"""Names that an example does not define are the reader's, and so is the function around it."""

PROMISES = '''
from dataclasses import dataclass
from typing import Any, assert_type

import pydantic

import grammarc
from grammarc.agents import AgentFormat, AgentTool, extract_json_object, extract_json_response
from grammarc.client import AsyncClient, Client
from grammarc.prompts import Items, Prompt, PromptManager, group_by_type


class Person(pydantic.BaseModel):
    name: str


@dataclass
class Place:
    name: str


def options(compiler: grammarc.Compiler, whitespace: str) -> None:
    compiler.json_schema({}, whitespace="indented:4", key_order="any-once", numbers="canonical", escapes="any", formats="annotated")
    compiler.json_schema(Place, whitespace=("flexible", 3), dialect="openapi-3.0", deny=["approximate"], closed=True)
    compiler.typescript("type A = 1", whitespace="compact", separators=(",", ":"))
    compiler.lark("start: A", key_order="any")
    compiler.structural_tag({}, whitespace="spaced", tokens="both")
    compiler.builtin("jsonl", line={}, numbers="any")
    compiler.json_schema({}, whitespace="compcat")  # type: ignore[arg-type]
    compiler.json_schema({}, whitespace=whitespace)  # type: ignore[arg-type]
    compiler.json_schema({}, key_order="schemas")  # type: ignore[arg-type]
    compiler.json_schema({}, deny=["unknown"])  # type: ignore[list-item]
    compiler.json_schema({}, white_space="compact")  # type: ignore[call-arg]
    compiler.typescript("type A = 1", numbers="all")  # type: ignore[arg-type]
    compiler.lark("start: A", escapes="all")  # type: ignore[arg-type]
    compiler.structural_tag({}, whitespace="none")  # type: ignore[arg-type]
    compiler.builtin("yaml")  # type: ignore[arg-type]


async def values(client: Client, others: AsyncClient) -> None:
    assert_type(client.json("x", Person), Person)
    assert_type(client.json("x", Place), Place)
    assert_type(client.json("x", list[int]), list[int])
    assert_type(client.json("x", {"type": "object"}), Any)
    assert_type(await others.json("x", Person), Person)
    assert_type(await others.json("x", "{}"), Any)


async def prompts(client: Client, others: AsyncClient, manager: PromptManager) -> None:
    manager.add("p", Prompt("{{ x }}", "jsonl", {"x": 1}, Person))
    manager.add("p", Prompt("x", "xml"))  # type: ignore[arg-type]
    for _ in client.stream_prompt("p", {"x": 1}, max_tokens=9):
        pass
    async for _ in others.stream_prompt("p"):
        pass
    assert_type(group_by_type(Items([1])), dict[str | None, list[Any]])


def actions(agent: AgentFormat) -> None:
    AgentTool("search", "", Person, content=False)
    AgentTool("search", "", Person, content=True)  # type: ignore[arg-type]
    assert_type(agent.postprocess_predictions(["x"]), tuple[list[str | None], list[Any]])
    assert_type(agent.postprocess_responses(["x"], "</s>"), list[str])
    assert_type(agent.forced("answer", "x", "so") + agent.failed("search", "x"), str)
    assert_type(extract_json_response("x"), str | None)
    assert_type(extract_json_object("x"), dict[str, Any] | None)


def in_process(model: object) -> None:
    assert_type(grammarc.generate_json(model, None, Person, "x", max_tokens=9, prob_limit=0.1), Person)
    assert_type(grammarc.generate_json(model, None, {"type": "object"}, "x", closed=True), Any)
    assert_type(grammarc.generate(model, None, ("regex", "a"), "x", early_stop="longest"), grammarc.Output)
    grammarc.generate(model, None, ("regex", "a"), "x", early_stop="last")  # type: ignore[arg-type]
    grammarc.generate(model, None, ("regexp", "a"), "x")  # type: ignore[arg-type]
    grammarc.generate_json(model, None, Person, "x", max_token=9)  # type: ignore[call-overload]
'''


def check(folder: Path, programs: dict[str, str], more: str = "") -> None:
    """Checks programs by their names."""
    for name, program in programs.items():
        (folder / name).write_text(program, encoding="utf-8")
    (folder / "mypy.ini").write_text(SETTINGS.format(more), encoding="utf-8")
    result = subprocess.run([sys.executable, "-m", "mypy", *programs], capture_output=True, text=True, cwd=folder)
    assert result.returncode == 0, result.stdout


def blocks(text: str) -> list[str]:
    """The blocks of a page that are Python, without what an interpreter answers."""
    found = []
    for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        lines = block.splitlines()
        if any(line.startswith(">>> ") for line in lines):
            lines = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
        found.append("\n".join([*lines, ""]))
    return found


@pytest.mark.skipif(not PAGES, reason="the documentation is not beside these tests")
def test_examples_of_pages(tmp_path: Path) -> None:
    """The blocks of a page are one program, since names are made in one and used in the next."""
    programs = {}
    for page in PAGES:
        name = "_".join(page.relative_to(ROOT).with_suffix("").parts).replace("-", "_")
        programs[f"{name}.py"] = "\n".join(blocks(page.read_text(encoding="utf-8")))
    programs = {name: program for name, program in programs.items() if program}
    assert len(programs) > 10
    check(tmp_path, programs, OF_PAGES)


def test_promises(tmp_path: Path) -> None:
    """An ignored error that is none is an error itself."""
    pytest.importorskip("pydantic")
    check(tmp_path, {"promises.py": PROMISES})
