"""vLLM's base classes of parsers for tests: their interfaces in 0.32 and 0.33, written down, and for each folder of
``GRAMMARC_VLLM_SOURCES`` its own classes, loaded without the rest of it."""

from __future__ import annotations

import __future__

import ast
import enum
import os
import sys
from abc import abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pydantic
import pytest

from grammarc.hosts import _vllm_messages


class ToolStrictLevel(enum.IntEnum):
    AUTO = 0
    FUNCTION = 1
    PARAMETER = 2


class Function(pydantic.BaseModel):
    name: str
    description: str | None = None
    parameters: dict[str, Any] | None = None
    strict: bool | None = None


class Tool(pydantic.BaseModel):
    type: str = "function"
    function: Function


class Named(pydantic.BaseModel):
    """``tool_choice`` that names a function."""

    type: str = "function"
    function: Function


class StructuredOutputsParams(pydantic.BaseModel):
    structural_tag: str | None = None


class Request(pydantic.BaseModel):
    """A request of chat completions."""

    tools: list[Tool] | None = None
    tool_choice: str | Named | None = "none"
    parallel_tool_calls: bool | None = True
    response_format: Any = None
    structured_outputs: Any = None
    skip_special_tokens: bool | None = None
    _grammar_from_parser: bool = pydantic.PrivateAttr(default=False)

    def extract_structured_outputs(self) -> Any:
        return self.response_format or self.structured_outputs


class Response(Request):
    """A request of responses, whose format has another name. Its functions are tools themselves."""

    tools: list[Function] | None = None  # type: ignore[assignment]
    text: Any = None

    def __init__(self, **members: Any) -> None:
        super().__init__(**members)
        del self.__dict__["response_format"]

    def extract_structured_outputs(self) -> Any:
        return self.text or self.structured_outputs


class Delta(pydantic.BaseModel):
    """Messages and their parts."""

    model_config = pydantic.ConfigDict(extra="allow")


class Refusal(ValueError):
    def __init__(self, message: str, parameter: str) -> None:
        super().__init__(message)


class Tokenizer:
    """A token for each character, and control tokens."""

    def __init__(self, *control: str, end_of_turn: str = "<end>") -> None:
        self._control = {text: (1 << 21) + at for at, text in enumerate([end_of_turn, *control])}
        self.eos_token_id = self._control[end_of_turn]

    def get_added_vocab(self) -> dict[str, int]:
        return dict(self._control)

    def encode(self, text: str) -> list[int]:
        ids = []
        while text:
            control = next((one for one in self._control if text.startswith(one)), None)
            ids.append(self._control[control] if control else ord(text[0]))
            text = text[len(control or text[0]) :]
        return ids


TOKENIZER = Tokenizer("<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_start|>")


def install(monkeypatch: pytest.MonkeyPatch, *, plugin: bool = True) -> None:
    """Puts the modules that parsers look up in vLLM's place; with the plug-in, or without it."""
    backend = type("XgrammarBackend", (), {"_is_grammarc": True} if plugin else {})
    parts = ("DeltaMessage", "DeltaToolCall", "DeltaFunctionCall", "ToolCall", "FunctionCall", "ExtractedToolCallInformation")
    ids = iter(range(1000))
    for name, members in {
        "vllm": {},
        _vllm_messages.PROTOCOL: dict.fromkeys(parts, Delta),
        "vllm.tool_parsers.utils": {"get_function_tools": list},
        "vllm.renderers.chat_utils": {"make_tool_call_id": lambda: f"call-{next(ids)}"},
        "vllm.exceptions": {"VLLMValidationError": Refusal},
        "vllm.v1.structured_output": {"XgrammarBackend": backend},
        "vllm.parser.abstract_parser": {"structured_outputs_to_format": lambda wanted: wanted},
    }.items():
        module = ModuleType(name)
        module.__dict__.update(members)
        monkeypatch.setitem(sys.modules, name, module)


