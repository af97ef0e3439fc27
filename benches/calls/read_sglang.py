"""SGLang's detectors, called as its chat server calls them (`entrypoints/openai/serving_chat.py`)."""

from __future__ import annotations

import json
import logging
from typing import Any

from judge import Parts, Reading
from sglang.srt.entrypoints.openai.protocol import Tool
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from tokenizers import Tokenizer

PACKAGE = "sglang"
NAMES = {
    "llama": "llama3",
    "qwen_3": "qwen25",
    "qwen_3_coder": "qwen3_coder",
    "glm_4_5": "glm45",
    "glm_4_7": "glm47",
    "mistral_v13": "mistral",
    "deepseek_r1": "deepseekv3",
    "deepseek_v3_1": "deepseekv31",
    "deepseek_v3_2": "deepseekv32",
    "kimi": "kimi_k2",
    "minimax": "minimax-m2",
    "gemma_4": "gemma4",
}
"""SGLang's detectors by style."""

logging.disable(logging.CRITICAL)


class Parser:
    """A detector."""

    def __init__(self, style: str, tokenizer: Tokenizer) -> None:
        self.name = NAMES[style]

    def start(self, output: dict[str, Any]) -> FunctionCallParser:
        return FunctionCallParser([Tool(**tool) for tool in output["tools"]], self.name)

    def whole(self, parser: FunctionCallParser, output: dict[str, Any]) -> Reading:
        text, calls = parser.parse_non_stream(output["text"])
        return Reading(text, [(call.name or "", call.parameters) for call in calls])

    def stream(self, parser: FunctionCallParser, pieces: list[tuple[list[int], str]]) -> Reading:
        parts = Parts()
        for _, piece in pieces:
            self.add(parts, *parser.parse_stream_chunk(piece))
        self.add(parts, *parser.parse_stream_end())
        self.add_rest(parts, parser.detector)
        return parts.reading()

    def add(self, parts: Parts, text: str | None, calls: list[Any]) -> None:
        parts.text.append(text or "")
        for call in calls:
            parts.add_call(call.tool_index, call.name, call.parameters)

    def add_rest(self, parts: Parts, detector: Any) -> None:
        """Adds the arguments of the last call that the detector has read and not streamed, as the server does at the end."""
        known, streamed = getattr(detector, "prev_tool_call_arr", []), getattr(detector, "streamed_args_for_tool", [])
        last = len(known) - 1
        if not 0 <= last < len(streamed):
            return
        expected = known[last].get("arguments", {})
        expected = expected if isinstance(expected, str) else json.dumps(expected, ensure_ascii=False)
        if expected.startswith(streamed[last]):
            parts.add_call(last, None, expected[len(streamed[last]) :])
