"""AG2 with a model of `grammarc serve`: an agent whose answers are values of a type, and one that calls a function.

    pip install "ag2[openai]"
    grammarc serve --model smollm2 &
    python ag2_agent.py [URL]

`grammarc.frameworks.ag2(url)` makes the same configuration where the package grammarc is installed.
"""

import asyncio
import sys
from typing import Annotated, Literal

from ag2 import Agent, tool
from ag2.config import OpenAIConfig
from pydantic import BaseModel, Field

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


calls = []


@tool
def weather(city: Annotated[str, Field(max_length=20)], unit: Literal["C", "F"]) -> str:
    """The weather of a city."""
    calls.append(unit)
    return f"18 {unit} in {city}"


async def main() -> None:
    config = OpenAIConfig(model="model", base_url=url + "/v1", api_key="none", temperature=0, max_tokens=100)
    agent = Agent("historian", config=config, response_schema=Person)
    reply = await agent.ask("Tell me of Ada Lovelace.")
    print("value:", repr(await reply.content()))

    # The model may call the function, and answers from its result.
    forecaster = Agent("forecaster", config=config, tools=[weather])
    reply = await forecaster.ask("What is the weather in Oslo?")
    print("answer:", type(reply.body).__name__, "called:", bool(calls), set(calls) <= {"C", "F"})


asyncio.run(main())
