"""Forced tokens of the shim with a tokenizer at hand: they are those of its own encoding of the whole text."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from grammarc.compat import xgrammar

tokenizers = pytest.importorskip("tokenizers", reason="tokenizers is not installed: no tokenizer is at hand")
transformers = pytest.importorskip("transformers", reason="transformers is not installed: no tokenizer is at hand")

TEXTS = [
    '{"name": "get_weather", "arguments": {"city": "Oslo", "unit": "celsius"}}',
    "<function=search>\n<parameter=query>\ntides of the sea\n</parameter>\n</function>",
    "weatherweather the the\n\n\n  indented, größer 日本語",
    "aaaaaaaaaaaab",
    "".join(random.Random(1).choices("abc", k=80)),
]
"""The last has many spellings, of which the longest token at each place is rarely the tokenizer's."""


@pytest.fixture(scope="module")
def tokenizer() -> Any:
    """A tokenizer of bytes with merges, as those of models, trained on the texts and on their pieces."""
    pick = random.Random(0)
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    made.decoder = tokenizers.decoders.ByteLevel()
    pieces = [text[pick.randrange(len(text)) :] for text in TEXTS for _ in range(20)]
    pieces += ["".join(pick.choices("abc", k=40)) for _ in range(200)]
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=420, special_tokens=["<end>"], initial_alphabet=alphabet, show_progress=False)
    made.train_from_iterator(pieces, trainer)
    return transformers.PreTrainedTokenizerFast(tokenizer_object=made, eos_token="<end>")


@pytest.fixture(scope="module")
def compiler(tokenizer: Any) -> xgrammar.GrammarCompiler:
    return xgrammar.GrammarCompiler(xgrammar.TokenizerInfo.from_huggingface(tokenizer))


def constant(compiler: xgrammar.GrammarCompiler, text: str) -> xgrammar.GrammarMatcher:
    return xgrammar.GrammarMatcher(compiler.compile_grammar(f"root ::= {json.dumps(text, ensure_ascii=False)}"))


@pytest.mark.parametrize("text", TEXTS)
def test_runs_are_the_tokenizer_s_own(compiler: xgrammar.GrammarCompiler, tokenizer: Any, text: str) -> None:
    whole = tokenizer.encode(text, add_special_tokens=False)
    matcher = constant(compiler, text)
    for at in range(len(whole)):
        found = matcher.find_jump_forward_tokens()
        # Nothing at all where the tail behind which a text is encoded does not encode to itself and the rest would join.
        assert found in ([], whole[at:][:64]), (at, found, whole[at:])
        assert matcher.accept_token(whole[at])
    assert matcher.find_jump_forward_tokens() == []


def test_most_places_have_a_run_and_greedy_ones_differ(compiler: xgrammar.GrammarCompiler, tokenizer: Any) -> None:
    with_run = greedy_right = places = 0
    for text in TEXTS:
        whole = tokenizer.encode(text, add_special_tokens=False)
        matcher = constant(compiler, text)
        for at, token in enumerate(whole):
            places += 1
            with_run += bool(matcher.find_jump_forward_tokens())
            drafter, matcher._drafter = matcher._drafter, None
            greedy_right += matcher.find_jump_forward_tokens() in (whole[at:], whole[at:-1])
            matcher._drafter = drafter
            assert matcher.accept_token(token)
    assert with_run == places and greedy_right < places, (with_run, greedy_right, places)


def test_a_last_token_that_may_be_longer_is_left_out(compiler: xgrammar.GrammarCompiler, tokenizer: Any) -> None:
    name, longer = tokenizer.encode("get", add_special_tokens=False), "get_weather"
    matcher = xgrammar.GrammarMatcher(compiler.compile_grammar(f'root ::= "get" ("x" | "_weather")'))
    found = matcher.find_jump_forward_tokens()
    allowed = [compiler.tokenizer_info.decoded_vocab[token] for token in matcher._matcher.allowed()]
    if any(len(token) > 3 and longer.encode().startswith(token) for token in allowed):
        assert found == name[:-1]
    else:
        assert found == name


def test_steps_that_are_taken_back_are_no_tail(compiler: xgrammar.GrammarCompiler, tokenizer: Any) -> None:
    text = TEXTS[0]
    matcher, fresh = constant(compiler, text), constant(compiler, text)
    for token in tokenizer.encode(text[:20], add_special_tokens=False)[:-1]:
        assert matcher.accept_token(token)
    assert matcher.accept_string(text[len(tokenizer.decode([token for step in matcher._steps for token in step])) :][:3])
    fork = matcher.fork()
    fork.rollback(len(fork._steps))
    assert fork.find_jump_forward_tokens() == fresh.find_jump_forward_tokens() == tokenizer.encode(text, add_special_tokens=False)


def test_joined_text_has_no_run(compiler: xgrammar.GrammarCompiler, tokenizer: Any) -> None:
    """Behind a token that the tokenizer would not have written there, what follows is not known."""
    text = "aaaaaaaaaaaab"
    single = tokenizer.encode("a", add_special_tokens=False)
    matcher = constant(compiler, text)
    assert len(single) == 1 and matcher.accept_token(single[0])
    found = matcher.find_jump_forward_tokens()
    joined = tokenizer.encode(text, add_special_tokens=False)
    assert (found == []) is (joined[0] != single[0])
