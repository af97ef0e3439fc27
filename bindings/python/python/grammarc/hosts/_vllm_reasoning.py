"""The reasoning parser for vLLM: see :mod:`.vllm_calls`."""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

from grammarc.hosts import _calls
from grammarc.hosts._serving import expect, expect_parameters
from grammarc.hosts._vllm_messages import STREAM, message

State = Literal["open", "closed", "none"]
"""Whether a prompt ends within reasoning, behind it, or says nothing of it."""

MARK = "_grammarc_reasoning"
"""Attribute of a request by which the parser of tool calls learns the state of its prompt."""

_markers: weakref.WeakKeyDictionary[object, dict[str, Markers]] = weakref.WeakKeyDictionary()


def probe_reasoning(parser: Any) -> None:
    """Raises :class:`HostMismatch` unless vLLM's reasoning parsers are as expected."""
    methods = {
        "__init__": ("self", "tokenizer", "args", "kwargs"),
        "is_reasoning_end": ("self", "input_ids"),
        "is_reasoning_end_streaming": ("self", "input_ids", "delta_ids"),
        "extract_content_ids": ("self", "input_ids"),
        "count_reasoning_tokens": ("self", "token_ids"),
        "extract_reasoning": ("self", "model_output", "request"),
        "extract_reasoning_streaming": STREAM,
        "has_engine_confirmed_reasoning_end": ("self",),
        "adjust_request": ("self", "request"),
        "adjust_initial_state_from_prompt": ("self", "prompt_token_ids"),
    }
    for name, parameters in methods.items():
        expect_parameters(getattr(parser, name, None), *parameters, where=f"ReasoningParser.{name}")
    expect(hasattr(parser, "engine_based_streaming"), "vLLM's ReasoningParser has no engine_based_streaming")


class Markers(NamedTuple):
    """Control tokens of a tokenizer that begin and end the reasoning of a style, by their ids."""

    begins: dict[int, str]
    ends: dict[int, str]
    others: frozenset[int] = frozenset()
    """Other special tokens, among them those between turns."""

    def state(self, ids: Sequence[int], end_of_turn: int | None) -> State:
        """Returns the state of the reasoning behind a prompt. Tokens of earlier turns do not count."""
        for token in reversed(ids):
            if token in self.ends:
                return "closed"
            if token in self.begins:
                return "open"
            if token == end_of_turn or token in self.others:
                break
        return "none"


def markers_of(style: str, tokenizer: Any) -> Markers:
    """Returns the markers of a style. Raises ``ValueError`` if a tokenizer has no token that ends its reasoning."""
    try:
        known = _markers.setdefault(tokenizer, {})
    except TypeError:
        known = {}
    if style not in known:
        known[style] = _find_markers(style, tokenizer)
    return known[style]


def _find_markers(style: str, tokenizer: Any) -> Markers:
    if not _calls.reasons(style):
        raise ValueError(f"grammarc: models of the style {style} write no reasoning apart from their text")
    control = {token: text for text, token in tokenizer.get_added_vocab().items() if text}
    begins = {token: text for token, text in control.items() if _begins(style, text)}
    ends = {token: text for token, text in control.items() if _ends(style, text)}
    if not ends:
        raise ValueError(f"grammarc: the tokenizer has no token that ends the reasoning of the style {style}")
    special = frozenset(getattr(tokenizer, "all_special_ids", ()))
    return Markers(begins, ends, special - begins.keys() - ends.keys())


def _begins(style: str, text: str) -> bool:
    """Returns whether reasoning that the model opens begins with a text."""
    read = _calls.Reader(style, (), "written")
    return read.push(text).text == "" and read.finish().text == ""


def _ends(style: str, text: str) -> bool:
    """Returns whether a text ends reasoning. A text that is no markup of the reasoning would be read as text itself."""
    read = _calls.Reader(style, (), "prefilled")
    said, rest = read.push(f"x{text}y"), read.finish()
    behind = said.text + rest.text
    return said.reasoning + rest.reasoning == "x" and behind.endswith("y") and text not in behind


