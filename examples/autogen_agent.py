"""AutoGen with a model of `grammarc serve`: an agent whose answers are values of a type, and one that calls a function.

    pip install autogen-agentchat "autogen-ext[openai]"
    grammarc serve --model smollm2 &
    python autogen_agent.py [URL]

`grammarc.frameworks.autogen(url)` makes the same client where the package grammarc is installed.
"""

import asyncio
import sys
from typing import Annotated, Literal

from autogen_agentchat.agents import AssistantAgent
from autogen_ext.models.openai import OpenAIChatCompletionClient
from pydantic import BaseModel, Field

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


calls = []


async def weather(city: Annotated[str, "a city"], unit: Literal["C", "F"]) -> str:
    """The weather of a city."""
    calls.append(unit)
    return f"18 {unit} in {city}"


async def main() -> None:
    # AutoGen asks what a model can do that it does not know by name; structured_output has it send the schema.
    can = {"vision": False, "function_calling": True, "json_output": True, "structured_output": True, "family": "unknown"}
    client = OpenAIChatCompletionClient(
        model="model", base_url=url + "/v1", api_key="none", model_info=can, temperature=0, max_tokens=100
    )
    agent = AssistantAgent("historian", model_client=client, output_content_type=Person, system_message="Answer in JSON.")
    done = await agent.run(task="Tell me of Ada Lovelace.")
    print("value:", repr(done.messages[-1].content))

    # The model may call the function, whose result is the answer then.
    forecaster = AssistantAgent("forecaster", model_client=client, tools=[weather])
    done = await forecaster.run(task="What is the weather in Oslo?")
    print("answer:", type(done.messages[-1].content).__name__, "called:", bool(calls), set(calls) <= {"C", "F"})
    await client.close()


asyncio.run(main())
