"""The parsers of tool calls for SGLang: registration, whole outputs, streams, tags."""

from __future__ import annotations

import json
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from hosts import calls, sglang_parsers

import grammarc
from grammarc.hosts import _calls, sglang_calls
from grammarc.hosts._serving import HostMismatch
from grammarc.hosts.sglang import filled_tag


@pytest.fixture(params=sglang_parsers.each())
def modules(request: pytest.FixtureRequest) -> SimpleNamespace:
    return sglang_parsers.each()[request.param]


@pytest.fixture(params=calls.OUTPUTS)
def output(request: pytest.FixtureRequest) -> calls.Output:
    return calls.OUTPUTS[request.param]


def detector(modules: SimpleNamespace, style: str | None) -> Any:
    return sglang_calls.detector_class(modules.parsers.BaseFormatDetector, modules.items, style)()


def tools(modules: SimpleNamespace) -> list[Any]:
    return [modules.tool(function=one) for one in calls.TOOLS]


def streamed(made: Any, parts: list[str], listed: list[Any]) -> calls.Stream:
    stream = calls.Stream()
    for result in [*(made.parse_streaming_increment(part, listed) for part in parts), made.finish(listed)]:
        stream.text += result.normal_text
        for item in result.calls:
            stream.call(item.tool_index, item.name, item.parameters)
    return stream


