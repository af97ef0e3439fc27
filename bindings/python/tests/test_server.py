"""The client against `grammarc serve`'s own server, whose model writes what stands between ⟦ and ⟧ in the prompt.

package.rs starts it, with the prompts of the samples.
"""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

URL = os.environ.get("GRAMMARC_SERVER", "")

pytest.importorskip("httpx", reason="httpx is not installed: the client is not tested")
pytestmark = pytest.mark.skipif(not URL, reason="no server: `cargo test` starts one")

from grammarc.client import AsyncClient, Client, ServerError  # noqa: E402
from grammarc.prompts import Prompt, PromptManager, group_by_type  # noqa: E402

SAMPLES = Path(os.environ["GRAMMARC_ROOT"]) / "generate" / "agents" / "samples" / "extraction.json"

DNA = {"type": "definition", "entity": "DNA", "definition": "Carries instructions"}
RNA = {"type": "relationship", "subject": "RNA", "predicate": "is_like", "object": "DNA", "object-entity": True}
GREEDY: dict[str, Any] = {"temperature": 0, "max_tokens": 500}


def written(items: list[Any], before: str = "") -> dict[str, str]:
    """Terms with a text that has the model write lines."""
    return {"text": f"{before}⟦" + "".join(json.dumps(item) + "\n" for item in items) + "⟧"}


@pytest.fixture
def client() -> Iterator[Client]:
    with Client(URL, timeout=60) as client:
        yield client


def test_prompts_of_the_server(client: Client) -> None:
    items = client.prompt("agent-kg-extract", written([DNA, RNA]), **GREEDY)
    assert items == [DNA, RNA] and not items.skipped and not items.truncated
    assert group_by_type(items) == {"definition": [DNA], "relationship": [RNA]}
    facts = {"title": "DNA", "summary": "It carries.", "facts": ["one"]}
    value = client.prompt("summarize-facts", {"text": f"⟦{json.dumps(facts, separators=(',', ':'))}⟧"}, **GREEDY)
    assert value == facts
    with pytest.raises(ServerError, match="no prompt `gone`") as refused:
        client.prompt("gone")
    assert refused.value.status == 404


def test_items_come_one_by_one(client: Client) -> None:
    stream = client.stream_prompt("agent-kg-extract", written([DNA, RNA]), **GREEDY)
    assert list(stream) == [DNA, RNA] and not stream.truncated and stream.finish_reason == "stop"
    cut = client.stream_prompt("agent-kg-extract", written([DNA, RNA]), **GREEDY | {"max_tokens": 100})
    assert list(cut) == [DNA] and cut.truncated and len(cut.skipped) == 1 and cut.finish_reason == "length"

    async def ask() -> list[Any]:
        async with AsyncClient(URL, timeout=60) as client:
            stream = client.stream_prompt("agent-kg-extract", written([DNA, RNA]), **GREEDY)
            items = [item async for item in stream]
            return [items, await client.prompt("agent-kg-extract", written([RNA]), **GREEDY)]

    assert asyncio.run(ask()) == [[DNA, RNA], [RNA]]
    with pytest.raises(ServerError, match="no prompt"):
        list(client.stream_prompt("gone"))


def test_prompts_of_the_client_ask_under_their_grammars(client: Client) -> None:
    """Each kind, through chat completions of the server."""
    prompts = PromptManager.from_file(SAMPLES)
    assert prompts.invoke(client, "agent-kg-extract", written([DNA, RNA]), **GREEDY) == [DNA, RNA]
    # The model would write the type last, and is led to write it first.
    unlike = {name: DNA[name] for name in ("entity", "definition", "type")}
    (first, *_) = prompts.invoke(client, "agent-kg-extract", written([unlike]), **GREEDY)
    assert next(iter(first)) == "type"
    cut = prompts.invoke(client, "agent-kg-extract", written([DNA, RNA]), **GREEDY | {"max_tokens": 100})
    assert cut == [DNA] and cut.truncated and len(cut.skipped) == 1
    prompts.add("lines", Prompt("{{ text }}", "jsonl"))
    prompts.add("any", Prompt("{{ text }}", "json"))
    prompts.add("typed", Prompt("{{ text }}", "json", schema={"type": "array", "items": {"type": "integer"}}))
    prompts.add("text", Prompt("{{ text }}"))
    assert prompts.invoke(client, "lines", written([{"a": 1}, [12], "x"]), **GREEDY) == [{"a": 1}, [12], "x"]

    async def ask() -> list[Any]:
        async with AsyncClient(URL, timeout=60) as client:
            asked = {"lines": '{"a": 1}\n7\n', "any": '{"a":1}', "typed": "[1,2]", "text": "hello"}
            return [await prompts.invoke_async(client, id, {"text": f"⟦{wish}⟧"}, **GREEDY) for id, wish in asked.items()]

    assert asyncio.run(ask()) == [[{"a": 1}, 7], {"a": 1}, [1, 2], "hello"]
