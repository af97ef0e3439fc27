"""The shim for programs of XGrammar: vocabularies, options, refusals, and where it puts its names. Where XGrammar itself is installed, the
two are compared."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from typing import Any

import contract
import pytest

from grammarc.compat import xgrammar

HAS_XGRAMMAR = importlib.util.find_spec("xgrammar") is not None
BYTES = [bytes([byte]) for byte in range(256)] + [b"<|end|>", b"ab"]


def compiler(**options: Any) -> xgrammar.GrammarCompiler:
    return xgrammar.GrammarCompiler(xgrammar.TokenizerInfo(BYTES, vocab_size=300), **options)


def takes(compiled: Any, text: str) -> bool:
    matcher = xgrammar.GrammarMatcher(compiled)
    return bool(matcher.accept_string(text) and matcher.is_completed())


def test_vocabularies_by_how_they_are_written() -> None:
    raw = xgrammar.TokenizerInfo([b"a", b"<0x41>", b"\xff", b"</s>"])
    assert raw.decoded_vocab == [b"a", b"<0x41>", b"\xff", b"</s>"]
    assert raw.stop_token_ids == [3] and raw.special_token_ids == [3] and raw.vocab_size == 4
    pieces = xgrammar.TokenizerInfo(["▁a", "<0x41>", "</s>"], xgrammar.VocabType.BYTE_FALLBACK, vocab_size=5)
    assert pieces.decoded_vocab == [b" a", b"A", b"</s>", b"", b""]
    level = xgrammar.TokenizerInfo(["Ġa", "Ċ", "Ã©", "<|im_end|>", "<|x|>"], xgrammar.VocabType.BYTE_LEVEL)
    assert level.decoded_vocab[:3] == [b" a", b"\n", "é".encode()]
    assert level.stop_token_ids == [3] and level.special_token_ids == [3, 4]


def test_metadata_makes_the_same_vocabulary() -> None:
    first = xgrammar.TokenizerInfo(
        ["Ġa", "b"], xgrammar.VocabType.BYTE_LEVEL, vocab_size=64, stop_token_ids=1, add_prefix_space=True
    )
    second = xgrammar.TokenizerInfo.from_vocab_and_metadata(["Ġa", "b"], first.dump_metadata())
    assert second.dump_metadata() == first.dump_metadata()
    assert second.vocabulary.fingerprint == first.vocabulary.fingerprint


def test_what_a_tokenizer_file_says() -> None:
    said = xgrammar.TokenizerInfo._detect_metadata_from_hf
    assert said('{"decoder": {"type": "ByteLevel"}}') == {
        "vocab_type": xgrammar.VocabType.BYTE_LEVEL,
        "add_prefix_space": False,
    }
    sequence = {
        "decoder": {"type": "Sequence", "decoders": [{"type": "Replace"}, {"type": "ByteFallback"}, {"type": "Strip"}]}
    }
    assert said(json.dumps(sequence)) == {"vocab_type": xgrammar.VocabType.BYTE_FALLBACK, "add_prefix_space": True}
    assert said("{}")["vocab_type"] is xgrammar.VocabType.RAW


@pytest.mark.parametrize(
    ("options", "good", "bad"),
    [
        ({}, '{"a":\n1, "b" :[]}', '{"a":1,"c":1}'),
        ({"strict_mode": False}, '{"a":1,"c":1}', '{"a":"x"}'),
        ({"any_whitespace": False}, '{"a": 1, "b": [1, 2]}', '{"a":1}'),
        ({"any_whitespace": False, "separators": (",", ":")}, '{"a":1,"b":[1,2]}', '{"a": 1}'),
        ({"any_whitespace": False, "indent": 2}, '{\n  "a": 1\n}', '{"a":1}'),
        ({"max_whitespace_cnt": 1}, '{ "a" : 1 }', '{  "a":1}'),
        ({"any_order": True}, '{"b":[],"a":1}', '{"c":1}'),
    ],
)
def test_options_of_schemas(options: dict[str, Any], good: str, bad: str) -> None:
    schema = {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "array"}}}
    compiled = compiler().compile_json_schema(schema, **options)
    assert takes(compiled, good) and not takes(compiled, bad)


def test_other_sources() -> None:
    made = compiler()
    assert takes(made.compile_regex("a+"), "aa")
    assert takes(made.compile_grammar('main ::= "a" "b"', root_rule_name="main"), "ab")
    assert takes(made.compile_grammar(xgrammar.Grammar.from_ebnf('root ::= "x"')), "x")
    macro = made.compile_grammar('root ::= TagDispatch(("<t>", r))\nr ::= "x"')
    assert takes(macro, "y<t>x") and not takes(macro, "<t>y")
    assert takes(made.compile_builtin_json_grammar(), '[{"a": null}, 1.5]')
    assert str(xgrammar.Grammar.from_ebnf('root ::= "x"')) == 'root ::= "x"'


class Item:
    """XGrammar's ``StructuralTagItem``."""

    def __init__(self, begin: str, schema: Any, end: str) -> None:
        self.begin, self.schema_, self.end = begin, schema, end


