"""Outputs with calls, read by the parsers of SGLang and vLLM, and by grammarc's in their place, whole and streamed.

Each style's outputs are drawn with values that hurt, and written by the renderers here, as chat templates write them. A row counts
the outputs whose text or calls were read wrongly: the whole output at once, and streams of 1, 5 and 20 tokens at a time. Text
counts without the white space around it. A host that is not installed has no rows.

    python run_calls.py TOKENIZER.json [--outputs 200] [--seed 1]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from run_calls_styles import STYLES, Style

TEXTS = [
    "Oslo", "", " two  spaces ", 'say "hi"', "line\nline\n", "\n", "}]}", '{"a": [1]}', "</tool", "<b>x</b>", "日本 é 😀",
    "back\\slash \\n", "null", "true", "5", "[1, 2]", "a, b: c", "'single'", "tab\there", "x" * 300, "<", "tool_call>", "&lt;", "%s {}",
]  # fmt: skip
"""Strings."""

SPOKEN = ["", "I look.", "Let me see: {x} <b>", "Zürich 😀\n", "1 < 2 and 3 > 2"]
"""Text before calls."""

SCHEMAS: dict[str, tuple[dict[str, Any], Callable[[random.Random], Any]]] = {
    "text": ({"type": "string"}, lambda draw: draw.choice(TEXTS)),
    "number": ({"type": "integer"}, lambda draw: draw.randint(-9, 10**6)),
    "ratio": ({"type": "number"}, lambda draw: draw.choice([0.5, -1.25, 3, 1e-7])),
    "flag": ({"type": "boolean"}, lambda draw: draw.random() < 0.5),
    "maybe": ({"type": ["integer", "null"]}, lambda draw: draw.choice([None, 7])),
    "list": (
        {"type": "array", "items": {"type": "string"}},
        lambda draw: [draw.choice(TEXTS) for _ in range(draw.randint(0, 3))],
    ),
    "inner": (
        {"type": "object", "properties": {"id": {"type": "string"}, "n": {"type": "integer"}}},
        lambda draw: {"id": draw.choice(TEXTS), "n": draw.randint(0, 9)},
    ),
}
"""Schemas of members, and how their values are drawn."""


class Drawn(NamedTuple):
    tools: list[dict[str, Any]]
    output: str
    text: str
    calls: list[tuple[str, dict[str, Any]]]


def drawn(style: Style, draw: random.Random) -> Drawn:
    """An output with up to three calls."""
    tools, values = [], {}
    for at in range(draw.randint(1, 4)):
        names = draw.sample(sorted(SCHEMAS), draw.randint(0, 4))
        properties = {f"{name}_{at}": SCHEMAS[name][0] for name in sorted(names)}
        parameters = {"type": "object", "properties": properties, "required": list(properties)}
        tools.append({"type": "function", "function": {"name": f"tool_{at}", "parameters": parameters}})
        values[f"tool_{at}"] = sorted(names)
    calls = []
    for _ in range(draw.randint(0, 3) if style.is_parallel else draw.randint(0, 1)):
        name = draw.choice(sorted(values))
        at = name.rpartition("_")[2]
        calls.append((name, {f"{key}_{at}": style.value(SCHEMAS[key][1](draw)) for key in values[name]}))
    text = draw.choice(SPOKEN) if style.has_text or not calls else ""
    return Drawn(tools, text + (style.render(calls) if calls else ""), text, calls)


def chunks(tokenizer: Any, output: str, length: int) -> Iterator[tuple[str, list[int]]]:
    """Text and ids of so many tokens at a time. Text whose last character is not whole is held back, as detokenizers do."""
    ids = tokenizer.encode(output, add_special_tokens=False)
    sent = 0
    for at in range(0, len(ids), length):
        end = at + length
        text = tokenizer.decode(ids[:end], skip_special_tokens=False, clean_up_tokenization_spaces=False)
        whole = text if end >= len(ids) else text.rstrip("\ufffd")
        yield whole[sent:], ids[at:end]
        sent = len(whole)


class Read(NamedTuple):
    """What a parser has read."""

    text: str
    calls: list[tuple[str, str]]

    def is_right(self, expected: Drawn) -> bool:
        try:
            calls = [(name, json.loads(arguments or "{}")) for name, arguments in self.calls]
        except ValueError:
            return False
        return self.text.strip() == expected.text.strip() and calls == expected.calls


class Sglang:
    """SGLang's ``FunctionCallParser``."""

    def __init__(self, tokenizer: Any) -> None:
        from sglang.srt.entrypoints.openai.protocol import Tool
        from sglang.srt.function_call.function_call_parser import FunctionCallParser

        from grammarc.hosts import sglang_calls

        sglang_calls.register()
        self._tool, self._parser, self._tokenizer = Tool, FunctionCallParser, tokenizer

    def _new(self, name: str, tools: list[dict[str, Any]]) -> Any:
        return self._parser([self._tool.model_validate(one) for one in tools], name, tokenizer=self._tokenizer)

    def whole(self, name: str, of: Drawn) -> Read:
        parser = self._new(name, of.tools)
        # The server asks first.
        text, calls = parser.parse_non_stream(of.output) if parser.has_tool_call(of.output) else (of.output, [])
        return Read(text, [(call.name, call.parameters) for call in calls])

    def stream(self, name: str, of: Drawn, length: int) -> Read:
        parser, text, calls = self._new(name, of.tools), "", {}
        parts = [parser.parse_stream_chunk(part) for part, _ in chunks(self._tokenizer, of.output, length)]
        for said, items in [*parts, parser.parse_stream_end()]:
            text += said or ""
            for item in items:
                call = calls.setdefault(item.tool_index, ["", ""])
                call[0] += item.name or ""
                call[1] += item.parameters or ""
        self._complete(parser.detector, calls)
        return Read(text, [(name, arguments) for name, arguments in calls.values()])

    @staticmethod
    def _complete(detector: Any, calls: dict[int, list[str]]) -> None:
        """Adds what the server sends last: arguments that a detector has read and not streamed."""
        known, last = getattr(detector, "prev_tool_call_arr", []), len(getattr(detector, "prev_tool_call_arr", [])) - 1
        if last not in calls or last >= len(detector.streamed_args_for_tool):
            return
        arguments = known[last].get("arguments", {})
        said = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        if said.startswith(detector.streamed_args_for_tool[last]):
            calls[last][1] += said[len(detector.streamed_args_for_tool[last]) :]


