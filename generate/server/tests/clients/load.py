"""A server under load: `load.py BASE_URL SECONDS [CLIENTS]`.

Clients ask for chats under schemas, streamed and whole; some leave in the middle, some read slowly, some send schemas that are
refused or take long. Nothing may be lost: each reply is whole and an instance, or an error that was asked for. Prints counts,
latencies of the well-behaved clients, and the server's counters.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections import Counter

import httpx

SCHEMA = {
    "type": "object",
    "properties": {"name": {"type": "string", "maxLength": 12}, "n": {"type": "integer", "minimum": 0, "maximum": 99}},
    "required": ["name", "n"],
    "additionalProperties": False,
}
HOSTILE = [
    {"type": "object", "properties": {"a": {"$ref": "#/properties/b"}}},
    {"allOf": [{"pattern": f"^(a|b){{{n}}}$"} for n in (3000, 5000)], "type": "string"},
    {"type": "string", "pattern": "(a?){5000}b{4000}(c|d){4000}"},
    {"$ref": "https://example.com/schema"},
]


def body(**changes: object) -> dict:
    form = {"type": "json_schema", "json_schema": {"name": "x", "schema": SCHEMA}}
    ask = {"messages": [{"role": "user", "content": "A person."}], "response_format": form, "max_tokens": 30}
    return ask | {"x_grammarc": {"on_length": "close"}} | changes


async def one(client: httpx.AsyncClient, kind: str, counts: Counter, times: list[float]) -> None:
    path = "/v1/chat/completions"
    try:
        if kind == "hostile":
            form = {"type": "json_schema", "json_schema": {"name": "x", "schema": random.choice(HOSTILE)}}
            reply = await client.post(path, json=body(response_format=form))
            counts[f"hostile {reply.status_code}"] += 1
            await asyncio.sleep(0.1)
            return
        if kind == "whole":
            began = time.monotonic()
            reply = await client.post(path, json=body())
            if reply.status_code == 429:
                counts["busy"] += 1
                return
            value = json.loads(reply.json()["choices"][0]["message"]["content"])
            assert set(value) == {"name", "n"}
            times.append(time.monotonic() - began)
            counts["whole"] += 1
            return
        text, done = "", False
        async with client.stream("POST", path, json=body(stream=True)) as reply:
            if reply.status_code == 429:
                counts["busy"] += 1
                return
            async for line in reply.aiter_lines():
                if kind == "leaves" and random.random() < 0.2:
                    counts["left"] += 1
                    return
                if kind == "slow":
                    await asyncio.sleep(0.2)
                if line == "data: [DONE]":
                    done = True
                elif line.startswith("data: "):
                    for choice in json.loads(line[6:])["choices"]:
                        text += choice["delta"].get("content") or ""
        assert done and set(json.loads(text)) == {"name", "n"}
        counts[f"{kind} streamed"] += 1
    except Exception as error:  # noqa: BLE001
        counts[f"LOST {kind}: {type(error).__name__} {error}"[:160]] += 1


async def main() -> None:
    url, seconds, clients = sys.argv[1], float(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 64
    counts, times = Counter(), []
    end = time.monotonic() + seconds

    async def work(number: int) -> None:
        kinds = ["whole", "whole", "streams", "streams", "leaves", "slow", "hostile", "whole"]
        async with httpx.AsyncClient(base_url=url, timeout=120) as client:
            while time.monotonic() < end:
                await one(client, kinds[number % len(kinds)], counts, times)

    await asyncio.gather(*(work(number) for number in range(clients)))
    times.sort()
    print(json.dumps(dict(sorted(counts.items())), indent=1))
    if times:
        print("seconds of whole replies: p50 %.2f p99 %.2f" % (times[len(times) // 2], times[int(len(times) * 0.99)]))
    print(httpx.get(url + "/metrics").text)
    if any(name.startswith("LOST") for name in counts):
        sys.exit(1)


asyncio.run(main())
