"""Compilers: sources, options, limits, caches, cancellation."""

from __future__ import annotations

import asyncio
import dataclasses
import enum
import json
import sys
import threading
import time
from pathlib import Path

import pytest

import grammarc
from grammarc.hosts import _serving

if sys.version_info >= (3, 12):
    from typing import TypedDict
else:  # pydantic asks for it
    from typing_extensions import TypedDict


@dataclasses.dataclass
class Point:
    x: int
    y: float | None


class Pair(TypedDict):
    left: str
    right: bool


class Colour(enum.Enum):
    RED = "red"


def accepts(grammar: grammarc.Grammar, text: str) -> bool:
    try:
        grammar.check(text)
    except grammarc.TextRefused:
        return False
    return True


def test_built_in_grammars(compiler: grammarc.Compiler) -> None:
    lines = compiler.builtin("jsonl", line={"type": "integer"}, max_items=2)
    assert accepts(lines, "1\n2") and not accepts(lines, "1\n2\n3") and not accepts(lines, "{}")
    table = compiler.builtin("csv", columns=["a", "b"], separator=";")
    assert accepts(table, "a;b\n1;2") and not accepts(table, "1;2")
    tags = compiler.builtin("xml", names=["a"], attributes=["id"])
    assert accepts(tags, '<a id="1"><a/></a>') and not accepts(tags, "<b/>")
    assert accepts(compiler.compile("builtin", "json", whitespace="compact"), "[1]")
    with pytest.raises(grammarc.SourceError, match="did you mean"):
        compiler.builtin("jsno")


def test_sources_within_a_grammar(compiler: grammarc.Compiler) -> None:
    point = {"type": "object", "properties": {"x": {"const": 1}}, "required": ["x"]}
    sources = {
        "point": ("json_schema", point, {"whitespace": "compact", "closed": True}),
        "end": ("choice", ["!", "?"]),
    }
    grammar = compiler.gbnf('root ::= @"point" @regex/[a-c]+/ @"end"', sources=sources)  # type: ignore[arg-type]
    assert accepts(grammar, '{"x":1}abc?')
    assert not accepts(grammar, '{"x": 1}abc?') and not accepts(grammar, '{"x":1}d?')
    assert any(entry.pointer == "point#/properties/x/const" for entry in grammar.report)
    with pytest.raises(grammarc.SourceError) as raised:
        compiler.gbnf('root ::= @"s"', sources={"s": ("json_schema", {"type": "strin"})})
    assert raised.value.diagnostics[0].source == "s"
    with pytest.raises(ValueError, match="no kind 'prolog'"):
        compiler.gbnf("root ::= x", sources={"s": ("prolog", "")})  # type: ignore[dict-item]


def test_sources_within_the_grammars_of_a_tag(compiler: grammarc.Compiler) -> None:
    tag = {"type": "structural_tag", "format": {"type": "grammar", "grammar": 'root ::= "<" @"n" ">"'}}
    of = lambda schema: compiler.structural_tag(tag, sources={"n": ("json_schema", schema)})  # noqa: E731
    number, word = of({"type": "integer"}), of({"const": "a"})
    assert accepts(number, "<12>") and not accepts(number, '<"a">')
    assert accepts(word, '<"a">') and not accepts(word, "<12>")
    assert any(entry.pointer == "n#/type" for entry in number.report)
    with pytest.raises(grammarc.SourceError, match="n"):
        compiler.structural_tag(tag)


def test_sources_of_all_kinds(compiler: grammarc.Compiler) -> None:
    assert accepts(compiler.json_schema({"type": "integer"}), "12")
    assert accepts(compiler.json_schema('{"type": "integer"}'), "12")
    assert accepts(compiler.json_schema(b'{"const": "\xc3\xa9"}'), '"é"')
    assert accepts(compiler.json_schema(True, whitespace="compact"), "[1,2]")
    assert accepts(compiler.gbnf('start ::= "a"+', start="start"), "aaa")
    assert accepts(compiler.regex("a\n"), "a\n")
    assert accepts(compiler.regex("[ab]{3}"), "abb")
    assert accepts(compiler.choice(["one\n", '"two"']), '"two"')
    assert accepts(compiler.compile("regex", "x?"), "")
    typescript = compiler.typescript("export type A = { a: 1 }; type B = 2", whitespace="compact")
    assert accepts(typescript, '{"a":1}') and not accepts(typescript, '{"a": 1}')
    assert accepts(compiler.compile("typescript", "type A = 1; type B = 2", start="B"), "2")
    with pytest.raises(ValueError, match="no kind"):
        compiler.compile("prolog", "start: x")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="several texts"):
        compiler.choice("abc")
    with pytest.raises(TypeError, match="is a str"):
        compiler.gbnf(b"root ::= x")  # type: ignore[arg-type]


