"""OpenAI's client: chats, parsing, streams, responses, tools, errors."""

from __future__ import annotations

import json

import openai
import pytest
from pydantic import BaseModel, Field

from conftest import PERSON, WEATHER

ASK = [{"role": "user", "content": "Tell me of a person."}]
FORMAT = {"type": "json_schema", "json_schema": {"name": "person", "strict": True, "schema": PERSON}}


class City(BaseModel):
    name: str = Field(max_length=20)
    people: int = Field(ge=0, le=10**8)


@pytest.fixture(scope="module")
def client(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=url + "/v1", api_key="none", max_retries=0)


def is_person(text: str) -> None:
    person = json.loads(text)
    assert list(person) == ["name", "age", "tags"]
    assert isinstance(person["name"], str) and len(person["name"]) <= 30 and 0 <= person["age"] <= 120


def test_a_chat_with_a_schema(client: openai.OpenAI) -> None:
    done = client.chat.completions.create(model="m", messages=ASK, response_format=FORMAT, max_tokens=100, temperature=0)
    assert done.choices[0].finish_reason == "stop"
    is_person(done.choices[0].message.content)
    assert done.usage.completion_tokens > 0 and done.usage.prompt_tokens > 0


def test_a_free_chat(client: openai.OpenAI) -> None:
    ask = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": [{"type": "text", "text": "Say hello."}]}]
    done = client.chat.completions.create(model="m", messages=ask, max_tokens=20, user="me", stop=["\n\n\n"])
    assert done.choices[0].message.content
    assert done.choices[0].finish_reason in ("stop", "length")


def test_choices_draw_apart_and_seeds_repeat(client: openai.OpenAI) -> None:
    def names(seed: int) -> list[str]:
        done = client.chat.completions.create(
            model="m", messages=ASK, response_format=FORMAT, max_tokens=100, temperature=1, n=4, seed=seed
        )
        for choice in done.choices:
            if choice.finish_reason == "stop":
                is_person(choice.message.content)
        return [choice.message.content for choice in done.choices]

    first = names(1)
    assert len(set(first)) > 1
    assert first == names(1)


def test_a_parsed_chat(client: openai.OpenAI) -> None:
    done = client.chat.completions.parse(model="m", messages=ASK, response_format=City, max_tokens=80, temperature=0)
    assert isinstance(done.choices[0].message.parsed, City)


def test_a_stream_is_the_whole(client: openai.OpenAI) -> None:
    options = {"model": "m", "messages": ASK, "response_format": FORMAT, "max_tokens": 100, "temperature": 0}
    whole = client.chat.completions.create(**options).choices[0].message.content
    text, reasons, usage = "", [], None
    for chunk in client.chat.completions.create(**options, stream=True, stream_options={"include_usage": True}):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            text += choice.delta.content or ""
            reasons += [choice.finish_reason] if choice.finish_reason else []
    assert text == whole and reasons == ["stop"] and usage.completion_tokens > 0


def test_a_parsed_stream(client: openai.OpenAI) -> None:
    with client.chat.completions.stream(model="m", messages=ASK, response_format=City, max_tokens=80, temperature=0) as stream:
        snapshots = [event for event in stream if event.type == "content.delta"]
        done = stream.get_final_completion()
    assert snapshots and isinstance(done.choices[0].message.parsed, City)


@pytest.mark.parametrize("choice", ["required", {"type": "function", "function": {"name": "weather"}}])
@pytest.mark.parametrize("stream", [False, True])
def test_tools(client: openai.OpenAI, choice: object, stream: bool) -> None:
    options = {"model": "m", "messages": ASK, "tools": [WEATHER], "tool_choice": choice, "max_tokens": 120, "temperature": 0, "parallel_tool_calls": False}
    if stream:
        with client.chat.completions.stream(**options) as events:
            for _ in events:
                pass
            done = events.get_final_completion()
    else:
        done = client.chat.completions.create(**options)
    (call,) = done.choices[0].message.tool_calls
    arguments = json.loads(call.function.arguments)
    assert call.function.name == "weather" and list(arguments) == ["city", "unit"] and arguments["unit"] in "CF"
    assert done.choices[0].finish_reason == "tool_calls"


def test_tools_beside_a_format(client: openai.OpenAI) -> None:
    done = client.chat.completions.create(
        model="m", messages=ASK, tools=[WEATHER], response_format=FORMAT, parallel_tool_calls=False, max_tokens=150, temperature=0
    )
    message = done.choices[0].message
    if message.tool_calls:
        assert "city" in json.loads(message.tool_calls[0].function.arguments)
    else:
        is_person(message.content)


def test_a_conversation_with_calls(client: openai.OpenAI) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Paris","unit":"C"}'}}
    ask = [
        {"role": "user", "content": "What is the weather in Paris?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call_1", "content": "sunny"},
    ]
    done = client.chat.completions.create(model="m", messages=ask, tools=[WEATHER], tool_choice="none", max_tokens=12)
    assert done.choices[0].message.content and not done.choices[0].message.tool_calls


def test_a_call_that_is_cut_is_none(client: openai.OpenAI) -> None:
    done = client.chat.completions.create(model="m", messages=ASK, tools=[WEATHER], tool_choice="required", max_tokens=6)
    assert done.choices[0].finish_reason == "length"


