"""Repair and lines of JSON through Python."""

from __future__ import annotations

import json

import pytest

import grammarc
from grammarc.jsonl import JsonlStream, parse_jsonl, stream_jsonl
from grammarc.repair import loads, repair

SCHEMA = {"type": "object", "properties": {"id": {"type": "integer"}, "name": {"type": "string"}}, "required": ["id"]}


def test_edits_replay_to_the_text_in_characters() -> None:
    text = "Hé: {'naïve': 'ü', id: 1,} 日本"
    repaired = repair(text)
    built, at = "", 0
    for edit in repaired.edits:
        start, end = edit.at
        assert text[start:end] == edit.removed
        built += text[at:start] + edit.inserted
        at = end
    assert built + text[at:] == repaired.text
    assert repaired.value == {"naïve": "ü", "id": 1}


def test_what_is_right_is_untouched() -> None:
    text = ' {"id": 1.0,\n "name": "x"}'
    assert repair(text, SCHEMA).text == text and repair(text, SCHEMA).edits == ()


def test_what_is_not_sure_is_refused_in_strict_use() -> None:
    with pytest.raises(grammarc.RepairError) as refused:
        repair('{"id": 1, "name": unquoted}', SCHEMA, strict=True)
    assert [one.value for one in refused.value.candidates] == [{"id": 1, "name": "unquoted"}]
    assert loads('{"id": 1, "name": unquoted}', SCHEMA) == {"id": 1, "name": "unquoted"}


def test_no_value_is_made_up() -> None:
    with pytest.raises(grammarc.RepairError):
        loads('{"name": "x"', SCHEMA)
    with pytest.raises(grammarc.RepairError):
        loads('{"id": "1"}', SCHEMA)


def test_a_schema_that_is_none() -> None:
    with pytest.raises(grammarc.SourceError):
        repair("{}", {"type": "nothing"})


def test_types_are_changed_where_that_is_asked_for() -> None:
    schema = {"properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "s": {"type": "string"}, "x": {"anyOf": [{"type": "integer"}, {"type": "number"}]}}}
    found = repair("{'n': '5', \"s\": 2.50}", schema, coerce=True)
    assert found.value == {"n": 5, "s": "2.50"}
    assert [(edit.kind, edit.grade) for edit in found.edits if edit.kind == "coerced"] == [("coerced", "likely")] * 2
    assert loads('{"n": "null"}', schema, coerce=True) == {"n": None}
    for text in ('{"n": "5"}', '{"s": 2.50}'):
        with pytest.raises(grammarc.RepairError):
            loads(text, schema)
        with pytest.raises(grammarc.RepairError):
            loads(text, schema, strict=True, coerce=True)
    # Two branches would take it; none does.
    for text in ('{"x": "5"}', '{"n": "five"}', '{"n": "5.5"}'):
        with pytest.raises(grammarc.RepairError):
            loads(text, schema, coerce=True)
    assert loads("[NaN, undefined]", coerce=True) == [None, None]
    lines = '{"n": "1"}\n{"n": "one"}\n{"s": 2}\n'
    assert parse_jsonl(lines, schema).items == []
    found = parse_jsonl(lines, schema, coerce=True)
    assert found.items == [{"n": 1}, {"s": "2"}] and [line.line for line in found.skipped] == [2]
    assert list(stream_jsonl(lines, schema, coerce=True)) == found.items


LINES = '```json\n{"id": 1}\n\n{"id": "x"}\nnone\n{"id": 2, "name": "日"}\n{"id": 3'


def test_lines() -> None:
    found = parse_jsonl(LINES, SCHEMA)
    assert found.items == [{"id": 1}, {"id": 2, "name": "日"}]
    assert [skipped.line for skipped in found.skipped][:2] == [4, 5]
    assert found.truncated and found.warning is None
    assert parse_jsonl("", SCHEMA).warning


@pytest.mark.parametrize("size", [1, 2, 7, 100])
def test_lines_as_they_come(size: int) -> None:
    parts = [LINES[at : at + size] for at in range(0, len(LINES), size)]
    assert list(stream_jsonl(parts, SCHEMA)) == parse_jsonl(LINES, SCHEMA).items
    stream = JsonlStream(SCHEMA)
    items = [item for part in parts for item in stream.push(part)] + stream.finish()
    assert items == parse_jsonl(LINES, SCHEMA).items and stream.truncated


def test_truncated_at_every_place_nothing_is_made_up() -> None:
    whole = json.dumps({"id": 12, "name": "Ada Lovelace"})
    for end in range(len(whole)):
        try:
            value = loads(whole[:end], cut_schema(), cut=True)
        except grammarc.RepairError:
            continue
        assert value.get("id", 12) == 12 and "Ada Lovelace".startswith(value.get("name", ""))


def cut_schema() -> dict:
    return {"type": "object", "properties": SCHEMA["properties"]}
