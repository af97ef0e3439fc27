"""Repairers beside known truths, in one run: json_repair, jsonrepair, crates, and grammarc's answers.

    grammarc's: cargo run --profile dist -p grammarc-benches --bin repair -- CORPUS --every 4 --answers ours.jsonl
    python repairers.py CORPUS ours.jsonl [--without-schema] [--node FOLDER] [--crates BINARY]

The corpus is that of `benches/src/bin/repair.rs`; the rows are those that grammarc's answers are to. Each repairer runs by its defaults. `--node`
is a folder with npm's `jsonrepair`, `--crates` the binary of `repairers/`. A value is right, wrong without an error (and of these, an instance of the
row's schema), or there is none. A column says how many wrong answers grammarc flagged as ambiguous itself.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import json_repair
import jsonschema

NODE = """
const { jsonrepair } = require('jsonrepair')
const lines = require('fs').readFileSync(0, 'utf8').split('\\n').filter(Boolean)
for (const line of lines) {
  const { row, text } = JSON.parse(line)
  const started = process.hrtime.bigint()
  let answer = null
  try { answer = jsonrepair(text) } catch {}
  console.log(JSON.stringify({ row, text: answer, micros: Number(process.hrtime.bigint() - started) / 1e3 }))
}
"""


def same(left: Any, right: Any) -> bool:
    """Whether two values are the same: booleans are no numbers."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(same(one, other) for one, other in zip(left, right))
    return bool(left == right)


def piped(command: list[str], rows: dict[int, Any], folder: Path | None = None) -> dict[int, Any]:
    text = "".join(json.dumps({"row": number, "text": row["text"]}) + "\n" for number, row in rows.items())
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True, cwd=folder)
    answers = {}
    for line in done.stdout.splitlines():
        answer = json.loads(line)
        answers[answer["row"]] = answer
        if answer["text"] is None:
            answer["refused"] = True
            continue
        try:
            answer["value"] = json.loads(answer["text"])
        except ValueError:
            answer["broken"] = True
    return answers


def python(rows: dict[int, Any], **options: Any) -> dict[int, Any]:
    answers = {}
    for number, row in rows.items():
        given = {name: value(row) for name, value in options.items()}
        started = time.perf_counter()
        answer: dict[str, Any] = {}
        try:
            answer["value"] = json_repair.loads(row["text"], **given)
        except Exception:
            answer["refused"] = True
        answer["micros"] = (time.perf_counter() - started) * 1e6
        answers[number] = answer
    return answers


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("corpus", type=Path)
    parser.add_argument("ours", type=Path)
    parser.add_argument("--node", type=Path)
    parser.add_argument("--crates", type=Path)
    parser.add_argument("--without-schema", action="store_true")
    arguments = parser.parse_args()
    corpus = json.loads(arguments.corpus.read_text())
    ours = {answer["row"]: answer for answer in map(json.loads, arguments.ours.read_text().splitlines())}
    for answer in ours.values():
        if answer["refused"]:
            answer.pop("value")
        else:
            answer.pop("refused")
    rows = {number: corpus[number] for number in ours}
    runs = {"grammarc": ours, "json_repair": python(rows), "json_repair, strict": python(rows, strict=lambda _: True)}
    if not arguments.without_schema:
        runs["json_repair, schema"] = python(rows, schema=lambda row: row["schema"])
    if arguments.node:
        runs["npm jsonrepair"] = piped(["node", "-e", NODE], rows, arguments.node)
    if arguments.crates:
        for name in ("jsonrepair-rs", "jsonrepair"):
            runs[f"crate {name}"] = piped([str(arguments.crates.resolve()), name], rows)
    print("| repairer | rows | right | wrong | of these flagged | of these valid | refused | no JSON | p50 µs | p99 µs |")
    print("| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |")
    for name, answers in runs.items():
        right = wrong = flagged = valid = refused = broken = 0
        for number, row in rows.items():
            answer = answers[number]
            if answer.get("refused"):
                refused += 1
            elif answer.get("broken"):
                broken += 1
            elif same(answer["value"], row["truth"]):
                right += 1
            else:
                wrong += 1
                flagged += bool(answer.get("ambiguous"))
                try:
                    valid += jsonschema.validators.validator_for(row["schema"])(row["schema"]).is_valid(answer["value"])
                except Exception:
                    pass
        times = sorted(answer["micros"] for answer in answers.values())
        share = [f"{100 * count / len(rows):.2f} %" for count in (right, wrong, flagged, valid, refused, broken)]
        quantiles = statistics.median(times), times[len(times) * 99 // 100]
        print(f"| {name} | {len(rows)} | {' | '.join(share)} | {quantiles[0]:.1f} | {quantiles[1]:.0f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
