"""The value of a JSON answer while it is written: keys that are closed, texts as far as they go.

    pip install grammarc httpx
    grammarc serve --model smollm2 &
    python stream_partial.py [URL]

What has appeared stays, so a reader may show each value as it comes: numbers appear when they are whole, and texts that the schema lists
as soon as one alone is left. The last is the whole answer.
"""

import json
import sys

from grammarc.client import Client
from grammarc.partial import stream_json

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"

PERSON = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 30},
        "born": {"type": "integer", "minimum": 1000, "maximum": 2025},
        "fields": {"type": "array", "items": {"enum": ["art", "mathematics", "music", "physics"]}, "minItems": 1, "maxItems": 2},
    },
    "required": ["name", "born", "fields"],
    "additionalProperties": False,
}

shown = value = None
with Client(url) as client:
    # The same object while it grows, so each is written before the next comes.
    for value in stream_json(client.stream("Tell me of Ada Lovelace.", PERSON, temperature=0, max_tokens=120), PERSON):
        line = json.dumps(value)
        if line != shown:
            print(line)
            shown = line
print("whole:", json.dumps(value))