class Tag:
    """XGrammar's ``StructuralTag``."""

    def __init__(self, tag: dict[str, Any]) -> None:
        self.tag = tag

    def model_dump(self, **options: Any) -> dict[str, Any]:
        return self.tag


def test_structural_tags_in_all_their_forms() -> None:
    made = compiler()
    schema = {"type": "object", "properties": {"a": {"type": "integer"}}}
    begin = {"begin": "<a>", "content": {"type": "json_schema", "json_schema": schema}, "end": "</a>"}
    tag = {"type": "structural_tag", "format": {"type": "triggered_tags", "triggers": ["<a"], "tags": [begin]}}
    items = [Item("<a>", json.dumps(schema), "</a>")]
    for compiled in (
        made.compile_structural_tag(tag),
        made.compile_structural_tag(structural_tag=json.dumps(tag)),
        made.compile_structural_tag(Tag(tag)),
        made.compile_structural_tag(items, ["<a"]),
        made.compile_structural_tag(tags=[Item("<a>", schema, "</a>")], triggers=["<a"]),
        made.compile_grammar(xgrammar.Grammar.from_structural_tag(tag)),
        made.compile_grammar(xgrammar.Grammar.from_structural_tag(items, triggers=["<a"])),
    ):
        assert isinstance(compiled, xgrammar.CompiledGrammar)
        assert takes(compiled, 'so <a>{ "a":\n1}</a>.') and takes(compiled, "no call")
        assert not takes(compiled, '<a>{"b":1}</a>') and not takes(compiled, "<ab")
    for arguments, options in (((), {}), ((1,), {}), ((items,), {}), ((Tag,), {}), ((tag,), {"triggers": []}), ((), {"tags": items})):
        with pytest.raises(TypeError):
            made.compile_structural_tag(*arguments, **options)


TAGS: list[tuple[dict[str, Any], list[str]]] = [
    # The end begins with what the text may not have, as in the tags of Kimi K3.
    (
        {"type": "tag", "begin": "", "content": {"type": "any_text", "excludes": ["<c>", "<o>"]}, "end": "<c>end<s>"},
        ["<c>end<s>", "text<c>end<s>", "text", "<c>x<c>end<s>", "<o><c>end<s>", "<<c>end<s>", "<c>end<s>x"],
    ),
    (
        {"type": "tag", "begin": "", "content": {"type": "any_text", "excludes": ["ab"]}, "end": "bc"},
        ["abc", "xabc", "bc", "bbc", "abbc", "ab", "aabc", "acb"],
    ),
    (
        {"type": "json_schema", "json_schema": {"type": "object", "properties": {"a": {"type": "string"}}}, "style": "deepseek_v4_1_xml"},
        ['<｜DSML｜ parameter name="a" string="true">x</｜DSML｜ parameter>', '<｜DSML｜parameter name="a" string="true">x</｜DSML｜parameter>'],
    ),
    ({"type": "grammar", "grammar": 'root ::= a.b\na.b ::= Regex("x+")'}, ["x", "xx", "", "y"]),
]
"""Formats with texts that they take, and others."""


