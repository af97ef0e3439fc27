"""Steps from Python: fill and accept of grammarc, llguidance and XGrammar over the same tokens of the same schemas.

    pip install -r ../peers/requirements.txt tokenizers && pip install --no-deps xgrammar==0.2.8
    python steps.py DATA [--schemas 300] [--engines grammarc,llguidance,xgrammar]

DATA is the folder with `maskbench` and `tokenizers`. Of every few schemas one with a valid instance is taken; the instance is
written compactly and cut into tokens of Llama 3.1. A text counts for an engine where it takes every token. Engines take turns
text by text; a token's time is the median of five rounds, each with a fresh matcher, and percentiles are over all tokens of
the texts that all engines take. Times are wall clock around one call, with all that Python adds; each engine writes a row of its
own. Verdicts are those of all instances of the schema: whether the compact text is accepted, with keys in any order.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

sys.path.insert(0, str(Path(__file__).parents[1] / "peers"))

ROUNDS = 5


class Grammarc:
    def __init__(self, folder: Path, table: Any) -> None:
        import grammarc

        self.vocabulary = grammarc.Vocabulary.from_file(folder / "tokenizer.json", end_tokens=table.end_tokens)
        self.compiler = grammarc.Compiler(self.vocabulary, threads=1)
        self.mask = grammarc.Bitmask(1, self.vocabulary.logit_width)

    def grammar(self, schema: Any) -> Any:
        return self.compiler.json_schema(schema, whitespace="compact")

    def accepts(self, schema: Any, text: str) -> bool:
        try:
            self.compiler.json_schema(schema, whitespace="compact", key_order="any").check(text)
        except ValueError:
            return False
        return True

    def start(self, grammar: Any) -> tuple[Any, Any]:
        matcher = grammar.matcher()
        fill, mask = matcher.fill, self.mask
        return lambda: fill(mask), matcher.try_accept


class Llguidance:
    def __init__(self, folder: Path, table: Any) -> None:
        import llguidance
        import llguidance.numpy

        self.llguidance, self.fill = llguidance, llguidance.numpy.fill_next_token_bitmask
        self.tokenizer = llguidance.LLTokenizer((folder / "tokenizer.json").read_text(), n_vocab=table.logit_width)
        self.mask = llguidance.numpy.allocate_token_bitmask(1, table.logit_width)

    def grammar(self, schema: Any) -> Any:
        text = json.dumps({"x-guidance": {"whitespace_flexible": False}, **schema} if isinstance(schema, dict) else schema)
        source = self.llguidance.LLMatcher.grammar_from_json_schema(text)
        matcher = self.llguidance.LLMatcher(self.tokenizer, source, log_level=0)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def start(self, grammar: Any) -> tuple[Any, Any]:
        matcher, fill, mask = grammar.deep_copy(), self.fill, self.mask
        return lambda: fill(matcher, mask), matcher.consume_token


class Xgrammar:
    def __init__(self, folder: Path, table: Any) -> None:
        from engine_xgrammar import Engine

        self.engine = Engine(table)

    def grammar(self, schema: Any) -> Any:
        return self.engine.compile(json.dumps(schema))

    def start(self, grammar: Any) -> tuple[Any, Any]:
        matcher = self.engine.matcher(grammar)
        fill, words = matcher.fill_next_token_bitmask, self.engine.words
        return lambda: fill(words), matcher.accept_token


ENGINES = {"grammarc": Grammarc, "llguidance": Llguidance, "xgrammar": Xgrammar}


class Table:
    """The tokens of the vocabulary by id, for engines that ask for them."""

    def __init__(self, tokenizer: Tokenizer) -> None:
        import grammarc

        self.end_tokens = [tokenizer.token_to_id("<|eot_id|>")]
        vocabulary = grammarc.Vocabulary.from_tokenizer(tokenizer, end_tokens=self.end_tokens)
        self.logit_width = vocabulary.logit_width
        kinds = map(vocabulary.token_kind, range(len(vocabulary)))
        self.tokens = [vocabulary.token_bytes(id) if kind == "text" else b"" for id, kind in enumerate(kinds)]


def follow(engine: Any, grammar: Any, tokens: list[int]) -> tuple[list[int], list[int]] | None:
    clock = time.perf_counter_ns
    fill, accept = engine.start(grammar)
    fills, accepts = [], []
    for token in tokens:
        a = clock()
        fill()
        b = clock()
        taken = accept(token)
        c = clock()
        if taken is False:
            return None
        fills.append(b - a)
        accepts.append(c - b)
    return fills, accepts


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--schemas", type=int, default=300)
    parser.add_argument("--engines", default=",".join(ENGINES))
    args = parser.parse_args()
    folder = args.data / "tokenizers" / "llama3_1"
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    table = Table(tokenizer)
    engines = {name: ENGINES[name](folder, table) for name in args.engines.split(",")}
    files = sorted((args.data / "maskbench").glob("*.json"))
    files = files[:: max(1, len(files) // args.schemas)][: args.schemas]
    times: dict[str, tuple[list[float], list[float]]] = {name: ([], []) for name in engines}
    compiled = dict.fromkeys(engines, 0)
    taken = dict.fromkeys(engines, 0)
    verdicts: dict[str, dict[str, int]] = {name: {"valid refused": 0, "invalid accepted": 0, "judged": 0} for name in engines}
    texts = shared = 0
    for file in files:
        case = json.loads(file.read_text())
        grammars = {}
        for name, engine in engines.items():
            try:
                grammars[name] = engine.grammar(case["schema"])
                compiled[name] += 1
            except Exception:
                continue
        for test in case["tests"]:
            text = json.dumps(test["data"], separators=(",", ":"), ensure_ascii=False)
            tokens = tokenizer.encode(text, add_special_tokens=False).ids
            for name, grammar in grammars.items():
                if name == "grammarc":
                    whole = engines[name].accepts(case["schema"], text)
                else:
                    whole = follow(engines[name], grammar, tokens) is not None
                verdicts[name]["judged"] += 1
                verdicts[name]["valid refused"] += test["valid"] and not whole
                verdicts[name]["invalid accepted"] += not test["valid"] and whole
        valid = next((test for test in case["tests"] if test["valid"]), None)
        if valid is None:
            continue
        texts += 1
        tokens = tokenizer.encode(json.dumps(valid["data"], separators=(",", ":"), ensure_ascii=False), add_special_tokens=False).ids
        rounds: dict[str, list[tuple[list[int], list[int]]]] = {}
        gc.collect()
        gc.disable()
        for _ in range(ROUNDS):
            for name, grammar in grammars.items():
                steps = follow(engines[name], grammar, tokens)
                if steps is not None:
                    rounds.setdefault(name, []).append(steps)
        gc.enable()
        for name in rounds:
            taken[name] += 1
        if set(rounds) != set(engines):
            continue
        shared += 1
        for name, of_rounds in rounds.items():
            for which in (0, 1):
                by_token = zip(*(steps[which] for steps in of_rounds))
                times[name][which].extend(statistics.median_low(one) / 1e3 for one in by_token)
    print(f"{len(files)} schemas, {texts} texts, {shared} that all take, {len(times['grammarc'][0])} tokens\n")
    print("| µs | compiled | fill p50 | p99.9 | max | accept p50 | p99.9 | max |\n| --- | --: | --: | --: | --: | --: | --: | --: |")
    for name, both in times.items():
        figures = []
        for values in both:
            values = np.array(values)
            figures += [np.percentile(values, 50), np.percentile(values, 99.9), values.max()]
        print(f"| {name} | {compiled[name]} | " + " | ".join(f"{figure:.2f}" for figure in figures) + " |")
    print("\nverdicts (of grammarc by whole texts, of the others token by token):", json.dumps(verdicts))


if __name__ == "__main__":
    main()
