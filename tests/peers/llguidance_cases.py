"""Writes the cases of llguidance's own tests of Lark, for ``replay.py``.

    python llguidance_cases.py LLGUIDANCE/parser/tests/test_lark.rs cases.jsonl

The tests are calls of a few functions with literals: a grammar, texts that it accepts, texts that it refuses. Calls whose grammar is
put together at run time are counted and left out. Nothing of the tests is kept in the project: they are read where they are.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

TOKEN = re.compile(r'//[^\n]*|r(#+)"(.*?)"\1|"((?:\\.|[^"\\])*)"|([A-Za-z_]\w*)|\S', re.S)
ESCAPE = re.compile(r"\\(u\{([0-9a-fA-F]+)\}|x([0-9a-fA-F]{2})|.)", re.S)
PLAIN = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
ACCEPTS, COMPILES, REFUSED = {"lark_str_test_many", "lark_str_test_many_quiet"}, "lark_ok", "lark_err_test"
# llguidance marks texts that are refused at their end alone.
AT_END = "FINAL_REJECT:"


def unescaped(text: str) -> str:
    """The value of a string literal of Rust."""
    text = re.sub(r"\\\n\s*", "", text)
    return ESCAPE.sub(lambda found: chr(int(found[2] or found[3], 16)) if found[2] or found[3] else PLAIN.get(found[1], found[1]), text)


def tokens(source: str) -> Iterator[tuple[str, str]]:
    """Strings with their values, names, and other characters."""
    for found in TOKEN.finditer(source):
        if found[0].startswith("//"):
            continue
        if found[1]:
            yield "string", found[2]
        elif found[3] is not None:
            yield "string", unescaped(found[3])
        else:
            yield ("name" if found[4] else "other"), found[0]


def strings(read: list[tuple[str, str]], at: int) -> tuple[list[str], int]:
    """The strings of a list ``&[...]`` and the place behind it."""
    end = next(place for place in range(at, len(read)) if read[place] == ("other", "]"))
    inner = read[at:end]
    if inner[:2] != [("other", "&"), ("other", "[")] or any(kind == "name" for kind, _ in inner):
        raise ValueError("no list of literals")
    return [text for kind, text in inner if kind == "string"], end + 1


def cases(read: list[tuple[str, str]]) -> Iterator[dict[str, object] | None]:
    """The cases; none for a call that is put together at run time."""
    test, number = "", 0
    for at, (kind, name) in enumerate(read[:-2]):
        if (kind, name) == ("name", "fn"):
            test, number = read[at + 1][1], 0
        known = name in ACCEPTS or name in (COMPILES, REFUSED)
        if kind != "name" or not known or read[at + 1] != ("other", "(") or read[at - 1] == ("name", "fn"):
            continue
        number += 1
        if read[at + 2][0] != "string":
            yield None
            continue
        case = {"test": f"test_lark.rs::{test}#{number}", "kind": "lark", "args": [read[at + 2][1]], "options": {}}
        if name == REFUSED:
            yield {**case, "refused": ""}
        elif name == COMPILES:
            yield {**case, "compiles": True}
        else:
            try:
                accepted, behind = strings(read, at + 4)
                refused, _ = strings(read, behind + 1)
            except (ValueError, StopIteration):
                yield None
                continue
            yield from ({**case, "text": text, "accepted": True} for text in accepted)
            yield from ({**case, "text": text.removeprefix(AT_END), "accepted": False} for text in refused)


def main() -> None:
    found = list(cases(list(tokens(Path(sys.argv[1]).read_text(encoding="utf-8")))))
    written = [json.dumps(case, ensure_ascii=False) for case in found if case is not None]
    Path(sys.argv[2]).write_text("".join(line + "\n" for line in written), encoding="utf-8")
    print(f"{len(written)} cases, {found.count(None)} calls left out")


if __name__ == "__main__":
    main()
