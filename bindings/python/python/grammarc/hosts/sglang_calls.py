"""SGLang: ``--tool-call-parser grammarc:STYLE``, one detector for each style of tool calls.

:func:`register` makes the names known, from the entry point ``sglang.srt.plugins``. The classes are made once SGLang imports its
own parsers, which takes seconds.

With ``--grammar-backend grammarc``, forced and strict calls are held to a tag in the style. With another backend, SGLang forces
calls by a JSON schema, as it does for formats without tags, and the detector reads the other outputs.
"""

from __future__ import annotations

import logging
from importlib import import_module
from typing import Any

from grammarc.hosts import _calls
from grammarc.hosts._imports import when_imported
from grammarc.hosts._serving import expect, expect_parameters
from grammarc.hosts.sglang import NAME as BACKEND

__all__ = ["register"]

logger = logging.getLogger("sglang.grammarc")

PARSERS = "sglang.srt.function_call.function_call_parser"


def register() -> None:
    """Makes the parsers known to SGLang. Doing it again does nothing."""
    names: Any = import_module("sglang.srt.function_call.parser_names")
    known = names.TOOL_CALL_PARSER_NAMES
    known.extend(name for name in _calls.parsers() if name not in known)
    when_imported(PARSERS, add)


def add(parsers: Any) -> None:
    """Adds the detectors to SGLang's parsers. Raises :class:`HostMismatch` if this version has other interfaces."""
    items: Any = import_module("sglang.srt.function_call.core_types")
    probe(parsers, items)
    for name, style in _calls.parsers().items():
        parsers.FunctionCallParser.ToolCallParserEnum.setdefault(name, detector_class(parsers.BaseFormatDetector, items, style))


def probe(parsers: Any, items: Any) -> None:
    """Raises :class:`HostMismatch` unless SGLang has the interfaces that detectors rely on."""
    methods = {
        "detect_and_parse": ("self", "text", "tools"),
        "parse_streaming_increment": ("self", "new_text", "tools"),
        "finish": ("self", "tools"),
        "has_tool_call": ("self", "text"),
        "supports_structural_tag": ("self",),
        "parses_required_natively": ("self",),
        "structure_info": ("self",),
        "get_structural_tag": ("self", "tools", "tool_choice", "thinking_mode", "parallel_tool_calls"),
    }
    for name, parameters in methods.items():
        expect_parameters(getattr(parsers.BaseFormatDetector, name, None), *parameters, where=f"BaseFormatDetector.{name}")
    fields = {"StreamingParseResult": {"normal_text", "calls"}, "ToolCallItem": {"tool_index", "name", "parameters"}}
    for name, expected in fields.items():
        found = set(getattr(items, name).model_fields)
        expect(found == expected, f"SGLang's {name} has the fields {sorted(found)}, and grammarc is written for {sorted(expected)}")


def detector_class(base: Any, items: Any, style: str | None) -> Any:
    """Returns the class of a style: for None, of the style of ``GRAMMARC_TOOL_STYLE``."""
    fields = {"__module__": __name__, "_of": style, "_items": items}
    return type("GrammarcDetector", (Detector, base), fields)


def tool_of(tool: Any) -> dict[str, Any]:
    """Returns a tool of SGLang's as OpenAI's object. A tool is strict only if it says so."""
    called = tool.function
    return _calls.function(called.name, called.parameters, strict=bool(called.strict), description=called.description)


class Tag:
    """A tag with the method by which SGLang reads XGrammar's tags."""

    def __init__(self, source: dict[str, Any]) -> None:
        self._source = source

    def model_dump(self, by_alias: bool = False) -> dict[str, Any]:
        """Returns the tag."""
        return self._source


class Detector:
    """Reads one output, as a ``BaseFormatDetector`` does."""

    _of: str | None
    _items: Any

    def __init__(self) -> None:
        super().__init__()
        self._style = _calls.style_of(self._of)
        self._reader: _calls.Reader | None = None

    def has_tool_call(self, text: str) -> bool:
        """Returns whether a text has the beginning of a call."""
        return _calls.has_call(self._style, text)

    def detect_and_parse(self, text: str, tools: list[Any]) -> Any:
        """Returns the text and the calls of a whole output."""
        answer = self._new_reader(tools).read(text)
        calls = [
            self._items.ToolCallItem(tool_index=index, name=name, parameters=arguments)
            for index, (name, arguments) in enumerate(answer.calls)
        ]
        return self._items.StreamingParseResult(normal_text=answer.text, calls=calls)

    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> Any:
        """Reads the next text of an output. Returns the text and the parts of calls that are certain by now."""
        if self._reader is None:
            self._reader = self._new_reader(tools)
        return self._result(self._reader.push(new_text))

    def finish(self, tools: list[Any]) -> Any:
        """Ends an output. Returns the rest of it."""
        return self._result(self._reader.finish() if self._reader is not None else _calls.Delta())

    def _new_reader(self, tools: list[Any]) -> _calls.Reader:
        return _calls.Reader(self._style, [tool_of(tool) for tool in tools])

    def _result(self, delta: _calls.Delta) -> Any:
        calls = [
            self._items.ToolCallItem(tool_index=call.call, name=call.name, parameters=call.arguments)
            for call in delta.calls
        ]
        return self._items.StreamingParseResult(normal_text=delta.text, calls=calls)

    def supports_structural_tag(self) -> bool:
        """Returns False: SGLang's older form of tags cannot express most styles."""
        return False

    def parses_required_natively(self) -> bool:
        """Returns whether calls that ``tool_choice`` forces are in the model's style. Without the grammar backend ``grammarc``, SGLang
        forces a JSON array."""
        return serves_tags()

    def structure_info(self) -> Any:
        """Raises ``NotImplementedError``: a call of most styles is more than a beginning, JSON and an end."""
        raise NotImplementedError("grammarc makes structural tags of its own")

    def get_structural_tag(
        self,
        tools: list[Any] | None = None,
        tool_choice: Any = "auto",
        thinking_mode: bool = False,
        parallel_tool_calls: bool = True,
    ) -> Tag | None:
        """Returns the tag of a request, or None if the server has another backend."""
        if not serves_tags():
            return None
        choice = tool_choice if isinstance(tool_choice, str) else tool_choice.model_dump()
        listed = [tool_of(tool) for tool in tools or ()]
        source = _calls.tag(self._style, listed, tool_choice=choice, parallel_tool_calls=parallel_tool_calls)
        if not thinking_mode or not _calls.reasons(self._style):
            return Tag(source)
        # SGLang does not say whether the prompt has opened the reasoning.
        either = [{**source, "reasoning": {"open": how}} for how in ("prefilled", "optional")]
        return Tag({"type": "structural_tag", "format": {"type": "or", "elements": either}})


def serves_tags() -> bool:
    """Returns whether the server's grammar backend is grammarc."""
    context: Any = import_module("sglang.srt.runtime_context").get_context()
    try:
        return bool(context.config_leaf("grammar_backend") == BACKEND)
    except ValueError:
        # There is no server in this process.
        return False
