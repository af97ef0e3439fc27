"""Drives onnxruntime-genai: ``python run_onnx.py FOLDER``, where FOLDER is what its model builder made of a chat model.

Not part of CI: it needs onnxruntime-genai, jsonschema and a model. Greedy choice and sampling, the ten prompts of a schema as
one batch.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import onnxruntime_genai
from figures import MOST_TOKENS, PAIRED, Clock, Tally, prompts_of
from schemas import SCHEMAS

import grammarc
from grammarc.hosts.onnxruntime_genai import GrammarGenerator, vocabulary

MODES: dict[str, dict[str, Any]] = {
    "greedy": {"do_sample": False},
    "sampling": {"do_sample": True, "temperature": 0.8, "top_k": 0, "random_seed": 1},
}

_ENDLESS = 8192
"""A least length that no generation here reaches, so that none ends by itself."""


def main(folder: str) -> None:
    model = onnxruntime_genai.Model(folder)
    tokenizer = onnxruntime_genai.Tokenizer(model)
    compiler = grammarc.Compiler(vocabulary(folder))
    ends = compiler.vocabulary.end_tokens

    def generator(chats: list[str], most: int, options: dict[str, Any]) -> tuple[Any, Any]:
        tokens = tokenizer.encode_batch(chats).as_numpy()
        params = onnxruntime_genai.GeneratorParams(model)
        params.set_search_options(batch_size=len(chats), max_length=tokens.shape[1] + most, **options)
        made = onnxruntime_genai.Generator(model, params)
        made.append_tokens(tokens)
        return made, params

    for mode, options in MODES.items():
        tally = Tally("onnxruntime-genai", "onnxruntime-genai", mode, "SmolLM2-135M-Instruct, int4")
        for index, (name, (_, schema)) in enumerate(SCHEMAS.items()):
            grammar = compiler.json_schema(schema)
            chats = [f"<|im_start|>user\n{prompt}<|im_end|>\n<|im_start|>assistant\n" for prompt in prompts_of(name)]
            with Clock() as clock:
                driven, params = generator(chats, MOST_TOKENS, options)
                held = GrammarGenerator(driven, params, grammar)
                rows: list[list[int]] = [[] for _ in chats]
                steps, masking = 0, 0.0
                while not driven.is_done():
                    steps += 1
                    # Waits for the model, which is not the mask's time.
                    driven.get_logits()
                    before = time.thread_time()
                    held.apply()
                    chosen = time.thread_time()
                    driven.generate_next_token()
                    after = time.thread_time()
                    tokens = held.accept()
                    masking += chosen - before + time.thread_time() - after
                    for row, token in zip(rows, tokens, strict=True):
                        if not row or row[-1] not in ends:
                            row.append(token)
            tally.take(name, grammar, rows, ends)
            tally.mask(steps * len(rows), masking)
            if index % PAIRED == 0:
                tally.held(steps * len(rows), clock)
                with Clock() as clock:
                    free, _ = generator(chats, steps, {**options, "min_length": _ENDLESS})
                    while not free.is_done():
                        free.generate_next_token()
                tally.free(steps * len(rows), clock)
        tally.say()


if __name__ == "__main__":
    main(sys.argv[1])
