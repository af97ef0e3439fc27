"""A server in OpenAI's protocol that says what a test tells it: requests are kept, answers come whole or in small deltas."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
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
        if not body.get("stream"):
            message = {"role": "assistant", "content": loopback.text}
            choice = {"index": 0, "message": message, "finish_reason": "stop", **loopback.choice}
            return self._send(200, {"choices": [choice], "usage": USAGE})
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        parts = [loopback.text[at : at + loopback.delta] for at in range(0, len(loopback.text), loopback.delta)]
        for part in [{"role": "assistant"}, *({"content": part} for part in parts)]:
            self._event({"choices": [{"index": 0, "delta": part, "finish_reason": None}]})
            if loopback.error and "content" in part:
                return self._event({"error": loopback.error})
        self._event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
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
