"""JSON out of what a model wrote without a grammar, with every change listed. Needs no model.

    pip install grammarc
    python repair_text.py
"""

from grammarc.repair import RepairError, repair

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "born": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}}},
    "required": ["name", "born"],
}

TEXT = """Sure! Here is the person:
```json
{'name': 'Ada Lovelace', born: 1815, "tags": ["math", "engines",]}
```
"""

repaired = repair(TEXT, PERSON)
print(repaired.text)
for edit in repaired.edits:
    print(f"{edit.grade:8} {edit.kind:12} at {edit.at[0]}: {edit.removed!r} -> {edit.inserted!r}")

# What has two readings, or wants something to be made up, is no repair.
for text in ['{"name": "Ada"', '{"name": "Ada", "born": "1815"}']:
    try:
        repair(text, PERSON)
    except RepairError as error:
        print("refused:", error)
