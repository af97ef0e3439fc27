"""XGrammar, by its own Python interface.

Its package imports torch and transformers at the top, for buffers and for tokenizers. Neither is part of what is
measured: masks are filled into numpy arrays, which it takes like tensors, and its kernel on logits takes addresses. Where
the two are not installed, names without content stand in for them.
"""

import statistics
import sys
import time
import types
from importlib import metadata

import numpy
import tvm_ffi  # noqa: F401  It looks for torch when it is imported, and finds none.

APPLICATIONS = 101


def _stand_in():
    class Anything:
        def __init__(self, *_arguments, **_named):
            pass

    class Module(types.ModuleType):
        def __getattr__(self, name):
            if name.startswith("__"):
                raise AttributeError(name)
            return Anything

    torch = Module("torch")
    torch.tensor = lambda *_arguments, **_named: None
    return {"torch": torch, "transformers": Module("transformers")}


for _name, _module in _stand_in().items():
    try:
        __import__(_name)
    except ImportError:
        sys.modules[_name] = _module

import xgrammar  # noqa: E402
from xgrammar.base import _core  # noqa: E402


class Engine:
    name = "XGrammar"
    settings = "compact text, strict_mode=False, 1 thread, no cache"

    def __init__(self, vocabulary, **options):
        self.version = metadata.version("xgrammar")
        self.width = vocabulary.logit_width
        info = xgrammar.TokenizerInfo(
            vocabulary.tokens,
            xgrammar.VocabType.RAW,
            vocab_size=self.width,
            stop_token_ids=vocabulary.end_tokens,
        )
        self.compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False, **options)
        self.words = numpy.full((1, -(-self.width // 32)), -1, dtype=numpy.int32)

    def compile(self, schema):
        return self.compiler.compile_json_schema(
            schema, any_whitespace=False, separators=(",", ":"), strict_mode=False
        )

    def matcher(self, grammar):
        return xgrammar.GrammarMatcher(grammar)

    def mask(self, matcher):
        matcher.fill_next_token_bitmask(self.words)

    def allows(self, token):
        return bool(self.words[0, token // 32] >> (token % 32) & 1)

    def accept(self, matcher, token):
        return matcher.accept_token(token)

    def apply(self, densities):
        """Its CPU kernel on one row of each type of logits, by density of the mask."""
        results = []
        for dtype, code, bits in (
            ("f32", "float32", numpy.float32),
            ("f16", "float16", numpy.uint16),
            ("bf16", "bfloat16", numpy.uint16),
        ):
            for density in densities:
                words = numpy.array(density["words"], dtype=numpy.uint32).view(numpy.int32)[None]
                allowed = int(numpy.bitwise_count(words.view(numpy.uint32)).sum())
                ones = numpy.ones((1, self.width), dtype=bits)
                row = ones.copy()
                kernel = lambda: _core.kernels.apply_token_bitmask_inplace_cpu(
                    row.ctypes.data, row.shape, (self.width, 1),
                    words.ctypes.data, words.shape, (words.shape[1], 1),
                    self.width, None, code,
                )
                try:
                    kernel()
                except Exception as error:
                    print(f"apply to {dtype}: {error}", file=sys.stderr)
                    break
                if int((row == ones).sum()) != allowed:
                    print(f"apply to {dtype}: a wrong row", file=sys.stderr)
                    break
                times = []
                for _ in range(APPLICATIONS):
                    start = time.perf_counter_ns()
                    kernel()
                    times.append(time.perf_counter_ns() - start)
                time_us = statistics.median(times) / 1e3
                results.append(
                    {"dtype": dtype, "density": density["name"], "kernel": "CPU", "us": time_us}
                )
        return results
