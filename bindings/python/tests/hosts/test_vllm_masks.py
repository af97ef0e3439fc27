"""vLLM's rows of bits under grammarc's kernel, on an emulated device, for both of its model runners."""

from __future__ import annotations

import contextlib
import os
import random
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="torch is not installed: vLLM's masks are not tested")

from hosts import emulated  # noqa: E402

from grammarc.hosts import _vllm_masks  # noqa: E402
from grammarc.hosts._serving import HostMismatch  # noqa: E402

WIDTH = 101
WORDS = -(-WIDTH // 32)
DTYPES = [torch.float32, torch.float16, torch.bfloat16]


def rows_of_bits(pick: random.Random, count: int) -> Any:
    generator = np.random.default_rng(pick.randrange(1 << 30))
    return generator.integers(-(2**31), 2**31, (count, WORDS), dtype=np.int32)


def allowed(row: Any) -> Any:
    return ((torch.from_numpy(row).unsqueeze(-1) >> torch.arange(32)) & 1).flatten()[:WIDTH].bool()


def step_of_v1(pick: random.Random, dtype: Any) -> tuple[tuple[Any, Any, Any, Any], Any]:
    """A step of runner V1 with drafts: its arguments, and what is allowed."""
    ids = [f"r{at}" for at in range(pick.randint(1, 7))]
    drafts = {id: [0] * pick.randint(1, 3) for id in ids if pick.random() < 0.4}
    # Some have no grammar, and one that has left the batch was sent.
    held = [*pick.sample(ids, pick.randint(0, len(ids))), "gone"]
    pick.shuffle(held)
    bits = rows_of_bits(pick, sum(1 + len(drafts.get(id, ())) for id in held))
    logits = torch.randn(sum(1 + len(drafts.get(id, ())) for id in ids), WIDTH).to(dtype)
    expected = torch.ones(logits.shape, dtype=torch.bool)
    starts, at = {}, 0
    for id in ids:
        starts[id] = at
        at += 1 + len(drafts.get(id, ()))
    row = 0
    for id in held:
        for place in range(1 + len(drafts.get(id, ()))):
            if id in starts:
                expected[starts[id] + place] = allowed(bits[row])
            row += 1
    scheduled = SimpleNamespace(scheduled_spec_decode_tokens=drafts)
    sent = SimpleNamespace(grammar_bitmask=bits, structured_output_request_ids=held)
    return (scheduled, sent, SimpleNamespace(req_ids=ids), logits), expected


def original(*arguments: Any) -> None:
    raise AssertionError("vLLM's own function was called")


@pytest.mark.parametrize("dtype", DTYPES)
def test_runner_v1(dtype: Any) -> None:
    apply, pick = _vllm_masks.of_v1(original, emulated.devices()), random.Random(1)
    for _ in range(60):
        arguments, expected = step_of_v1(pick, dtype)
        before = arguments[3].clone()
        apply(*arguments)
        assert torch.equal(arguments[3], before.masked_fill(~expected, float("-inf")))


def test_runner_v1_without_a_device_is_vllm_s() -> None:
    called = []
    apply = _vllm_masks.of_v1(lambda *given: called.append(given), _vllm_masks.Devices(SimpleNamespace()))
    arguments, _ = step_of_v1(random.Random(2), torch.float32)
    apply(*arguments)
    assert called == [arguments]


@pytest.mark.skipif(os.environ.get("GRAMMARC_VLLM_INSTALLED") != "1", reason="GRAMMARC_VLLM_INSTALLED=1 says that vLLM is")
def test_runner_v1_does_what_vllm_does() -> None:
    from vllm.v1.structured_output.utils import apply_grammar_bitmask

    ours, pick = _vllm_masks.of_v1(apply_grammar_bitmask, emulated.devices()), random.Random(3)
    for _ in range(40):
        arguments, _ = step_of_v1(pick, pick.choice(DTYPES))
        theirs = arguments[3].clone()
        apply_grammar_bitmask(*arguments[:3], theirs)
        ours(*arguments)
        assert torch.equal(arguments[3], theirs)


class Worker:
    """``StructuredOutputsWorker``, as 0.32 and 0.33 have it."""

    def __init__(self, max_num_logits: int, mask_stride: int) -> None:
        self.logits_indices = torch.zeros(max_num_logits, dtype=torch.int32)
        self.grammar_bitmask = torch.zeros((max_num_logits, WORDS), dtype=torch.int32)
        self.copy_stream = SimpleNamespace(wait_stream=lambda other: None)
        self.mask_stride = mask_stride
        self.calls = 0

    def apply_grammar_bitmask(self, logits: Any, input_batch: Any, grammar_req_ids: Any, grammar_bitmask: Any) -> None:
        self.calls += 1


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A class of workers of its own. Their streams are no streams here."""
    monkeypatch.setattr(torch.cuda, "stream", lambda stream: contextlib.nullcontext())
    monkeypatch.setattr(torch.cuda, "current_stream", lambda: SimpleNamespace(wait_stream=lambda other: None))
    return type("StructuredOutputsWorker", (Worker,), {})


@pytest.mark.parametrize("dtype", DTYPES)
def test_runner_v2(worker: Any, dtype: Any) -> None:
    monkey, pick = worker(64, 1), random.Random(4)
    _vllm_masks.replace_v2(worker, emulated.devices())
    for _ in range(60):
        ids = [f"r{at}" for at in range(pick.randint(1, 9))]
        held = pick.sample(ids, pick.randint(0, len(ids)))
        bits = rows_of_bits(pick, len(held))
        logits = torch.randn(len(ids), WIDTH).to(dtype)
        expected = logits.clone()
        for row, id in zip(bits, held, strict=True):
            expected[ids.index(id)].masked_fill_(~allowed(row), float("-inf"))
        monkey.apply_grammar_bitmask(logits, SimpleNamespace(req_ids=ids), held, bits)
        assert torch.equal(logits, expected)
    assert monkey.calls == 0


def test_runner_v2_with_drafts_is_vllm_s(worker: Any) -> None:
    _vllm_masks.replace_v2(worker, emulated.devices())
    drafting = worker(64, 4)
    logits = torch.zeros(4, WIDTH)
    drafting.apply_grammar_bitmask(logits, SimpleNamespace(req_ids=["a"]), ["a"], np.zeros((4, WORDS), dtype=np.int32))
    assert drafting.calls == 1 and torch.isfinite(logits).all()


def test_others_are_refused() -> None:
    other = type("Worker", (), {"apply_grammar_bitmask": lambda self, logits: None})
    with pytest.raises(HostMismatch, match="apply_grammar_bitmask"):
        _vllm_masks.replace_v2(other, emulated.devices())
    other = type("Worker", (Worker,), {"__init__": lambda self: None})
    with pytest.raises(HostMismatch, match="logits_indices"):
        _vllm_masks.replace_v2(other, emulated.devices())


def test_functions_are_put_where_they_are_looked_up(monkeypatch: pytest.MonkeyPatch, worker: Any) -> None:
    def apply_grammar_bitmask(scheduler_output: Any, grammar_output: Any, input_batch: Any, logits: Any) -> None: ...

    utils = SimpleNamespace(apply_grammar_bitmask=apply_grammar_bitmask)
    runner = SimpleNamespace(apply_grammar_bitmask=apply_grammar_bitmask)
    for name in ("vllm", "vllm.v1", "vllm.v1.structured_output", "vllm.v1.worker", "vllm.v1.worker.gpu"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, _vllm_masks.UTILS, utils)
    monkeypatch.setitem(sys.modules, _vllm_masks.RUNNER, runner)
    monkeypatch.setitem(sys.modules, _vllm_masks.WORKER, SimpleNamespace(StructuredOutputsWorker=worker))
    before = worker.apply_grammar_bitmask
    _vllm_masks.install(emulated.devices())
    assert utils.apply_grammar_bitmask is runner.apply_grammar_bitmask is not apply_grammar_bitmask
    assert worker.apply_grammar_bitmask is not before
    # Without runner V2 there is nothing of it to replace.
    monkeypatch.delitem(sys.modules, _vllm_masks.WORKER)
    utils.apply_grammar_bitmask = apply_grammar_bitmask
    monkeypatch.delitem(sys.modules, _vllm_masks.RUNNER)
    _vllm_masks.install(emulated.devices())
    assert utils.apply_grammar_bitmask is not apply_grammar_bitmask
    monkeypatch.setattr(utils, "apply_grammar_bitmask", lambda logits: None)
    with pytest.raises(HostMismatch):
        _vllm_masks.install(emulated.devices())
