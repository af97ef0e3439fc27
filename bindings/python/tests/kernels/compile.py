"""Compiles each kernel for devices that need not be there: with all of its optional arguments, with none of them, and with numbers
that are 1, which Triton compiles as constants."""

from __future__ import annotations

import os
import re
from typing import Any

os.environ["TRITON_INTERPRET"] = "0"

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource

from grammarc.kernels import _advance, _apply, _sample

TARGETS = [GPUTarget("cuda", 80, 32), GPUTarget("cuda", 90, 32), GPUTarget("hip", "gfx942", 64)]

LOGITS = {"logits": "*fp32", "stride": "i32", "columns": "i32"}
ROWS = {"pool": "*i32", "rows": "*i32"}
MAPS = {"row_map": "*i32", "column_tokens": "*i32"}
BLOCK = {"DTYPE": 0, "BLOCK": 2048}
PLACES = {"pool": "*i32", "positions": "*i32", "rows": "*i32"}

KERNELS: dict[Any, tuple[dict[str, str], dict[str, int], dict[str, Any]]] = {
    _apply.apply_kernel: ({**LOGITS, **ROWS, **MAPS, "first": "i32"}, BLOCK, {}),
    _apply.apply_bitmask_kernel: (
        {
            **LOGITS,
            "bitmask": "*i32",
            "bitmask_stride": "i32",
            "bitmask_words_count": "i32",
            "bitmask_tokens": "i32",
            **MAPS,
            "first": "i32",
        },
        BLOCK,
        {},
    ),
    _apply.fill_kernel: (
        {"bitmask": "*i32", "stride": "i32", "words_count": "i32", **ROWS, "row_map": "*i32"},
        {"WORDS": 128},
        {},
    ),
    _advance.advance_kernel: (
        {
            **PLACES,
            "statuses": "*i32",
            "places": "i32",
            "slots": "*i32",
            "tokens": "*i64",
            "token_stride": "i32",
            "accepted": "*i32",
        },
        {},
        {"num_warps": 1},
    ),
    _advance.draft_kernel: (
        {
            **PLACES,
            "places": "i32",
            "slots": "*i32",
            "tokens": "*i32",
            "token_stride": "i32",
            "drafts": "i32",
            "allowed": "*i32",
        },
        {},
        {"num_warps": 1},
    ),
    _sample.score_kernel: (
        {
            **LOGITS,
            **ROWS,
            **MAPS,
            "first": "i32",
            "temperatures": "*fp32",
            "seeds": "*i64",
            "steps": "*i64",
            "scratch": "*i64",
        },
        BLOCK,
        {"enable_fp_fusion": False},
    ),
    _sample.pick_kernel: ({"scratch": "*i64", "blocks": "i32", "tokens": "*i32"}, {"BLOCK": 64}, {"num_warps": 1}),
}

OPTIONAL = {"row_map", "column_tokens", "slots", "accepted", "allowed", "temperatures", "seeds", "steps"}


def compiled(kernel: Any, target: Any, constants: dict[str, Any]) -> Any:
    types, sizes, options = KERNELS[kernel]
    constants = constants | sizes
    signature = {name: "constexpr" if name in constants else types[name] for name in kernel.arg_names}
    return triton.compile(ASTSource(kernel, signature, constants), target, options)


def main() -> None:
    for target in TARGETS:
        for kernel, (types, _, _) in KERNELS.items():
            without = {name: None for name in types if name in OPTIONAL}
            ones = {name: 1 for name, kind in types.items() if kind == "i32"}
            for constants in ({}, without, ones):
                made = compiled(kernel, target, constants)
                name = kernel.fn.__name__
                if target.backend == "cuda":
                    # A draw is the same everywhere only by operations that are rounded as IEEE 754 says.
                    assert not re.search(r"\.(approx|full)\.", made.asm["ptx"]), name
                print("compiled", name, target.backend, target.arch, ", ".join(constants))


if __name__ == "__main__":
    main()
