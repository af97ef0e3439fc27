"""Hosts over numpy: llama-cpp-python, onnxruntime-genai, TensorRT-LLM, each by a stand-in."""

from __future__ import annotations

import json
import logging
from typing import Any

import numpy
import pytest
import stubs
from letters import (
    COMPILER,
    ENDS,
    GRAMMAR,
    TEXTS,
    TOKENS,
    VOCABULARY,
    WIDTH,
    allowed_after,
    check_walks,
    walk,
)

import grammarc
from grammarc.hosts import onnxruntime_genai, tensorrt_llm
from grammarc.hosts._probe import HostMismatch


def finite(row: Any) -> set[int]:
    assert not numpy.isnan(row).any()
    return {int(token) for token in numpy.flatnonzero(numpy.isfinite(row))}


# llama-cpp-python


@pytest.fixture
def llama_cpp(monkeypatch: pytest.MonkeyPatch) -> Any:
    # Put back as it was: another test may have the real one.
    monkeypatch.setitem(stubs.sys.modules, "llama_cpp", stubs.llama_cpp())
    from grammarc.hosts import llama_cpp as host

    return host


class OfLlama:
    def __init__(self, processor: Any, prompt: list[int]) -> None:
        self.processor = processor
        self.tokens = list(prompt)

    def allowed(self) -> set[int]:
        scores = stubs.candidates(WIDTH)
        scores[:] = self.processor(numpy.array(self.tokens, dtype=numpy.intc), scores)
        return finite(scores)

    def push(self, token: int) -> None:
        self.tokens.append(token)


def test_llama_walks(llama_cpp: Any) -> None:
    llama = stubs.Llama(WIDTH, ENDS)
    check_walks(lambda: OfLlama(llama_cpp.GrammarLogitsProcessor(GRAMMAR, llama), [40, 2]))
    one = llama_cpp.GrammarLogitsProcessor(GRAMMAR, llama)
    check_walks(lambda: OfLlama(one, [40, 2]))
    one.check()


def test_llama_scores_that_are_allowed_stay(llama_cpp: Any) -> None:
    processor = llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS))
    scores = numpy.arange(WIDTH, dtype=numpy.float32)
    given = scores.copy()
    row = processor(numpy.array([1], dtype=numpy.intc), scores)
    assert (scores == given).all()
    for token in finite(row):
        assert row[token] == given[token]


def test_llama_failures_end_the_generation(llama_cpp: Any, caplog: pytest.LogCaptureFixture) -> None:
    """An exception would be lost in llama.cpp, and the generation go on freely."""
    processor = llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS))
    driver = OfLlama(processor, [40])
    driver.allowed()
    driver.push(4)
    with caplog.at_level(logging.ERROR, logger="grammarc"):
        assert driver.allowed() == set(ENDS)
    assert "token 4 was chosen" in caplog.text
    with pytest.raises(grammarc.TokenRefused):
        processor.check()
    # A row of another length than the model's.
    assert finite(processor(numpy.array([41], dtype=numpy.intc), numpy.zeros(12, numpy.float32))) == set(ENDS)
    with pytest.raises(ValueError):
        processor.check()


def test_an_empty_row_is_named(llama_cpp: Any) -> None:
    """The end is forbidden before the mask, and the grammar allows nothing else."""
    ended = numpy.zeros(WIDTH, numpy.float32)
    ended[list(ENDS)] = -numpy.inf
    processor = llama_cpp.GrammarLogitsProcessor(COMPILER.choice(["b"]), stubs.Llama(WIDTH, ENDS))
    processor(numpy.array([40], dtype=numpy.intc), ended)
    assert finite(processor(numpy.array([40, 1], dtype=numpy.intc), ended)) == set(ENDS)
    with pytest.raises(grammarc.GrammarcError, match="no token is left in row 0"):
        processor.check()
    generator = stubs.Generator(2, WIDTH, [[1, 1]])
    held = onnxruntime_genai.GrammarGenerator(generator, stubs.GeneratorParams(), COMPILER.choice(["b"]), end_tokens=ENDS)
    held.next()
    generator.get_logits = lambda: numpy.tile(ended, (2, 1, 1))
    with pytest.raises(grammarc.GrammarcError, match="no token is left in row 0"):
        held.next()


