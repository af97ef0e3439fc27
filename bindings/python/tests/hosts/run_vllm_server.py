"""The parts of ``run_vllm.py`` that need vLLM's HTTP server."""

from __future__ import annotations

import argparse
import concurrent.futures
import contextlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

from schemas import SCHEMAS


def say(part: str, **figures: Any) -> None:
    print("RESULT " + json.dumps({"part": part, **figures}), flush=True)


class Http:
    """A running server."""

    def __init__(self, port: int, log: str) -> None:
        self.base = f"http://127.0.0.1:{port}"
        self.log = log

    def post(self, path: str, body: dict[str, Any], patience: float = 300) -> tuple[int, Any]:
        request = urllib.request.Request(
            self.base + path, json.dumps(body).encode(), {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=patience) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.loads(error.read() or b"{}")

    def chat(self, prompt: str, most: int = 200, patience: float = 300, **more: Any) -> tuple[int, Any]:
        body = {
            "model": "m",
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": most,
            "temperature": 0.8,
            "seed": 1,
        }
        return self.post("/v1/chat/completions", {**body, **more}, patience)

    def counters(self) -> dict[str, float]:
        """The last counters that the engine logged."""
        with open(self.log, encoding="utf-8", errors="replace") as file:
            found = re.findall(r"counters (\{.*?\})", file.read())
        return json.loads(found[-1]) if found else {}  # type: ignore[no-any-return]


@contextlib.contextmanager
def served(model: str, *options: str) -> Iterator[Http]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tempfile.NamedTemporaryFile("w", suffix=".log", delete=False)
    environment = {**os.environ, "VLLM_ENABLE_V1_MULTIPROCESSING": "1", "VLLM_LOGGING_LEVEL": "DEBUG"}
    command = [
        sys.executable,
        "-m",
        "vllm.entrypoints.openai.api_server",
        "--model",
        model,
        "--served-model-name",
        "m",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--enforce-eager",
        "--max-model-len",
        "1024",
        "--max-num-seqs",
        "16",
        "--structured-outputs-config",
        '{"backend": "xgrammar", "disable_any_whitespace": true}',
        *options,
    ]
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    try:
        http = Http(port, log.name)
        for _ in range(600):
            if process.poll() is not None:
                raise SystemExit(f"the server ended with {process.returncode}; see {log.name}")
            with contextlib.suppress(OSError):
                urllib.request.urlopen(http.base + "/health", timeout=5).close()
                break
            time.sleep(1)
        yield http
    finally:
        process.terminate()
        process.wait(60)
        print("log", log.name, file=sys.stderr)


TOOL = {
    "type": "function",
    "function": {
        "name": "set_light",
        "description": "Sets a light.",
        "strict": True,
        "parameters": {
            "type": "object",
            "properties": {
                "room": {"enum": ["kitchen", "hall"]},
                "level": {"type": "integer", "minimum": 0, "maximum": 9},
            },
            "required": ["room", "level"],
            "additionalProperties": False,
        },
    },
}


def server(model: str, arguments: argparse.Namespace) -> None:
    """Every kind of request over HTTP, strict tools among them, and what is refused."""
    import jsonschema

    answers: dict[str, Any] = {}

    def content(status: int, answer: Any) -> Any:
        return answer["choices"][0]["message"]["content"] if status == 200 else [status, answer]

    with served(model, "--enable-auto-tool-choice", "--tool-call-parser", "hermes") as http:
        valid = 0
        for prompt, schema in list(SCHEMAS.values()):
            text = content(
                *http.chat(
                    prompt,
                    response_format={
                        "type": "json_schema",
                        "json_schema": {"name": "s", "schema": schema, "strict": True},
                    },
                )
            )
            try:
                jsonschema.Draft202012Validator(schema).validate(json.loads(text))
                valid += 1
            except (ValueError, TypeError, jsonschema.ValidationError) as error:
                answers.setdefault("bad", []).append([str(text)[:200], str(error)[:80]])
        answers["json_schema"] = f"{valid} of {len(SCHEMAS)}"
        answers["regex"] = content(*http.chat("Code?", structured_outputs={"regex": "[A-Z]{2}[0-9]{2}"}))
        answers["choice"] = content(*http.chat("Colour?", structured_outputs={"choice": ["red", "blue"]}))
        answers["grammar"] = content(*http.chat("Sum?", structured_outputs={"grammar": 'root ::= [0-9] " + " [0-9]'}))
        answers["json"] = content(*http.chat("Person?", structured_outputs={"json": SCHEMAS["person"][1]}))
        answers["json_object"] = content(*http.chat("Any JSON, short.", 60, response_format={"type": "json_object"}))
        tag = {
            "type": "structural_tag",
            "format": {
                "type": "tag",
                "begin": "<n>",
                "content": {"type": "regex", "pattern": "[0-9]{2}"},
                "end": "</n>",
            },
        }
        answers["structural_tag"] = content(*http.chat("Number?", response_format=tag))
        calls = {}
        for name, choice in (
            ("named", {"type": "function", "function": {"name": "set_light"}}),
            ("required", "required"),
            ("auto", "auto"),
        ):
            status, answer = http.chat("Set the light in the hall to 3.", tools=[TOOL], tool_choice=choice)
            message = answer["choices"][0]["message"] if status == 200 else None
            made = [call["function"] for call in (message or {}).get("tool_calls") or []]
            for call in made:
                jsonschema.validate(json.loads(call["arguments"]), TOOL["function"]["parameters"])
            calls[name] = [status, made[:1] or (message or answer)]
        answers["tools"] = calls
        for name, structured in {
            "bad schema": {"json": {"type": "object", "properties": {"a": {"$ref": "#/nope"}}}},
            "bad regex": {"regex": "(a"},
            "bad grammar": {"grammar": "root ::= x"},
            "multipleOf, which XGrammar refuses": {
                "json": {"type": "integer", "multipleOf": 7, "minimum": 1, "maximum": 70}
            },
        }.items():
            status, answer = http.chat("Try.", 40, structured_outputs=structured)
            answers[name] = [status, answer["error"]["message"][:160] if status != 200 else content(status, answer)]
        say("server", answers=answers, stats=http.counters())


HOSTILE: dict[str, Any] = {
    # Patterns and counts that cost automata, compositions that multiply, depth.
    "counts": {"regex": "(([a-z]{1,400}[0-9]){1,400}-){1,400}"},
    "overlap": {"regex": "(" + "|".join(f"[a-z]{{0,{n}}}{n}" for n in range(1, 400)) + ")*"},
    "allOf": {
        "json": {
            "allOf": [
                {"type": "object", "properties": {f"k{i}": {"pattern": f"^.*{i}.{{20}}$"}}, "required": [f"k{i}"]}
                for i in range(60)
            ]
        }
    },
    "oneOf": {
        "json": {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {f"k{j}": {"type": "string", "maxLength": i * j + 1} for j in range(40)},
                }
                for i in range(40)
            ]
        }
    },
    "not": {"json": {"type": "string", "allOf": [{"not": {"pattern": f"a.{{{n}}}b"}} for n in range(5, 25)]}},
}


