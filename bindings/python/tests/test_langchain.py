"""LangChain's parsers: whole texts, and values that grow while a text comes."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

pytest.importorskip("langchain_core", reason="langchain-core is not installed: its parsers are not tested")
pydantic = pytest.importorskip("pydantic")

from langchain_core.exceptions import OutputParserException  # noqa: E402
from langchain_core.language_models import FakeListChatModel  # noqa: E402
from test_generation import grows  # noqa: E402

from grammarc.langchain import JsonlParser, RepairParser  # noqa: E402

BROKEN = "Sure!\n```json\n{'name': 'Ada', \"tags\": [\"a\", \"b\",], 'born': 1815,}\n```\nAnything else?"
VALUE = {"name": "Ada", "tags": ["a", "b"], "born": 1815}
LINES = '```jsonl\n{"a": 1}\nno\n{"a": 2}\n{"a": "x"}\n{"a": '


class Person(pydantic.BaseModel):
    name: str
    tags: list[str]
    born: int


class Item(pydantic.BaseModel):
    a: int


def stream(parser: Any, text: str, size: int) -> list[Any]:
    return list(parser.transform([text[at : at + size] for at in range(0, len(text), size)]))


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_a_value_grows_and_ends_whole(size: int) -> None:
    assert RepairParser().parse(BROKEN) == VALUE
    values = stream(RepairParser(), BROKEN, size)
    assert values[-1] == VALUE
    assert all(grows(before, after) for before, after in zip(values, values[1:], strict=False)), values


@pytest.mark.parametrize("schema", [Person, Person.model_json_schema()])
def test_a_value_of_a_schema(schema: Any) -> None:
    parser = RepairParser(schema)
    whole = parser.parse(BROKEN)
    assert whole == (Person(**VALUE) if schema is Person else VALUE)
    assert stream(parser, BROKEN, 5)[-1] == whole
    assert '"born"' in parser.get_format_instructions()
    with pytest.raises(OutputParserException) as refused:
        parser.parse('{"name": "Ada"}')
    assert refused.value.llm_output == '{"name": "Ada"}'


def test_strict_takes_certain_repairs_alone() -> None:
    likely = '{"name": "Ada" "born": 1815}'
    assert RepairParser(strict=True).parse(BROKEN) == VALUE
    assert RepairParser().parse('{"a": .5}') == {"a": 0.5}
    with pytest.raises(OutputParserException):
        RepairParser(strict=True).parse('{"a": .5}')
    assert isinstance(RepairParser().parse(likely), dict)


@pytest.mark.parametrize("size", [1, 4, 1000])
def test_items_come_by_lines(size: int, caplog: pytest.LogCaptureFixture) -> None:
    items = [{"a": 1}, {"a": 2}, {"a": "x"}]
    with caplog.at_level(logging.WARNING, logger="grammarc"):
        assert JsonlParser().parse(LINES) == items
    assert "line 3" in caplog.text
    lists = stream(JsonlParser(), LINES, size)
    assert lists[-1] == items and all(items[: len(one)] == one for one in lists)
    assert len(lists) == (3 if size < 10 else 1)
    assert JsonlParser(Item).parse(LINES) == [Item(a=1), Item(a=2)]
    with pytest.raises(OutputParserException, match="line 3"):
        JsonlParser(strict=True).parse(LINES)
    assert JsonlParser().parse("no") == [] and "lines of JSON" in JsonlParser().get_format_instructions()


def test_in_a_chain() -> None:
    chain = FakeListChatModel(responses=[BROKEN, BROKEN, LINES]) | RepairParser(Person)
    assert chain.invoke("Who?") == Person(**VALUE)

    async def last() -> Any:
        return [value async for value in chain.astream("Who?")][-1]

    assert asyncio.run(last()) == Person(**VALUE)
    patches = stream(RepairParser(diff=True), BROKEN, 8)
    assert patches[0][0]["op"] in ("replace", "add") and len(patches) > 2
    assert (FakeListChatModel(responses=[LINES]) | JsonlParser()).invoke("?")[0] == {"a": 1}
