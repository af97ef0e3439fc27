"""Memory of several processes that map one folder of artifacts: pages that all share are counted once.

    python shared.py FOLDER VOCABULARY.gvocab [--processes 8]

Each process opens the vocabulary and every grammar of the folder for it, and fills masks along random walks. Printed is the
proportional set size (`Pss` of the kernel: a page that n processes have counts as 1/n in each), summed over the processes, beside
what the same processes have resident.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
from pathlib import Path

import grammarc


def rollup() -> dict[str, float]:
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()[1:]
    return {line.split(":")[0]: int(line.split()[1]) / 1024 for line in lines}


def work(folder: Path, vocabulary: Path, seed: int, ready: object, done: object, results: object) -> None:
    rng = random.Random(seed)
    opened = grammarc.Vocabulary.open(vocabulary)
    grammars = []
    for file in sorted(folder.rglob("*.gmask")):
        try:
            grammars.append(grammarc.Grammar.open(file, opened))
        except grammarc.VocabularyMismatch:
            continue
    mask = grammarc.Bitmask(1, opened.logit_width)
    for grammar in grammars:
        matcher = grammar.matcher()
        for _ in range(20):
            matcher.fill(mask)
            allowed = matcher.allowed()
            if matcher.is_finished or not allowed:
                break
            matcher.accept(rng.choice(allowed))
    ready.wait()  # type: ignore[attr-defined]
    results.put((len(grammars), rollup()))  # type: ignore[attr-defined]
    done.wait()  # type: ignore[attr-defined]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=Path)
    parser.add_argument("vocabulary", type=Path)
    parser.add_argument("--processes", type=int, default=8)
    args = parser.parse_args()
    context = multiprocessing.get_context("spawn")
    for count in (1, args.processes):
        ready, done, results = context.Barrier(count), context.Barrier(count), context.Queue()
        processes = [
            context.Process(target=work, args=(args.folder, args.vocabulary, seed, ready, done, results))
            for seed in range(count)
        ]
        for process in processes:
            process.start()
        found = [results.get() for _ in processes]
        for process in processes:
            process.join()
        pss, rss = (sum(facts[key] for _, facts in found) for key in ("Pss", "Rss"))
        print(f"{count} processes, {found[0][0]} grammars each: {pss:.0f} MB with shared pages once, {rss:.0f} MB resident, {pss / count:.1f} MB a process")


if __name__ == "__main__":
    main()
