"""Engines that enforce JSON Schema, each in a process of its own: `Engines.ask(name, schema, texts)`.

A process reads lines {"schema": S, "texts": [T, ...]} and writes {"refused": reason} or {"accepts": [bool, ...]}. An engine that takes
longer than `LIMIT`, or that crashes, is started anew, and its answer is a refusal with that reason.
llama.cpp's converter and its parser of grammars are compiled from the source package of llama-cpp-python (10 s, once); they judge the
grammars of the Python converter of that package too. Packages and binaries are kept in $GRAMMARC_CACHE/peers.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tarfile
import time
import types
from importlib import metadata
from pathlib import Path
from typing import Any, Callable

HERE = Path(__file__).resolve().parent
CACHE = Path(os.environ.get("GRAMMARC_CACHE") or Path.home() / ".cache" / "grammarc") / "peers"
LIMIT = 30
"""Seconds of processor time for one schema with its texts. Outlines takes 7 for an array of any values."""

PATIENCE = 600
"""Seconds of wall time after which an engine is given up, in case that it waits for something."""

LLAMA = "0.3.36"
XGRAMMAR = "0.2.9"
SETTINGS = {
    "llama.cpp": ("llama-cpp-python", "json_schema_to_grammar(force_gbnf) and the GBNF parser of the vendored llama.cpp"),
    "llama-cpp-python": ("llama-cpp-python", "LlamaGrammar.from_json_schema; the GBNF parser of the vendored llama.cpp"),
    "llguidance": ("llguidance", "defaults"),
    "outlines-core": ("outlines-core", "build_regex_from_schema with defaults, Index over bytes, as it is and with an end mark"),
    "xgrammar": ("xgrammar", "Grammar.from_json_schema(strict_mode=False)"),
}
"""The package of each engine, and how it is asked."""

NAMES = sorted(SETTINGS)
BYTES = [bytes([byte]) for byte in range(256)]
END = 256


def described(name: str) -> dict[str, str]:
    """Package, version and settings of an engine."""
    package, settings = SETTINGS[name]
    version = {"llama-cpp-python": LLAMA, "xgrammar": XGRAMMAR}.get(package) or metadata.version(package)
    return {"package": package, "version": version, "settings": settings}


# What is kept in the cache


def pip(*arguments: object) -> None:
    subprocess.run([sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *map(str, arguments)], check=True)


def xgrammar_folder() -> Path:
    """XGrammar alone."""
    folder = CACHE / f"xgrammar-{XGRAMMAR}"
    if not (folder / "xgrammar" / "__init__.py").exists():
        pip("install", "--no-deps", "--target", folder, f"xgrammar=={XGRAMMAR}")
    return folder


def llama_folder() -> Path:
    """The source package of llama-cpp-python, as far as it is needed, and the binary `converter`."""
    folder = CACHE / f"llama-cpp-python-{LLAMA}"
    source = folder / f"llama_cpp_python-{LLAMA}"
    vendored = source / "vendor" / "llama.cpp"
    wanted = [
        f"{source.name}/{part}"
        for part in (
            "llama_cpp/llama_grammar.py",
            "vendor/llama.cpp/common/",
            "vendor/llama.cpp/src/",
            "vendor/llama.cpp/include/",
            "vendor/llama.cpp/ggml/include/",
            "vendor/llama.cpp/vendor/nlohmann/",
        )
    ]
    if not vendored.exists():
        pip("download", "--no-deps", "--no-binary", "llama-cpp-python", "--dest", folder, f"llama-cpp-python=={LLAMA}")
        with tarfile.open(folder / f"llama_cpp_python-{LLAMA}.tar.gz") as package:
            parts = [part for part in package.getmembers() if part.name.startswith(tuple(wanted))]
            package.extractall(folder, parts, filter="data")
    binary, own = folder / "converter", HERE / "llama_converter.cpp"
    if not binary.exists() or binary.stat().st_mtime < own.stat().st_mtime:
        sources = [
            vendored / file
            for file in (
                "common/json-schema-to-grammar.cpp",
                "common/json-schema.cpp",
                "common/json.cpp",
                "common/trie.cpp",
                "common/unicode.cpp",
                "src/llama-grammar.cpp",
            )
        ]
        include = [f"-I{vendored / part}" for part in ("common", "include", "ggml/include", "src", "vendor")]
        line = [
            os.environ.get("CXX", "c++"),
            "-std=c++17",
            "-O1",
            "-ffunction-sections",
            "-Wl,--gc-sections",
            *include,
            own,
            *sources,
            "-o",
            binary,
        ]
        subprocess.run(list(map(str, line)), check=True)
    return folder


# Engines: a function from the text of a schema to a function that judges texts; it raises where the schema is refused


def xgrammar_engine() -> Callable[[str], Callable[[str], bool]]:
    class Anything:
        def __init__(self, *_arguments: Any, **_named: Any) -> None:
            pass

    class Module(types.ModuleType):
        def __getattr__(self, name: str) -> Any:
            if name.startswith("__"):
                raise AttributeError(name)
            return Anything

    sys.path.insert(0, str(xgrammar_folder()))
    import tvm_ffi  # noqa: F401  Looks for torch, and finds none.

    for name in ("torch", "transformers"):
        sys.modules.setdefault(name, Module(name))
    import xgrammar

    info = xgrammar.TokenizerInfo([*BYTES, b"<end>"], xgrammar.VocabType.RAW, vocab_size=257, stop_token_ids=[END])
    compiler = xgrammar.GrammarCompiler(info, max_threads=1, cache_enabled=False)

    def compiled(schema: str) -> Callable[[str], bool]:
        grammar = compiler.compile_grammar(xgrammar.Grammar.from_json_schema(schema, strict_mode=False))

        def accepts(text: str) -> bool:
            matcher = xgrammar.GrammarMatcher(grammar)
            return all(matcher.accept_token(byte) for byte in text.encode()) and matcher.accept_token(END)

        return accepts

    return compiled


def llguidance_engine() -> Callable[[str], Callable[[str], bool]]:
    import llguidance

    class Tokenizer:
        eos_token_id, bos_token_id, special_token_ids = END, None, [END]
        tokens = [*BYTES, b"<end>"]

        def __call__(self, text: str | bytes) -> list[int]:
            return list(text.encode() if isinstance(text, str) else text)

    tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Tokenizer()))

    def compiled(schema: str) -> Callable[[str], bool]:
        grammar = llguidance.LLMatcher.grammar_from_json_schema(schema)
        if llguidance.LLMatcher(tokenizer, grammar, log_level=0).is_error():
            raise ValueError(llguidance.LLMatcher(tokenizer, grammar, log_level=0).get_error())

        def accepts(text: str) -> bool:
            matcher = llguidance.LLMatcher(tokenizer, grammar, log_level=0)
            tokens = list(text.encode())
            return matcher.try_consume_tokens(tokens) == len(tokens) and matcher.is_accepting()

        return accepts

    return compiled


def outlines_engine() -> Callable[[str], Callable[[str], bool]]:
    import outlines_core

    vocabulary = outlines_core.Vocabulary(END, {byte: [number] for number, byte in enumerate(BYTES)})

    def ends(index: Any, tokens: list[int]) -> bool:
        guide = outlines_core.Guide(index)
        if not guide.accepts_tokens(tokens):
            return False
        for token in tokens:
            guide.advance(token, return_tokens=False)
        return END in guide.get_tokens()

    def compiled(schema: str) -> Callable[[str], bool]:
        # Its automata prefer the first branch and report matches one byte late. So at the end of a whole text, and only there, it refuses
        # `10` for 1|10 and, with single bytes as tokens, all fractions. With a mark after the expression, texts are judged as the inner parts
        # that they mostly are. The automaton with the mark may be much larger, so it is built for texts that are refused without it.
        expression = outlines_core.json_schema.build_regex_from_schema(schema)
        plain, marked = outlines_core.Index(expression, vocabulary), None

        def accepts(text: str) -> bool:
            nonlocal marked
            tokens = list(text.encode())
            if ends(plain, tokens):
                return True
            marked = marked or outlines_core.Index(f"(?:{expression})\\x01", vocabulary)
            return ends(marked, [*tokens, 1])

        return accepts

    return compiled


def serve(name: str) -> None:
    """Answers the lines of standard input."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    compiled = {"xgrammar": xgrammar_engine, "llguidance": llguidance_engine, "outlines-core": outlines_engine}[name]()
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
        resource.setrlimit(resource.RLIMIT_CPU, (int(time.process_time()) + 1 + LIMIT, hard))
        try:
            accepts = compiled(json.dumps(request["schema"], ensure_ascii=False))
        except BaseException as error:  # noqa: B036  Panics of Rust are no exceptions of Python's own.
            answer: dict[str, Any] = {"refused": re.sub(r"^\[[\d:]+\] ", "", str(error)) or type(error).__name__}
        else:
            answer = {"accepts": [bool(accepts(text)) for text in request["texts"]]}
        print(json.dumps(answer), file=answers, flush=True)


