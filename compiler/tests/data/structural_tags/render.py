"""Writes transcripts.json: what chat templates of models make of tool calls.

The templates are those of the sdist of llama-cpp-python 0.3.36 on PyPI (vendor/llama.cpp/models/templates), unpacked to a
folder; Cohere's is in cohere-melody on PyPI. No template is kept, only what they write. What the prompt has is cut off the transcript, and the token that ends a turn.

    pip download --no-deps --no-binary :all: llama-cpp-python==0.3.36    # or by hand
    pip install jinja2 cohere-melody
    python render.py FOLDER_OF_TEMPLATES > transcripts.json
"""

import datetime
import json
import os
import sys

import jinja2
import jinja2.ext
import jinja2.sandbox

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "get_weather",
            "description": "The weather of the next days.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string"},
                    "days": {"type": "integer"},
                    "unit": {"enum": ["C", "F"]},
                },
                "required": ["city", "days"],
                "additionalProperties": False,
            },
        },
    },
    {
        "type": "function",
        "function": {
            "name": "plan_route",
            "description": "A route.",
            "parameters": {
                "type": "object",
                "properties": {
                    "to": {
                        "type": "object",
                        "properties": {"name": {"type": "string"}, "lat": {"type": "number"}},
                        "required": ["name"],
                    },
                    "stops": {"type": "array", "items": {"type": "string"}},
                    "note": {"type": "string", "maxLength": 60},
                    "fast": {"type": "boolean"},
                },
                "required": ["to", "stops"],
                "additionalProperties": False,
            },
        },
    },
]
WEATHER = ("get_weather", {"city": "São Paulo", "days": 3, "unit": "C"})
ROUTE = (
    "plan_route",
    {
        "to": {"name": 'The "Old" Inn', "lat": 48.5},
        "stops": ["a<b", "c & d"],
        "note": "two lines\nof 日本語 <b>",
        "fast": True,
    },
)
# Scenarios: name, text before the calls, calls.
SCENARIOS = [
    ("one call", "", [WEATHER]),
    ("nested arguments", "", [ROUTE]),
    ("two calls", "", [WEATHER, ROUTE]),
    ("text and a call", "Let me look.", [WEATHER]),
    ("text", "It is sunny.", []),
]
USER = {"role": "user", "content": "What is the weather?"}
REASONING = "The user asks for the weather.\nI look it up."