def test_types_become_schemas(compiler: grammarc.Compiler) -> None:
    pydantic = pytest.importorskip("pydantic")

    class Model(pydantic.BaseModel):
        name: str
        colour: Colour

    assert accepts(compiler.json_schema(Model, whitespace="compact"), '{"name":"a","colour":"red"}')
    assert not accepts(compiler.json_schema(Model, whitespace="compact"), '{"name":"a","colour":"blue"}')
    assert accepts(compiler.json_schema(Point, whitespace="compact"), '{"x":1,"y":null}')
    assert accepts(compiler.json_schema(Pair, whitespace="compact"), '{"left":"","right":true}')
    assert accepts(compiler.json_schema(list[int]), "[1, 2]")
    with pytest.raises(grammarc.SourceError, match="no schema of"):
        compiler.json_schema(threading.Thread)


def test_options_have_their_names(compiler: grammarc.Compiler) -> None:
    schema = {"properties": {"a": {"type": "integer"}, "b": {}}, "required": ["a", "b"], "type": "object"}
    assert not accepts(compiler.json_schema(schema), '{"b":1,"a":1}')
    assert accepts(compiler.json_schema(schema, key_order="any"), '{"b":1,"a":1}')
    assert accepts(compiler.json_schema(schema, whitespace="indented:1"), '{\n "a": 1,\n "b": 1\n}')
    assert accepts(compiler.json_schema(schema, separators=(" ,", ": ")), '{"a": 1 ,"b": 1}')
    assert not accepts(compiler.json_schema({"properties": {}, "type": "object"}, closed=True), '{"a":1}')
    nullable = compiler.json_schema({"type": "string", "nullable": True}, dialect="openapi-3.0")
    assert accepts(nullable, "null")
    linked = compiler.json_schema({"$ref": "other.json"}, resources={"other.json": {"const": 5}})
    assert accepts(linked, "5")
    with pytest.raises(ValueError, match="expected natural"):
        compiler.json_schema(True, whitespace="loose")
    with pytest.raises(ValueError, match="unknown variant"):
        compiler.json_schema(True, numbers="roman")  # type: ignore[arg-type]
    with pytest.raises(grammarc.SourceError, match="unknown keyword"):
        compiler.json_schema({"frmat": "x"}, deny=["unknown-keyword"])


def test_errors_are_data(compiler: grammarc.Compiler) -> None:
    with pytest.raises(grammarc.SourceError) as caught:
        compiler.json_schema({"properties": {"a": {"type": "strin"}}})
    assert isinstance(caught.value, ValueError)
    one = caught.value.diagnostics[0]
    assert one.severity == "error" and one.pointer == "/properties/a/type" and one.span is not None
    with pytest.raises(grammarc.SourceError) as caught:
        compiler.gbnf("root ::= missing")
    assert caught.value.diagnostics[0].code == "gbnf::unknown-rule"
    report = compiler.json_schema({"type": "string", "title": "t"}).report
    assert [(entry.keyword, entry.verdict) for entry in report] == [("type", "exact"), ("title", "annotation")]


def hard() -> str:
    """A source that takes minutes: left recursion through each of hundreds of rules."""
    rules = [f'r{n} ::= {" | ".join(f"r{(n * 7 + k * 13) % 600} [a-f]{{1,{k + 1}}}" for k in range(8))} | "{n}"' for n in range(600)]
    return "root ::= r0\n" + "\n".join(rules)


def test_time_is_limited(compiler: grammarc.Compiler) -> None:
    with pytest.raises(grammarc.CompileTimeout) as caught:
        compiler.gbnf(hard(), limits={"timeout": 0.05})
    assert isinstance(caught.value, TimeoutError) and caught.value.limit == "time"
    with pytest.raises(grammarc.LimitError) as limited:
        compiler.json_schema({"enum": [f"{n:0300}" for n in range(2000)]}, limits={"memory": 1000})
    assert limited.value.limit == "memory"
    with pytest.raises(TypeError, match="no `seconds`"):
        compiler.gbnf("root ::= \"a\"", limits={"seconds": 1})  # type: ignore[typeddict-unknown-key]
    with pytest.raises(ValueError, match="makes no sense"):
        compiler.gbnf("root ::= \"a\"", limits={"timeout": -1})


def test_a_token_cancels(compiler: grammarc.Compiler) -> None:
    token = grammarc.CancelToken()
    threading.Timer(0.2, token.cancel).start()
    with pytest.raises(grammarc.Cancelled):
        compiler.gbnf(hard(), cancel=token)
    assert token.cancelled


