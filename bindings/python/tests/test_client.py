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

from grammarc.client import AsyncClient, Client, ServerError  # noqa: E402

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