def hostile(model: str, arguments: argparse.Namespace) -> None:
    """Latencies of a stream of requests, alone and while hostile sources are sent."""
    schema = SCHEMAS["person"][1]

    def one(seed: int) -> float:
        began = time.perf_counter()
        # Never ends by itself before the bound, so that all take the same work.
        structured = {"json": {"type": "array", "items": schema, "minItems": 40}}
        try:
            status, answer = http.chat("Describe a person.", 24, 60, structured_outputs=structured, seed=seed)
        except OSError:
            # No answer within a minute counts as a minute.
            return 60.0
        assert status == 200, answer
        return time.perf_counter() - began

    def stream(count: int) -> list[float]:
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            return sorted(pool.map(one, range(count)))

    def summary(latencies: list[float]) -> dict[str, Any]:
        edges = [0.25, 0.5, 0.75, 1, 1.5, 2, 3, 5, 10, 60, 1e9]
        histogram, low = {}, 0.0
        for edge in edges:
            inside = sum(low <= latency < edge for latency in latencies)
            if inside:
                histogram[f"{low:g} to {edge:g} s"] = inside
            low = edge
        return {
            "p50": round(latencies[len(latencies) // 2], 3),
            "p90": round(latencies[int(len(latencies) * 0.9)], 3),
            "max": round(latencies[-1], 3),
            "histogram": histogram,
        }

    with served(model) as http:
        stream(8)
        alone = summary(stream(arguments.rounds * 16))
        answers: dict[str, Any] = {}

        def attack(name: str) -> None:
            began = time.perf_counter()
            try:
                status, answer = http.chat("Try.", 16, 60, structured_outputs=HOSTILE[name])
            except OSError as error:
                status, answer = 0, {"error": {"message": repr(error)}}
            answers[name] = [
                status,
                round(time.perf_counter() - began, 2),
                str(answer.get("error", {}).get("message", ""))[:160],
            ]

        with concurrent.futures.ThreadPoolExecutor(len(HOSTILE)) as pool:
            attacks = [pool.submit(attack, name) for name in HOSTILE]
            beside = summary(stream(arguments.rounds * 16))
            for attack_ in attacks:
                attack_.result()
        say("hostile", backend=arguments.backend, alone=alone, beside=beside, answers=answers, stats=http.counters())
