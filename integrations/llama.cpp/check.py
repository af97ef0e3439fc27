"""Builds llama.cpp's server with grammarc, and holds its answers against ``jsonschema``.

    pip install cmake ninja scikit-build-core jsonschema
    python check.py --prefix PREFIX --maskbench FOLDER [--work FOLDER] [--count N]

PREFIX is where the C library is installed. Sources, model and questions come from PyPI. The script prints a table and the
reasons of what was not answered. Its status is 1 if an answer was unconstrained. It is no part of CI.
"""

from __future__ import annotations

import argparse
import collections
import json
import random
import socket
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import build
import cases
from cases import Case

OUTCOMES = ("valid", "cut", "free", "refused", "failed", "unjudged", "unconstrained")
"""Outcomes in the table's order. ``cut``: the limit on tokens was met. ``free``: no call was asked for, and none came.
``refused``: an error with status 400. ``unjudged``: ``jsonschema`` cannot read the schema."""

CONTEXT = 2048
"""Tokens of one slot."""

DRAFTS = ("--spec-type", "ngram-simple", "--spec-ngram-simple-size-n", "3", "--spec-ngram-simple-size-m", "8")
"""Drafts from the prompt, so that samplers are cloned."""


@contextmanager
def serving(binaries: Path, model: Path, slots: int, log: Path, *options: str | int) -> Iterator[str]:
    """A server, and its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [binaries / "llama-server", "-m", model, "--port", port, "-np", slots, "-c", CONTEXT * slots, "--jinja", *options]
    with log.open("ab") as output:
        process = subprocess.Popen([str(part) for part in command], stdout=output, stderr=output)
        try:
            address = f"http://127.0.0.1:{port}"
            for _ in range(600):
                if process.poll() is not None:
                    sys.exit(f"the server ended with status {process.returncode}; see {log}")
                if asked(f"{address}/health", None)[0] == 200:
                    break
                time.sleep(0.1)
            yield address
        finally:
            process.terminate()
            process.wait()


def asked(address: str, body: dict[str, Any] | None) -> tuple[int, dict[str, Any]]:
    """The status and the answer of one request. Status 0: there was no answer."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(address, data, {"Content-Type": "application/json"})
    try:
        with urllib.request.urlopen(request, timeout=1800) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)
    except (OSError, json.JSONDecodeError) as error:
        return 0, {"error": {"message": str(error)}}


class Table:
    """Outcomes of the lists, and the reasons of those that are not valid."""

    def __init__(self) -> None:
        self.rows: dict[str, collections.Counter[str]] = {}
        self.seconds: dict[str, list[float]] = {}
        self.reasons: list[str] = []

    def ask(self, title: str, address: str, slots: int, asked_of: list[Case], settings: dict[str, Any]) -> None:
        """Sends the requests of one list, as many at once as there are slots."""
        counts = self.rows.setdefault(title, collections.Counter())

        def one(case: Case) -> tuple[Case, str, str, float]:
            began = time.monotonic()
            status, answer = asked(address + case.path, {**settings, **case.body})
            return case, *cases.judged(case, status, answer), time.monotonic() - began

        with ThreadPoolExecutor(slots) as pool:
            for case, outcome, why, seconds in pool.map(one, asked_of):
                counts[outcome] += 1
                self.seconds.setdefault(title, []).append(seconds)
                if why:
                    self.reasons.append(f"{title}, {case.name}: {outcome}: {why}")
        print(f"{title}: {dict(counts)}", file=sys.stderr, flush=True)

    def show(self) -> None:
        """Prints the table as Markdown."""
        print("| list | asked |", " | ".join(OUTCOMES), "| median seconds |")
        print("| --- |", " | ".join(["--:"] * (len(OUTCOMES) + 2)), "|")
        for title, counts in self.rows.items():
            numbers = [str(counts[outcome]) for outcome in OUTCOMES]
            print(f"| {title} | {counts.total()} |", " | ".join(numbers), f"| {statistics.median(self.seconds[title]):.1f} |")
        print(f"| all | {sum(counts.total() for counts in self.rows.values())} |", " | ".join(str(self.total(outcome)) for outcome in OUTCOMES), "| |")

    def total(self, outcome: str) -> int:
        """Number of answers with an outcome, in all lists."""
        return sum(counts[outcome] for counts in self.rows.values())


