"""Inclusion of schemas by other libraries: `relation.py PAIRS [--output FILE] [--limit SECONDS]`.

PAIRS has lines {"left": S, "right": S, ...}; the other fields are kept. Each line of the output has them again, with

    "jsonschema-rs": {"within": A, "contains": A, "ms": T}     `covers` of the canonical forms
    "jsonsubschema": {"within": A, "contains": A, "ms": T}     `isSubschema`

`within` is whether all instances of the left schema are instances of the right one, `contains` the opposite. An answer is yes, no, unknown,
late, or an error by its name. `ms` is the wall time of both questions, with the reading of the schemas. A peer runs in a process of its own,
which is started anew after `--limit` seconds for a pair.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
INSIDE = "GRAMMARC_RELATION_ENVIRONMENT"
PEERS = ("jsonschema-rs", "jsonsubschema")


def by_canonical_forms() -> Callable[[Any, Any], str]:
    import jsonschema_rs

    def within(left: Any, right: Any) -> str:
        return jsonschema_rs.canonicalize(right).covers(jsonschema_rs.canonicalize(left)).value

    return within


def by_jsonsubschema() -> Callable[[Any, Any], str]:
    from jsonsubschema import isSubschema

    def within(left: Any, right: Any) -> str:
        return "yes" if isSubschema(left, right) else "no"

    return within


def answer(within: Callable[[Any, Any], str], left: Any, right: Any) -> str:
    try:
        return within(left, right)
    except BaseException as error:  # noqa: B036  Panics of Rust are no exceptions of Python's own.
        return f"error: {type(error).__name__}"


def serve(peer: str) -> None:
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    within = {"jsonschema-rs": by_canonical_forms, "jsonsubschema": by_jsonsubschema}[peer]()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        pair = json.loads(line)
        start = time.perf_counter()
        found: dict[str, Any] = {
            "within": answer(within, pair["left"], pair["right"]),
            "contains": answer(within, pair["right"], pair["left"]),
        }
        print(json.dumps(found | {"ms": round(1000 * (time.perf_counter() - start), 3)}), file=answers, flush=True)


class Peer:
    """A peer's process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.process: subprocess.Popen[bytes] | None = None

    def read(self, seconds: float) -> bytes:
        assert self.process is not None and self.process.stdout is not None
        return self.process.stdout.readline() if select.select([self.process.stdout], [], [], seconds)[0] else b""

    def stop(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def ask(self, pair: dict[str, Any], limit: float) -> dict[str, Any]:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, __file__, "--serve", self.name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
            )
            if self.read(120).strip() != b"ready":
                raise RuntimeError(f"{self.name} does not start")
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"left": pair["left"], "right": pair["right"]}).encode() + b"\n")
        self.process.stdin.flush()
        if line := self.read(limit):
            found: dict[str, Any] = json.loads(line)
            return found
        self.stop()
        return {"within": "late", "contains": "late", "ms": 1000 * limit}


def quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("pairs", nargs="?", type=Path)
    arguments.add_argument("--output", type=Path)
    arguments.add_argument("--limit", type=float, default=5, metavar="SECONDS")
    arguments.add_argument("--serve", choices=PEERS, help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.serve:
        serve(options.serve)
        return 0
    if options.pairs is None:
        arguments.error("PAIRS is needed")
    rows = [json.loads(line) for line in options.pairs.read_text(encoding="utf-8").splitlines() if line.strip()]
    for name in PEERS:
        peer = Peer(name)
        for row in rows:
            row[name] = peer.ask(row, options.limit)
        peer.stop()
        answers = Counter(row[name][side] for row in rows for side in ("within", "contains"))
        times = [row[name]["ms"] for row in rows]
        print(
            f"{name}: {dict(answers.most_common())}; ms p50 {quantile(times, 0.5):.1f}, p90 {quantile(times, 0.9):.1f}, p99 {quantile(times, 0.99):.1f}"
        )
    if options.output:
        options.output.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    if INSIDE not in os.environ:
        sys.path.insert(0, str(HERE.parent / "python"))
        from environment import environment

        python = str(environment(HERE / "relation-requirements.txt"))
        os.execve(python, [python, __file__, *sys.argv[1:]], os.environ | {INSIDE: "1", "PYTHONDONTWRITEBYTECODE": "1"})
    sys.exit(main())
