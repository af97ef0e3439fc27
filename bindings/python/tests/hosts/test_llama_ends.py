"""``prob_limit``, ``early_stop`` and ``overshoot`` in llama-cpp-python, by a stand-in and with a model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy
import pytest
import stubs
from letters import COMPILER, ENDS, GRAMMAR, TEXTS, TOKENS, WIDTH
from test_numpy_hosts import OfLlama, llama_cpp  # noqa: F401

import grammarc

SOURCE = ("choice", TEXTS)
BEHIND = COMPILER.text_behind(SOURCE)


def written(processor: Any, seed: int) -> str:
    """What a host writes that takes the likeliest token, its last token included."""
    tokens, text = [40, seed], b""
    for _ in range(8):
        scores = numpy.random.default_rng([seed, *tokens]).normal(size=WIDTH).astype(numpy.float32) * 2
        token = int(processor(numpy.array(tokens, dtype=numpy.intc), scores).argmax())
        if token in ENDS:
            break
        tokens.append(token)
        text += TOKENS[token] or b""
    processor.check()
    return text.decode()


@pytest.mark.parametrize(
    "options",
    [{"masses": True}, {"early_stop": "first"}, {"overshoot": BEHIND, "early_stop": "longest"}, {"prob_limit": 0.05}],
    ids=["masses", "first", "longest", "limit"],
)
def test_a_text_is_cut_where_it_ends(llama_cpp: Any, options: dict[str, Any]) -> None:  # noqa: F811
    processor = llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS), **options)
    finishes = set()
    for seed in range(20):
        text = written(processor, seed)
        output = processor.output(text)
        assert text.startswith(output.text) and output.masses
        assert output.finish == "length" or output.text in TEXTS
        finishes.add(output.finish)
    assert finishes & {"stop", "unlikely"}


def test_a_last_token_that_no_call_shows_is_read(llama_cpp: Any) -> None:  # noqa: F811
    processor = llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS), overshoot=BEHIND, early_stop="longest")
    driver = OfLlama(processor, [40])
    driver.allowed()
    driver.push(TOKENS.index(b"ab"))
    driver.allowed()
    assert processor.output("abca").text == "abc" and processor.output("ab").finish == "length"


def test_choices_against_a_mask_and_options(llama_cpp: Any) -> None:  # noqa: F811
    processor = llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS), early_stop="first")
    driver = OfLlama(processor, [40])
    driver.allowed()
    driver.push(TOKENS.index(b"bc"))
    assert driver.allowed() == set(ENDS)
    with pytest.raises(grammarc.TokenRefused):
        processor.check()
    processor.reset()
    assert driver.allowed() != set(ENDS)
    plain = llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS))
    with pytest.raises(grammarc.GrammarcError, match="masses=True"):
        plain.output("")
    with pytest.raises(ValueError, match="text_behind"):
        llama_cpp.GrammarLogitsProcessor(GRAMMAR, stubs.Llama(WIDTH, ENDS), early_stop="longest")


def smollm2() -> Any:
    """The small model, where `grammarc model smollm2` put it."""
    host = pytest.importorskip("llama_cpp", reason="llama-cpp-python is not installed: no model is run")
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    models = sorted((cache / "grammarc" / "models").glob("SmolLM2*.gguf"))
    if not models:
        pytest.skip("the model smollm2 was not fetched: it is not run")
    return host.Llama(str(models[0]), n_ctx=512, verbose=False)


def test_a_value_in_one_call() -> None:
    pydantic = pytest.importorskip("pydantic")

    class Person(pydantic.BaseModel):
        name: str = pydantic.Field(max_length=20)
        born: int = pydantic.Field(ge=1000, le=2025)

    llama = smollm2()
    messages = [{"role": "user", "content": "Tell me of Ada Lovelace, as JSON."}]
    for prompt in ("Ada Lovelace as JSON:", messages):
        value = grammarc.generate_json(llama, None, Person, prompt, temperature=0, max_tokens=60)
        assert isinstance(value, Person)
    number = ("regex", r"[0-9]+(\.[0-9]+)?")
    for seed in range(4):
        output = grammarc.generate(llama, None, number, "Pi is 3.14, e is ", seed=seed, early_stop="longest", max_tokens=20)
        assert output.text.replace(".", "", 1).isdigit()
    usage = grammarc.generate(llama, None, ("json_schema", Person), messages, temperature=0, max_tokens=60).usage
    assert usage["forced_tokens"] > 0 and usage["model_calls"] <= usage["completion_tokens"]
    with pytest.raises(TypeError, match="own tokenizer"):
        grammarc.generate_json(llama, object(), Person, "?")
    with pytest.raises(grammarc.OutputCut):
        grammarc.generate_json(llama, None, Person, messages, temperature=0, max_tokens=3)
