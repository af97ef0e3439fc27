"""The kernels in Triton on a device: results of the CUDA source that `pack` made beside this file, a captured step, and times.

Prints lines of Markdown: what was compared, then minima of a launch in microseconds beside the time that the bytes alone take at
the speed at which the device writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"

import numpy as np
import torch
import triton
from grammarc.kernels import triton as kernels
from kernels import expected, tables

TOKENS = 128_256
DEVICE = "cuda"


def on_device(words: Any) -> torch.Tensor:
    return torch.from_numpy(np.ascontiguousarray(np.array(words, dtype=np.uint32).view(np.int32))).to(DEVICE)


def fastest(launch: Callable[[], object]) -> float:
    """Microseconds of a launch in a captured graph of twenty, where nothing is between them."""
    launch()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(20):
            launch()
    times = []
    for _ in range(20):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        graph.replay()
        end.record()
        end.synchronize()
        times.append(begin.elapsed_time(end) * 1000 / 20)
    return min(times)


def bytes_a_second() -> float:
    memory = torch.zeros(1 << 28, dtype=torch.float32, device=DEVICE)
    microseconds = fastest(lambda: memory.zero_())
    return memory.numel() * 4 / microseconds


def rows_of(allowed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """A pool with a mask of so many tokens, the row of it, and the mask as a bitmask."""
    random = np.random.default_rng(allowed)
    pool = tables.Pool(random)
    inside = np.zeros(TOKENS, dtype=bool)
    inside[random.permutation(TOKENS)[:allowed]] = True
    words = tables.bitmask_of(inside)
    chosen = np.flatnonzero(inside).tolist()
    if allowed < 2048:
        record = [tables.NONE, tables.NONE, 0, pool.add(chosen), allowed, allowed, tables.NONE, len(words)]
    else:
        full = pool.add(tables.summary(words))
        record = [pool.add(words), tables.NONE, 0, tables.NONE, 0, allowed, full, len(words)]
    row = [tables.MASKED | 1, tables.NONE, 0, pool.add(record), *[0] * 12]
    return on_device(pool.words), on_device([row]), on_device([words])


def masks(count: int, speed: float) -> None:
    for dtype in (torch.float32, torch.bfloat16):
        logits = torch.randn(count, TOKENS, device=DEVICE).to(dtype)
        size = logits.element_size()
        for allowed in (10, TOKENS // 2, TOKENS - 10):
            pool, rows, bitmask = rows_of(allowed)
            row_map = torch.zeros(count, dtype=torch.int32, device=DEVICE)
            wanted = logits.clone()
            kernels.apply_bitmask(wanted, bitmask, tokens=TOKENS, row_map=row_map)
            masked = logits.clone()
            kernels.apply(masked, pool, rows, row_map=row_map)
            assert torch.equal(wanted, masked) and int((masked[0] != float("-inf")).sum()) == allowed
            bound = count * (TOKENS - allowed) * size / speed
            by_rows = fastest(lambda: kernels.apply(masked, pool, rows, row_map=row_map))
            by_bitmask = fastest(lambda: kernels.apply_bitmask(masked, bitmask, tokens=TOKENS, row_map=row_map))
            print(f"| apply | {count} | {dtype} | {allowed} | {by_rows:.1f} | {bound:.1f} |")
            print(f"| apply_bitmask | {count} | {dtype} | {allowed} | {by_bitmask:.1f} | {bound:.1f} |")
            out = torch.zeros(count, dtype=torch.int32, device=DEVICE)
            scratch = torch.zeros(count, kernels.scratch_columns(TOKENS), dtype=torch.int64, device=DEVICE)
            options = {"out": out, "scratch": scratch, "row_map": row_map}
            kernels.sample(logits, pool, rows, **options)
            assert torch.equal(out.long(), wanted.float().argmax(dim=1)), "the greatest logit"
            read = count * min(allowed * 32, TOKENS * size) / speed
            greedy = fastest(lambda: kernels.sample(logits, pool, rows, **options))
            warm = torch.ones(count, device=DEVICE)
            drawn = fastest(lambda: kernels.sample(logits, pool, rows, temperatures=warm, **options))
            print(f"| sample, greatest | {count} | {dtype} | {allowed} | {greedy:.1f} | {read:.1f} |")
            print(f"| sample, a draw | {count} | {dtype} | {allowed} | {drawn:.1f} | {read:.1f} |")


def positions(count: int) -> None:
    automata = tables.Automata(3)
    start = automata.positions(count)
    held = on_device(automata.pool.words)
    rows = torch.zeros(count, 16, dtype=torch.int32, device=DEVICE)
    status = torch.zeros(count, dtype=torch.int32, device=DEVICE)
    tokens = torch.from_numpy(automata.tokens(count, ends=0.0, short=0.9)).to(DEVICE)
    first = on_device(start)
    current = first.clone()

    def step() -> None:
        current.copy_(first)
        kernels.advance(held, current, rows, status, tokens)

    reset = fastest(lambda: current.copy_(first))
    whole = fastest(step)
    # A sequence that nothing advances has no status written.
    status.fill_(9)
    step()
    launched = current.clone(), status.clone()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        step()
    current.zero_()
    status.fill_(9)
    graph.replay()
    torch.cuda.synchronize()
    assert torch.equal(current, launched[0]) and torch.equal(status, launched[1]), "a captured step"
    taken = int((status == 0).sum())
    print(f"| advance, {taken} taken | {count} | | | {whole - reset:.1f} | |")


def main() -> None:
    speed = bytes_a_second()
    name = torch.cuda.get_device_name()
    print(f"{name}, torch {torch.__version__}, Triton {triton.__version__}, {speed / 1e6:.2f} TB/s written.")
    results = Path(__file__).with_name("triton_kernels.npz")
    if results.is_file():
        print(expected.check(dict(np.load(results))) + ".\n")
    else:
        print("No results were carried: only times.\n")
    print("| kernel | rows | dtype | allowed | µs | µs for the bytes |")
    print("| --- | --: | --- | --: | --: | --: |")
    for count in (64, 256):
        masks(count, speed)
    for count in (64, 1024):
        positions(count)


if __name__ == "__main__":
    main()
