"""SGLang's parsers of tool calls for tests: their interfaces in 0.5.23, written down, and its own where ``GRAMMARC_SGLANG=1``."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from types import SimpleNamespace
from typing import Any

import pydantic


def each() -> dict[str, SimpleNamespace]:
    """By name, the modules of parsers and of their results, and the class of tools."""
    found = {"stubs": stubs()}
    if os.environ.get("GRAMMARC_SGLANG") == "1":
        from sglang.srt.entrypoints.openai import protocol
        from sglang.srt.function_call import core_types, function_call_parser

        found["itself"] = SimpleNamespace(
            parsers=function_call_parser, items=core_types, tool=protocol.Tool, choice=protocol.ToolChoice
        )
    return found


class ToolCallItem(pydantic.BaseModel):
    tool_index: int
    name: str | None = None
    parameters: str


class StreamingParseResult(pydantic.BaseModel):
    normal_text: str = ""
    calls: list[ToolCallItem] = []


class Function(pydantic.BaseModel):
    description: str | None = None
    name: str
    parameters: object | None = None
    strict: bool | None = None


class Tool(pydantic.BaseModel):
    type: str = "function"
    function: Function


class FunctionName(pydantic.BaseModel):
    name: str


class ToolChoice(pydantic.BaseModel):
    type: str = "function"
    function: FunctionName


class BaseFormatDetector(ABC):
    def __init__(self) -> None:
        self.prev_tool_call_arr: list[Any] = []
        self.streamed_args_for_tool: list[str] = []

    @abstractmethod
    def detect_and_parse(self, text: str, tools: Any) -> Any: ...

    def parse_streaming_increment(self, new_text: str, tools: Any) -> Any: ...

    @abstractmethod
    def has_tool_call(self, text: str) -> bool: ...

    def finish(self, tools: Any) -> Any: ...

    def supports_structural_tag(self) -> bool:
        return True

    def parses_required_natively(self) -> bool:
        return False

    @abstractmethod
    def structure_info(self) -> Any: ...

    def get_structural_tag(
        self, tools: Any = None, tool_choice: Any = "auto", thinking_mode: bool = False, parallel_tool_calls: bool = True
    ) -> Any: ...


def stubs() -> SimpleNamespace:
    """The interfaces of SGLang 0.5.23."""
    parser = type("FunctionCallParser", (), {"ToolCallParserEnum": {"qwen": BaseFormatDetector}})
    # A class of its own, which a test may change.
    base = type("BaseFormatDetector", (BaseFormatDetector,), {})
    return SimpleNamespace(
        parsers=SimpleNamespace(FunctionCallParser=parser, BaseFormatDetector=base),
        items=SimpleNamespace(ToolCallItem=ToolCallItem, StreamingParseResult=StreamingParseResult),
        tool=Tool,
        choice=ToolChoice,
    )