def test_log_probabilities(client: openai.OpenAI) -> None:
    done = client.chat.completions.create(
        model="m", messages=ASK, response_format=FORMAT, max_tokens=100, temperature=0, logprobs=True, top_logprobs=3
    )
    reported = done.choices[0].logprobs.content
    assert "".join(one.token for one in reported) == done.choices[0].message.content
    assert all(one.logprob <= 0 and len(one.top_logprobs) == 3 for one in reported)


@pytest.mark.parametrize("stream", [False, True])
def test_responses(client: openai.OpenAI, stream: bool) -> None:
    form = {"format": {"type": "json_schema", "name": "person", "schema": PERSON, "strict": True}}
    options = {"model": "m", "input": "Tell me of a person.", "text": form, "max_output_tokens": 100, "temperature": 0}
    if stream:
        names, done = [], None
        for event in client.responses.create(**options, stream=True):
            names.append(event.type)
            done = getattr(event, "response", done)
        assert names[:2] == ["response.created", "response.in_progress"] and names[-1] == "response.completed"
        assert names.count("response.output_text.done") == 1
    else:
        done = client.responses.create(**options)
    assert done.status == "completed" and done.usage.output_tokens > 0
    is_person(done.output_text)


def test_a_parsed_response(client: openai.OpenAI) -> None:
    done = client.responses.parse(model="m", input=ASK, text_format=City, max_output_tokens=80, temperature=0)
    assert isinstance(done.output_parsed, City)


def test_a_response_with_a_tool_and_its_answer(client: openai.OpenAI) -> None:
    tool = {"type": "function", **WEATHER["function"], "strict": True}
    done = client.responses.create(model="m", input=ASK, tools=[tool], tool_choice="required", parallel_tool_calls=False, max_output_tokens=120, temperature=0)
    call = next(item for item in done.output if item.type == "function_call")
    assert call.name == "weather" and "city" in json.loads(call.arguments)
    answer = {"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}
    again = client.responses.create(model="m", input=[*ASK, call, answer], max_output_tokens=10)
    assert again.status in ("completed", "incomplete")


def test_completions(client: openai.OpenAI) -> None:
    done = client.completions.create(model="m", prompt="The capital of France is", max_tokens=5, temperature=0)
    assert "Paris" in done.choices[0].text
    chunks = client.completions.create(model="m", prompt="The capital of France is", max_tokens=5, temperature=0, stream=True)
    assert "".join(chunk.choices[0].text for chunk in chunks) == done.choices[0].text


@pytest.mark.parametrize(
    ("extra", "pattern"),
    [
        ({"structured_outputs": {"regex": "[a-c]{3}"}}, r"[a-c]{3}"),
        ({"structured_outputs": {"choice": ["yes", "no"]}}, r"yes|no"),
        ({"structured_outputs": {"grammar": 'root ::= "a" | "b"'}}, r"a|b"),
        ({"structured_outputs": {"grammar": 'start: "x" /[0-9]/'}}, r"x[0-9]"),
        ({"grammar": 'root ::= "up" | "down"'}, r"up|down"),
        ({"grammar": {"type": "regex", "value": "[0-9]{4}"}}, r"[0-9]{4}"),
        ({"json_schema": {"enum": [1, 2]}}, r"1|2"),
        ({"format": {"type": "boolean"}}, r"true|false"),
    ],
)
def test_constraints_of_other_servers(client: openai.OpenAI, extra: dict, pattern: str) -> None:
    import re

    done = client.chat.completions.create(model="m", messages=ASK, max_tokens=20, extra_body=extra)
    assert re.fullmatch(pattern, done.choices[0].message.content)


def test_own_fields(client: openai.OpenAI) -> None:
    def ask(tokens: int) -> object:
        extra = {"x_grammarc": {"on_length": "close", "forced": "off"}}
        return client.chat.completions.create(model="m", messages=ASK, response_format=FORMAT, max_tokens=tokens, extra_body=extra)

    done = ask(16)
    is_person(done.choices[0].message.content)
    if done.choices[0].finish_reason == "length":
        assert done.choices[0].x_grammarc == {"closed": True}
    with pytest.raises(openai.BadRequestError) as refused:
        ask(2)
    assert refused.value.code == "budget_too_small"


@pytest.mark.parametrize(
    ("change", "param"),
    [
        ({"temprature": 1}, "temprature"),
        ({"guided_json": {}}, "guided_json"),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": {"type": "strin"}}}}, "response_format.json_schema.schema"),
        ({"response_format": {"type": "json_object"}, "grammar": 'root ::= "a"'}, "grammar"),
        ({"messages": []}, "messages"),
        ({"n": 99}, "n"),
        ({"top_p": 0}, "top_p"),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]}, "messages.0.content.0"),
    ],
)
def test_what_is_wrong_is_named(client: openai.OpenAI, change: dict, param: str) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(**{"model": "m", "messages": ASK, "max_tokens": 5}, extra_body=change)
    assert refused.value.param == param


def test_a_grammar_that_is_refused_is_diagnosed(client: openai.OpenAI) -> None:
    with pytest.raises(openai.BadRequestError) as refused:
        client.chat.completions.create(model="m", messages=ASK, max_tokens=5, extra_body={"grammar": "root ::= other"})
    (found,) = refused.value.body["diagnostics"]
    assert found["code"] == "gbnf::unknown-rule" and found["span"]
