"""OpenAI's Agents SDK with a model of `grammarc serve`: an agent whose answers are values of a type, and one that calls a function.

    pip install openai-agents
    grammarc serve --model smollm2 &
    python openai_agents.py [URL]

`grammarc.frameworks.openai_agents(url)` makes the same model where the package grammarc is installed.
"""

import asyncio
import sys
from typing import Annotated, Literal

from agents import Agent, ModelSettings, OpenAIChatCompletionsModel, Runner, function_tool, set_tracing_disabled
from openai import AsyncOpenAI
from pydantic import BaseModel, Field

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
# Traces would go to OpenAI.
set_tracing_disabled(True)


class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


@function_tool
def weather(city: Annotated[str, Field(max_length=20)], unit: Literal["C", "F"]) -> str:
    """The weather of a city."""
    return f"18 {unit} in {city}"


async def main() -> None:
    async with AsyncOpenAI(base_url=url + "/v1", api_key="none") as client:
        model = OpenAIChatCompletionsModel("model", client)
        brief = ModelSettings(temperature=0, max_tokens=100)
        historian = Agent(name="historian", model=model, model_settings=brief, output_type=Person)
        print("value:", repr((await Runner.run(historian, "Tell me of Ada Lovelace.")).final_output))

        # The model must call the tool, and its result is the answer.
        called = ModelSettings(temperature=0, max_tokens=100, tool_choice="required")
        forecaster = Agent(
            name="forecaster", model=model, model_settings=called, tools=[weather], tool_use_behavior="stop_on_first_tool"
        )
        print("result:", (await Runner.run(forecaster, "What is the weather in Oslo?")).final_output.split()[1])


asyncio.run(main())
