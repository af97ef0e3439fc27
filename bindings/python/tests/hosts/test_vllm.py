"""The plug-in for vLLM: what it replaces, what it refuses to be installed into, which requests are whose."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import contract
import numpy as np
import pytest
from hosts import vllm_modules

import grammarc
from grammarc.hosts import _vllm_beams, vllm
from grammarc.hosts._imports import when_imported
from grammarc.hosts._serving import Checker, Server

MODULES = vllm_modules.each()


@pytest.fixture(params=MODULES)
def modules(request: pytest.FixtureRequest) -> SimpleNamespace:
    return MODULES[request.param]


def backend(modules: SimpleNamespace, **options: Any) -> Any:
    made = vllm.backend_class(modules.backend_types, modules.backend_xgrammar, modules.utils)
    return made(vllm_modules.config(**options), contract.Tokenizer(), contract.WIDTH)


def compiled(modules: SimpleNamespace, kind: str, source: str, **options: Any) -> Any:
    return backend(modules, **options).compile_grammar(modules.backend_types.StructuredOutputOptions[kind], source)


def takes(grammar: Any, text: str) -> bool:
    """Whether a request takes a text and its end, byte by byte."""
    end = contract.END
    return bool(grammar.accept_tokens("r", [*contract.spelled(text), end])) and bool(grammar.is_terminated())


def probe(modules: SimpleNamespace) -> None:
    vllm.probe(
        modules.structured_output,
        modules.backend_types,
        modules.backend_xgrammar,
        modules.sampling_params,
        modules.utils,
        modules.exceptions,
    )
    for module in modules.beam_modules.values():
        _vllm_beams.probe(module)


def test_the_known_interfaces_are_found(modules: SimpleNamespace) -> None:
    probe(modules)


def renamed(name: str) -> Any:
    """Modules in which something is another."""
    modules = vllm_modules.stubs()
    types, xgrammar = modules.backend_types, modules.backend_xgrammar
    if name == "kind":
        import enum

        types.StructuredOutputOptions = enum.Enum("Options", "JSON REGEX LARK")
    elif name == "method":
        types.StructuredOutputGrammar = type("Grammar", (types.StructuredOutputGrammar,), {})
        types.StructuredOutputGrammar.__abstractmethods__ |= {"fill_many"}
    elif name == "parameter":

        def fill_bitmask(self: Any, bitmask: Any, rows: Any) -> None: ...

        fill_bitmask.__isabstractmethod__ = True  # type: ignore[attr-defined]
        types.StructuredOutputGrammar = type(
            "Grammar", (types.StructuredOutputGrammar,), {"fill_bitmask": fill_bitmask}
        )
    elif name == "errors":
        modules.exceptions.VLLMValidationError = ValueError
    elif name == "validation":
        xgrammar.validate_xgrammar_grammar = lambda params, config: None
    elif name == "manager":
        # The manager would no longer make what is replaced.
        made = type("Manager", (), {"grammar_init": lambda self, request: OTHER(request)})  # noqa: F821
        modules.structured_output.StructuredOutputManager = made
    elif name == "lookup":
        made = type("Params", (), {"_validate_structured_outputs": lambda self: None})
        modules.sampling_params.SamplingParams = made
    elif name == "beams":
        makes = {"_init_beam_search_structured_output": lambda self, structured_outputs, tokenizer: OTHER(tokenizer)}
        modules.offline.BeamSearchOfflineMixin = type("Mixin", (), makes)
    elif name == "request":
        modules.requests[1].to_beam_search_params = lambda self, max_tokens: None
    return modules


OTHER: Any = None


@pytest.mark.parametrize("name", [
    "kind", "method", "parameter", "errors", "validation", "manager", "lookup", "beams", "request"
])
def test_other_interfaces_are_refused(name: str) -> None:
    with pytest.raises(vllm.HostMismatch, match="update grammarc"):
        probe(renamed(name))


def put(monkeypatch: pytest.MonkeyPatch, modules: SimpleNamespace) -> None:
    """Puts modules where vLLM's are imported from."""
    for name, module in {
        "vllm": SimpleNamespace(__version__="0.32.0"),
        "vllm.exceptions": modules.exceptions,
        "vllm.logger": ModuleType("vllm.logger"),
        "vllm.sampling_params": modules.sampling_params,
        "vllm.v1": ModuleType("vllm.v1"),
        "vllm.v1.structured_output": modules.structured_output,
        "vllm.v1.structured_output.backend_types": modules.backend_types,
        "vllm.v1.structured_output.backend_xgrammar": modules.backend_xgrammar,
        "vllm.v1.structured_output.utils": modules.utils,
        **modules.beam_modules,
    }.items():
        monkeypatch.setitem(sys.modules, name, module)


