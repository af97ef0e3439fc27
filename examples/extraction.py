"""What `ray_extract.py` and `vllm_batch.py` share: documents, the grammar of records, and output that survives being killed.

Each batch of documents becomes one file, which is written under another name and then renamed. A file that is there is whole, so
a run that starts again asks only for documents that are in no file, and a batch that is done twice replaces its own file. Nothing
is lost and nothing is there twice, whenever and however a process ends.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from grammarc.jsonl import parse_jsonl

RECORD = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 40},
        "event": {"enum": ["born", "built", "found", "wrote"]},
        "year": {"type": "integer", "minimum": 1000, "maximum": 2100},
    },
    "required": ["name", "event", "year"],
    "additionalProperties": False,
}
"""A record: one line of an answer."""

MOST_RECORDS = 4
"""Most records of a document."""

GRAMMAR = f"""
root   ::= record ("\\n" record){{0,{MOST_RECORDS - 1}}}
record ::= @json-schema{json.dumps(RECORD)}
"""
"""The grammar of an answer: one to four lines."""

PROMPT = """List what the text says of people, one JSON object a line, with the keys name, event (born, built, found or wrote) and year.

Text: {text}"""


def made_documents(count: int) -> Iterator[dict[str, str]]:
    """Documents to try it with; the same for the same count."""
    names = ["Ada Lovelace", "Charles Babbage", "Grace Hopper", "Alan Turing", "Emmy Noether", "Sofia Kovalevskaya"]
    deeds = ["was born in {}", "built a machine in {}", "found a proof in {}", "wrote a letter in {}"]
    for number in range(count):
        drawn = random.Random(number)
        sentences = [f"{drawn.choice(names)} {drawn.choice(deeds).format(drawn.randint(1800, 1950))}." for _ in range(drawn.randint(1, MOST_RECORDS))]
        yield {"id": f"d{number:06}", "text": " ".join(sentences)}


def write_documents(path: Path, count: int) -> None:
    """Writes documents to try it with, one JSON object a line."""
    with replacing(path) as file:
        for document in made_documents(count):
            file.write(json.dumps(document) + "\n")


def row(document: str, answer: str) -> dict[str, Any]:
    """What an answer says of a document: its records, and the lines that are none, with the reason."""
    found = parse_jsonl(answer, RECORD)
    skipped = [{"line": line.line, "reason": line.reason} for line in found.skipped]
    return {"document": document, "records": found.items, "skipped": skipped, "truncated": found.truncated}


class Parts:
    """A folder of finished batches. Any number of processes may write to it, on one machine or on a file system that they share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, rows: list[dict[str, Any]]) -> None:
        """Keeps a batch, all of it or nothing. The same documents have the same file."""
        documents = "\n".join(row["document"] for row in rows)
        name = hashlib.sha256(documents.encode()).hexdigest()[:24]
        with replacing(self.folder / f"{name}.jsonl") as file:
            file.writelines(json.dumps(row) + "\n" for row in rows)

    def rows(self) -> Iterator[dict[str, Any]]:
        """What is done."""
        for path in sorted(self.folder.glob("*.jsonl")):
            with path.open(encoding="utf-8") as file:
                yield from map(json.loads, file)

    def done(self) -> set[str]:
        """The documents that are done."""
        return {row["document"] for row in self.rows()}

    def merge(self, documents: Iterable[str], output: Path) -> dict[str, int]:
        """Writes the records of all documents, in the order of these, one a line; and counts."""
        rows: dict[str, dict[str, Any]] = {}
        counts = {"documents": 0, "missing": 0, "doubled": 0, "records": 0, "skipped_lines": 0, "truncated_answers": 0}
        for done in self.rows():
            counts["doubled"] += done["document"] in rows
            rows.setdefault(done["document"], done)
        with replacing(output) as file:
            for document in documents:
                if (done := rows.get(document)) is None:
                    counts["missing"] += 1
                    continue
                counts["documents"] += 1
                counts["records"] += len(done["records"])
                counts["skipped_lines"] += len(done["skipped"])
                counts["truncated_answers"] += done["truncated"]
                file.writelines(json.dumps({"document": document, **record}) + "\n" for record in done["records"])
        return counts


class replacing:
    """A file that appears whole or not at all."""

    def __init__(self, path: Path) -> None:
        self.path, self.part = path, path.with_name(f".{path.name}.{os.getpid()}.part")

    def __enter__(self) -> Any:
        self.file = self.part.open("w", encoding="utf-8")
        return self.file

    def __exit__(self, kind: object, *_: object) -> None:
        with self.file:
            if kind is None:
                self.file.flush()
                os.fsync(self.file.fileno())
        if kind is None:
            self.part.replace(self.path)
        else:
            self.part.unlink()


def ids(path: Path) -> list[str]:
    """The documents of a file, in its order."""
    with path.open(encoding="utf-8") as file:
        return [json.loads(line)["id"] for line in file if line.strip()]
