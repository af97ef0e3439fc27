"""Questions about schemas, judged by the package ``jsonschema``."""

from __future__ import annotations

import json

import jsonschema
import pytest

import grammarc
from grammarc import schemas

OLD = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer"}}, "required": ["q", "n"]}
NEW = {"type": "object", "properties": {"q": {"type": "string"}, "n": {"type": "integer", "minimum": 1}}, "required": ["q", "n"]}


def test_a_change_is_compatible_or_has_a_witness() -> None:
    found = schemas.diff(OLD, NEW, compatible="input")
    assert not found and found.relation == "contains"
    assert found.changes == [schemas.Change(None, "/properties/n/minimum", "minimum", "narrower")]
    witness = found.left_only["witness"]
    jsonschema.validate(witness, OLD)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(witness, NEW)
    assert schemas.diff(OLD, json.dumps(NEW), compatible="output")
    assert schemas.diff(OLD, OLD).relation == "equal"
    tools = schemas.diff_tools([{"name": "f", "inputSchema": OLD}], [{"name": "g", "inputSchema": OLD}], compatible="input")
    assert [(one.tool, one.relation, bool(one)) for one in tools] == [("f", "removed", False), ("g", "added", True)]


def test_witnesses_are_what_they_say() -> None:
    found = schemas.witness(NEW, random=5, seed=3)
    judge = jsonschema.Draft202012Validator(NEW)
    assert found.valid and found.invalid and not found.undecided
    assert all(judge.is_valid(case.value) for case in found.valid)
    assert not any(judge.is_valid(case.value) for case in found.invalid)
    assert schemas.witness({"type": "integer", "minLength": 1}).silent == ["/minLength"]


def test_a_text_is_explained() -> None:
    found = schemas.explain(NEW, '{"q": "", "n": -1}')
    assert (found.accepted, found.byte, found.instance, found.cause) == (15, ord("-"), "/n", "one-of")
    assert found.blame[0]["pointer"] == "/properties/n/minimum" and found.places == ["/properties/n"]
    assert schemas.explain(NEW, '{"q": "a').cause == "none"


def test_findings_and_lowered_schemas() -> None:
    found = schemas.lint(NEW, targets=["openai-strict"])
    assert any(one.severity == "error" and one.target == "openai-strict" and one.seen for one in found.findings)
    optional = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}
    lowered = schemas.lower(optional, "openai-strict")
    assert lowered.relation == "equal" and lowered.kept
    assert lowered.decode({"a": "x", "b": None}) == {"a": "x"}
    assert not [one for one in schemas.lint(lowered.schema, targets=["openai-strict"]).findings if one.severity == "error"]


def test_what_is_wrong_is_said() -> None:
    with pytest.raises(grammarc.SourceError, match="strin"):
        schemas.witness({"type": "strin"})
    with pytest.raises(ValueError, match="openai-strict"):
        schemas.lower(NEW, "openai-strct")
    with pytest.raises(ValueError, match="compatible"):
        schemas.diff(OLD, NEW, compatible="all")  # type: ignore[arg-type]
