"""Arrays of other libraries: written in place, or refused with the reason."""

from __future__ import annotations

import numpy as np
import pytest

import grammarc


@pytest.fixture
def matcher(compiler: grammarc.Compiler) -> grammarc.Matcher:
    return compiler.choice(["true", "false"]).matcher()


def columns(matcher: grammarc.Matcher) -> int:
    return -(-matcher.logit_width // 32)


def test_numpy_masks_are_filled_in_place(matcher: grammarc.Matcher) -> None:
    wide = columns(matcher) + 3
    for dtype in (np.int32, np.uint32):
        mask = np.full((2, wide), 7, dtype=dtype)
        matcher.fill(mask, 1)
        assert (mask[0] == 7).all()
        assert (mask[1, columns(matcher):] == 0).all()
        one = np.full(wide, 7, dtype=dtype)
        matcher.fill(one)
        np.testing.assert_array_equal(one, mask[1])


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((4, 40), dtype=np.int32)[:, ::2], "C-contiguous"),
        (np.zeros((40, 20), dtype=np.int32).T, "C-contiguous"),
        (np.zeros((2, 20), dtype=np.int32)[::-1], "C-contiguous"),
        (np.zeros((2, 20), dtype=np.int64), "elements of format"),
        (np.zeros((2, 20), dtype=np.int16), "elements of format"),
        (np.zeros((2, 20), dtype=np.float32), "a mask is of int32"),
        (np.zeros((2, 20), dtype=">i4"), "elements of format"),
        (np.zeros((2, 2, 20), dtype=np.int32), "3 dimensions"),
        (b"0" * 80, "not writable"),
        ([[0] * 20], "expected a Bitmask"),
        (None, "expected a Bitmask"),
    ],
)
def test_masks_that_cannot_be_written_are_refused(
    matcher: grammarc.Matcher, array: object, message: str
) -> None:
    with pytest.raises(TypeError, match=message):
        matcher.fill(array)
    with pytest.raises(TypeError, match=message):
        grammarc.fill_batch([matcher], array)


def test_read_only_arrays_are_refused(matcher: grammarc.Matcher) -> None:
    mask = np.zeros((1, columns(matcher)), dtype=np.int32)
    mask.flags.writeable = False
    with pytest.raises(TypeError, match="not writable"):
        matcher.fill(mask)
    logits = np.zeros(matcher.logit_width, dtype=np.float32)
    logits.flags.writeable = False
    with pytest.raises(TypeError, match="not writable"):
        matcher.apply(logits)


def test_rows_and_widths_are_checked(matcher: grammarc.Matcher) -> None:
    mask = np.zeros((2, columns(matcher)), dtype=np.int32)
    with pytest.raises(IndexError, match="row 2"):
        matcher.fill(mask, 2)
    with pytest.raises(ValueError, match="the logit width needs"):
        matcher.fill(np.zeros((2, columns(matcher) - 1), dtype=np.int32))
    with pytest.raises(ValueError, match="name one"):
        matcher.apply(np.zeros((2, matcher.logit_width), dtype=np.float32))
    with pytest.raises(ValueError, match="the logit width needs"):
        matcher.apply(np.zeros(matcher.logit_width + 1, dtype=np.float32))
    with pytest.raises(TypeError, match="logits are"):
        matcher.apply(np.zeros(matcher.logit_width, dtype=np.int32))
    with pytest.raises(TypeError, match="elements of format"):
        matcher.apply(np.zeros(matcher.logit_width, dtype=np.float64))


def test_bitmasks_share_their_memory() -> None:
    mask = grammarc.Bitmask(2, 70)
    assert mask.shape == (2, 3)
    array = np.asarray(mask)
    assert array.dtype == np.int32 and (array == -1).all()
    array[1, 2] = 5
    assert memoryview(mask)[1, 2] == 5
    by_dlpack = np.from_dlpack(mask)
    by_dlpack = by_dlpack if by_dlpack.flags.writeable else np.asarray(mask)
    assert by_dlpack[1, 2] == 5
    del mask
    assert array[1, 2] == 5 and array[0, 0] == -1
    with pytest.raises(ValueError, match="too large"):
        grammarc.Bitmask(2**40, 2**20)


