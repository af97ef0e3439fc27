"""vLLM: ``--tool-call-parser grammarc:STYLE`` and ``--reasoning-parser grammarc:STYLE``.

The plug-in registers the parsers (``GRAMMARC_VLLM=1``), and so does ``--tool-parser-plugin grammarc.hosts.vllm_calls``.

The parser of tool calls puts a tag of its style into each request with tools, for every choice, and reads outputs by their text:
token ids run ahead of text that vLLM holds back. The reasoning parser reads up to the end of the reasoning, and hands the rest on.
Where the prompt is known in advance (vLLM 0.33), the reasoning is a region of the tag, so the engine holds every token to the
grammar, and drafts as well. Otherwise the engine waits for the token that ends the reasoning.

vLLM's Rust frontend has parsers of its own and loads none of these.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any

from grammarc.hosts import _calls
from grammarc.hosts._imports import when_imported
from grammarc.hosts._serving import expect, expect_parameters
from grammarc.hosts._vllm_messages import PROTOCOL, STREAM, message
from grammarc.hosts._vllm_reasoning import MARK, ReasoningParser, probe_reasoning

__all__ = ["register"]

TOOLS = "vllm.tool_parsers.abstract_tool_parser"
REASONING = "vllm.reasoning.abs_reasoning_parsers"


def register() -> None:
    """Makes the parsers known to vLLM as soon as it imports its own. Doing it again does nothing."""
    when_imported(TOOLS, add_tool_parsers)
    when_imported(REASONING, add_reasoning_parsers)


def add_tool_parsers(module: Any) -> None:
    """Registers the parsers of tool calls in vLLM's module of them. Raises :class:`HostMismatch` if this version of vLLM has other interfaces."""
    if _calls.NAME in module.ToolParserManager.list_registered():
        return
    probe_tools(module.ToolParser)
    for name, style in _calls.parsers().items():
        fields = {"__module__": __name__, "_of": style, "_parsers": module}
        made = type("GrammarcToolParser", (ToolCallParser, module.ToolParser), fields)
        module.ToolParserManager.register_module(name, module=made)


def add_reasoning_parsers(module: Any) -> None:
    """Registers the reasoning parsers in vLLM's module of them. Raises as :func:`add_tool_parsers`."""
    if _calls.NAME in module.ReasoningParserManager.list_registered():
        return
    probe_reasoning(module.ReasoningParser)
    for name, style in _calls.parsers().items():
        fields = {"__module__": __name__, "_of": style}
        made = type("GrammarcReasoningParser", (ReasoningParser, module.ReasoningParser), fields)
        module.ReasoningParserManager.register_module(name, module=made)


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


def is_installed() -> bool:
    """Returns whether grammarc is vLLM's backend in this process. Without it, an engine refuses grammarc's structural tags."""
    structured_output: Any = import_module("vllm.v1.structured_output")
    return bool(getattr(structured_output.XgrammarBackend, "_is_grammarc", False))


def functions(tools: Iterable[Any]) -> list[Any]:
    """Returns the functions among the tools of a request, as vLLM shows them to the model."""
    utils: Any = import_module("vllm.tool_parsers.utils")
    # Chat completions have a function inside of a tool, responses have a function as a tool.
    return [getattr(tool, "function", tool) for tool in utils.get_function_tools(list(tools))]


class ToolCallParser:
    """vLLM's ``ToolParser`` for one style of tool calls: constrains calls to the style by a grammar, and reads one output."""

    supports_required_and_named = False
    engine_based_streaming = True
    # Any name does: vLLM reports the strict level only to parsers that name a model. `adjust_request` makes the tag.
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
        """Takes the strict level of the server. Returns None, since there is no tag of XGrammar."""
        self._are_strict = strict_level >= self._parsers.ToolStrictLevel.PARAMETER

    def adjust_request(self, request: Any) -> Any:
        """Replaces the constraint of a request by its tag. Raises vLLM's error for a forced call without the plug-in."""
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
        """Returns a reader of an output behind its reasoning, or None if the request has no calls."""
        listed = functions(request.tools or ()) if request.tool_choice != "none" else []
        if not listed:
            return None
        return _calls.Reader(self._style, [_calls.function(tool.name, tool.parameters, strict=True) for tool in listed])

    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        """Returns the text and the calls of a whole output."""
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
        """Reads the next text of an output. Returns a message with the parts that are certain by now."""
        if self._reader is None:
            self._reader = self._new_reader(request)
        return message(self._reader.push(delta_text) if self._reader is not None else _calls.Delta(text=delta_text))

    def finish_streaming(self) -> Any:
        """Ends an output. Returns a message with the rest of it."""
        return message(self._reader.finish()) if self._reader is not None else None


if "vllm" in sys.modules:
    # vLLM imports it by name, or has loaded the plug-in.
    register()