class Engines:
    """The engines' processes, started when they are first asked."""

    def __init__(self) -> None:
        self.processes: dict[str, subprocess.Popen[bytes]] = {}
        self.converter: Any = None

    def __enter__(self) -> Engines:
        return self

    def __exit__(self, *_error: object) -> None:
        for name, process in list(self.processes.items()):
            process.kill()
            self.stop(name)

    def stop(self, name: str) -> int:
        """Ends a process; its status, which is its own if it ended by itself."""
        process = self.processes.pop(name)
        try:
            return process.wait(0.5)
        except subprocess.TimeoutExpired:
            process.kill()
            return process.wait()

    def line(self, name: str, seconds: float) -> bytes:
        """The next line of a process, or nothing after a time."""
        output = self.processes[name].stdout
        assert output is not None
        return output.readline() if select.select([output], [], [], seconds)[0] else b""

    def start(self, name: str) -> None:
        binary = name == "llama.cpp"
        command = [llama_folder() / "converter"] if binary else [sys.executable, __file__, name]
        self.processes[name] = subprocess.Popen(
            list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        if not binary and self.line(name, 600).strip() != b"ready":
            raise RuntimeError(f"the engine {name} does not start")

    def request(self, name: str, request: dict[str, Any]) -> dict[str, Any]:
        if name not in self.processes:
            self.start(name)
        process = self.processes[name]
        assert process.stdin is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        answer = self.line(name, PATIENCE)
        if answer:
            found: dict[str, Any] = json.loads(answer)
            return found
        status = self.stop(name)
        late = status in (-signal.SIGXCPU, -signal.SIGKILL)
        return {"refused": f"no answer within {LIMIT} s of processor time" if late else "the process ended"}

    def ask(self, name: str, schema: Any, texts: list[str]) -> dict[str, Any]:
        """{"refused": reason}, or {"accepts": [bool, ...]} with one answer a text."""
        if name != "llama-cpp-python":
            return self.request(name, {"schema": schema, "texts": texts})
        if self.converter is None:
            file = next(llama_folder().glob("*/llama_cpp/llama_grammar.py"))
            found = importlib.util.spec_from_file_location("llama_grammar", file)
            assert found is not None and found.loader is not None
            self.converter = importlib.util.module_from_spec(found)
            found.loader.exec_module(self.converter)
        try:
            grammar = self.converter.json_schema_to_gbnf(json.dumps(schema))
        except Exception as error:
            return {"refused": f"{type(error).__name__}: {error}"}
        return self.request("llama.cpp", {"grammar": grammar, "texts": texts})


if __name__ == "__main__":
    serve(sys.argv[1])
