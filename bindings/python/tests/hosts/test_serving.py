"""What plug-ins of servers share."""

from __future__ import annotations

import gc
import json
import os
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import contract
import pytest

from grammarc import LimitError, SourceError
from grammarc.hosts._serving import (
    Checker,
    Counters,
    HostMismatch,
    OnlyXgrammar,
    Server,
    Servers,
    Settings,
    choices,
    expect_parameters,
    step_back,
)

TAG = {
    "type": "triggered_tags",
    "triggers": ["<a"],
    "tags": [
        {
            "begin": "<a>",
            "content": {"type": "json_schema", "json_schema": {"properties": {"a": {"type": "integer"}}, "type": "object"}},
            "end": "</a>",
        }
    ],
}
EXCLUDES = {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["\\x"]}
"""What only XGrammar takes."""
NOT_CLOSED = {"type": "object", "properties": {"a": {"type": "integer"}}}


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings.from_environment().seconds == 10
    monkeypatch.setenv("GRAMMARC_COMPILE_SECONDS", "2.5")
    monkeypatch.setenv("GRAMMARC_COMPILE_BYTES", "1000000")
    monkeypatch.setenv("GRAMMARC_COMPILE_THREADS", "3")
    monkeypatch.setenv("GRAMMARC_COMPILE_REQUESTS", "5")
    monkeypatch.setenv("GRAMMARC_CACHE", "/somewhere")
    monkeypatch.setenv("GRAMMARC_CACHE_BYTES", "4096")
    monkeypatch.setenv("GRAMMARC_WHITESPACE", "natural")
    assert Settings.from_environment() == Settings("/somewhere", 4096, 2.5, 1_000_000, 3, 5, "natural")
    assert Settings.from_environment().limits == {"timeout": 2.5, "memory": 1_000_000}
    monkeypatch.setenv("GRAMMARC_GPU", "0")
    monkeypatch.setenv("GRAMMARC_GPU_BYTES", "65536")
    assert (Settings.from_environment().gpu, Settings.from_environment().gpu_bytes) == (False, 65536)


TOOLS = {
    "type": "tools",
    "style": "qwen_3",
    "tools": [
        {"name": "good", "parameters": {"type": "object", "properties": {"n": {"type": "integer"}}}},
        {"name": "bad", "parameters": {"type": "object", "properties": {"a": {"type": "string", "pattern": "("}}}},
    ],
}


@pytest.mark.parametrize(("word", "state"), [("request", None), ("exclude", "left-out"), ("loosen", "loosened")])
def test_a_tool_that_does_not_compile(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, word: str, state: str | None
) -> None:
    monkeypatch.setenv("GRAMMARC_ON_REFUSED", word)
    server = Server(contract.Tokenizer(), contract.WIDTH, Settings.from_environment())
    if state is None:
        with pytest.raises(ValueError, match="pattern"):
            server.compile("structural_tag", json.dumps(TOOLS))
        with pytest.raises(ValueError, match="pattern"):
            Checker().check("structural_tag", json.dumps(TOOLS))
        return
    Checker().check("structural_tag", json.dumps(TOOLS))
    with caplog.at_level("WARNING", logger="grammarc"):
        grammar = server.compile("structural_tag", json.dumps(TOOLS))
    (tool,) = grammar.refused_tools
    assert (tool.name, tool.state) == ("bad", state)
    assert tool.pointer == "/tools/1/parameters/properties/a/pattern"
    assert [record.getMessage() for record in caplog.records] == [
        f"the tool 'bad' is {state}: {tool.code} at {tool.pointer!r}"
    ]


def test_an_unknown_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRAMMARC_ON_REFUSED", "ignore")
    with pytest.raises(ValueError, match="GRAMMARC_ON_REFUSED"):
        Settings.from_environment()


