"""Records one a line, each as soon as its line is written; an answer that is cut loses its last line and no other.

    pip install grammarc httpx
    grammarc serve --model smollm2 &
    python stream_jsonl.py [URL]
"""

import sys

from grammarc.client import Client
from grammarc.jsonl import JsonlStream

url = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:8080"

CITY = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 20}, "country": {"type": "string", "maxLength": 20}},
    "required": ["city", "country"],
    "additionalProperties": False,
}

# Five lines, each of the schema.
GRAMMAR = """
root ::= city ("\\n" city){4}
city ::= @json-schema{"type": "object",
                      "properties": {"city": {"type": "string", "maxLength": 20}, "country": {"type": "string", "maxLength": 20}},
                      "required": ["city", "country"], "additionalProperties": false}
"""

lines = JsonlStream(CITY)
with Client(url) as client:
    answer = client.stream("Name five cities, one JSON object a line.", structured_outputs={"grammar": GRAMMAR}, temperature=0, max_tokens=60)
    for delta in answer:
        for city in lines.push(delta):
            print(city["city"], "in", city["country"])
for city in lines.finish():
    print(city["city"], "in", city["country"])
print("cut:", lines.truncated, "skipped:", lines.skipped)
