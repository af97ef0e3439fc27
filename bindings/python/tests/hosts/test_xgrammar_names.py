"""The shim beside XGrammar 0.2.9: what that serialises, and answers of what 0.2.9 added."""

from __future__ import annotations

import json
import random
from importlib.metadata import version
from typing import Any

import pytest

xgrammar = pytest.importorskip("xgrammar", reason="XGrammar is not installed: the shim is not compared with it")
torch = pytest.importorskip("torch")
VERSION = version("xgrammar")
if tuple(map(int, VERSION.split(".")[:3])) < (0, 2, 9):
    pytest.skip(f"XGrammar is {VERSION}, and these are names of 0.2.9", allow_module_level=True)

import xgrammar.builtin_structural_tag as builtin  # noqa: E402
from xgrammar import structural_tag as formats  # noqa: E402

from grammarc.compat import xgrammar as shim  # noqa: E402

STOP = 256
MARKERS = sorted({marker for markers in builtin._structural_tag_marker_tokens.values() for marker in markers})
TOKENS = [bytes([byte]) for byte in range(256)] + [b"</s>"] + [marker.encode() for marker in MARKERS]
TOKENS += [b"ab", b"abc", b"bc", b"bcd", b'"a', b'{"', b'":', b"tr", b"true", "é".encode(), "éa".encode()]
OURS = shim.GrammarCompiler(shim.TokenizerInfo(TOKENS, stop_token_ids=[STOP]))
THEIRS = xgrammar.GrammarCompiler(xgrammar.TokenizerInfo(TOKENS, stop_token_ids=[STOP]))

SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}}, "required": ["a"]}
TAG = formats.TagFormat(begin="<a>", content=formats.RegexFormat(pattern="b+"), end="</a>")
FORMATS = [
    formats.ConstStringFormat(value="a"),
    formats.JSONSchemaFormat(json_schema=SCHEMA),
    formats.QwenXMLParameterFormat(json_schema=SCHEMA),
    formats.AnyTextFormat(),
    formats.GrammarFormat(grammar='root ::= "a"+'),
    formats.GrammarFormat(grammar="start: A+\nA: /[ab]/", syntax="lark"),
    formats.RegexFormat(pattern="a+"),
    formats.TokenFormat(token=MARKERS[0]),
    formats.ExcludeTokenFormat(),
    formats.AnyTokensFormat(),
    formats.SequenceFormat(elements=[TAG]),
    formats.OrFormat(elements=[TAG, formats.AnyTextFormat()]),
    TAG,
    formats.TriggeredTagsFormat(triggers=["<a"], tags=[TAG]),
    formats.TokenTriggeredTagsFormat(
        trigger_tokens=[MARKERS[0]],
        tags=[formats.TagFormat(begin=formats.TokenFormat(token=MARKERS[0]), content=formats.RegexFormat(pattern="b"), end="</a>")],
    ),
    formats.TagsWithSeparatorFormat(tags=[TAG], separator=","),
    formats.OptionalFormat(content=TAG),
    formats.PlusFormat(content=TAG),
    formats.StarFormat(content=TAG),
    formats.RepeatFormat(min=1, max=-1, content=TAG),
    formats.DispatchFormat(rules=[("<x>", TAG)]),
    formats.TokenDispatchFormat(rules=[(MARKERS[0], TAG)]),
]


def test_every_format_is_tried() -> None:
    union = formats.Format.__args__[0].__args__ if hasattr(formats.Format, "__args__") else ()
    assert {type(one) for one in FORMATS} == set(union)


@pytest.mark.parametrize("format", FORMATS, ids=lambda format: format.type)
def test_serialised_formats_load_with_their_defaults(format: Any) -> None:
    tag = formats.StructuralTag(format=format)
    for form in (tag, tag.model_dump_json(), tag.model_dump(), tag.model_dump_json(exclude_none=True), json.loads(tag.model_dump_json())):
        assert type(OURS.compile_structural_tag(form)) is shim.CompiledGrammar


def test_tags_of_all_models_compile() -> None:
    """Each choice, with reasoning and without, markers as texts and as tokens."""
    functions = [{"name": "f", "parameters": SCHEMA}, {"name": "g", "parameters": {"type": "object", "properties": {}}}]
    tools = [{"type": "function", "function": one} for one in functions]
    whose: dict[bool, set[str]] = {True: set(), False: set()}
    for model in builtin._structural_tag_registry:
        for choice in ("auto", "required", {"type": "function", "function": {"name": "f"}}):
            for reasoning in (True, False, "auto"):
                for token_markers in {False, model in builtin._structural_tag_marker_tokens}:
                    tag = shim.get_model_structural_tag(model, tools, choice, reasoning=reasoning, token_markers=token_markers)
                    whose[type(OURS.compile_structural_tag(tag)) is shim.CompiledGrammar].add(model)
    assert not whose[False] and len(whose[True]) >= 19


