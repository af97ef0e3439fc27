"""The parts ``tools`` and ``constraints`` of ``run_vllm.py``: requests for tool calls through vLLM's HTTP server, and the tags that it makes.

vLLM makes structural tags of tools for most of its parsers, ``hermes`` among them, so every kind of ``tool_choice`` is one; raw tags
in ``response_format`` are the client's own. Each call that comes back is checked against the schema of its tool by ``jsonschema``.
"""

from __future__ import annotations

import argparse
import concurrent.futures
import itertools
import json
import re
import time
from typing import Any

from run_vllm_server import Http, say, served


def tool(name: str, description: str, **properties: Any) -> dict[str, Any]:
    parameters = {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }
    function = {"name": name, "description": description, "strict": True, "parameters": parameters}
    return {"type": "function", "function": function}


TEXT = {"type": "string", "maxLength": 24}
TOOLS = [
    tool("set_light", "Sets a light.", room={"enum": ["kitchen", "hall"]}, level={"type": "integer", "minimum": 0, "maximum": 9}),
    tool("get_weather", "Tells the weather.", city=TEXT, days={"type": "integer", "minimum": 1, "maximum": 7}),
    tool("send_mail", "Sends a mail.", to={"type": "string", "pattern": "^[a-z]{1,8}@[a-z]{1,8}\\.com$"}, urgent={"type": "boolean"}),
    tool(
        "book_table",
        "Books a table.",
        guests={"type": "array", "items": TEXT, "minItems": 1, "maxItems": 3},
        place={"type": "object", "properties": {"name": TEXT}, "required": ["name"], "additionalProperties": False},
    ),
]
PROMPTS = {
    "set_light": "Set the light in the hall to 3.",
    "get_weather": "What is the weather in Rome for 2 days?",
    "send_mail": "Send an urgent mail to ann at work.com.",
    "book_table": "Book a table at Luigi for Ann and Bob.",
}
SCHEMAS = {one["function"]["name"]: one["function"]["parameters"] for one in TOOLS}
SYSTEM = (
    "You call tools. Answer with nothing but calls, each of the form\n"
    '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 1}}\n</tool_call>\nThe tools:\n'
    + "\n".join(json.dumps({"name": name, "parameters": schema}) for name, schema in SCHEMAS.items())
)
EXAMPLE = [
    {"role": "user", "content": "How will the weather be in Paris tomorrow?"},
    {
        "role": "assistant",
        "content": '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris", "days": 1}}\n</tool_call>',
    },
]
CALL = re.compile(r'<tool_call>\s*\{"name": "(\w+)", "arguments": (.*?)\}\s*</tool_call>', re.DOTALL)


def tags() -> list[dict[str, Any]]:
    """A tag for each tool."""
    return [
        {
            "begin": f'<tool_call>\n{{"name": "{name}", "arguments": ',
            "content": {"type": "json_schema", "json_schema": schema},
            "end": "}\n</tool_call>",
        }
        for name, schema in SCHEMAS.items()
    ]


def tag(**format: Any) -> dict[str, Any]:
    return {"response_format": {"type": "structural_tag", "format": format}}


KINDS: dict[str, dict[str, Any]] = {
    "named": {},
    "required": {"tool_choice": "required", "parallel_tool_calls": False},
    "parallel": {"tool_choice": "required"},
    "auto": {"tool_choice": "auto"},
    "tag, text and a call": tag(type="triggered_tags", triggers=["<tool_call>"], tags=tags(), at_least_one=True, stop_after_first=True),
    "tag, two calls": tag(
        type="repeat", min=2, max=2, content={"type": "or", "elements": [{"type": "tag", **one} for one in tags()]}
    ),
}
"""What is asked for, by kind; a raw tag comes without ``tools``."""


def asked(kind: str, name: str) -> dict[str, Any]:
    """The members of a request of a kind whose prompt is about a tool."""
    more = KINDS[kind]
    if kind == "named":
        more = {"tool_choice": {"type": "function", "function": {"name": name}}}
    return more if "response_format" in more else {"tools": TOOLS, **more}


