"""The plug-in for SGLang: registration, answers, what is kept of them, batches, cancelling."""

from __future__ import annotations

import json
import sys
import threading
from types import ModuleType, SimpleNamespace
from typing import Any

import contract
import pytest
from hosts import sglang_modules, sglang_spec_utils

from grammarc.hosts import sglang
from grammarc.hosts._serving import HostMismatch


@pytest.fixture(params=sglang_modules.each())
def base(request: pytest.FixtureRequest) -> Any:
    return sglang_modules.each()[request.param]


def backend(base: Any, **options: Any) -> Any:
    made = sglang.backend_class(base)
    return made(contract.Tokenizer(), contract.WIDTH, set(contract.ENDS), **options)


def takes(grammar: Any, text: str) -> bool:
    try:
        for token in [*contract.spelled(text), contract.END]:
            grammar.accept_token(token)
    except ValueError:
        return False
    return bool(grammar.is_terminated())


def test_the_known_interfaces_are_found(base: Any) -> None:
    sglang.probe(base, sglang_modules.serving())


def test_other_interfaces_are_refused() -> None:
    base = sglang_modules.stubs()
    base.BaseGrammarObject.rollback = lambda self, tokens, deep: None
    with pytest.raises(HostMismatch, match="rollback"):
        sglang.probe(base, sglang_modules.serving())
    base = sglang_modules.stubs()
    base.BaseGrammarBackend.get_cached_or_future_value = lambda self, key, require_reasoning: None
    with pytest.raises(HostMismatch, match="executor"):
        sglang.probe(base, sglang_modules.serving())
    serving = sglang_modules.serving()
    del serving.reasoning_parser
    with pytest.raises(HostMismatch, match="reasoning_parser"):
        sglang.probe(sglang_modules.stubs(), serving)