def test_formats_that_serving_stacks_make() -> None:
    made = compiler()
    taken = []
    for format, texts in TAGS:
        compiled = made.compile_structural_tag({"type": "structural_tag", "format": format})
        taken.append([text for text in texts if takes(compiled, text)])
    assert taken == [
        ["<c>end<s>", "text<c>end<s>", "<<c>end<s>"],
        ["abc", "xabc", "bc", "bbc", "aabc"],
        ['<｜DSML｜ parameter name="a" string="true">x</｜DSML｜ parameter>'],
        ["x", "xx"],
    ]


@pytest.mark.skipif(not HAS_XGRAMMAR, reason="XGrammar is not installed")
@pytest.mark.parametrize("at", range(len(TAGS)))
def test_tags_take_what_xgrammar_s_take(at: int) -> None:
    import xgrammar as real

    format, texts = TAGS[at]
    tag = {"type": "structural_tag", "format": format}
    theirs = real.GrammarCompiler(real.TokenizerInfo(BYTES, stop_token_ids=[256])).compile_structural_tag(tag)
    ours = compiler().compile_structural_tag(tag)
    for text in texts:
        matcher = real.GrammarMatcher(theirs)
        is_taken = matcher.accept_string(text) and matcher.accept_token(256)
        assert takes(ours, text) == is_taken, text


def test_lark() -> None:
    made = compiler()
    source = 'start: "n=" %json {"type": "object", "properties": {"a": {"type": "integer"}}}'
    for compiled in (made.compile_lark(source), made.compile_grammar(xgrammar.Grammar.from_lark(source))):
        assert takes(compiled, 'n={ "a" : 1}') and not takes(compiled, 'n={"b":1}')


def test_refusals_are_runtime_errors() -> None:
    made = compiler()
    for refused in (
        lambda: made.compile_json_schema('{"$ref": "#/nope"}'),
        lambda: made.compile_regex("("),
        lambda: made.compile_grammar("root ::= x"),
        lambda: made.compile_structural_tag("{}"),
        lambda: made.compile_structural_tag({"type": "token", "token": "<nope>"}),
        lambda: made.compile_lark("start: x"),
        lambda: made.compile_json_schema({}, any_whitespace=False, indent=2, separators=("", "")),
    ):
        with pytest.raises(RuntimeError, match="grammarc: "):
            refused()
    with pytest.raises(ValueError):
        xgrammar.GrammarMatcher(object())
    with pytest.raises(ValueError):
        xgrammar.GrammarCompiler(object())  # type: ignore[arg-type]


def test_the_cache_can_be_off_and_forgets() -> None:
    made = compiler()
    for _ in range(3):
        made.compile_regex("a")
    assert made.stats["compiled"] == 1
    made.clear_cache()
    assert made.stats["compiled"] == 0
    off = compiler(cache_enabled=False)
    for _ in range(2):
        off.compile_regex("a")
    assert off.stats["compiled"] == 2


def test_the_end_of_a_sequence() -> None:
    compiled = compiler().compile_regex("ab?")
    matcher = xgrammar.GrammarMatcher(compiled)
    mask = contract.rows()[:, :10].copy()
    assert matcher.stop_token_ids == [256]
    assert matcher.accept_token(97) and matcher.is_completed() and not matcher.is_terminated()
    assert matcher.accept_token(256) and matcher.is_terminated()
    assert not matcher.accept_token(98)
    with pytest.raises(RuntimeError, match="ended"):
        matcher.fill_next_token_bitmask(mask)
    with pytest.raises(RuntimeError, match="ended"):
        xgrammar.BatchGrammarMatcher().batch_fill_next_token_bitmask([matcher], mask)
    matcher.rollback(2)
    assert not matcher.is_completed()
    with pytest.raises(RuntimeError):
        matcher.rollback()
    itself = xgrammar.GrammarMatcher(compiled, terminate_without_stop_token=True)
    assert not itself.is_terminated()
    assert itself.accept_token(97) and itself.is_terminated()
    other = xgrammar.GrammarMatcher(compiled, override_stop_tokens=98)
    assert other.stop_token_ids == [98]


def test_a_text_is_one_step() -> None:
    matcher = xgrammar.GrammarMatcher(compiler().compile_regex("(ab|é)+"))
    assert matcher.accept_string("abé") and matcher.accept_string("ab".encode())
    assert not matcher.accept_string("abx") and not matcher.accept_string("x")
    matcher.rollback()
    assert matcher.find_jump_forward_string() == ""
    matcher.rollback()
    assert not matcher.is_completed()
    forced = xgrammar.GrammarMatcher(compiler().compile_regex("ab(é|è)c"))
    # The first byte of both letters is forced too, and is no character.
    assert forced.find_jump_forward_string() == "ab"


