"""Instructor with a model of `grammarc serve`: a value of a type, and its parts while they are written.

    pip install instructor
    grammarc serve --model smollm2 &
    python instructor_person.py [URL]

`grammarc.frameworks.instructor(url)` makes the same client where the package grammarc is installed.
"""

import sys

import instructor
import openai
from pydantic import BaseModel, ConfigDict, Field

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"
client = instructor.from_openai(openai.OpenAI(base_url=url + "/v1", api_key="none"), mode=instructor.Mode.JSON_SCHEMA)


class Person(BaseModel):
    # Instructor sends schemas as they are, and pydantic's are open: without this, the model may add keys.
    model_config = ConfigDict(extra="forbid")
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


ask = {"model": "model", "temperature": 0, "max_tokens": 100, "max_retries": 0}
ask["messages"] = [{"role": "user", "content": "Tell me of Ada Lovelace."}]

print("value:", repr(client.create(response_model=Person, **ask)))

parts = list(client.create_partial(response_model=Person, **ask))
print("parts:", len(parts) > 1, repr(Person(**parts[-1].model_dump())))
