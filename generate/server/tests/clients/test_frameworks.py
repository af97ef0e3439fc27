"""Frameworks over OpenAI's protocol, beyond what their examples do (test_examples.py): methods, modes, streams, and the models that
`grammarc.frameworks` makes.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Literal

import instructor
import openai
import pytest
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field

PACKAGE = Path(__file__).resolve().parents[4] / "bindings" / "python" / "python" / "grammarc"


def module(name: str) -> ModuleType:
    """A module of the package that needs nothing else of it, and so no wheel."""
    spec = importlib.util.spec_from_file_location(f"grammarc_{name}", PACKAGE / f"{name}.py")
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


frameworks = module("frameworks")


class City(BaseModel):
    """A city."""

    name: str = Field(max_length=20)
    people: int = Field(ge=0, le=10**8)


@pytest.fixture(scope="module")
def model(url: str) -> ChatOpenAI:
    model = frameworks.langchain(url, max_tokens=120, temperature=0, max_retries=0)
    assert isinstance(model, ChatOpenAI)
    return model


@pytest.mark.parametrize("method", ["json_schema", "function_calling"])
def test_langchain_structured_output(model: ChatOpenAI, method: str) -> None:
    assert isinstance(model.with_structured_output(City, method=method).invoke("Name a city."), City)


def test_langchain_json_mode(model: ChatOpenAI) -> None:
    done = model.with_structured_output(City.model_json_schema(), method="json_mode", include_raw=True).invoke("A city as JSON.")
    assert done["parsing_error"] is None or done["raw"].response_metadata["finish_reason"] == "length"


def test_langchain_tools_and_streams(model: ChatOpenAI) -> None:
    bound = model.bind_tools([City], tool_choice="City")
    (call,) = bound.invoke("Name a city.").tool_calls
    assert City(**call["args"])
    whole = None
    for chunk in bound.stream("Name a city."):
        whole = chunk if whole is None else whole + chunk
    assert City(**whole.tool_calls[0]["args"])


@pytest.mark.parametrize("mode", [instructor.Mode.TOOLS, instructor.Mode.JSON_SCHEMA, instructor.Mode.RESPONSES_TOOLS])
def test_instructor(url: str, mode: instructor.Mode) -> None:
    client = instructor.from_openai(openai.OpenAI(base_url=url + "/v1", api_key="none"), mode=mode)
    ask = {"messages": [{"role": "user", "content": "Name a city."}], "model": "m", "max_retries": 0, "temperature": 0}
    tokens = "max_output_tokens" if mode is instructor.Mode.RESPONSES_TOOLS else "max_tokens"
    assert isinstance(client.create(response_model=City, **ask, **{tokens: 120}), City)


def test_instructor_partial_and_lists(url: str) -> None:
    client = instructor.from_openai(openai.OpenAI(base_url=url + "/v1", api_key="none"), mode=instructor.Mode.JSON_SCHEMA)
    ask = {"messages": [{"role": "user", "content": "Name a city."}], "model": "m", "max_retries": 0, "temperature": 0, "max_tokens": 120}
    *_, last = client.create_partial(response_model=City, **ask)
    assert City(**last.model_dump())


def test_a_client_of_instructor(url: str) -> None:
    ask = {"messages": [{"role": "user", "content": "Name a city."}], "model": "m", "max_tokens": 120, "temperature": 0}
    assert isinstance(frameworks.instructor(url, mode="TOOLS").create(response_model=City, **ask), City)


def test_a_client_of_autogen(url: str) -> None:
    from autogen_core.models import UserMessage

    async def ask() -> str:
        client = frameworks.autogen(url, temperature=0, max_tokens=120)
        done = await client.create([UserMessage(content="Name a city.", source="user")], json_output=City)
        await client.close()
        return done.content

    assert City.model_validate_json(asyncio.run(ask()))


def test_a_model_of_pydantic_ai(url: str) -> None:
    from pydantic_ai import Agent, NativeOutput

    agent = Agent(frameworks.pydantic_ai(url), output_type=NativeOutput(City), model_settings={"temperature": 0, "max_tokens": 120})
    assert isinstance(agent.run_sync("Name a city.").output, City)


def test_a_model_of_openai_agents(url: str) -> None:
    from agents import Agent, ModelSettings, Runner

    settings = ModelSettings(temperature=0, max_tokens=120)
    agent = Agent(name="geographer", model=frameworks.openai_agents(url), model_settings=settings, output_type=City)
    assert isinstance(asyncio.run(Runner.run(agent, "Name a city.")).final_output, City)


def test_a_call_by_autogen(url: str) -> None:
    """A tool that must be called, with its result as the answer."""
    from autogen_core import CancellationToken
    from autogen_core.models import UserMessage
    from autogen_core.tools import FunctionTool

    def weather(city: str, unit: Literal["C", "F"]) -> str:
        return f"18 {unit} in {city}"

    async def ask() -> str:
        client, tool = frameworks.autogen(url, temperature=0, max_tokens=120), FunctionTool(weather, "The weather.", strict=True)
        done = await client.create([UserMessage(content="The weather in Oslo?", source="user")], tools=[tool], tool_choice="required")
        await client.close()
        (call,) = done.content
        return str(await tool.run_json(json.loads(call.arguments), CancellationToken()))

    assert asyncio.run(ask()).startswith("18 ")


def test_what_is_not_installed_is_named() -> None:
    with pytest.raises(ImportError, match="pip install 'no-such'"):
        frameworks._module("no_such_module_anywhere", "no-such")
