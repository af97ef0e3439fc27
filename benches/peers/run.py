"""Measures an engine from PyPI on what `compare` measures, and writes what `compare --peers` reads.

    cargo run --profile dist -p grammarc-benches --bin compare -- --export target/peers.json
    python benches/peers/run.py xgrammar target/peers.json target/xgrammar.json
    python benches/peers/run.py xgrammar-dynamic target/peers.json target/xgrammar-dynamic.json
    python benches/peers/run.py outlines-core target/peers.json target/outlines-core.json
    python benches/peers/run.py maskforge target/peers.json target/maskforge.json
    cargo run --profile dist -p grammarc-benches --bin compare -- --peers target/xgrammar.json ...

Every schema is compiled in a process of its own, forked from one that has built the engine's tables of the vocabulary,
under a limit on time and memory; so no schema profits from an earlier one, and none stops the run. Compile times are CPU
time of the process, of all its threads. One thread is asked for: of an engine by its own settings, of pools of rayon by the
environment. The share of the time that was spent on other threads than the calling one is printed, so that a pool which does
work shows. Times of steps are the wall clock around one call, with what Python adds to it (printed as the time of a call
of nothing). A text counts where every mask allows its next token and every token is accepted. Where an engine makes masks at
first use, each round compiles anew outside the measured time, so that a round's masks are a request's own, as llguidance's.
"""

import argparse
import importlib
import json
import multiprocessing
import os
import resource
import statistics
import sys
import time

ENGINES = {
    "xgrammar": "engine_xgrammar",
    "xgrammar-dynamic": "engine_xgrammar_dynamic",
    "outlines-core": "engine_outlines",
    "maskforge": "engine_maskforge",
}
ROUNDS = 5
SECONDS = 20
BYTES = 6 << 30


class Vocabulary:
    """The tokens of the export: bytes by id, empty where a token is no text."""

    def __init__(self, export):
        self.tokens = [bytes.fromhex(token) for token in export["tokens"]]
        self.end_tokens = export["end_tokens"]
        self.logit_width = export["logit_width"]


def measure(engine, case):
    """The times of one schema, in microseconds."""
    start, own_start = time.process_time_ns(), time.thread_time_ns()
    schema = json.dumps(case["schema"])
    grammar = engine.compile(schema)
    matcher = engine.matcher(grammar)
    engine.mask(matcher)
    compiled, own = time.process_time_ns() - start, time.thread_time_ns() - own_start
    times = {"compile_us": compiled / 1e3, "own_us": own / 1e3, "mask_us": None, "accept_us": None}
    tokens = case["tokens"]
    if tokens is None:
        return times
    rounds = []
    for _ in range(ROUNDS):
        if getattr(engine, "is_lazy", False):
            grammar = engine.compile(schema)
        steps = follow(engine, grammar, tokens)
        if steps is None:
            return times
        rounds.append(steps)
    for name, which in (("mask_us", 0), ("accept_us", 1)):
        by_token = zip(*([step[which] for step in steps] for steps in rounds))
        times[name] = [statistics.median_low(of_rounds) / 1e3 for of_rounds in by_token]
    return times


def follow(engine, grammar, tokens):
    """Nanoseconds of mask and accept at each token; None where one is not taken."""
    clock = time.perf_counter_ns
    matcher = engine.matcher(grammar)
    steps = []
    for token in tokens:
        start = clock()
        engine.mask(matcher)
        masked = clock()
        if not engine.allows(token):
            return None
        begin = clock()
        accepted = engine.accept(matcher, token)
        end = clock()
        if not accepted:
            return None
        steps.append((masked - start, end - begin))
    return steps


def child(work, memory, pipe):
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    try:
        pipe.send(work())
    except Exception as error:
        pipe.send({"error": f"{type(error).__name__}: {error}"[:200]})


def isolated(work, seconds, memory):
    """What some work gives in a process of its own, under a limit on time and on bytes of memory, or an error."""
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=child, args=(work, memory, sender))
    process.start()
    sender.close()
    try:
        answer = receiver.recv() if receiver.poll(seconds) else {"error": f"over {seconds} s"}
    except EOFError:
        answer = {"error": "the process ended"}
    process.kill()
    process.join()
    return answer


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("engine", choices=sorted(ENGINES))
    arguments.add_argument("export", help="what `compare --export` wrote")
    arguments.add_argument("output", help="file to write")
    given = arguments.parse_args()
    with open(given.export, encoding="utf-8") as file:
        export = json.load(file)
    os.environ["RAYON_NUM_THREADS"] = "1"
    engine = importlib.import_module(ENGINES[given.engine]).Engine(Vocabulary(export))
    cases = {}
    for case in export["cases"]:
        answer = isolated(lambda: measure(engine, case), SECONDS, BYTES)
        cases[case["id"]] = {"compile_us": None, "mask_us": None, "accept_us": None, **answer}
        error = cases[case["id"]].get("error")
        if error:
            print(f"{case['id']}: {error}", file=sys.stderr)
    compiled = [case for case in cases.values() if case["compile_us"] is not None]
    whole, own = (sum(case[name] for case in compiled) for name in ("compile_us", "own_us"))
    elsewhere = 100 * (1 - own / whole) if whole else 0
    clock = time.perf_counter_ns
    nothing = statistics.median(-(clock() - clock()) for _ in range(1001))
    result = {
        "engine": engine.name,
        "version": engine.version,
        "settings": (
            f"{engine.settings}; CPU time of the process, {elsewhere:.0f} % of it on other threads than the calling one; "
            f"clock {nothing / 1e3:.3f} µs"
        ),
        "cases": cases,
        "apply": engine.apply(export["densities"]),
    }
    with open(given.output, "w", encoding="utf-8") as file:
        json.dump(result, file)


if __name__ == "__main__":
    main()
