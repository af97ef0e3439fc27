"""Many rows and many matchers: 500 rows in one call on one and two threads, and 64 threads over 10,000 matchers.

    python load.py DATA
"""

from __future__ import annotations

import json
import resource
import statistics
import sys
import threading
import time
from pathlib import Path

import numpy as np

import grammarc


def resident() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


def main() -> None:
    data = Path(sys.argv[1])
    vocabulary = grammarc.Vocabulary.from_file(data / "tokenizers" / "llama3_1" / "tokenizer.json")
    compiler = grammarc.Compiler(vocabulary)
    files = sorted((data / "maskbench").glob("*.json"))[::60][:50]
    grammars = []
    for file in files:
        try:
            grammars.append(compiler.json_schema(json.loads(file.read_text())["schema"]))
        except grammarc.GrammarcError:
            continue

    def moved(index: int) -> grammarc.Matcher:
        matcher = grammars[index % len(grammars)].matcher()
        for step in range(index % 7):
            allowed = matcher.allowed()
            if matcher.is_finished or not allowed:
                break
            matcher.accept(allowed[(index * 31 + step) % len(allowed)])
        return matcher

    matchers = [moved(index) for index in range(500)]
    mask = np.zeros((500, -(-vocabulary.logit_width // 32)), dtype=np.int32)
    for threads in (1, 2):
        times = []
        for _ in range(60):
            start = time.perf_counter_ns()
            grammarc.fill_batch(matchers, mask, threads=threads)
            times.append((time.perf_counter_ns() - start) / 500)
        print(f"500 rows in one call, {threads} threads: {statistics.median(times):.0f} ns a row")

    def work(first: int) -> None:
        own = np.zeros((1, mask.shape[1]), dtype=np.int32)
        for index in range(first, first + 10_000 // 64 + 1):
            matcher = moved(index)
            matcher.fill(own)
            matcher.rollback(matcher.rollback_depth)

    before = resident()
    for round in range(6):
        threads = [threading.Thread(target=work, args=(number * 157,)) for number in range(64)]
        start = time.perf_counter()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        print(f"round {round}: 64 threads, 10,000 matchers, {time.perf_counter() - start:.1f} s, resident {resident():.0f} MB ({resident() - before:+.1f})")


if __name__ == "__main__":
    main()
