"""Outlines: the backend in its own registry, over a model of which a stand-in has the names."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
import stubs
from letters import ENDS, TEXTS, TOKENS, VOCABULARY, WIDTH, allowed_after, check_walks

import grammarc

backends = pytest.importorskip("outlines.backends", reason="outlines is not installed: its backend is not tested")

from grammarc.hosts import llama_cpp, outlines  # noqa: E402
from grammarc.hosts._probe import HostMismatch  # noqa: E402


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Any:
    """A model over numpy, as Outlines wraps llama-cpp-python."""
    for name in ("_get_backend", "JSON_SCHEMA_DEFAULT_BACKEND", "REGEX_DEFAULT_BACKEND"):
        monkeypatch.setattr(backends, name, getattr(backends, name))
    monkeypatch.setattr(llama_cpp, "end_tokens", lambda llama: list(ENDS))
    monkeypatch.setattr(llama_cpp, "vocabulary", lambda llama: VOCABULARY)
    outlines.install()
    return SimpleNamespace(tensor_library_name="numpy", model=stubs.Llama(WIDTH, ENDS))


class OfOutlines:
    def __init__(self, processor: Any) -> None:
        processor.reset()
        self.processor = processor
        self.tokens = [30]

    def allowed(self) -> set[int]:
        scores = stubs.candidates(WIDTH)
        scores[:] = self.processor(numpy.array(self.tokens, dtype=numpy.intc), scores)
        return {int(token) for token in numpy.flatnonzero(numpy.isfinite(scores))}

    def push(self, token: int) -> None:
        self.tokens.append(token)


def test_walks(model: Any) -> None:
    regex = backends.get_regex_logits_processor("grammarc", model, "|".join(TEXTS))
    check_walks(lambda: OfOutlines(regex))
    gbnf = "root ::= " + " | ".join(json.dumps(text) for text in TEXTS)
    check_walks(lambda: OfOutlines(backends.get_cfg_logits_processor("grammarc", model, gbnf)), 5)


def test_schemas_have_the_defaults_of_outlines(monkeypatch: pytest.MonkeyPatch, model: Any) -> None:
    letters = [bytes([byte]) for byte in range(128)] + [b"<end>"]
    ascii = grammarc.Vocabulary.from_tokens(letters, special_ids=[128], end_tokens=[128])
    monkeypatch.setattr(llama_cpp, "vocabulary", lambda llama: ascii)
    monkeypatch.setattr(llama_cpp, "end_tokens", lambda llama: [128])
    model.model = stubs.Llama(129, (128,))
    schema = '{"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "null"}}}'

    def takes(text: str, pattern: str | None = None) -> bool:
        driver = OfOutlines(backends.get_json_schema_logits_processor("grammarc", model, schema, pattern))
        driver.tokens = [200]
        scores = numpy.zeros(129, dtype=numpy.float32)
        for token in [*text.encode(), 128]:
            if not numpy.isfinite(driver.processor(numpy.array(driver.tokens), scores.copy())[token]):
                return False
            driver.push(token)
        return True

    assert takes('{"a":1,"b":null}') and takes('{"a": 1, "b": null}')
    for text in ('{"b":null,"a":1}', '{"c":1}', '{ "a":1}', '{"a":  1}'):
        assert not takes(text), text
    assert takes('{"a":1}', "") and not takes('{"a": 1}', "")
    assert takes('{\n  "a" : 1\n}', r"[\n\t ]*")
    with pytest.raises(NotImplementedError, match="whitespace_pattern"):
        takes("{}", "x+")
    with pytest.raises(grammarc.SourceError):
        backends.get_json_schema_logits_processor("grammarc", model, '{"type": 1}')


def test_a_lark_grammar_is_no_gbnf(model: Any) -> None:
    with pytest.raises(grammarc.SourceError):
        backends.get_cfg_logits_processor("grammarc", model, '?start: "a" | "b"\n%import common.WS')


def test_other_backends_are_as_they_were(model: Any) -> None:
    with pytest.raises(ValueError, match="not supported"):
        backends._get_backend("nothing", model)
    assert backends.JSON_SCHEMA_DEFAULT_BACKEND == "outlines_core"
    get = backends._get_backend
    outlines.install(default=True)
    assert backends._get_backend is get
    assert OfOutlines(backends.get_regex_logits_processor(None, model, "b|c")).allowed() == allowed_after([], ["b", "c"])


def test_models_of_other_libraries_are_refused(model: Any) -> None:
    model.tensor_library_name = "jax"
    with pytest.raises(NotImplementedError, match="jax"):
        backends.get_regex_logits_processor("grammarc", model, "a")


def test_an_outlines_of_another_shape_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(name: str, model: Any, library: str) -> Any:
        return None

    monkeypatch.setattr(backends, "_get_backend", other)
    with pytest.raises(HostMismatch, match="Nothing was replaced"):
        outlines.install()
    assert backends._get_backend is other


def test_the_oracle_and_the_vocabulary_agree() -> None:
    assert [VOCABULARY.token_bytes(id) for id in range(7)] == TOKENS[:7]