def calls_of(message: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and arguments of the calls of an answer, those that are its text too."""
    made = [(one["function"]["name"], one["function"]["arguments"]) for one in message.get("tool_calls") or []]
    return made or CALL.findall(message.get("content") or "")


def one(http: Http, kind: str, number: int) -> dict[str, Any]:
    import jsonschema

    name = list(PROMPTS)[number % len(PROMPTS)]
    messages = [{"role": "system", "content": SYSTEM}, *EXAMPLE, {"role": "user", "content": PROMPTS[name]}]
    status, answer = http.chat("", 160, messages=messages, seed=number, **asked(kind, name))
    if status != 200:
        return {"kind": kind, "error": [status, str(answer)[:300]]}
    choice, bad = answer["choices"][0], []
    calls = calls_of(choice["message"])
    # What the bound on tokens cut off is no call.
    is_cut = choice["finish_reason"] == "length"
    for called, arguments in calls:
        try:
            jsonschema.validate(json.loads(arguments), SCHEMAS[called])
        except (ValueError, KeyError, jsonschema.ValidationError) as error:
            bad.append([called, arguments[:120], str(error)[:80]])
    if is_cut and bad and bad[-1][1] == calls[-1][1][:120]:
        bad.pop()
        calls.pop()
    return {
        "kind": kind,
        "calls": len(calls),
        "bad": bad,
        "cut": is_cut,
        "tokens": answer["usage"]["completion_tokens"],
        "named_rightly": kind != "named" or [called for called, _ in calls] == [name],
    }


def tools(model: str, arguments: argparse.Namespace) -> None:
    """Tool calls by every choice and by raw tags."""
    with served(model, "--enable-auto-tool-choice", "--tool-call-parser", "hermes") as http:
        # Imports the vocabulary.
        one(http, "required", 0)
        seconds: dict[str, float] = {}
        results: list[dict[str, Any]] = []
        for kind in KINDS:
            began = time.perf_counter()
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                results += pool.map(lambda number, kind=kind: one(http, kind, number), range(20))  # type: ignore[misc]
            seconds[kind] = time.perf_counter() - began
        wrong = {
            "unknown type": tag(type="tgs"),
            "no trigger": tag(type="triggered_tags", triggers=["<x>"], tags=tags()),
            "trigger in a trigger": tag(type="triggered_tags", triggers=["<tool", "<tool_call>"], tags=tags()),
            "unknown token": tag(type="token", token="<no such token>"),
            "unknown type beside tools": {"tools": TOOLS, "tool_choice": "auto", **tag(type="tgs")},
            "bad schema": tag(type="json_schema", json_schema={"$ref": "#/nope"}),
        }
        refused = {}
        for name, more in wrong.items():
            status, answer = http.chat("Try.", 20, **more)
            refused[name] = [status, str(answer.get("error", answer))[:240]]
        rows = {}
        for kind in KINDS:
            of_kind = [result for result in results if result["kind"] == kind]
            answered = [result for result in of_kind if "error" not in result]
            tokens = sum(result["tokens"] for result in answered)
            rows[kind] = {
                "requests": len(of_kind),
                "errors": [result["error"] for result in of_kind if "error" in result][:2],
                "without a call": sum(result["calls"] == 0 for result in answered),
                "calls": sum(result["calls"] for result in answered),
                "valid": sum(result["calls"] - len(result["bad"]) for result in answered),
                "bad": [bad for result in answered for bad in result["bad"]][:2],
                "cut by the bound on tokens": sum(result["cut"] for result in answered),
                "of another tool": sum(not result["named_rightly"] for result in answered),
                "tokens": tokens,
                "tokens a second": round(tokens / seconds[kind], 1),
            }
        say(
            "tools",
            backend=arguments.backend,
            kinds=rows,
            calls=sum(row["calls"] for row in rows.values()),
            valid=sum(row["valid"] for row in rows.values()),
            refused=refused,
            stats=http.counters(),
        )


def constraints(model: str, arguments: argparse.Namespace) -> None:
    """The structural tags that vLLM makes of tools for each of its models and each choice, compiled by grammarc. Needs no engine."""
    from transformers import AutoTokenizer
    from vllm.entrypoints.openai.chat_completion.protocol import (
        ChatCompletionNamedToolChoiceParam,
        ChatCompletionToolsParam,
    )
    from vllm.parser import harmony  # noqa: F401, which enters its own
    from vllm.tool_parsers import structural_tag_registry as registry
    from vllm.tool_parsers.tool_strict_level import ToolStrictLevel

    from grammarc.hosts._serving import OnlyXgrammar, Server

    tokenizer = AutoTokenizer.from_pretrained(model)
    server = Server(tokenizer, len(tokenizer))
    made = [ChatCompletionToolsParam.model_validate(one) for one in TOOLS]
    named = {"type": "function", "function": {"name": "send_mail"}}
    choices = ["auto", "required", ChatCompletionNamedToolChoiceParam.model_validate(named)]
    models = registry.SUPPORTED_STRUCTURAL_TAG_MODELS | set(registry._VLLM_STRUCTURAL_TAG_REGISTRY)
    count, times, bad = 0, [], []
    for name, choice, reasoning, single, level in itertools.product(
        sorted(models), choices, (False, True), (False, True), (ToolStrictLevel.FUNCTION, ToolStrictLevel.PARAMETER)
    ):
        tag = registry.get_model_structural_tag(name, made, choice, reasoning=reasoning, strict_level=level)
        if single:
            tag = registry.limit_to_single_tool_call(tag)
        count += 1
        began = time.perf_counter()
        try:
            server.compile("structural_tag", json.dumps(tag.model_dump()))
        except (OnlyXgrammar, ValueError) as error:
            bad.append([name, str(error)[:200]])
        times.append(1e3 * (time.perf_counter() - began))
    times.sort()
    say(
        "constraints",
        models=len(models),
        tags=count,
        compiled=count - len(bad),
        bad=bad[:5],
        stats=server.stats(),
        # The first imports the vocabulary.
        ms={"p50": round(times[count // 2], 2), "p90": round(times[count * 9 // 10], 2), "max but one": round(times[-2], 1)},
    )
