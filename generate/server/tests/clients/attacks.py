"""A server under attack: `attacks.py COMMAND...`, such as `attacks.py target/release/grammarc serve --model smollm2`.

Starts the command for each attack, with `--listen` on a free port, and prints a row of figures for each: latencies of plain
requests beside clients whose schemas take long to compile, and beside clients that ask for many outputs; half-sent requests where
descriptors are few; the end of a server that reads half a body; pages of other sites, in Chromium where it is installed; swapped
files of the cache. Nothing is asserted: times depend on the machine, and what does not is in `tests/protocol`.
"""

from __future__ import annotations

import contextlib
import http.client
import http.server
import json
import resource
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

CHAT = "/v1/chat/completions"
PLAIN = {"messages": [{"role": "user", "content": "Say hello."}], "max_tokens": 8, "temperature": 0}
FORMAT = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"], "additionalProperties": False}
KEPT = PLAIN | {"response_format": {"type": "json_schema", "json_schema": {"name": "n", "schema": FORMAT}}}
ROUNDS = 7


def exploding(number: int) -> dict:
    """A request whose schema takes as long to compile as it may, and that no other request has."""
    properties = {f"k{number}_{n}": {"type": "string", "maxLength": 100 + n, "pattern": f"[a-z]{{{n}}}x"} for n in range(60)}
    schema = {"type": "object", "properties": properties, "additionalProperties": {"type": "string", "pattern": "(x|y)*z{3,40}"}}
    return PLAIN | {"response_format": {"type": "json_schema", "json_schema": {"name": "x", "schema": schema}}}


def ask(port: int, method: str, path: str, body: object = None, timeout: float = 120, **headers: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=timeout)
    with contextlib.closing(connection):
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        reply = connection.getresponse()
        return reply.status, reply.read().decode()


@contextlib.contextmanager
def server(command: list[str], *options: str, descriptors: int | None = None) -> Iterator[tuple[int, subprocess.Popen]]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    def limit() -> None:
        if descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, descriptors))

    command = [*command, "--listen", f"127.0.0.1:{port}", "--log", "warn", *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, preexec_fn=limit)
    try:
        for _ in range(600):
            with contextlib.suppress(OSError):
                if ask(port, "GET", "/health")[0] == 200:
                    break
            time.sleep(0.1)
        yield port, process
    finally:
        process.kill()
        process.wait()


def timed(port: int, body: dict) -> float:
    began = time.monotonic()
    status, text = ask(port, "POST", CHAT, body)
    assert status == 200, text
    return time.monotonic() - began


def row(name: str, *cells: str) -> None:
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def spread(times: list[float]) -> str:
    return f"median {statistics.median(times):.2f} s, most {max(times):.2f} s"


@contextlib.contextmanager
def beside(port: int, clients: int, body: Callable[[int], dict]) -> Iterator[Counter]:
    """Clients that ask again and again, and the statuses that they get."""
    over, statuses = threading.Event(), Counter()

    def client(first: int) -> None:
        number = first
        while not over.is_set():
            with contextlib.suppress(OSError, http.client.HTTPException):
                status, _ = ask(port, "POST", CHAT, body(number))
                statuses[status] += 1
                if status == 429:
                    time.sleep(1)
            number += clients

    threads = [threading.Thread(target=client, args=(first,), daemon=True) for first in range(clients)]
    for thread in threads:
        thread.start()
    time.sleep(3)
    yield statuses
    over.set()


def latencies(command: list[str]) -> None:
    for clients in (0, 6, 24):
        with server(command) as (port, _):
            for body in (PLAIN, KEPT):
                ask(port, "POST", CHAT, body)
            with beside(port, clients, exploding) as statuses:
                plain = spread([timed(port, PLAIN) for _ in range(ROUNDS)])
                kept = spread([timed(port, KEPT) for _ in range(ROUNDS)])
            row(f"plain request beside {clients} exploding schemas", plain, f"kept grammar: {kept}", f"statuses {dict(statuses)}")
    with server(command) as (port, _):
        long = PLAIN | {"n": 8, "max_tokens": 200, "logit_bias": {"2": -100}}
        with beside(port, 8, lambda _: long):
            times = [timed(port, PLAIN | {"max_tokens": 1}) for _ in range(3)]
            row("max_tokens 1 beside 8 clients with n 8", spread(times))


