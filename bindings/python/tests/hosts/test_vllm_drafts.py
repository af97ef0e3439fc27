"""Forced tokens as drafts in vLLM: what its manager of structured outputs answers once the plug-in is installed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import contract
import pytest
from hosts import vllm_modules

from grammarc.hosts import _vllm_drafts, vllm
from grammarc.hosts.vllm_drafts import Forced


def manager(tokenizer: Any = None, *, most: int = 8, asynchronous: bool = False, method: str = "custom_class") -> Any:
    """A manager of vLLM's with the plug-in, and its backend."""
    modules = vllm_modules.stubs()
    made = modules.structured_output.StructuredOutputManager
    _vllm_drafts.probe(made)
    _vllm_drafts.install(made, vllm.Request, vllm._counters)
    config = vllm_modules.config()
    config.num_speculative_tokens = most
    config.speculative_config = SimpleNamespace(method=method)
    config.scheduler_config = SimpleNamespace(async_scheduling=asynchronous)
    one = made(config)
    one.vllm_config = config
    backend = vllm.backend_class(modules.backend_types, modules.backend_xgrammar, modules.utils)
    one.backend = backend(config, tokenizer or contract.EncodingTokenizer(), contract.WIDTH)
    one.kinds = modules.backend_types.StructuredOutputOptions
    return one


def request(manager: Any, pattern: str, written: str = "", *, reasons: bool = False) -> Any:
    """A request that has written something."""
    grammar = manager.backend.compile_grammar(manager.kinds.REGEX, pattern)
    tokens = contract.spelled(written)
    assert grammar.accept_tokens("r", tokens)
    return SimpleNamespace(
        use_structured_output=True, structured_output_request=SimpleNamespace(grammar=grammar), all_token_ids=[7, *tokens], reasons=reasons
    )


def test_what_is_forced_is_drafted() -> None:
    one = manager()
    asked = request(one, "hello world(s)?!", "hel")
    before = vllm.stats()["drafts"]
    assert one.validate_tokens(asked, []) == contract.spelled("lo world")
    assert vllm.stats()["drafts"] - before == len("lo world")
    # Behind what another drafter has proposed, as far as that is allowed.
    assert one.validate_tokens(asked, contract.spelled("lo")) == contract.spelled("lo world")
    assert one.validate_tokens(asked, contract.spelled("lox")) == contract.spelled("lo world")
    # The request has not moved.
    assert asked.structured_output_request.grammar.accept_tokens("r", contract.spelled("lo worlds!"))


@pytest.mark.parametrize("most", [0, 1, 3])
def test_there_are_never_more_drafts_than_rows(most: int) -> None:
    one = manager(most=most)
    asked = request(one, "hello world")
    assert one.validate_tokens(asked, []) == contract.spelled("hello world")[:most]
    longer = contract.spelled("hello")
    assert one.validate_tokens(asked, longer) == longer


def test_what_cannot_be_added_to_is_handed_on() -> None:
    # Drafts of a model have probabilities, with which an added token would be verified.
    for other in (manager(asynchronous=True), manager(method="eagle")):
        assert other.validate_tokens(request(other, "hello"), []) == []
    one = manager()
    # While the model reasons, for requests without a grammar, and for those of XGrammar.
    assert one.validate_tokens(request(one, "hello", reasons=True), [5]) == [5]
    assert one.validate_tokens(SimpleNamespace(use_structured_output=False), [5]) == [5]
    theirs = SimpleNamespace(validate_tokens=lambda tokens: tokens)
    asked = SimpleNamespace(
        use_structured_output=True, structured_output_request=SimpleNamespace(grammar=theirs), all_token_ids=[7], reasons=False
    )
    assert one.validate_tokens(asked, [5]) == [5]
    # A tokenizer that cannot encode.
    plain = manager(contract.Tokenizer())
    assert plain.validate_tokens(request(plain, "hello"), []) == []


def test_a_failing_tokenizer_costs_drafts_alone(caplog: pytest.LogCaptureFixture) -> None:
    tokenizer = contract.EncodingTokenizer()
    one = manager(tokenizer)
    # More than one token begins what follows, so the tokenizer is asked.
    asked = request(one, "the true", "the ")
    assert one.backend.drafter is not None
    tokenizer.failing = True
    for _ in range(2):
        assert one.validate_tokens(asked, []) == []
    assert len([record for record in caplog.records if "drafted" in record.message]) == 1


def test_other_interfaces_are_refused() -> None:
    made = vllm_modules.stubs().structured_output.StructuredOutputManager
    del made._get_constraint_bounds
    with pytest.raises(vllm.HostMismatch, match="_get_constraint_bounds"):
        _vllm_drafts.probe(made)


def test_the_proposer_proposes_nothing() -> None:
    proposer = Forced(None)
    proposer.load_model(None)
    assert proposer.propose([[1], [2, 3]], None, None) == [[], []]
