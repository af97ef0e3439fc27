"""Collects the tools of public MCP servers: `collect_tools.py --output mcp-tools.json [--cache FOLDER] [PACKAGE ...]`.

`servers.json` lists packages of npm and PyPI with versions. Each is installed into a folder of its own without scripts of installation,
started over stdio, and asked `initialize` and `tools/list`. A server has no network, an empty home, no credentials and 40 s; its process group
is killed then. The output is JSON: a list of {server, version, registry, license, tools}. It holds texts of other projects, so it stays
outside of the tree. An entry without a version gets the newest one, which is written back into `servers.json`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from email.parser import HeaderParser
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent
SERVERS = HERE / "servers.json"
LIMIT = 40
"""Seconds for the start of a server and all its answers."""

INSTALL_LIMIT = 300
PROTOCOL = "2025-06-18"
ALONE = ["unshare", "--net", "sh", "-c", 'ip link set lo up 2> /dev/null; exec "$@"', "sh"]
"""Runs a command without a network, except for the loopback interface."""


class Failed(Exception):
    """A server that cannot be installed or asked, with the reason."""


def run(command: list[Any], seconds: float) -> None:
    process = subprocess.Popen(
        list(map(str, command)), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        output, _ = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise Failed(f"{command[0]} takes more than {seconds} s") from None
    if process.returncode:
        raise Failed(f"{Path(str(command[0])).name}: {output.decode(errors='replace').strip()[-300:]}")


# Installing: a package gives its version, its license and a command


def from_npm(folder: Path, name: str, version: str | None, binary: str | None) -> tuple[str, str, list[str]]:
    package = folder / "node_modules" / name / "package.json"
    if not package.exists():
        wanted = f"{name}@{version}" if version else name
        run(["npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund", "--no-save", wanted], INSTALL_LIMIT)
    described = json.loads(package.read_text(encoding="utf-8"))
    found = described.get("bin") or {}
    binaries = {name.rsplit("/", 1)[-1]: found} if isinstance(found, str) else found
    if not binaries:
        raise Failed("the package has no command")
    chosen = binaries[binary] if binary else next(iter(binaries.values()))
    file = (package.parent / chosen).resolve()
    first = file.read_bytes()[:80]
    command = ["node", str(file)] if b"node" in first.split(b"\n")[0] or file.suffix in (".js", ".mjs", ".cjs") else [str(file)]
    license = described.get("license") or described.get("licenses") or "unknown"
    return described["version"], license if isinstance(license, str) else json.dumps(license), command


def from_pypi(folder: Path, name: str, version: str | None, binary: str | None) -> tuple[str, str, list[str]]:
    python = folder / "bin" / "python"
    if not (folder / "complete").exists():
        run(["uv", "venv", "--quiet", "--clear", "--python", sys.executable, folder], INSTALL_LIMIT)
        run(["uv", "pip", "install", "--quiet", "--python", python, f"{name}=={version}" if version else name], INSTALL_LIMIT)
        (folder / "complete").touch()
    plain = re.sub(r"[-_.]+", "_", name).lower()
    metadata = next(
        path
        for path in folder.glob("lib/python*/site-packages/*.dist-info/METADATA")
        if re.sub(r"[-_.]+", "_", path.parent.name).lower().startswith(plain + "_")
    )
    head = HeaderParser().parsestr(metadata.read_text(encoding="utf-8"))
    classified = [line.rsplit(" :: ", 1)[-1] for line in head.get_all("Classifier") or [] if line.startswith("License ::")]
    license = head.get("License-Expression") or next(iter(classified), None) or (head.get("License") or "unknown").splitlines()[0]
    points = metadata.parent / "entry_points.txt"
    scripts = (
        re.findall(r"^\s*([\w.-]+)\s*=", points.read_text().split("[console_scripts]", 1)[1].split("\n[", 1)[0], re.M)
        if points.exists() and "[console_scripts]" in points.read_text()
        else []
    )
    if not scripts:
        raise Failed("the package has no command")
    return head["Version"], license, [str(folder / "bin" / (binary or scripts[0]))]


# Asking: JSON-RPC, one message a line


class Server:
    """A started server."""

    def __init__(self, command: list[str], home: Path, variables: dict[str, str]) -> None:
        self.end = time.monotonic() + LIMIT
        self.buffer = b""
        self.number = 0
        environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", **variables}
        self.errors = (home / "errors.txt").open("wb")
        self.process = subprocess.Popen(
            [*ALONE, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            cwd=home,
            env=environment,
            start_new_session=True,
        )

    def close(self) -> None:
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        self.process.wait()
        self.errors.close()

    def send(self, method: str, params: dict[str, Any] | None = None, number: int | None = None) -> None:
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        message |= {} if params is None else {"params": params}
        message |= {} if number is None else {"id": number}
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except BrokenPipeError:
            raise Failed(self.reason("the server ended")) from None

    def reason(self, what: str) -> str:
        said = Path(self.errors.name).read_text(encoding="utf-8", errors="replace").strip()
        return f"{what}: {' '.join(said.split())[-200:]}"

    def messages(self) -> Iterator[Any]:
        assert self.process.stdout is not None
        while True:
            line, found, rest = self.buffer.partition(b"\n")
            if found:
                self.buffer = rest
                try:
                    yield json.loads(line)
                except ValueError:
                    pass
                continue
            if not select.select([self.process.stdout], [], [], max(0, self.end - time.monotonic()))[0]:
                raise Failed(self.reason(f"no answer within {LIMIT} s"))
            more = os.read(self.process.stdout.fileno(), 1 << 16)
            if not more:
                raise Failed(self.reason("the server ended"))
            self.buffer += more

    def request(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        self.send(method, params, self.number)
        for message in self.messages():
            if not isinstance(message, dict):
                continue
            if message.get("id") == self.number and "method" not in message:
                if "error" in message:
                    raise Failed(f"{method}: {message['error'].get('message')}")
                result: dict[str, Any] = message["result"]
                return result
        raise AssertionError("messages end by an error")


def asked(command: list[str], variables: dict[str, str]) -> list[dict[str, Any]]:
    """The tools of a server."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as home:
        server = Server(command, Path(home), variables)
        try:
            server.request(
                "initialize", {"protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": {"name": "grammarc-tests", "version": "1"}}
            )
            server.send("notifications/initialized")
            tools: list[dict[str, Any]] = []
            cursor: dict[str, Any] = {}
            while True:
                page = server.request("tools/list", cursor)
                tools += page["tools"]
                if not page.get("nextCursor"):
                    return tools
                cursor = {"cursor": page["nextCursor"]}
        finally:
            server.close()