def half_sent(command: list[str]) -> None:
    for name, sent in (("heads", b"POST /v1/x HTTP/1.1\r\nHost: localhost\r\n"), ("bodies", None)):
        sent = sent or f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{{".encode()
        with server(command, descriptors=128) as (port, _):
            held = []
            for _ in range(140):
                with contextlib.suppress(OSError):
                    held.append(socket.create_connection(("127.0.0.1", port), timeout=2))
                    held[-1].sendall(sent)
            time.sleep(1)
            times = []
            for _ in range(5):
                began = time.monotonic()
                try:
                    ask(port, "GET", "/health", timeout=10)
                    times.append(f"{time.monotonic() - began:.3f} s")
                except (OSError, http.client.HTTPException) as error:
                    times.append(type(error).__name__)
            row(f"/health beside 140 half {name} at 128 descriptors", ", ".join(times))
            for connection in held:
                connection.close()


def ends(command: list[str]) -> None:
    half = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{{".encode()
    long = json.dumps(PLAIN | {"max_tokens": 1500, "logit_bias": {"2": -100}})
    whole = f"POST {CHAT} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {len(long)}\r\n\r\n{long}".encode()
    for name, sent, signals in (("half a body", half, 1), ("a long output, signalled twice", whole, 2)):
        with server(command) as (port, process), socket.create_connection(("127.0.0.1", port)) as held:
            held.sendall(sent)
            time.sleep(1)
            began = time.monotonic()
            for _ in range(signals):
                process.send_signal(signal.SIGTERM)
                time.sleep(0.2)
            try:
                process.wait(timeout=60)
                row(f"end after SIGTERM beside {name}", f"{time.monotonic() - began:.1f} s")
            except subprocess.TimeoutExpired:
                row(f"end after SIGTERM beside {name}", "not within 60 s")


def pages(command: list[str]) -> None:
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    with server(command) as (port, _):
        row("Host of another site", str(ask(port, "GET", "/v1/models", Host=f"evil.example:{port}")[0]))
        statuses = [ask(port, "POST", "/tokenize", {"content": "a"}, Origin=origin)[0] for origin in ("http://evil.example", "null")]
        row("Origin of another site, none", str(statuses))
        if not chromium:
            row("Chromium", "is not installed")
            return

        class Page(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                form = f"<form method=post enctype=text/plain action=http://127.0.0.1:{port}/tokenize>"
                field = """<input name='{"content":"hello","model":"' value='"}'></form><script>document.forms[0].submit()</script>"""
                self.send_response(200)
                self.send_header("Content-Type", "text/html")
                self.end_headers()
                self.wfile.write((form + field).encode())

            def log_message(self, *_: object) -> None:
                pass

        site = http.server.HTTPServer(("127.0.0.1", 0), Page)
        threading.Thread(target=site.serve_forever, daemon=True).start()
        for name, url in (
            ("Chromium, a name rebound to 127.0.0.1: /v1/models", f"http://evil.example:{port}/v1/models"),
            ("Chromium, a form of another site posts to /tokenize", f"http://attacker.example:{site.server_port}/"),
        ):
            with tempfile.TemporaryDirectory() as profile:
                run = [chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={profile}"]
                run += ["--host-resolver-rules=MAP *.example 127.0.0.1", "--virtual-time-budget=4000", "--dump-dom", url]
                dom = subprocess.run(run, capture_output=True, text=True, timeout=120).stdout
            row(name, dom.replace("\n", " ").replace("|", "\\|")[:200])
        site.shutdown()


def swapped(command: list[str]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        def bodies() -> Iterator[dict]:
            for word in ("aaa", "bbb"):
                form = {"type": "json_schema", "json_schema": {"name": "x", "schema": {"const": word}}}
                yield PLAIN | {"response_format": form}

        def contents(port: int) -> list[str]:
            replies = [json.loads(ask(port, "POST", CHAT, body)[1]) for body in bodies()]
            return [reply["choices"][0]["message"]["content"] for reply in replies]

        with server(command, "--cache", folder) as (port, _):
            contents(port)
            for _ in range(100):
                files = sorted(Path(folder).glob("*.gmask"))
                if len(files) >= 2:
                    break
                time.sleep(0.1)
        # The words in the files say which of them are those of the two schemas.
        named = [next((file for file in files if word in file.read_bytes()), None) for word in (b"aaa", b"bbb")]
        one, other = named if all(named) and named[0] != named[1] else files[-2:]
        held = one.read_bytes()
        one.write_bytes(other.read_bytes())
        other.write_bytes(held)
        with server(command, "--cache", folder) as (port, _):
            row('swapped cache files: {"const": "aaa"}, {"const": "bbb"}', ", ".join(contents(port)))


if __name__ == "__main__":
    command = sys.argv[1:]
    for attack in (pages, swapped, ends, half_sent, latencies):
        attack(command)
