"""The figures of docs/tuning.md: `tuning.py TOKENIZER [--server URL]`, with the Python package installed, built for release.

TOKENIZER is a file that `Vocabulary.from_file` reads, such as the GGUF file of `grammarc model smollm2`. Times are CPU time of the
process, on one thread, the median of rounds; ratios within one run mean something. Needs `numpy`; `tokenizers` where the tokenizer
is a `tokenizer.json`; for the server `httpx`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import os
import statistics
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import grammarc
import numpy
from figures import spent_by, table

ROOT = Path(__file__).resolve().parents[1]
SCHEMAS = {name: json.loads((ROOT / "grammars" / f"{name}.json").read_text()) for name in ("tool-call", "invoice")}
FORMS: dict[str, dict[str, Any]] = {
    "compact, canonical numbers": {"whitespace": "compact", "numbers": "canonical"},
    "compact": {"whitespace": "compact"},
    "natural (default)": {},
    "spaced": {"whitespace": "spaced"},
    "indented:2": {"whitespace": "indented:2"},
    "styled:2": {"whitespace": "styled:2"},
    "flexible:19": {"whitespace": "flexible:19"},
    "natural, any escapes": {"escapes": "any"},
    "natural, any order": {"key_order": "any"},
}
ROUNDS = 9


def seconds(work: Any, rounds: int = ROUNDS, clock: Any = time.process_time) -> float:
    """The median over some rounds; each is handed its number."""
    found = []
    for number in range(rounds):
        began = clock()
        work(number)
        found.append(clock() - began)
    return statistics.median(found)


def forms(vocabulary: grammarc.Vocabulary) -> None:
    """What each form of text costs."""
    rows = []
    for name, options in FORMS.items():
        row: list[Any] = [name]
        for schema in SCHEMAS.values():
            compiler = grammarc.Compiler(vocabulary, threads=1)
            compiler.json_schema({"enum": ["warm"]}, **options)
            grammar = compiler.json_schema(schema, **options)
            # Titles distinguish the rounds, so that each compiles.
            spent = seconds(lambda number: compiler.json_schema({**schema, "title": f"{number}"}, **options))
            row += [1e3 * spent, len(grammar.to_bytes()) // 1024, 1e6 * step(grammar, vocabulary)]
        rows.append(row)
    table(["form", *(f"{name}: {what}" for name in SCHEMAS for what in ("compile, ms", "artifact, KiB", "mask and accept, µs"))], rows)


def step(grammar: grammarc.Grammar, vocabulary: grammarc.Vocabulary) -> float:
    """Seconds of a token through Python: `fill` and `accept`, over drawn texts."""
    drawn, mask = numpy.random.default_rng(0), numpy.zeros((1, -(-vocabulary.logit_width // 32)), dtype=numpy.int32)
    texts = []
    for _ in range(20):
        matcher, tokens = grammar.matcher(), []
        while not matcher.is_finished and len(tokens) < 200:
            matcher.fill(mask)
            tokens.append(int(drawn.choice(numpy.flatnonzero(numpy.unpackbits(mask.view(numpy.uint8), bitorder="little")))))
            matcher.accept(tokens[-1])
        texts.append(tokens)

    def walk(_: int) -> None:
        for tokens in texts:
            matcher = grammar.matcher()
            for token in tokens:
                matcher.fill(mask)
                matcher.accept(token)

    return seconds(walk) / sum(map(len, texts))


def once(vocabulary: grammarc.Vocabulary, tokenizer: str, folder: Path) -> None:
    """What is spared by files that are there already. Wall time, since files are read."""
    vocabulary.save(folder / "v.gvocab")
    schema = SCHEMAS["tool-call"]
    grammarc.Compiler(vocabulary, threads=1).json_schema(schema).save(folder / "g.gmask")
    kept = folder / "cache"
    grammarc.Compiler(vocabulary, threads=1, cache=kept).json_schema(schema)
    warm = grammarc.Compiler(vocabulary, threads=1)
    warm.json_schema(schema)
    works = {
        "import the tokenizer": lambda _: grammarc.Vocabulary.from_file(tokenizer),
        "open the vocabulary": lambda _: grammarc.Vocabulary.open(folder / "v.gvocab"),
        "compile, the first of a process": lambda _: grammarc.Compiler(vocabulary, threads=1).json_schema(schema),
        "compile, with a compiler that has compiled": lambda number: warm.json_schema({**schema, "title": f"{number}"}),
        "a new process' first request, from the cache's folder": lambda _: grammarc.Compiler(vocabulary, threads=1, cache=kept).json_schema(schema),
        "open the artifact": lambda _: grammarc.Grammar.open(folder / "g.gmask", vocabulary),
        "ask a compiler again": lambda _: warm.json_schema(schema),
        "a matcher": lambda _: warm.json_schema(schema).matcher(),
    }
    table(["what", "ms"], [[name, 1e3 * seconds(work, clock=time.perf_counter)] for name, work in works.items()])
    sizes = {"vocabulary": "v.gvocab", "grammar": "g.gmask"}
    table(["file", "KiB"], [[name, (folder / path).stat().st_size // 1024] for name, path in sizes.items()])


def holder(folder: Path, count: int, ready: Any, leave: Any) -> None:
    vocabulary = grammarc.Vocabulary.open(folder / "v.gvocab")
    grammars = [grammarc.Grammar.open(folder / f"m{number}.gmask", vocabulary) for number in range(count)]
    for grammar in grammars:
        step(grammar, vocabulary)
    ready.put(mapped(folder))
    leave.wait()
    ready.put(mapped(folder))


def mapped(folder: Path) -> int:
    """KiB of the mapped files that this process is charged with (PSS)."""
    share, inside = 0, False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, _, rest = line.partition(":")
        if "-" in line.split(" ", 1)[0]:
            inside = str(folder) in line
        elif inside and name == "Pss":
            share += int(rest.split()[0])
    return share


def memory(vocabulary: grammarc.Vocabulary, folder: Path) -> None:
    """Memory of processes that map the same files."""
    vocabulary.save(folder / "v.gvocab")
    compiler = grammarc.Compiler(vocabulary)
    for number in range(20):
        compiler.json_schema({**SCHEMAS["tool-call"], "title": f"{number}"}).save(folder / f"m{number}.gmask")
    context, rows = multiprocessing.get_context("spawn"), []
    for processes, grammars in [(1, 1), (1, 20), (2, 20), (4, 20)]:
        ready, leave = context.Queue(), context.Event()
        held = [context.Process(target=holder, args=(folder, grammars, ready, leave)) for _ in range(processes)]
        for process in held:
            process.start()
        for _ in held:
            ready.get()
        leave.set()
        shares = [ready.get() for _ in held]
        for process in held:
            process.join()
        rows.append([f"{processes}", grammars, max(shares)])
    table(["processes", "grammars", "KiB of mapped files, each"], rows)


DOCUMENT = {
    "number": "A-17",
    "issued": "2026-11-27",
    "currency": "EUR",
    "seller": {"name": "Tea House", "address": {"city": "Oslo", "country": "Norway"}},
    "buyer": {"name": "Ada Lovelace"},
    "items": [
        {"description": "Green tea, 100 g", "quantity": 2, "unitPrice": 450},
        {"description": "Cup", "quantity": 1, "unitPrice": 1200, "taxRate": 19},
    ],
    "total": 2100,
    "paid": True,
    "notes": None,
}
"""An invoice."""


def tokens(path: str) -> None:
    """How many tokens one document takes in each form."""
    import tokenizers

    tokenizer = tokenizers.Tokenizer.from_file(path)
    written = {"compact": {"separators": (",", ":")}, "spaced": {}, "indented:2": {"indent": 2}, "indented:4": {"indent": 4}}
    texts = {name: json.dumps(DOCUMENT, **options) for name, options in written.items()}
    rows = [[name, len(text), len(tokenizer.encode(text, add_special_tokens=False).ids)] for name, text in texts.items()]
    table(["form", "characters", "tokens"], rows)


def server(url: str, pid: int | None) -> None:
    """Calls of the model that forced runs spare, and what slots are worth."""
    import httpx

    client = httpx.Client(base_url=url, timeout=600)
    schema = {
        "type": "object",
        "properties": {
            "first_name": {"type": "string", "maxLength": 20},
            "year_of_birth": {"type": "integer", "minimum": 1000, "maximum": 2025},
            "field_of_work": {"enum": ["art", "mathematics", "music", "physics"]},
        },
        "required": ["first_name", "year_of_birth", "field_of_work"],
        "additionalProperties": False,
    }
    names = ["Ada Lovelace", "Johann Sebastian Bach", "Marie Curie", "Frida Kahlo", "Emmy Noether", "Isaac Newton", "Clara Schumann", "Alan Turing"]

    def ask(name: str, forced: str) -> tuple[int, int, str]:
        form = {"type": "json_schema", "json_schema": {"name": "person", "schema": schema}}
        messages = [{"role": "user", "content": f"Tell me of {name}."}]
        body = {"messages": messages, "temperature": 0, "max_tokens": 100, "response_format": form, "x_grammarc": {"forced": forced}}
        reply = client.post("/v1/chat/completions", json=body).raise_for_status().json()
        usage = reply["usage"]
        return usage["x_model_calls"], usage["completion_tokens"], reply["choices"][0]["message"]["content"]

    rows = []
    texts: dict[str, list[str]] = {}
    for forced in ("off", "exact", "canonical"):
        began = spent_by(pid)
        replies = [ask(name, forced) for name in names]
        texts[forced] = [text for *_, text in replies]
        same = sum(one == other for one, other in zip(texts[forced], texts["off"]))
        rows.append([forced, sum(calls for calls, *_ in replies), sum(tokens for _, tokens, _ in replies), spent_by(pid) - began, f"{same} of {len(names)}"])
    clock = "seconds" if pid is None else "seconds of CPU"
    table(["forced", "calls of the model", "tokens", clock, "same text as off"], rows)
    rows = []
    for clients in (1, 2, 4, 8):
        began = spent_by(pid)
        with ThreadPoolExecutor(clients) as pool:
            replies = list(pool.map(lambda name: ask(name, "off"), names * 2))
        spent = spent_by(pid) - began
        rows.append([f"{clients}", sum(tokens for _, tokens, _ in replies) / spent])
    table(["requests at once", f"tokens in {clock}"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tokenizer")
    parser.add_argument("--server", help="address of a `grammarc serve`: measures it, and nothing else")
    parser.add_argument("--pid", type=int, help="of that server: counts its CPU time in place of the clock")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}\n")
    if options.server:
        server(options.server, options.pid)
        return
    vocabulary = grammarc.Vocabulary.from_file(options.tokenizer)
    print(f"{len(vocabulary):,} tokens\n")
    if options.tokenizer.endswith("tokenizer.json"):
        tokens(options.tokenizer)
    forms(vocabulary)
    with tempfile.TemporaryDirectory() as folder:
        once(vocabulary, options.tokenizer, Path(folder))
    with tempfile.TemporaryDirectory() as folder:
        memory(vocabulary, Path(folder))


if __name__ == "__main__":
    main()
