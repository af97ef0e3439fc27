"""Outputs of a model in this process: a value of a type in one call.

>>> import grammarc, transformers                                                            # doctest: +SKIP
>>> grammarc.generate_json(model, tokenizer, Answer, "Is the sky blue? As JSON:")            # doctest: +SKIP
Answer(yes=True)

The loop is that of ``grammarc serve``: Rust draws tokens, takes the certain ones without the model, and looks for ends. The model is one of
transformers, a ``Llama`` of llama-cpp-python, or any :class:`Model`.
"""

from __future__ import annotations

import json as jsonlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict, TypeVar, Unpack, overload

from grammarc._errors import GrammarcError
from grammarc._model import Messages, Model, Opened, opened
from grammarc._native import Decoder, Grammar
from grammarc._params import EarlyStop, Forced, OnLength, ProbLimit, prob_limit_of
from grammarc.compiler import Compiler, JsonOptions, Source, json_options
from grammarc.schema import Json, Schema, is_closed, value_of

__all__ = ["GenerateParams", "Model", "Output", "OutputCut", "ProbLimit", "generate", "generate_json"]

T = TypeVar("T")

Finish: TypeAlias = Literal["stop", "stop_string", "unlikely", "closed", "length"]


class GenerateParams(TypedDict, total=False):
    """How tokens are drawn and where the output ends, as in docs/generation.md."""

    max_tokens: int
    """Most tokens of the output; 512 by default. An end token is none of them."""
    temperature: float
    """Divides the logits; 0 takes the most likely token always. 1 by default."""
    top_p: float
    top_k: int
    min_p: float
    frequency_penalty: float
    presence_penalty: float
    repetition_penalty: float
    logit_bias: Mapping[int, float]
    seed: int
    """Equal seeds draw equally. A new one each time by default, which the output has."""
    stop: Sequence[str]
    """Texts that end the output and are no part of it, where the text before them is one of the grammar."""
    end_tokens: Sequence[int]
    """Tokens that end the output, in place of the vocabulary's."""
    prob_limit: ProbLimit | float | None
    early_stop: EarlyStop
    overshoot: bool
    on_length: OnLength
    forced: Forced


_DEFAULTS: dict[str, Any] = {
    "max_tokens": 512,
    "temperature": 1.0,
    "top_p": 1.0,
    "top_k": 0,
    "min_p": 0.0,
    "frequency_penalty": 0.0,
    "presence_penalty": 0.0,
    "repetition_penalty": 1.0,
    "logit_bias": {},
    "seed": None,
    "stop": (),
    "end_tokens": None,
    "prob_limit": None,
    "early_stop": "must_end",
    "overshoot": False,
    "on_length": "truncate",
    "forced": "canonical",
}


@dataclass(frozen=True)
class Output:
    """An output of a model."""

    text: str
    finish: Finish
    """``stop``: the model or the grammar ended it. ``stop_string``: a text of ``stop`` did. ``unlikely``: ``prob_limit`` did. ``closed``: it had
    no tokens left and was closed. ``length``: it had no tokens left, and may be no text of the grammar."""
    tokens: tuple[int, ...]
    """The tokens, those included that were cut from the text."""
    seed: int
    usage: Mapping[str, int]
    """``prompt_tokens``, ``completion_tokens``, the ``forced_tokens`` among them that the model was not asked for, and ``model_calls``."""


class OutputCut(GrammarcError):
    """The output had no tokens left before its value was whole."""

    def __init__(self, output: Output) -> None:
        super().__init__(
            f"the output was cut behind {len(output.tokens)} tokens, before its value was whole; allow more max_tokens, bound what the "
            "schema leaves open, or write on_length='close'"
        )
        self.output = output


