"""Outputs of a model in this process: values of types, ends, budgets."""

from __future__ import annotations

import dataclasses
import json
import zlib
from typing import Any, TypedDict

import numpy
import pytest

import grammarc
from grammarc import OutputCut, ProbLimit, generate, generate_json

pydantic = pytest.importorskip("pydantic")

TOKENS = [bytes([byte]) for byte in range(256)] + [b"27", b".0", b"0,", b'{"', b'":', b"true", b"name", b" the", b"<end>"]
END = TOKENS.index(b"<end>")
VOCABULARY = grammarc.Vocabulary.from_tokens(TOKENS, special_ids=[END], end_tokens=[END], logit_width=len(TOKENS) + 3, name="scripted")


class Scripted:
    """A model whose logits are drawn from its tokens and a seed, or say a text. It checks what it is fed."""

    context: int | None = None

    def __init__(self, seed: int = 0, says: bytes | None = None, heed: float = 30.0) -> None:
        self.seed, self.says, self.heed = seed, says, heed
        self.tokens: list[int] = []
        self.calls = 0

    def vocabulary(self) -> grammarc.Vocabulary:
        return VOCABULARY

    def encode(self, prompt: Any) -> list[int]:
        return list(prompt.encode() if isinstance(prompt, str) else prompt[0]["content"].encode())

    def spell(self, text: str) -> list[int] | None:
        """The longest token at each place."""
        rest, tokens = text.encode(), []
        while rest:
            token = max((at for at, one in enumerate(TOKENS) if rest.startswith(one)), key=lambda at: len(TOKENS[at]))
            tokens.append(token)
            rest = rest[len(TOKENS[token]) :]
        return tokens

    def feed(self, kept: int, tokens: list[int]) -> numpy.ndarray:
        assert kept <= len(self.tokens) and tokens
        self.tokens = [*self.tokens[:kept], *tokens]
        self.calls += 1
        return self.logits(self.tokens)

    def logits(self, tokens: list[int]) -> numpy.ndarray:
        """Scores of the next token: random ones, with what the script says next on top."""
        seed = zlib.crc32(numpy.array([self.seed, *tokens], dtype=numpy.int64).tobytes())
        row = numpy.random.default_rng(seed).normal(size=VOCABULARY.logit_width).astype(numpy.float32)
        if self.says is not None:
            written = b"".join(TOKENS[token] for token in tokens)[1:]
            if self.says.startswith(written) and (rest := self.says[len(written) :]):
                best = max((at for at, one in enumerate(TOKENS) if rest.startswith(one)), key=lambda at: len(TOKENS[at]))
                row[best] += self.heed
            else:
                row[END] += self.heed
        return row


class Person(pydantic.BaseModel):
    name: str = pydantic.Field(max_length=8)
    old: bool


@dataclasses.dataclass
class Place:
    name: str


class Flag(TypedDict):
    old: bool


PERSON = {"type": "object", "properties": {"old": {"type": "boolean"}}, "required": ["old"]}


def test_a_value_of_each_kind_of_type() -> None:
    model = Scripted(says=b'{"name":"Ada","old":true}')
    assert generate_json(model, None, Person, "?", temperature=0) == Person(name="Ada", old=True)
    assert model.calls < len(b'{"name":"Ada","old":true}'), "bytes that are certain are not asked for"
    assert generate_json(Scripted(says=b'{"name":"Oslo"}'), None, Place, "?", temperature=0) == Place("Oslo")
    assert generate_json(Scripted(says=b'{"old":false}'), None, PERSON, [{"role": "user", "content": "?"}], temperature=0) == {"old": False}
    assert generate_json(Scripted(says=b"[1,2]"), None, list[int], "?", temperature=0) == [1, 2]


def test_types_are_closed_and_schemas_are_as_they_say() -> None:
    says = b'{"old":true,"more":1}'
    assert generate_json(Scripted(says=says), None, PERSON, "?", temperature=0) == json.loads(says)
    assert generate_json(Scripted(says=says), None, PERSON, "?", temperature=0, closed=True) == {"old": True}

    class Old(pydantic.BaseModel):
        old: bool

    assert generate_json(Scripted(says=says), None, Old, "?", temperature=0) == Old(old=True)
    class New(Old):
        @pydantic.field_validator("old")
        @classmethod
        def _is_new(cls, old: bool) -> bool:
            assert not old, "it is old"
            return old

    with pytest.raises(pydantic.ValidationError, match="it is old"):
        generate_json(Scripted(says=says), None, New, "?", temperature=0)


def test_the_text_of_json_is_the_callers() -> None:
    says = b'{"old": true}'
    output = generate(Scripted(says=says), None, ("json_schema", PERSON, {"whitespace": "spaced"}), "?", temperature=0)
    assert output.text == says.decode() and output.finish == "stop"
    assert generate_json(Scripted(says=says), None, PERSON, "?", temperature=0, json={"separators": (", ", ": ")}) == {"old": True}


@pytest.mark.parametrize("forced", ["off", "exact", "canonical"])
@pytest.mark.parametrize("budget", range(1, 40, 3))
def test_any_budget_is_enough_or_refused(budget: int, forced: Any) -> None:
    """What is cut raises, and what is closed is whole."""
    options: dict[str, Any] = {"max_tokens": budget, "seed": budget, "forced": forced}
    try:
        value = generate_json(Scripted(budget), None, Person, "?", on_length="close", **options)
        assert isinstance(value, Person)
    except grammarc.LimitError as error:
        assert error.limit == "max_tokens" and f"{budget} tokens are too few" in str(error)
    try:
        assert isinstance(generate_json(Scripted(budget), None, Person, "?", **options), Person)
    except OutputCut as cut:
        assert cut.output.finish == "length" and len(cut.output.tokens) == budget and "on_length" in str(cut)


