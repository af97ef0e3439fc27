"""CrewAI with a model of `grammarc serve`: a value of a type, a call of a tool, and a crew whose task ends in a value.

    pip install crewai
    grammarc serve --model smollm2 &
    python crewai_crew.py [URL]

`grammarc.frameworks.crewai(url)` makes the same model where the package grammarc is installed.
"""

import os
import sys

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from typing import Literal  # noqa: E402

from crewai import LLM, Agent, Crew, Task  # noqa: E402
from crewai.tools import tool  # noqa: E402
from pydantic import BaseModel, Field  # noqa: E402

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


ask = {"model": "openai/model", "base_url": url + "/v1", "api_key": "none", "temperature": 0, "max_tokens": 100}

model = LLM(**ask, response_format=Person)
print("value:", repr(model.call("Tell me of Ada Lovelace.")))


calls = []


@tool
def weather(city: str, unit: Literal["C", "F"]) -> str:
    """The weather of a city."""
    calls.append(unit)
    return f"18 {unit} in {city}"


# An agent that may call the tool, and answers from its result.
forecaster = Agent(role="forecaster", goal="Tell the weather.", backstory="You call tools.", llm=LLM(**ask), tools=[weather], max_iter=2)
task = Task(description="Tell the weather in Oslo.", expected_output="A sentence.", agent=forecaster)
done = Crew(agents=[forecaster], tasks=[task]).kickoff()
print("answer:", type(done.raw).__name__, "called:", bool(calls), set(calls) <= {"C", "F"})
