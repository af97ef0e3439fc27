"""How models of several families write calls, as their chat templates do: the renderers of ``run_calls.py``."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Calls = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True)
class Style:
    render: Callable[[Calls], str]
    parsers: dict[str, str]
    """Names of the hosts' own parsers, by host."""
    markers: list[str] = field(default_factory=list)
    """Texts that are one token in the family's vocabulary."""
    is_parallel: bool = True
    has_text: bool = True
    """Whether the model may write text before calls."""
    value: Callable[[Any], Any] = lambda value: value
    """What a value has to be, so that the family can write it."""


def dumps(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def each(form: str, separator: str = "", begin: str = "", end: str = "") -> Callable[[Calls], str]:
    """Calls whose arguments are JSON. ``NAME`` and ``ARGUMENTS`` in the form are replaced."""

    def render(calls: Calls) -> str:
        written = [form.replace("NAME", name).replace("ARGUMENTS", dumps(arguments)) for name, arguments in calls]
        return begin + separator.join(written) + end

    return render


def plain(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def tagged(call: str, member: str, separator: str = "", begin: str = "", end: str = "") -> Callable[[Calls], str]:
    """Calls whose members are tags. ``NAME``, ``MEMBERS``, ``KEY`` and ``VALUE`` in the forms are replaced."""

    def render(calls: Calls) -> str:
        written = []
        for name, arguments in calls:
            members = "".join(member.replace("KEY", key).replace("VALUE", plain(value)) for key, value in arguments.items())
            written.append(call.replace("NAME", name).replace("MEMBERS", members))
        return begin + separator.join(written) + end

    return render


def gemma(calls: Calls) -> str:
    def value(one: Any) -> str:
        if isinstance(one, str):
            return f'<|"|>{one}<|"|>'
        if isinstance(one, list):
            return "[" + ",".join(map(value, one)) + "]"
        return members(one) if isinstance(one, dict) else dumps(one)

    def members(one: dict[str, Any]) -> str:
        return "{" + ",".join(f"{key}:{value(one[key])}" for key in sorted(one, key=str.lower)) + "}"

    return "".join(f"<|tool_call>call:{name}{members(arguments)}<tool_call|>" for name, arguments in calls)


def deepseek_xml(calls: Calls) -> str:
    written = []
    for name, arguments in calls:
        members = "".join(
            f'<｜DSML｜parameter name="{key}" string="{dumps(isinstance(value, str))}">{plain(value)}</｜DSML｜parameter>\n'
            for key, value in arguments.items()
        )
        written.append(f'<｜DSML｜invoke name="{name}">\n{members}</｜DSML｜invoke>\n')
    return f"<｜DSML｜function_calls>\n{''.join(written)}</｜DSML｜function_calls>"


TOOL_CALL = ["<tool_call>", "</tool_call>"]
DEEPSEEK = ["<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>", "<｜tool▁sep｜>"]
KIMI = ["<|tool_calls_section_begin|>", "<|tool_calls_section_end|>", "<|tool_call_begin|>", "<|tool_call_end|>", "<|tool_call_argument_begin|>"]


def kimi(calls: Calls) -> str:
    written = (
        f"<|tool_call_begin|>functions.{name}:{at}<|tool_call_argument_begin|>{dumps(arguments)}<|tool_call_end|>"
        for at, (name, arguments) in enumerate(calls)
    )
    return f"<|tool_calls_section_begin|>{''.join(written)}<|tool_calls_section_end|>"


STYLES = {
    "qwen_3": Style(
        each('<tool_call>\n{"name": "NAME", "arguments": ARGUMENTS}\n</tool_call>', "\n"),
        {"sglang": "qwen", "vllm": "hermes"},
        TOOL_CALL,
    ),
    "llama": Style(
        each('{"name": "NAME", "parameters": ARGUMENTS}'),
        {"sglang": "llama3", "vllm": "llama3_json"},
        ["<|python_tag|>"],
        is_parallel=False,
        has_text=False,
    ),
    "qwen_3_coder": Style(
        tagged("<tool_call>\n<function=NAME>\nMEMBERS</function>\n</tool_call>", "<parameter=KEY>\nVALUE\n</parameter>\n", "\n"),
        {"sglang": "qwen3_coder", "vllm": "qwen3_coder"},
        TOOL_CALL,
    ),
    "glm_4_7": Style(
        tagged("<tool_call>NAMEMEMBERS</tool_call>", "<arg_key>KEY</arg_key><arg_value>VALUE</arg_value>"),
        {"sglang": "glm47", "vllm": "glm47"},
        [*TOOL_CALL, "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"],
    ),
    "gemma_4": Style(
        gemma, {"sglang": "gemma4", "vllm": "gemma4"}, ["<|tool_call>", "<tool_call|>", '<|"|>', "<|channel>", "<channel|>"]
    ),
    "mimo": Style(
        tagged("<tool_call><function=NAME>MEMBERS</function></tool_call>", "<parameter=KEY>VALUE</parameter>"),
        {"sglang": "mimo", "vllm": "mimo"},
        TOOL_CALL,
    ),
    "minimax": Style(
        tagged('<invoke name="NAME">\nMEMBERS</invoke>\n', '<parameter name="KEY">VALUE</parameter>\n', "", "<minimax:tool_call>\n", "</minimax:tool_call>"),
        {"sglang": "minimax-m2", "vllm": "minimax_m2"},
        ["<minimax:tool_call>", "</minimax:tool_call>"],
    ),
    "deepseek_v3_1": Style(
        each("<｜tool▁call▁begin｜>NAME<｜tool▁sep｜>ARGUMENTS<｜tool▁call▁end｜>", "", DEEPSEEK[0], DEEPSEEK[1]),
        {"sglang": "deepseekv31", "vllm": "deepseek_v31"},
        DEEPSEEK,
    ),
    "deepseek_v3_2": Style(deepseek_xml, {"sglang": "deepseekv32", "vllm": "deepseek_v32"}, ["｜DSML｜"]),
    "kimi": Style(kimi, {"sglang": "kimi_k2", "vllm": "kimi_k2"}, KIMI),
    "mistral_v13": Style(each("[TOOL_CALLS]NAME[ARGS]ARGUMENTS"), {"sglang": "mistral"}, ["[TOOL_CALLS]", "[ARGS]"]),
    "phi_4_mini": Style(
        each('{"name": "NAME", "arguments": ARGUMENTS}', ", ", "functools[", "]"), {"vllm": "phi4_mini_json"}, []
    ),
}
