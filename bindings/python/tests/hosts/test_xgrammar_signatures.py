"""The shim's names and parameters beside those of XGrammar 0.2.9, which ``xgrammar_names.py`` wrote to a file."""

from __future__ import annotations

import importlib.util
import inspect
import json
from importlib.metadata import version
from typing import Any

import pytest
import xgrammar_names

from grammarc.compat import xgrammar as shim

WRITTEN: dict[str, Any] = json.loads(xgrammar_names.FILE.read_text())
HAS_XGRAMMAR = importlib.util.find_spec("xgrammar") is not None
INFO = shim.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
COMPILER = shim.GrammarCompiler(INFO)
INSTANCES: dict[str, Any] = {
    "TokenizerInfo": INFO,
    "GrammarCompiler": COMPILER,
    "CompiledGrammar": COMPILER.compile_regex("a"),
    "GrammarMatcher": shim.GrammarMatcher(COMPILER.compile_regex("a")),
}
"""Objects of classes that have attributes of instances."""

ABSENT = {
    "Grammar": {"serialize_json", "deserialize_json"},
    "CompiledGrammar": {"serialize_json", "deserialize_json"},
    "TokenizerInfo": {"serialize_json", "deserialize_json"},
    "GrammarMatcher": {"get_captures"},
}
"""Public methods that the shim does not have, as its page says."""

OVERLOADED = {"compile_structural_tag", "from_structural_tag"}
"""Methods with several signatures, of which the shim takes all."""

MADE_ELSEWHERE = {"Grammar", "CompiledGrammar"}
"""Classes that programs do not make themselves."""


def written(name: str) -> dict[str, Any]:
    return WRITTEN["names"][name]  # type: ignore[no-any-return]


def test_every_name_of_the_engine_is_written() -> None:
    assert set(shim.ENGINE) <= set(WRITTEN["names"]) and WRITTEN["version"] == "0.2.9"


@pytest.mark.parametrize("name", [name for name in shim.ENGINE if "members" in written(name) and name != "VocabType"])
def test_methods_have_xgrammar_s_parameters(name: str) -> None:
    ours, members = getattr(shim, name), written(name)["members"]
    held = INSTANCES.get(name, ours)
    missing = {member for member in members if not hasattr(held, member)}
    assert missing == ABSENT.get(name, set())
    for member, parameters in members.items():
        if parameters is None or member in missing | OVERLOADED or member == "__init__" and name in MADE_ELSEWHERE:
            continue
        found = xgrammar_names.parameters(getattr(ours, member))
        if found and found[-1]["kind"] == "VAR_KEYWORD":
            # Handed on to a method with the same options.
            continue
        assert found == parameters, member


@pytest.mark.parametrize("name", [name for name in shim.ENGINE if "parameters" in written(name)])
def test_functions_have_xgrammar_s_parameters(name: str) -> None:
    assert xgrammar_names.parameters(getattr(shim, name)) == written(name)["parameters"]


def test_kinds_of_vocabularies_are_xgrammar_s() -> None:
    assert {kind.name for kind in shim.VocabType} == {name for name in written("VocabType")["members"] if name.isupper()}


@pytest.mark.parametrize(("name", "parameter"), [("get_model_structural_tag", "token_markers"), ("register_model_structural_tag", "marker_tokens")])
def test_other_names_are_looked_up(name: str, parameter: str) -> None:
    assert parameter in [one["name"] for one in written(name)["parameters"]]
    if HAS_XGRAMMAR:
        assert getattr(shim, name).__module__.startswith("xgrammar")
        assert parameter in inspect.signature(getattr(shim, name)).parameters
    else:
        with pytest.raises(AttributeError, match="xgrammar is not installed"):
            getattr(shim, name)


@pytest.mark.skipif(not HAS_XGRAMMAR, reason="XGrammar is not installed: its names are those that were written")
def test_what_is_written_is_what_is_installed() -> None:
    if version("xgrammar") != WRITTEN["version"]:
        pytest.skip(f"XGrammar is {version('xgrammar')}, and the names are of {WRITTEN['version']}")
    # Both as JSON has them.
    assert json.loads(json.dumps(xgrammar_names.names())) == WRITTEN