def test_another_models_grammar_is_refused(llama_cpp: Any) -> None:
    other = grammarc.Compiler(grammarc.Vocabulary.from_tokens([bytes([byte]) for byte in range(256)])).choice(["a"])
    with pytest.raises(ValueError, match=f"have {WIDTH} logits.*is 256"):
        llama_cpp.GrammarLogitsProcessor(other, stubs.Llama(WIDTH, ENDS))
    with pytest.raises(ValueError, match=f"have {WIDTH} logits.*is 256"):
        drive([[1], [2]], other)


def test_llama_says_that_it_was_not_called(llama_cpp: Any) -> None:
    processor = llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS))
    with pytest.raises(grammarc.GrammarcError, match="did not call"):
        processor.check()
    OfLlama(processor, [1]).allowed()
    processor.check()


def test_llama_with_drafts_is_refused(llama_cpp: Any) -> None:
    with pytest.raises(ValueError, match="draft_model"):
        llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS, draft_model=object()))


# onnxruntime-genai


def drive(choices: list[list[int]], grammar: Any, **options: Any) -> list[list[set[int]]]:
    """What is allowed at each step in each row."""
    generator = stubs.Generator(len(choices[0]), WIDTH, choices)
    held = onnxruntime_genai.GrammarGenerator(
        generator, stubs.GeneratorParams(**options), grammar, end_tokens=ENDS
    )
    seen = []
    while not generator.is_done():
        held.next()
        seen.append([finite(row) for row in generator.logits[:, 0, :]])
    return seen


def test_onnx_walks() -> None:
    walks = [walk(seed) for seed in range(16)]
    steps = max(map(len, walks)) + 2
    # Finished rows are padded, with a token that no mask has in it.
    rows = [tokens + [9] * (steps - len(tokens)) for tokens in walks]
    seen = drive([list(step) for step in zip(*rows, strict=True)], GRAMMAR)
    for step, masks in enumerate(seen):
        for tokens, mask in zip(rows, masks, strict=True):
            assert mask == allowed_after(tokens[:step])


def test_onnx_a_grammar_for_each_sequence() -> None:
    other = COMPILER.choice(["cab"])
    seen = drive([[1, 2, 5], [7, 0, 5], [9, 1, 5], [9, 8, 5]], [GRAMMAR, other, None])
    assert [masks[1] for masks in seen] == [allowed_after(tokens, ["cab"]) for tokens in ([], [2], [2, 0], [2, 0, 1])]
    assert all(masks[2] == set(range(WIDTH)) for masks in seen)


def test_onnx_refusals() -> None:
    with pytest.raises(ValueError, match="num_beams"):
        drive([[1]], GRAMMAR, num_beams=2.0)
    with pytest.raises(ValueError, match="2 grammars were given for 3"):
        drive([[1, 1, 1]], [GRAMMAR, GRAMMAR])
    with pytest.raises(grammarc.TokenRefused):
        drive([[4]], GRAMMAR)
    with pytest.raises(HostMismatch, match="has no get_logits"):
        onnxruntime_genai.GrammarGenerator(object(), stubs.GeneratorParams(), GRAMMAR)


def test_onnx_vocabulary(tmp_path: Any) -> None:
    with pytest.raises(grammarc.SourceError, match="genai_config"):
        onnxruntime_genai.vocabulary(tmp_path)


# TensorRT-LLM


@pytest.fixture
def decoder() -> Any:
    stubs.XGrammarMatcherFactory.made = 0
    yield stubs.tensorrt_llm()
    stubs.forget("tensorrt_llm")


