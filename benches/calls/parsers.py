"""Parsers of tool calls on the same outputs: `parsers.py HOST OUTPUTS.json --out RESULT.json`.

HOST is `sglang`, `vllm` or `grammarc`; `outputs.py` writes OUTPUTS. The rows of the host replace those in RESULT, so the hosts may run in
different environments, one after the other. Each output is read whole, and in pieces of 1, of up to 5 and of up to 20 tokens.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import judge
import machine
import tokens

HOSTS = ("grammarc", "sglang", "vllm")


def rows(host: str, outputs: list[dict[str, Any]], markers: dict[str, list[str]]) -> list[dict[str, Any]]:
    """A row for each style."""
    module = importlib.import_module(f"read_{host}")
    tokenizer = tokens.models([])["qwen3"].tokenizer
    made = []
    for style in markers:
        parser = module.Parser(style, tokens.with_markers(tokenizer, tuple(markers[style])))
        verdicts = judge.judged(parser, [output for output in outputs if output["style"] == style])
        name = getattr(module, "NAMES", {}).get(style, style)
        made.append({"host": host, "version": machine.version(module.PACKAGE), "parser": name, "style": style, **verdicts.facts()})
        print(made[-1], file=sys.stderr, flush=True)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", choices=HOSTS)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--styles", default="")
    parser.add_argument("--build", choices=("dev", "release"), default="dev")
    arguments = parser.parse_args()
    read = json.loads(arguments.outputs.read_text(encoding="utf-8"))
    wanted = arguments.styles.split(",") if arguments.styles else list(read["markers"])
    before = json.loads(arguments.out.read_text(encoding="utf-8")) if arguments.out.exists() else {"runs": {}, "rows": []}
    run = machine.head(arguments.build, arguments.host, "tokenizers")
    found = rows(arguments.host, read["outputs"], {style: read["markers"][style] for style in wanted})
    kept = [row for row in before["rows"] if row["host"] != arguments.host]
    result = {"answers": read["answers"], "runs": before["runs"] | {arguments.host: run}, "rows": sorted(kept + found, key=lambda row: row["host"])}
    machine.write(arguments.out, result)


if __name__ == "__main__":
    main()
