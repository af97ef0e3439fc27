"""The client of servers: what it asks, and what it makes of answers, streams and errors."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator

import pytest
from loopback import Loopback, listening

pytest.importorskip("httpx", reason="httpx is not installed: the client is not tested")
pydantic = pytest.importorskip("pydantic")

from grammarc.client import AsyncClient, Client, Items, ServerError  # noqa: E402

PERSON = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}


class Person(pydantic.BaseModel):
    name: str


@pytest.fixture
def server() -> Iterator[Loopback]:
    with listening() as server:
        yield server


@pytest.fixture
def client(server: Loopback) -> Iterator[Client]:
    with Client(server.url + "/", key="k", model="m", timeout=30) as client:
        yield client


def test_a_value_of_a_schema_and_of_a_type(server: Loopback, client: Client) -> None:
    server.text = '{"name": "Ada"}'
    assert client.json("Who?", PERSON, max_tokens=9) == {"name": "Ada"}
    assert client.json("Who?", Person) == Person(name="Ada")
    (path, first), (_, second) = server.asked
    assert path == "/v1/chat/completions" and first["model"] == "m" and first["authorization"] == "Bearer k"
    assert first["messages"] == [{"role": "user", "content": "Who?"}] and first["max_tokens"] == 9
    assert first["response_format"]["json_schema"]["schema"] == PERSON
    assert second["response_format"]["json_schema"]["schema"]["properties"] == Person.model_json_schema()["properties"]


def test_types_are_closed_and_schemas_are_as_they_say(server: Loopback, client: Client) -> None:
    server.text = '{"name": "Ada"}'
    for schema, options, strict in [(Person, {}, True), (PERSON, {}, False), (PERSON, {"closed": True}, True), (Person, {"closed": False}, False)]:
        client.json("Who?", schema, **options)
        list(client.stream("Who?", schema, **options))
        assert [asked["response_format"]["json_schema"]["strict"] for _, asked in server.asked[-2:]] == [strict] * 2


def test_own_fields_and_conversations(server: Loopback, client: Client) -> None:
    server.text = "hello"
    messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}]
    assert client.chat(messages, own={"on_length": "close"}).text == "hello"
    ((_, asked),) = server.asked
    assert asked["messages"] == messages and asked["x_grammarc"] == {"on_length": "close"}
    assert "response_format" not in asked


def test_an_answer_that_is_cut_is_no_value(server: Loopback, client: Client) -> None:
    server.text, server.choice = '{"name": "A', {"finish_reason": "length"}
    reply = client.chat("Who?", PERSON)
    assert reply.truncated and reply.text == server.text
    with pytest.raises(ServerError) as refused:
        client.json("Who?", PERSON)
    assert refused.value.code == "truncated"
    server.text, server.choice = '{"name":""}', {"finish_reason": "length", "x_grammarc": {"closed": True}}
    assert client.json("Who?", PERSON) == {"name": ""} and not client.chat("Who?").truncated


@pytest.mark.parametrize(("reason", "calls"), [("tool_calls", (("f", {"a": 1}),)), ("length", ())])
def test_calls_that_are_cut_are_none(server: Loopback, client: Client, reason: str, calls: tuple) -> None:
    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
    server.choice = {"finish_reason": reason, "message": {"content": None, "tool_calls": [call]}}
    assert client.chat("Do.", tools=[]).calls == calls


@pytest.mark.parametrize("delta", [1, 4, 100])
def test_a_stream_is_the_whole(server: Loopback, client: Client, delta: int) -> None:
    server.text, server.delta = '{"name": "Ada 日本"}', delta
    parts = list(client.stream("Who?", PERSON))
    assert "".join(parts) == server.text and len(parts) == -(-len(server.text) // delta)
    assert server.asked[0][1]["stream"] is True


def test_errors_are_raised(server: Loopback, client: Client) -> None:
    server.text, server.error = "hello", {"message": "the model failed", "code": "model"}
    with pytest.raises(ServerError, match="the model failed"):
        list(client.stream("Hi."))
    found = [{"code": "json-schema::invalid-keyword", "pointer": "/type"}]
    server.status, server.error = 400, {"message": "no type", "param": "response_format", "diagnostics": found}
    for ask in (client.chat, client.json, lambda *given: list(client.stream(*given))):
        with pytest.raises(ServerError, match="no type") as refused:
            ask("Hi.", PERSON)
        assert (refused.value.status, refused.value.param, refused.value.diagnostics) == (400, "response_format", found)
    server.error = None
    with pytest.raises(ServerError, match="status 400"):
        client.chat("Hi.")


def test_repair_by_the_server(server: Loopback, client: Client) -> None:
    server.text = "{}"
    assert client.repair("{", PERSON, strict=True)["text"] == "{}"
    ((path, asked),) = server.asked
    assert path == "/v1/repair" and asked["schema"] == PERSON and asked["strict"] is True


def test_the_same_without_waiting(server: Loopback) -> None:
    server.text = '{"name": "Ada"}'

    async def ask() -> list:
        async with AsyncClient(server.url, timeout=30) as client:
            streamed = "".join([part async for part in client.stream("Who?", Person)])
            return [await client.json("Who?", Person), (await client.chat("Who?")).text, json.loads(streamed)]

    assert asyncio.run(ask()) == [Person(name="Ada"), server.text, {"name": "Ada"}]
    server.status, server.error = 503, {"message": "loading"}
    with pytest.raises(ServerError, match="loading"):
        asyncio.run(ask())


@dataclasses.dataclass
class Place:
    name: str


def test_a_value_of_any_type_is_an_instance(server: Loopback, client: Client) -> None:
    server.text = '{"name": "Kyiv"}'
    assert client.json("Where?", Place) == Place("Kyiv")
    server.text = "[1, 2]"
    assert client.json("Which?", list[int]) == [1, 2]
    server.text = '{"name": 1}'
    with pytest.raises(ValueError):
        client.json("Where?", Place)


LINES = {
    "response_type": "jsonl",
    "response": [{"a": 1}, {"a": 2}],
    "skipped": [{"line": 3, "reason": "no JSON"}],
    "truncated": True,
    "warning": None,
    "finish_reason": "length",
}


def test_prompts_of_the_server(server: Loopback, client: Client) -> None:
    server.prompt = LINES
    items = client.prompt("a/b c", {"text": "x"}, max_tokens=9, own={"on_length": "truncate"})
    ((path, asked),) = server.asked
    assert path == "/v1/prompts/a%2Fb%20c" and asked["input"] == {"text": "x"} and asked["max_tokens"] == 9
    assert asked["model"] == "m" and asked["x_grammarc"] == {"on_length": "truncate"}
    assert isinstance(items, Items) and items == LINES["response"] and items.truncated and items.warning is None
    assert [tuple(line) for line in items.skipped] == [(3, "no JSON")]
    server.prompt = {"response_type": "json", "response": {"a": 1}}
    assert client.prompt("p") == {"a": 1}
    server.status, server.error = 404, {"message": "there is no prompt `p`"}
    with pytest.raises(ServerError, match="no prompt"):
        client.prompt("p")


def test_prompts_of_the_server_item_by_item(server: Loopback, client: Client) -> None:
    server.prompt = LINES
    stream = client.stream_prompt("p", {"text": "x"})
    assert next(stream) == {"a": 1} and not stream.skipped and stream.finish_reason is None
    assert list(stream) == [{"a": 2}]
    assert stream.truncated and stream.finish_reason == "length" and [line.line for line in stream.skipped] == [3]
    assert server.asked[0][1]["stream"] is True

    async def ask() -> list:
        async with AsyncClient(server.url, timeout=30) as client:
            stream = client.stream_prompt("p", {"text": "x"})
            items = [item async for item in stream]
            assert items == await client.prompt("p", {"text": "x"})
            return [items, stream.skipped, stream.truncated]

    assert asyncio.run(ask()) == [LINES["response"], stream.skipped, True]
    # A stream that breaks off is no whole one, and one that was closed has no more items.
    server.prompt = {key: value for key, value in LINES.items() if key != "finish_reason"}
    broken = client.stream_prompt("p")
    with pytest.raises(ServerError, match="last frame"):
        list(broken)
    closed = client.stream_prompt("p")
    next(closed)
    closed.close()
    assert list(closed) == []
    server.status, server.error = 503, {"message": "loading"}
    with pytest.raises(ServerError, match="loading"):
        list(client.stream_prompt("p"))


def test_a_prompt_asks_any_server_under_its_grammar(server: Loopback, client: Client) -> None:
    from grammarc.prompts import Prompt, PromptManager

    manager = PromptManager()
    manager.add("lines", Prompt("List: {{ text }}", "jsonl"))
    manager.add("value", Prompt("{{ text }}", "json", schema=PERSON))
    manager.add("any", Prompt("{{ text }}", "json"))
    manager.add("text", Prompt("{{ text }}", terms={"text": "default"}))
    server.text, server.choice = '{"a": 1}\nno\n27', {"finish_reason": "length"}
    items = manager.invoke(client, "lines", {"text": "x"}, max_tokens=5)
    # The server has cut the number.
    assert items == [{"a": 1}] and items.truncated and [line.line for line in items.skipped] == [2, 3]
    asked = server.asked[-1][1]
    assert "@json-schema{}" in asked["structured_outputs"]["grammar"] and asked["max_tokens"] == 5
    assert [message["content"] for message in asked["messages"]] == ["Be helpful.", "List: x"]
    server.choice = {}

    async def ask(text: str) -> list:
        server.text = text
        async with AsyncClient(server.url, timeout=30) as client:
            return [await manager.invoke_async(client, id, {"text": "x"}) for id in ("lines", "value", "any", "text")]

    assert asyncio.run(ask('{"name": "Ada"}')) == [[{"name": "Ada"}], {"name": "Ada"}, {"name": "Ada"}, '{"name": "Ada"}']
    _, value, any_value, text = (body for _, body in server.asked[-4:])
    assert value["response_format"]["json_schema"]["schema"] == PERSON
    assert any_value["response_format"] == {"type": "json_object"} and "response_format" not in text
