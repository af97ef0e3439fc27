"""Continuous batching of transformers: every request is held to its own texts, whatever shares its batches.

Outputs are read by the texts, not by a matcher. The model is tiny and its choices mean nothing.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from letters import COMPILER, ENDS, GRAMMAR, TEXTS, WIDTH, allowed_after, walk

import grammarc

torch = pytest.importorskip("torch", reason="torch is not installed: its processors are not tested")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: its processors are not tested")
batching = pytest.importorskip(
    "transformers.generation.continuous_batching.cb_logits_processors", reason="transformers has no processors of continuous batching"
)

from tiny import tiny  # noqa: E402

from grammarc.hosts import transformers_continuous  # noqa: E402
from grammarc.hosts._serving import HostMismatch  # noqa: E402
from grammarc.hosts.transformers_continuous import GrammarContinuousProcessor  # noqa: E402

OTHER = ["cab", "cb"]
GRAMMARS = {"texts": GRAMMAR, "other": COMPILER.choice(OTHER)}


def is_whole(tokens: list[int], texts: list[str]) -> bool:
    """Whether tokens are one of the texts with an end token behind it."""
    return all(token in allowed_after(tokens[:at], texts) for at, token in enumerate(tokens)) and tokens[-1] in ENDS


class Managed:
    """A manager of a tiny model with a processor."""

    def __init__(self, **options: Any) -> None:
        model = tiny()
        model.set_attn_implementation("sdpa")
        config = {"use_async_batching": False, "num_blocks": 64, "max_batch_tokens": 32, **options.pop("config", {})}
        self.held = GrammarContinuousProcessor(GRAMMARS, model)
        self.manager = model.init_continuous_batching(
            generation_config=transformers.GenerationConfig(eos_token_id=list(ENDS), max_new_tokens=16, **options),
            continuous_batching_config=transformers.ContinuousBatchingConfig(**config),
        )

    def run(self, requests: list[dict[str, Any]]) -> dict[str, Any]:
        """The outputs of requests, by their ids."""
        self.held.install(self.manager)
        for at, request in enumerate(requests):
            self.manager.add_request([30 + at % 3, 31], request_id=f"r{at}", **request)
        self.manager.start()
        children = self.manager.num_return_sequences
        outputs: dict[str, Any] = {}
        try:
            while len(outputs) < len(requests) * children:
                output = self.manager.get_result(timeout=60)
                assert output is not None, "the manager has stopped"
                assert output.error is None, output.error
                if output.is_finished():
                    outputs[output.request_id] = output
        finally:
            self.manager.stop(block=True)
        return outputs


SAMPLED: dict[str, Any] = {"do_sample": True, "temperature": 3.0, "top_k": 2}


@pytest.mark.parametrize("options", [{}, SAMPLED, {**SAMPLED, "num_return_sequences": 3}], ids=["greedy", "sampled", "forks"])
def test_requests_keep_to_their_grammars(options: dict[str, Any]) -> None:
    names = ["texts", "other", None] * 5
    outputs = Managed(**options).run([{} if name is None else {"grammar": name} for name in names])
    assert len(outputs) == len(names) * options.get("num_return_sequences", 1)
    free = 0
    for id, output in outputs.items():
        name = names[int(id.partition("__")[0][1:])]
        if name is None:
            free += not is_whole(output.generated_tokens, TEXTS)
        else:
            assert is_whole(output.generated_tokens, {"texts": TEXTS, "other": OTHER}[name]), (id, output.generated_tokens)
    assert free, "requests without a grammar are free"


def test_requests_that_begin_again_go_on() -> None:
    """A cache that is too small for all: requests are moved out of it and begin anew behind their own tokens."""
    managed = Managed(**SAMPLED, config={"num_blocks": 4, "page_size": 4, "max_batch_tokens": 8})
    again: set[str] = set()
    prepare = managed.held.prepare_tensor_args

    def watched(requests: Any) -> Any:
        again.update(request.state.request_id for request in requests if request.state._true_initial_tokens)
        return prepare(requests)

    managed.held.prepare_tensor_args = watched
    outputs = managed.run([{"grammar": "texts"}] * 12)
    assert again, "no request began again"
    assert all(is_whole(output.generated_tokens, TEXTS) for output in outputs.values())


def test_names_are_checked_when_a_request_is_added() -> None:
    managed = Managed()
    managed.held.install(managed.manager)
    with pytest.raises(ValueError, match="there is no grammar 'nope'; there are: other, texts"):
        managed.manager.add_request([30], grammar="nope")
    managed.held.add("nope", GRAMMAR)
    assert managed.manager.add_request([30], grammar="nope") is not None
    managed.held.remove("nope")
    with pytest.raises(KeyError):
        managed.held.remove("nope")


def test_what_cannot_be_held_to_is_refused() -> None:
    managed = Managed(config={"use_async_batching": True})
    with pytest.raises(ValueError, match="use_async_batching=False"):
        managed.held.install(managed.manager)
    managed = Managed()
    managed.held.install(managed.manager)
    with pytest.raises(ValueError, match="one for each manager"):
        managed.held.install(Managed().manager)
    late = Managed()
    late.manager.batch_processor = object()
    with pytest.raises(ValueError, match="has started"):
        late.held.install(late.manager)
    with pytest.raises(ValueError, match="logit width"):
        GrammarContinuousProcessor(GRAMMARS, tiny(width=WIDTH + 1))
    with pytest.raises(ValueError, match="vocab_size"):
        GrammarContinuousProcessor(GRAMMARS, object()).install(Managed().manager)


def test_another_interface_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transformers_continuous._Base, "prepare_tensor_args", lambda self, requests, extra: None)
    with pytest.raises(HostMismatch, match="update grammarc"):
        GrammarContinuousProcessor(GRAMMARS, tiny())


# Steps without a model, as the manager makes them.


class Steps:
    """Requests that a test moves token by token."""

    def __init__(self) -> None:
        managed = Managed()
        self.held = managed.held
        self.held.install(managed.manager)

    def state(self, id: str, tokens: list[int], initial: list[int] | None = None, prompt: int = 0, **more: Any) -> Any:
        kwargs = {"grammar": "texts"}
        fields = {"initial_tokens": initial or [30, 31], "_true_initial_tokens": prompt, "eos_token_id": list(ENDS), **more}
        return SimpleNamespace(request_id=id, generated_tokens=tokens, logit_processor_kwargs=kwargs, **fields)

    def allowed(self, *states: Any) -> list[set[int]]:
        """What is allowed next for each request of a batch."""
        arguments = self.held.prepare_tensor_args([SimpleNamespace(state=state) for state in states])
        scores = torch.zeros(len(states), WIDTH)
        found = self.held(scores, arguments)
        assert (scores == 0).all(), "scores of others are not written to"
        return [set(torch.isfinite(row).nonzero().flatten().tolist()) for row in found]


def test_positions_follow_tokens() -> None:
    steps = Steps()
    for seed in range(10):
        tokens = walk(seed)
        for at in range(len(tokens) + 1):
            # One that goes on, one that began again after half of its tokens, and a new one of the same id at each start.
            half = at // 2
            again = steps.state("again", tokens[half:at], [30, *tokens[:half]], 1)
            assert steps.allowed(steps.state("on", tokens[:at]), again) == [allowed_after(tokens[:at])] * 2
        # A child that nobody has seen.
        assert steps.allowed(steps.state(f"on__child#{seed}", tokens[:3])) == [allowed_after(tokens[:3])]


def test_end_tokens_are_the_requests() -> None:
    steps = Steps()
    for ends, expected in ((7, {7}), ([8], {8}), (None, {7}), (-1, {7}), ([-1, 8], {8})):
        found = steps.allowed(steps.state(f"{ends}", [1], eos_token_id=ends))
        assert found == [expected], ends


def test_positions_that_are_kept_are_bounded() -> None:
    steps = Steps()
    for at in range(steps.held._capacity + 50):
        steps.allowed(steps.state(f"r{at}", [0]))
    assert len(steps.held._sequences) == steps.held._capacity
    # One that was forgotten is made again.
    assert steps.allowed(steps.state("r0", [0])) == [allowed_after([0])]


def test_a_choice_against_the_mask_raises() -> None:
    steps = Steps()
    steps.allowed(steps.state("r", [0]))
    with pytest.raises(grammarc.TokenRefused, match="request r") as caught:
        steps.allowed(steps.state("r", [0, 9]))
    assert caught.value.token == 9
