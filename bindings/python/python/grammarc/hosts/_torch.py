"""Masks over tensors of torch.

Rows on the processor, of ``float32``, ``float16`` or ``bfloat16``, are written by grammarc itself. For any other, the masks go
to its device as words of 32 tokens, an eighth of what they would be as booleans, and become booleans there.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterable, Sequence

import torch  # type: ignore[import-not-found,unused-ignore]

from grammarc._native import Matcher, apply_batch, fill_batch
from grammarc.hosts._sequences import nothing_left

_BITS = 32
_WRITTEN = (torch.float32, torch.float16, torch.bfloat16)


def apply(
    logits: torch.Tensor,
    matchers: Sequence[Matcher],
    rows: Sequence[int],
    *,
    closed: Collection[int] = (),
    also: Iterable[tuple[int, int]] = (),
) -> None:
    """Sets the logits that the matchers forbid to negative infinity, in the rows that are listed for them, in place.

    ``logits`` has two dimensions. In the rows ``closed`` everything is forbidden; ``also`` are logits that stay whatever
    forbids them, by row and token.
    """
    matchers = _distinct(matchers)
    if logits.device.type == "cpu" and logits.dtype in _WRITTEN and logits.is_contiguous():
        kept = [(row, token, logits[row, token].clone()) for row, token in also]
        if matchers:
            apply_batch(matchers, logits.detach(), list(rows))
        for row in closed:
            logits[row] = float("-inf")
        for row, token, logit in kept:
            logits[row, token] = logit
        return
    apply_words(logits, words(logits.shape, matchers, rows, closed=closed, also=also))


def expect_choice(logits: torch.Tensor, rows: Sequence[int], beams: int = 1) -> None:
    """Raises :class:`grammarc.GrammarcError` if a prompt has no finite masked logit in any of its rows. Only rows in ``rows`` count;
    ``beams`` successive rows belong to one prompt."""
    best = logits.amax(dim=1).tolist()
    for _, group in itertools.groupby(rows, key=lambda row: row // beams):
        prompt = list(group)
        if all(best[row] == -torch.inf for row in prompt):
            raise nothing_left(prompt[0])


def masses(before: torch.Tensor, after: torch.Tensor, rows: Sequence[int]) -> list[float]:
    """The probability of all allowed tokens together, for each of some rows of logits before their mask and after it. O(logits)."""
    if not rows:
        return []
    # Over 64 bits, as Rust sums them.
    sums = [torch.logsumexp(logits[list(rows)].double(), dim=1) for logits in (before, after)]
    found: list[float] = torch.exp(sums[1] - sums[0]).nan_to_num(0.0).clamp(max=1.0).tolist()
    return found


def words(
    shape: tuple[int, ...],
    matchers: Sequence[Matcher],
    rows: Sequence[int],
    *,
    closed: Collection[int] = (),
    also: Iterable[tuple[int, int]] = (),
) -> torch.Tensor:
    """The masks of all rows of logits of this shape as ``int32`` on the processor: bit ``t % 32`` of word ``t // 32`` is set
    where token ``t`` is allowed. Rows that are not listed are allowed whole."""
    count, width = shape
    masks = torch.full((count, -(-width // _BITS)), -1, dtype=torch.int32)
    if matchers:
        fill_batch(_distinct(matchers), masks, list(rows))
    for row in closed:
        masks[row] = 0
    for row, token in also:
        masks[row, token // _BITS] |= _bit(token % _BITS)
    return masks


def apply_words(logits: torch.Tensor, masks: torch.Tensor) -> None:
    """Sets the logits whose bit is not set to negative infinity, in place, on the device of the logits."""
    masks = masks.to(logits.device)
    shifts = torch.arange(_BITS, dtype=torch.int32, device=logits.device)
    allowed = torch.bitwise_right_shift(masks.unsqueeze(-1), shifts).bitwise_and_(1).bool()
    allowed = allowed.flatten(1)[:, : logits.shape[1]]
    logits.masked_fill_(allowed.logical_not_(), float("-inf"))


def _bit(index: int) -> int:
    """A bit of a word, as the signed number that torch has for it."""
    return 1 << index if index < _BITS - 1 else -(1 << index)


def _distinct(matchers: Sequence[Matcher]) -> list[Matcher]:
    """The same positions, none of them twice: a batch takes each matcher once."""
    seen: set[int] = set()
    listed = []
    for matcher in matchers:
        if id(matcher) in seen:
            matcher = matcher.fork()
        seen.add(id(matcher))
        listed.append(matcher)
    return listed