def collected(entry: dict[str, Any], cache: Path) -> dict[str, Any]:
    """What one entry of `servers.json` gives."""
    registry, name = entry["registry"], entry["package"]
    folder = cache / registry / f"{name.replace('/', '+')}@{entry.get('version') or 'newest'}"
    folder.mkdir(parents=True, exist_ok=True)
    install = {"npm": from_npm, "pypi": from_pypi}[registry]
    version, license, command = install(folder, name, entry.get("version"), entry.get("command"))
    if not entry.get("version"):
        entry["version"] = version
        folder.rename(kept := folder.with_name(f"{name.replace('/', '+')}@{version}"))
        _, _, command = install(kept, name, version, entry.get("command")) if registry == "npm" else from_moved(kept, name, version, entry)
    tools = asked([*command, *entry.get("arguments", [])], entry.get("variables", {}))
    return {"server": name, "version": version, "registry": registry, "license": license, "tools": tools}


def from_moved(folder: Path, name: str, version: str, entry: dict[str, Any]) -> tuple[str, str, list[str]]:
    """An environment of Python names its own place in its commands, so it is made again from what is in the cache."""
    (folder / "complete").unlink()
    return from_pypi(folder, name, version, entry.get("command"))


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--output", required=True, type=Path)
    arguments.add_argument(
        "--cache", type=Path, default=Path(os.environ.get("GRAMMARC_CACHE") or Path.home() / ".cache" / "grammarc") / "mcp"
    )
    arguments.add_argument("packages", nargs="*", help="ask these alone; what the output has of others stays")
    options = arguments.parse_args()
    for needed in ("npm", "node", "uv", "unshare"):
        if shutil.which(needed) is None:
            print(f"{needed} is not installed", file=sys.stderr)
            return 2
    entries = json.loads(SERVERS.read_text(encoding="utf-8"))
    before = json.loads(options.output.read_text(encoding="utf-8")) if options.output.exists() else []
    found = {one["server"]: one for one in before}
    failed = 0
    for entry in entries:
        if options.packages and entry["package"] not in options.packages:
            continue
        try:
            one = collected(entry, options.cache)
        except Failed as error:
            failed += 1
            print(f"{entry['package']}: {error}", flush=True)
            continue
        found[one["server"]] = one
        print(f"{entry['package']} {one['version']}: {len(one['tools'])} tools, {one['license']}", flush=True)
        options.output.write_text(
            json.dumps(sorted(found.values(), key=lambda one: one["server"]), ensure_ascii=False, indent=1), encoding="utf-8"
        )
        SERVERS.write_text("[\n" + ",\n".join(json.dumps(one, ensure_ascii=False) for one in entries) + "\n]\n", encoding="utf-8")
    print(f"{len(found)} servers, {sum(len(one['tools']) for one in found.values())} tools; {failed} failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
