"""A server in OpenAI's protocol that answers as a test says: requests are kept, answers come whole or in small deltas.

`scripted` is one that answers any request with what was asked for: the least instance of a schema, a call of the first tool.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

USAGE = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}


class Loopback:
    """What it says next, and what it was asked."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.text = ""
        self.delta = 3
        self.status = 200
        self.error: dict[str, Any] | None = None
        """In place of an answer; in a stream, after the first delta."""
        self.choice: dict[str, Any] = {}
        """Changes to the choice of a whole answer."""
        self.prompt: dict[str, Any] = {}
        """The reply to a prompt by name; streamed, its items come first."""
        self.script: Callable[[dict[str, Any]], dict[str, Any]] | None = None
        """Makes the choice of a request, in place of the text."""
        self.asked: list[tuple[str, dict[str, Any]]] = []


class _Handler(BaseHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        pass

    def do_POST(self) -> None:
        loopback: Loopback = self.server.loopback  # type: ignore[attr-defined]
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        loopback.asked.append((self.path, body | {"authorization": self.headers["authorization"]}))
        if loopback.status != 200:
            return self._send(loopback.status, {"error": loopback.error})
        if self.path == "/v1/repair":
            return self._send(200, {"text": loopback.text, "edits": []})
        if self.path.startswith("/v1/prompts/"):
            return self._prompt(loopback.prompt, bool(body.get("stream")))
        if self.path == "/v1/grammars":
            return self._send(200, {"id": "1", "least_tokens": 1, "report": {}})
        choice = {"index": 0, "message": {"role": "assistant", "content": loopback.text}, "finish_reason": "stop", **loopback.choice}
        if loopback.script:
            choice |= loopback.script(body)
        whole = {"id": "1", "object": "chat.completion", "created": 1, "model": "m"}
        if not body.get("stream"):
            return self._send(200, {**whole, "choices": [choice], "usage": USAGE})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        chunk, text = whole | {"object": "chat.completion.chunk"}, choice["message"]["content"]
        parts = [text[at : at + loopback.delta] for at in range(0, len(text), loopback.delta)]
        for part in [{"role": "assistant"}, *({"content": part} for part in parts)]:
            self._event({**chunk, "choices": [{"index": 0, "delta": part, "finish_reason": None}]})
            if loopback.error and "content" in part:
                return self._event({"error": loopback.error})
        self._event({**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        self.wfile.write(b"data: [DONE]\n\n")

    def _prompt(self, reply: dict[str, Any], stream: bool) -> None:
        if not stream:
            return self._send(200, reply)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        last = {key: value for key, value in reply.items() if key != "response"}
        for line, item in enumerate(reply["response"], 1):
            self._event({"item": item, "line": line})
        if "finish_reason" in last:
            self._event(last)
            self.wfile.write(b"data: [DONE]\n\n")

    def _event(self, value: dict[str, Any]) -> None:
        self.wfile.write(b"data: " + json.dumps(value).encode() + b"\n\n")
        self.wfile.flush()

    def _send(self, status: int, value: dict[str, Any]) -> None:
        content = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


@contextmanager
def listening() -> Iterator[Loopback]:
    """A server on a port of its own, while the block lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        server.loopback = Loopback(f"http://127.0.0.1:{server.server_port}")  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server.loopback  # type: ignore[attr-defined]
        finally:
            server.shutdown()
            thread.join()


def instance(schema: dict[str, Any]) -> Any:
    """An instance of a simple schema, with all keys."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if kind == "object":
        return {name: instance(one) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        return [instance(schema["items"])] * schema.get("minItems", 1)
    return {"string": "Oslo", "integer": schema.get("minimum", 1), "number": 1, "boolean": True, "null": None}[kind]


def scripted(body: dict[str, Any]) -> dict[str, Any]:
    """A script that answers what is asked for. Behind the result of a tool it answers in words."""
    has_result = body["messages"][-1]["role"] == "tool"
    if body.get("tools") and not has_result:
        tool = body["tools"][0]["function"]
        call = {"name": tool["name"], "arguments": json.dumps(instance(tool["parameters"]))}
        calls = [{"id": "1", "type": "function", "function": call}]
        return {"finish_reason": "tool_calls", "message": {"role": "assistant", "content": None, "tool_calls": calls}}
    outputs = body.get("structured_outputs", {})
    if form := body.get("response_format", {}).get("json_schema"):
        text = json.dumps(instance(form["schema"]), separators=(",", ":"))
    elif "choice" in outputs:
        text = outputs["choice"][0]
    elif "grammar" in outputs:
        text = '{"city": "Oslo", "country": "Norway"}\n{"city": "Rome", "country": "It'
    else:
        text = "Oslo"
    return {"message": {"role": "assistant", "content": text}}
