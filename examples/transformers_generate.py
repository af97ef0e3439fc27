"""A model of transformers whose answers are JSON of a schema.

    pip install torch transformers pydantic grammarc
    python transformers_generate.py MODEL            # a name of the hub, or a folder
"""

import json
import sys

import grammarc
import transformers
from grammarc.hosts.transformers import GrammarLogitsProcessor, vocabulary
from pydantic import BaseModel, Field

name = sys.argv[1] if len(sys.argv) > 1 else "HuggingFaceTB/SmolLM2-135M-Instruct"
tokenizer = transformers.AutoTokenizer.from_pretrained(name, padding_side="left")
model = transformers.AutoModelForCausalLM.from_pretrained(name)

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 30}, "born": {"type": "integer", "minimum": 1000, "maximum": 2025}},
    "required": ["name", "born"],
    "additionalProperties": False,
}
grammar = grammarc.Compiler(vocabulary(model, tokenizer)).json_schema(PERSON)

prompts = ["Ada Lovelace as JSON:", "Johann Sebastian Bach, the composer, as JSON:"]
inputs = tokenizer(prompts, return_tensors="pt", padding=True)
held = GrammarLogitsProcessor(grammar, model)
output = model.generate(**inputs, logits_processor=[held], max_new_tokens=60, do_sample=False)
for text in tokenizer.batch_decode(output[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True):
    print("value:", json.loads(text))


# A value of a type in one call, without a processor.
class Person(BaseModel):
    name: str = Field(max_length=30)
    born: int = Field(ge=1000, le=2025)


print("value:", repr(grammarc.generate_json(model, tokenizer, Person, prompts[0], temperature=0, max_tokens=60)))
