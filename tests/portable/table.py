"""What providers and engines do with tools of public MCP servers: a table in Markdown.

Takes the tools that ``collect_tools.py`` has written, at most ``--most`` of each server, asks ``grammarc lint`` and
``grammarc lower`` for each target, and prints the table of ``docs/portable.md``. With ``--lowered FOLDER``, writes the
lowered schemas for ``lowered.py``.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

LOWERED = ["openai-strict", "anthropic-strict", "gemini", "llama.cpp", "xgrammar", "llguidance", "outlines"]


def asked(command: str, *arguments: str) -> Any:
    """The answer of the command as JSON; ``None`` where it fails."""
    run = subprocess.run([command, *arguments, "--format", "json"], capture_output=True, text=True, check=False)
    return json.loads(run.stdout.split("\n")[0]) if run.returncode in (0, 1) and run.stdout.strip() else None


def chosen(path: Path, most: int, total: int) -> list[tuple[str, dict[str, Any]]]:
    """Tools of all servers in turn, as names and schemas."""
    servers = json.loads(path.read_text())
    turns = [[(f"{server['server']}/{tool['name']}", tool["inputSchema"]) for tool in server["tools"]][:most] for server in servers]
    found = [turn[at] for at in range(most) for turn in turns if at < len(turn)]
    return found[:total]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tools", type=Path, help="what collect_tools.py has written")
    parser.add_argument("--grammarc", default=os.environ.get("GRAMMARC", "grammarc"))
    parser.add_argument("--most", type=int, default=12, help="most tools of one server")
    parser.add_argument("--total", type=int, default=200)
    parser.add_argument("--lowered", type=Path, help="folder for lowered schemas")
    arguments = parser.parse_args()
    tools = chosen(arguments.tools, arguments.most, arguments.total)
    refused: collections.Counter[str] = collections.Counter()
    lossy: collections.Counter[str] = collections.Counter()
    rules: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    relations: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    lines: dict[str, list[str]] = collections.defaultdict(list)
    targets: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder, "tool.json"))
        for name, schema in tools:
            Path(path).write_text(json.dumps(schema))
            found = asked(arguments.grammarc, "lint", path, "--for", "all")
            if found is None:
                continue
            targets = found["targets"]
            for target in targets:
                of = [one for one in found["findings"] if one["target"] == target]
                errors = {one["rule"] for one in of if one["severity"] == "error"}
                refused[target] += bool(errors)
                lossy[target] += not errors and any(one["severity"] == "loss" for one in of)
                rules[target].update(errors)
            for target in LOWERED:
                lowered = asked(arguments.grammarc, "lower", path, "--for", target)
                relations[target][lowered["relation"] if lowered else "failed"] += 1
                if lowered:
                    row = {key: lowered[key] for key in ("target", "schema", "relation")}
                    # With stand-ins, the values of the lowered schema denote others.
                    of = [] if lowered["stand_ins"] else [("narrower", lowered["missing"]), ("wider", lowered["added"])]
                    row["witnesses"] = [{"text": text, "effect": effect} for effect, text in of if text is not None]
                    lines[target].append(json.dumps({"name": name, "source": schema, **row}))
    if arguments.lowered:
        arguments.lowered.mkdir(parents=True, exist_ok=True)
        for target, of in lines.items():
            (arguments.lowered / f"{target}.jsonl").write_text("\n".join(of) + "\n")
    print(f"{len(tools)} tools\n")
    print("| target | refuses | loses | most frequent reason | lowered: equal, narrower, wider, others |")
    print("| --- | ---: | ---: | --- | --- |")
    for target in targets:
        of = relations.get(target)
        known = ("equal", "narrower", "wider")
        shares = ", ".join(str(of[name]) for name in known) + f", {sum(of.values()) - sum(of[name] for name in known)}" if of else ""
        reason = rules[target].most_common(1)
        print(f"| {target} | {refused[target]} | {lossy[target]} | {reason[0][0] if reason else ''} | {shares} |")


if __name__ == "__main__":
    main()
