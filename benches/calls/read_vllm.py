"""vLLM's parsers, composed and called as its chat server does (`vllm/parser`)."""

from __future__ import annotations

import logging
from typing import Any

from judge import Parts, Reading
from tokenizers import Tokenizer
from transformers import PreTrainedTokenizerFast
from vllm.entrypoints.openai.chat_completion.protocol import ChatCompletionRequest
from vllm.parser.parser_manager import ParserManager
from vllm.tokenizers.hf import get_cached_tokenizer

PACKAGE = "vllm"
NAMES = {
    "llama": "llama3_json",
    "qwen_3": "hermes",
    "qwen_3_coder": "qwen3_coder",
    "glm_4_5": "glm45",
    "glm_4_7": "glm47",
    "mistral_v13": "mistral",
    "deepseek_r1": "deepseek_v3",
    "deepseek_v3_1": "deepseek_v31",
    "deepseek_v3_2": "deepseek_v32",
    "kimi": "kimi_k2",
    "minimax": "minimax_m2",
    "gemma_4": "gemma4",
}
"""vLLM's parsers by style."""

logging.disable(logging.CRITICAL)


class Parser:
    """A parser. Its state is the parser of one request, and the request."""

    def __init__(self, style: str, tokenizer: Tokenizer) -> None:
        self.tokenizer = get_cached_tokenizer(PreTrainedTokenizerFast(tokenizer_object=tokenizer))
        made = ParserManager.get_parser(tool_parser_name=NAMES[style], enable_auto_tools=True, tokenizer=self.tokenizer)
        assert made is not None
        self.parser_class = made

    def start(self, output: dict[str, Any]) -> tuple[Any, ChatCompletionRequest]:
        request = ChatCompletionRequest(
            model="bench",
            messages=[{"role": "user", "content": "x"}],
            tools=output["tools"],
            tool_choice="auto",
            skip_special_tokens=False,
        )
        return self.parser_class(self.tokenizer, request.tools), request

    def whole(self, state: tuple[Any, ChatCompletionRequest], output: dict[str, Any]) -> Reading:
        parser, request = state
        ids = [token for tokens, _ in output["pieces"]["1"] for token in tokens]
        _, text, calls = parser.parse(output["text"], request, enable_auto_tools=True, model_output_token_ids=ids)
        return Reading(text or "", [(call.name, call.arguments) for call in calls or []])

    def stream(self, state: tuple[Any, ChatCompletionRequest], pieces: list[tuple[list[int], str]]) -> Reading:
        parser, request = state
        parts = Parts()
        for number, (tokens, piece) in enumerate(pieces):
            delta = parser.parse_delta(piece, list(tokens), request, [], finished=number == len(pieces) - 1)
            if delta is None:
                continue
            parts.text.append(delta.content or "")
            for call in delta.tool_calls or []:
                function = call.function
                if function is not None:
                    parts.add_call(call.index, function.name, function.arguments)
        return parts.reading()
