"""Anthropic's client: messages, streams, tools, structured outputs, counts, errors."""

from __future__ import annotations

import json

import anthropic
import pytest

from conftest import PERSON, WEATHER

ASK = [{"role": "user", "content": "Tell me of a person."}]
TOOL = {
    "name": "weather",
    "description": WEATHER["function"]["description"],
    "input_schema": WEATHER["function"]["parameters"],
}
GREEDY = {"temperature": 0}
FORMAT = {"output_config": {"format": {"type": "json_schema", "schema": PERSON}}, **GREEDY}


@pytest.fixture(scope="module")
def client(url: str) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=url, api_key="none", max_retries=0)


def test_a_message(client: anthropic.Anthropic) -> None:
    done = client.messages.create(model="m", max_tokens=20, messages=ASK, system="Be brief.", stop_sequences=["\n\n\n"])
    assert done.type == "message" and done.content[0].text
    assert done.stop_reason in ("end_turn", "max_tokens", "stop_sequence")
    assert done.usage.input_tokens > 0 and done.usage.output_tokens > 0


def test_a_schema(client: anthropic.Anthropic) -> None:
    done = client.messages.create(model="m", max_tokens=100, messages=ASK, extra_body=FORMAT)
    assert done.stop_reason == "end_turn"
    assert list(json.loads(done.content[0].text)) == ["name", "age", "tags"]


def test_a_stream_is_the_whole(client: anthropic.Anthropic) -> None:
    options = {"model": "m", "max_tokens": 100, "messages": ASK, "extra_body": FORMAT}
    whole = client.messages.create(**options)
    with client.messages.stream(**options) as stream:
        text = "".join(stream.text_stream)
        final = stream.get_final_message()
    assert text == whole.content[0].text == final.content[0].text
    assert (final.stop_reason, final.usage.output_tokens) == (whole.stop_reason, whole.usage.output_tokens)


@pytest.mark.parametrize("choice", [{"type": "any", "disable_parallel_tool_use": True}, {"type": "tool", "name": "weather", "disable_parallel_tool_use": True}])
def test_tools(client: anthropic.Anthropic, choice: dict[str, object]) -> None:
    options = {"model": "m", "max_tokens": 200, "extra_body": GREEDY, "tools": [TOOL], "tool_choice": choice}
    asked = [{"role": "user", "content": "How is the weather in Oslo?"}]
    done = client.messages.create(messages=asked, **options)
    assert done.stop_reason == "tool_use"
    calls = [block for block in done.content if block.type == "tool_use"]
    assert {call.name for call in calls} == {"weather"}
    assert all(call.input["unit"] in ("C", "F") for call in calls)
    with client.messages.stream(messages=asked, **options) as stream:
        streamed = [block for block in stream.get_final_message().content if block.type == "tool_use"]
    assert [call.input for call in streamed] == [call.input for call in calls]
    # The conversation goes on with the result.
    results = [{"type": "tool_result", "tool_use_id": call.id, "content": "4 C"} for call in calls]
    asked += [{"role": "assistant", "content": [block.model_dump() for block in done.content]}, {"role": "user", "content": results}]
    after = client.messages.create(model="m", max_tokens=20, messages=asked, tools=[TOOL], tool_choice={"type": "none"})
    assert after.content[0].type == "text"


def test_tokens_are_counted(client: anthropic.Anthropic) -> None:
    short, long = (client.messages.count_tokens(model="m", messages=[{"role": "user", "content": text}]) for text in ("a", "a long text"))
    assert 0 < short.input_tokens < long.input_tokens


def test_errors_have_their_type(client: anthropic.Anthropic) -> None:
    with pytest.raises(anthropic.BadRequestError) as refused:
        wrong = {"output_config": {"format": {"type": "json_schema", "schema": {"type": "frob"}}}}
        client.messages.create(model="m", max_tokens=5, messages=ASK, extra_body=wrong)
    assert refused.value.body["error"]["type"] == "invalid_request_error"
    assert "frob" in str(refused.value)