def test_a_mask_that_forbids_nothing_says_so() -> None:
    info = xgrammar.TokenizerInfo([b"a", b"b", b"</s>"], stop_token_ids=[2])
    matcher = xgrammar.GrammarMatcher(xgrammar.GrammarCompiler(info).compile_regex("[ab]*"))
    mask = contract.rows()[:, :1].copy()
    assert matcher.fill_next_token_bitmask(mask) is False
    assert contract.tokens_of(mask[0]) == {0, 1, 2}


def test_many_at_once() -> None:
    batch = xgrammar.BatchGrammarMatcher()
    compiled = compiler().compile_regex("a+b")
    matchers = [xgrammar.GrammarMatcher(compiled) for _ in range(3)]
    assert batch.batch_accept_token(matchers, [97, 98, 97]) == [True, False, True]
    mask = contract.rows(4)[:, :10].copy()
    batch.batch_fill_next_token_bitmask(matchers, mask, [3, 0, 1])
    assert [contract.tokens_of(row) & {97, 98} for row in mask[[3, 0, 1]]] == [{97, 98}, {97}, {97, 98}]
    assert (mask[2] == -1).all()
    batch.batch_rollback(matchers[:1])
    assert batch.batch_accept_string(matchers, ["b", "aab", "ab"]) == [False, True, True]