SOURCES = ["abcd", "(abc|abd)e", "ab?", "x(true|tru)", "éa+", "(é|è)", "a{3}b", '\\{"a": (true|false)\\}', "bcdbcdbcd", "[a-z]+", "abc"]


@pytest.mark.parametrize("pattern", SOURCES)
def test_jump_forward_tokens_are_xgrammar_s(pattern: str) -> None:
    ours, theirs = shim.GrammarMatcher(OURS.compile_regex(pattern)), xgrammar.GrammarMatcher(THEIRS.compile_regex(pattern))
    pick = random.Random(pattern)
    for _ in range(8):
        found = ours.find_jump_forward_tokens()
        assert found == theirs.find_jump_forward_tokens()
        mask = shim.allocate_token_bitmask(1, len(TOKENS))
        if ours.is_terminated():
            break
        ours.fill_next_token_bitmask(mask)
        allowed = [token for token in range(len(TOKENS)) if mask[0, token // 32] >> token % 32 & 1]
        token = found[0] if found else pick.choice(allowed)
        assert ours.accept_token(token) and theirs.accept_token(token)


def test_a_draft_tree_is_masked_as_xgrammar_masks_it() -> None:
    # 0 -> (1 -> 3, 2); the second child is not allowed, the first ends.
    children, siblings = torch.tensor([1, 3, -1, -1]), torch.tensor([-1, 2, -1, -1])
    drafts = torch.tensor([ord("a"), ord("b"), ord("z"), STOP])
    rows = []
    for made, module in ((OURS, shim), (THEIRS, xgrammar)):
        matcher = module.GrammarMatcher(made.compile_regex("ab[cd]?"), default_temperature=0.5)
        assert matcher.accept_token(ord("a"))
        mask = torch.full(module.get_bitmask_shape(4, len(TOKENS)), -1, dtype=torch.int32)
        temperatures = torch.zeros(4)
        assert matcher.traverse_draft_tree(children, siblings, drafts, mask, temperatures=temperatures)
        assert matcher.accept_token(ord("b")), "the matcher stays where it is"
        rows.append((mask, temperatures))
    assert torch.equal(rows[0][0], rows[1][0]) and torch.equal(rows[0][1], rows[1][1])


def test_grammars_are_joined_as_xgrammar_joins_them() -> None:
    for join, texts in (("concat", ["a1", "a", "1", "1a"]), ("union", ["a", "1", "a1", ""])):
        taken = []
        for made, module in ((OURS, shim), (THEIRS, xgrammar)):
            parts = [module.Grammar.from_regex("a"), module.Grammar.from_json_schema({"type": "integer"})]
            compiled = made.compile_grammar(getattr(module.Grammar, join)(*parts))
            matchers = [module.GrammarMatcher(compiled) for _ in texts]
            taken.append([one.accept_string(text) and one.is_completed() for one, text in zip(matchers, texts, strict=True)])
        assert taken[0] == taken[1]


def test_masks_when_they_are_needed() -> None:
    lazy = shim.GrammarCompiler(OURS.tokenizer_info, enable_dynamic_compilation=True)
    eager, dynamic = OURS.compile_json_schema(SCHEMA), lazy.compile_json_schema(SCHEMA)
    masks = []
    for compiled in (eager, dynamic):
        matcher = shim.GrammarMatcher(compiled)
        assert matcher.accept_string('{"a": "x')
        mask = shim.allocate_token_bitmask(1, len(TOKENS))
        matcher.fill_next_token_bitmask(mask)
        masks.append(mask)
    assert torch.equal(*masks)
    assert dynamic.compiled.wait(60) and lazy.get_cache_size_bytes() == dynamic.memory_size_bytes


def test_the_cache_is_bounded_by_bytes() -> None:
    made = shim.GrammarCompiler(OURS.tokenizer_info)
    assert made.get_cache_size_bytes() == 0 and made.cache_limit_bytes == -1
    first = made.compile_regex("a+")
    assert made.compile_regex("a+") is first
    size = made.get_cache_size_bytes()
    assert size == first.memory_size_bytes > 0
    second = made.compile_regex("b+")
    assert made.get_cache_size_bytes() == size + second.memory_size_bytes
    made.clear_cache()
    assert made.get_cache_size_bytes() == 0
    bounded = shim.GrammarCompiler(OURS.tokenizer_info, cache_limit_bytes=size + 1)
    first = bounded.compile_regex("a+")
    bounded.compile_regex("b+")
    assert bounded.get_cache_size_bytes() <= size + 1 and bounded.compile_regex("a+") is not first
    off = shim.GrammarCompiler(OURS.tokenizer_info, cache_enabled=False)
    off.compile_regex("a+")
    assert off.get_cache_size_bytes() == 0
