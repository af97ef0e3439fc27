"""Drives llama-cpp-python by its Python processors: ``python run_llama_cpp.py MODEL.gguf``, a chat model.

Not part of CI: it needs llama-cpp-python, jsonschema and a model. Greedy choice and sampling, one sequence at a time.
"""

from __future__ import annotations

import sys
from typing import Any

import llama_cpp
import numpy
from figures import MOST_TOKENS, PAIRED, Clock, Tally, Timed, prompts_of
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
            texts, prompts, clock = [], [], Clock()
            for prompt in prompts_of(name):
                chat = f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n"
                prompts.append(llama.tokenize(chat.encode(), add_bos=False, special=True))
                texts.append(generated(llama, prompts[-1], MOST_TOKENS, ends, timed, options, clock))
                held.check()
            tally.take(name, grammar, texts, ends)
            if index % PAIRED == 0:
                tally.held(sum(map(len, texts)), clock)
                clock = Clock()
                for tokens, text in zip(prompts, texts, strict=True):
                    generated(llama, tokens, len(text), (), None, options, clock)
                tally.free(sum(map(len, texts)), clock)
            tally.mask(timed.calls, timed.seconds)
        tally.say()


def generated(
    llama: Any,
    prompt: list[int],
    most: int,
    ends: tuple[int, ...],
    processor: Any,
    options: dict[str, Any],
    clock: Clock,
) -> list[int]:
    """The tokens behind a prompt up to an end token. The clock runs behind the first of them, and so without the prompt."""
    processors = llama_cpp.LogitsProcessorList([processor]) if processor is not None else None
    llama.reset()
    stream = llama.generate(numpy.array(prompt, dtype=numpy.intc), logits_processor=processors, **options)
    tokens = [int(next(stream))]
    with clock:
        while tokens[-1] not in ends and len(tokens) < most:
            tokens.append(int(next(stream)))
    return tokens


if __name__ == "__main__":
    main(sys.argv[1])
