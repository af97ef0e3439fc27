"""Does in Python what a stream of numbers says was done in Rust, and compares: refusals, positions, and every word of every mask.

The stream comes on standard input; src/traces.rs of grammarc-tests writes it and says how it reads. It is a program and not a
test of pytest's, since what writes the stream is in Rust.
"""

from __future__ import annotations

import enum
import sys
from collections.abc import Callable

import numpy as np

import grammarc


class Operation(enum.IntEnum):
    END, CASE, TRACE, ACCEPT, ROLLBACK, RESET, FORK, POSITION, DRAFTS, VALIDATE, FORCED, STATE = range(12)


def number() -> int:
    return int.from_bytes(sys.stdin.buffer.read(4), sys.byteorder)


def blob() -> bytes:
    return sys.stdin.buffer.read(number())


def words() -> np.ndarray:
    return np.frombuffer(sys.stdin.buffer.read(4 * number()), dtype=np.uint32)


def tokens() -> list[int]:
    return words().tolist()


def same(found: object, expected: object, of: str) -> None:
    if found != expected:
        raise AssertionError(f"{of}: {found!r} in Python, {expected!r} in Rust")


def status(call: Callable[[], object]) -> int:
    """What the call raises, as the stream says it."""
    try:
        call()
    except grammarc.TokenRefused:
        return 1
    except grammarc.LimitError:
        return -3
    except (grammarc.GrammarcError, ValueError):
        return -1
    return 0


def accept(matcher: grammarc.Matcher, token: int, expected: int) -> None:
    # Python has one exception for what is refused and what comes behind the end.
    finished = matcher.is_finished
    found = status(lambda: matcher.accept(token))
    same(2 if found == 1 and finished else found, expected, f"accept {token}")


def fill(call: Callable[[np.ndarray], object], shape: tuple[int, ...], expected: np.ndarray) -> object:
    mask = np.full(shape, 0x5A5A5A5A, dtype=np.uint32).view(np.int32)
    result = call(mask)
    same(mask.tobytes(), expected.tobytes(), "mask")
    return result


def state(matcher: grammarc.Matcher) -> None:
    flags, depth, mask = number(), number(), words()
    restricts = fill(matcher.fill, (1, len(mask)), mask)
    same((restricts, matcher.is_accepting, matcher.is_finished), tuple(bool(flags >> at & 1) for at in range(3)), "flags")
    same(matcher.rollback_depth, depth, "depth")


def operation(of: Operation, matcher: grammarc.Matcher) -> grammarc.Matcher:
    """Does one, and returns the matcher that goes on."""
    match of:
        case Operation.ACCEPT:
            accept(matcher, number(), int(np.uint32(number()).astype(np.int32)))
        case Operation.ROLLBACK:
            count = number()
            same(status(lambda: matcher.rollback(count)), int(np.uint32(number()).astype(np.int32)), "rollback")
        case Operation.RESET:
            matcher.reset()
        case Operation.FORK:
            return matcher.fork()
        case Operation.POSITION:
            position = matcher.export()
            same(position, blob(), "position")
            matcher.restore(position)
        case Operation.DRAFTS:
            drafts, valid, masks = tokens(), number(), words()
            rows = len(drafts) + 1
            same(fill(lambda mask: matcher.fill_drafts(drafts, mask), (rows, len(masks) // rows), masks), valid, "drafts")
        case Operation.VALIDATE:
            draft = tokens()
            same(matcher.validate(draft), number(), "validate")
        case Operation.FORCED:
            same(matcher.forced_tokens(), tokens(), "forced")
        case Operation.STATE:
            state(matcher)
        case _:
            raise AssertionError(f"no operation of a trace: {of}")
    return matcher


def main() -> None:
    grammar: grammarc.Grammar
    matcher: grammarc.Matcher
    traces = steps = 0
    while (of := Operation(number())) != Operation.END:
        if of == Operation.CASE:
            vocabulary = grammarc.Vocabulary.from_bytes(blob())
            grammar = grammarc.Grammar.from_bytes(blob(), vocabulary)
        elif of == Operation.TRACE:
            width, window, ends = number(), number(), tokens()
            matcher = grammar.matcher(logit_width=width, rollback_window=window, end_tokens=ends)
            traces += 1
        else:
            matcher = operation(of, matcher)
            steps += of == Operation.STATE
    print(f"{traces} traces, {steps} steps")


if __name__ == "__main__":
    main()
