"""Parsers of tool calls on the same outputs: `parsers.py HOST OUTPUTS.json --out RESULT.json`.

HOST is `sglang`, `vllm` or `grammarc`; `outputs.py` writes OUTPUTS. A row of a host and a style replaces that in RESULT, so the hosts
may run in different environments, one after the other. Each output is read whole, and in pieces of 1, of up to 5 and of up to 20 tokens.
"""

from __future__ import annotations

import argparse
import importlib
import json
import sys
from pathlib import Path
from typing import Any

from tokenizers import Tokenizer

import judge
import machine
import tokens

HOSTS = ("grammarc", "sglang", "vllm")


def row(host: str, style: str, outputs: list[dict[str, Any]], tokenizer: Tokenizer) -> dict[str, Any]:
    """The verdicts of a host's parser on a style's outputs."""
    module = importlib.import_module(f"read_{host}")
    verdicts = judge.judged(module.Parser(style, tokenizer), [output for output in outputs if output["style"] == style])
    name = getattr(module, "NAMES", {}).get(style, style)
    return {"host": host, "version": machine.version(module.PACKAGE), "parser": name, "style": style, **verdicts.facts()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("host", choices=HOSTS)
    parser.add_argument("outputs", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--styles", default="")
    parser.add_argument("--build", choices=("dev", "release"), default="dev")
    arguments = parser.parse_args()
    read = json.loads(arguments.outputs.read_text(encoding="utf-8"))
    result = json.loads(arguments.out.read_text(encoding="utf-8")) if arguments.out.exists() else {"runs": {}, "rows": []}
    result = {"answers": read["answers"], **result}
    result["runs"][arguments.host] = machine.head(arguments.build, arguments.host, "tokenizers")
    tokenizer = tokens.models([])["qwen3"].tokenizer
    for style in arguments.styles.split(",") if arguments.styles else read["markers"]:
        made = row(arguments.host, style, read["outputs"], tokens.with_markers(tokenizer, tuple(read["markers"][style])))
        kept = [one for one in result["rows"] if (one["host"], one["style"]) != (arguments.host, style)]
        result["rows"] = sorted([*kept, made], key=lambda one: one["host"])
        machine.write(arguments.out, result)
        print(made, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