# Each template: its style and name; what it is given; what ends a turn; `left_out`, scenarios that it refuses or writes
# without what they are about; `string`, whether arguments are given as a string; `reasoning`, how that begins and what the
# template is given for it, `always` where there is some in each turn; `behind`, the text of the transcript's turn that the prompt ends with, where the turn has not
# the whole prompt.
TEMPLATES = [
    {"style": "llama", "name": "meta-llama-Llama-3.1-8B-Instruct", "ends": ["<|eot_id|>"], "left_out": ["two calls", "text and a call"]},
    {"style": "llama", "name": "meta-llama-Llama-3.2-3B-Instruct", "ends": ["<|eot_id|>"], "left_out": ["two calls", "text and a call"]},
    {"style": "llama", "name": "meta-llama-Llama-3.3-70B-Instruct", "ends": ["<|eot_id|>"], "left_out": ["two calls", "text and a call"]},
    {"style": "qwen_3", "name": "Qwen-Qwen2.5-7B-Instruct", "ends": ["<|im_end|>\n"]},
    {"style": "qwen_3", "name": "Qwen-Qwen3-0.6B", "ends": ["<|im_end|>\n"], "given": {"enable_thinking": False}, "reasoning": ("written", {"enable_thinking": True})},
    {"style": "hermes", "name": "NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use", "ends": ["<|im_end|>\n", "<|im_end|>"], "left_out": ["text and a call"]},
    {"style": "hermes", "name": "NousResearch-Hermes-3-Llama-3.1-8B-tool_use", "ends": ["<|im_end|>\n", "<|im_end|>"], "left_out": ["text and a call"]},
    {"style": "qwen_3_coder", "name": "Qwen3-Coder", "ends": ["<|im_end|>\n"]},
    {"style": "qwen_3_5", "name": "Qwen3.5-4B", "ends": ["<|im_end|>\n"], "given": {"enable_thinking": False}, "reasoning": ("prefilled", {"enable_thinking": True})},
    {"style": "mistral_v3", "name": "mistralai-Mistral-Nemo-Instruct-2407", "ends": ["</s>"], "left_out": ["text and a call"]},
    {"style": "mistral_v11", "name": "Mistral-Small-3.2-24B-Instruct-2506", "ends": ["</s>"], "left_out": ["text and a call"]},
    {"style": "mistral_v13", "name": "unsloth-mistral-Devstral-Small-2507", "ends": ["</s>"]},
    {"style": "mistral_v13", "name": "mistralai-Ministral-3-14B-Reasoning-2512", "ends": ["</s>"]},
    {"style": "deepseek_r1", "name": "llama-cpp-deepseek-r1", "ends": ["<｜end▁of▁sentence｜>"], "behind": "<｜Assistant｜>", "left_out": ["text and a call"]},
    {"style": "deepseek_v3_1", "name": "deepseek-ai-DeepSeek-V3.1", "ends": ["<｜end▁of▁sentence｜>"], "given": {"thinking": False}},
    {"style": "deepseek_v3_2", "name": "deepseek-ai-DeepSeek-V3.2", "ends": ["<｜end▁of▁sentence｜>"], "given": {"thinking": False}, "behind": "</think>"},
    {"style": "deepseek_v4", "name": "deepseek-ai-DeepSeek-V4", "ends": ["<｜end▁of▁sentence｜>"], "given": {"thinking": False}, "reasoning": ("prefilled", {"thinking": True})},
    {"style": "harmony", "name": "openai-gpt-oss-120b", "ends": [], "left_out": ["two calls", "text and a call"], "reasoning": ("written", {})},
    {"style": "kimi", "name": "moonshotai-Kimi-K2", "ends": ["<|im_end|>"], "ids": "functions.{}:{}"},
    {"style": "kimi", "name": "Kimi-K2-Instruct", "ends": ["<|im_end|>"], "ids": "functions.{}:{}"},
    {"style": "kimi", "name": "Kimi-K2-Thinking", "ends": ["<|im_end|>"], "ids": "functions.{}:{}", "always": "written", "reasoning": ("written", {})},
    {"style": "kimi_k3", "name": "Kimi-K3", "ends": ["<|end_of_msg|>"], "given": {"thinking": False}, "reasoning": ("prefilled", {"thinking": True})},
    {"style": "glm_4_5", "name": "GLM-4.6", "ends": [], "given": {"enable_thinking": False}, "reasoning": ("written", {"enable_thinking": True})},
    {"style": "glm_4_7", "name": "GLM-4.7-Flash", "ends": [], "given": {"enable_thinking": False}, "reasoning": ("prefilled", {"enable_thinking": True})},
    {"style": "minimax", "name": "MiniMax-M2", "ends": ["[e~[\n", "[e~["], "left_out": [name for name, _, _ in SCENARIOS], "reasoning": ("prefilled", {})},
]


class Generation(jinja2.ext.Extension):
    """The tag `generation` of transformers, which marks and writes nothing."""

    tags = {"generation"}

    def parse(self, parser):
        line = next(parser.stream).lineno
        body = parser.parse_statements(["name:endgeneration"], drop_needle=True)
        return jinja2.nodes.Scope(body, lineno=line)


def environment():
    env = jinja2.sandbox.SandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[Generation, jinja2.ext.loopcontrols]
    )

    def tojson(value, ensure_ascii=False, indent=None, separators=None, sort_keys=False):
        return json.dumps(
            value, ensure_ascii=ensure_ascii, indent=indent, separators=separators, sort_keys=sort_keys, default=list
        )

    def raise_exception(message):
        raise jinja2.exceptions.TemplateError(message)

    env.filters["tojson"] = tojson
    env.globals["raise_exception"] = raise_exception
    env.globals["strftime_now"] = lambda form: datetime.datetime(2026, 1, 2).strftime(form)
    return env


