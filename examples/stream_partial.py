"""The value of a JSON answer while it is written: keys that are closed, texts as far as they go.

    pip install grammarc httpx
    grammarc serve --model smollm2 &
    python stream_partial.py [URL]

`repair(..., cut=True)` reads a text that was cut: open texts are kept, open numbers and keys are not there yet, and nothing is made
up. So a reader may show each value as it comes; the last is the whole answer.
"""

import json
import sys

from grammarc.client import Client
from grammarc.repair import RepairError, repair

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

with Client(url) as client:
    text, shown = "", None
    for delta in client.stream("Tell me of Ada Lovelace.", PERSON, temperature=0, max_tokens=120):
        text += delta
        try:
            value = repair(text, cut=True).value
        except RepairError:
            continue  # Nothing can be said yet.
        if value != shown:
            shown = value
            print(json.dumps(value))
print("whole:", shown == json.loads(text))
