"""vLLM's model runner V2 with masks and positions on an emulated device: its calls, as its runner makes them."""

from __future__ import annotations

import importlib
import json
import logging
import random
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import contract
import pytest
from hosts import vllm_modules

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch", reason="torch is not installed: vLLM's processors are not tested")

from hosts import emulated  # noqa: E402

from grammarc import DeviceError  # noqa: E402
from grammarc.hosts._serving import Checker, HostMismatch, Server  # noqa: E402

PROCESSORS = vllm_modules.processors()
PATH = "vllm.v1.worker.gpu.sample.logits_processor"
SLOTS = 6
LENGTH = 200


def imported(interface: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The plug-in's module over a module of vLLM."""
    parts = PATH.split(".")
    for end in range(1, len(parts)):
        monkeypatch.setitem(sys.modules, ".".join(parts[:end]), ModuleType(".".join(parts[:end])))
    monkeypatch.setitem(sys.modules, PATH, interface)
    monkeypatch.delitem(sys.modules, "grammarc.hosts.vllm_resident", raising=False)
    module = importlib.import_module("grammarc.hosts.vllm_resident")
    monkeypatch.delitem(sys.modules, "grammarc.hosts.vllm_resident")
    return module


@pytest.fixture(params=PROCESSORS)
def interface(request: pytest.FixtureRequest) -> Any:
    return PROCESSORS[request.param]


@pytest.fixture
def module(interface: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    found = imported(interface, monkeypatch)
    monkeypatch.setattr(found.GrammarLogitsProcessor, "_tokenizer", staticmethod(lambda config: contract.Tokenizer()))
    monkeypatch.setattr(found.GrammarLogitsProcessor, "_open", staticmethod(lambda device, settings: emulated.device()))
    return found


def asking(source: Any = None, **more: Any) -> Any:
    extra = None if source is None else {"grammarc": source}
    options: dict[str, Any] = {"extra_args": extra, "structured_outputs": None, "all_stop_token_ids": set(contract.ENDS)}
    return SimpleNamespace(**{**options, **more})


class Buffer:
    """A tensor of the runner's, on host and device."""

    def __init__(self, *shape: int) -> None:
        self.gpu = torch.zeros(shape, dtype=torch.int32)
        self.np = self.gpu.numpy()


class Runner:
    """What model runner V2 does with a processor: slots, steps, prefills in parts, tokens that it appends on the device."""

    def __init__(self, module: Any, interface: Any, config: Any = None) -> None:
        self.context = interface.LogitsContext
        self.states = SimpleNamespace(
            device=torch.device("cpu"),
            max_num_reqs=SLOTS,
            vocab_size=contract.WIDTH,
            all_token_ids=Buffer(SLOTS, LENGTH),
            prompt_len=Buffer(SLOTS),
            prefill_len=Buffer(SLOTS),
            total_len=Buffer(SLOTS),
        )
        self.processor = module.GrammarLogitsProcessor(config or vllm_modules.config(), self.states)
        self.free = list(range(SLOTS))
        self.computed: dict[int, int] = {}
        self.takes_part: dict[int, bool] = {}

    def add(self, params: Any, prompt: list[int], output: list[int] = []) -> int:  # noqa: B006
        slot = self.free.pop()
        tokens = prompt + output
        self.states.prompt_len.np[slot] = len(prompt)
        self.states.prefill_len.np[slot] = len(tokens)
        self.states.total_len.np[slot] = len(tokens)
        self.states.all_token_ids.np[slot] = 0
        self.states.all_token_ids.np[slot, : len(tokens)] = tokens
        self.computed[slot] = 0
        self.takes_part[slot] = self.processor.add_request(slot, params)
        return slot

    def remove(self, slot: int) -> None:
        self.free.append(slot)
        del self.computed[slot]

    def step(self, slots: list[int], parts: dict[int, int] | None = None, calls: int = 1) -> dict[int, Any]:
        """Logits of the slots, of zeros, after the processor: ``parts`` are tokens of a prefill that is done in parts."""
        self.processor.apply_staged_writes()
        inputs, positions = [], []
        for slot in slots:
            total = int(self.states.total_len.np[slot])
            self.computed[slot] += (parts or {}).get(slot, total - self.computed[slot])
            positions.append(self.computed[slot] - 1)
            inputs.append(int(self.states.all_token_ids.np[slot, positions[-1]]))
        mapping = np.array(slots, dtype=np.int32)
        context = self.context(
            expanded_idx_mapping=torch.from_numpy(mapping),
            idx_mapping=torch.from_numpy(mapping),
            idx_mapping_np=mapping,
            expanded_local_pos=torch.zeros(len(slots), dtype=torch.int32),
            input_ids=torch.tensor(inputs, dtype=torch.int32),
            pos=torch.tensor(positions, dtype=torch.int64),
            seq_lens_upper_bound_np=np.array(positions) + 1,
        )
        for _ in range(calls):
            logits = self.processor.apply(torch.zeros(len(slots), contract.WIDTH), context)
        return dict(zip(slots, torch.isfinite(logits), strict=True))

    def append(self, slot: int, token: int) -> None:
        length = int(self.states.total_len.np[slot])
        self.states.all_token_ids.np[slot, length] = token
        self.states.total_len.np[slot] = length + 1


def expected(matcher: Any) -> Any:
    rows = contract.rows(1)
    matcher.fill(rows, 0)
    return ((torch.from_numpy(rows).unsqueeze(-1) >> torch.arange(32)) & 1).flatten(1)[0, : contract.WIDTH].bool()


SOURCES: list[tuple[Any, tuple[str, str]]] = [
    ({"regex": "[a-f]{1,9}x"}, ("regex", "[a-f]{1,9}x")),
    (json.dumps({"choice": ["abc", "abd", "x"]}), ("choice", "")),
    ({"grammar": 'root ::= "(" root ")" | "x"'}, ("gbnf", 'root ::= "(" root ")" | "x"')),
    # Two readings of a text, which the device leaves to the host.
    ({"grammar": 'root ::= x "cc" | y "cb"\nx ::= "a" x | "a"\ny ::= "a" y | "a"'}, ("gbnf", "")),
    (json.dumps({"json": {"type": "array", "items": {"enum": [1, 2]}, "maxItems": 4}}), ("json", "")),
]


def matcher_of(runner: Runner, module: Any, params: Any) -> Any:
    """Where a request begins, by the runtime alone."""
    source = module.source_of(params)
    grammar = runner.processor._compile(source)
    return grammar.matcher(end_tokens=sorted(contract.ENDS), logit_width=contract.WIDTH)


@pytest.mark.parametrize("seed", range(4))
def test_requests_come_and_go(module: Any, interface: Any, seed: int, caplog: pytest.LogCaptureFixture) -> None:
    """Random batches: free requests among others, prefills in parts, calls twice, preemptions that resume in another slot."""
    pick, runner = random.Random(seed), Runner(module, interface)
    live: dict[int, tuple[Any, Any, list[int], list[int]]] = {}
    steps = resumed = ended = 0
    while ended < 12:
        while runner.free and pick.random() < 0.6:
            source = pick.choice([*(source for source, _ in SOURCES), None])
            params = asking(source)
            prompt = [pick.randrange(256) for _ in range(pick.randint(1, 6))]
            slot = runner.add(params, prompt)
            assert runner.takes_part[slot] == (source is not None)
            live[slot] = params, None if source is None else matcher_of(runner, module, params), prompt, []
        if not live:
            continue
        chosen = pick.sample(sorted(live), pick.randint(1, len(live)))
        parts = {
            slot: 1
            for slot in chosen
            if runner.computed[slot] + 1 < runner.states.prefill_len.np[slot] and pick.random() < 0.5
        }
        seen = runner.step(chosen, parts, calls=pick.choice([1, 1, 2]))
        steps += 1
        for slot in chosen:
            params, matcher, prompt, output = live[slot]
            if slot in parts:
                continue
            allowed = torch.ones(contract.WIDTH, dtype=torch.bool) if matcher is None else expected(matcher)
            assert torch.equal(seen[slot], allowed), (params.extra_args, output)
            token = pick.choice(allowed.nonzero().flatten().tolist())
            runner.append(slot, token)
            output.append(token)
            if matcher is not None:
                matcher.accept(token)
            if token in contract.ENDS or len(output) > 90:
                runner.remove(slot)
                del live[slot]
                ended += 1
            elif pick.random() < 0.08:
                runner.remove(slot)
                again = runner.add(params, prompt, output)
                live[again] = live.pop(slot)
                resumed += 1
    assert steps > 10 and resumed > 0
    assert not caplog.records, "no token was refused"


def test_only_what_was_left_to_the_host_is_read_back(module: Any, interface: Any) -> None:
    runner = Runner(module, interface)
    for source, needs in ((SOURCES[0][0], False), (SOURCES[3][0], True)):
        slot = runner.add(asking(source), [5])
        for token in contract.spelled("aaaa"):
            runner.step([slot])
            runner.append(slot, token)
        runner.step([slot])
        assert bool(runner.processor._taken[slot]) == needs


def test_artifacts_by_digest(module: Any, interface: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    built = Server(contract.Tokenizer(), contract.WIDTH).compile("regex", "ab?")
    built.save(tmp_path / "a.gmask")
    monkeypatch.setenv("GRAMMARC_CACHE", str(tmp_path))
    monkeypatch.setattr(module, "_checker", Checker())
    asked = asking({"artifact": built.digest.hex()})
    module.GrammarLogitsProcessor.validate_params(asked)
    for bad in ({"artifact": "00" * 32}, {"artifact": "xyz"}, {"artifact": 7}, {"artifact": built.digest.hex(), "regex": "a"}):
        with pytest.raises(ValueError):
            module.GrammarLogitsProcessor.validate_params(asking(bad))
    processor = Runner(module, interface).processor
    before = processor._server.stats()["compiled"]
    start, _ = processor._start(module.source_of(asked), tuple(sorted(contract.ENDS)))
    assert start.allowed() == [contract.TOKENS.index(b"a")]
    assert processor._server.stats()["compiled"] == before


def test_requests_are_checked(module: Any) -> None:
    check = module.GrammarLogitsProcessor.validate_params
    for good in (None, *(source for source, _ in SOURCES), {"structural_tag": {"type": "structural_tag", "format": {"type": "any_text"}}}):
        check(asking(good))
    for bad, text in (
        ({"json": {"$ref": "#/nope"}}, "#/nope"),
        ({"regex": "("}, "grammarc"),
        ("{", "not the text"),
        (5, "an object"),
        ({}, "one of"),
        ({"regex": "a", "choice": ["b"]}, "one of"),
        ({"shape": 1}, "one of|not supported"),
    ):
        with pytest.raises(ValueError, match=text):
            check(asking(bad))
    with pytest.raises(ValueError, match="exclude each other"):
        check(asking({"regex": "a"}, structured_outputs=object()))


def test_a_grammar_that_is_refused_answers_with_nothing(
    module: Any, interface: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("GRAMMARC_COMPILE_SECONDS", "1e-9")
    runner = Runner(module, interface)
    with caplog.at_level(logging.ERROR, "vllm.grammarc"):
        slot = runner.add(asking({"regex": "[a-z]{1,40}"}), [5])
    assert "has no grammar" in caplog.text
    assert set(runner.step([slot])[slot].nonzero().flatten().tolist()) == set(contract.ENDS)


def test_grammars_make_room_for_others(
    module: Any, interface: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    opened = emulated.device()
    monkeypatch.setattr(module.GrammarLogitsProcessor, "_open", staticmethod(lambda device, settings: opened))
    runner = Runner(module, interface)

    def takes(text: str) -> set[int]:
        slot = runner.add(asking({"choice": [text]}), [5])
        allowed = set(runner.step([slot])[slot].nonzero().flatten().tolist())
        runner.remove(slot)
        return allowed

    assert takes("abc") & set(contract.spelled("abc"))
    uploads, refused = opened.upload, []

    def upload(matcher: Any) -> Any:
        if runner.processor._grammars:
            refused.append(matcher)
            raise DeviceError("the pool would take more")
        return uploads(matcher)

    monkeypatch.setattr(type(opened), "upload", lambda self, matcher: upload(matcher))
    assert takes("def") & set(contract.spelled("def")) and refused
    assert len(runner.processor._grammars) == 1
    # Where nothing can make room, the answer is empty.
    monkeypatch.setattr(runner.processor, "_compile", lambda source: (_ for _ in ()).throw(DeviceError("too large")))
    assert takes("ghi") == set(contract.ENDS) and "too large" in caplog.text


def test_several_ranks_compile_nothing(module: Any, interface: Any) -> None:
    config = vllm_modules.config()
    config.parallel_config.world_size = 2
    runner = Runner(module, interface, config)
    slot = runner.add(asking({"regex": "[a-z]{1,40}"}), [5])
    assert set(runner.step([slot])[slot].nonzero().flatten().tolist()) == set(contract.ENDS)


def test_drafts_are_refused(module: Any, interface: Any) -> None:
    config = vllm_modules.config()
    config.speculative_config = object()
    with pytest.raises(ValueError, match="GRAMMARC_VLLM=1"):
        Runner(module, interface, config)


def test_another_interface_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    stubs = vllm_modules.processor_stubs()
    stubs.LogitsProcessor.apply = lambda self, logits: logits
    with pytest.raises(HostMismatch, match="apply"):
        imported(stubs, monkeypatch)
    with pytest.raises(HostMismatch, match="no logits processors"):
        imported(SimpleNamespace(), monkeypatch)