def test_a_cancelled_task_stops_its_compilation(vocabulary: grammarc.Vocabulary) -> None:
    compiler = grammarc.Compiler(vocabulary)

    async def main() -> None:
        grammar = await compiler.acompile("json_schema", {"type": "null"})
        assert accepts(grammar, "null")
        task = asyncio.create_task(compiler.acompile("gbnf", hard()))
        await asyncio.sleep(0.2)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    deadline = time.monotonic() + 30
    while compiler.stats.cancelled == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    assert compiler.stats.cancelled == 1


def test_grammars_are_kept(vocabulary: grammarc.Vocabulary, tmp_path: Path) -> None:
    schema = {"type": "array", "items": {"type": "integer"}}
    compiler = grammarc.Compiler(vocabulary, cache=tmp_path)
    first = compiler.json_schema(schema)
    assert compiler.json_schema(schema) == first
    assert compiler.stats["compiled"] == 1 and compiler.stats.memory_hits == 1
    assert compiler.stats.compile_times["count"] == 1 and compiler.stats.request_times["count"] == 2
    doubled = _serving.Counters("requests").with_those_of([compiler.stats, compiler.stats])
    assert doubled["compiled"] == 2 and doubled["requests"] == 0
    buckets = compiler.stats.request_times["buckets"]
    assert doubled["request_times"]["buckets"] == [[bound, 2 * count] for bound, count in buckets]
    again = grammarc.Compiler(vocabulary, cache=tmp_path)
    assert again.json_schema(json.dumps(schema)).digest == first.digest
    assert again.stats.folder_hits == 1 and again.stats.compiled == 0
    with pytest.raises(grammarc.SourceError):
        compiler.json_schema({"type": 1})
    with pytest.raises(grammarc.SourceError):
        compiler.json_schema({"type": 1})
    assert compiler.stats.refused == 1 and compiler.stats.refused_from_memory == 1
    assert compiler.key("json_schema", schema) != compiler.key("json_schema", schema, key_order="any")
    with pytest.raises(AttributeError):
        compiler.stats.nonsense
    with pytest.raises(grammarc.ArtifactError):
        grammarc.Compiler(vocabulary, artifacts=[tmp_path])


def test_hostile_sources_are_refused(compiler: grammarc.Compiler) -> None:
    deep = "[" * 100_000 + "]" * 100_000
    for source in (deep, "\0", '{"a": "\ud800"}', '{"const": "\\ud800"}', "{" * 10, ""):
        with pytest.raises((grammarc.SourceError, UnicodeEncodeError)):
            compiler.json_schema(source)
    nested: object = 1
    for _ in range(5000):
        nested = {"items": nested}
    with pytest.raises(grammarc.SourceError):
        compiler.json_schema(nested)  # type: ignore[arg-type]
    with pytest.raises(grammarc.SourceError):
        compiler.json_schema({"minimum": float("nan")})
    with pytest.raises(grammarc.GrammarcError):
        compiler.regex("(" * 100_000)
    with pytest.raises(grammarc.GrammarcError):
        compiler.gbnf("root ::= " + "(" * 100_000)


def test_types_that_are_easily_mistaken(compiler: grammarc.Compiler) -> None:
    """``None`` is the type of ``None``; a ``TypedDict`` of ``typing`` is refused with what to write instead, where pydantic does so."""
    pytest.importorskip("pydantic")
    grammar = compiler.json_schema(None)  # type: ignore[arg-type]
    grammar.check("null")
    with pytest.raises(grammarc.TextRefused):
        grammar.check("{}")
    import typing

    class Place(typing.TypedDict):
        name: str

    if sys.version_info >= (3, 12):
        compiler.json_schema(Place).check('{"name": "x"}')
    else:
        with pytest.raises(grammarc.SourceError, match="typing_extensions.TypedDict"):
            compiler.json_schema(Place)


def test_options_are_named(compiler: grammarc.Compiler) -> None:
    with pytest.raises(TypeError, match="no option 'white_space'; there are whitespace"):
        compiler.json_schema({}, white_space="compact")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="`whitespace`: expected natural"):
        compiler.json_schema({}, whitespace="compcat")  # type: ignore[arg-type]
    # A number that is zero is set.
    pair, text = (compiler.json_schema({"type": "array"}, whitespace=form) for form in (("flexible", 0), "flexible:0"))  # type: ignore[arg-type]
    assert pair == text != compiler.json_schema({"type": "array"})
    assert compiler.json_schema({"type": "array"}, surround=0) == compiler.json_schema({"type": "array"})
    assert compiler.key("json_schema", "{}", surround=0) != compiler.key("json_schema", "{}", surround=1)