def generate(
    model: Any,
    tokenizer: Any,
    grammar: Source | Grammar,
    prompt: str | Messages,
    *,
    compiler: Compiler | None = None,
    **params: Unpack[GenerateParams],
) -> Output:
    """The output of a model that is a text of a grammar, behind a prompt or a conversation.

    ``model`` is a model of transformers with its ``tokenizer``; a ``Llama`` of llama-cpp-python, or a :class:`Model`, with ``None``. ``grammar``
    is a source, such as ``("regex", "[0-9]+")``, or a compiled one, which does not go with ``overshoot`` and ``early_stop="longest"``. Names
    of control tokens in a prompt mean these tokens for transformers, and text for a ``Llama``; a conversation is written by the model's
    template. A ``compiler`` for the model's vocabulary is made by the first call and kept as long as the model.

    Raises ``ValueError`` for a parameter that is wrong, :class:`grammarc.LimitError` where the output cannot be closed within
    ``max_tokens``, :class:`grammarc.GrammarcError` where no token can be drawn, and what compilation raises.
    """
    given = _checked(params)
    open_model = opened(model, tokenizer, compiler)
    overshoots = given["overshoot"] or given["early_stop"] == "longest"
    if isinstance(grammar, Grammar):
        if overshoots:
            raise ValueError("overshoot needs the grammar's source, to compile text behind it: give (kind, source) in place of the grammar")
        whole = masks = grammar
    else:
        kind, source, *options = grammar
        whole = open_model.compiler.compile(kind, source, **(options[0] if options else {}))
        masks = open_model.compiler.text_behind(grammar) if overshoots else whole
    return _run(open_model, masks, whole, prompt, given)


@overload
def generate_json(
    model: Any,
    tokenizer: Any,
    schema: type[T],
    prompt: str | Messages,
    *,
    closed: bool | None = None,
    json: JsonOptions | None = None,
    compiler: Compiler | None = None,
    **params: Unpack[GenerateParams],
) -> T: ...
@overload
def generate_json(
    model: Any,
    tokenizer: Any,
    schema: Json,
    prompt: str | Messages,
    *,
    closed: bool | None = None,
    json: JsonOptions | None = None,
    compiler: Compiler | None = None,
    **params: Unpack[GenerateParams],
) -> Any: ...
def generate_json(
    model: Any,
    tokenizer: Any,
    schema: Schema,
    prompt: str | Messages,
    *,
    closed: bool | None = None,
    json: JsonOptions | None = None,
    compiler: Compiler | None = None,
    **params: Unpack[GenerateParams],
) -> Any:
    """The value that a model writes: an instance of the type, where the schema is one (a pydantic model, a dataclass, a ``TypedDict``), else
    parsed JSON.

    With ``closed``, objects take no keys that the schema does not name. That is the default for types, and not for schemas. ``json`` has
    further options of :meth:`grammarc.Compiler.json_schema`; JSON is compact by default. The rest is as in :func:`generate`.

    Raises :class:`OutputCut` where the output is cut; with ``on_length="close"`` it is closed in time. Raises pydantic's ``ValidationError``
    where validators of the type's own refuse the value.
    """
    written: JsonOptions = {"whitespace": None if json and "separators" in json else "compact", **(json or {})}
    options = json_options({**written, "closed": is_closed(schema, closed)})
    output = generate(model, tokenizer, ("json_schema", schema, options), prompt, compiler=compiler, **params)
    if output.finish == "length":
        raise OutputCut(output)
    return value_of(schema, output.text)


def _checked(params: GenerateParams) -> dict[str, Any]:
    """Parameters with defaults for those that are not given. Raises ``TypeError`` for those that there are not."""
    for name in params.keys() - _DEFAULTS.keys():
        raise TypeError(f"no parameter {name!r}; there are {', '.join(_DEFAULTS)}")
    given: dict[str, Any] = {**_DEFAULTS, **params}
    given["prob_limit"] = prob_limit_of(given["prob_limit"])
    given["logit_bias"] = list(dict(given["logit_bias"]).items())
    given["stop"] = [given["stop"]] if isinstance(given["stop"], str) else list(given["stop"])
    if given["end_tokens"] is not None:
        given["end_tokens"] = list(given["end_tokens"])
    return given


def _run(open_model: Opened, masks: Grammar, whole: Grammar, prompt: str | Messages, params: dict[str, Any]) -> Output:
    """Feeds the model what the decoder wants, until the output has ended."""
    model = open_model.model
    tokens = model.encode(prompt)
    if model.context is not None and len(tokens) + params["max_tokens"] > model.context:
        raise ValueError(
            f"a prompt of {len(tokens)} tokens and an output of {params['max_tokens']} do not fit the model's context of {model.context}: "
            "write a smaller max_tokens"
        )
    width = open_model.compiler.vocabulary.logit_width
    decoder = Decoder(masks, whole, tokens, width, {**params, "spell": open_model.spell})
    while (wanted := decoder.feed()) is not None:
        decoder.choose(model.feed(*wanted))
    found = jsonlib.loads(decoder.output())
    return Output(found["text"], found["finish"], tuple(decoder.tokens()), found["seed"], found["usage"])
