"""Masks of known outputs in the loss of a trainer, with torch."""

from __future__ import annotations

from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from grammarc._replay import Replay

_BITS = 32

PART = 256
"""Rows of logits that are unpacked and weighed at a time: 128 MiB over 128,000 tokens."""


def masked_log_probs(logits: torch.Tensor, replay: Replay, *, part: int = PART) -> torch.Tensor:
    """The log-probabilities of the accepted tokens of an output, under the masks from which they were drawn.

    ``logits`` has a row for each token of the output, as the model gives it before any mask, at the temperature of the sampler. The
    result has ``replay.accepted`` numbers of ``float32``. They have a gradient: that of a forbidden logit is 0, whatever its value, and
    nothing is negative infinity on the way.

    Rows are worked through in parts, forwards and backwards, so that memory beside the logits and their gradient is that of one part.
    """
    if logits.dim() != 2 or logits.shape[0] < len(replay.tokens):
        raise ValueError(f"logits of {len(replay.tokens)} rows are needed, and not of the shape {tuple(logits.shape)}")
    if part < 1:
        raise ValueError(f"a part has at least one row, and not {part}")
    tokens = torch.tensor(replay.tokens[: replay.accepted], dtype=torch.int64, device=logits.device)
    # A copy, since the buffer of :func:`grammarc.replay_parts` is overwritten before the gradient is asked for.
    words = _words(replay.rows)[: replay.accepted].clone()
    if words.shape[1] * _BITS < logits.shape[1]:
        raise ValueError(f"masks of {words.shape[1]} words are too short for {logits.shape[1]} logits")
    found: torch.Tensor = _MaskedLogProbs.apply(logits[: replay.accepted], tokens, words, part)  # type: ignore[no-untyped-call,unused-ignore]
    return found


def _words(rows: Any) -> torch.Tensor:
    """The words of the masks, without a copy."""
    if isinstance(rows, torch.Tensor):
        return rows
    return torch.from_dlpack(rows)  # type: ignore[attr-defined,no-any-return,unused-ignore]


class _MaskedLogProbs(torch.autograd.Function):  # type: ignore[misc,unused-ignore]
    """Log-probabilities under masks. Keeps the log-sum-exp of each row, and finds the probabilities again for the gradient."""

    @staticmethod
    def forward(ctx: Any, logits: torch.Tensor, tokens: torch.Tensor, words: torch.Tensor, part: int) -> torch.Tensor:
        sums = torch.empty(len(tokens), dtype=torch.float32, device=logits.device)
        for rows in _parts(len(tokens), part):
            sums[rows] = torch.logsumexp(_allowed_logits(logits[rows], words[rows]), dim=1)
        ctx.save_for_backward(logits, tokens, words, sums)
        ctx.part = part
        chosen = logits.gather(1, tokens.unsqueeze(1)).squeeze(1).float()
        return chosen - sums

    @staticmethod
    def backward(ctx: Any, *gradients: torch.Tensor) -> tuple[torch.Tensor, None, None, None]:
        logits, tokens, words, sums = ctx.saved_tensors
        (gradient,) = gradients
        found = torch.empty_like(logits)
        for rows in _parts(len(tokens), ctx.part):
            shares = torch.exp(_allowed_logits(logits[rows], words[rows]) - sums[rows].unsqueeze(1))
            weighed = shares.mul_(-gradient[rows].unsqueeze(1))
            weighed.scatter_add_(1, tokens[rows].unsqueeze(1), gradient[rows].unsqueeze(1))
            found[rows] = weighed.to(logits.dtype)
        return found, None, None, None


def _parts(rows: int, part: int) -> list[slice]:
    return [slice(start, min(start + part, rows)) for start in range(0, rows, part)]


def _allowed_logits(logits: torch.Tensor, words: torch.Tensor) -> torch.Tensor:
    """Some rows of logits as ``float32``, with negative infinity for what is forbidden."""
    shifts = torch.arange(_BITS, dtype=torch.int32, device=logits.device)
    bits = torch.bitwise_right_shift(words.to(logits.device).unsqueeze(-1), shifts).bitwise_and_(1).bool()
    allowed = bits.flatten(1)[:, : logits.shape[1]]
    return logits.float().masked_fill(allowed.logical_not_(), float("-inf"))
