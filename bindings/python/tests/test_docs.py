"""Examples in docstrings run, types hold, stubs are those of the module."""

from __future__ import annotations

import doctest
import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = ["schema", "compiler", "tokenizers", "repair", "jsonl", "partial", "prompts", "agents", "generation"]


@pytest.mark.parametrize("name", ["grammarc", *(f"grammarc.{module}" for module in MODULES)])
def test_examples(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize(("name", "least"), [("python.md", 20), ("api.md", 10), ("prompts.md", 8)])
def test_pages(name: str, least: int) -> None:
    page = Path(os.environ.get("GRAMMARC_ROOT") or Path(__file__).parents[3]) / "docs" / name
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > least and result.failed == 0


def test_types(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    run = [sys.executable, "-m", "mypy", "--strict", "-p", "grammarc"]
    result = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout


def test_stubs(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    run = [sys.executable, "-m", "mypy.stubtest", "grammarc._native"]
    result = subprocess.run(run, capture_output=True, text=True, cwd=tmp_path)
    assert result.returncode == 0, result.stdout


def test_importing_is_light() -> None:
    code = "import sys, grammarc; print([name for name in ('numpy', 'torch', 'pydantic', 'asyncio.events') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.stdout.strip() in ("[]", "['asyncio.events']"), result.stdout
