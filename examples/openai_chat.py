"""OpenAI's client with a model of `grammarc serve`: a value of a type, a stream, a call of a tool.

    pip install openai pydantic
    grammarc serve --model smollm2 &
    python openai_chat.py [URL]
"""

import sys
from typing import Literal

import openai
from pydantic import BaseModel, Field

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
client = openai.OpenAI(base_url=url + "/v1", api_key="none")


class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)
    field: Literal["art", "mathematics", "music", "physics"]


class Weather(BaseModel):
    """The weather of a city."""

    city: str = Field(max_length=20)
    unit: Literal["C", "F"]


ask = {"model": "model", "temperature": 0, "max_tokens": 100}

# A value: the answer is an instance of the type, whatever the model is.
done = client.chat.completions.parse(**ask, messages=[{"role": "user", "content": "Tell me of Ada Lovelace."}], response_format=Person)
print("value:", repr(done.choices[0].message.parsed))

# A stream: the same, as it is written.
with client.chat.completions.stream(**ask, messages=[{"role": "user", "content": "Tell me of Bach."}], response_format=Person) as stream:
    deltas = [event.delta for event in stream if event.type == "content.delta"]
    print("stream:", len(deltas) > 1, repr(stream.get_final_completion().choices[0].message.parsed))

# A call: its arguments are an instance of the tool's parameters.
done = client.chat.completions.parse(
    **ask,
    messages=[{"role": "user", "content": "What is the weather in Oslo?"}],
    tools=[openai.pydantic_function_tool(Weather, name="weather")],
    tool_choice="required",
    parallel_tool_calls=False,
)
(call,) = done.choices[0].message.tool_calls
print("call:", call.function.name, repr(call.function.parsed_arguments))
