"""vLLM: ``--tool-call-parser grammarc:STYLE`` and ``--reasoning-parser grammarc:STYLE``.

The plug-in registers the parsers (``GRAMMARC_VLLM=1``), and so does ``--tool-parser-plugin grammarc.hosts.vllm_calls``.

The parser of tool calls puts a tag of its style into each request with tools, for every choice, and reads outputs by their text:
token ids run ahead of text that vLLM holds back. The reasoning parser reads up to the end of the reasoning, and hands the rest on.
Where the prompt is known in advance (vLLM 0.33), the reasoning is a region of the tag, so the engine holds every token to the
grammar, and drafts as well. Otherwise the engine waits for the token that ends the reasoning.

vLLM's Rust frontend has parsers of its own and loads none of these.
"""

from __future__ import annotations

import functools
import json
import sys
import weakref
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Literal, NamedTuple

from grammarc.hosts import _calls
from grammarc.hosts._imports import when_imported
from grammarc.hosts._serving import expect, expect_parameters

__all__ = ["register"]

TOOLS = "vllm.tool_parsers.abstract_tool_parser"
REASONING = "vllm.reasoning.abs_reasoning_parsers"
PROTOCOL = "vllm.entrypoints.generate.base.protocol"

State = Literal["open", "closed", "none"]
"""Whether a prompt ends within reasoning, behind it, or says nothing of it."""

MARK = "_grammarc_reasoning"
"""What the reasoning parser leaves on a request for the parser of tool calls."""

_markers: weakref.WeakKeyDictionary[object, dict[str, Markers]] = weakref.WeakKeyDictionary()


def register() -> None:
    """Makes the parsers known to vLLM as soon as it imports its own. Doing it again does nothing."""
    when_imported(TOOLS, add_tool_parsers)
    when_imported(REASONING, add_reasoning_parsers)


def add_tool_parsers(module: Any) -> None:
    """Adds the parsers of tool calls. Raises :class:`HostMismatch` if this version of vLLM has other interfaces."""
    probe_tools(module.ToolParser)
    for name, style in _calls.parsers().items():
        fields = {"__module__": __name__, "_of": style, "_parsers": module}
        made = type("GrammarcToolParser", (ToolCallParser, module.ToolParser), fields)
        module.ToolParserManager.register_module(name, module=made)


def add_reasoning_parsers(module: Any) -> None:
    """Adds the reasoning parsers, as :func:`add_tool_parsers`."""
    probe_reasoning(module.ReasoningParser)
    for name, style in _calls.parsers().items():
        fields = {"__module__": __name__, "_of": style}
        made = type("GrammarcReasoningParser", (ReasoningParser, module.ReasoningParser), fields)
        module.ReasoningParserManager.register_module(name, module=made)


STREAM = ("self", "previous_text", "current_text", "delta_text", "previous_token_ids", "current_token_ids", "delta_token_ids")
"""Parameters of vLLM's methods that read what an output adds."""


def probe_tools(parser: Any) -> None:
    """Raises :class:`HostMismatch` unless vLLM's parsers of tool calls are as expected."""
    methods = {
        "__init__": ("self", "tokenizer", "tools"),
        "adjust_request": ("self", "request"),
        "get_structural_tag": ("self", "request", "reasoning", "strict_level"),
        "extract_tool_calls": ("self", "model_output", "request"),
        "extract_tool_calls_streaming": (*STREAM, "request"),
    }
    for name, parameters in methods.items():
        expect_parameters(getattr(parser, name, None), *parameters, where=f"ToolParser.{name}")
    for name in ("supports_required_and_named", "structural_tag_model", "engine_based_streaming"):
        expect(hasattr(parser, name), f"vLLM's ToolParser has no {name}")


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


def is_installed() -> bool:
    """Whether this process has the plug-in, without which an engine takes no tag of ours."""
    structured_output: Any = import_module("vllm.v1.structured_output")
    return bool(getattr(structured_output.XgrammarBackend, "_is_grammarc", False))


def functions(tools: Iterable[Any]) -> list[Any]:
    """The functions among the tools of a request, as vLLM shows them to the model."""
    utils: Any = import_module("vllm.tool_parsers.utils")
    # Chat completions have a function inside of a tool, responses have a function as a tool.
    return [getattr(tool, "function", tool) for tool in utils.get_function_tools(list(tools))]


def message(delta: _calls.Delta) -> Any:
    """A message with what an output adds; None if that is nothing."""
    protocol: Any = import_module(PROTOCOL)
    calls = [
        protocol.DeltaToolCall(
            index=call.index,
            function=protocol.DeltaFunctionCall(**_said(name=call.name, arguments=call.arguments)),
            **(_said(id=_call_id(), type="function") if call.name else {}),
        )
        for call in delta.calls
    ]
    # vLLM sends the members that were set.
    members = _said(reasoning=delta.reasoning, content=delta.text, tool_calls=calls)
    return protocol.DeltaMessage(**members) if members else None


