"""Writes transcripts.json: what chat templates of models make of tool calls.

`templates.json` lists the templates with their styles, and names the versions of the packages that have them. No template
is kept, only what it writes. The transcript has neither the prompt nor the token that ends a turn.

    pip download --no-deps --no-binary llama-cpp-python llama-cpp-python==0.3.36
    tar xzf llama_cpp_python-0.3.36.tar.gz --wildcards '*/vendor/llama.cpp/models/templates/*'
    # vllm-0.33.0.tar.gz of PyPI has the templates `examples/tool_chat_template_*.jinja`, which go into the same folder.
    pip install jinja2 cohere-melody==0.15.3
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
TOOLS += [
    {
        "type": "function",
        "function": {
            "name": "ping",
            "description": "Answers.",
            "parameters": {"type": "object", "properties": {}, "additionalProperties": False},
        },
    },
    {
        "type": "function",
        "function": {
            "name": "find_place",
            "description": "Finds a place.",
            "parameters": {
                "type": "object",
                "properties": {"name": {"type": "string"}},
                "required": ["name"],
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
    ("no arguments", "", [("ping", {})]),
    ("one argument", "", [("find_place", {"name": "Bahnhof Köln"})]),
    ("one call", "", [WEATHER]),
    ("nested arguments", "", [ROUTE]),
    ("two calls", "", [WEATHER, ROUTE]),
    ("text and a call", "Let me look.", [WEATHER]),
    ("text", "It is sunny.", []),
]
USER = {"role": "user", "content": "What is the weather?"}
REASONING = "The user asks for the weather.\nI look it up."

# Scenarios that are also rendered with reasoning.
WITH_REASONING = ["no arguments", "one argument", "one call", "two calls", "text"]


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


def message(text, calls, reasoning, ids):
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
                    "arguments": arguments,
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
    """The transcripts of all templates of templates.json."""
    with open(os.path.join(os.path.dirname(__file__), "templates.json"), encoding="utf-8") as file:
        rows = json.load(file)["templates"]
    env = environment()
    for facts in rows:
        with open(os.path.join(folder, facts["name"] + ".jinja"), encoding="utf-8") as file:
            template = env.from_string(file.read())
        ids, left_out = facts.get("ids", "abcdefgh{1}"), facts.get("left_out", [])
        for scenario, text, calls in SCENARIOS:
            if left_out == "all" or scenario in left_out:
                continue
            answer = message(text, calls, None, ids)
            written_text = written(template, answer, facts.get("given", {}), facts)
            yield transcript(facts, scenario, facts.get("always"), written_text)
        reasoning = facts.get("reasoning")
        for scenario, text, calls in SCENARIOS:
            if reasoning is None or scenario not in WITH_REASONING or scenario in left_out:
                continue
            answer = message(text, calls, REASONING, ids)
            written_text = written(template, answer, reasoning["given"], facts)
            yield transcript(facts, scenario, reasoning["open"], written_text)


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
    suffix = {"suffix": facts["suffix"]} if "suffix" in facts else {}
    return {"template": facts["name"], "scenario": scenario, "tag": tag, **suffix, "text": text}


def main():
    cases = [*templates(sys.argv[1]), *cohere()]
    source = "what chat templates write, by render.py, which says where they come from; `tools` denotes these tools"
    lines = ",\n".join(json.dumps(case, ensure_ascii=False) for case in cases)
    tools = json.dumps(TOOLS, ensure_ascii=False)
    print(f'{{\n"source": {json.dumps(source)},\n"tools": {tools},\n"cases": [\n{lines}\n]\n}}')


if __name__ == "__main__":
    main()