class _Manager:
    """Both managers of parsers."""

    known: dict[str, Any]

    @classmethod
    def register_module(cls, name: Any = None, force: bool = True, module: Any = None) -> Any:
        cls.known[name] = module

    @classmethod
    def list_registered(cls) -> list[str]:
        return sorted(cls.known)


def stubs() -> SimpleNamespace:
    """The interfaces of vLLM 0.32 and 0.33, written down."""

    class ToolParser:
        supports_required_and_named = True
        structural_tag_model: str | None = None
        engine_based_streaming = False

        def __init__(self, tokenizer: Any, tools: Any = None) -> None:
            self.model_tokenizer = tokenizer
            self.tools = tools or []

        def adjust_request(self, request: Any) -> Any: ...
        def get_structural_tag(self, request: Any, *, reasoning: bool = False, strict_level: Any = 0) -> Any: ...
        def extract_tool_calls(self, model_output: str, request: Any) -> Any: ...
        def extract_tool_calls_streaming(
            self,
            previous_text: str,
            current_text: str,
            delta_text: str,
            previous_token_ids: Any,
            current_token_ids: Any,
            delta_token_ids: Any,
            request: Any,
        ) -> Any: ...

    class ReasoningParser:
        engine_based_streaming = False

        def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
            self.model_tokenizer = tokenizer

        def is_reasoning_end(self, input_ids: Any) -> Any: ...
        def is_reasoning_end_streaming(self, input_ids: Any, delta_ids: Any) -> Any: ...
        def extract_content_ids(self, input_ids: Any) -> Any: ...
        def count_reasoning_tokens(self, token_ids: Any) -> Any: ...
        def extract_reasoning(self, model_output: str, request: Any) -> Any: ...
        def extract_reasoning_streaming(
            self,
            previous_text: str,
            current_text: str,
            delta_text: str,
            previous_token_ids: Any,
            current_token_ids: Any,
            delta_token_ids: Any,
        ) -> Any: ...
        def has_engine_confirmed_reasoning_end(self) -> Any: ...
        def adjust_request(self, request: Any) -> Any: ...
        def adjust_initial_state_from_prompt(self, prompt_token_ids: Any) -> Any: ...

    return _modules(ToolParser, ReasoningParser)


def _modules(tool_parser: Any, reasoning_parser: Any) -> SimpleNamespace:
    return SimpleNamespace(
        tools=SimpleNamespace(
            ToolParser=tool_parser,
            ToolParserManager=type("ToolParserManager", (_Manager,), {"known": {}}),
            ToolStrictLevel=ToolStrictLevel,
            StructuredOutputsParams=StructuredOutputsParams,
        ),
        reasoning=SimpleNamespace(
            ReasoningParser=reasoning_parser,
            ReasoningParserManager=type("ReasoningParserManager", (_Manager,), {"known": {}}),
        ),
    )


def each() -> dict[str, SimpleNamespace]:
    """The modules of parsers by name: the stubs, and what the environment names."""
    found = {"stubs": stubs()}
    for folder in os.environ.get("GRAMMARC_VLLM_SOURCES", "").split(os.pathsep):
        if folder:
            root = Path(folder) / "vllm"
            found[Path(folder).name] = _modules(
                _class(root / "tool_parsers/abstract_tool_parser.py", "ToolParser"),
                _class(root / "reasoning/abs_reasoning_parsers.py", "ReasoningParser"),
            )
    return found


def _class(path: Path, name: str) -> Any:
    """A class of a file, with what its methods look up in these tests."""
    tree = ast.parse(path.read_text())
    tree.body = [node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == name]
    known: dict[str, Any] = {
        "__name__": path.stem,
        "Any": Any,
        "Callable": Callable,
        "Sequence": Sequence,
        "ToolStrictLevel": ToolStrictLevel,
        "ChatCompletionToolsParam": Tool,
        "FunctionTool": Function,
        "abstractmethod": abstractmethod,
        "cached_property": cached_property,
        "cast": cast,
        "envs": SimpleNamespace(VLLM_ENFORCE_STRICT_TOOL_CALLING=True),
    }
    exec(compile(tree, str(path), "exec", __future__.annotations.compiler_flag), known)
    return known[name]