def _said(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


def _call_id() -> Any:
    utils: Any = import_module("vllm.renderers.chat_utils")
    return utils.make_tool_call_id()


class ToolCallParser:
    """Holds calls to a style and reads one output: what a ``ToolParser`` does."""

    supports_required_and_named = False
    engine_based_streaming = True
    # Any name does: vLLM tells the strict level to parsers with tags alone. The tag itself is made by `adjust_request`.
    structural_tag_model = "grammarc"

    _of: str | None
    _parsers: Any
    tools: list[Any]

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None) -> None:
        super().__init__(tokenizer, tools)  # type: ignore[call-arg]
        self._style = _calls.style_of(self._of)
        self._reader: _calls.Reader | None = None
        self._are_strict = False

    def get_structural_tag(self, request: Any, *, reasoning: bool = False, strict_level: Any = 0) -> None:
        """Takes the strict level of the server. There is no tag of XGrammar."""
        self._are_strict = strict_level >= self._parsers.ToolStrictLevel.PARAMETER

    def adjust_request(self, request: Any) -> Any:
        """Puts the tag of a request in the place of its constraint. Raises vLLM's error for a forced call without the plug-in."""
        if not request.tools or request.tool_choice in (None, "none"):
            return request
        request.skip_special_tokens = False
        if not is_installed():
            if request.tool_choice == "auto":
                return request
            errors: Any = import_module("vllm.exceptions")
            raise errors.VLLMValidationError(
                f"the tool parser grammarc:{self._style} forces calls where GRAMMARC_VLLM=1 alone", parameter="tool_choice"
            )
        tag = self._tag(request)
        parameters = self._parsers.StructuredOutputsParams
        request.structured_outputs = parameters(structural_tag=json.dumps(tag))
        # The constraint of the format is in the tag.
        if hasattr(request, "response_format"):
            request.response_format = None
        else:
            request.text = None
        return request

    def _tag(self, request: Any) -> dict[str, Any]:
        choice = request.tool_choice
        tools = [
            _calls.function(tool.name, tool.parameters, strict=self._are_strict or tool.strict is True)
            for tool in functions(request.tools)
        ]
        options = {
            "tool_choice": choice if isinstance(choice, str) else choice.model_dump(mode="json", exclude_none=True),
            "parallel_tool_calls": request.parallel_tool_calls is not False,
        }
        wanted = request.extract_structured_outputs() if choice == "auto" else None
        if wanted is not None:
            # Text would be neither calls nor what the format asks for.
            options |= {"tool_choice": "required", "text_before": False}
            abstract: Any = import_module("vllm.parser.abstract_parser")
            elements = [_calls.tag(self._style, tools, **options), abstract.structured_outputs_to_format(wanted).model_dump()]
            return {"type": "structural_tag", "format": {"type": "or", "elements": elements}}
        opened = {"open": "prefilled", "none": "optional"}.get(vars(request).get(MARK, ""))
        if opened is not None and hasattr(request, "_grammar_from_parser"):
            options["reasoning"] = {"open": opened}
            # The engine constrains tokens from the first on, and does not look for the end of the reasoning.
            request._grammar_from_parser = True
        return _calls.tag(self._style, tools, **options)

    def _new_reader(self, request: Any) -> _calls.Reader | None:
        """A reader of an output, behind its reasoning; None if the request has no calls."""
        listed = functions(request.tools or ()) if request.tool_choice != "none" else []
        if not listed:
            return None
        return _calls.Reader(self._style, [_calls.function(tool.name, tool.parameters, strict=True) for tool in listed])

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        """The text and the calls of a whole output."""
        protocol: Any = import_module(PROTOCOL)
        reader = self._new_reader(request)
        answer = reader.read(model_output) if reader is not None else _calls.Answer("", model_output, ())
        calls = [
            protocol.ToolCall(function=protocol.FunctionCall(name=name, arguments=arguments))
            for name, arguments in answer.calls
        ]
        return protocol.ExtractedToolCallInformation(
            tools_called=bool(calls), tool_calls=calls, content=answer.text or None
        )

    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        """What the next text of an output adds."""
        if self._reader is None:
            self._reader = self._new_reader(request)
        return message(self._reader.push(delta_text) if self._reader is not None else _calls.Delta(text=delta_text))

    def finish_streaming(self) -> Any:
        """What was held back at the end of an output."""
        return message(self._reader.finish()) if self._reader is not None else None


