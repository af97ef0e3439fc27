"""Devices from Python, over the emulated driver: numpy's memory is the device's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy
import pytest
from kernels import emulator

import grammarc
from grammarc import cuda

@pytest.fixture(scope="module")
def driver() -> str:
    return emulator.path()


@pytest.fixture
def device(driver: str) -> cuda.Device:
    return cuda.Device(driver=driver, pool_bytes=64 << 20)


@pytest.fixture(scope="module")
def grammar() -> Iterator[grammarc.Grammar]:
    tokens = [bytes([byte]) for byte in range(256)] + [b"((", b"))", b"<end>"]
    vocabulary = grammarc.Vocabulary.from_tokens(tokens, special_ids=[258], end_tokens=[258])
    yield grammarc.Compiler(vocabulary).gbnf('root ::= "(" root ")" | "x" [a-f]*')


def ids(*values: int) -> numpy.ndarray:
    return numpy.array(values, dtype="int32")


def masked(matcher: grammarc.Matcher, dtype: str = "float32") -> numpy.ndarray:
    row = numpy.zeros(matcher.grammar.vocabulary.logit_width, dtype=dtype)
    matcher.apply(row)
    return row


def test_slots_follow_their_matchers(device: cuda.Device, grammar: grammarc.Grammar) -> None:
    matchers = [grammar.matcher() for _ in range(3)]
    resident = device.upload(matchers[0])
    assert 0 < resident.bytes <= device.used <= device.held
    slots = device.slots(3, 2)
    assert (len(slots), slots.drafts) == (3, 2)
    for slot, matcher in enumerate(matchers):
        slots.write(slot, resident, matcher)
    slots.advance(ids(ord("("), ord("?"), -1))
    assert slots.statuses() == [(False, False, False), (False, True, False), (False, False, False)]
    matchers[0].accept(ord("("))
    places = ids(0, 3, -1)
    for dtype in ["float32", "float16"]:
        logits = numpy.zeros((3, 259), dtype=dtype)
        slots.apply(logits, places)
        assert (logits[0] == masked(matchers[0], dtype)).all()
        assert (logits[1] == masked(matchers[1], dtype)).all()
        assert not logits[2].any()
    allowed = ids(-1)
    slots.draft(ids(256, ord("?")).reshape(1, 2), allowed=allowed)
    assert allowed[0] == 1
    slots.advance(ids(ord("x")), accepted=allowed)
    matchers[0].accept_many([256, ord("x")])
    bitmask = numpy.zeros((1, 9), dtype="int32")
    slots.fill(bitmask, places)
    expected = numpy.zeros((1, 9), dtype="int32")
    matchers[0].fill(expected)
    assert (bitmask == expected).all()
    logits = numpy.zeros((1, 259), dtype="float32")
    device.apply_bitmask(logits, bitmask, tokens=259)
    assert (logits[0] == masked(matchers[0])).all()
    slots.release(0)
    logits = numpy.zeros((1, 259), dtype="float32")
    slots.apply(logits)
    assert not logits.any()


def test_tokens_are_sampled_and_taken(device: cuda.Device, grammar: grammarc.Grammar) -> None:
    matcher = grammar.matcher()
    slots = device.slots(1)
    slots.write(0, device.upload(matcher), matcher)
    tokens, text = ids(-1), []
    temperatures, seeds = numpy.array([2.0], dtype="float32"), numpy.array([9], dtype="int64")
    for step in range(200):
        logits = numpy.zeros((1, 259), dtype="float32")
        steps = numpy.array([step], dtype="int64")
        slots.sample(logits, tokens, temperatures=temperatures, seeds=seeds, steps=steps, advance=True)
        text.append(int(tokens[0]))
        matcher.accept(text[-1])
        if matcher.is_finished:
            break
    assert slots.statuses()[0].finished == matcher.is_finished
    assert len(set(text)) > 2


def test_rows_by_number(device: cuda.Device, grammar: grammarc.Grammar) -> None:
    matchers = [grammar.matcher() for _ in range(4)]
    matchers[2].accept(ord("x"))
    resident, rows = device.upload(matchers[0]), device.rows(8)
    rows.begin()
    numbers = ids(*(rows.number(resident, matcher) for matcher in matchers))
    rows.flush()
    assert numbers[0] == numbers[1] == numbers[3] != numbers[2]
    logits = numpy.zeros((4, 259), dtype="float32")
    rows.apply(logits, numbers)
    for row, matcher in zip(logits, matchers, strict=True):
        assert (row == masked(matcher)).all()


def test_tables_of_the_hosts_own(device: cuda.Device, grammar: grammarc.Grammar) -> None:
    pool = numpy.zeros(1 << 20, dtype="int32")
    tables = cuda.Tables(pool)
    matcher = grammar.matcher()
    resident = tables.upload(matcher)
    row = numpy.frombuffer(tables.row(resident, matcher).words, dtype="uint32")
    position = numpy.frombuffer(tables.position(resident, matcher), dtype="uint32")
    assert (len(row), len(position), tables.patches()) == (16, 72, [])
    assert row[0] == 0x101 and position[3] == 0
    record = pool[row[3] : row[3] + 8]
    assert record[5] == numpy.count_nonzero(masked(matcher) == 0)


def test_what_makes_no_sense_is_refused(driver: str, device: cuda.Device, grammar: grammarc.Grammar) -> None:
    with pytest.raises(grammarc.DeviceError, match="no CUDA driver was found"):
        cuda.Device(driver="/no/such/driver.so")
    with pytest.raises(grammarc.DeviceError, match="no CUDA device 9"):
        cuda.Device(9, driver=driver)
    matcher, slots = grammar.matcher(), device.slots(1)
    resident = device.upload(matcher)
    other = grammar.matcher(end_tokens=[0])
    with pytest.raises(ValueError, match="other end tokens"):
        slots.write(0, resident, other)
    with pytest.raises(ValueError, match="slot 5 of 1"):
        slots.write(5, resident, matcher)
    with pytest.raises(TypeError, match="float64"):
        slots.apply(numpy.zeros((1, 259)))
    with pytest.raises(ValueError, match="1 dimensions, and not 2"):
        slots.apply(numpy.zeros(259, dtype="float32"))
    with pytest.raises(ValueError, match="not next to each other"):
        slots.apply(numpy.zeros((259, 2), dtype="float32").T)
    with pytest.raises(ValueError, match="1 elements, and 2 are needed"):
        slots.apply(numpy.zeros((2, 259), dtype="float32"), ids(0))
    with pytest.raises(TypeError, match="expected an array"):
        slots.apply([[0.0]])
    with pytest.raises(grammarc.LimitError, match="the pool would take"):
        cuda.Device(driver=driver, pool_bytes=1).upload(matcher)
