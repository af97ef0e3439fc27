"""Makes the table of ``docs/hosts.md`` from the lines that the scripts beside this print: ``python table.py [FILE...]``.

Lines of the files take the place of those in ``docs/hosts/figures.jsonl`` for the same host and mode, and the table is made of
all. What is no line of figures is skipped, so that whole outputs of scripts can be handed over.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DOCS = Path(__file__).resolve().parents[4] / "docs"
BEGIN, END = "<!-- made by bindings/python/tests/hosts/table.py -->\n", "<!-- made until here -->\n"

Figures = dict[tuple[str, str], dict[str, Any]]


def read(lines: Iterable[str]) -> Figures:
    """The lines of figures, by host and mode."""
    found: Figures = {}
    for line in lines:
        try:
            figures = json.loads(line)
        except ValueError:
            continue
        if isinstance(figures, dict) and {"host", "mode", "tokens_per_processor_second"} <= figures.keys():
            found[figures["host"], figures["mode"]] = figures
    return found


def table(figures: Figures) -> str:
    """The table, by host and mode."""
    rows = [
        "| host | version | model | mode | texts | valid | ended by themselves | tokens/s | free | masks, µs a row |",
        "| --- | --- | --- | --- | --: | --: | --: | --: | --: | --: |",
    ]
    for _, one in sorted(figures.items()):
        cells = [
            one["host"],
            one["version"],
            one["model"],
            one["mode"],
            one["generations"],
            one["valid"],
            one["finished"],
            number(one["tokens_per_processor_second"]),
            number(one["tokens_per_processor_second_free"]),
            number(one["microseconds_a_row"]),
        ]
        rows.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(rows) + "\n"


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def page(text: str, figures: Figures) -> str:
    """The page with its table made anew."""
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    return before + BEGIN + table(figures) + END + after


def main(files: list[str]) -> None:
    kept = DOCS / "hosts" / "figures.jsonl"
    figures = read(kept.read_text().splitlines()) if kept.exists() else {}
    for file in files:
        figures |= read(Path(file).read_text().splitlines())
    kept.write_text("".join(json.dumps(one) + "\n" for _, one in sorted(figures.items())))
    target = DOCS / "hosts.md"
    target.write_text(page(target.read_text(), figures))


if __name__ == "__main__":
    main(sys.argv[1:])
