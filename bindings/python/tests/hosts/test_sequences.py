"""Positions by tokens: what hosts that hand over whole sequences rely on."""

from __future__ import annotations

import random

import pytest
from letters import COMPILER, ENDS, GRAMMAR, TEXTS, WIDTH, allowed_after, check_walks, walk

import grammarc
from grammarc.hosts._sequences import KEPT, TOKEN, Follower, Positions, run_of, tokens_of


def positions() -> Positions:
    return Positions(GRAMMAR, ENDS, WIDTH)


class Followed:
    """A sequence with a prompt."""

    def __init__(self, follower: Follower, prompt: list[int]) -> None:
        self.follower = follower
        self.tokens = list(prompt)

    def allowed(self) -> set[int]:
        return set(self.follower.at(run_of(self.tokens)).allowed())

    def push(self, token: int) -> None:
        self.tokens.append(token)


def test_walks() -> None:
    check_walks(lambda: Followed(Follower(GRAMMAR, ENDS, WIDTH), [3, -1, 99]))
    # All of them by one follower, one after the other, with the same prompt and without any.
    one = Follower(GRAMMAR, ENDS, WIDTH)
    check_walks(lambda: Followed(one, [3, -1, 99]))
    check_walks(lambda: Followed(one, []))


def test_runs_and_tokens() -> None:
    tokens = (0, -1, 2**31, 7)
    assert tokens_of(run_of(tokens)) == tokens
    assert len(run_of(tokens)) == len(tokens) * TOKEN


def test_any_order_of_positions() -> None:
    """Positions asked for in any order, far apart and over again, are those of the tokens."""
    pick = random.Random(5)
    held = positions()
    held.capacity = 3
    runs = [walk(seed)[: pick.randrange(6)] for seed in range(60)]
    for run in runs + runs[::-1]:
        position = held.at(run_of(run))
        assert position is not None
        assert set(position.allowed()) == allowed_after(run), run
    assert held.at(b"") is held.start


def test_a_refused_run_has_no_position_and_changes_none() -> None:
    held = positions()
    assert held.at(run_of([1])) is not None
    for bad in ([1, 0], [1, 0, 0], [-1], [2**40], [WIDTH], [9], [1, -1]):
        assert held.at(run_of(bad)) is None, bad
    position = held.at(run_of([1]))
    assert position is not None
    assert set(position.allowed()) == allowed_after([1])


def test_what_follows_an_end_token_is_padding() -> None:
    held = positions()
    for run in ([1, 8], [1, 8, 0], [1, 8, 0, -1, 9]):
        position = held.at(run_of(run))
        assert position is not None
        assert set(position.allowed()) == set(ENDS)


def test_sequences_in_turns() -> None:
    """One follower for sequences that grow in turns, as batches of hosts with one processor have it."""
    follower = Follower(GRAMMAR, ENDS, WIDTH)
    walks = [walk(seed) for seed in range(12)]
    # Prompts that begin with each other, and the same one twice.
    prompts = [[50], [50, 51, 1], [50, 51, 1, 60, 61], [50], *([60, seed] for seed in range(8))]
    rows = [Followed(follower, prompt) for prompt in prompts]
    for step in range(max(map(len, walks))):
        for row, tokens in zip(rows, walks, strict=True):
            if step < len(tokens):
                assert row.allowed() == allowed_after(tokens[:step]), (step, tokens)
                row.push(tokens[step])


def test_drafts_that_are_taken_back() -> None:
    long = COMPILER.regex("(a|b|c){400}")
    follower = Follower(long, ENDS, WIDTH)
    prompt = [5, 6]
    assert follower.at(run_of(prompt)) is not None
    chosen: list[int] = []
    pick = random.Random(2)
    for _ in range(20):
        for drafted in range(8):
            follower.at(run_of([*prompt, *chosen, *([0] * (drafted + 1))]))
        chosen.append(0)
        follower.at(run_of(prompt + chosen))
        chosen.append(pick.randrange(3))
        direct = long.matcher(end_tokens=ENDS, logit_width=WIDTH)
        assert direct.accept_many(chosen) == len(chosen)
        assert follower.at(run_of(prompt + chosen)).export() == direct.export()
    assert len(chosen) < KEPT


def test_another_generation_begins_at_the_start() -> None:
    follower = Follower(GRAMMAR, ENDS, WIDTH)
    first = Followed(follower, [50])
    for token in [0, 1]:
        first.allowed()
        first.push(token)
    second = Followed(follower, [50, 0, 1, 60, 61])
    assert second.allowed() == allowed_after([])
    second.push(2)
    assert second.allowed() == allowed_after([2])
    follower.reset()
    assert Followed(follower, [50, 0]).allowed() == allowed_after([])


def test_a_choice_against_the_mask_is_an_error() -> None:
    follower = Follower(GRAMMAR, ENDS, WIDTH)
    follower.at(run_of([50]))
    follower.at(run_of([50, 0]))
    with pytest.raises(grammarc.TokenRefused, match="token 2 was chosen as number 1") as raised:
        follower.at(run_of([50, 0, 2]))
    assert raised.value.token == 2
    # The position before it is as it was.
    assert set(follower.at(run_of([50, 0])).allowed()) == allowed_after([0])


def test_the_texts_are_what_the_oracle_reads() -> None:
    reached = {"".join("abc"[token] if token < 3 else "" for token in walk(seed)) for seed in range(200)}
    assert len(TEXTS) == len(set(TEXTS)) and reached
