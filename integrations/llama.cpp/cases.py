"""The requests of the check, and the judgement of their answers by ``jsonschema``, which knows nothing of grammarc."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema
from jsonschema.validators import validator_for

MOST_REPETITIONS = 2000
"""Repetitions of one element that llama.cpp's parser of grammars takes."""

MOST_TOOLS = 5
"""Tools of one list. Longer lists are prompts that a small model reads for minutes on a CPU."""

SENTENCE = "Answer in JSON."


@dataclass(frozen=True)
class Case:
    """One request, and the schemas that its answer must satisfy."""

    name: str
    path: str
    body: dict[str, Any]
    content: Any = None
    """Schema of the answer's text, or of its text from the first brace on."""
    tools: dict[str, Any] | None = None
    """Schemas of the arguments, by the names of the tools."""
    refusal: str | None = None
    """Text within the error that the request has to get."""


def maskbench(folder: Path) -> dict[str, Any]:
    """Schemas of MaskBench, by the names of their files."""
    files = sorted(folder.glob("*.json"))
    return {file.stem: json.loads(file.read_text(encoding="utf-8"))["schema"] for file in files}


def conversions(program: Path, schemas: list[Any]) -> Iterator[tuple[str, str]]:
    """For each schema, what llama.cpp makes of it: ``crashed``, ``refused``, ``loosened``, ``repeated`` or ``kept``, and the
    text that says so."""
    lines = [json.dumps(schema) for schema in schemas]
    done = 0
    while done < len(lines):
        run = subprocess.run([program], input="\n".join(lines[done:]) + "\n", capture_output=True, text=True, check=False)
        if run.returncode > 0:
            raise RuntimeError(f"{program} does not work: {run.stderr}")
        results = [json.loads(line) for line in run.stdout.splitlines()]
        warnings = re.split(r"^#\d+\n", run.stderr, flags=re.MULTILINE)[1:]
        for result, warning in zip(results, warnings, strict=False):
            yield _conversion(result, warning)
        done += len(results)
        if done < len(lines):
            yield "crashed", f"signal {-run.returncode}"
            done += 1


def _conversion(result: dict[str, str], warning: str) -> tuple[str, str]:
    if "error" in result:
        return "refused", result["error"]
    if warning:
        return "loosened", warning
    counts = re.findall(r"\{(\d+)(?:,(\d*))?\}", result["grammar"])
    if any(int(count) > MOST_REPETITIONS for pair in counts for count in pair if count):
        return "repeated", ""
    return "kept", ""


def of_schema(name: str, schema: Any, tokens: int) -> Case:
    """An answer whose format is a schema."""
    body = {
        "messages": [{"role": "user", "content": f"Invent an example of {name}. {SENTENCE}"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}},
        "max_tokens": tokens,
    }
    return Case(name, "/v1/chat/completions", body, content=schema)


def of_tools(name: str, question: str, tools: dict[str, Any], choice: str, tokens: int) -> Case:
    """An answer that is a call of one of the tools, or may be one."""
    listed = [{"type": "function", "function": {"name": tool, "parameters": schema}} for tool, schema in tools.items()]
    body = {
        "messages": [{"role": "user", "content": question}],
        "tools": listed,
        "tool_choice": choice,
        "parallel_tool_calls": False,
        # Thoughts are free text, and a small model fills its answer with them.
        "chat_template_kwargs": {"enable_thinking": False},
        "max_tokens": tokens,
    }
    return Case(name, "/v1/chat/completions", body, tools=tools)


def lazy(name: str, schema: Any, tokens: int) -> Case:
    """Free text up to a brace, and from there on a value of a schema. A token may contain the brace and text around it."""
    prompt = f"<|im_start|>user\nInvent an example of {name}. {SENTENCE}<|im_end|>\n<|im_start|>assistant\n"
    body = {
        "prompt": prompt,
        "grammar": '%grammarc json-schema {"whitespace":"flexible"}\n' + json.dumps(schema),
        "grammar_lazy": True,
        "grammar_triggers": [{"type": 2, "value": "\\{"}],
        "n_predict": tokens,
    }
    return Case(name, "/completion", body, content=schema)


