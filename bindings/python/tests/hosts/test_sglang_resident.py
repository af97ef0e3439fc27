"""SGLang's masks by number, on an emulated device: what a step is allowed, and when it is rows of bits after all."""

from __future__ import annotations

import logging
import os
import random
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import contract
import pytest
from hosts import sglang_modules

torch = pytest.importorskip("torch", reason="torch is not installed: masks by number are not tested")

from hosts import emulated  # noqa: E402

from grammarc import DeviceError  # noqa: E402
from grammarc.hosts import sglang  # noqa: E402
from grammarc.hosts._devices import Devices  # noqa: E402
from grammarc.hosts._sglang_masks import Mask, Numbers  # noqa: E402

PATTERNS = ("a", "bc", "[a-f]+x", "(ab|c){2,5}", '"[^"]{0,8}"')


@pytest.fixture(params=sglang_modules.each())
def base(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    if request.param == "stubs":
        monkeypatch.setitem(sys.modules, "sglang", ModuleType("sglang"))
        common = SimpleNamespace(is_pin_memory_available=lambda: False)
        monkeypatch.setitem(sys.modules, "sglang.srt.utils.common", common)
    return sglang_modules.each()[request.param]


def backend(base: Any, devices: Devices) -> Any:
    return sglang.backend_class(base)(contract.Tokenizer(), contract.WIDTH, set(contract.ENDS), devices=devices)


def filled(base: Any, grammars: list[Any]) -> tuple[Any, Any]:
    """The mask of a batch, as ``SamplingBatchInfo.update_regex_vocab_mask`` has it made."""
    first = next(grammar for grammar in grammars if grammar)
    mask = first.allocate_vocab_mask(vocab_size=contract.WIDTH, batch_size=len(grammars), device="cpu")
    entries = [
        base.GrammarRow(row=row, grammar=grammar)
        for row, grammar in enumerate(grammars)
        if grammar and not grammar.finished and not grammar.is_terminated()
    ]
    first.fill_vocab_mask_batched(entries, mask)
    return first, first.move_vocab_mask(mask, "cpu")


def applied(base: Any, grammars: list[Any], dtype: Any = torch.float32) -> tuple[Any, Any]:
    """Logits of zeros under the mask of a batch, and the mask."""
    first, mask = filled(base, grammars)
    logits = torch.zeros(len(grammars), contract.WIDTH, dtype=dtype)
    first.apply_vocab_mask(logits=logits, vocab_mask=mask)
    return logits, mask


def expected(grammars: list[Any]) -> Any:
    """The same by the matchers themselves."""
    rows = contract.rows(len(grammars))
    for row, grammar in enumerate(grammars):
        if grammar and not grammar.finished and not grammar.is_terminated():
            grammar._matcher.fill(rows, row)
    bits = (torch.from_numpy(rows).unsqueeze(-1) >> torch.arange(32)) & 1
    return bits.flatten(1)[:, : contract.WIDTH].bool()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_batches_walk_to_their_ends(base: Any, dtype: Any) -> None:
    made, pick = backend(base, emulated.devices()), random.Random(5)
    grammars: list[Any] = [made.dispatch_regex(pattern) for pattern in PATTERNS * 3] + [None]
    pick.shuffle(grammars)
    steps = 0
    while not all(grammar is None or grammar.is_terminated() for grammar in grammars):
        logits, mask = applied(base, grammars, dtype)
        assert isinstance(mask, Numbers) and mask.numbers.element_size() * mask.numbers.numel() == 4 * len(grammars)
        allowed = torch.isfinite(logits)
        assert torch.equal(allowed, expected(grammars))
        for row, grammar in enumerate(grammars):
            if grammar and not grammar.is_terminated():
                grammar.accept_token(pick.choice(allowed[row].nonzero().flatten().tolist()))
        steps += 1
    assert steps > 3


def test_rows_are_given_up_for_new_ones(base: Any) -> None:
    """More different rows than the table has come and go, and each step's are right."""
    made = backend(base, emulated.devices())
    grammar = made.dispatch_regex("(a[b-d]{1,40}){1,40}")
    seen = set()
    for token in contract.spelled("abcdabbbcdabcdcdcd" * 5):
        logits, mask = applied(base, [grammar])
        seen.add(mask.numbers.item())
        assert torch.equal(torch.isfinite(logits), expected([grammar]))
        grammar.accept_token(token)
    assert 2 <= len(seen) < 40, "what is allowed repeats, and so do its numbers"


def test_a_grammar_is_copied_to_the_device_once(base: Any) -> None:
    devices = emulated.devices()
    made = backend(base, devices)
    grammar = made.dispatch_regex("[a-f]+x")
    applied(base, [grammar])
    used = devices.at(torch.device("cpu")).used
    applied(base, [grammar.copy() for _ in range(9)])
    assert devices.at(torch.device("cpu")).used == used > 0


def test_batches_with_another_engine_are_rows_of_bits(base: Any) -> None:
    made = backend(base, emulated.devices())
    grammars = [made.dispatch_regex(pattern) for pattern in PATTERNS]
    other = SimpleNamespace(
        finished=False,
        is_terminated=lambda: False,
        fill_vocab_mask=lambda mask, row: mask[row].copy_(torch.full_like(mask[row], 7)),
    )
    logits, mask = applied(base, [*grammars, other])
    assert torch.is_tensor(mask) and mask.dtype == torch.int32
    assert torch.equal(torch.isfinite(logits)[:-1], expected(grammars))
    assert (mask[-1] == 7).all()


def test_filters_of_tokens_are_rows_of_bits(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def filters(mask: Any, ids: list[int], row: int, is_allowed: bool, reset_vocab_mask: bool) -> None:
        assert torch.is_tensor(mask)
        if reset_vocab_mask:
            mask[row] = 0 if is_allowed else -1
        for id in ids:
            bit = 1 << id % 32
            mask[row, id // 32] = mask[row, id // 32] | bit if is_allowed else mask[row, id // 32] & ~bit

    path = "sglang.srt.constrained.torch_ops.token_filter_torch_ops"
    if not hasattr(sys.modules.get("sglang"), "__path__"):
        monkeypatch.setitem(sys.modules, path, SimpleNamespace(set_token_filter_torch=filters))
    made = backend(base, emulated.devices())
    first, second = made.dispatch_regex("a"), made.dispatch_regex("bc")
    mask = made.allocate_vocab_mask(contract.WIDTH, 3, "cpu")
    assert isinstance(mask, Mask)
    first.fill_vocab_mask(mask, 0)
    made.set_token_filter(mask, [3, 9], 1, is_allowed=False)
    second.fill_vocab_mask(mask, 2)
    assert int(mask[0, 3]) == int(mask.as_bits()[0, 3])
    mask = made.move_vocab_mask(mask, "cpu")
    logits = torch.zeros(3, contract.WIDTH)
    made.apply_vocab_mask(logits, mask)
    allowed = torch.isfinite(logits)
    assert torch.equal(allowed[[0, 2]], expected([first, second]))
    assert set((~allowed[1]).nonzero().flatten().tolist()) == {3, 9}


def test_a_mask_is_used_again(base: Any) -> None:
    made = backend(base, emulated.devices())
    grammar = made.dispatch_regex("a")
    mask = made.allocate_vocab_mask(contract.WIDTH, 2, "cpu")
    grammar.fill_vocab_mask(mask, 0)
    grammar.reset_vocab_mask(mask)
    logits = torch.zeros(2, contract.WIDTH)
    made.apply_vocab_mask(logits, made.move_vocab_mask(mask, "cpu"))
    assert torch.isfinite(logits).all()


def test_tables_that_do_not_fit_are_rows_of_bits(base: Any, caplog: pytest.LogCaptureFixture) -> None:
    made = backend(base, emulated.devices(1))
    grammar = made.dispatch_regex("[a-f]+x")
    with caplog.at_level(logging.WARNING, "sglang.grammarc"):
        applied(base, [grammar])
        logits, mask = applied(base, [grammar])
    assert torch.is_tensor(mask) and caplog.text.count("the pool would take") == 1
    assert torch.equal(torch.isfinite(logits), expected([grammar]))


def test_a_device_that_does_not_open_changes_nothing(base: Any, caplog: pytest.LogCaptureFixture) -> None:
    def opens(ordinal: int) -> Any:
        raise DeviceError("no CUDA driver was found")

    logger = logging.getLogger("sglang.grammarc")
    made = backend(base, Devices(logger, opens, ("cpu",)))
    grammar = made.dispatch_regex("[a-f]+x")
    with caplog.at_level(logging.INFO, logger.name):
        for _ in range(3):
            logits, mask = applied(base, [grammar])
            assert torch.is_tensor(mask) and torch.equal(torch.isfinite(logits), expected([grammar]))
    assert caplog.text.count("no CUDA driver was found") == 1


def test_devices_are_left_to_the_host_on_request(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAMMARC_GPU", "0")
    made = backend(base, emulated.devices())
    assert torch.is_tensor(made.allocate_vocab_mask(contract.WIDTH, 1, "cpu"))


def test_models_that_reason_share_bits_with_xgrammar(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their wrapper has each request fill its row, XGrammar's too."""
    theirs = SimpleNamespace(dispatch_structural_tag=lambda key: "tag")
    module = SimpleNamespace(XGrammarGrammarBackend=lambda *given, **options: theirs)
    monkeypatch.setitem(sys.modules, "sglang.srt.constrained.xgrammar_backend", module)
    for shares, kind in ((False, Mask), (True, torch.Tensor)):
        made = backend(base, emulated.devices())
        made.shares_masks = shares
        assert isinstance(made.allocate_vocab_mask(contract.WIDTH, 1, "cpu"), Mask)
        assert made._delegate("{}", "") == "tag"
        assert isinstance(made.allocate_vocab_mask(contract.WIDTH, 1, "cpu"), kind)


def test_trees_of_drafts_are_rows_of_bits(base: Any) -> None:
    """SGLang allocates for them on the processor, and reads bits from what it has filled while positions go on."""

    def opens(ordinal: int) -> Any:
        raise AssertionError("no device was asked for")

    made = backend(base, Devices(logging.getLogger("none"), opens))
    grammar = made.dispatch_regex("ab")
    mask = grammar.allocate_vocab_mask(vocab_size=contract.WIDTH, batch_size=2, device="cpu")
    assert torch.is_tensor(mask)
    (token,) = contract.spelled("a")
    grammar.fill_vocab_mask(mask[0:2], 0)
    assert int(mask[0][token // 32]) >> token % 32 & 1
    grammar.accept_token(token)
    grammar.fill_vocab_mask(mask[0:2], 1)
    grammar.rollback(1)
    assert not torch.equal(mask[0], mask[1])


@pytest.mark.skipif(os.environ.get("GRAMMARC_SGLANG") != "1", reason="GRAMMARC_SGLANG=1 says that SGLang is installed")
def test_sglang_itself_makes_and_applies_masks() -> None:
    """Its batches, with requests that think before their grammars begin, with tokens that they may not think and a bound."""
    from sglang.srt.constrained.reasoner_grammar_backend import ReasonerGrammarObject
    from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo

    base, (thought,) = sglang_modules.each()["itself"], contract.spelled("|")
    made, pick = backend(base, emulated.devices()), random.Random(8)

    def wrapped(pattern: str, excluded: list[int] | None, most: int = -1) -> Any:
        grammar = ReasonerGrammarObject(
            grammar=made.dispatch_regex(pattern),
            think_end_ids=[thought],
            think_excluded_token_ids=excluded,
            max_think_tokens=most,
            enable_token_filter=excluded is not None,
            token_filter_fn=made.set_token_filter if excluded is not None else None,
            allocate_vocab_mask_fn=made.allocate_vocab_mask,
            move_vocab_mask_fn=made.move_vocab_mask,
            apply_vocab_mask_fn=made.apply_vocab_mask,
        )
        grammar.maybe_init_reasoning(True)
        return grammar

    kinds = set()
    for excluded in (None, [3, 9]):
        grammars = [wrapped(pattern, excluded, 4) for pattern in PATTERNS] + [None]
        while not all(grammar is None or grammar.is_terminated() for grammar in grammars):
            info = SimpleNamespace(
                grammars=grammars, temperatures=torch.ones(len(grammars)), vocab_size=contract.WIDTH, device="cpu"
            )
            SamplingBatchInfo.update_regex_vocab_mask(info)
            kinds.add(type(info.grammar_mask.vocab_mask))
            logits = torch.zeros(len(grammars), contract.WIDTH)
            info.grammar_mask.apply(logits)
            allowed = torch.isfinite(logits)
            assert allowed[-1].all()
            for row, grammar in enumerate(grammars):
                if grammar is None or grammar.is_terminated():
                    continue
                want = torch.ones(contract.WIDTH, dtype=torch.bool)
                if grammar._is_generation():
                    want = expected([grammar.grammar])[0]
                elif excluded is not None and grammar._can_think_more():
                    want[excluded] = False
                elif excluded is not None:
                    want[:] = False
                    want[thought] = True
                assert torch.equal(allowed[row], want)
                choice = pick.choice(allowed[row].nonzero().flatten().tolist())
                grammar.accept_token(thought if not grammar._is_generation() and pick.random() < 0.3 else choice)
    assert kinds == {Numbers, torch.Tensor}