def test_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    base, speculation = sglang_modules.stubs(), sglang_spec_utils
    stepping = speculation.traverse_tree
    monkeypatch.setattr(speculation, "traverse_tree", stepping)
    registry: dict[str, Any] = {}
    base.register_grammar_backend = registry.__setitem__
    known: list[str] = ["xgrammar"]
    for name, module in {
        "sglang": ModuleType("sglang"),
        "sglang.srt.arg_groups.choices": SimpleNamespace(
            GRAMMAR_BACKEND_CHOICES=known, add_grammar_backend_choices=known.extend
        ),
        "sglang.srt.constrained.base_grammar_backend": base,
        "sglang.srt.runtime_context": SimpleNamespace(
            get_serving=lambda: sglang_modules.serving(constrained_json_max_whitespace_cnt=2),
            get_spec=lambda: SimpleNamespace(speculative_algorithm="EAGLE"),
        ),
        "sglang.srt.speculative.spec_utils": speculation,
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    sglang.register()
    sglang.register()
    assert known == ["xgrammar", "grammarc"]
    made = registry["grammarc"](None, contract.Tokenizer(), contract.WIDTH, {contract.END})
    assert isinstance(made, base.BaseGrammarBackend)
    assert speculation.traverse_tree is not stepping
    assert takes(made.dispatch_json('{"type": "array"}'), "[  1]")
    assert not takes(made.dispatch_json('{"type": "array"}'), "[   1]")


def test_whitespace_is_the_server_s() -> None:
    assert sglang.whitespace(True, 5) == "spaced"
    assert sglang.whitespace(False, 5) == "flexible:5"
    assert sglang.whitespace(False, None) is None


def tagged(content: dict[str, Any]) -> str:
    """Free text with calls, deep in other formats."""
    tag = {"begin": "<call>", "content": {"type": "json_schema", **content}, "end": "</call>"}
    calls = {"type": "triggered_tags", "triggers": ["<call>"], "tags": [tag]}
    return json.dumps({"type": "structural_tag", "format": {"type": "or", "elements": [calls]}})


def older(schema: Any, **more: Any) -> str:
    structures = [{"begin": "<call>", "schema": schema, "end": "</call>"}]
    return json.dumps({"type": "structural_tag", "structures": structures, "triggers": ["<call>"], **more})


EXCLUDES = json.dumps({"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["\\x"]})
"""What only XGrammar takes."""


def test_kinds_of_requests(base: Any) -> None:
    made = backend(base)
    before = sglang.stats()
    schema = json.dumps({"type": "object", "properties": {"a": {"type": "integer"}}})
    for method, source, good, bad in [
        ("dispatch_json", schema, '{"a" : 1}', '{"b":1}'),
        ("dispatch_json", "$$ANY$$", '[1, {"a": null}]', "x"),
        ("dispatch_regex", "a+", "aa", "b"),
        ("dispatch_ebnf", 'root ::= "a"', "a", "b"),
        ("dispatch_ebnf", 'root ::= TagDispatch(("<t>", r))\nr ::= "x"', "y<t>x", "<t>y"),
        ("dispatch_structural_tag", tagged({"json_schema": json.loads(schema)}), 'so <call>{"a" : 1}</call>', "<call>"),
        # As SGLang reads them: no schema is any value.
        ("dispatch_structural_tag", tagged({"json_schema": None}), "<call>[1]</call>", "<call>x</call>"),
        ("dispatch_structural_tag", tagged({}), "<call>[1]</call>", "<call></call>"),
        ("dispatch_structural_tag", older(json.loads(schema)), 'so <call>{"a":1}</call>', "<call>{}"),
        ("dispatch_structural_tag", older(None), "so <call>[1]</call>", "<call></call>"),
        ("dispatch_structural_tag", older({}, at_least_one=True), "<call>1</call> and", "so <call>1</call>"),
        ("dispatch_structural_tag", older({}, at_least_one=False), "so", "<call>"),
    ]:
        assert takes(getattr(made, method)(source), good), source
        assert not takes(getattr(made, method)(source), bad), source
    assert sglang.stats()["delegated"] == before["delegated"]


def test_wrong_tags_are_refused_with_their_place(base: Any) -> None:
    made = backend(base)
    for source, place in (
        (tagged({"json_schema": {"$ref": "#/nope"}}), "/format/elements/0/tags/0/content/json_schema/$ref"),
        (older({}, at_least_one=1), ""),
        ("{}", ""),
        ("[" * 10**5, ""),
        ('{"type": "structural_tag", "format": 1}', "/format"),
        ('{"structures": [1], "triggers": ["x"], "at_least_one": true}', "/tags/0"),
    ):
        answer = made.dispatch_structural_tag(source)
        assert isinstance(answer, base.InvalidGrammarObject), source
        assert "grammarc: " in answer.error_message and place in answer.error_message, answer.error_message


def test_refusals_say_why_and_are_kept(base: Any) -> None:
    made = backend(base)
    assert made.dispatch_regex("a") is not None
    before = sglang.stats()
    answer = made.dispatch_json('{"$ref": "#/nope"}')
    assert isinstance(answer, base.InvalidGrammarObject) and "#/nope" in answer.error_message
    after = sglang.stats()
    assert [after[name] - before[name] for name in ("requests", "refused_requests", "refused")] == [0, 1, 1]
    made.set_cache(("json", "x"), answer)
    assert made.cache[("json", "x")] is answer


def test_what_ran_out_of_time_is_not_kept(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAMMARC_COMPILE_SECONDS", "1e-9")
    made = backend(base)
    answer = made.dispatch_regex("[a-z]{1,40}")
    assert isinstance(answer, base.InvalidGrammarObject)
    made.set_cache(("regex", "x"), answer)
    # Nor is the refusal that SGLang makes when it has waited long enough.
    made.set_cache(("regex", "y"), base.InvalidGrammarObject("Grammar preprocessing timed out"))
    assert not made.cache
    grammar = backend(base).dispatch_regex
    assert grammar is not None


def test_what_only_xgrammar_takes_is_refused_without_it(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sglang.srt.constrained.xgrammar_backend", None)
    made = backend(base)
    answer = made.dispatch_structural_tag(EXCLUDES)
    assert isinstance(answer, base.InvalidGrammarObject) and "xgrammar" in answer.error_message.lower()


def test_what_only_xgrammar_takes_is_xgrammar_s(base: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Theirs:
        def __init__(self, tokenizer: Any, vocab_size: int, model_eos_token_ids: Any) -> None:
            self.made = (vocab_size, model_eos_token_ids)

        def dispatch_structural_tag(self, key_string: str) -> Any:
            if "maxLength" in key_string:
                return base.InvalidGrammarObject("bad")
            return ("tag", key_string, self.made)

    module = SimpleNamespace(XGrammarGrammarBackend=Theirs)
    monkeypatch.setitem(sys.modules, "sglang", ModuleType("sglang"))
    monkeypatch.setitem(sys.modules, "sglang.srt.constrained.xgrammar_backend", module)
    made = backend(base)
    assert made.dispatch_structural_tag(EXCLUDES) == ("tag", EXCLUDES, (contract.WIDTH, sorted(contract.ENDS)))
    refused = made.dispatch_structural_tag(EXCLUDES.replace('"string"', '"string", "maxLength": 3'))
    made.set_cache(("structural_tag", "x"), refused)
    assert made.cache[("structural_tag", "x")] is refused


def test_a_cached_grammar_is_copied(base: Any) -> None:
    made = backend(base)
    key = ("regex", "ab")
    future, is_cached = made.get_cached_or_future_value(key, False)
    assert not is_cached
    first = future.result()
    made.set_cache(key, first.copy())
    first.accept_token(contract.spelled("a")[0])
    second, is_cached = made.get_cached_or_future_value(key, False)
    assert is_cached and second.grammar_stats.is_cache_hit
    assert takes(second, "ab")
    first.accept_token(contract.spelled("b")[0])


def test_a_batch_is_one_call(base: Any) -> None:
    made = backend(base)
    grammars = [made.dispatch_regex(pattern) for pattern in ("a", "bc", "d+")]
    rows = [4, 0, 2]
    entries = [base.GrammarRow(row, grammar) for row, grammar in zip(rows, grammars, strict=True)]
    other = SimpleNamespace(fill_vocab_mask=lambda mask, row: mask[row].fill(7))
    mask = contract.rows(6)
    before = sglang.stats()
    grammars[0].fill_vocab_mask_batched([*entries, base.GrammarRow(5, other)], mask)
    after = sglang.stats()
    assert after["batches"] - before["batches"] == 1 and after["fills"] == before["fills"]
    for row, grammar in zip(rows, grammars, strict=True):
        single = contract.rows()
        grammar.fill_vocab_mask(single, 0)
        assert (mask[row] == single[0]).all()
    assert (mask[[1, 3]] == -1).all() and (mask[5] == 7).all()


def test_tokens_behind_the_end_are_ignored(base: Any) -> None:
    grammar = backend(base).dispatch_regex("a")
    assert takes(grammar, "a")
    grammar.accept_token(5)
    grammar.rollback(2)
    assert takes(grammar, "a")


def test_cancelling_a_running_compilation_ends_it() -> None:
    started, seen = threading.Event(), []

    def work() -> str:
        token = sglang._thread.token
        started.set()
        while not token.cancelled:
            pass
        seen.append(token)
        return "ended"

    executor = sglang.Compilations()
    future = executor.submit(work)
    started.wait()
    assert not future.cancel()
    assert future.result() == "ended" and seen
    executor.shutdown()


def test_cancelling_a_waiting_compilation_drops_it() -> None:
    executor = sglang.Compilations(1)
    gate = threading.Event()
    first = executor.submit(gate.wait)
    second = executor.submit(lambda: 1)
    assert second.cancel() and second.cancelled()
    gate.set()
    assert first.result() is True
    executor.shutdown()


def test_a_failed_compilation_raises_in_its_future() -> None:
    executor = sglang.Compilations()
    future = executor.submit(lambda: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        future.result()
    executor.shutdown()


def test_a_cancelled_compilation_is_not_kept(base: Any) -> None:
    made = backend(base)
    token = sglang.CancelToken()
    token.cancel()
    sglang._thread.token = token
    try:
        answer = made.dispatch_regex("[a-z]{1,40}")
    finally:
        sglang._thread.token = None
    assert isinstance(answer, base.InvalidGrammarObject)
    made.set_cache(("regex", "x"), answer)
    assert not made.cache
    assert not isinstance(made.dispatch_regex("[a-z]{1,40}"), base.InvalidGrammarObject)
