"""What each framework sends, as docs/frameworks.md has it, to a server that only listens."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from loopback import Loopback, listening
from pydantic import BaseModel, Field

OWN = {"x_grammarc": {"on_length": "close"}}
USER = [{"role": "user", "content": "A person."}]


class Person(BaseModel):
    name: str = Field(max_length=20)


@pytest.fixture
def server() -> Iterator[Loopback]:
    with listening() as server:
        server.text = '{"name": "Ada"}'
        yield server


def openai_client(server: Loopback) -> Any:
    import openai

    return openai.OpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0)


def langchain(server: Loopback) -> Any:
    from langchain_openai import ChatOpenAI

    return ChatOpenAI(base_url=server.url + "/v1", api_key="none", model="m", max_retries=0, extra_body=OWN)


def instructor(mode: str) -> Callable[[Loopback], None]:
    def ask(server: Loopback) -> None:
        import instructor

        client = instructor.from_openai(openai_client(server), mode=getattr(instructor.Mode, mode))
        client.create(response_model=Person, messages=USER, model="m", max_retries=0, extra_body=OWN)

    return ask


def autogen(server: Loopback) -> None:
    from autogen_core.models import UserMessage
    from autogen_ext.models.openai import OpenAIChatCompletionClient

    can = {"vision": False, "function_calling": True, "json_output": True, "structured_output": True, "family": "unknown"}
    client = OpenAIChatCompletionClient(model="m", base_url=server.url + "/v1", api_key="none", model_info=can)
    message = UserMessage(content="A person.", source="user")
    asyncio.run(client.create([message], json_output=Person, extra_create_args={"extra_body": OWN}))


def pydantic_ai(kind: str) -> Callable[[Loopback], None]:
    def ask(server: Loopback) -> None:
        import pydantic_ai
        from pydantic_ai.models.openai import OpenAIChatModel
        from pydantic_ai.providers.openai import OpenAIProvider

        model = OpenAIChatModel("m", provider=OpenAIProvider(base_url=server.url + "/v1", api_key="none"))
        output = getattr(pydantic_ai, kind)(Person)
        pydantic_ai.Agent(model, output_type=output, model_settings={"extra_body": OWN}).run_sync("A person.")

    return ask


def openai_agents(server: Loopback) -> None:
    import agents
    import openai

    agents.set_tracing_disabled(True)
    model = agents.OpenAIChatCompletionsModel("m", openai.AsyncOpenAI(base_url=server.url + "/v1", api_key="none", max_retries=0))
    settings = agents.ModelSettings(extra_body=OWN)
    asyncio.run(agents.Runner.run(agents.Agent(name="a", model=model, model_settings=settings, output_type=Person), "A person."))


def with_openai(ask: Callable[[Any, dict[str, Any]], None]) -> Callable[[Loopback], None]:
    import openai

    return lambda server: ask(openai_client(server), openai.pydantic_function_tool(Person))


CHAT: dict[str, Any] = {"model": "m", "messages": USER, "extra_body": OWN}

ASKS: dict[str, tuple[Callable[[Loopback], None], str, bool | None]] = {
    "openai parse": (with_openai(lambda client, _: client.chat.completions.parse(**CHAT, response_format=Person)), "json_schema", True),
    "openai responses": (
        with_openai(lambda client, _: client.responses.parse(model="m", input=USER, text_format=Person, extra_body=OWN)),
        "json_schema",
        True,
    ),
    "openai tools": (with_openai(lambda client, tool: client.chat.completions.create(**CHAT, tools=[tool])), "tool", True),
    "langchain json_schema": (lambda server: langchain(server).with_structured_output(Person).invoke("A person."), "json_schema", True),
    "langchain function_calling": (
        lambda server: langchain(server).with_structured_output(Person, method="function_calling").invoke("A person."),
        "tool",
        False,
    ),
    "langchain json_mode": (
        lambda server: langchain(server).with_structured_output(Person, method="json_mode").invoke("A person."),
        "json_object",
        None,
    ),
    "langchain bind_tools, strict": (lambda server: langchain(server).bind_tools([Person], strict=True).invoke("A person."), "tool", True),
    "langchain bind_tools": (lambda server: langchain(server).bind_tools([Person]).invoke("A person."), "tool", False),
    "instructor JSON_SCHEMA": (instructor("JSON_SCHEMA"), "json_schema", False),
    "instructor TOOLS": (instructor("TOOLS"), "tool", False),
    "instructor RESPONSES_TOOLS": (instructor("RESPONSES_TOOLS"), "json_schema and tool", True),
    "instructor JSON": (instructor("JSON"), "json_object", None),
    "instructor MD_JSON": (instructor("MD_JSON"), "nothing", None),
    "autogen": (autogen, "json_schema", True),
    "pydantic-ai NativeOutput": (pydantic_ai("NativeOutput"), "json_schema", True),
    "pydantic-ai ToolOutput": (pydantic_ai("ToolOutput"), "tool", True),
    "openai-agents": (openai_agents, "json_schema", True),
}
"""How it is asked, what is sent, and whether its schemas are closed."""


def seen(asked: dict[str, Any]) -> tuple[str, set[bool]]:
    """The kinds of constraints of a request, and whether the objects of each are closed."""
    kinds, schemas = [], []
    form = asked.get("response_format") or asked.get("text", {}).get("format")
    if form:
        kinds.append(form["type"])
        if form["type"] == "json_schema":
            schemas.append(form.get("json_schema", form)["schema"])
    if asked.get("tools"):
        kinds.append("tool")
        schemas += [tool.get("function", tool)["parameters"] for tool in asked["tools"]]
    return " and ".join(kinds) or "nothing", {schema.get("additionalProperties") is False for schema in schemas}


@pytest.mark.parametrize("name", ASKS)
def test_a_request(server: Loopback, name: str) -> None:
    ask, kind, closed = ASKS[name]
    try:
        ask(server)
    except Exception as error:  # noqa: BLE001
        # A text is no call and no response: what was sent is what counts here.
        assert server.asked, error
    ((_, asked), *_) = server.asked
    assert seen(asked) == (kind, set() if closed is None else {closed})
    assert asked["x_grammarc"] == OWN["x_grammarc"]