def config(**more: Any) -> Any:
    return stubs.guided(TOKENS, ENDS, **more)


class OfTensorRt:
    """One request in the guided decoder's loop."""

    def __init__(self, matcher: Any) -> None:
        self.matcher = matcher
        self.mask = numpy.full((3, -(-WIDTH // 32)), -1, dtype=numpy.int32)

    def allowed(self) -> set[int]:
        self.matcher.fill_next_token_bitmask(self.mask, 1)
        assert (self.mask[[0, 2]] == -1).all()
        bits = numpy.unpackbits(self.mask[1].view(numpy.uint8), bitorder="little")
        return {int(token) for token in numpy.flatnonzero(bits)}

    def push(self, token: int) -> None:
        assert self.matcher.accept_token(token)


def ebnf(texts: list[str]) -> str:
    return "root ::= " + " | ".join(json.dumps(text) for text in texts)


def made(decoder: Any, kind: stubs.GuideType, guide: str | None, **more: Any) -> Any:
    tensorrt_llm.install()
    factory = decoder.XGrammarMatcherFactory(config(**more), WIDTH, max_num_draft_tokens=3)
    return factory.create(stubs.GuidedDecodingParams(kind, guide))


def test_tensorrt_walks(decoder: Any) -> None:
    check_walks(lambda: OfTensorRt(made(decoder, stubs.GuideType.EBNF_GRAMMAR, ebnf(TEXTS))))
    check_walks(lambda: OfTensorRt(made(decoder, stubs.GuideType.REGEX, "|".join(TEXTS))), 5)
    assert stubs.XGrammarMatcherFactory.made == 0


def test_tensorrt_drafts_and_the_end(decoder: Any) -> None:
    matcher = made(decoder, stubs.GuideType.EBNF_GRAMMAR, ebnf(TEXTS))
    driver = OfTensorRt(matcher)
    for bad in (2, 9, -1, 2**31, 2**40, WIDTH):
        if bad != 2:
            assert not matcher.accept_token(bad)
        assert driver.allowed() == allowed_after([])
    # The second of three drafts is refused: one is taken back.
    assert matcher.accept_token(0) and not matcher.accept_token(2)
    assert driver.allowed() == allowed_after([0])
    matcher.rollback(1)
    assert driver.allowed() == allowed_after([])
    # Through the end token and back.
    for token in (5, 8):
        assert matcher.accept_token(token)
    assert matcher.is_terminated()
    matcher.rollback(0)
    assert matcher.is_terminated()
    matcher.rollback(2)
    assert not matcher.is_terminated()
    assert driver.allowed() == allowed_after([])


def test_tensorrt_takes_what_only_xgrammar_has_to_the_factory_before(decoder: Any) -> None:
    tensorrt_llm.install()
    factory = decoder.XGrammarMatcherFactory(config(), WIDTH)
    assert isinstance(factory, stubs.XGrammarMatcherFactory)
    schema = {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["\\x"]}
    guide = json.dumps({"type": "structural_tag", "format": schema})
    params = stubs.GuidedDecodingParams(stubs.GuideType.STRUCTURAL_TAG, guide)
    assert factory.create(params) == ("of XGrammar", guide)
    assert factory.create(params) == ("of XGrammar", guide)
    assert stubs.XGrammarMatcherFactory.made == 1


def test_tensorrt_refuses_wrong_structural_tags(decoder: Any) -> None:
    for guide in ("tags", "{}", '{"type": "structural_tag", "format": {"type": "no"}}'):
        with pytest.raises(grammarc.SourceError):
            made(decoder, stubs.GuideType.STRUCTURAL_TAG, guide)
    assert stubs.XGrammarMatcherFactory.made == 0


def test_tensorrt_schemas_have_its_defaults(decoder: Any) -> None:
    """Any whitespace, and no keys that the schema does not name."""
    tensorrt_llm.install()
    alphabet = [bytes([byte]).decode("latin-1") for byte in range(128)] + ["<end>"]
    factory = decoder.XGrammarMatcherFactory(config(encoded_vocab=alphabet, stop_token_ids=[128]), 129)

    def takes(kind: stubs.GuideType, guide: str | None, text: str) -> bool:
        matcher = factory.create(stubs.GuidedDecodingParams(kind, guide))
        return all(matcher.accept_token(ord(letter)) for letter in text) and matcher.accept_token(128)

    schema = '{"type": "object", "properties": {"a": {"type": "integer"}}}'
    for text in ('{"a":1}', '{ "a" :\n 1 }', "{}"):
        assert takes(stubs.GuideType.JSON_SCHEMA, schema, text), text
    for text in ('{"b":1}', '{"a":1,"b":1}', '{"a":"1"}'):
        assert not takes(stubs.GuideType.JSON_SCHEMA, schema, text), text
    for text in ('{"b": [1, null]}', "[1]"):
        assert takes(stubs.GuideType.JSON, None, text), text
    assert not takes(stubs.GuideType.JSON, None, "1")
    tag = json.dumps({"structures": [{"begin": "<a>", "schema": json.loads(schema), "end": "</a>"}], "triggers": ["<a"]})
    for text in ('<a>{ "a" :\n 1 }</a>', "x", "x <a>{}</a> y"):
        assert takes(stubs.GuideType.STRUCTURAL_TAG, tag, text), text
    for text in ('<a>{"b":1}</a>', "<a>", "<ab"):
        assert not takes(stubs.GuideType.STRUCTURAL_TAG, tag, text), text
    with pytest.raises(grammarc.SourceError):
        factory.create(stubs.GuidedDecodingParams(stubs.GuideType.JSON_SCHEMA, '{"type": 1}'))
    with pytest.raises(ValueError):
        factory.create(stubs.GuidedDecodingParams(stubs.GuideType.REGEX, None))


def test_tensorrt_vocabulary_of_a_tokenizer_file(decoder: Any) -> None:
    tokenizer = {
        "added_tokens": [{"id": 2, "content": "<end>", "special": True}],
        "decoder": {"type": "ByteLevel"},
        "model": {"type": "BPE", "vocab": {"a": 0, "Ġb": 1}, "merges": []},
    }
    found = tensorrt_llm.vocabulary(config(tokenizer_str=json.dumps(tokenizer), stop_token_ids=[2]), 40)
    assert found.token_bytes(1) == b" b"
    assert found.token_kind(2) == "special"
    assert (found.logit_width, found.end_tokens) == (40, (2,))


def test_tensorrt_of_another_shape_is_left_alone(decoder: Any) -> None:
    class Wider(stubs.GrammarMatcher):
        def accept_token(self, token_id: int, logprob: float) -> bool:  # type: ignore[override]
            raise NotImplementedError

    class Elsewhere(stubs.XGrammarMatcherFactory):
        def __init__(self, engine: Any, guided_decoding_config: Any) -> None:
            raise NotImplementedError

    changes: list[dict[str, type]] = [{"matcher": Wider}, {"factory": Elsewhere}]
    for changed in changes:
        host = stubs.tensorrt_llm(**changed)
        before = host.XGrammarMatcherFactory
        with pytest.raises(HostMismatch, match="Nothing was replaced"):
            tensorrt_llm.install()
        assert host.XGrammarMatcherFactory is before
    stubs.tensorrt_llm()
    tensorrt_llm.install()
    once = decoder.XGrammarMatcherFactory
    tensorrt_llm.install()
    assert decoder.XGrammarMatcherFactory is once


def test_tensorrt_that_is_not_there() -> None:
    with pytest.raises(HostMismatch, match="cannot be imported"):
        tensorrt_llm.install()


def test_the_vocabulary_has_fewer_tokens_than_the_rows() -> None:
    assert len(VOCABULARY) < WIDTH == VOCABULARY.logit_width
