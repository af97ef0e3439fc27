"""Runs the resident mode of the plug-ins on a GPU: ``PYTHONPATH=bindings/python/python python run_resident.py``, with torch and
transformers there. Without a GPU it runs small over the emulated driver.

transformers generates with random models, greedily and sampled, with positions on the device and on the host: the tokens have to be
the same, and milliseconds a step are printed for both. SGLang's hooks are called as its runner calls them: rows by number, rows of
bits under grammarc's kernel and the runtime have to allow the same.
"""

from __future__ import annotations

import os
import random
import sys
import time
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

HERE = Path(__file__).resolve().parent
os.environ.setdefault("GRAMMARC_ROOT", str(HERE.parents[3]))
sys.path[:0] = [str(HERE.parent), str(HERE)]

import torch  # noqa: E402
import transformers  # noqa: E402
from letters import COMPILER, ENDS, TEXTS, WIDTH  # noqa: E402
from tiny import PAD, tiny  # noqa: E402

import grammarc  # noqa: E402
from grammarc import cuda  # noqa: E402
from grammarc.hosts._devices import Devices  # noqa: E402
from grammarc.hosts.transformers import GrammarLogitsProcessor  # noqa: E402
from grammarc.hosts.transformers_resident import ResidentLogitsProcessor  # noqa: E402

IS_GPU = torch.cuda.is_available()
WHERE = "cuda" if IS_GPU else "cpu"

SCHEMA = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "maxLength": 60},
        "n": {"type": "integer"},
        "xs": {"type": "array", "items": {"enum": ["a", "bc", "d"]}, "maxItems": 9},
    },
    "required": ["name", "n", "xs"],
    "additionalProperties": False,
}


def vocabulary(count: int, width: int) -> grammarc.Vocabulary:
    """Bytes, random texts, and an end token."""
    pick = random.Random(1)
    letters = 'abcdefghijklmnopqrstuvwxyz 0123456789",:{}[]é.-'.encode()
    tokens = dict.fromkeys(bytes([byte]) for byte in range(256))
    while len(tokens) < count:
        tokens[bytes(pick.choice(letters) for _ in range(pick.randint(2, 7)))] = None
    return grammarc.Vocabulary.from_tokens(
        [*tokens, b"<end>"], special_ids=[count], end_tokens=[count], logit_width=width
    )


def generate(what: str, device: cuda.Device, grammars: Any, model: Any, inputs: Any, most: int, **options: Any) -> None:
    """Generates twice in either way, and says how long a step takes in the second."""
    outputs, said = [], {}
    for _ in range(2):
        for name, held in (
            ("host", GrammarLogitsProcessor(grammars, model)),
            ("resident", ResidentLogitsProcessor(grammars, model, device=device)),
        ):
            torch.manual_seed(3)
            synchronize()
            began = time.perf_counter()
            output = model.generate(
                inputs,
                attention_mask=(inputs != PAD).long(),
                logits_processor=[held],
                max_new_tokens=most,
                **options,
            )
            synchronize()
            said[name] = 1e3 * (time.perf_counter() - began) / (output.shape[1] - inputs.shape[1])
            outputs.append(output)
    assert all(torch.equal(output, outputs[0]) for output in outputs), what
    rows, steps = outputs[0].shape[0], outputs[0].shape[1] - inputs.shape[1]
    print(f"{what}: {rows} rows, {steps} steps, equal; ms a step: host {said['host']:.2f}, resident {said['resident']:.2f}")


def synchronize() -> None:
    if IS_GPU:
        torch.cuda.synchronize()


def of_transformers(device: cuda.Device) -> None:
    small = tiny(WIDTH, list(ENDS), PAD, size=64, layers=2).to(WHERE)
    inputs = torch.tensor([[PAD, PAD, 30], [31, 32, 33]], device=WHERE)
    choices = [COMPILER.choice([text]) for text in TEXTS[:2]]
    generate("choices, greedy", device, choices, small, inputs, 12)
    generate("choices, sampled", device, choices, small, inputs, 12, do_sample=True, num_return_sequences=4)
    # Two readings of a text, which are the host's.
    both = COMPILER.gbnf('root ::= "a" root "b" | x "cc" | y "cb"\nx ::= "a" x | "a"\ny ::= "a" y | "a"')
    generate("left to the host", device, both, small, inputs, 40, do_sample=True, num_return_sequences=16)
    width, batches = (128_256, (8, 256)) if IS_GPU else (2_048, (2,))
    grammar = grammarc.Compiler(vocabulary(width - 256, width)).json_schema(SCHEMA)
    large = tiny(width, [width - 256], width - 1, size=64, layers=2).to(WHERE)
    for rows in batches:
        inputs = torch.randint(100, 200, (rows, 5), device=WHERE)
        for name, options in (("greedy", {}), ("sampled", {"do_sample": True})):
            generate(f"a schema, {width} tokens, {name}", device, grammar, large, inputs, 60, **options)


def of_sglang(devices: Devices) -> None:
    import contract
    from hosts import sglang_modules

    sys.modules.setdefault("sglang", ModuleType("sglang"))
    common: Any = SimpleNamespace(is_pin_memory_available=lambda: IS_GPU)
    sys.modules.setdefault("sglang.srt.utils.common", common)
    from grammarc.hosts import sglang
    from grammarc.hosts._sglang_masks import Numbers, bits

    base, pick, rows = sglang_modules.stubs(), random.Random(5), 0
    made = sglang.backend_class(base)(contract.Tokenizer(), contract.WIDTH, set(contract.ENDS), devices=devices)
    patterns = ("a", "bc", "[a-f]+x", "(ab|c){2,5}", '"[^"]{0,8}"')
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        grammars: list[Any] = [made.dispatch_regex(pattern) for pattern in patterns * 40] + [None]
        pick.shuffle(grammars)
        while not all(grammar is None or grammar.is_terminated() for grammar in grammars):
            first = next(grammar for grammar in grammars if grammar)
            entries = [
                base.GrammarRow(row, grammar)
                for row, grammar in enumerate(grammars)
                if grammar and not grammar.is_terminated()
            ]
            numbered, plain = first.allocate_vocab_mask(contract.WIDTH, len(grammars), WHERE), bits(contract.WIDTH, len(grammars))
            seen = []
            for mask in (numbered, plain):
                first.fill_vocab_mask_batched(entries, mask)
                moved = first.move_vocab_mask(mask, WHERE)
                assert isinstance(moved, Numbers) == (mask is numbered)
                logits = torch.zeros(len(grammars), contract.WIDTH, dtype=dtype, device=WHERE)
                first.apply_vocab_mask(logits, moved)
                seen.append(torch.isfinite(logits).cpu())
            allowed = ((plain.unsqueeze(-1) >> torch.arange(32)) & 1).flatten(1)[:, : contract.WIDTH].bool()
            assert torch.equal(seen[0], allowed) and torch.equal(seen[1], allowed)
            for row, grammar in entries:
                grammar.accept_token(pick.choice(allowed[row].nonzero().flatten().tolist()))
            rows += len(grammars)
    print(f"SGLang's hooks: {rows} rows by number and as bits, equal")


def main() -> None:
    import logging

    from hosts import emulated

    devices = Devices(logging.getLogger("run")) if IS_GPU else emulated.devices(256 << 20)
    device = devices.at(torch.device(WHERE))
    assert device is not None, "no device opens"
    print(f"{device.name}; torch {torch.__version__}, transformers {transformers.__version__}")
    of_transformers(device)
    of_sglang(devices)


if __name__ == "__main__":
    main()