@pytest.mark.parametrize("text", ["0", "-1", "x", "1.5"])
def test_a_setting_that_makes_no_sense_is_refused(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("GRAMMARC_COMPILE_BYTES", text)
    with pytest.raises(ValueError, match="GRAMMARC_COMPILE_BYTES"):
        Settings.from_environment()


def test_counters_lose_nothing() -> None:
    counters = Counters("one", "other")

    def add() -> None:
        for _ in range(2000):
            counters.one.add()

    threads = [threading.Thread(target=add) for _ in range(8)]
    for thread in threads:
        thread.start()
    assert counters.values()["other"] == 0
    for thread in threads:
        thread.join()
    assert [counters.values() for _ in range(3)] == [{"one": 16_000, "other": 0}] * 3
    with pytest.raises(AttributeError):
        _ = counters.none


def server(**settings: object) -> Server:
    return Server(contract.Tokenizer(), contract.WIDTH, Settings(**settings))  # type: ignore[arg-type]


def test_refusals_are_value_errors_with_all_findings() -> None:
    schema = {"type": "object", "properties": {"a": {"$ref": "#/nope"}, "b": {"type": "x"}}}
    with pytest.raises(ValueError) as caught:
        server().json_schema(json.dumps(schema))
    assert "#/nope" in str(caught.value) and "/properties/b/type" in str(caught.value)
    assert isinstance(caught.value.__cause__, SourceError)


def test_a_limit_is_a_value_error_too() -> None:
    with pytest.raises(ValueError, match="grammarc: ") as caught:
        server(memory=1).compile("regex", "[a-z]{1,40}")
    assert isinstance(caught.value.__cause__, LimitError)


def test_the_deadline_is_that_of_the_settings() -> None:
    with pytest.raises(ValueError) as caught:
        server(seconds=1e-9).compile("regex", "[a-z]{1,40}")
    assert type(caught.value.__cause__).__name__ == "CompileTimeout"


def test_a_tokenizer_that_cannot_be_imported_is_refused() -> None:
    with pytest.raises(ValueError, match="from_tokens"):
        Server(object(), 100, Settings()).compile("regex", "a")


def test_one_compiler_for_all_threads() -> None:
    made = server()
    with ThreadPoolExecutor(8) as pool:
        grammars = list(pool.map(lambda _: made.json_schema(json.dumps(NOT_CLOSED)), range(32)))
    assert len({grammar.digest for grammar in grammars}) == 1
    assert made.stats()["compiled"] == 1


def test_objects_with_properties_are_closed_and_whitespace_is_any() -> None:
    grammar = server().json_schema(json.dumps(NOT_CLOSED))
    for text in ('{"a":1}', '{ "a"\n:\t1 }', "{}"):
        grammar.check(text)
    for text in ('{"b":1}', '{"a":1,"b":1}', ' {"a":1}'):
        with pytest.raises(ValueError):
            grammar.check(text)
    server().json_schema(json.dumps(NOT_CLOSED), closed=False).check('{"b":1}')
    with pytest.raises(ValueError):
        server().json_schema(json.dumps(NOT_CLOSED), compact=True).check('{"a": 1}')
    with pytest.raises(ValueError):
        server(whitespace="natural").json_schema(json.dumps(NOT_CLOSED)).check('{"a":\n1}')


def test_schemas_within_other_sources_are_read_alike() -> None:
    for kind, source, begin, end in (
        ("structural_tag", json.dumps(TAG), "x <a>", "</a> y"),
        ("lark", 'start: "x <a>" %json ' + json.dumps(NOT_CLOSED) + ' "</a> y"', "x <a>", "</a> y"),
    ):
        grammar = server().compile(kind, source)
        for text in ('{"a":1}', '{ "a"\n:\t1 }', "{}"):
            grammar.check(begin + text + end)
        with pytest.raises(ValueError):
            grammar.check(begin + '{"b":1}' + end)
        with pytest.raises(ValueError):
            server().compile(kind, source, compact=True).check(begin + '{"a": 1}' + end)
        with pytest.raises(ValueError):
            server(whitespace="natural").compile(kind, source).check(begin + '{"a":\n1}' + end)


def test_a_check_without_the_tokenizer() -> None:
    checker = Checker()
    for kind, good in (
        ("json_schema", json.dumps({**NOT_CLOSED, "multipleOf": 3, "allOf": [{}, {}]})),
        ("regex", r"\d+"),
        ("choice", ["a", "b"]),
        ("gbnf", 'root ::= "a"'),
        ("ebnf", 'root ::= TagDispatch(("<t>", r))\nr ::= "x"'),
        ("lark", 'start: "a" %json {"type": "integer"}'),
        ("structural_tag", json.dumps(TAG)),
        # A token that bytes alone do not have.
        ("gbnf", 'root ::= <think> "a"'),
        ("ebnf", "root ::= Token(7000)"),
        ("lark", 'start: <think> "a"'),
        ("structural_tag", json.dumps({"type": "token", "token": "<think>"})),
        ("structural_tag", json.dumps({"type": "tag", "begin": {"type": "token", "token": 7000}, "content": TAG, "end": "</b>"})),
        # Too much for a check, and for the server's compiler to judge.
        ("regex", "(([a-z]{1,400}[0-9]){1,400}-){1,400}"),
    ):
        checker.check(kind, good)
    for kind, bad in (
        ("json_schema", '{"type": 1}'),
        ("json_schema", "{"),
        ("regex", "("),
        ("gbnf", "root ::= x"),
        ("gbnf", 'root ::= "a'),
        ("ebnf", "root ::= Regex("),
        ("lark", "start: x"),
        ("structural_tag", "{"),
        ("structural_tag", json.dumps({**TAG, "triggers": ["<a", "<a>"]})),
        ("structural_tag", json.dumps({**TAG, "triggers": ["<b"]})),
        # Not only for a token that bytes do not have.
        (
            "structural_tag",
            json.dumps({"type": "sequence", "elements": [{"type": "token", "token": "<x>"}, {"type": "regex", "pattern": "("}]}),
        ),
        # Not only for XGrammar.
        ("structural_tag", json.dumps({"type": "sequence", "elements": [EXCLUDES, {"type": "regex", "pattern": 1}]})),
    ):
        with pytest.raises(ValueError, match="grammarc: "):
            checker.check(kind, bad)
    with pytest.raises(OnlyXgrammar, match="grammarc: "):
        checker.check("structural_tag", json.dumps(EXCLUDES))


@pytest.mark.parametrize(
    ("kind", "source"),
    [
        ("regex", "a\ud800"),
        ("gbnf", 'root ::= "\ud800"'),
        ("json_schema", '{"const": "\ud800"}'),
        ("choice", ["\ud800"]),
        ("json_schema", '{"const": "\\ud800"}'),
        ("json_schema", "[" * 10**5),
        ("json_schema", '{"not":' * 10**5),
        ("json_schema", '{"items":' * 10**5 + "{}" + "}" * 10**5),
        ("gbnf", "root ::= " + "(" * 10**5),
        ("regex", "(" * 10**5),
        ("regex", "(" * 10**5 + ")" * 10**5),
        ("gbnf", "\0"),
        ("json_schema", "\0"),
        ("json_schema", ""),
        ("structural_tag", ""),
        ("structural_tag", "[" * 10**5),
        ("structural_tag", '{"type":"optional","content":' * 10**5),
        ("structural_tag", '{"type":"optional","content":' * 10**5 + "{}" + "}" * 10**5),
        ("structural_tag", '{"type": "const_string", "value": "\ud800"}'),
        ("lark", ""),
        ("lark", "start: " + "(" * 10**5),
    ],
)
def test_hostile_sources_are_refused(kind: str, source: object) -> None:
    made = server()
    for refuses in (Checker().check, made.compile):
        with pytest.raises(ValueError, match="grammarc: "):
            refuses(kind, source)
    made.compile("regex", "a")


def test_nul_is_a_character() -> None:
    for kind, source in (("regex", "a\0b"), ("json_schema", '{"const": "\\u0000"}'), ("choice", ["\0"])):
        Checker().check(kind, source)
        server().compile(kind, source)


def test_choices_are_a_list_of_texts() -> None:
    assert choices('["a", "b\\u0000"]') == ["a", "b\0"]
    for bad in ("a", '"a"', "[1]", '{"a": 1}', "[" * 10**5):
        with pytest.raises(ValueError):
            choices(bad)


@pytest.mark.skipif(sys.platform != "linux", reason="threads have priorities on Linux")
def test_threads_that_compile_step_back() -> None:
    def priorities() -> list[int]:
        inner: list[int] = []
        thread = threading.Thread(
            target=lambda: inner.append(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        )
        thread.start()
        thread.join()
        return [os.getpriority(os.PRIO_PROCESS, threading.get_native_id()), *inner]

    before = priorities()
    with ThreadPoolExecutor(1, initializer=step_back) as pool:
        assert pool.submit(priorities).result() == [min(19, one + 10) for one in before]
    assert priorities() == before


def test_parameters_of_a_host() -> None:
    def good(a: int, b: int = 1) -> None: ...

    expect_parameters(good, "a", "b", where="good")
    for names in (("a",), ("a", "c"), ("b", "a")):
        with pytest.raises(HostMismatch, match="good"):
            expect_parameters(good, *names, where="good")
    with pytest.raises(HostMismatch):
        expect_parameters(None, "a", where="nothing")


def test_a_tokenizer_has_one_server_while_it_lives() -> None:
    made, settings = Servers(), Settings()
    tokenizer = contract.Tokenizer()
    first = made.of(tokenizer, contract.WIDTH, settings)
    assert made.of(tokenizer, contract.WIDTH, settings) is first
    assert made.of(contract.Tokenizer(), contract.WIDTH, settings) is not first
    # With its vocabulary made, a server does not keep its tokenizer alive.
    assert first.compile("regex", "a").check("a") is None
    gone = weakref.ref(tokenizer)
    del tokenizer
    gc.collect()
    assert gone() is None
    several = contract.Tokenizer()
    widths = [made.of(several, width, settings).logit_width for width in (contract.WIDTH, contract.WIDTH + 1)]
    assert widths == [contract.WIDTH, contract.WIDTH + 1]
    assert made.of(several, contract.WIDTH, Settings(seconds=1)).settings.seconds == 1
    # Nothing can refer to these weakly.
    assert made.of("text", 1, settings) is not made.of("text", 1, settings)
