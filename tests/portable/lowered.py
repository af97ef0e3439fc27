"""Asks engines about lowered schemas, and the `jsonschema` package about their witnesses: `lowered.py FOLDER [--output FILE]`.

The folder has files *.jsonl. Each line is

    {"name", "target", "schema", "relation", "witnesses": [...], "source": S}

`relation` is that of the lowered schema to its source: equal, narrower, wider, neither or unknown. A witness is the text of an instance, or an
object with the text as `text` or `witness`, and perhaps its own `effect`. The effect `wider` promises an instance of the lowered schema that
is none of the source; `narrower` promises the opposite. `source` is optional; without it, only the lowered schema judges.
An engine is asked about lines of its own targets, and about all lines with `--all`. A line of an unknown target is asked of all engines.
`lowered.py --tools FILE` takes the tools of `collect_tools.py` as they are, as the target `raw`.
The exit status is 1 where an engine refuses a schema of its own target, or a witness breaks its promise.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Iterator

TESTS = Path(__file__).resolve().parents[1]
INSIDE = "GRAMMARC_PORTABLE_ENVIRONMENT"

if __name__ == "__main__" and INSIDE not in os.environ:
    sys.path.insert(0, str(TESTS / "python"))
    from environment import environment

    python = str(environment(TESTS / "peers" / "portable-requirements.txt"))
    os.execve(python, [python, __file__, *sys.argv[1:]], os.environ | {INSIDE: "1", "PYTHONDONTWRITEBYTECODE": "1"})

sys.path.insert(0, str(TESTS / "peers"))

from portable import is_instance  # noqa: E402
from portable_engines import NAMES, Engines, described, llama_folder  # noqa: E402

ENGINES = {
    "llama.cpp": "llama.cpp",
    "ollama": "llama.cpp",
    "lmstudio": "llama.cpp",
    "llguidance": "llguidance",
    "outlines": "outlines-core",
    "xgrammar": "xgrammar",
    "vllm": "xgrammar",
}
"""The engine behind a target that can be installed."""

PROVIDERS = {
    "openai-strict",
    "azure-openai",
    "anthropic-strict",
    "anthropic-tools",
    "gemini",
    "gemini-openapi",
    "vertex-openapi",
    "bedrock",
    "cohere",
    "mistral",
    "grammarc",
}
"""Targets that no engine here answers for."""


def lines_of(folder: Path) -> Iterator[dict[str, Any]]:
    for file in sorted(folder.rglob("*.jsonl")):
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if line.strip():
                row = json.loads(line)
                yield {"relation": "unknown", "witnesses": [], "name": f"{file.name}:{number}", **row}


def raw_tools(file: Path) -> Iterator[dict[str, Any]]:
    for server in json.loads(file.read_text(encoding="utf-8")):
        for tool in server["tools"]:
            yield {
                "name": f"{server['server']}/{tool['name']}",
                "target": "raw",
                "schema": tool["inputSchema"],
                "relation": "equal",
                "witnesses": [],
            }


def engines_of(row: dict[str, Any], every: bool, names: list[str]) -> list[str]:
    target = row["target"]
    if every or (target not in ENGINES and target not in PROVIDERS):
        return names
    return [ENGINES[target]] if ENGINES.get(target) in names else []


def witnesses_of(row: dict[str, Any]) -> Iterator[tuple[str, str | None]]:
    """The texts with what each promises: wider, narrower, or nothing."""
    for one in row["witnesses"] or []:
        given = one if isinstance(one, dict) else {"text": one}
        text = given.get("text", given.get("witness"))
        effect = given.get("effect", row["relation"])
        yield text if isinstance(text, str) else json.dumps(text, ensure_ascii=False), effect if effect in ("wider", "narrower") else None


def broken(row: dict[str, Any], text: str, effect: str | None) -> str | None:
    """How a witness breaks its promise."""
    try:
        lowered = is_instance(row["schema"], text)
        source = is_instance(row["source"], text) if "source" in row else None
    except Exception as error:
        return f"{text}: the judge fails: {type(error).__name__}: {error}"[:300]
    if effect is None:
        return (
            f"{text} tells two equal schemas apart" if row["relation"] == "equal" and source is not None and source is not lowered else None
        )
    if lowered is not (effect == "wider"):
        return f"{text} is {'an' if lowered else 'no'} instance of the lowered schema, against {effect}"
    if source is not None and source is not (effect == "narrower"):
        return f"{text} is {'an' if source else 'no'} instance of the source, against {effect}"
    return None


def answers_of(name: str, rows: list[dict[str, Any]], asked: list[list[str]]) -> dict[int, dict[str, Any]]:
    """What an engine answers, by the number of the row."""
    with Engines() as engines:
        return {
            at: engines.ask(name, row["schema"], [text for text, _ in witnesses_of(row)])
            for at, row in enumerate(rows)
            if name in asked[at]
        }


def report_of(rows: list[dict[str, Any]], every: bool, names: list[str]) -> dict[str, Any]:
    asked = [engines_of(row, every, names) for row in rows]
    used = [name for name in names if any(name in some for some in asked)]
    if any(name.startswith("llama") for name in used):
        llama_folder()
    with ThreadPoolExecutor(max(1, len(used))) as pool:
        answers = dict(zip(used, pool.map(lambda name: answers_of(name, rows, asked), used)))
    targets: dict[str, Any] = {}
    for at, row in enumerate(rows):
        target = targets.setdefault(row["target"], {"schemas": 0, "relations": Counter(), "witnesses": 0, "broken": [], "engines": {}})
        target["schemas"] += 1
        target["relations"][row["relation"]] += 1
        texts = list(witnesses_of(row))
        target["witnesses"] += len(texts)
        target["broken"] += [{"name": row["name"], "why": why} for why in (broken(row, *one) for one in texts) if why]
        for name in asked[at]:
            engine = target["engines"].setdefault(name, {"asked": 0, "accepted": 0, "refused": []})
            engine["asked"] += 1
            answer = answers[name][at]
            if "refused" in answer:
                engine["refused"].append({"name": row["name"], "reason": " ".join(answer["refused"].split())[:200]})
            else:
                engine["accepted"] += 1
    text = json.dumps([[row["name"], row["target"], row["schema"]] for row in rows])
    return {
        "digest": hashlib.sha256(text.encode()).hexdigest()[:16],
        "engines": {name: described(name) for name in used},
        "targets": targets,
    }


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("folder", nargs="?", type=Path)
    arguments.add_argument("--tools", type=Path, metavar="FILE")
    arguments.add_argument("--all", action="store_true", help="ask every engine about every line")
    arguments.add_argument("--engine", action="append", choices=NAMES, help="ask this engine alone")
    arguments.add_argument("--limit", type=int, help="take this many lines of each target")
    arguments.add_argument("--output", type=Path, help="write the report as JSON")
    options = arguments.parse_args()
    if (options.folder is None) == (options.tools is None):
        arguments.error("either a folder or --tools FILE is needed")
    rows = list(raw_tools(options.tools) if options.tools else lines_of(options.folder))
    if options.limit:
        seen: Counter[str] = Counter()
        rows = [row for row in rows if (seen.update([row["target"]]) or seen[row["target"]] <= options.limit)]
    report = report_of(rows, options.all, sorted(options.engine or NAMES))
    if options.output:
        options.output.write_text(json.dumps(report, ensure_ascii=False, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    failed = 0
    for name, target in sorted(report["targets"].items()):
        print(
            f"{name}: {target['schemas']} schemas, {dict(target['relations'])}, {target['witnesses']} witnesses, {len(target['broken'])} broken"
        )
        for one in target["broken"][:10]:
            print(f"    {one['name']}: {one['why']}")
        failed += len(target["broken"])
        for engine, counts in sorted(target["engines"].items()):
            own = ENGINES.get(name) == engine
            failed += len(counts["refused"]) if own else 0
            print(f"  {engine}: {counts['accepted']} of {counts['asked']} accepted")
            reasons = Counter(one["reason"] for one in counts["refused"])
            for reason, count in reasons.most_common(8):
                first = next(one["name"] for one in counts["refused"] if one["reason"] == reason)
                print(f"    {count} refused: {reason[:140]} (first: {first})")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
