"""The loss of a trainer under masks, beside torch's own functions over whole rows of 64 bits."""

from __future__ import annotations

from typing import Any

import pytest
from letters import ENDS, GRAMMAR, WIDTH, allowed_after, walk

import grammarc

torch = pytest.importorskip("torch", reason="torch is not installed: the loss under masks is not tested")

from grammarc.torch import masked_log_probs  # noqa: E402

OPTIONS: dict[str, Any] = {"end_tokens": ENDS, "logit_width": WIDTH}


def expected(logits: Any, tokens: list[int]) -> Any:
    """The log-probabilities by definition: of the texts, and without anything of grammarc."""
    rows = []
    for at, token in enumerate(tokens):
        allowed = sorted(allowed_after(tokens[:at]))
        rows.append(logits[at, token] - torch.logsumexp(logits[at, allowed], dim=0))
    return torch.stack(rows)


@pytest.mark.parametrize("part", [1, 2, 256])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_values_and_gradients(dtype: Any, part: int) -> None:
    for seed in range(10):
        tokens = walk(seed)
        logits = (torch.randn(len(tokens) + 1, WIDTH, generator=torch.Generator().manual_seed(seed)) * 5).to(dtype)
        # What a masked loss must not see.
        for at in range(len(tokens)):
            forbidden = sorted(set(range(WIDTH)) - allowed_after(tokens[:at]))
            logits[at, forbidden[:3]] = torch.tensor([float("nan"), float("inf"), float("-inf")], dtype=dtype)
        exact = logits.double().requires_grad_()
        weights = torch.linspace(-1, 2, len(tokens))
        (expected(exact, tokens) * weights.double()).sum().backward()
        logits.requires_grad_()
        found = masked_log_probs(logits, grammarc.replay(GRAMMAR, tokens, **OPTIONS), part=part)
        assert found.dtype == torch.float32
        torch.testing.assert_close(found.double(), expected(exact, tokens).detach(), atol=1e-5, rtol=1e-5)
        (found * weights).sum().backward()
        close = {torch.float32: 1e-5, torch.float64: 1e-5, torch.float16: 2e-3, torch.bfloat16: 1e-2}[dtype]
        torch.testing.assert_close(logits.grad.double(), exact.grad, atol=close, rtol=close)
        assert torch.isfinite(logits.grad).all()


def test_parts_of_one_buffer_keep_their_gradient() -> None:
    tokens = walk(3)
    logits = torch.randn(len(tokens), WIDTH)
    whole = logits.clone().requires_grad_()
    masked_log_probs(whole, grammarc.replay(GRAMMAR, tokens, **OPTIONS)).sum().backward()
    split, at, losses = logits.clone().requires_grad_(), 0, []
    for one in grammarc.replay_parts(GRAMMAR, tokens, 2, **OPTIONS):
        losses.append(masked_log_probs(split[at : at + len(one.tokens)], one).sum())
        at += len(one.tokens)
    # The buffer holds the last part's masks now.
    torch.stack(losses).sum().backward()
    torch.testing.assert_close(split.grad, whole.grad)


def test_only_accepted_tokens_have_one() -> None:
    tokens = walk(1)
    wrong = [*tokens[:2], 9, 0]
    logits = torch.randn(4, WIDTH, requires_grad=True)
    found = masked_log_probs(logits, grammarc.replay(GRAMMAR, wrong, **OPTIONS))
    assert found.shape == (2,)
    found.sum().backward()
    assert (logits.grad[2:] == 0).all() and (logits.grad[:2] != 0).any()


def test_shapes_that_do_not_fit_are_refused() -> None:
    tokens = walk(2)
    replayed = grammarc.replay(GRAMMAR, tokens, **OPTIONS)
    with pytest.raises(ValueError, match="rows are needed"):
        masked_log_probs(torch.zeros(len(tokens) - 1, WIDTH), replayed)
    with pytest.raises(ValueError, match="rows are needed"):
        masked_log_probs(torch.zeros(WIDTH), replayed)
    with pytest.raises(ValueError, match="too short"):
        masked_log_probs(torch.zeros(len(tokens), WIDTH + 32), replayed)
    with pytest.raises(ValueError, match="at least one row"):
        masked_log_probs(torch.zeros(len(tokens), WIDTH), replayed, part=0)
