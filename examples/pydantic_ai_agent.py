"""pydantic-ai with a model of `grammarc serve`: an agent whose answers are values of a type, and one that calls a function.

    pip install "pydantic-ai-slim[openai]"
    grammarc serve --model smollm2 &
    python pydantic_ai_agent.py [URL]

`grammarc.frameworks.pydantic_ai(url)` makes the same model where the package grammarc is installed.
"""

import sys
from typing import Literal

from pydantic import BaseModel, Field
from pydantic_ai import Agent, NativeOutput, ToolOutput
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.providers.openai import OpenAIProvider

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
model = OpenAIChatModel("model", provider=OpenAIProvider(base_url=url + "/v1", api_key="none"))
settings = {"temperature": 0, "max_tokens": 100}


class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


class Weather(BaseModel):
    city: str = Field(max_length=20)
    unit: Literal["C", "F"]


# NativeOutput sends the schema of the answer.
historian = Agent(model, output_type=NativeOutput(Person), model_settings=settings)
print("value:", repr(historian.run_sync("Tell me of Ada Lovelace.").output))


def weather(asked: Weather) -> str:
    """The weather of a city."""
    return f"18 {asked.unit} in {asked.city}"


# A function that ends the run: the model must call it, and the result is the answer.
forecaster = Agent(model, output_type=ToolOutput(weather), model_settings=settings)
print("result:", forecaster.run_sync("What is the weather in Oslo?").output.split()[1])