class Vllm:
    """The parser that vLLM's server puts together of a parser of tool calls."""

    def __init__(self, tokenizer: Any) -> None:
        from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
        from vllm.parser.parser_manager import ParserManager
        from vllm.tokenizers.hf import get_cached_tokenizer

        from grammarc.hosts import vllm_calls

        vllm_calls.register()
        self._request, self._manager = ChatCompletionRequest, ParserManager
        # As the server has it.
        self._tokenizer = get_cached_tokenizer(tokenizer)

    def _new(self, name: str, tools: list[dict[str, Any]]) -> tuple[Any, Any]:
        asked = {"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools, "tool_choice": "auto"}
        request = self._request.model_validate(asked)
        made = self._manager.get_parser(tool_parser_name=name, enable_auto_tools=True)
        return made(self._tokenizer, request.tools), request

    def whole(self, name: str, of: Drawn) -> Read:
        parser, request = self._new(name, of.tools)
        ids = self._tokenizer.encode(of.output, add_special_tokens=False)
        _, text, calls = parser.parse(of.output, request, enable_auto_tools=True, model_output_token_ids=ids)
        return Read(text or "", [(call.name, call.arguments) for call in calls or []])

    def stream(self, name: str, of: Drawn, length: int) -> Read:
        parser, request = self._new(name, of.tools)
        text, calls = "", {}
        parts = list(chunks(self._tokenizer, of.output, length))
        for at, (part, ids) in enumerate(parts):
            message = parser.parse_delta(part, ids, request, prompt_token_ids=[], finished=at + 1 == len(parts))
            if message is None:
                continue
            text += message.content or ""
            for item in message.tool_calls:
                call = calls.setdefault(item.index, ["", ""])
                call[0] += item.function.name or ""
                call[1] += item.function.arguments or ""
        return Read(text, [(name, arguments) for name, arguments in calls.values()])


def row(host: Any, name: str, outputs: list[Drawn]) -> list[int]:
    """Returns how many outputs a parser reads wrongly: whole, and in streams of 1, 5 and 20 tokens."""
    whole = sum(not _tried(host.whole, name, one).is_right(one) for one in outputs)
    streams = [sum(not _tried(host.stream, name, one, length).is_right(one) for one in outputs) for length in (1, 5, 20)]
    return [whole, *streams]


def _tried(read: Callable[..., Read], *arguments: Any) -> Read:
    try:
        return read(*arguments)
    except Exception as error:
        return Read(f"{type(error).__name__}", [("", "")])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tokenizer", help="a tokenizer.json")
    parser.add_argument("--outputs", type=int, default=200, help="outputs of each style")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--styles", nargs="*", default=list(STYLES))
    arguments = parser.parse_args()
    from transformers import AddedToken, PreTrainedTokenizerFast

    hosts, wrong = {"sglang": Sglang, "vllm": Vllm}, 0
    print("| host | style | parser | outputs | whole wrong | stream wrong, 1, 5, 20 tokens |")
    print("| --- | --- | --- | --: | --: | --- |")
    for style_name in arguments.styles:
        style = STYLES[style_name]
        tokenizer = PreTrainedTokenizerFast(tokenizer_file=arguments.tokenizer, eos_token="<|im_end|>")
        tokenizer.add_tokens([AddedToken(marker, normalized=False) for marker in style.markers])
        draw = random.Random(f"{arguments.seed} {style_name}")
        outputs = [drawn(style, draw) for _ in range(arguments.outputs)]
        for host_name, kind in hosts.items():
            try:
                host = kind(tokenizer)
            except ImportError:
                continue
            for name in (style.parsers.get(host_name), f"grammarc:{style_name}"):
                if name is None:
                    continue
                whole, *streams = row(host, name, outputs)
                print(f"| {host_name} | `{style_name}` | `{name}` | {len(outputs)} | {whole} | {', '.join(map(str, streams))} |", flush=True)
                wrong += name.startswith("grammarc") and (whole + sum(streams))
    print(f"grammarc's parsers read {wrong} wrongly", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