class ReasoningParser:
    """Reads the reasoning of one output, as vLLM's ``ReasoningParser`` does.

    The rest of the output is handed on as it was written: it is read without tools here, so a call leaves the grammar, and all
    from there on is text.
    """

    engine_based_streaming = True

    _of: str | None
    model_tokenizer: Any

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)  # type: ignore[call-arg]
        self._style = _calls.style_of(self._of)
        self._markers = markers_of(self._style, tokenizer)
        self._state: State | None = None
        self._reader: _calls.Reader | None = None
        self._has_ended = False

    @property
    def reasoning_start_str(self) -> str | None:
        """The text of the token that begins the reasoning, if there is one."""
        return _only(self._markers.begins)

    @property
    def reasoning_end_str(self) -> str | None:
        """The text of the token that ends the reasoning, if there is one."""
        return _only(self._markers.ends)

    def adjust_request(self, request: Any) -> Any:
        """Marks a request with the state of its prompt, if that is known already."""
        request.skip_special_tokens = False
        if self._state is not None:
            # As a cached property would: no field of the request, and in no copy that is sent.
            vars(request)[MARK] = self._state
        return request

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """Sets from the prompt's tokens whether the output begins within reasoning. vLLM calls it before the output begins."""
        self._state = self._state_of(prompt_token_ids)

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        """Sets from the prompt whether reasoning is open already. vLLM calls this in versions without ``set_prompt_token_ids``."""
        self._state = self._state_of(prompt_token_ids)

    def _state_of(self, ids: Sequence[int]) -> State:
        return self._markers.state(ids, getattr(self.model_tokenizer, "eos_token_id", None))

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Returns whether the reasoning is over."""
        return self._state_of(input_ids) == "closed"

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        """Returns whether the reasoning ends in the last tokens."""
        return any(token in self._markers.ends for token in delta_ids)

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        """Returns the tokens behind the reasoning."""
        return input_ids[self._end(input_ids) :]

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        """Returns the number of tokens of the reasoning, without its markers."""
        begins, end = self._markers.begins, self._end(token_ids)
        has_end = end > 0 and token_ids[end - 1] in self._markers.ends
        is_open = self._state == "open" or has_end or any(token in begins for token in token_ids[:end])
        return sum(token not in begins for token in token_ids[:end]) - has_end if is_open else 0

    def _end(self, ids: Sequence[int]) -> int:
        """Returns the index behind the token that ends the reasoning, or the number of tokens if there is none."""
        return next((at + 1 for at, token in enumerate(ids) if token in self._markers.ends), len(ids))

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        """Returns the reasoning of a whole output, and the rest of it."""
        if self._state == "closed":
            return None, model_output
        # An output with a prompt that is not known says itself who has begun its reasoning.
        ways: dict[State | None, tuple[_calls.Open, ...]] = {"open": ("prefilled",), "none": ("optional",)}
        answer = _calls.Answer("", model_output, ())
        for way in ways.get(self._state, ("optional", "prefilled")):
            read = _calls.Reader(self._style, (), way).read(model_output)
            if self._state is not None or (read.reasoning and (read.text or way == "optional")):
                answer = read
                break
        return answer.reasoning or None, answer.text or None

    def extract_reasoning_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
    ) -> Any:
        """Reads the next text of an output. Returns a message with reasoning, and with the beginning of the rest."""
        if self._reader is None:
            self._reader = _calls.Reader(self._style, (), "prefilled" if self._state == "open" else "optional")
        return self._message(self._reader.push(delta_text))

    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Returns whether the rest of the output has begun."""
        return self._has_ended

    def finish_streaming(self) -> Any:
        """Ends the output or its reasoning. Returns a message with the text that was held back."""
        return self._message(self._reader.finish()) if self._reader is not None else None

    def _message(self, delta: _calls.Delta) -> Any:
        self._has_ended = self._has_ended or bool(delta.text)
        return message(delta)


def _only(markers: dict[int, str]) -> str | None:
    return next(iter(markers.values())) if len(markers) == 1 else None
