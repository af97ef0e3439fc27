"""The counting of `follow` and the judging of `judge`, on cases worked out by hand."""

from __future__ import annotations

import random
from typing import Any

import pytest

import data
import follow
import hostile
import judge

CALLS = [{"name": "f", "arguments": {"a": "x", "n": 1, "b": True}}, {"name": "g", "arguments": {"s": None}}]
RIGHT = [("f", '{"b": true, "a": "x", "n": 1.0}'), ("g", '{"s": null}')]
READINGS: list[tuple[str, list[tuple[str, str]], bool]] = [
    ("keys in another order, and another text of a number", RIGHT, True),
    ("a call is missing", RIGHT[:1], False),
    ("calls in another order", RIGHT[::-1], False),
    ("a boolean is a number", [("f", '{"a": "x", "n": 1, "b": 1}'), RIGHT[1]], False),
    ("a number is a string", [("f", '{"a": "x", "n": "1", "b": true}'), RIGHT[1]], False),
    ("null is a string", [RIGHT[0], ("g", '{"s": "null"}')], False),
    ("arguments are cut off", [RIGHT[0], ("g", '{"s": nul')], False),
    ("a string has lost its spaces", [("f", '{"a": "", "n": 1, "b": true}'), RIGHT[1]], False),
    ("another name", [("F", RIGHT[0][1]), RIGHT[1]], False),
]


@pytest.mark.parametrize(("what", "read", "is_right"), READINGS)
def test_a_reading_is_right_if_it_has_the_calls(what: str, read: list[tuple[str, str]], is_right: bool) -> None:
    assert judge.are_calls(judge.Reading("", read), CALLS) is is_right, what


class Careless:
    """A parser that loses the text in pieces of 5, raises in pieces of 20, and reads the whole."""

    def start(self, output: dict[str, Any]) -> None:
        return None

    def whole(self, state: None, output: dict[str, Any]) -> judge.Reading:
        return judge.Reading("Hi.\n", RIGHT)

    def stream(self, state: None, pieces: list[Any]) -> judge.Reading:
        if len(pieces) == 1:
            raise ValueError("no")
        return judge.Reading("" if len(pieces) == 2 else "Hi.", RIGHT)


def test_verdicts_count_each_fault_once() -> None:
    pieces = {"1": [[[1], "a"]] * 3, "5": [[[1], "a"]] * 2, "20": [[[1], "a"]]}
    output = {"id": "one", "prose": "Hi.", "calls": CALLS, "pieces": pieces}
    facts = judge.judged(Careless(), [output]).facts()
    assert facts["whole wrong"] == 0
    assert facts["raised"] == 1
    assert facts["stream wrong"] == {"1": 0, "5": 0, "20": 1}
    assert facts["stream differs"] == {"1": 0, "5": 1, "20": 1}
    assert facts["text lost"] == {"whole": 0, "1": 0, "5": 1, "20": 1}


class Anything:
    """A matcher that accepts all tokens but 99."""

    def accept_many(self, tokens: Any) -> int:
        return next((at for at, token in enumerate(tokens) if token == 99), len(tokens))


TOKENS = [1, 2, 3, 4, 5]
DRAFTS: list[tuple[str, dict[int, list[int]], bool, tuple[int, int, int]]] = [
    # Drafts by position; whether they are verified; calls, drafts and right ones.
    ("nothing drafted", {}, True, (5, 0, 0)),
    ("a verified step takes one token more", {0: [1, 2]}, True, (3, 2, 2)),
    ("a wrong draft costs nothing but itself", {0: [1, 9, 3]}, True, (4, 3, 1)),
    ("a verified end takes a call", {0: [1, 2, 3, 4, 5]}, True, (1, 5, 5)),
    ("an injected end takes none", {0: [1, 2, 3, 4, 5]}, False, (0, 5, 5)),
    ("an injected run, then a call", {0: [1, 2]}, False, (3, 2, 2)),
]


@pytest.mark.parametrize(("what", "drafts", "is_verified", "expected"), DRAFTS)
def test_steps_are_counted(what: str, drafts: dict[int, list[int]], is_verified: bool, expected: tuple[int, int, int]) -> None:
    count = follow.Count()
    follow.follow(Anything(), TOKENS, follow.chain(lambda _, before: drafts.get(len(before), [])), count, is_verified=is_verified)
    assert (count.calls, count.drafts, count.right) == expected, what
    assert count.tokens == len(TOKENS)


def test_a_refused_answer_is_in_no_sum() -> None:
    count = follow.Count()
    with pytest.raises(follow.Refused):
        follow.follow(Anything(), [1, 99], follow.chain(lambda *_: []), count)
    assert count == follow.Count()


@pytest.mark.parametrize(("tokens", "depth"), [([1, 2], 2), ([1, 3, 4], 3), ([2], 0), ([1, 4], 1)])
def test_a_tree_is_taken_along_one_path(tokens: list[int], depth: int) -> None:
    assert follow.agreed(([1, 2, 3, 4], [-1, 0, 0, 2]), tokens) == depth


def test_a_right_value_is_one_that_the_schema_takes() -> None:
    by = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"enum": ["x"]}, "c": {"type": "string"}}}
    assert data.members({"c": ["z"], "b": ["N/A", "x"], "a": ["", "no"]}, by) == {"c": "z", "b": "x"}
    assert data.ordered({"c": "z", "b": "x"}, by) == {"b": "x", "c": "z"}
    assert list(data.ordered({"c": "z", "b": "x"}, by)) == ["b", "c"]


def test_hostile_calls_are_valid_and_the_same_each_time() -> None:
    drawn = [hostile.Calls(random.Random("seed"), ("</tool",), has_tags=False).answer(number) for number in range(2)]
    assert drawn[0].calls == drawn[1].calls
    calls = hostile.Calls(random.Random(1), ("</tool",), has_tags=True)
    answers = [calls.answer(number) for number in range(200)]
    assert all(map(data.is_valid, answers))
    assert not any("</tool" in str(call.arguments) for one in answers for call in one.calls)
