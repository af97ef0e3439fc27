"""From a schema to its first mask in Python: grammarc's wheel, llguidance and XGrammar in turn, in one process.

    python first_mask.py [--schemas 51] [--rounds 5]

Schemas are spread over MaskBench by file name, the vocabulary is that of Llama 3.1 (`GRAMMARC_DATA`, or `../shared/data` beside the
workspace). A figure is wall time of the public calls of each package, from the schema as text to the words of the first mask, with warm
compilers and nothing cached; that of a schema is the median of its rounds, and schemas count that all engines compile. XGrammar is asked
twice: for all masks, and with `enable_dynamic_compilation` for those that are needed. `const` is the schema `{"const": 1}`. The output is a
section of a file of `results`, for `readme.py`.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy

import grammarc

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "benches" / "peers"))
import engine_llguidance  # noqa: E402
import engine_xgrammar  # noqa: E402
import engine_xgrammar_dynamic  # noqa: E402

DATA = Path(os.environ.get("GRAMMARC_DATA") or ROOT / ".." / "shared" / "data")
# Seconds after which an engine is not asked about a schema again.
PATIENCE = 5.0


class Grammarc:
    name = "grammarc"

    def __init__(self, vocabulary: grammarc.Vocabulary) -> None:
        self.compiler = grammarc.Compiler(vocabulary, threads=1, memory_entries=0)
        self.words = numpy.zeros((1, -(-vocabulary.logit_width // 32)), dtype=numpy.int32)

    def first(self, schema: str) -> None:
        grammar = self.compiler.json_schema(schema)
        grammar.matcher().fill(self.words)
        self.grammar = grammar


class Peer:
    def __init__(self, engine: Any) -> None:
        self.name, self.engine = engine.name, engine

    def first(self, schema: str) -> None:
        self.engine.mask(self.engine.matcher(self.engine.compile(schema)))


def seconds(engine: Grammarc | Peer, schema: str) -> float:
    begun = time.perf_counter()
    engine.first(schema)
    return time.perf_counter() - begun


def line(name: str, values: list[float], unit: float = 1e3) -> str:
    ranked = sorted(values)
    rank = lambda share: ranked[min(len(ranked) - 1, round(share * (len(ranked) - 1)))]  # noqa: E731
    return f"| {name} | " + " | ".join(f"{rank(share) * unit:.2f}" for share in (0.5, 0.9, 0.99, 1.0)) + " |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--schemas", type=int, default=51)
    parser.add_argument("--rounds", type=int, default=5)
    args = parser.parse_args()
    vocabulary = grammarc.Vocabulary.from_file(DATA / "tokenizers" / "llama3_1" / "tokenizer.json")
    tokens = [vocabulary.token_bytes(token) for token in range(len(vocabulary))]
    text = [token if vocabulary.token_kind(at) == "text" else b"" for at, token in enumerate(tokens)]
    shown = SimpleNamespace(tokens=text, end_tokens=list(vocabulary.end_tokens), logit_width=vocabulary.logit_width)
    ours = Grammarc(vocabulary)
    engines = [
        ours,
        *(Peer(module.Engine(shown)) for module in (engine_llguidance, engine_xgrammar, engine_xgrammar_dynamic)),
    ]
    files = sorted((DATA / "maskbench").glob("*.json"))
    files = files[:: max(1, len(files) // args.schemas)][: args.schemas]
    schemas = [json.dumps(json.loads(file.read_text(encoding="utf-8"))["schema"]) for file in files]
    times: dict[str, list[float]] = {engine.name: [] for engine in engines}
    sizes, left_out, const = [], 0, ""
    for schema in ['{"const": 1}', *schemas]:
        rounds: dict[str, list[float]] = {engine.name: [] for engine in engines}
        try:
            for _ in range(args.rounds):
                for engine in engines:
                    if not rounds[engine.name] or rounds[engine.name][0] < PATIENCE:
                        rounds[engine.name].append(seconds(engine, schema))
        except Exception:  # A schema counts that all engines compile.
            left_out += 1
            continue
        medians = {name: statistics.median(values) for name, values in rounds.items()}
        if schema == '{"const": 1}':
            const = ", ".join(f"{name} {value * 1e3:.3f}" for name, value in medians.items())
            const = f"`const`, ms: {const}; {len(ours.grammar.to_bytes())} bytes"
            continue
        for name, value in medians.items():
            times[name].append(value)
        sizes.append(float(len(ours.grammar.to_bytes())))
    versions = ", ".join(f"{peer.name} {peer.engine.version}" for peer in engines[1:])
    print(f"## From Python, one process\n\n{len(sizes)} of {len(sizes) + left_out} schemas, which all compile; wall time; {versions}\n")
    print("| ms | p50 | p90 | p99 | max |\n| --- | --: | --: | --: | --: |")
    for name, values in times.items():
        print(line(name, values))
    print(line("artifact, kB", sizes, 1e-3))
    print(f"\n{const}")


if __name__ == "__main__":
    main()