class Markers(NamedTuple):
    """Control tokens of a tokenizer that begin and end the reasoning of a style, by their ids."""

    begins: dict[int, str]
    ends: dict[int, str]

    def state(self, ids: Sequence[int], end_of_turn: int | None) -> State:
        """What a prompt says of the reasoning. Tokens of earlier turns do not count."""
        for token in reversed(ids):
            if token in self.ends:
                return "closed"
            if token in self.begins:
                return "open"
            if token == end_of_turn:
                break
        return "none"


def markers_of(style: str, tokenizer: Any) -> Markers:
    """The markers of a style. Raises ``ValueError`` if a tokenizer has no token that ends its reasoning."""
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
    return Markers(begins, ends)


def _begins(style: str, text: str) -> bool:
    """Whether reasoning that the model opens begins with a text."""
    read = _calls.Reader(style, (), "written")
    return read.push(text).text == "" and read.finish().text == ""


def _ends(style: str, text: str) -> bool:
    """Whether a text ends reasoning. What is not a part of the reasoning's markup would be text itself."""
    read = _calls.Reader(style, (), "prefilled")
    said, rest = read.push(f"x{text}y"), read.finish()
    return (said.reasoning + rest.reasoning, said.text + rest.text) == ("x", "y")


class ReasoningParser:
    """Reads the reasoning of one output: what vLLM's ``ReasoningParser`` does.

    What follows the reasoning is handed on as it was written. It is read without tools here, so a call leaves the grammar, and all
    from there on is text.
    """

    engine_based_streaming = True

    _of: str | None
    model_tokenizer: Any

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(tokenizer, *args, **kwargs)
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
        """Says on the request what its prompt says of the reasoning, if that is known already."""
        request.skip_special_tokens = False
        if self._state is not None:
            # As a cached property would: no field of the request, and in no copy that is sent.
            vars(request)[MARK] = self._state
        return request

    def set_prompt_token_ids(self, prompt_token_ids: Sequence[int]) -> None:
        """Takes the prompt."""
        self._state = self._state_of(prompt_token_ids)

    def adjust_initial_state_from_prompt(self, prompt_token_ids: Sequence[int]) -> None:
        """Takes the prompt, in versions that do not hand it over before."""
        self._state = self._state_of(prompt_token_ids)

    def _state_of(self, ids: Sequence[int]) -> State:
        return self._markers.state(ids, getattr(self.model_tokenizer, "eos_token_id", None))

    def is_reasoning_end(self, input_ids: Sequence[int]) -> bool:
        """Whether the reasoning is over."""
        return self._state_of(input_ids) == "closed"

    def is_reasoning_end_streaming(self, input_ids: Sequence[int], delta_ids: Iterable[int]) -> bool:
        """Whether the reasoning ends in the last tokens."""
        return any(token in self._markers.ends for token in delta_ids)

    def extract_content_ids(self, input_ids: list[int]) -> list[int]:
        """The tokens behind the reasoning."""
        return input_ids[self._end(input_ids) :]

    def count_reasoning_tokens(self, token_ids: Sequence[int]) -> int:
        """The number of tokens of the reasoning, without its markers."""
        begins, end = self._markers.begins, self._end(token_ids)
        has_end = end > 0 and token_ids[end - 1] in self._markers.ends
        is_open = self._state == "open" or has_end or any(token in begins for token in token_ids[:end])
        return sum(token not in begins for token in token_ids[:end]) - has_end if is_open else 0

    def _end(self, ids: Sequence[int]) -> int:
        """The index behind the token that ends the reasoning; the number of tokens if there is none."""
        return next((at + 1 for at, token in enumerate(ids) if token in self._markers.ends), len(ids))

    def extract_reasoning(self, model_output: str, request: Any) -> tuple[str | None, str | None]:
        """The reasoning of a whole output, and the rest of it."""
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
        """What the next text of an output adds to the reasoning, and the beginning of the rest."""
        if self._reader is None:
            self._reader = _calls.Reader(self._style, (), "prefilled" if self._state == "open" else "optional")
        return self._told(self._reader.push(delta_text))

    def has_engine_confirmed_reasoning_end(self) -> bool:
        """Whether the rest of the output has begun."""
        return self._has_ended

    def finish_streaming(self) -> Any:
        """What was held back at the end of the output, or at the end of the reasoning."""
        return self._told(self._reader.finish()) if self._reader is not None else None

    def _told(self, delta: _calls.Delta) -> Any:
        self._has_ended = self._has_ended or bool(delta.text)
        return message(delta)


def _only(markers: dict[int, str]) -> str | None:
    return next(iter(markers.values())) if len(markers) == 1 else None


if "vllm" in sys.modules:
    # vLLM imports it by name, or has loaded the plug-in.
    register()
