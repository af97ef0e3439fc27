"""Calls as text: what the chat template of each style writes, made without grammarc's tables.

A `Form` has the text around calls, and a function that writes a call. JSON is written as `json.dumps` writes it. The forms
are checked against `compiler/tests/data/structural_tags/transcripts.json`, which chat templates wrote:

    python benches/calls/render.py
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from data import Call

ROOT = Path(__file__).resolve().parents[2]
TRANSCRIPTS = ROOT / "compiler/tests/data/structural_tags/transcripts.json"


@dataclass(frozen=True)
class Form:
    """How a style writes the calls of an output."""

    call: Callable[[str, dict[str, Any], int], str]
    """Writes a call: the tool's name, the arguments, and the call's number from 0."""
    markers: tuple[str, ...]
    """The texts that models of the style have as control tokens."""
    between: str = ""
    section: tuple[str, str] = ("", "")
    """The text around all calls."""
    behind_text: str | None = ""
    """The text between prose and the section. `None`: a call follows no prose."""


def dumped(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def raw(value: Any) -> str:
    """A value in tags: a string as it is, and JSON for others."""
    return value if isinstance(value, str) else dumped(value)


def python_raw(value: Any) -> str:
    """A value as Jinja's filter `string` writes it: as `raw`, but booleans are Python's."""
    return str(value) if isinstance(value, bool) else raw(value)


def json_call(begin: str, end: str) -> Callable[[str, dict[str, Any], int], str]:
    """A call whose arguments are JSON. `begin` contains `{name}` or `{number}`."""

    def write(name: str, arguments: dict[str, Any], number: int) -> str:
        return begin.replace("{name}", name).replace("{number}", str(number)) + dumped(arguments) + end

    return write


def tag_call(begin: str, member: str, end: str, text: Callable[[Any], str] = raw) -> Callable[[str, dict[str, Any], int], str]:
    """A call whose arguments are tags. `member` contains `{key}` and `{value}`."""

    def write(name: str, arguments: dict[str, Any], number: int) -> str:
        key, value = member.split("{key}")[0], member.split("{key}")[1].split("{value}")
        tags = (key + argument + value[0] + text(one) + value[1] for argument, one in arguments.items())
        return begin.replace("{name}", name) + "".join(tags) + end

    return write


def deepseek_v3_2(name: str, arguments: dict[str, Any], number: int) -> str:
    def member(key: str, value: Any) -> str:
        is_string = str(isinstance(value, str)).lower()
        return f'<｜DSML｜parameter name="{key}" string="{is_string}">{raw(value)}</｜DSML｜parameter>\n'

    return f'<｜DSML｜invoke name="{name}">\n' + "".join(member(*one) for one in arguments.items()) + "</｜DSML｜invoke>\n"


def gemma_value(value: Any) -> str:
    if isinstance(value, str):
        return f'<|"|>{value}<|"|>'
    if isinstance(value, list):
        return f"[{','.join(map(gemma_value, value))}]"
    if isinstance(value, dict):
        by_name = sorted(value.items(), key=lambda item: item[0].lower())
        return "{" + ",".join(f"{key}:{gemma_value(one)}" for key, one in by_name) + "}"
    return dumped(value)


def gemma_4(name: str, arguments: dict[str, Any], number: int) -> str:
    return f"<|tool_call>call:{name}{gemma_value(arguments)}<tool_call|>"


DEEPSEEK = ("<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>")
KIMI = tuple(f"<|tool_{part}|>" for part in ("calls_section_begin", "calls_section_end", "call_begin", "call_argument_begin", "call_end"))
GLM = ("<tool_call>", "</tool_call>", "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>")

FORMS = {
    # The template writes one call alone. SGLang and vLLM read several with semicolons between.
    "llama": Form(json_call('{"name": "{name}", "parameters": ', "}"), ("<|python_tag|>",), between="; ", behind_text=None),
    "qwen_3": Form(
        json_call('<tool_call>\n{"name": "{name}", "arguments": ', "}\n</tool_call>"),
        ("<tool_call>", "</tool_call>"),
        between="\n",
        behind_text="\n",
    ),
    "qwen_3_coder": Form(
        tag_call(
            "<tool_call>\n<function={name}>\n",
            "<parameter={key}>\n{value}\n</parameter>\n",
            "</function>\n</tool_call>",
            python_raw,
        ),
        ("<tool_call>", "</tool_call>"),
        between="\n",
        behind_text="\n\n",
    ),
    "glm_4_5": Form(
        tag_call("<tool_call>{name}\n", "<arg_key>{key}</arg_key>\n<arg_value>{value}</arg_value>\n", "</tool_call>"),
        GLM,
        between="\n",
        behind_text="\n",
    ),
    "glm_4_7": Form(tag_call("<tool_call>{name}", "<arg_key>{key}</arg_key><arg_value>{value}</arg_value>", "</tool_call>"), GLM),
    "mistral_v13": Form(json_call("[TOOL_CALLS]{name}[ARGS]", ""), ("[TOOL_CALLS]", "[ARGS]")),
    "deepseek_r1": Form(
        json_call("<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n", "\n```<｜tool▁call▁end｜>"),
        DEEPSEEK,
        between="\n",
        section=(DEEPSEEK[0], DEEPSEEK[1]),
    ),
    "deepseek_v3_1": Form(json_call("<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>", "<｜tool▁call▁end｜>"), DEEPSEEK, section=(DEEPSEEK[0], DEEPSEEK[1])),
    "deepseek_v3_2": Form(
        deepseek_v3_2, ("｜DSML｜",), section=("<｜DSML｜function_calls>\n", "</｜DSML｜function_calls>"), behind_text="\n\n"
    ),
    "kimi": Form(
        json_call("<|tool_call_begin|>functions.{name}:{number}<|tool_call_argument_begin|>", "<|tool_call_end|>"),
        KIMI,
        section=(KIMI[0], KIMI[1]),
    ),
    "minimax": Form(
        tag_call('<invoke name="{name}">\n', '<parameter name="{key}">{value}</parameter>\n', "</invoke>\n"),
        ("<minimax:tool_call>", "</minimax:tool_call>"),
        section=("<minimax:tool_call>\n", "</minimax:tool_call>"),
        behind_text="\n",
    ),
    "gemma_4": Form(gemma_4, ("<|tool_call>", "<tool_call|>", '<|"|>')),
}
"""Forms by the style's name."""


