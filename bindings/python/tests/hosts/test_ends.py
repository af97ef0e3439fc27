"""Ends of sequences in processors, against Rust's decoder: the same texts for the same logits, whatever the options."""

from __future__ import annotations

import itertools
import json
import math
import random
from typing import Any

import numpy
import pytest
from test_inprocess import END, TOKENS, VOCABULARY, Scripted, _params

import grammarc
from grammarc.hosts._ends import Ended, Ends, Row

COMPILER = grammarc.Compiler(VOCABULARY)
SOURCES = {
    "number": ("regex", r"[0-9]+(\.[0-9]+)?"),
    "words": ("regex", r"([a-z]+ )*[a-z]+"),
    "maybe": ("regex", r"(ab)*"),
    "choice": ("choice", ["abc", "abcabc", "ab"]),
    "json": ("json_schema", {"type": "object", "properties": {"old": {"type": "boolean"}}, "required": ["old"]}),
}
GRAMMARS = {name: (COMPILER.compile(*source), COMPILER.text_behind(source)) for name, source in SOURCES.items()}
LIMITS = [None, 0.3, (0.5, 3), (0.02, 2)]
STOPS = ["must_end", "first", "longest"]
MOST = 24


def mass_of(before: numpy.ndarray, after: numpy.ndarray) -> float:
    return float(numpy.exp(after.astype(float)).sum() / numpy.exp(before.astype(float)).sum())


def by_processor(name: str, model: Scripted, **options: Any) -> tuple[Ended, int]:
    """What a host writes that takes the likeliest token, and how many tokens it took."""
    grammar, behind = GRAMMARS[name]
    overshoot = options.pop("overshoot")
    ends = Ends.of(overshoots=overshoot, masses=True, **options)
    assert ends is not None
    row = Row(grammar, behind if overshoot else None, ends, None, VOCABULARY.logit_width)
    tokens = [63]
    while not row.is_over and len(tokens) <= MOST:
        before = model.logits(tokens)
        logits = before.copy()
        if row.only is None:
            row.matcher.apply(logits)
            row.weigh(mass_of(before, logits))
        if row.only is not None:
            logits.fill(-numpy.inf)
            logits[list(row.only)] = before[list(row.only)]
        tokens.append(int(logits.argmax()))
        assert row.read(tokens[-1])
    return row.output, len(row.tokens)


def by_decoder(name: str, model: Scripted, **options: Any) -> tuple[str, str]:
    """The text of Rust's decoder, and why it ended."""
    grammar, behind = GRAMMARS[name]
    limit = options["prob_limit"]
    params = {**_params(), **options, "temperature": 0.0, "max_tokens": MOST, "forced": "exact"}
    params["prob_limit"] = None if limit is None else limit if isinstance(limit, tuple) else (limit, 1)
    decoder = grammarc._native.Decoder(behind if options["overshoot"] else grammar, grammar, [63], VOCABULARY.logit_width, params)
    while (wanted := decoder.feed()) is not None:
        decoder.choose(model.feed(*wanted))
    found = json.loads(decoder.output())
    return found["text"], found["finish"]


CASES = [
    (name, limit, stop, overshoot)
    for name, limit, stop, overshoot in itertools.product(GRAMMARS, LIMITS, STOPS, [False, True])
    if overshoot or stop != "longest"
]


@pytest.mark.parametrize(("name", "limit", "stop", "overshoot"), CASES)
def test_rows_end_as_in_rust(name: str, limit: Any, stop: Any, overshoot: bool) -> None:
    options = {"prob_limit": limit, "early_stop": stop, "overshoot": overshoot}
    pick = random.Random(f"{name}{options}")
    finishes = set()
    for seed in range(6):
        says = None if seed % 2 else bytes(pick.choice(b"27.00, the abc") for _ in range(9))
        script = {"seed": seed, "says": says, "heed": pick.choice([2.0, 30.0])}
        found, count = by_processor(name, Scripted(**script), **options)
        assert (found.text, found.finish) == by_decoder(name, Scripted(**script), **options), script
        finishes.add(found.finish)
        assert count <= len(found.masses) <= count + 1 and all(0 <= mass <= 1 + 1e-9 for mass in found.masses)
        if found.finish != "length":
            GRAMMARS[name][0].check(found.text)
    assert finishes


def test_masses_are_those_of_the_model() -> None:
    found, count = by_processor("choice", Scripted(3), prob_limit=None, early_stop="must_end", overshoot=False)
    matcher = GRAMMARS["choice"][0].matcher()
    row = Scripted(3).logits([63]).astype(float)
    expected = sum(math.exp(row[token]) for token in matcher.allowed()) / numpy.exp(row).sum()
    assert found.masses[0] == pytest.approx(expected) and count == len(found.text.encode())


def test_a_choice_against_the_mask_is_refused() -> None:
    ends = Ends.of(None, "first", False, False)
    assert ends is not None
    row = Row(GRAMMARS["number"][0], None, ends, None, VOCABULARY.logit_width)
    assert not row.read(ord("x"))
    assert row.read(ord("2")) and row.only == (END,)
    assert not row.read(ord("7")), "only an end token is left"
    assert row.read(END) and row.is_over and row.read(ord("7"))
    assert row.output == Ended("2", "stop", (1.0,))


def test_wrong_options_say_what_to_write() -> None:
    with pytest.raises(ValueError, match="text_behind"):
        Ends.of(None, "longest", False, False)
    with pytest.raises(ValueError, match="must_end, first, longest"):
        Ends.of(None, "last", False, False)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="patience"):
        Ends.of((0.5, 0), "first", False, False)  # type: ignore[arg-type]
    assert Ends.of(None, "must_end", False, False) is None
    ends = Ends.of(None, "first", True, False)
    assert ends is not None
    others = grammarc.Vocabulary.from_tokens([*TOKENS, b"more"], special_ids=[END], end_tokens=[END])
    with pytest.raises(grammarc.VocabularyMismatch, match="overshoot"):
        Row(GRAMMARS["number"][0], grammarc.Compiler(others).text_behind(SOURCES["number"]), ends, None, VOCABULARY.logit_width)
    with pytest.raises(ValueError, match="end_tokens"):
        Row(GRAMMARS["number"][0], None, ends, [], VOCABULARY.logit_width)
