"""LangChain with a model of `grammarc serve`: `with_structured_output` and `bind_tools`.

    pip install langchain-openai
    grammarc serve --model smollm2 &
    python langchain_structured.py [URL]

`grammarc.frameworks.langchain(url)` makes the same model where the package grammarc is installed.
"""

import sys
from typing import Annotated, Literal

from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from pydantic import BaseModel, Field

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
model = ChatOpenAI(base_url=url + "/v1", api_key="none", model="model", temperature=0, max_tokens=100)


class Person(BaseModel):
    """A person."""

    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


# In a chain; the method json_schema is the default.
prompt = ChatPromptTemplate.from_messages([("system", "Answer in JSON."), ("user", "Tell me of {who}.")])
chain = prompt | model.with_structured_output(Person)
print("value:", repr(chain.invoke({"who": "Ada Lovelace"})))


@tool
def weather(city: Annotated[str, Field(max_length=20)], unit: Literal["C", "F"]) -> str:
    """The weather of a city."""
    return f"18 {unit} in {city}"


# A tool that must be called, and its result. `strict` has its arguments take no further keys. A text without a bound may be cut by
# `max_tokens`: then there is no call.
(call,) = model.bind_tools([weather], tool_choice="weather", strict=True).invoke("What is the weather in Oslo?").tool_calls
print("call:", call["name"], sorted(call["args"]))
print("result:", weather.invoke(call["args"]).split()[1])
