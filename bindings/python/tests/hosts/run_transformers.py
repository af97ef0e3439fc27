"""Drives transformers: ``python run_transformers.py MODEL [MODE...]``, where MODEL is a folder of SmolLM2 or any other chat model.

Not part of CI: it needs torch, transformers, jsonschema and a model. Modes are ``greedy``, ``sampling`` and ``beams``; the ten
prompts of a schema are one batch, padded in front.
"""

from __future__ import annotations

import sys
from typing import Any

import torch
import transformers
from figures import MOST_TOKENS, PAIRED, Clock, Tally, Timed, prompts_of
from schemas import SCHEMAS

import grammarc
from grammarc.hosts.transformers import GrammarLogitsProcessor, vocabulary

MODES: dict[str, dict[str, Any]] = {
    "greedy": {},
    "sampling": {"do_sample": True, "temperature": 0.8},
    "beams": {"num_beams": 3},
}


def main(folder: str, modes: list[str]) -> None:
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder, padding_side="left")
    model = transformers.AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    compiler = grammarc.Compiler(vocabulary(model, tokenizer))
    ends = compiler.vocabulary.end_tokens
    for mode in modes:
        torch.manual_seed(0)
        tally = Tally("transformers", "transformers", mode, "SmolLM2-135M-Instruct, f32")
        for index, (name, (_, schema)) in enumerate(SCHEMAS.items()):
            grammar = compiler.json_schema(schema)
            chats = [
                tokenizer.apply_chat_template(
                    [{"role": "user", "content": prompt}], tokenize=False, add_generation_prompt=True
                )
                for prompt in prompts_of(name)
            ]
            inputs = tokenizer(chats, return_tensors="pt", padding=True, add_special_tokens=False)
            length = inputs["input_ids"].shape[1]
            timed = Timed(GrammarLogitsProcessor(grammar, model))
            with Clock() as clock:
                output = model.generate(**inputs, logits_processor=[timed], max_new_tokens=MOST_TOKENS, **MODES[mode])
            rows = [row[length:].tolist() for row in output]
            tally.take(name, grammar, [upto(row, ends) for row in rows], ends)
            tally.mask(timed.calls * len(rows) * MODES[mode].get("num_beams", 1), timed.seconds)
            if index % PAIRED == 0:
                # Rows of a batch run to the longest of them, so what is paired is steps.
                steps = timed.calls
                tally.held(steps * len(rows), clock)
                with Clock() as clock:
                    model.generate(**inputs, min_new_tokens=steps, max_new_tokens=steps, **MODES[mode])
                tally.free(steps * len(rows), clock)
        tally.say()


def upto(tokens: list[int], ends: tuple[int, ...]) -> list[int]:
    """The tokens up to the first that ends the sequence."""
    for at, token in enumerate(tokens):
        if token in ends:
            return tokens[: at + 1]
    return tokens


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or list(MODES))
