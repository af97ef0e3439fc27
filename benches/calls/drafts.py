"""The calls of a model that forced drafts save, on gold answers of the Berkeley Function Calling Leaderboard.

    python drafts.py [--every 4] [--styles qwen_3,llama] [--tokenizer deepseek_v3=FILE] [--build release] [--out FILE.json]

Each answer is written as the style's chat template writes it, with JSON as `json.dumps` writes it, and cut by the model's tokenizer.
The grammar is that of the question's tools, with `tool_choice: required`. `follow` says what a step is.

| policy | drafts of a step |
| --- | --- |
| `exact` | tokens where one alone is allowed, injected |
| `k = 3`, `k = 8`, `any` | `Drafter.draft`, at most so many, verified |
| `injected` | `Drafter.injection` |
| `16 nodes`, `64 nodes` | `Drafter.tree`, at most 4 and 16 wide, verified |
| `XGrammar` | `find_jump_forward_tokens`, injected |

A draft's time is that of the first visit of a position with the policy `any` (made), and of the second (kept).
"""

from __future__ import annotations

import argparse
import functools
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import data
import follow
import jump_forward
import machine
import numpy as np
import render
import tokens

import grammarc

MODELS = {"deepseek_v3_1": ("deepseek_v3",)}
"""The vocabularies of styles whose control tokens no other vocabulary has."""
STYLES = ("llama", "qwen_3", "qwen_3_coder", "glm_4_7", "mistral_v13", "deepseek_v3_1")
OTHER_WHITESPACE = {("qwen3", style): ("natural", "flexible") for style in ("llama", "qwen_3")}
TREES = {("qwen3", style) for style in ("qwen_3", "qwen_3_coder")}
CHAINS: dict[str, int] = {"k = 3": 3, "k = 8": 8, "any": 64}
BRANCHES = {"16 nodes": (16, 4), "64 nodes": (64, 16)}
"""Nodes and width of trees."""
LAST = 6
"""The tokens before a position that a drafter looks at."""

Result = TypeVar("Result")


def timed(call: Callable[..., Result], nanoseconds: list[float]) -> Callable[..., Result]:
    def wrapped(*arguments: Any) -> Result:
        start = time.perf_counter_ns()
        result = call(*arguments)
        nanoseconds.append(time.perf_counter_ns() - start)
        return result

    return wrapped


@dataclass
class Times:
    """Nanoseconds of drafts and of masks along trees."""

    made: list[float] = field(default_factory=list)
    kept: list[float] = field(default_factory=list)
    tree: list[float] = field(default_factory=list)
    fill_tree: list[float] = field(default_factory=list)

    def facts(self) -> dict[str, dict[str, float]]:
        """Percentiles in microseconds."""
        named = {"made": self.made, "kept": self.kept, "tree": self.tree, "fill_tree": self.fill_tree}
        return {
            name: {"p50": round(machine.percentile(one, 0.5) / 1e3, 2), "p99": round(machine.percentile(one, 0.99) / 1e3, 2)}
            for name, one in named.items()
            if one
        }


@dataclass
class Sums:
    """What a style's answers add up to."""

    policies: dict[str, follow.Count] = field(default_factory=dict)
    times: Times = field(default_factory=Times)
    refused: dict[str, list[str]] = field(default_factory=dict)
    """Answers by who refuses them: an engine does not compile the tools, or does not allow the text."""

    def of(self, policy: str) -> follow.Count:
        return self.policies.setdefault(policy, follow.Count())


