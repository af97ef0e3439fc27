"""A GGUF model in llama-cpp-python whose answers are JSON of a schema.

    pip install llama-cpp-python pydantic grammarc
    grammarc model smollm2                           # or any GGUF file
    python llama_cpp_generate.py MODEL.gguf
"""

import json
import sys

import grammarc
import llama_cpp
from grammarc.hosts.llama_cpp import GrammarLogitsProcessor, vocabulary
from pydantic import BaseModel, Field

llama = llama_cpp.Llama(sys.argv[1], n_ctx=512, verbose=False)

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 30}, "born": {"type": "integer", "minimum": 1000, "maximum": 2025}},
    "required": ["name", "born"],
    "additionalProperties": False,
}
grammar = grammarc.Compiler(vocabulary(llama)).json_schema(PERSON)

held = GrammarLogitsProcessor(grammar, llama)
answer = llama.create_chat_completion(
    [{"role": "user", "content": "Tell me of Ada Lovelace, as JSON."}],
    logits_processor=llama_cpp.LogitsProcessorList([held]),
    max_tokens=60,
    temperature=0,
)
held.check()  # Exceptions are lost in C: this raises them.
print("value:", json.loads(answer["choices"][0]["message"]["content"]))


# A value of a type in one call, without a processor.
class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


messages = [{"role": "user", "content": "Tell me of Bach, as JSON."}]
print("value:", repr(grammarc.generate_json(llama, None, Person, messages, temperature=0, max_tokens=60)))