def output(style: str, calls: list[Call], text: str = "") -> str:
    """The text of an output: prose, and calls after it."""
    form = FORMS[style]
    written = form.between.join(form.call(call.name, call.arguments, number) for number, call in enumerate(calls))
    lead = text + (form.behind_text or "") if text else ""
    return lead + form.section[0] + written + form.section[1]


def scenario(case: dict[str, Any]) -> tuple[list[Call], str] | None:
    """The calls and the prose of a transcript, by the name of its scenario. `None` without calls."""
    weather = Call("get_weather", {"city": "São Paulo", "days": 3, "unit": "C"})
    to = {"name": 'The "Old" Inn', "lat": 48.5}
    route = Call("plan_route", {"to": to, "stops": ["a<b", "c & d"], "note": "two lines\nof 日本語 <b>", "fast": True})
    by_name: dict[str, tuple[list[Call], str]] = {
        "no arguments": ([Call("ping", {})], ""),
        "one argument": ([Call("find_place", {"name": "Bahnhof Köln"})], ""),
        "one call": ([weather], ""),
        "nested arguments": ([route], ""),
        "two calls": ([weather, route], ""),
        "text and a call": ([weather], "Let me look."),
    }
    return by_name.get(case["scenario"])


def check() -> int:
    """Compares the forms with the transcripts of chat templates. Returns how many agree. Reasoning and line ends before an
    output are not compared: the forms have neither."""
    cases = json.loads(TRANSCRIPTS.read_text(encoding="utf-8"))["cases"]
    held: dict[str, set[str]] = {}
    for case in cases:
        style, given = case["tag"]["style"], scenario(case)
        if style in FORMS and given is not None:
            written = output(style, *given)
            behind = case["text"].rpartition("</think>")[2].rpartition("<channel|>")[2].rpartition("[/THINK]")[2]
            if written != behind.lstrip("\n"):
                raise SystemExit(f"{style}, {case['template']}, {case['scenario']}:\n{case['text']!r}\n{written!r}")
            held.setdefault(style, set()).add(case["scenario"])
    unheld = [style for style in FORMS if len(held.get(style, set())) < 2]
    if unheld:
        raise SystemExit(f"no transcripts of {', '.join(unheld)}")
    return sum(map(len, held.values()))


if __name__ == "__main__":
    print(f"{check()} scenarios of {len(FORMS)} styles are as chat templates write them")
