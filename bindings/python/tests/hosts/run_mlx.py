"""Drives mlx-lm: ``python run_mlx.py MODEL [MODE...]``, where MODEL is a folder of a chat model that mlx-lm reads.

Not part of CI: it needs mlx-lm, jsonschema and a model. Modes are ``greedy`` and ``sampling``, each for every second schema, since
this host is slow without a GPU. The ten prompts of a schema are one batch with one processor.
"""

from __future__ import annotations

import sys
from typing import Any

import mlx.core as mx
from figures import MOST_TOKENS, PAIRED, Clock, Tally, Timed, prompts_of
from mlx_lm import load
from mlx_lm.generate import BatchGenerator
from mlx_lm.sample_utils import make_sampler
from schemas import SCHEMAS

import grammarc
from grammarc.hosts.mlx import GrammarLogitsProcessor, vocabulary


MODES = {"greedy": 0.0, "sampling": 0.8}
"""Temperatures."""


def main(folder: str, modes: list[str]) -> None:
    model, tokenizer = load(folder)
    compiler = grammarc.Compiler(vocabulary(model, tokenizer))
    ends = compiler.vocabulary.end_tokens
    mx.random.seed(0)
    for mode in modes:
        tally = Tally("mlx-lm", "mlx-lm", mode, "SmolLM2-135M-Instruct, bf16")
        sampler = make_sampler(MODES[mode])
        chosen = list(SCHEMAS.items())[list(MODES).index(mode) :: len(MODES)]
        for index, (name, (_, schema)) in enumerate(chosen):
            grammar = compiler.json_schema(schema)
            prompts = [
                tokenizer.apply_chat_template([{"role": "user", "content": prompt}], add_generation_prompt=True)
                for prompt in prompts_of(name)
            ]
            timed = Timed(GrammarLogitsProcessor(grammar, end_tokens=tokenizer.eos_token_ids))
            with Clock() as clock:
                texts = generated(model, prompts, MOST_TOKENS, ends, [timed], sampler)
            tally.take(name, grammar, texts, ends)
            tally.mask(timed.calls, timed.seconds)
            if index % PAIRED == 0:
                steps = [len(tokens) for tokens in texts]
                tally.held(sum(steps), clock)
                with Clock() as clock:
                    generated(model, prompts, steps, (), [], sampler)
                tally.free(sum(steps), clock)
        tally.say()


def generated(
    model: Any, prompts: list[list[int]], most: int | list[int], ends: tuple[int, ...], processors: list[Any], sampler: Any
) -> list[list[int]]:
    """The tokens behind each prompt, up to an end token."""
    batch = BatchGenerator(model, stop_tokens=[[token] for token in ends], sampler=sampler)
    limits = most if isinstance(most, list) else [most] * len(prompts)
    uids = batch.insert(prompts, limits, logits_processors=[processors] * len(prompts))
    texts: dict[int, list[int]] = {uid: [] for uid in uids}
    while responses := batch.next_generated():
        for response in responses:
            texts[response.uid].append(response.token)
    batch.close()
    return [texts[uid] for uid in uids]


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:] or list(MODES))
