"""Results of the CUDA source for machines that cannot compile the emulator: made here, compared there.

    python kernels/expected.py FILE.npz

writes tables, arguments and results; :func:`check` holds the kernels in Triton to them on whatever device Triton has.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))

from kernels import tables
from kernels.tensors import BITS, read, tensor

DTYPES = ["float32", "float16", "bfloat16"]
PLACES = 4

Arrays = dict[str, np.ndarray[Any, Any]]


def make(rows: int = 40, tokens: int = 9000, slots: int = 512, steps: int = 8) -> Arrays:
    """Tables, arguments and results of masks, samples and positions."""
    # Where results are compared, there is no emulator.
    from kernels import emulator

    at = emulator.at
    made: Arrays = {}
    random = np.random.default_rng(2)

    pool = tables.Pool(random)
    masks = [pool.mask(tokens) for _ in range(24)]
    records = []
    for row in range(rows):
        parts = random.choice(masks, size=int(random.choice([0, 1, 1, 2, 5, 13]))).tolist()
        ends = sorted(random.choice(tokens, size=int(random.integers(3)), replace=False).tolist())
        record, _ = pool.row(parts, ends)
        record[0] = [record[0], record[0], record[0], 0, record[0] | tables.PENDING][row % 5]
        records.append(record)
    made["pool"], made["rows"] = pool.array(), words_of(records)
    made["temperatures"] = random.choice([0.0, 0.5, 1.0, 1.5], size=rows).astype(np.float32)
    made["seeds"], made["steps"] = random.integers(1 << 62, size=(2, rows))
    for dtype in DTYPES:
        values = random.normal(size=(rows, tokens + 8)).astype(np.float32)
        if dtype == "float16":
            logits = values.astype(np.float16)
        else:
            logits = values if dtype == "float32" else (values.view(np.uint32) >> 16).astype(np.uint16)
        made[f"logits {dtype}"] = logits.copy()
        described = emulator.logits_of(logits, dtype)
        picked, best, blocks = np.zeros(rows, np.int32), np.zeros(rows, np.uint64), np.zeros(rows, np.uint32)
        by_row = at(picked), at(made["temperatures"]), at(made["seeds"]), at(made["steps"])
        params = emulator.Sample(at(made["pool"]), at(made["rows"]), described, at(best), at(blocks), *by_row, 0)
        emulator.launch("grammarc_sample", params, emulator.grid_of(described), 256)
        made[f"picked {dtype}"] = picked
        params = emulator.Apply(at(made["pool"]), at(made["rows"]), described)
        emulator.launch("grammarc_apply", params, emulator.grid_of(described), 256)
        made[f"masked {dtype}"] = logits

    automata = tables.Automata(3)
    start = []
    for one in automata.positions(slots):
        start += [one, *([0] * 72 for _ in range(PLACES - 1))]
    positions = words_of(start)
    state = np.zeros((len(positions), 16), dtype=np.int32)
    status = np.zeros(slots, dtype=np.int32)
    made["automata"], made["start"] = automata.pool.array(), positions.copy()
    made["drafts"] = automata.tokens((steps, slots, PLACES - 1), ends=0.05, short=0.8)
    made["tokens"] = automata.tokens((steps, slots), ends=0.1, short=0.5)
    made["accepted"] = np.zeros((steps, slots), dtype=np.int32)
    held = at(made["automata"]), at(positions), at(state), at(status), PLACES, slots, None
    for step in range(steps):
        allowed = made["accepted"][step]
        drafts = np.ascontiguousarray(made["drafts"][step])
        params = emulator.Advance(*held, at(drafts), PLACES - 1, None, PLACES - 1, at(allowed))
        emulator.launch("grammarc_draft", params, (-(-slots // 64), 1), 64)
        tokens = np.ascontiguousarray(made["tokens"][step])
        params = emulator.Advance(*held, at(tokens), 1, at(allowed), 0, None)
        emulator.launch("grammarc_advance", params, (-(-slots // 64), 1), 64)
    made["positions"], made["state"], made["status"] = positions, state, status
    return made


def words_of(records: Any) -> np.ndarray[Any, Any]:
    return np.array(records, dtype=np.uint32).view(np.int32)


def check(made: Arrays) -> str:
    """Holds the kernels to results, and says how many. Raises ``AssertionError`` where one differs."""
    from grammarc.kernels import triton as kernels

    logits = tokens = 0
    pool, rows = tensor(made["pool"], "int32"), tensor(made["rows"], "int32")
    count = len(made["rows"])
    for dtype in DTYPES:
        given = made[f"logits {dtype}"].view(BITS[dtype])
        out = tensor(np.zeros(count, dtype=np.int32), "int32")
        scratch = np.zeros((count, kernels.scratch_columns(given.shape[1])), dtype=np.int64)
        kernels.sample(
            tensor(given.copy(), dtype),
            pool,
            rows,
            out=out,
            scratch=tensor(scratch, "int64"),
            temperatures=tensor(made["temperatures"], "float32"),
            seeds=tensor(made["seeds"], "int64"),
            steps=tensor(made["steps"], "int64"),
        )
        assert (read(out) == made[f"picked {dtype}"]).all(), f"samples of {dtype}"
        masked = tensor(given.copy(), dtype)
        kernels.apply(masked, pool, rows)
        bits, wanted = (one.view(np.uint8) for one in (read(masked), made[f"masked {dtype}"]))
        assert (bits == wanted).all(), f"masks of {dtype}"
        logits += given.size
        tokens += count
    table = tensor(made["automata"], "int32")
    positions = tensor(made["start"].copy(), "int32")
    state = tensor(np.zeros((len(made["start"]), 16), dtype=np.int32), "int32")
    status = tensor(np.zeros(len(made["start"]) // PLACES, dtype=np.int32), "int32")
    for step, drafts in enumerate(made["drafts"]):
        allowed = tensor(np.zeros(len(drafts), dtype=np.int32), "int32")
        given = tensor(np.ascontiguousarray(drafts), "int32")
        kernels.draft(table, positions, state, given, places=PLACES, allowed=allowed)
        assert (read(allowed) == made["accepted"][step]).all(), f"drafts of step {step}"
        given = tensor(np.ascontiguousarray(made["tokens"][step]), "int32")
        kernels.advance(table, positions, state, status, given, accepted=allowed, places=PLACES)
    assert (read(status) == made["status"]).all(), "statuses"
    # Of a slot only its own place means something after a step.
    depth = made["positions"][::PLACES, 3:4]
    frame = np.arange(72)
    means = (frame < 7) | ((frame >= 8) & (frame < 8 + depth)) | ((frame >= 40) & (frame < 40 + depth))
    same = read(positions)[::PLACES] == made["positions"][::PLACES]
    assert (same | ~means).all(), "positions"
    kind = made["state"][::PLACES, :1]
    means = (frame[:16] == 0) | ((kind & tables.PENDING == 0) & (frame[:16] < 3 + (kind & 0xFF)))
    same = read(state)[::PLACES] == made["state"][::PLACES]
    assert (same | ~means).all(), "rows"
    taken = made["tokens"].size + made["drafts"].size
    return f"{logits} logits, {tokens} samples and {taken} tokens as by the CUDA source"


if __name__ == "__main__":
    np.savez_compressed(sys.argv[1], **make())  # type: ignore[arg-type]