def message(text, calls, reasoning, as_text, ids):
    built = {"role": "assistant", "content": text}
    if reasoning is not None:
        built["reasoning_content"] = reasoning
        built["thinking"] = reasoning
    if calls:
        built["tool_calls"] = [
            {
                "id": ids.format(name, at),
                "type": "function",
                "function": {
                    "name": name,
                    "arguments": json.dumps(arguments, ensure_ascii=False) if as_text else arguments,
                },
            }
            for at, (name, arguments) in enumerate(calls)
        ]
    return built


def rendered(template, messages, add, given):
    given = {"bos_token": "<s>", "eos_token": "</s>", **given}
    return template.render(messages=messages, tools=TOOLS, add_generation_prompt=add, **given)


def written(template, answer, given, facts):
    prompt = rendered(template, [USER], True, given)
    full = rendered(template, [USER, answer], False, given)
    if full.startswith(prompt):
        text = full[len(prompt) :]
    else:
        behind = facts.get("behind") or os.path.commonprefix([prompt, full])
        text = full[full.rindex(behind) + len(behind) :]
    for end in facts["ends"]:
        if text.endswith(end):
            return text[: -len(end)]
    return text


def templates(folder):
    env = environment()
    for facts in TEMPLATES:
        with open(os.path.join(folder, facts["name"] + ".jinja"), encoding="utf-8") as file:
            template = env.from_string(file.read())
        as_text, ids = facts.get("string", False), facts.get("ids", "abcdefgh{1}")
        given = facts.get("given", {})
        for scenario, text, calls in SCENARIOS:
            if scenario in facts.get("left_out", []):
                continue
            answer = message(text, calls, None, as_text, ids)
            yield transcript(facts, scenario, facts.get("always"), written(template, answer, given, facts))
        if "reasoning" not in facts:
            continue
        begins, given = facts["reasoning"]
        for scenario, text, calls in SCENARIOS[:1] + SCENARIOS[2:3] + SCENARIOS[4:]:
            if scenario == "two calls" and "two calls" in facts.get("left_out", []) and facts["style"] == "harmony":
                continue
            answer = message(text, calls, REASONING, as_text, ids)
            yield transcript(facts, scenario, begins, written(template, answer, given, facts))


def cohere():
    """What Cohere's renderer writes."""
    from cohere_melody import render_cmd5

    def block(kind, text):
        return {"type": kind, "thinking" if kind == "thinking" else "text": text}

    turn = "<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>"
    for reasoning in (None, REASONING):
        for scenario, text, calls in SCENARIOS:
            content = [block("thinking", reasoning)] if reasoning else []
            content += [block("text", text)] if text else []
            calls = [
                {"id": str(at), "name": name, "parameters": json.dumps(arguments, ensure_ascii=False)}
                for at, (name, arguments) in enumerate(calls)
            ]
            written = render_cmd5(
                {
                    "messages": [
                        {"role": "user", "content": [block("text", USER["content"])]},
                        {"role": "chatbot", "content": content, "tool_calls": calls},
                    ],
                    "available_tools": [
                        {key: tool["function"][key] for key in ("name", "description", "parameters")}
                        for tool in TOOLS
                    ],
                    "grounding": "disabled",
                    "reasoning_type": "enabled" if reasoning else "disabled",
                    "additional_template_fields": {"skip_thinking": not reasoning},
                }
            )
            text = written.rsplit(turn, 2)[1].removesuffix("<|END_OF_TURN_TOKEN|>")
            facts = {"style": "cohere", "name": "cohere-melody, cmd5"}
            yield transcript(facts, scenario, "written" if reasoning else None, text)


def transcript(facts, scenario, reasoning, text):
    tag = {"type": "tools", "style": facts["style"], "tools": "tools"}
    if reasoning:
        tag["reasoning"] = {"open": reasoning}
    return {"template": facts["name"], "scenario": scenario, "tag": tag, "text": text}


def main():
    cases = [*templates(sys.argv[1]), *cohere()]
    source = "what chat templates write, by render.py, which says where they come from; `tools` denotes these tools"
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    tools = json.dumps(TOOLS, ensure_ascii=False)
    print(f'{{\n"source": {json.dumps(source)},\n"tools": {tools},\n"cases": [\n{lines}\n]\n}}')


if __name__ == "__main__":
    main()
