"""The table of ``docs/hosts.md``."""

from __future__ import annotations

from pathlib import Path

import pytest
import table

LINE = (
    '{"host": "h", "version": "1", "mode": "greedy", "model": "m", "generations": 10, "valid": 10, "finished": 9, '
    '"tokens_per_processor_second": 123.4, "tokens_per_processor_second_free": 9.96, "microseconds_a_row": null}'
)


def test_lines_become_rows() -> None:
    figures = table.read(["noise", "[1]", '{"host": "x"}', LINE, LINE.replace("greedy", "beams"), LINE.replace("9.96", "8.0")])
    assert list(figures) == [("h", "greedy"), ("h", "beams")]
    rows = table.table(figures).splitlines()
    assert [row.split(" | ")[3] for row in rows[2:]] == ["beams", "greedy"]
    assert rows[3] == "| h | 1 | m | greedy | 10 | 10 | 9 | 123 | 8.0 |  |"
    page = table.page(f"before\n{table.BEGIN}old\n{table.END}after\n", figures)
    assert page == f"before\n{table.BEGIN}{table.table(figures)}{table.END}after\n"


def test_the_page_has_the_table_of_its_figures() -> None:
    page, figures = table.DOCS / "hosts.md", table.DOCS / "hosts" / "figures.jsonl"
    if not page.is_file():
        pytest.skip("the documentation is not beside these tests")
    text = page.read_text(encoding="utf-8")
    assert table.page(text, table.read(figures.read_text(encoding="utf-8").splitlines())) == text
    named = {line.split("](hosts/")[1].split(")")[0].split("#")[0] for line in text.splitlines() if "](hosts/" in line}
    assert named == {one.name for one in (table.DOCS / "hosts").glob("*.md")}
    assert Path(table.__file__).name in table.BEGIN
