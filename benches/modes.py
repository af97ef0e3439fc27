"""The tables of JSON mode in docs/tuning.md: `modes.py MODEL [--command grammarc]`.

MODEL is a GGUF file, such as that of `grammarc model smollm2`. The script starts `grammarc serve`, one output at a time on one thread, and
counts the server's CPU seconds and memory. `llama-cpp-python` is asked beside it where it is installed: the same file, its own grammars.
Needs `httpx` and `jsonschema`.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import jsonschema
from figures import spent_by, table

TOKENS = 96
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 30}, "born": {"type": "integer"}, "field": {"enum": ["art", "mathematics", "music", "physics"]}},
    "required": ["name", "born", "field"],
    "additionalProperties": False,
}
PLACE = {
    "type": "object",
    "properties": {"city": {"type": "string", "maxLength": 30}, "country": {"type": "string", "maxLength": 30}, "coast": {"type": "boolean"}},
    "required": ["city", "country", "coast"],
    "additionalProperties": False,
}
RECIPE = {
    "type": "object",
    "properties": {"dish": {"type": "string", "maxLength": 30}, "minutes": {"type": "integer", "minimum": 1, "maximum": 600}, "vegan": {"type": "boolean"}},
    "required": ["dish", "minutes", "vegan"],
    "additionalProperties": False,
}
WISHES = [
    *((PERSON, f"Describe {name}") for name in ("Ada Lovelace", "Johann Sebastian Bach", "Marie Curie", "Frida Kahlo", "Emmy Noether", "Isaac Newton")),
    *((PLACE, f"Describe {name}") for name in ("Oslo", "Vienna", "Lisbon", "Nairobi", "Lima", "Osaka")),
    *((RECIPE, f"Describe a recipe for {name}") for name in ("pancakes", "tomato soup", "fried rice", "apple pie", "hummus", "dumplings")),
]
"""What is asked: a schema and a wish."""
JSON_GBNF = r"""root ::= object
value ::= object | array | string | number | "true" | "false" | "null"
object ::= "{" ws (string ":" ws value ("," ws string ":" ws value)*)? ws "}"
array ::= "[" ws (value ("," ws value)*)? ws "]"
string ::= "\"" ([^"\\\x00-\x1f] | "\\" (["\\/bfnrt] | "u" [0-9a-fA-F]{4}))* "\""
number ::= "-"? ("0" | [1-9] [0-9]*) ("." [0-9]+)? ([eE] [-+]? [0-9]+)?
ws ::= " "?
"""


def prompt(schema: Any, wish: str) -> str:
    return f"{wish} as one JSON object of this schema, and write nothing else: {json.dumps(schema)}"


def judge(text: str, schema: Any) -> tuple[bool, bool]:
    """Whether a text is JSON, and whether it is an instance."""
    try:
        value = json.loads(text)
    except ValueError:
        return False, False
    return True, jsonschema.Draft202012Validator(schema).is_valid(value)


Ask = Callable[[Any, str], tuple[str, int]]
"""From a schema and a prompt to a text and its number of tokens."""


def measure(name: str, ask: Ask, pid: int, after: Callable[[str, Any], str] = lambda text, _: text) -> list[Any]:
    tokens = whole = instances = 0
    began = spent_by(pid)
    for schema, wish in WISHES:
        text, count = ask(schema, prompt(schema, wish))
        tokens += count
        text = after(text, schema)
        is_json, is_instance = judge(text, schema)
        whole, instances = whole + is_json, instances + is_instance
    of = len(WISHES)
    spent = spent_by(pid) - began
    return [name, 1e3 * spent / max(tokens, 1), tokens, spent / of, f"{whole} of {of}", f"{instances} of {of}"]


def kilobytes(pid: int) -> int:
    """Memory of a process that no file backs."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("RssAnon"))


def ours(client: httpx.Client, pid: int) -> tuple[list[list[Any]], list[list[Any]]]:
    def asking(constraint: Callable[[Any], dict[str, Any]]) -> Ask:
        def ask(schema: Any, text: str) -> tuple[str, int]:
            body = {"messages": [{"role": "user", "content": text}], "temperature": 0, "max_tokens": TOKENS, **constraint(schema)}
            reply = client.post("/v1/chat/completions", json=body).raise_for_status().json()
            return reply["choices"][0]["message"]["content"], reply["usage"]["completion_tokens"]

        return ask

    def form(schema: Any) -> dict[str, Any]:
        return {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}

    def repaired(text: str, schema: Any) -> str:
        reply = client.post("/v1/repair", json={"text": text, "schema": schema}).raise_for_status().json()
        return reply["text"] or text

    free = asking(lambda _: {})
    off = {"x_grammarc": {"forced": "off"}}
    modes = [
        ("none: the prompt alone", free, lambda text, _: text),
        ("validation and repair after the output", free, repaired),
        ("constrained, every token asked for", asking(lambda schema: {**form(schema), **off}), lambda text, _: text),
        ("constrained, forced runs", asking(form), lambda text, _: text),
        ("constrained, closed at the last token", asking(lambda schema: {**form(schema), "x_grammarc": {"on_length": "close"}}), lambda text, _: text),
        ("a grammar: any JSON object in GBNF", asking(lambda _: {"grammar": JSON_GBNF, **off}), lambda text, _: text),
    ]
    free(*WISHES[0])
    rows, memory = [], []
    before = kilobytes(pid)
    for name, ask, after in modes:
        rows.append(measure(name, ask, pid, after))
        now = kilobytes(pid)
        memory.append([name, max(now - before, 0)])
        before = now
    return rows, memory


def llama_cpp(model: str) -> list[list[Any]]:
    if importlib.util.find_spec("llama_cpp") is None:
        print("llama-cpp-python is not installed: it is left out\n")
        return []
    from llama_cpp import Llama, LlamaGrammar

    llama = Llama(model, n_ctx=2048, n_threads=1, n_threads_batch=1, verbose=False)

    def asking(grammar: Callable[[Any], Any]) -> Ask:
        def ask(schema: Any, text: str) -> tuple[str, int]:
            messages = [{"role": "user", "content": text}]
            reply = llama.create_chat_completion(messages, temperature=0, max_tokens=TOKENS, grammar=grammar(schema))
            return reply["choices"][0]["message"]["content"], reply["usage"]["completion_tokens"]

        return ask

    kept: dict[str, Any] = {}

    def of(schema: Any) -> Any:
        text = json.dumps(schema)
        return kept.setdefault(text, LlamaGrammar.from_json_schema(text, verbose=False))

    free, constrained = asking(lambda _: None), asking(of)
    free(*WISHES[0])
    return [measure("llama.cpp: the prompt alone", free, os.getpid()), measure("llama.cpp: its grammar of the schema", constrained, os.getpid())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model")
    parser.add_argument("--command", default="grammarc", help="the command `grammarc`, built with models")
    options = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; {len(WISHES)} outputs a mode, at most {TOKENS} tokens, temperature 0\n")
    serve = [options.command, "serve", "--model", options.model, "--listen", "127.0.0.1:0", "--parallel", "1", "--threads", "1", "--format", "json", "--log", "off"]
    with subprocess.Popen(serve, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            listening = json.loads(process.stdout.readline())
            with httpx.Client(base_url=f"http://{listening['address']}", timeout=600) as client:
                rows, memory = ours(client, process.pid)
        finally:
            process.terminate()
    rows += llama_cpp(options.model)
    head = ["mode", "ms of CPU a token", "tokens", "seconds of CPU an output", "JSON", "instances of the schema"]
    table(head, rows)
    table(["mode", "KiB more than before"], memory)


if __name__ == "__main__":
    main()
