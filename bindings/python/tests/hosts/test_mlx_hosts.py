"""mlx-lm: its processor over arrays of mlx, and the patch of its server."""

from __future__ import annotations

import inspect
import json
import threading
from types import SimpleNamespace
from typing import Any

import numpy
import pytest
from letters import COMPILER, ENDS, GRAMMAR, WIDTH, allowed_after, check_walks, walk

import grammarc
from grammarc.hosts._probe import HostMismatch
from grammarc.hosts._requests import ANY_OBJECT, constraint_of


# Requests


def test_what_requests_ask_for() -> None:
    schema = {"type": "object"}
    for body, kind, source in [
        ({"response_format": {"type": "json_object"}}, "json_schema", ANY_OBJECT),
        ({"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}, "json_schema", schema),
        ({"response_format": {"type": "json_object", "schema": schema}}, "json_schema", schema),
        ({"structured_outputs": {"json": schema}}, "json_schema", json.dumps(schema)),
        ({"structured_outputs": {"json": json.dumps(schema)}}, "json_schema", json.dumps(schema)),
        ({"structured_outputs": {"json_object": True}}, "json_schema", ANY_OBJECT),
        ({"structured_outputs": {"regex": "a+"}}, "regex", "a+"),
        ({"structured_outputs": {"choice": ["a", "b"], "json": None}}, "choice", ["a", "b"]),
        ({"structured_outputs": {"grammar": "root ::= x"}}, "gbnf", "root ::= x"),
    ]:
        assert constraint_of({"messages": [], **body}) == (kind, source)
    for free in ({}, {"response_format": None}, {"response_format": {"type": "text"}}, {"structured_outputs": None}):
        assert constraint_of(free) is None


@pytest.mark.parametrize(
    "body",
    [
        {"response_format": {"type": "xml"}},
        {"response_format": {"type": "json_schema"}},
        {"response_format": {"type": "json_schema", "json_schema": {"name": "x"}}},
        {"response_format": "json"},
        {"structured_outputs": {}},
        {"structured_outputs": {"regex": "a", "json": {}}},
        {"structured_outputs": {"structural_tag": "x"}},
        {"structured_outputs": ["a"]},
        {"guided_json": {}},
        {"grammar": "root ::= x"},
        {"response_format": {"type": "json_object"}, "structured_outputs": {"regex": "a"}},
    ],
)
def test_requests_that_are_not_understood_are_refused(body: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        constraint_of(body)


# Arrays of mlx

mx = pytest.importorskip("mlx.core", reason="mlx is not installed: its processor is not tested")

from grammarc.hosts.mlx import GrammarLogitsProcessor  # noqa: E402

DTYPES = [mx.float32, mx.float16, mx.bfloat16]


class OfMlx:
    def __init__(self, held: Any, prompt: list[int], dtype: Any = mx.float32) -> None:
        self.held, self.tokens, self.dtype = held, list(prompt), dtype

    def allowed(self) -> set[int]:
        logits = mx.zeros((1, WIDTH), dtype=self.dtype)
        found = self.held(mx.array(self.tokens), logits)
        assert (found.shape, found.dtype) == (logits.shape, logits.dtype)
        assert (numpy.array(logits.astype(mx.float32)) == 0).all()
        row = numpy.array(found.astype(mx.float32))[0]
        return {int(token) for token in numpy.flatnonzero(numpy.isfinite(row))}

    def push(self, token: int) -> None:
        self.tokens.append(token)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_walks(dtype: Any) -> None:
    check_walks(lambda: OfMlx(GrammarLogitsProcessor(GRAMMAR, end_tokens=ENDS), [30, 31], dtype))
    one = GrammarLogitsProcessor(GRAMMAR, end_tokens=ENDS)
    check_walks(lambda: OfMlx(one, [30, 31], dtype))


def test_sequences_of_a_batch_in_turns() -> None:
    """``batch_generate`` has one list of processors for all of its sequences."""
    held = GrammarLogitsProcessor(GRAMMAR, end_tokens=ENDS)
    walks = [walk(seed) for seed in range(6)]
    rows = [OfMlx(held, [30, 31 + at // 2]) for at in range(6)]
    for step in range(max(map(len, walks))):
        for row, tokens in zip(rows, walks, strict=True):
            if step < len(tokens):
                assert row.allowed() == allowed_after(tokens[:step])
                row.push(tokens[step])


def test_the_grammar_begins_behind_thoughts() -> None:
    row = OfMlx(GrammarLogitsProcessor(GRAMMAR, end_tokens=ENDS, after=[20, 21]), [30, 20, 21])
    for token in (5, 20, 20, 33, 21, 20, 21):
        assert row.allowed() == set(range(WIDTH))
        row.push(token)
    for step, token in enumerate(tokens := walk(3)):
        assert row.allowed() == allowed_after(tokens[:step])
        row.push(token)


def test_a_choice_against_the_mask() -> None:
    for ends_on_refusal in (False, True):
        row = OfMlx(GrammarLogitsProcessor(GRAMMAR, end_tokens=ENDS, ends_on_refusal=ends_on_refusal), [30])
        row.allowed()
        row.push(4)
        if ends_on_refusal:
            assert row.allowed() == set(ENDS)
        else:
            with pytest.raises(grammarc.TokenRefused):
                row.allowed()


def test_several_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="one sequence"):
        GrammarLogitsProcessor(GRAMMAR)(mx.array([1]), mx.zeros((2, WIDTH)))


# The server

server = pytest.importorskip("mlx_lm.server", reason="mlx-lm is not installed: the patch of its server is not tested")

from grammarc.hosts import mlx_server  # noqa: E402


class Provider:
    _model_map = {"default_model": "folder"}
    _tokenizer_config: dict[str, Any] = {}


class Handler:
    """A handler of one request, with what its answer is written to."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.body = body
        self.requested_model = "default_model"
        self.response_generator = SimpleNamespace(model_provider=Provider())
        self.status = 0
        self.wfile = self
        self.written = b""

    def _set_completion_headers(self, status: int) -> None:
        self.status = status

    def end_headers(self) -> None:
        pass

    def write(self, data: bytes) -> None:
        self.written += data


@pytest.fixture
def patched(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The server with stand-ins for what runs a model; what it makes of arguments is its own."""
    utils = mlx_server._HOST.module("mlx_lm.utils")
    tokenizer = SimpleNamespace(
        tokens=[b"a", b"b", b"c", b"ab", b"bc", b"abc", b"aa", b"<end>", b"<also>"],
        special_token_ids=ENDS,
        eos_token_ids=set(ENDS),
        has_thinking=True,
        think_start_tokens=(20,),
        think_end_tokens=(21,),
    )
    monkeypatch.setattr(utils, "_download", lambda path, **rest: path)
    monkeypatch.setattr(utils, "load_config", lambda folder: {"vocab_size": WIDTH, "eos_token_id": list(ENDS)})
    monkeypatch.setattr(utils, "load_tokenizer", lambda path, *rest, **named: tokenizer)

    def generate(self: Any, request: Any, generation_args: Any, progress_callback: Any = None) -> Any:
        self.asked.append(generation_args)
        return None, iter(())

    def handle_completion(self: Any, request: Any, stop_words: list[str]) -> None:
        arguments = SimpleNamespace(logits=server.LogitsProcessorArguments(None, 0.0, 20, 0.0, 20, 0.0, 20))
        server.ResponseGenerator.generate(SimpleNamespace(asked=request), request, arguments)

    monkeypatch.setattr(server.ResponseGenerator, "generate", generate)
    monkeypatch.setattr(server.APIHandler, "handle_completion", handle_completion)
    monkeypatch.setattr(server, "_make_logits_processors", server._make_logits_processors)
    mlx_server.install()
    return server


def serve(host: Any, body: dict[str, Any]) -> tuple[Handler, list[Any]]:
    """The handler of a request, and the processors that its generation gets."""
    handler, asked = Handler(body), []
    host.APIHandler.handle_completion(handler, asked, [])
    return handler, [processor for one in asked for processor in host._make_logits_processors(one)]


def test_served_requests_are_held_to_what_they_ask(patched: Any) -> None:
    handler, processors = serve(patched, {"structured_outputs": {"choice": ["cab"]}})
    assert handler.status == 0
    check = OfMlx(processors[-1], [30, 20, 21])
    for step, token in enumerate(tokens := walk(1, ["cab"])):
        assert check.allowed() == allowed_after(tokens[:step], ["cab"])
        check.push(token)
    # Thoughts that the prompt has begun end first.
    _, processors = serve(patched, {"structured_outputs": {"choice": ["cab"]}})
    check = OfMlx(processors[-1], [30, 20, 33])
    assert check.allowed() == set(range(WIDTH))
    check.push(21)
    assert check.allowed() == allowed_after([], ["cab"])
    # The next request of the same thread asks for nothing.
    assert len(serve(patched, {})[1]) == len(processors) - 1


def test_requests_that_cannot_be_served_are_answered(patched: Any) -> None:
    for body in ({"guided_json": {}}, {"structured_outputs": {"regex": "(" }}, {"response_format": {"type": "xml"}}):
        handler, processors = serve(patched, body)
        assert (handler.status, processors) == (400, [])
        assert json.loads(handler.written)["error"]


def test_installing_twice_is_installing_once(patched: Any) -> None:
    before = patched._make_logits_processors
    mlx_server.install()
    assert patched._make_logits_processors is before


def test_a_server_of_another_shape_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def other(arguments: Any, tokenizer: Any) -> list[Any]:
        return []

    monkeypatch.setattr(server, "_make_logits_processors", other)
    with pytest.raises(HostMismatch, match=r"takes \(arguments, tokenizer\)"):
        mlx_server.install()
    assert server._make_logits_processors is other


def test_the_server_is_as_the_patch_knows_it() -> None:
    assert list(inspect.signature(server.APIHandler.handle_completion).parameters)[:3] == ["self", "request", "stop_words"]
    assert threading.local is not None