def test_installing_replaces_and_is_done_once(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = vllm_modules.stubs()
    put(monkeypatch, modules)
    original = modules.structured_output.XgrammarBackend
    vllm.install()
    installed = modules.structured_output.XgrammarBackend
    check = modules.backend_xgrammar.validate_xgrammar_grammar
    assert issubclass(installed, original) and installed is not original
    vllm.install()
    assert modules.structured_output.XgrammarBackend is installed
    assert modules.backend_xgrammar.validate_xgrammar_grammar is check
    # vLLM's manager makes it now.
    manager = modules.structured_output.StructuredOutputManager(vllm_modules.config())
    assert isinstance(manager.grammar_init(vllm_modules.config()), installed)
    # One that takes long does not keep the next one waiting.
    gate = threading.Event()
    first = manager.executor.submit(gate.wait)
    assert manager.executor.submit(lambda: 1).result() == 1
    gate.set()
    assert first.result() is True


@pytest.mark.parametrize("name", ["validation", "request"])
def test_a_mismatch_installs_nothing(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    modules = renamed(name)
    put(monkeypatch, modules)
    original = modules.structured_output.XgrammarBackend
    with pytest.raises(vllm.HostMismatch):
        vllm.install()
    assert modules.structured_output.XgrammarBackend is original
    assert not hasattr(modules.requests[0].to_beam_search_params, "__wrapped__")


LATER = "a_module_of_a_host"


@pytest.mark.parametrize("fails", [False, True])
def test_a_module_is_changed_when_it_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    (tmp_path / f"{LATER}.py").write_text("VALUE = 1")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, LATER, raising=False)
    seen, finders = [], list(sys.meta_path)

    def act(module: ModuleType) -> None:
        seen.append(module.VALUE)
        if fails:
            raise vllm.HostMismatch("other")

    when_imported(LATER, act)
    assert seen == [], "nothing is imported for it"
    if fails:
        with pytest.raises(vllm.HostMismatch):
            importlib.import_module(LATER)
        assert LATER not in sys.modules
    else:
        module = importlib.import_module(LATER)
        when_imported(LATER, act)
        assert module is sys.modules[LATER] and seen == [1, 1]
    assert sys.meta_path == finders
    monkeypatch.delitem(sys.modules, LATER, raising=False)
    # One that there is not is reported as ever.
    when_imported("no_such_module_of_a_host", act)
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module("no_such_module_of_a_host")
    assert sys.meta_path == finders


@pytest.fixture
def beams(monkeypatch: pytest.MonkeyPatch, modules: SimpleNamespace) -> Iterator[SimpleNamespace]:
    """The modules, with the plug-in installed."""
    replaced = [(modules.structured_output, "XgrammarBackend"), (modules.backend_xgrammar, "XgrammarBackend")]
    replaced += [(modules.backend_xgrammar, "validate_xgrammar_grammar")]
    replaced += [(modules.structured_output.StructuredOutputManager, "__init__")]
    replaced += [(request, "to_beam_search_params") for request in modules.requests]
    for owner, name in replaced:
        monkeypatch.setattr(owner, name, getattr(owner, name))
    put(monkeypatch, modules)
    vllm.install()
    yield modules


def test_offline_beams_are_ours_and_compile_once(beams: SimpleNamespace) -> None:
    if beams.offline is not MODULES["stubs"].offline:
        # vLLM's own code allocates a row.
        pytest.importorskip("torch")
    model = SimpleNamespace(get_vocab_size=lambda: contract.WIDTH)
    search = beams.offline.BeamSearchOfflineMixin()
    search.llm_engine, search.model_config = SimpleNamespace(vllm_config=vllm_modules.config()), model
    asked = SimpleNamespace(json='{"type": "integer", "multipleOf": 7}', _backend="xgrammar")
    tokenizer, kind = contract.Tokenizer(), beams.backend_types.StructuredOutputOptions.JSON
    before = vllm.stats()
    for _ in range(2):
        # As a call of `beam_search`: a backend of its own, and a grammar for each beam at each step.
        backend, _, _ = search._init_beam_search_structured_output(asked, tokenizer)
        for text in ("", "1", "14"):
            grammar = backend.compile_grammar(kind, asked.json)
            assert grammar.accept_tokens("beam", contract.spelled(text))
            row = contract.rows()
            grammar.fill_bitmask(row, 0)
            # 1 is no multiple of 7, and 14 is one.
            assert (contract.END in contract.tokens_of(row[0])) is (text == "14")
        backend.destroy()
    after = vllm.stats()
    assert after["requests"] - before["requests"] == 6 and after["delegated"] == before["delegated"]
    assert after["compiled"] - before.get("compiled", 0) == 1


@pytest.mark.parametrize("at", [0, 1])
def test_beams_over_http_keep_or_refuse_their_constraint(beams: SimpleNamespace, at: int) -> None:
    made = beams.requests[at]
    constraint = SimpleNamespace(json="{}")
    free = vllm_modules.request(made, n=2)
    assert free.to_beam_search_params(7, {}).max_tokens == 7
    before = vllm.stats()["refused_requests"]
    for field in ("structured_outputs", "response_format"):
        with pytest.raises(beams.exceptions.VLLMClientError, match="use_beam_search"):
            vllm_modules.request(made, n=2, **{field: constraint}).to_beam_search_params(7, {})
    assert vllm.stats()["refused_requests"] - before == 2


def test_a_constraint_that_vllm_hands_on_is_left_to_it(stubs: SimpleNamespace) -> None:
    made = stubs.requests[0]
    made.to_beam_search_params = lambda self, max_tokens, default: SimpleNamespace(
        structured_outputs=self.extract_structured_outputs()
    )
    _vllm_beams.refuse_dropped(made, vllm.refusal_class(stubs.exceptions), vllm._counters.refused_requests)
    constraint = SimpleNamespace(json="{}")
    request = vllm_modules.request(vllm_modules.stubs().requests[0], structured_outputs=constraint)
    request.__class__ = made
    assert request.to_beam_search_params(1, {}).structured_outputs is constraint


@pytest.mark.parametrize("asked", ["", "0", None])
def test_the_entry_point_does_nothing_unasked(asked: str | None) -> None:
    code = (
        "import sys; from grammarc.hosts import _entry; _entry.vllm(); "
        "print([name for name in ('grammarc._native', 'grammarc.hosts.vllm', 'vllm') if name in sys.modules])"
    )
    import os

    environment = {name: value for name, value in os.environ.items() if name != "GRAMMARC_VLLM"}
    if asked is not None:
        environment["GRAMMARC_VLLM"] = asked
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    # The package itself loads its native half when any part of it is imported; the plug-in is not.
    assert "hosts.vllm" not in result.stdout and "'vllm'" not in result.stdout


def tagged(schema: Any, **more: Any) -> str:
    """Free text with calls."""
    content = {"type": "json_schema", "json_schema": schema}
    tag = {"begin": "<call>", "content": content, "end": "</call>"}
    return json.dumps(
        {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<call>"], "tags": [tag], **more}}
    )


def older(schema: Any) -> str:
    structures = [{"begin": "<call>", "schema": schema, "end": "</call>"}]
    return json.dumps({"type": "structural_tag", "structures": structures, "triggers": ["<call>"]})


DUMPED = json.dumps(
    {
        "type": "structural_tag",
        "format": {
            "type": "triggered_tags",
            "triggers": ["<t>"],
            "tags": [
                {
                    "type": "tag",
                    "begin": "<t>",
                    "content": {"type": "any_text", "excludes": ["z"], "max_tokens": None, "max_chars": None},
                    "end": "</t>",
                }
            ],
            "at_least_one": False,
            "stop_after_first": False,
            "excludes": [],
        },
    }
)
EXCLUDES = json.dumps({"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["\\x"]})
"""What only XGrammar takes."""
MACRO = 'root ::= TagDispatch(("<t>", r))\nr ::= "x"'


def test_kinds_of_requests_that_are_ours(modules: SimpleNamespace) -> None:
    before = vllm.stats()
    schema = {"type": "object", "properties": {"a": {"type": "integer", "multipleOf": 7}}, "required": ["a"]}
    cases = [
        ("JSON", json.dumps(schema), ['{"a":7}', '{ "a" :\n14 }'], ['{"a":8}', '{"a":7,"b":1}']),
        ("JSON_OBJECT", "", ["{}", '{"a": [1, {"b": null}]}'], ["1", "[]"]),
        ("REGEX", "a{2,3}", ["aa", "aaa"], ["a", "aaaa"]),
        ("CHOICE", '["yes", "\\"no\\"\\n"]', ["yes", '"no"\n'], ["no"]),
        ("GRAMMAR", 'root ::= "a" | "b" root', ["a", "bba"], ["b"]),
        ("GRAMMAR", MACRO, ["y", "<t>x"], ["<t>y"]),
        ("GRAMMAR", 'start: "n=" %json {"type": "integer", "multipleOf": 7}', ["n=14"], ["n=15"]),
        ("STRUCTURAL_TAG", tagged(schema), ["no call", 'so: <call>{"a" : 7}</call>.'], ["<call>1</call>", "<call>"]),
        # The older form, and all members that vLLM's models of requests write down.
        ("STRUCTURAL_TAG", older(schema), ["no call", '<call>{ "a":\n7}</call>'], ['<call>{"a":7,"b":1}</call>']),
        ("STRUCTURAL_TAG", DUMPED, ["x", "<t>y</t>"], ["<t>", "<t>z</t>"]),
    ]
    for kind, source, good, bad in cases:
        for text in good:
            assert takes(compiled(modules, kind, source), text), (kind, text)
        for text in bad:
            assert not takes(compiled(modules, kind, source), text), (kind, text)
    after = vllm.stats()
    assert after["requests"] - before["requests"] == sum(len(good) + len(bad) for _, _, good, bad in cases)
    assert after["delegated"] == before["delegated"]


def test_whitespace_is_the_engine_s_choice(modules: SimpleNamespace) -> None:
    schema = '{"type": "array", "items": {"type": "integer"}}'
    assert takes(compiled(modules, "JSON", schema), "[1, 2]")
    assert takes(compiled(modules, "JSON", schema, disable_any_whitespace=True), "[1,2]")
    assert not takes(compiled(modules, "JSON", schema, disable_any_whitespace=True), "[1, 2]")


def test_keys_come_in_the_order_of_the_schema(modules: SimpleNamespace) -> None:
    schema = '{"properties": {"b": {"type": "integer"}, "a": {"type": "integer"}}, "type": "object"}'
    assert takes(compiled(modules, "JSON", schema), '{"b":1,"a":2}')
    assert not takes(compiled(modules, "JSON", schema), '{"a":2,"b":1}')


def test_special_tokens_in_tags_are_tokens(modules: SimpleNamespace) -> None:
    tool = contract.TOKENS.index(b"<tool>")
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]}
    source = tagged(schema).replace("<call>", "<tool>")
    end = contract.END
    for tokens, is_right in (
        ([*contract.spelled("so: "), tool, *contract.spelled('{"a":1}</call>'), end], True),
        ([*contract.spelled('so: <tool>{"a":1}</call>'), end], False),
        ([tool, *contract.spelled("1"), end], False),
    ):
        grammar = compiled(modules, "STRUCTURAL_TAG", source)
        assert grammar.accept_tokens("r", tokens) is is_right
    # By its name or its id, which the check of a request does not know.
    for name in ("<tool>", tool):
        source = json.dumps({"type": "tag", "begin": {"type": "token", "token": name}, "content": TEXT_A, "end": ""})
        vllm._checker.check("structural_tag", source)
        grammar = compiled(modules, "STRUCTURAL_TAG", source)
        assert grammar.accept_tokens("r", [tool, *contract.spelled("a"), end]) and grammar.is_terminated()


TEXT_A = {"type": "const_string", "value": "a"}


def test_what_only_xgrammar_takes_is_xgrammar_s() -> None:
    modules = vllm_modules.stubs()
    made = backend(modules)
    kinds = modules.backend_types.StructuredOutputOptions
    assert not hasattr(made, "compiler")
    before = vllm.stats()["delegated"]
    kind = kinds.STRUCTURAL_TAG
    for _ in range(2):
        answer = made.compile_grammar(kind, EXCLUDES, {1})
        assert answer[:4] == ("xgrammar", kind, EXCLUDES, {1})
        assert answer[4] is made.compiler
    assert vllm.stats()["delegated"] - before == 2
    made.destroy()
    assert not hasattr(made, "compiler")
    backend(modules).destroy()


def test_xgrammar_s_narrower_rows_are_refused() -> None:
    modules = vllm_modules.stubs()
    width = modules.backend_xgrammar.XgrammarBackend.__post_init__

    def narrower(self: Any) -> None:
        width(self)
        self.vocab_size = 32

    modules.backend_xgrammar.XgrammarBackend.__post_init__ = narrower
    made = backend(modules)
    with pytest.raises(ValueError, match="does not support"):
        made.compile_grammar(modules.backend_types.StructuredOutputOptions.STRUCTURAL_TAG, EXCLUDES)
    # Requests of grammarc go on, with the model's width.
    grammar = made.compile_grammar(modules.backend_types.StructuredOutputOptions.REGEX, "a")
    grammar.fill_bitmask(contract.rows(), 0)


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> grammarc.Grammar:
    """A grammar of the hosts' vocabulary that is in a folder of artifacts."""
    server = Server(contract.Tokenizer(), contract.WIDTH)
    grammar = server.compile("regex", "ab?")
    grammar.save(tmp_path / "a.gmask")
    monkeypatch.setenv("GRAMMARC_CACHE", str(tmp_path))
    return grammar


def by_digest(digest: str, **more: Any) -> str:
    return json.dumps({"type": "grammarc", "artifact": digest, **more})


def test_artifacts_by_digest(built: grammarc.Grammar, modules: SimpleNamespace) -> None:
    source = by_digest(built.digest.hex())
    before = vllm.stats()
    assert takes(compiled(modules, "STRUCTURAL_TAG", source), "ab")
    assert not takes(compiled(modules, "STRUCTURAL_TAG", source), "abb")
    assert vllm.stats().get("compiled", 0) == before.get("compiled", 0)
    for bad, message in (
        (by_digest("00" * 32), "there is no artifact"),
        (by_digest("xyz"), "a digest has 32 bytes"),
        (by_digest(built.digest.hex(), end="x"), "and nothing else"),
        (json.dumps({"type": "grammarc"}), "and nothing else"),
        (json.dumps({"type": "grammarc", "artifact": 7}), "and nothing else"),
    ):
        with pytest.raises(ValueError, match=f"grammarc: .*{message}"):
            compiled(modules, "STRUCTURAL_TAG", bad)


def test_artifacts_are_checked_with_the_request(built: grammarc.Grammar, check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vllm, "_checker", Checker())
    check(asked(structural_tag=by_digest(built.digest.hex())))
    for bad in (by_digest("00" * 32), by_digest("xyz"), by_digest(built.digest.hex(), more=1)):
        with pytest.raises(ValueError, match="grammarc: "):
            check(asked(structural_tag=bad))
    # The words in another tag are no name of an artifact.
    check(asked(structural_tag=json.dumps({"type": "const_string", "value": '"grammarc"'})))


def test_an_artifact_of_another_vocabulary_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vocabulary = grammarc.Vocabulary.from_tokens([b"a", b"<end>"], special_ids=[1], end_tokens=[1])
    grammar = grammarc.Compiler(vocabulary, artifacts=()).regex("a")
    grammar.save(tmp_path / "a.gmask")
    monkeypatch.setenv("GRAMMARC_CACHE", str(tmp_path))
    with pytest.raises(ValueError, match="another vocabulary"):
        compiled(vllm_modules.stubs(), "STRUCTURAL_TAG", by_digest(grammar.digest.hex()))


def test_refusals_are_value_errors(modules: SimpleNamespace) -> None:
    before = vllm.stats()["refused_requests"]
    bad = [
        ("JSON", '{"$ref": "#/x"}'),
        ("JSON", "{"),
        ("REGEX", "("),
        ("GRAMMAR", "root ::= x"),
        ("GRAMMAR", "start: x"),
        ("CHOICE", "{}"),
        ("STRUCTURAL_TAG", "{}"),
        ("STRUCTURAL_TAG", '{"type": "token", "token": "<nope>"}'),
        ("STRUCTURAL_TAG", tagged({"$ref": "#/nope"})),
        ("STRUCTURAL_TAG", tagged({}, at_least_on=True)),
    ]
    for kind, source in bad:
        with pytest.raises(ValueError, match="grammarc: "):
            compiled(modules, kind, source)
    assert vllm.stats()["refused_requests"] - before == len(bad)


def test_an_unknown_kind_is_refused(modules: SimpleNamespace) -> None:
    with pytest.raises(ValueError, match="no kind"):
        backend(modules).compile_grammar(SimpleNamespace(name="OTHER"), "")


def test_replayed_rows_are_those_of_the_engine(modules: SimpleNamespace) -> None:
    """What a trainer replays of an output is what the engine masked it with, bit for bit."""
    made = backend(modules)
    source = '{"type": "object", "properties": {"name": {"type": "string"}, "n": {"type": "integer"}}, "required": ["name", "n"]}'
    request = made.compile_grammar(modules.backend_types.StructuredOutputOptions.JSON, source, stop_token_ids=set(contract.ENDS))
    tokens = [*contract.spelled('{"name": "true 日本", "n": 123}', 9), contract.END]
    expected = contract.rows(len(tokens))
    for row, token in enumerate(tokens):
        request.fill_bitmask(expected, row)
        assert request.accept_tokens("r", [token])
    grammar = made._server.json_schema(source)
    found = grammarc.replay(grammar, tokens, end_tokens=sorted(contract.ENDS), logit_width=contract.WIDTH)
    assert found.accepted == len(tokens) and (np.asarray(found.rows) == expected).all()


def test_end_tokens_are_the_request_s(modules: SimpleNamespace) -> None:
    made = backend(modules)
    kind = modules.backend_types.StructuredOutputOptions.REGEX
    full = contract.spelled("b")[0]
    for ends in ({contract.TURN}, {contract.END, contract.TURN}, {full}):
        grammar = made.compile_grammar(kind, "a", stop_token_ids=ends)
        grammar.accept_tokens("r", contract.spelled("a"))
        mask = contract.rows()
        grammar.fill_bitmask(mask, 0)
        assert contract.tokens_of(mask[0]) == ends
    # None, or none of them: the tokenizer's own.
    for none in (None, set()):
        grammar = made.compile_grammar(kind, "a", stop_token_ids=none)
        assert grammar.accept_tokens("r", [*contract.spelled("a"), contract.END]) and grammar.is_terminated()


def test_tokens_behind_the_end_are_ignored(modules: SimpleNamespace) -> None:
    grammar = compiled(modules, "REGEX", "a")
    assert grammar.accept_tokens("r", [*contract.spelled("a"), contract.END, 5, 6])
    assert grammar.is_terminated()
    assert grammar.accept_tokens("r", [7])
    assert grammar.validate_tokens([7]) == []
    grammar.rollback(1)
    assert not grammar.is_terminated()


def asked(**structured: Any) -> SimpleNamespace:
    fields: dict[str, Any] = dict.fromkeys(("json", "json_object", "regex", "choice", "grammar", "structural_tag"))
    return SimpleNamespace(structured_outputs=SimpleNamespace(**{**fields, "_backend": "xgrammar", **structured}))


@pytest.fixture
def stubs() -> SimpleNamespace:
    return vllm_modules.stubs()


@pytest.fixture
def check(stubs: SimpleNamespace) -> Any:
    refusal = vllm.refusal_class(stubs.exceptions)
    original = stubs.backend_xgrammar.validate_xgrammar_grammar
    return vllm.validator(original, stubs.utils.grammar_is_likely_lark, refusal)


def test_what_xgrammar_does_not_take_either_is_refused_in_our_words(stubs: SimpleNamespace) -> None:
    def original(params: Any) -> None:
        raise stubs.exceptions.VLLMValidationError("Invalid structural tag specification.")

    refusal = vllm.refusal_class(stubs.exceptions)
    check = vllm.validator(original, stubs.utils.grammar_is_likely_lark, refusal)
    with pytest.raises(refusal, match="grammarc: a text with a backslash"):
        check(asked(structural_tag=EXCLUDES))


def is_xgrammar_s(check: Any, request: SimpleNamespace) -> bool:
    check(request)
    return hasattr(request, "asked_xgrammar")


def test_requests_are_checked_by_whom_they_are_for(check: Any) -> None:
    # What XGrammar would refuse.
    for ours in (
        {"json": {"type": "integer", "multipleOf": 3}},
        {"json": '{"type": "array", "uniqueItems": true, "items": {"enum": [1, 2]}}'},
        {"json": True},
        {"json_object": True},
        {"regex": "(?i)abc"},
        {"regex": ""},
        {"choice": ["a"]},
        {"grammar": 'root ::= "a"'},
        {"grammar": 'start: "a"'},
        {"grammar": MACRO},
        {"structural_tag": tagged({"type": "integer", "multipleOf": 3})},
        # vLLM keeps no reason of a refusal here, and asks again.
        {"structural_tag": "{}", "_backend": None},
        {"structural_tag": '{"type": "qwen_xml_parameter", "json_schema": {"type": "string"}}'},
    ):
        request = asked(**ours)
        assert not is_xgrammar_s(check, request), ours
    for theirs in (
        {"structural_tag": EXCLUDES},
        # A parser of tool calls that asks whether a constraint fits into a structural tag.
        {"json": {"type": "integer", "multipleOf": 3}, "_backend": None},
    ):
        assert is_xgrammar_s(check, asked(**theirs)), theirs
    nothing = SimpleNamespace(structured_outputs=None)
    assert is_xgrammar_s(check, nothing)


def test_choices_stay_as_they_are(check: Any) -> None:
    # XGrammar's check makes a grammar of them.
    request = asked(choice=["a", "b"])
    check(request)
    assert request.structured_outputs.choice == ["a", "b"] and request.structured_outputs.grammar is None


def test_a_refused_request_is_the_client_s_error(check: Any, stubs: SimpleNamespace) -> None:
    # With vLLM's error of validation the request would go to another backend, and the engine with it.
    for bad in (
        {"json": {"$ref": "#/nope"}},
        {"regex": "("},
        {"grammar": "root ::= x"},
        {"grammar": "start: x"},
        {"structural_tag": "{}"},
    ):
        with pytest.raises(ValueError, match="grammarc: ") as caught:
            check(asked(**bad))
        assert isinstance(caught.value, stubs.exceptions.VLLMClientError)
        assert not isinstance(caught.value, stubs.exceptions.VLLMValidationError)


LOG_SAYS = """
import logging, sys, types
log = types.ModuleType("vllm.logger")
def configure_logging(config):
    handler = logging.StreamHandler(sys.stdout)
    logging.getLogger("vllm").addHandler(handler)
    logging.getLogger("vllm").setLevel(logging.INFO)
log.configure_logging = configure_logging
def configure_logging_if_needed(config):
    log.configure_logging(config)
sys.modules["vllm"] = types.SimpleNamespace(__version__="0.32.0")
sys.modules["vllm.logger"] = log
from grammarc.hosts import _vllm_beams, vllm
from grammarc.hosts._imports import when_imported
"""
"""vLLM's log, as ``vllm/logger.py`` of 0.32 has it: configured by a function that callers look up in the module."""


@pytest.mark.parametrize(
    "order",
    [
        # The engine's own process, the API process and an engine in its caller's process, a log that is configured twice.
        "configure_logging(0); vllm.announce()",
        "vllm.announce(); configure_logging_if_needed(0)",
        "vllm.announce(); configure_logging_if_needed(0); configure_logging_if_needed(0)",
    ],
)
def test_the_log_says_that_it_is_there(order: str) -> None:
    done = subprocess.run([sys.executable, "-c", LOG_SAYS + order], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = [line for line in done.stdout.splitlines() if "serves structured outputs of vLLM 0.32.0" in line]
    # A second handler, where the log is configured twice, has nothing more to say.
    assert len(lines) == 1, done.stdout
