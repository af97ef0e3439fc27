"""Tool lists as structural tags: compiling, first mask, masks along a call, of grammarc, XGrammar and llguidance.

    python tags.py DATA [--tools 10] [--rounds 9] [--engines grammarc,xgrammar,llguidance]

DATA is the folder with `tokenizers`. The tools have twenty properties each, half of them required; triggers and ends are those of
the vocabulary's family (Hermes for Qwen 3, JSON for Llama 3.1). Each round has one property of its own, so that no cache answers.
`compile` is from the source to the engine's compiled form on one thread, `first mask` to the mask of the beginning as well. Masks are
those of a text with one call in it, token by token. Times are medians of the rounds, wall clock.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from pathlib import Path
from typing import Any

import numpy as np
from tokenizers import Tokenizer

FAMILIES = {
    "qwen3": ("<tool_call>", '<tool_call>\n{{"name": "{0}", "arguments": ', "}\n</tool_call>"),
    "llama3_1": ('{"name": ', '{{"name": "{0}", "parameters": ', "}"),
}
KINDS: list[dict[str, Any]] = [
    {"type": "string"},
    {"type": "integer"},
    {"type": "boolean"},
    {"enum": ["a", "b", "c"]},
    {"type": "array", "items": {"type": "string"}},
]
VALUES = ["text of some words", 17, True, "b", ["x", "y"]]


def schema(tool: int, salt: int) -> dict[str, Any]:
    names = [f"prop_{tool}_{at}" for at in range(20)]
    properties: dict[str, Any] = {name: KINDS[at % 5] for at, name in enumerate(names)}
    properties[names[0]] = {"type": "string", "maxLength": 40 + salt}
    return {"type": "object", "properties": properties, "required": names[::2], "additionalProperties": False}


def tag(family: str, tools: int, salt: int) -> dict[str, Any]:
    trigger, begin, end = FAMILIES[family]
    tags = [
        {
            "type": "tag",
            "begin": begin.format(f"tool_{tool}"),
            "content": {"type": "json_schema", "json_schema": schema(tool, salt)},
            "end": end,
        }
        for tool in range(tools)
    ]
    return {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": [trigger], "tags": tags}}


def text(family: str, tools: int) -> str:
    _, begin, end = FAMILIES[family]
    last = tools - 1
    arguments = {f"prop_{last}_{at}": VALUES[at % 5] for at in range(20)}
    return "Let me look that up. " + begin.format(f"tool_{last}") + json.dumps(arguments) + end + " Done."


class Grammarc:
    def __init__(self, folder: Path, tokenizer: Tokenizer) -> None:
        import grammarc

        self.compiler = grammarc.Compiler(grammarc.Vocabulary.from_file(folder / "tokenizer.json"), threads=1)
        self.mask = grammarc.Bitmask(1, self.compiler.vocabulary.logit_width)

    def compile(self, source: dict[str, Any]) -> Any:
        return self.compiler.structural_tag(source)

    def start(self, compiled: Any) -> Any:
        return compiled.matcher()

    def fill(self, matcher: Any) -> None:
        matcher.fill(self.mask)

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.try_accept(token)  # type: ignore[no-any-return]

    def facts(self, compiled: Any) -> str:
        return f"{len(compiled.to_bytes()) / 1e3:.0f} kB, bound {compiled.bound}"


class XGrammar:
    def __init__(self, folder: Path, tokenizer: Tokenizer) -> None:
        import xgrammar

        self.xgrammar = xgrammar
        tokens = [tokenizer.id_to_token(at) or "" for at in range(tokenizer.get_vocab_size())]
        info = xgrammar.TokenizerInfo(tokens, vocab_type=xgrammar.VocabType.BYTE_LEVEL)
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)
        self.mask = xgrammar.allocate_token_bitmask(1, info.vocab_size)

    def compile(self, source: dict[str, Any]) -> Any:
        return self.compiler.compile_structural_tag(source)

    def start(self, compiled: Any) -> Any:
        return self.xgrammar.GrammarMatcher(compiled)

    def fill(self, matcher: Any) -> None:
        matcher.fill_next_token_bitmask(self.mask)

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.accept_token(token)  # type: ignore[no-any-return]

    def facts(self, compiled: Any) -> str:
        return f"{compiled.memory_size_bytes / 1e3:.0f} kB"


class LLGuidance:
    def __init__(self, folder: Path, tokenizer: Tokenizer) -> None:
        import llguidance
        import llguidance.numpy

        self.llguidance = llguidance
        self.tokenizer = llguidance.LLTokenizer(str(folder / "tokenizer.json"))
        self.mask = llguidance.numpy.allocate_token_bitmask(1, self.tokenizer.vocab_size)
        self.fill_next = llguidance.numpy.fill_next_token_bitmask

    def compile(self, source: dict[str, Any]) -> Any:
        tags = source["format"]["tags"]
        trigger = source["format"]["triggers"][0]
        tool = self.llguidance.StructTag
        tags = [tool(trigger=trigger, begin=one["begin"], grammar=one["content"]["json_schema"], end=one["end"]) for one in tags]
        return tool.to_grammar(tags)

    def start(self, compiled: Any) -> Any:
        matcher = self.llguidance.LLMatcher(self.tokenizer, compiled)
        if matcher.is_error():
            raise ValueError(matcher.get_error())
        return matcher

    def fill(self, matcher: Any) -> None:
        self.fill_next(matcher, self.mask)

    def accept(self, matcher: Any, token: int) -> bool:
        return matcher.consume_token(token)  # type: ignore[no-any-return]

    def facts(self, compiled: Any) -> str:
        return ""


ENGINES = {"grammarc": Grammarc, "xgrammar": XGrammar, "llguidance": LLGuidance}


def milliseconds(run: Any) -> tuple[float, Any]:
    start = time.perf_counter()
    result = run()
    return 1e3 * (time.perf_counter() - start), result


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("data", type=Path)
    parser.add_argument("--tools", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--engines", default="grammarc,xgrammar,llguidance")
    arguments = parser.parse_args()
    print("| vocabulary | engine | compile, ms | first mask, ms | mask p50, µs | p99.9, µs | max, µs | facts |")
    print("| --- | --- | --: | --: | --: | --: | --: | --- |")
    for family in FAMILIES:
        folder = arguments.data / "tokenizers" / family
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokens = tokenizer.encode(text(family, arguments.tools), add_special_tokens=False).ids
        for name in arguments.engines.split(","):
            engine = ENGINES[name](folder, tokenizer)
            compiling, first, masks, facts, refused = [], [], [], "", ""
            for salt in range(arguments.rounds):
                source = tag(family, arguments.tools, salt)
                took, compiled = milliseconds(lambda: engine.compile(source))
                began, matcher = milliseconds(lambda: engine.start(compiled))
                filled, _ = milliseconds(lambda: engine.fill(matcher))
                compiling.append(took)
                first.append(took + began + filled)
                for token in tokens:
                    masks.append(1e3 * milliseconds(lambda: engine.fill(matcher))[0])
                    if not engine.accept(matcher, token):
                        refused = f"; refuses {tokenizer.decode([token], skip_special_tokens=False)!r} and what follows"
                        break
                facts = engine.facts(compiled) + refused
            tail = np.percentile(masks, 99.9)
            print(
                f"| {family} | {name} | {statistics.median(compiling):.2f} | {statistics.median(first):.2f} |"
                f" {statistics.median(masks):.2f} | {tail:.2f} | {max(masks):.2f} | {facts} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
