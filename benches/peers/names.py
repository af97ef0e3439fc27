"""Measures an engine from PyPI on sets of names, as `names --peer` measures llguidance.

    cargo run --profile dist -p grammarc-benches --bin names -- --counts 1000,10000,100000 --export target/names.json
    python benches/peers/names.py xgrammar target/names.json
    python benches/peers/names.py outlines-core target/names.json

Each set is compiled in a process of its own, forked from one that has built the engine's tables of the vocabulary, under a
limit on time and memory, and its texts are followed once, in turn, with a mask before each token. A line is printed for
each set: seconds from the schema to the first mask, the memory that the process had at most, and percentiles of masks in
microseconds, wall clock, with what Python adds to a call.
"""

import argparse
import importlib
import json
import os
import resource
import time

from run import ENGINES, Vocabulary, follow, isolated

SECONDS = 480
BYTES = 16 << 30


def measure(engine, case):
    start = time.perf_counter()
    grammar = engine.compile(json.dumps(case["schema"], ensure_ascii=False))
    engine.mask(engine.matcher(grammar))
    first = time.perf_counter() - start
    masks = []
    for tokens in case["texts"]:
        steps = follow(engine, grammar, tokens)
        if steps is None:
            raise ValueError("a name is not taken")
        masks.extend(mask / 1e3 for mask, _ in steps)
    masks.sort()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    shares = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999}
    at = {name: masks[min(len(masks) - 1, int(share * len(masks)))] for name, share in shares.items()}
    line = " ".join(f"{name} {mask:.1f}" for name, mask in at.items())
    return f"first mask after {first:.2f} s; peak {peak:.0f} MiB; mask us {line}"


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("engine", choices=sorted(ENGINES))
    arguments.add_argument("export", help="what `names --export` wrote")
    given = arguments.parse_args()
    with open(given.export, encoding="utf-8") as file:
        export = json.load(file)
    os.environ["RAYON_NUM_THREADS"] = "1"
    engine = importlib.import_module(ENGINES[given.engine]).Engine(Vocabulary(export))
    print(f"{engine.name} {engine.version}, {engine.settings}")
    for case in export["cases"]:
        answer = isolated(lambda: {"line": measure(engine, case)}, SECONDS, BYTES)
        print(f"{case['names']} names: {answer.get('line') or answer['error']}", flush=True)


if __name__ == "__main__":
    main()