@pytest.fixture
def backend(monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """The configuration of a server."""
    config = {"grammar_backend": "grammarc"}

    def leaf(name: str) -> str:
        if name not in config:
            raise ValueError("config not published")
        return config[name]

    context = SimpleNamespace(get_context=lambda: SimpleNamespace(config_leaf=leaf))
    if "sglang" not in sys.modules:
        monkeypatch.setitem(sys.modules, "sglang", ModuleType("sglang"))
    monkeypatch.setitem(sys.modules, "sglang.srt.runtime_context", context)
    return config


def test_the_known_interfaces_are_found(modules: SimpleNamespace) -> None:
    sglang_calls.probe(modules.parsers, modules.items)


def test_other_interfaces_are_refused() -> None:
    modules = sglang_parsers.stubs()
    modules.parsers.BaseFormatDetector.finish = lambda self: None
    with pytest.raises(HostMismatch, match="BaseFormatDetector.finish"):
        sglang_calls.probe(modules.parsers, modules.items)
    modules = sglang_parsers.stubs()
    modules.items.ToolCallItem = modules.items.StreamingParseResult
    with pytest.raises(HostMismatch, match="ToolCallItem has the fields"):
        sglang_calls.probe(modules.parsers, modules.items)


def test_registration(monkeypatch: pytest.MonkeyPatch) -> None:
    modules = sglang_parsers.stubs()
    known = ["qwen"]
    for name, module in {
        "sglang": ModuleType("sglang"),
        "sglang.srt.function_call.parser_names": SimpleNamespace(TOOL_CALL_PARSER_NAMES=known),
        "sglang.srt.function_call.core_types": modules.items,
        sglang_calls.PARSERS: modules.parsers,
    }.items():
        monkeypatch.setitem(sys.modules, name, module)
    sglang_calls.register()
    sglang_calls.register()
    assert known == list(modules.parsers.FunctionCallParser.ToolCallParserEnum) == ["qwen", *_calls.parsers()]
    made = modules.parsers.FunctionCallParser.ToolCallParserEnum["grammarc:llama"]()
    assert isinstance(made, modules.parsers.BaseFormatDetector)
    assert made.detect_and_parse(calls.OUTPUTS["JSON without tags"].rest, tools(modules)).calls


def test_whole_outputs(modules: SimpleNamespace, output: calls.Output) -> None:
    made = detector(modules, output.style)
    result = made.detect_and_parse(output.rest, tools(modules))
    assert result.normal_text == output.text
    assert [(item.name, json.loads(item.parameters)) for item in result.calls] == output.calls
    assert [item.tool_index for item in result.calls] == list(range(len(output.calls)))
    assert made.has_tool_call(output.rest) == bool(output.calls)


@pytest.mark.parametrize("length", calls.CHUNKS)
def test_streams(modules: SimpleNamespace, output: calls.Output, length: int) -> None:
    stream = streamed(detector(modules, output.style), calls.chunks(output.rest, length), tools(modules))
    assert (stream.text, stream.calls) == (output.text, output.calls)


@pytest.mark.parametrize("text", calls.WRONG)
def test_what_is_no_call_is_text(modules: SimpleNamespace, text: str) -> None:
    result = detector(modules, "qwen_3").detect_and_parse(text, tools(modules))
    assert (result.normal_text, result.calls) == (text, [])
    for length in calls.CHUNKS:
        stream = streamed(detector(modules, "qwen_3"), calls.chunks(text, length), tools(modules))
        assert (stream.text, stream.calls) == (text, [])


def test_a_call_that_was_cut_off_is_no_call(modules: SimpleNamespace, output: calls.Output) -> None:
    made = detector(modules, output.style)
    for length in range(len(output.rest)):
        result = made.detect_and_parse(output.rest[:length], tools(modules))
        found = [(item.name, json.loads(item.parameters)) for item in result.calls]
        assert found == output.calls[: len(found)]


def test_tools_that_no_grammar_can_call_leave_the_text(modules: SimpleNamespace) -> None:
    listed = [modules.tool(function={"name": "<tool_call>\n", "parameters": None})]
    text = calls.OUTPUTS["a call"].rest
    result = detector(modules, "glm_4_7").detect_and_parse(text, listed)
    assert (result.normal_text, result.calls) == (text, [])
    assert streamed(detector(modules, "glm_4_7"), [text], listed).text == text


def test_the_style_of_the_environment(modules: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GRAMMARC_TOOL_STYLE", raising=False)
    with pytest.raises(ValueError, match="GRAMMARC_TOOL_STYLE"):
        detector(modules, None)
    monkeypatch.setenv("GRAMMARC_TOOL_STYLE", "qwen_33")
    with pytest.raises(ValueError, match="qwen_33"):
        detector(modules, None)
    monkeypatch.setenv("GRAMMARC_TOOL_STYLE", "GLM-4.7")
    output = calls.OUTPUTS["members as tags"]
    assert len(detector(modules, None).detect_and_parse(output.rest, tools(modules)).calls) == len(output.calls)


CHOICES = ["auto", "required", "get"]


@pytest.mark.parametrize("thinks", [False, True])
@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("style", ["qwen_3", "llama"])
def test_tags(modules: SimpleNamespace, backend: dict[str, str], style: str, choice: str, thinks: bool) -> None:
    made = detector(modules, style)
    assert made.parses_required_natively() and not made.supports_structural_tag()
    named = modules.choice(function={"name": "get"}) if choice == "get" else choice
    tag = made.get_structural_tag(tools(modules), named, thinks, False)
    source = filled_tag(json.dumps(tag.model_dump(by_alias=True)))
    grammar = calls.compiled(source)
    # Tools that are not strict take any object.
    call = {"qwen_3": '<tool_call>\n{"name": "get", "arguments": {"x":1}}\n</tool_call>', "llama": '{"name": "get", "parameters": {"x":1}}'}
    begins = ["", "Hm</think>\n\n", "<think>Hm</think>\n\n"] if thinks and style == "qwen_3" else [""]
    for begin in begins:
        grammar.check(begin + call[style])
        with pytest.raises(grammarc.TextRefused):
            grammar.check(begin + 2 * call[style])


def test_strict_tools_are_strict(modules: SimpleNamespace, backend: dict[str, str]) -> None:
    listed = [modules.tool(function=one | {"strict": True}) for one in calls.TOOLS]
    tag = detector(modules, "qwen_3").get_structural_tag(listed, "required")
    grammar = calls.compiled(json.dumps(tag.model_dump()))
    grammar.check(calls.OUTPUTS["a call"].rest)
    with pytest.raises(grammarc.TextRefused):
        grammar.check('<tool_call>\n{"name": "get", "arguments": {"x":1}}\n</tool_call>')


def test_another_backend_gets_no_tag(modules: SimpleNamespace, backend: dict[str, str]) -> None:
    made = detector(modules, "qwen_3")
    for config in ({"grammar_backend": "xgrammar"}, {}):
        backend.clear()
        backend.update(config)
        assert made.get_structural_tag(tools(modules), "required") is None
        # SGLang then forces and reads an array of JSON.
        assert not made.parses_required_natively()
    with pytest.raises(NotImplementedError):
        made.structure_info()
