"""Tables of drafts and of parsers, from the newest results, for `benches/readme.py`.

Times are shown of release builds alone: those of a dev build say nothing about grammarc.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "results"
NO_RESULT = "No result is in `results/` yet.\n"
SIZES = ("1", "5", "20")
HOSTS = {"grammarc": "grammarc `Calls`", "sglang": "SGLang's detectors", "vllm": "vLLM's parsers"}
VOCABULARIES = {"qwen3": "Qwen 3", "llama3_1": "Llama 3.1", "deepseek_v3": "DeepSeek V3"}

Row = dict[str, Any]


def newest(kind: str) -> tuple[Path, Row] | None:
    """The newest result of a kind. The file's name begins with its date."""
    files = sorted(RESULTS.glob(f"*-{kind}.json"))
    return (files[-1], json.loads(files[-1].read_text(encoding="utf-8"))) if files else None


def table(head: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " --: |" * (len(head) - 1)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def share(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f} %"


def run(head: Row) -> str:
    """A line on a run."""
    versions = ", ".join(f"{package} {version}" for package, version in head["versions"].items() if version)
    build = f", {head['build']} build" if "grammarc" in head["versions"] else ""
    return f"{head['date']}, {head['machine']}, load before {head['load before']}, commit {head['commit']}{build}; {versions}"


def policy(row: Row, name: str, figure: str) -> float | None:
    found = row["policies"].get(name)
    return None if found is None else found[figure]


def saved_table(rows: list[Row]) -> str:
    head = ["style", "vocabulary", "answers", "tokens an answer", "one token allowed", "verified, k = 3", "8", "any", "right", "injected", "right"]
    head += ["XGrammar", "right", "refused by XGrammar"]
    made = []
    for row in rows:
        cells = [f"`{row['style']}`", VOCABULARIES[row["vocabulary"]], str(row["answers"]), f"{row['tokens an answer']:.0f}"]
        cells += [share(policy(row, name, "saved")) for name in ("exact", "k = 3", "k = 8", "any")]
        cells += [share(policy(row, "any", "right"))]
        cells += [share(policy(row, name, figure)) for name in ("injected", "XGrammar") for figure in ("saved", "right")]
        has_tag = "XGrammar" in row["policies"]
        made.append([*cells, str(row["refused"].get("XGrammar", 0)) if has_tag else "-"])
    return table(head, made)


def whitespace_table(rows: list[Row]) -> str:
    kinds = ("spaced", "natural", "flexible")
    by_style: dict[tuple[str, str], dict[str, Row]] = {}
    for row in rows:
        by_style.setdefault((row["style"], row["vocabulary"]), {})[row["whitespace"]] = row
    made = [
        [f"`{style}`", VOCABULARIES[vocabulary], *(share(policy(found[kind], "any", "saved")) for kind in kinds)]
        for (style, vocabulary), found in by_style.items()
        if set(kinds) <= set(found)
    ]
    return table(["style", "vocabulary", *(f"`{kind}`" for kind in kinds)], made)


def tree_table(rows: list[Row]) -> str:
    made = []
    for row in rows:
        if "16 nodes" in row["policies"]:
            nodes = [row["policies"][name] for name in ("k = 8", "16 nodes", "64 nodes")]
            cells = (f"{share(one['saved'])}, {one['drafts a step']:.1f} nodes a step" for one in nodes)
            made.append([f"`{row['style']}`", VOCABULARIES[row["vocabulary"]], *cells])
    return table(["style", "vocabulary", "chain of 8", "16 nodes, 4 wide", "64 nodes, 16 wide"], made)


def times_table(result: Row, rows: list[Row]) -> str:
    """Ranges over the rows."""
    if result["build"] != "release":
        return "The newest run is of a dev build, so it has no times.\n"
    names = {"kept": "a draft that is kept", "made": "a draft that is not", "tree": "a tree", "fill_tree": "the masks along a tree"}
    made = []
    for name, label in names.items():
        found = [row["microseconds"][name] for row in rows if name in row["microseconds"]]
        ranges = ([one[figure] for one in found] for figure in ("p50", "p99"))
        made.append([label, *(f"{min(one):,.1f} to {max(one):,.1f}" for one in ranges)])
    return table(["µs, ranges over the rows above", "p50", "p99"], made)


def drafts() -> str:
    """The tables of drafts."""
    found = newest("drafts")
    if found is None:
        return NO_RESULT
    file, result = found
    facts, rows = result["answers"], result["rows"]
    spaced = [row for row in rows if row["whitespace"] == "spaced"]
    refused = sum(row["refused"].get("grammarc", 0) for row in spaced)
    lead = (
        f"[{run(result)}](results/{file.name}). {facts['answers']} answers, each {facts['every']}th of {facts['package']} {facts['version']}; "
        f"{facts['violate their schemas']} more violate their own schemas and are left out. grammarc refuses {refused}.\n"
    )
    captions = [
        "Model calls saved, and the share of drafts that are right:\n",
        saved_table(spaced),
        "Model calls saved by verified drafts of any length, by the whitespace of the grammar:\n",
        whitespace_table(rows),
        "The same for trees:\n",
        tree_table(spaced),
        times_table(result, spaced),
    ]
    return "\n".join([lead, *captions])


def total(rows: list[Row], figure: Callable[[Row], int]) -> int:
    return sum(map(figure, rows))


def percent(wrong: int, of: int) -> str:
    return "0" if not wrong else "-" if not of else f"{100 * wrong / of:.1f} %"


def by_size(rows: list[Row], figure: str, of: str) -> str:
    whole = total(rows, lambda row: row[of])
    return " / ".join(percent(total(rows, lambda row, size=size: row[figure][size]), whole) for size in SIZES)  # type: ignore[misc]


def hosts_table(result: Row) -> str:
    head = ["parsers", "version", "outputs", "whole wrong", "stream wrong, 1 / 5 / 20 tokens", "stream differs", "text lost in the stream", "µs a token, p50"]
    made = []
    for host, name in HOSTS.items():
        rows = [row for row in result["rows"] if row["host"] == host]
        if not rows:
            continue
        outputs = total(rows, lambda row: row["outputs"])
        times = [row["microseconds a token"]["p50"] for row in rows]
        is_timed = host != "grammarc" or result["runs"][host]["build"] == "release"
        wrong = percent(total(rows, lambda row: row["whole wrong"]), outputs)
        cells = [name, rows[0]["version"], f"{outputs:,}", wrong, by_size(rows, "stream wrong", "outputs")]
        cells += [by_size(rows, "stream differs", "outputs"), by_size(rows, "text lost", "with prose")]
        made.append([*cells, f"{min(times):.0f} to {max(times):.0f}" if is_timed else "-"])
    return table(head, made)


def styles_table(result: Row) -> str:
    """Outputs read wrongly by each parser, whole and streamed."""
    hosts = [host for host in HOSTS if any(row["host"] == host for row in result["rows"])]
    found = {(row["style"], row["host"]): row for row in result["rows"]}
    made = []
    for style in dict.fromkeys(row["style"] for row in result["rows"]):
        cells = []
        for host in hosts:
            row = found.get((style, host))
            sizes = "" if row is None else " / ".join(str(row["stream wrong"][size]) for size in SIZES)
            lost = "" if row is None else " / ".join(str(row["text lost"][size]) for size in SIZES)
            cells.append("-" if row is None else f"`{row['parser']}`: {row['whole wrong']}; {sizes}; {lost}")
        made.append([f"`{style}`", *cells])
    return table(["style", *(f"{HOSTS[host]}" for host in hosts)], made)


def parsers() -> str:
    """The tables of parsers."""
    found = newest("parsers")
    if found is None:
        return NO_RESULT
    file, result = found
    runs = "".join(f"- {run(head)}\n" for head in result["runs"].values())
    lead = f"[The run](results/{file.name}); shares are of outputs, and for lost text of outputs with text before the calls:\n"
    by_style = "By style, the outputs with wrong calls, read whole; streamed by 1 / 5 / 20 tokens; and those whose text is lost in the stream:\n"
    return "\n".join([runs, lead, hosts_table(result), by_style, styles_table(result)])
