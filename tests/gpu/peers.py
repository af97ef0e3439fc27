"""Compiles XGrammar's two mask kernels from its sources to PTX, so that they can be timed on the same buffers: peers.py SOURCES OUT

SOURCES is the folder `python/xgrammar/kernels` of a checkout or of the installed package. Nothing of torch and no GPU is needed: the
kernels are taken out of what launches them. Both are for f32, as `src/times.rs` launches them.
"""

from __future__ import annotations

import ast
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
os.environ["TRITON_INTERPRET"] = "0"
# Streaming multiprocessors of an H100; the kernel has one program for each.
PROGRAMS = 132
BLOCK = 4096

PRELUDE = """
typedef int int32_t; typedef unsigned int uint32_t;
#define INFINITY __int_as_float(0x7f800000)
"""


def triton(sources: Path, out: Path) -> dict[str, Any]:
    """The kernel of the default backend, for compute capability 9.0."""
    import triton
    import triton.language as tl
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    text = (sources / "apply_token_bitmask_inplace_triton.py").read_text()
    kernel = next(node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef) and node.name.endswith("_kernel"))
    # Triton reads a kernel's source from its file.
    alone = out / "xgrammar_kernel.py"
    alone.write_text("import triton\nimport triton.language as tl\n\n" + ast.unparse(kernel) + "\n")
    namespace: dict[str, Any] = {"triton": triton, "tl": tl}
    exec(compile(alone.read_text(), str(alone), "exec"), namespace)
    function = namespace[kernel.name]
    types = {"logits_ptr": "*fp32", "bitmask_ptr": "*i32", "num_rows": "i32", "vocab_size": "i32", "logits_strides": "i32", "bitmask_strides": "i32"}
    constants = {"indices_ptr": None, "NUM_SMS": PROGRAMS, "BLOCK_SIZE": BLOCK}
    signature = {name: "constexpr" if name in constants else types[name] for name in function.arg_names}
    warps = BLOCK // 32 // (16 // 4)
    # What the just-in-time compiler finds of arrays of torch and of usual vocabularies: multiples of 16.
    even = {"logits_ptr", "bitmask_ptr", "vocab_size", "logits_strides"}
    attributes = {(at,): [["tt.divisibility", 16]] for at, name in enumerate(function.arg_names) if name in even}
    made = triton.compile(ASTSource(function, signature, constants, attributes), GPUTarget("cuda", 90, 32), {"num_warps": warps, "num_stages": 3})
    (out / "xgrammar.triton.ptx").write_text(made.asm["ptx"])
    alone.unlink()
    return {"name": made.metadata.name, "warps": warps, "shared": made.metadata.shared, "programs": PROGRAMS}


def cuda(sources: Path, out: Path) -> dict[str, str]:
    """The CUDA kernel, one entry for each number of bits that a thread takes."""
    sys.path.insert(0, str(HERE.parents[1] / "runtime" / "cuda" / "kernels"))
    import ptx

    text = (sources / "apply_token_bitmask_inplace_cuda.cu").read_text()
    device = text[text.index("constexpr int32_t BITS_PER_BLOCK") : text.index("template <typename T, typename = std::enable_if_t")]
    # The specialisations for types of 16 bits need headers of the toolkit.
    device = re.sub(r"template <>\s*__device__ \w+ NegativeInfinity<\w+>\(\) \{.*?\n\}\n", "", device, flags=re.S)
    for bits in (4, 8, 16, 32):
        device += f"template __global__ void LogitsBitmaskKernel<float, float4, {bits}>(float*, const int*, const int*, int, int, int);\n"
    made = ptx.compiled(PRELUDE + device, "xgrammar.cu", [])
    (out / "xgrammar.cuda.ptx").write_text(made)
    entries = re.findall(r"\.entry (\w+)", made)
    return {bits: name for name in entries for bits in re.findall(r"Li(\d+)E", name)}


def main() -> None:
    sources, out = Path(sys.argv[1]), Path(sys.argv[2])
    said = {"triton": triton(sources, out), "cuda": cuda(sources, out)}
    (out / "peers.json").write_text(json.dumps(said, indent=1))
    print(json.dumps(said))


if __name__ == "__main__":
    main()