def test_a_capsule_that_nobody_takes_is_freed() -> None:
    mask = grammarc.Bitmask(1, 32)
    for version in (None, (1, 0)):
        capsule = mask.__dlpack__(max_version=version)
        del capsule
    with pytest.raises(BufferError, match="copied"):
        mask.__dlpack__(copy=True)
    with pytest.raises(BufferError, match="processor"):
        mask.__dlpack__(dl_device=(2, 0))


def test_batches_are_their_rows(compiler: grammarc.Compiler) -> None:
    matchers = [compiler.choice([text, "no"]).matcher() for text in ("ab", "cd", "ef")]
    width = matchers[0].logit_width
    expected = np.full((5, columns(matchers[0])), 3, dtype=np.int32)
    rows = [4, 0, 2]
    for matcher, row in zip(matchers, rows):
        matcher.fill(expected, row)
    for threads in (1, 2):
        mask = np.full_like(expected, 3)
        grammarc.fill_batch(matchers, mask, rows, threads=threads)
        np.testing.assert_array_equal(mask, expected)
        logits = np.zeros((5, width), dtype=np.float32)
        grammarc.apply_batch(matchers, logits, rows, threads=threads)
        for matcher, row in zip(matchers, rows):
            one = np.zeros(width, dtype=np.float32)
            matcher.apply(one)
            np.testing.assert_array_equal(logits[row], one)
        assert (logits[1] == 0).all()


def test_batches_that_make_no_sense_are_refused(compiler: grammarc.Compiler) -> None:
    one, two = (compiler.choice(["a"]).matcher() for _ in range(2))
    mask = np.zeros((2, columns(one)), dtype=np.int32)
    with pytest.raises(ValueError, match="matcher is listed twice"):
        grammarc.fill_batch([one, two, one], np.zeros((3, columns(one)), dtype=np.int32))
    with pytest.raises(ValueError, match="row 0 is listed twice"):
        grammarc.fill_batch([one, two], mask, [0, 0])
    with pytest.raises(ValueError, match="1 rows are listed for 2"):
        grammarc.fill_batch([one, two], mask, [0])
    with pytest.raises(IndexError, match="row 2 is not among"):
        grammarc.fill_batch([one, two], mask, [0, 2])
    assert not mask.any()


@pytest.mark.parametrize("row", [-1, -(2**70), 2**70, 2])
def test_rows_that_are_not_there(compiler: grammarc.Compiler, row: int) -> None:
    matcher = compiler.choice(["a"]).matcher()
    mask = np.zeros((2, columns(matcher)), dtype=np.int32)
    logits = np.zeros((2, matcher.logit_width), dtype=np.float32)
    for write in (
        lambda: matcher.fill(mask, row),
        lambda: matcher.fill_drafts([], mask, row),
        lambda: matcher.apply(logits, row),
        lambda: grammarc.fill_batch([matcher], mask, [row]),
        lambda: grammarc.apply_batch([matcher], logits, [row]),
    ):
        with pytest.raises(IndexError, match=f"{row} is"):
            write()
    assert not mask.any() and not logits.any()


def test_torch_tensors_are_filled_in_place(matcher: grammarc.Matcher) -> None:
    torch = pytest.importorskip("torch")
    expected = np.zeros((1, columns(matcher)), dtype=np.int32)
    matcher.fill(expected)
    mask = torch.zeros((3, columns(matcher)), dtype=torch.int32)
    matcher.fill(mask, 1)
    np.testing.assert_array_equal(mask[1].numpy(), expected[0])
    assert not mask[0].any() and not mask[2].any()
    shared = torch.from_dlpack(grammarc.Bitmask(2, 64))
    assert shared.shape == (2, 2) and (shared == -1).all()
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        logits = torch.zeros((2, matcher.logit_width), dtype=dtype)
        matcher.apply(logits, 1)
        allowed = torch.isfinite(logits[1]).nonzero().flatten().tolist()
        assert allowed == matcher.allowed() and (logits[0] == 0).all()
    for wrong in (
        torch.zeros((3, columns(matcher)), dtype=torch.int64),
        torch.zeros((3, 2 * columns(matcher)), dtype=torch.int32)[:, ::2],
        torch.zeros((3, columns(matcher)), dtype=torch.int32, device="meta"),
    ):
        with pytest.raises((TypeError, BufferError, RuntimeError)):
            matcher.fill(wrong)
