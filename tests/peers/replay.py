"""Asks grammarc what peers' own tests ask of the peers, and compares.

    python replay.py cases.jsonl ... [--exceptions exceptions.json] [--verbose]

The cases are those that ``xgrammar_record.py`` and ``llguidance_cases.py`` wrote down. A case is the same, an exception with the reason why grammarc is right or
what it lacks, or wrong; wrong ones are printed, and the exit status is 1. Exceptions are named by the tests' names, with ``*`` for any part.
Whitespace of JSON is free, as in XGrammar by default.
"""

from __future__ import annotations

import argparse
import collections
import fnmatch
import json
import sys
from pathlib import Path
from typing import Any

import grammarc
from grammarc.compiler import KINDS

TOKENS = [bytes([byte]) for byte in range(256)] + [b"<|grammarc-end|>"]


def compilers() -> grammarc.Compiler:
    vocabulary = grammarc.Vocabulary.from_tokens(TOKENS, special_ids=[256], end_tokens=[256])
    return grammarc.Compiler(vocabulary, threads=1)


def grammar_of(compiler: grammarc.Compiler, case: dict[str, Any]) -> grammarc.Grammar | None:
    """The grammar of a case's source; none where the case is about something that grammarc has no word for."""
    kind, arguments, options = case["kind"], case["args"], dict(case["options"])
    if kind == "structural_tag":
        if len(arguments) == 2:
            structures = [{"begin": one["begin"], "schema": one["schema"], "end": one["end"]} for one in arguments[0]]
            return compiler.structural_tag({"structures": structures, "triggers": arguments[1]}, whitespace="flexible")
        tag = arguments[0]
        return compiler.structural_tag(tag, whitespace="flexible")
    if kind not in KINDS:
        return None
    if kind == "ebnf":
        start = options.get("root_rule_name") or (arguments[1] if len(arguments) > 1 else "root")
        return compiler.compile("ebnf", arguments[0], start=start)
    if kind == "regex":
        return compiler.regex(arguments[0])
    if kind == "lark":
        return compiler.compile("lark", arguments[0])
    return None


def verdict(compiler: grammarc.Compiler, case: dict[str, Any]) -> tuple[Any, Any, str] | None:
    """What the peer says, what grammarc says, and grammarc's words."""
    expected = "refused" if "refused" in case else case.get("accepted", case.get("begins", True))
    try:
        grammar = grammar_of(compiler, case)
    except (grammarc.SourceError, grammarc.LimitError) as error:
        return expected, "refused", str(error)[:200]
    if grammar is None:
        return None
    if "compiles" in case:
        return True, True, ""
    if "refused" in case:
        return expected, "compiled", case["refused"][:120]
    try:
        grammar.check(case["text"])
        return expected, True, ""
    except grammarc.TextRefused as error:
        text = case["text"].encode()
        if "begins" in case:
            return expected, error.offset == len(text), str(error)[:120]
        return expected, False, str(error)[:120]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="+", type=Path)
    parser.add_argument("--exceptions", type=Path, default=Path(__file__).with_name("exceptions.json"))
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    exceptions = json.loads(arguments.exceptions.read_text()) if arguments.exceptions.exists() else {}
    compiler, wrong = compilers(), 0
    for file in arguments.cases:
        counts: collections.Counter[str] = collections.Counter()
        # Most are asked twice, of the grammar and of what it compiles to.
        for line in dict.fromkeys(file.read_text(encoding="utf-8").splitlines()):
            case = json.loads(line)
            found = verdict(compiler, case)
            if found is None:
                counts["not asked"] += 1
                continue
            expected, ours, words = found
            if expected == ours:
                counts["same"] += 1
            elif any(fnmatch.fnmatchcase(case["test"], pattern) for pattern in exceptions):
                counts["exceptions"] += 1
            else:
                counts["wrong"] += 1
                wrong += 1
                if arguments.verbose:
                    source = json.dumps(case["args"], ensure_ascii=False)[:400]
                    print(f"{case['test']}\n  {source}\n  {case.get('text')!r}: the peer {expected}, grammarc {ours} {words}")
        print(f"{file.stem}: {dict(counts)}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
