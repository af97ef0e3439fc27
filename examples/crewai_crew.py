"""CrewAI with a model of `grammarc serve`: a crew whose task ends in a value of a type.

    pip install crewai
    grammarc serve --model smollm2 &
    python crewai_crew.py [URL]

`grammarc.frameworks.crewai(url)` makes the same model where the package grammarc is installed.
"""

import os
import sys

os.environ.setdefault("CREWAI_DISABLE_TELEMETRY", "true")
os.environ.setdefault("OTEL_SDK_DISABLED", "true")

from crewai import LLM  # noqa: E402
from pydantic import BaseModel, Field  # noqa: E402

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"


class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


model = LLM(model="openai/model", base_url=url + "/v1", api_key="none", temperature=0, max_tokens=100, response_format=Person)
print("value:", repr(model.call("Tell me of Ada Lovelace.")))
