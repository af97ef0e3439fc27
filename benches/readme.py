"""Writes the table of README.md's section "How it compares", and those of calls in `benches/README.md`, from `results/`: `readme.py [--check]`.

Each row has the figures of one run: the newest file that has the row's section. A figure that this file lacks is `-`. With `--check`, nothing
is written, and the exit status is 1 if a page has another table. The test `readme_has_the_newest_figures` calls it that way.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from pathlib import Path

from calls import tables

BENCHES = Path(__file__).resolve().parent
README = BENCHES.parent / "README.md"
BEGIN, END = "<!-- Written by benches/readme.py -->\n", "<!-- End of what benches/readme.py writes -->\n"
ENGINES = ("grammarc", "llguidance", "XGrammar", "XGrammar dynamic", "GLRMask")


@dataclass(frozen=True)
class Part:
    """Rows of README's table: one for each percentile of a section's table."""

    section: str
    label: str
    """The first row's label. `{count}` is the number of texts or schemas."""
    percentiles: tuple[str, ...]
    scale: float
    """README's unit is the section's unit times this."""
    grammarc: str
    llguidance: str | None
    peer: str | None
    """Patterns of row names in the section. `{}` is the name of another engine."""

    def pattern(self, engine: str) -> str | None:
        own = {"grammarc": self.grammarc, "llguidance": self.llguidance}
        return own[engine] if engine in own else self.peer and self.peer.format(engine)


EVERY = "Schema to first mask, every schema"
FIRST = ("p50", "p90", "p99")
PARTS = (
    Part(
        "Steps",
        "a token's mask as bits, {count} texts: p50, µs",
        ("p50", "p99.9"),
        1,
        "grammarc: fill of a bitmask",
        "llguidance, canonical tokens: mask",
        r"{}: mask, \d+ texts",
    ),
    Part(
        "Schema to first mask",
        "a schema to its first mask, {count} schemas: p50, ms",
        FIRST,
        1e-3,
        "grammarc, 1 thread, CPU time: all",
        "llguidance, beside 1 thread, CPU time",
        r"{}, \d+ schemas",
    ),
    Part(EVERY, "the {count} that grammarc and llguidance compile: p50, ms", FIRST, 1e-3, "grammarc: all", "llguidance", None),
    Part(EVERY, "the same in natural text, the default: p50, ms", FIRST, 1e-3, "grammarc, natural text: all", None, None),
    Part("From Python, one process", "from Python, {count} schemas, natural text: p50, ms", ("p50", "p90"), 1, "grammarc", "llguidance", "{}"),
)


def sections(text: str) -> dict[str, str]:
    """The text below each heading, up to the next."""
    parts = re.split(r"^#+ (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2]))


def figures(section: str) -> dict[str, dict[str, float]]:
    """The table of a section: row names to percentiles to figures."""
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in section.splitlines() if line.startswith("|")]
    return {name: dict(zip(rows[0][1:], (float(cell.replace(",", "")) for cell in cells))) for name, *cells in rows[2:]}


def shown(value: float | None) -> str:
    """Two digits, or all before the point."""
    return "-" if value is None else f"{value:,.0f}" if value >= 9.95 else f"{value:#.2g}"


def rows(part: Part, files: list[Path]) -> tuple[Path, list[str]]:
    """The newest file with a part's section, and README's rows from it."""
    for file in files:
        section = sections(file.read_text(encoding="utf-8")).get(part.section)
        if section is None:
            continue
        table = figures(section)
        patterns = [(engine, part.pattern(engine) or "") for engine in ENGINES]
        found = {engine: next((row for name, row in table.items() if re.fullmatch(pattern, name)), {}) for engine, pattern in patterns}
        counted = re.search(r"([\d,]+)(?: of [\d,]+)? (?:texts|schemas)", section)
        assert found["grammarc"] and counted, f"{file}: {part.section}"
        lines = []
        for percentile in part.percentiles:
            label = f"the same, {percentile}" if lines else part.label.format(count=f"{int(counted[1].replace(',', '')):,}")
            cells = (shown(figure and figure * part.scale) for figure in (found[engine].get(percentile) for engine in ENGINES))
            lines.append(f"| {label} | {' | '.join(cells)} | [{file.stem}](benches/results/{file.name}) |\n")
        return file, lines
    raise SystemExit(f"no file of results has the section {part.section}")


def run(file: Path) -> str:
    """A line on the machine and the versions of a run."""
    head = dict(re.findall(r"^- ([^:]+): (.+)$", file.read_text(encoding="utf-8"), flags=re.MULTILINE))
    versions = (f"{engine} {head[engine].split(',')[0]}" for engine in ENGINES if engine in head)
    return f"- {file.stem}: {head['machine']}; {', '.join(versions)}\n"


def table() -> str:
    files = sorted((BENCHES / "results").glob("[0-9]*.md"), reverse=True)
    parts = [rows(part, files) for part in PARTS]
    head = f"| | {' | '.join(ENGINES)} | run |\n| --- |{' --: |' * len(ENGINES)} --- |\n"
    runs = sorted({file for file, _ in parts})
    return f"\n{head}{''.join(line for _, lines in parts for line in lines)}\n{''.join(map(run, runs))}\n"


def put(text: str, begin: str, end: str, tables: str) -> str:
    """The text with other tables between two lines."""
    before, rest = text.split(begin)
    _, after = rest.split(end)
    return before + begin + tables + end + after


def marks(part: str) -> tuple[str, str]:
    """The lines around a table of `benches/README.md`."""
    return f"<!-- {part}: written by benches/readme.py -->\n", f"<!-- End of {part} -->\n"


def main() -> None:
    own = BENCHES / "README.md"
    pages = {README: README.read_text(encoding="utf-8"), own: own.read_text(encoding="utf-8")}
    written = {README: put(pages[README], BEGIN, END, table()), own: pages[own]}
    for part, made in (("drafts", tables.drafts()), ("parsers", tables.parsers())):
        written[own] = put(written[own], *marks(part), f"\n{made}\n")
    for page, text in written.items():
        if "--check" not in sys.argv[1:]:
            page.write_text(text, encoding="utf-8")
        elif text != pages[page]:
            raise SystemExit(f"{page}'s tables are not of the newest results: run `python benches/readme.py`")


if __name__ == "__main__":
    main()
