"""Drives llama-cpp-python by its Python processors: ``python run_llama_cpp.py MODEL.gguf``, a chat model.

Not part of CI: it needs llama-cpp-python, jsonschema and a model. Greedy choice and sampling, one sequence at a time.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import llama_cpp
import numpy
from figures import MOST_TOKENS, PAIRED, Tally, Timed, prompts_of
from schemas import SCHEMAS

import grammarc
from grammarc.hosts.llama_cpp import GrammarLogitsProcessor, vocabulary

MODES: dict[str, dict[str, Any]] = {
    "greedy": {"temp": 0.0},
    "sampling": {"temp": 0.8, "top_k": 0, "top_p": 1.0, "min_p": 0.0},
}


def main(path: str) -> None:
    llama = llama_cpp.Llama(path, n_ctx=512, n_threads=1, n_threads_batch=1, seed=1, verbose=False)
    compiler = grammarc.Compiler(vocabulary(llama))
    ends = compiler.vocabulary.end_tokens
    for mode, options in MODES.items():
        tally = Tally("llama-cpp-python", "llama-cpp-python", mode, "SmolLM2-135M-Instruct, Q4_1")
        for index, (name, (_, schema)) in enumerate(SCHEMAS.items()):
            grammar = compiler.json_schema(schema)
            held = GrammarLogitsProcessor(grammar, llama)
            timed = Timed(held)
            texts, seconds, prompts = [], 0.0, []
            for prompt in prompts_of(name):
                chat = f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
                prompts.append(llama.tokenize(chat.encode(), add_bos=False, special=True))
                tokens, spent = generated(llama, prompts[-1], MOST_TOKENS, ends, timed, options)
                held.check()
                texts.append(tokens)
                seconds += spent
            tally.take(name, grammar, texts, ends)
            if index % PAIRED == 0:
                tally.held(sum(map(len, texts)), seconds)
                for prompt_tokens, tokens in zip(prompts, texts, strict=True):
                    _, spent = generated(llama, prompt_tokens, len(tokens), (), None, options)
                    tally.free(len(tokens), spent)
            tally.mask(timed.calls, timed.seconds)
        tally.say()


def generated(
    llama: Any, prompt: list[int], most: int, ends: tuple[int, ...], processor: Any, options: dict[str, Any]
) -> tuple[list[int], float]:
    """The tokens behind a prompt up to an end token, and the seconds that they took, without those of the prompt."""
    processors = llama_cpp.LogitsProcessorList([processor]) if processor is not None else None
    tokens: list[int] = []
    llama.reset()
    stream = llama.generate(numpy.array(prompt, dtype=numpy.intc), logits_processor=processors, **options)
    start = 0.0
    for token in stream:
        if not tokens:
            start = time.perf_counter()
        tokens.append(int(token))
        if token in ends or len(tokens) == most:
            break
    return tokens, time.perf_counter() - start


if __name__ == "__main__":
    main(sys.argv[1])