class Policies:
    """The ways of drafting, for one vocabulary."""

    def __init__(self, model: tokens.Model, compiler: grammarc.Compiler, times: Times) -> None:
        self.drafter = grammarc.Drafter(model.encode)
        self.times = times
        width = compiler.vocabulary.logit_width
        self.rows = np.zeros((1 + max(nodes for nodes, _ in BRANCHES.values()), -(-width // 32)), dtype=np.int32)

    def exact(self, matcher: grammarc.Matcher, before: list[int]) -> list[int]:
        return matcher.forced_tokens()

    def injected(self, matcher: grammarc.Matcher, before: list[int]) -> list[int]:
        return self.drafter.injection(matcher, before[-LAST:])

    def chain(self, most: int, nanoseconds: list[float] | None = None) -> follow.Propose:
        draft = self.drafter.draft if nanoseconds is None else timed(self.drafter.draft, nanoseconds)
        return follow.chain(lambda matcher, before: draft(matcher, before[-LAST:], most))

    def tree(self, nodes: int, width: int) -> follow.Propose:
        tree = timed(self.drafter.tree, self.times.tree)

        def propose(matcher: grammarc.Matcher, before: list[int]) -> follow.Tree:
            drafts, parents = tree(matcher, before[-LAST:], nodes, width)
            allowed = timed(matcher.fill_tree, self.times.fill_tree)(drafts, parents, self.rows)
            assert all(allowed), "a tree has a node that is not allowed"
            return drafts, parents

        return propose


def follow_ours(policies: Policies, grammar: grammarc.Grammar, ids: list[int], sums: Sums, *, is_whole: bool, trees: bool) -> None:
    """Adds an answer to the sums of each policy; of `any` alone unless `is_whole`."""
    made = policies.chain(CHAINS["any"], sums.times.made)
    follow.follow(grammar.matcher(), ids, made, sums.of("any"))
    # The same positions again, which are kept.
    follow.follow(grammar.matcher(), ids, policies.chain(CHAINS["any"], sums.times.kept), follow.Count())
    if not is_whole:
        return
    follow.follow(grammar.matcher(), ids, follow.chain(policies.exact), sums.of("exact"), is_verified=False)
    follow.follow(grammar.matcher(), ids, follow.chain(policies.injected), sums.of("injected"), is_verified=False)
    for name, most in CHAINS.items():
        if name != "any":
            follow.follow(grammar.matcher(), ids, policies.chain(most), sums.of(name))
    if trees:
        for name, (nodes, width) in BRANCHES.items():
            follow.follow(grammar.matcher(), ids, policies.tree(nodes, width), sums.of(name))


def follow_xgrammar(compiler: jump_forward.Compiler, style: str, answer: data.Answer, ids: list[int], sums: Sums) -> None:
    try:
        matcher = jump_forward.Follower(compiler.tools(style, answer.tools))
        follow.follow(matcher, ids, follow.chain(jump_forward.jump), sums.of("XGrammar"), is_verified=False)
    except (follow.Refused, RuntimeError, ValueError):
        sums.refused.setdefault("XGrammar", []).append(answer.id)


def row(style: str, model: tokens.Model, whitespace: str, answers: list[data.Answer], xgrammar: jump_forward.Compiler | None) -> dict[str, Any]:
    """Follows all answers in one style, and returns the row of the table."""
    compiler = compiler_of(model)
    sums = Sums()
    policies = Policies(model, compiler, sums.times)
    is_whole = whitespace == "spaced"
    ends = compiler.vocabulary.end_tokens[:1]
    for answer in answers:
        ids = [*model.encode(render.output(style, answer.calls)), *ends]
        source = {"type": "tools", "style": style, "tools": answer.tools, "tool_choice": "required"}
        try:
            grammar = compiler.structural_tag(source, whitespace=whitespace)
            follow_ours(policies, grammar, ids, sums, is_whole=is_whole, trees=(model.name, style) in TREES)
        except (grammarc.GrammarcError, follow.Refused) as error:
            print(f"{style}, {answer.id}: {str(error)[:200]}", file=sys.stderr)
            sums.refused.setdefault("grammarc", []).append(answer.id)
        if is_whole and xgrammar is not None and style in jump_forward.NAMES:
            follow_xgrammar(xgrammar, style, answer, ids, sums)
    whole = sums.of("any")
    followed = len(answers) - len(sums.refused.get("grammarc", []))
    return {
        "style": style,
        "vocabulary": model.name,
        "whitespace": whitespace,
        "answers": followed,
        "refused": {engine: len(ids) for engine, ids in sums.refused.items()},
        "tokens an answer": round(whole.tokens / followed, 1),
        "policies": {
            name: {
                "saved": round(count.saved, 2),
                "right": None if count.right_share is None else round(count.right_share, 2),
                "drafts a step": round(count.drafts / count.steps, 2),
            }
            for name, count in sums.policies.items()
            if count.tokens
        },
        "microseconds": sums.times.facts(),
    }


@functools.cache
def compiler_of(model: tokens.Model) -> grammarc.Compiler:
    return grammarc.Compiler(grammarc.Vocabulary.from_file(model.file), threads=1, memory_entries=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=4)
    parser.add_argument("--styles", default=",".join(STYLES))
    parser.add_argument("--tokenizer", action="append", default=[])
    parser.add_argument("--build", choices=("dev", "release"), default="dev")
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    render.check()
    loaded = data.load(arguments.every)
    known = tokens.models(arguments.tokenizer)
    packages = ("grammarc", "xgrammar", "tokenizers", data.PACKAGE)
    result = machine.head(arguments.build, *packages) | {"answers": loaded.facts(arguments.every), "rows": []}
    xgrammar: dict[str, jump_forward.Compiler] = {}
    for style in arguments.styles.split(","):
        for name in MODELS.get(style, ("qwen3", "llama3_1")):
            if name not in known:
                print(f"SKIPPED: {style}, because there is no --tokenizer {name}=FILE", file=sys.stderr)
                continue
            model = known[name]
            if name not in xgrammar:
                vocabulary = compiler_of(model).vocabulary
                spelled = [vocabulary.token_bytes(id) for id in range(len(vocabulary))]
                xgrammar[name] = jump_forward.Compiler(spelled, vocabulary.logit_width, vocabulary.end_tokens)
            for whitespace in ("spaced", *OTHER_WHITESPACE.get((name, style), ())):
                made = row(style, model, whitespace, loaded.answers, xgrammar[name])
                result["rows"].append(made)
                print(made, flush=True)
                if arguments.out:
                    machine.write(arguments.out, result)


if __name__ == "__main__":
    main()
