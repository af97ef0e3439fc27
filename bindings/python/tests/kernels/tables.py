"""Random tables in the layout of the pool: masks of all kinds, and automata that do all that a position can do.

Nothing of grammarc makes them: they are words as ``runtime/cuda/README.md`` specifies them, and far denser in rare events than
tables of real grammars. What the two sources of kernels make of them has to be the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

NONE = 0xFFFFFFFF
MASKED, PENDING = 0x100, 0x200
FRAMES = 32
FINAL, POP_ONLY, RESTS, ABSORBING, HAS_ROW, COUNTED, LOOPS, STEP = (1 << bit for bit in range(8))
REFUSED, GO, ARRIVE, CALL, OPEN = range(5)
ALPHABET = b'ab"c\\d e'
REGISTERS = [0, 1, 1, 2, 6, 15]

Words = np.ndarray[Any, Any]


@dataclass
class Pool:
    """Words of a pool, and what they mean."""

    random: np.random.Generator
    words: list[int] = field(default_factory=lambda: [0xDEADBEEF] * 5)
    masks: dict[int, set[int]] = field(default_factory=dict)

    def add(self, words: Any) -> int:
        at = len(self.words)
        self.words.extend(int(word) & NONE for word in words)
        return at

    def array(self) -> Words:
        return np.array(self.words, dtype=np.uint32).view(np.int32)

    def some(self, tokens: int, share: float) -> list[int]:
        return np.flatnonzero(self.random.random(tokens) < share).tolist()  # type: ignore[no-any-return]

    def mask(self, tokens: int) -> int:
        """A mask of a random kind."""
        kind = self.random.integers(4)
        plus = self.some(tokens, self.random.choice([0.0, 0.002, 0.05]))
        if kind == 0:
            record = [NONE, NONE, 0, self.add(plus), len(plus), len(plus), NONE, -(-tokens // 32)]
            allowed = set(plus)
        else:
            inside = self.random.random(tokens) < [0.5, 0.999, 0.02][kind - 1]
            if kind == 2:
                # Long runs of ones, which the summary reports.
                inside[tokens // 4 : tokens // 2] = True
            plus = [token for token in plus if not inside[token]]
            minus = [token for token in self.some(tokens, self.random.choice([0.0, 0.01])) if inside[token]]
            words = bitmask_of(inside)
            full = self.add(summary(words)) if self.random.integers(3) else NONE
            row, minus_at, plus_at = self.add(words), self.add(minus), self.add(plus)
            allowed = (set(np.flatnonzero(inside).tolist()) - set(minus)) | set(plus)
            record = [row, minus_at, len(minus), plus_at, len(plus), len(allowed), full, len(words)]
        at = self.add(record)
        self.masks[at] = allowed
        return at

    def row(self, parts: list[int], ends: list[int], kind: int = MASKED) -> tuple[list[int], set[int]]:
        """A row of masks and end tokens, and what it allows."""
        words = [kind | len(parts), self.add(ends), len(ends), *parts, *self.random.integers(1 << 31, size=13 - len(parts))]
        return words, set().union(ends, *(self.masks[part] for part in parts))


def bitmask_of(inside: Words) -> Words:
    """Booleans by token as words."""
    padded = np.zeros(-(-len(inside) // 32) * 32, dtype=bool)
    padded[: len(inside)] = inside
    return np.packbits(padded, bitorder="little").view(np.uint32)


def summary(words: Words) -> list[int]:
    """One bit for each 32 words: all of them are ones."""
    chunks = [len(words) >= end and bool((words[end - 32 : end] == NONE).all()) for end in range(32, len(words) + 32, 32)]
    return bitmask_of(np.array(chunks)).tolist()  # type: ignore[no-any-return]


@dataclass
class Vocabulary:
    texts: list[bytes]
    at: int
    long_at: int


def vocabulary(pool: Pool, tokens: int) -> Vocabulary:
    random = pool.random
    texts = []
    for _ in range(tokens):
        length = int(random.choice([0, 1, 1, 1, 2, 2, 3, 5, 7, 8, 12, 40]))
        texts.append(bytes(random.choice(list(ALPHABET), size=length).tolist()))
    words, long = [], bytearray()
    for text in texts:
        plain = 0x80 if all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in text) else 0
        if len(text) <= 7:
            word = bytes([len(text) | plain]) + text
            words += np.frombuffer(word.ljust(8, b"\0"), dtype=np.uint32).tolist()
        else:
            words += [0x7F | plain | len(text) << 8, len(long)]
            long += text
    long += bytes(-len(long) % 4)
    at = pool.add(words)
    return Vocabulary(texts, at, pool.add(np.frombuffer(bytes(long), dtype=np.uint32)))


@dataclass
class Grammar:
    at: int
    states: int
    flags: list[int]
    ends: list[int]
    returns: list[int]


def grammar(pool: Pool, vocabulary: Vocabulary, states: tuple[int, int]) -> Grammar:
    """A random automaton of ``states`` shared and own states. Calls, which read nothing, continue in an order, own states before
    shared ones, so that every token ends."""
    random = pool.random
    shared, own = states
    first_own = shared
    masks = [pool.mask(len(vocabulary.texts)) for _ in range(80)]
    order = list(range(first_own, first_own + own)) + list(range(shared))
    rank = {state: place for place, state in enumerate(order)}
    flags: list[int] = []
    returns: list[int] = []
    halves: list[int] = []
    for base, count in ((0, shared), (first_own, own)):
        half, half_flags, half_returns = _half(pool, base, count, order, rank, masks)
        halves += half
        flags += half_flags
        returns += half_returns
    tokens = len(vocabulary.texts)
    ends = sorted(random.choice(tokens, size=2, replace=False).tolist())
    edges = NONE
    if random.integers(2):
        edges = pool.add(bitmask_of(random.random(tokens) < 0.02))
    start = int(random.integers(first_own, first_own + own))
    record = [first_own, start, pool.add(ends), len(ends), edges, vocabulary.at, tokens, vocabulary.long_at, *halves]
    return Grammar(pool.add(record), shared + own, flags, ends, returns or [start])


def _half(
    pool: Pool, base: int, count: int, order: list[int], rank: dict[int, int], masks: list[int]
) -> tuple[list[int], list[int], list[int]]:
    random = pool.random
    classes = random.integers(4, size=256)
    calls: list[int] = []

    def move(state: int) -> int:
        kind = int(random.choice([REFUSED, GO, ARRIVE, CALL, OPEN], p=[0.06, 0.42, 0.34, 0.17, 0.01]))
        if kind == REFUSED:
            return 0
        callees = order[rank[state] + 1 :]
        # A call and its return are of one half; the callee may be of the shared one.
        back = [one for one in callees if base <= one < base + count]
        if kind == CALL and back:
            # Few return states, so that a frame is often as the one below it.
            returns = NONE if random.integers(4) == 0 else int(random.choice(back[-2:]))
            calls.extend([int(random.choice(callees)), returns, int(random.choice(REGISTERS))])
            return CALL << 29 | (len(calls) // 3 - 1)
        return (GO if kind == CALL else kind) << 29 | int(random.integers(count))

    flags, states, rows, counted = [], [], [], []
    for index in range(count):
        state = base + index
        own = 0
        for flag, share in ((FINAL, 0.5), (RESTS, 0.95), (ABSORBING, 0.5), (HAS_ROW, 0.75), (LOOPS, 0.1), (STEP, 0.1)):
            own |= flag if random.random() < share else 0
        if random.random() < 0.15:
            own = FINAL | POP_ONLY | RESTS
        if random.random() < 0.3:
            own |= COUNTED
            later = [one for one in order[rank[state] + 1 :] if base <= one < base + count]
            # A state may say that it is counted and have no entry.
            if later and random.random() < 0.9:
                clears = int(random.integers(2))
                counted += [index, int(random.choice(later)), 16 * clears | int(random.integers(4)) << 8]
        low, high = sorted(random.choice(list(ALPHABET), size=2).tolist())
        if random.random() < 0.2:
            low, high = 1, 0
        row = len(rows)
        if own & HAS_ROW:
            rows += [move(state) for _ in range(4)]
        first = 0 if own & POP_ONLY else move(state)
        if own & POP_ONLY:
            low, high = 1, 0
        states += [low | high << 8 | own << 16, first, row]
        flags.append(own)
    heads, links = [], []
    for index in range(count):
        exit_class = NONE if random.random() < 0.3 else int(random.integers(4))
        base_mask = NONE if random.random() < 0.1 else masks[random.integers(len(masks))]
        heads += [base_mask, exit_class, len(links) // 3, 0]
        for one in range(4):
            if random.random() < 0.9:
                follow = NONE if random.random() < 0.05 else masks[random.integers(len(masks))]
                links += [one, follow, NONE if random.random() < 0.05 else int(random.integers(4))]
    heads += [NONE, NONE, len(links) // 3, 0]
    class_words = np.frombuffer(bytes(classes.tolist()), dtype=np.uint32)
    half = [
        pool.add(states),
        pool.add(class_words),
        pool.add(rows or [0]),
        pool.add(calls or [0]),
        pool.add(counted or [0]),
        len(counted) // 3,
        pool.add(heads),
        pool.add(links or [0]),
    ]
    return half, flags, [back for back in calls[1::3] if back != NONE]


def position(pool: Pool, one: Grammar, depth: int) -> list[int]:
    """A position anywhere in a grammar, with a stack of so many frames. The uppermost is often as a call would push it."""
    random = pool.random
    stack = random.integers(one.states, size=depth).tolist()
    count = int(random.choice(REGISTERS))
    counts = random.choice(REGISTERS, size=depth).tolist()
    if depth and random.integers(2):
        stack[-1], counts[-1] = int(random.choice(one.returns)), count
    finals = sum(1 << frame for frame, state in enumerate(stack) if one.flags[state] & FINAL)
    rests = sum(1 << frame for frame, state in enumerate(stack) if one.flags[state] & RESTS)
    # Bits above the stack mean nothing.
    above = int(random.integers(1 << 32)) << depth & NONE
    head = [one.at, int(random.integers(one.states)), count, depth, finals | above, rests | above, 0, 0]
    room = FRAMES - depth
    returns = stack + random.integers(1 << 31, size=room).tolist()
    return head + returns + counts + random.integers(1 << 31, size=room).tolist()


class Automata:
    """A pool with grammars of one vocabulary."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.pool = Pool(self.random)
        words = vocabulary(self.pool, 150)
        self.grammars = [grammar(self.pool, words, (6, 10)) for _ in range(4)]
        self.short = [token for token, text in enumerate(words.texts) if 1 <= len(text) <= 2]

    def positions(self, count: int) -> list[list[int]]:
        """Positions anywhere, some of them with a stack that is nearly full."""
        made = []
        for _ in range(count):
            one = self.grammars[self.random.integers(len(self.grammars))]
            made.append(position(self.pool, one, int(self.random.choice([0, 0, 1, 2, 4, 9, 31, 32]))))
        return made

    def tokens(self, shape: Any, ends: float, short: float) -> Any:
        """Tokens at random, none and ones past the vocabulary among them, and shares of end tokens and of short ones."""
        tokens = self.random.integers(-1, 152, size=shape)
        tokens = np.where(self.random.random(shape) < short, self.random.choice(self.short, size=shape), tokens)
        chosen = self.random.choice(self.grammars[0].ends, size=shape)
        return np.where(self.random.random(shape) < ends, chosen, tokens).astype(np.int32)