def refusals() -> list[Case]:
    """Requests that cannot be held, and a part of the error that each has to get."""
    grammars = {
        "unknown rule": ("%grammarc gbnf\nroot ::= nowhere", "nowhere"),
        "unknown language": ("%grammarc prolog\nroot.", "prolog"),
        "unknown option": ('%grammarc regex {"speed":1}\na', "speed"),
        "no source": ("%grammarc json-schema", "grammarc"),
    }
    cases = [Case(name, "/completion", {"prompt": "a", "grammar": text, "n_predict": 4}, refusal=part) for name, (text, part) in grammars.items()]
    schemas = {
        "back reference": {"type": "string", "pattern": "^(a|b)\\1$"},
        "approximate": {"type": "array", "items": {"type": "object"}, "uniqueItems": True, "minItems": 2},
        "impossible": {"type": "string", "minLength": 3, "maxLength": 2},
    }
    cases += [Case(name, "/completion", {"prompt": "a", "json_schema": schema, "n_predict": 4}, refusal="grammarc") for name, schema in schemas.items()]
    # The grammar forces a token that the bias forbids, so no token is left.
    biased = {"prompt": "a", "grammar": "%grammarc regex\nzz", "n_predict": 4, "logit_bias": [["z", False], ["zz", False]]}
    return [*cases, Case("nothing left", "/completion", biased, refusal="not allowed")]


def bfcl_lists(folder: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Questions of BFCL with their tools, whose types are spelled as JSON Schema spells them."""
    for file in ("BFCL_v4_multiple.json", "BFCL_v4_live_multiple.json", "BFCL_v4_simple_python.json"):
        for line in (folder / file).read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            if len(row["function"]) <= MOST_TOOLS:
                tools = {re.sub(r"\W", "_", tool["name"]): _as_schema(tool["parameters"]) for tool in row["function"]}
                yield row["id"], row["question"][0][-1]["content"], tools


def maskbench_lists(schemas: dict[str, Any], seed: int) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Lists of three tools, whose arguments are MaskBench's schemas of tools."""
    names = [name for name, schema in schemas.items() if name.startswith("Glaive") and schema.get("type") == "object"]
    random.Random(seed).shuffle(names)
    for at in range(0, len(names) - 2, 3):
        chosen = {re.sub(r"^.*?---|_[0-9a-f]{8}$", "", name): schemas[name] for name in names[at : at + 3]}
        yield names[at], f"Call the tool {next(iter(chosen)).replace('_', ' ')}.", chosen


_TYPES = {"dict": "object", "float": "number", "tuple": "array", "list": "array"}


def _as_schema(node: Any) -> Any:
    if isinstance(node, list):
        return [_as_schema(item) for item in node]
    if not isinstance(node, dict):
        return node
    made = {key: {name: _as_schema(inner) for name, inner in value.items()} if key == "properties" else _as_schema(value) for key, value in node.items() if key not in ("optional", "default")}
    if isinstance(kind := made.get("type"), str):
        made["type"] = _TYPES.get(kind, kind)
        if kind == "any":
            del made["type"]
    return made


def judged(case: Case, status: int, answer: dict[str, Any]) -> tuple[str, str]:
    """What became of a request, and a text that says more."""
    if status != 200:
        message = str(answer.get("error", {}).get("message", answer))
        if case.refusal is not None:
            return ("valid", "") if case.refusal in message else ("unconstrained", message)
        return ("refused" if status == 400 else "failed"), message
    if case.refusal is not None:
        return "unconstrained", json.dumps(answer)[:300]
    if case.path == "/completion":
        return _completion(case, answer)
    choice = answer["choices"][0]
    message = choice["message"]
    if case.tools is None:
        values = [(case.content, message["content"] or "")]
    else:
        calls = [call["function"] for call in message.get("tool_calls") or []]
        if not calls and case.body["tool_choice"] == "auto":
            return "free", ""
        values = [(case.tools.get(call["name"], False), call["arguments"]) for call in calls]
    if choice["finish_reason"] == "length":
        return "cut", ""
    return _verdict(values)


def _completion(case: Case, answer: dict[str, Any]) -> tuple[str, str]:
    text = answer["content"]
    if answer["stop_type"] == "limit":
        return "cut", ""
    start = text.find("{")
    return ("free", "") if start < 0 else _verdict([(case.content, text[start:])])


def _verdict(values: list[tuple[Any, str]]) -> tuple[str, str]:
    if not values:
        return "unconstrained", "no call"
    for schema, text in values:
        try:
            value = json.loads(text)
            validator_for(schema, default=jsonschema.Draft202012Validator)(schema).validate(value)
        except (json.JSONDecodeError, jsonschema.ValidationError) as error:
            return "unconstrained", f"{text[:200]}: {str(error).splitlines()[0]}"
        except Exception as error:  # noqa: BLE001 (a schema that jsonschema itself cannot read)
            return "unjudged", f"{type(error).__name__}: {error}"
    return "valid", ""