def test_equal_seeds_draw_equally() -> None:
    outputs = [generate(Scripted(1), None, ("regex", "[a-z]{20}"), "?", seed=seed) for seed in (7, 7, 8)]
    assert outputs[0] == outputs[1] != outputs[2]
    again = generate(Scripted(1), None, ("regex", "[a-z]{20}"), "?")
    assert generate(Scripted(1), None, ("regex", "[a-z]{20}"), "?", seed=again.seed).text == again.text


NUMBER = ("regex", r"[0-9]+(\.[0-9]+)?")
ENDS: dict[str, tuple[bytes, dict[str, Any], str, str]] = {
    "first": (b"2712", {"early_stop": "first"}, "27", "stop"),
    "must end": (b"27.00", {}, "27.00", "stop"),
    "longest": (b"27.00, and", {"early_stop": "longest"}, "27.00", "stop"),
    "overshoot": (b"27.00,", {"overshoot": True}, "27.00", "stop"),
    "stop string": (b"27 the", {"stop": [" the"], "overshoot": True}, "27", "stop_string"),
    "unlikely": (b"27 the end", {"prob_limit": 0.01}, "27", "unlikely"),
    "cut": (b"2712345", {"max_tokens": 3}, "2712", "length"),
}
"""What a model would say, the options, the text, and why it ended."""


@pytest.mark.parametrize("name", ENDS)
def test_ends(name: str) -> None:
    says, options, text, finish = ENDS[name]
    output = generate(Scripted(says=says), None, NUMBER, "?", temperature=0, **options)
    assert (output.text, output.finish) == (text, finish)


def test_patience_waits() -> None:
    """A model that wants to write words where only digits may stand."""
    texts = [
        generate(Scripted(says=b"27 the end"), None, ("regex", "[0-9]{8,}"), "?", temperature=0, prob_limit=ProbLimit(0.01, patience)).text
        for patience in (1, 3)
    ]
    assert all(len(text) == 8 for text in texts), "the shortest way to an end is taken"
    assert [text[:2] for text in texts] == ["27", "27"]


def test_a_compiled_grammar() -> None:
    compiler = grammarc.Compiler(VOCABULARY)
    output = generate(Scripted(says=b"no"), None, compiler.choice(["yes", "no"]), "?", temperature=0, compiler=compiler)
    assert output.text == "no" and output.usage["prompt_tokens"] == 1 and output.tokens == tuple(b"no")
    with pytest.raises(ValueError, match="needs the grammar's source"):
        generate(Scripted(), None, compiler.choice(["yes"]), "?", compiler=compiler, early_stop="longest")


WRONG: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({"max_tokens": 0}, ValueError, "max_tokens"),
    ({"temperature": -1.0}, ValueError, "temperature"),
    ({"early_stop": "last"}, ValueError, "must_end, first, longest"),
    ({"on_length": "cut"}, ValueError, "truncate, close"),
    ({"prob_limit": 2.0}, ValueError, "prob_limit.below"),
    ({"prob_limit": (0.5, 0)}, ValueError, "prob_limit.patience"),
    ({"max_token": 1}, TypeError, "no parameter 'max_token'"),
]


@pytest.mark.parametrize(("options", "kind", "named"), WRONG)
def test_a_wrong_parameter_is_named(options: dict[str, Any], kind: type[Exception], named: str) -> None:
    with pytest.raises(kind, match=named):
        generate(Scripted(), None, NUMBER, "?", **options)


def test_what_is_no_model_and_what_does_not_fit() -> None:
    with pytest.raises(TypeError, match="no model of transformers"):
        generate(object(), None, NUMBER, "?")
    model = Scripted()
    model.context = 10
    with pytest.raises(ValueError, match="context of 10"):
        generate(model, None, NUMBER, "?", max_tokens=10)
    with pytest.raises(ValueError, match="prompt has no tokens"):
        generate(Scripted(), None, NUMBER, "")


def test_a_decoder_is_used_in_its_order() -> None:
    grammar = grammarc.Compiler(VOCABULARY).choice(["yes"])
    decoder = grammarc._native.Decoder(grammar, grammar, [1], VOCABULARY.logit_width, {**_params(), "forced": "off"})
    with pytest.raises(ValueError, match="has not ended"):
        decoder.output()
    while decoder.feed() is not None:
        decoder.choose(numpy.zeros(VOCABULARY.logit_width, dtype=numpy.float32))
    assert json.loads(decoder.output())["text"] == "yes" and bytes(decoder.tokens()) == b"yes"
    with pytest.raises(ValueError, match="taken already"):
        decoder.output()
    with pytest.raises(ValueError, match="has ended"):
        decoder.choose(numpy.zeros(VOCABULARY.logit_width, dtype=numpy.float32))
    with pytest.raises(TypeError, match="one row of float32"):
        decoder.choose(numpy.zeros(VOCABULARY.logit_width, dtype=numpy.float16))


def _params() -> dict[str, Any]:
    from grammarc.generation import _DEFAULTS

    return {**_DEFAULTS, "logit_bias": [], "stop": [], "spell": None}


def test_a_reading_by_bytes() -> None:
    reading = grammarc._native.Reading(grammarc.Compiler(VOCABULARY).regex(*NUMBER[1:]))
    assert not reading.is_accepting and reading.may_go_on
    assert reading.read(b"27.00,") == (5, [1, 2, 4, 5])
    assert reading.is_accepting and reading.may_go_on and not reading.read_token(END)
    whole = grammarc._native.Reading(grammarc.Compiler(VOCABULARY).choice(["a"]))
    assert whole.read(b"a") == (1, [1]) and not whole.may_go_on