def run(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_installing_is_explicit_and_can_be_taken_back() -> None:
    code = """
import sys
sys.modules.pop("xgrammar", None)
class Nothing:
    def find_spec(self, name, path=None, target=None):
        if name == "xgrammar":
            raise ImportError(name)
sys.meta_path.insert(0, Nothing())
from grammarc.compat import xgrammar as shim
assert "xgrammar" not in sys.modules
shim.install(); shim.install()
import xgrammar
assert xgrammar is shim and xgrammar.GrammarCompiler is shim.GrammarCompiler
for name in ("StructuralTag", "structural_tag"):
    try:
        getattr(xgrammar, name)
    except AttributeError as error:
        assert "not installed" in str(error)
    else:
        raise SystemExit(name)
made = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo([b"a", b"</s>"]))
only = {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["\\\\x"]}
for refused, why in (
    (lambda: made.compile_structural_tag(only), "grammarc: "),
    (lambda: made.compile_lark("start: @x", named_grammars={"x": "start: /a/"}), "not installed"),
    (lambda: xgrammar.Grammar.from_lark("start: @x", named_grammars={"x": "start: /a/"}), "not installed"),
):
    try:
        refused()
    except RuntimeError as error:
        assert why in str(error)
    else:
        raise SystemExit("taken")
assert type(made.compile_structural_tag('{"type": "const_string", "value": "a"}')) is shim.CompiledGrammar
assert type(made.compile_lark("start: /a/")) is shim.CompiledGrammar
shim.uninstall()
assert "xgrammar" not in sys.modules
"""
    run(code)


@pytest.mark.skipif(not HAS_XGRAMMAR, reason="XGrammar is not installed")
def test_installing_into_xgrammar() -> None:
    code = """
import xgrammar
theirs = xgrammar.GrammarMatcher
from grammarc.compat import xgrammar as shim
shim.install(); shim.install()
assert xgrammar.GrammarMatcher is shim.GrammarMatcher is not theirs
assert shim.StructuralTag is xgrammar.StructuralTag
info = xgrammar.TokenizerInfo([bytes([byte]) for byte in range(256)] + [b"</s>"])
made = xgrammar.GrammarCompiler(info)
tag = {"type": "structural_tag", "format": {"type": "tag", "begin": "<a>", "content": {"type": "regex", "pattern": "b+"}, "end": "</a>"}}
both = {"x": "start: /b+/"}
for compiled, whose in (
    (made.compile_structural_tag(tag), shim.GrammarMatcher),
    (made.compile_structural_tag(xgrammar.StructuralTag.model_validate(tag)), shim.GrammarMatcher),
    (made.compile_grammar(xgrammar.Grammar.from_structural_tag(tag)), shim.GrammarMatcher),
    (made.compile_lark("start: /<a>b+<.a>/"), shim.GrammarMatcher),
    (made.compile_lark('start: "<a>" @x "</a>"', named_grammars=both), theirs),
    (made.compile_grammar(xgrammar.Grammar.from_lark('start: "<a>" @x "</a>"', named_grammars=both)), theirs),
    (made.compile_grammar('root ::= Regex("<a>b+</a>")'), shim.GrammarMatcher),
):
    matcher = xgrammar.GrammarMatcher(compiled, override_stop_tokens=[256])
    assert type(matcher) is whose
    assert matcher.accept_string("<a>bb</a>") and matcher.accept_token(256) and matcher.is_terminated()
assert type(xgrammar.GrammarMatcher(made.compile_regex("a"))) is shim.GrammarMatcher
only = {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["\\\\x"]}
only = {"type": "structural_tag", "format": only}
assert type(xgrammar.GrammarMatcher(made.compile_structural_tag(only))) is theirs
assert "root" in str(xgrammar.Grammar.from_regex("a+"))
assert "root" in str(xgrammar.Grammar.from_structural_tag(tag))
item = xgrammar.StructuralTagItem(begin="<a>", schema={"type": "integer"}, end="</a>")
compiled = made.compile_structural_tag([item], ["<a"])
assert type(compiled) is shim.CompiledGrammar
matcher = xgrammar.GrammarMatcher(compiled, override_stop_tokens=[256])
assert matcher.accept_string("so <a>12</a>.") and not matcher.accept_string("<ab")
shim.uninstall()
assert xgrammar.GrammarMatcher is theirs
"""
    run(code)


@pytest.mark.skipif(not HAS_XGRAMMAR, reason="XGrammar is not installed")
@pytest.mark.parametrize("pattern", ["ab?", "(true|false)x*", "[a-c]{2,3}", "é+"])
@pytest.mark.parametrize("itself", [False, True])
def test_answers_are_xgrammar_s(pattern: str, itself: bool) -> None:
    """Random calls, answered alike by both."""
    import random

    import torch
    import xgrammar as real

    stop = 256
    theirs = real.GrammarCompiler(real.TokenizerInfo(BYTES, stop_token_ids=[stop])).compile_regex(pattern)
    ours = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo(BYTES, stop_token_ids=[stop])).compile_regex(pattern)
    rng = random.Random(pattern)
    for _ in range(20):
        pair = [
            real.GrammarMatcher(theirs, terminate_without_stop_token=itself),
            xgrammar.GrammarMatcher(ours, terminate_without_stop_token=itself),
        ]
        steps = 0
        for _ in range(12):
            states = []
            for one in pair:
                mask = real.allocate_token_bitmask(1, len(BYTES))
                try:
                    filled: Any = one.fill_next_token_bitmask(mask)
                except RuntimeError:
                    filled = "ended"
                states.append(
                    (
                        filled,
                        contract.tokens_of(mask[0].numpy()) if filled is True else None,
                        one.is_terminated(),
                        one.is_completed(),
                    )
                )
            assert states[0] == states[1]
            allowed = states[0][1] or set()
            choice = rng.random()
            if choice < 0.2 and steps:
                count = rng.randint(1, steps)
                for one in pair:
                    one.rollback(count)
                steps -= count
                continue
            token = rng.choice(sorted(allowed)) if allowed and choice < 0.8 else rng.choice([-1, stop, 97, 98, 1000])
            answers = [one.accept_token(token) for one in pair]
            assert answers[0] == answers[1], (token, answers)
            steps += answers[0]
    logits = torch.zeros(2, len(BYTES))
    mask = real.allocate_token_bitmask(2, len(BYTES))
    xgrammar.GrammarMatcher(ours).fill_next_token_bitmask(mask, 1)
    for indices in (None, [1]):
        both = [logits.clone(), logits.clone()]
        real.apply_token_bitmask_inplace(both[0], mask, indices=indices)
        xgrammar.apply_token_bitmask_inplace(both[1], mask, indices=indices)
        assert torch.equal(*both)