def main() -> None:
    """Reads the command line, and runs the lists."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--prefix", type=Path, required=True, help="where the C library of grammarc is installed")
    parser.add_argument("--maskbench", type=Path, required=True, help="the folder with MaskBench's files")
    parser.add_argument("--work", type=Path, default=Path.home() / ".cache" / "grammarc" / "llama-server", help="where sources, builds and models are kept")
    parser.add_argument("--count", type=int, default=100, help="most requests of one list")
    parser.add_argument("--slots", type=int, default=20, help="requests at once")
    parser.add_argument("--tokens", type=int, default=256, help="most tokens of an answer")
    parser.add_argument("--threads", type=int, default=1, help="threads of the server; they spin, so take no more than there are idle cores")
    parser.add_argument("--sample", type=int, help="most schemas of MaskBench; default all")
    parser.add_argument("--jobs", type=int, default=2, help="compilers at once")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    work, count, slots, tokens = arguments.work, arguments.count, arguments.slots, arguments.tokens

    binaries = build.server(work, arguments.prefix.resolve(), arguments.jobs)
    tree = build.sources(work)
    model, questions = build.model(work), build.questions(work)
    some = random.Random(arguments.seed)
    schemas = cases.maskbench(arguments.maskbench)
    if arguments.sample is not None:
        schemas = {name: schemas[name] for name in some.sample(list(schemas), arguments.sample)}
    names = list(schemas)
    kinds: dict[str, list[str]] = collections.defaultdict(list)
    converted = cases.conversions(build.converter(work, tree, binaries), list(schemas.values()))
    for name, (kind, _) in zip(names, converted, strict=True):
        kinds[kind].append(name)
    print("llama.cpp alone:", ", ".join(f"{len(kinds[kind])} {kind}" for kind in sorted(kinds)), f"of {len(names)}")

    for list_of in kinds.values():
        some.shuffle(list_of)
    bfcl = list(cases.bfcl_lists(questions))
    some.shuffle(bfcl)
    lists = [*bfcl[: count // 2], *islice(cases.maskbench_lists(schemas, arguments.seed), count - count // 2)]
    settings = {"temperature": 0.8, "seed": arguments.seed, "cache_prompt": False}
    table, log = Table(), work / "server.log"

    def formats(kind: str) -> list[Case]:
        return [cases.of_schema(name, schemas[name], tokens) for name in kinds[kind][:count]]

    def called(choice: str) -> list[Case]:
        return [cases.of_tools(*one, choice, tokens) for one in lists]

    def template(name: str) -> list[str | Path]:
        return ["--chat-template-file", tree / "models" / "templates" / f"{name}.jinja"]

    threads = ("-t", arguments.threads, "-tb", arguments.threads)
    with serving(binaries, model, slots, log, *threads) as address:
        for kind in ("loosened", "repeated", "refused", "crashed", "kept"):
            table.ask(f"format, {kind} by llama.cpp", address, slots, formats(kind), settings)
        table.ask("requests that cannot be held", address, slots, cases.refusals(), settings)
        free = [cases.lazy(name, schemas[name], tokens) for name in kinds["kept"][:count] if schemas[name].get("type") == "object"]
        table.ask("lazy, from a brace on", address, slots, free, settings)
    with serving(binaries, model, slots, log, *threads, *map(str, template("Qwen-Qwen3-0.6B"))) as address:
        table.ask("tools, required", address, slots, called("required"), settings)
        table.ask("tools, auto", address, slots, called("auto"), settings)
    with serving(binaries, model, slots, log, *threads, *map(str, template("google-gemma-4-31B-it"))) as address:
        table.ask("tools, Gemma 4's members", address, slots, called("required"), settings)
    with serving(binaries, model, slots, log, *threads, *DRAFTS, *map(str, template("Qwen-Qwen3-0.6B"))) as address:
        table.ask("tools, required, with drafts", address, slots, called("required"), {**settings, "temperature": 0.0})
    table.show()
    (work / "reasons.txt").write_text("\n".join(table.reasons) + "\n", encoding="utf-8")
    print(f"reasons: {work / 'reasons.txt'}")
    sys.exit(table.total("unconstrained") > 0)


if __name__ == "__main__":
    main()
