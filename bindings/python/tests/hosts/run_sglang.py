"""Drives SGLang's own scheduling code: ``python run_sglang.py MODEL``, where MODEL is a folder. Prints a line of JSON for each part.

Not part of CI: it needs SGLang, torch, transformers and ``jsonschema``. SGLang's engine has no build for processors on PyPI, so the
model runs in transformers and everything that touches grammars is SGLang's: its plug-in loader, argument parser, grammar manager,
batch information, masks, and the tree of speculative decoding.
"""

from __future__ import annotations

import json
import os
import sys
import time
from types import SimpleNamespace
from typing import Any

os.environ.setdefault("HF_HUB_OFFLINE", "1")
# One thread does not wait for others on a machine that is busy.
os.environ.setdefault("OMP_NUM_THREADS", "1")
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import torch  # noqa: E402
from schemas import SCHEMAS  # noqa: E402


def say(part: str, **figures: Any) -> None:
    print("RESULT " + json.dumps({"part": part, **figures}), flush=True)


class Scheduler:
    """What the grammar manager asks of a scheduler."""

    def __init__(self, tokenizer: Any, width: int, ends: set[int], server_args: Any) -> None:
        self.server_args = server_args
        self.tokenizer = tokenizer
        self.model_config = SimpleNamespace(vocab_size=width, hf_eos_token_id=ends, think_end_ids=None)
        self.dp_tp_cpu_group = None
        self.dp_tp_group = SimpleNamespace(world_size=1, first_rank=0, is_first_rank=True)
        self.pp_group = None


class Requested:
    """What the grammar manager asks of a request."""

    def __init__(self, **constraint: Any) -> None:
        fields = dict(
            json_schema=None, regex=None, ebnf=None, structural_tag=None, ebnf_full_assistant=False, custom_params=None
        )
        fields.update(constraint)
        self.sampling_params = SimpleNamespace(**fields)
        self.origin_input_ids: list[int] = []
        self.require_reasoning = False
        self.grammar: Any = None
        self.grammar_key: Any = None
        self.grammar_wait_ct = 0
        self.rid = "r"
        self.refusal: str | None = None
        self.output: list[int] = []

    def finished(self) -> bool:
        return self.refusal is not None

    def set_finish_with_abort(self, message: str) -> None:
        self.refusal = message


def main() -> None:
    model_path = sys.argv[1]
    began = time.perf_counter()
    from sglang.srt.plugins import load_plugins

    load_plugins()
    from sglang.srt import runtime_context
    from sglang.srt.server_args import prepare_server_args

    server_args = prepare_server_args(
        [
            "--model-path",
            model_path,
            "--device",
            "cpu",
            "--grammar-backend",
            "grammarc",
            "--constrained-json-disable-any-whitespace",
        ]
    )
    runtime_context.publish(server_args, role="scheduler")
    from sglang.srt.constrained import grammar_manager

    # Ranks of a pipeline, of which a machine without one has none.
    grammar_manager.get_parallel = lambda: SimpleNamespace(pp_rank=0, pp_size=1)
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model_path)
    model = AutoModelForCausalLM.from_pretrained(model_path, dtype=torch.float32)
    width = model.config.vocab_size
    manager = grammar_manager.GrammarManager(Scheduler(tokenizer, width, {tokenizer.eos_token_id}, server_args))
    say("start", backend=type(manager.grammar_backend).__name__, seconds=round(time.perf_counter() - began, 1))
    if "--no-generations" not in sys.argv:
        generations(manager, model, tokenizer, width)
    kinds(manager)
    speculation(manager, tokenizer, width)
    rows(manager, tokenizer, width)
    reasoning(model_path, tokenizer, width)


def reasoning(model_path: str, tokenizer: Any, width: int) -> None:
    """A model that thinks before it answers: the grammar begins behind the thought, and is taken back with it."""
    from sglang.srt import runtime_context
    from sglang.srt.constrained import grammar_manager
    from sglang.srt.server_args import prepare_server_args

    options = ["--device", "cpu", "--grammar-backend", "grammarc", "--reasoning-parser", "qwen3"]
    server_args = prepare_server_args(["--model-path", model_path, *options])
    runtime_context.publish(server_args, role="scheduler")
    manager = grammar_manager.GrammarManager(Scheduler(tokenizer, width, {tokenizer.eos_token_id}, server_args))
    request = Requested(json_schema='{"enum": ["a"]}')
    request.require_reasoning = True
    ready(manager, [request])
    grammar = request.grammar

    def allowed() -> int:
        mask = grammar.allocate_vocab_mask(width, 1, "cpu")
        grammar.fill_vocab_mask(mask, 0)
        return int(sum(bin(word & 0xFFFFFFFF).count("1") for word in mask[0].tolist()))

    counts = [allowed()]
    for token in tokenizer.encode("Let me see.</think>"):
        grammar.accept_token(token)
    counts.append(allowed())
    grammar.rollback(1)
    counts.append(allowed())
    grammar.accept_token(tokenizer.encode("</think>")[-1])
    for token in [*tokenizer.encode('"a"'), tokenizer.eos_token_id]:
        grammar.accept_token(token)
    say(
        "reasoning",
        backend=type(manager.grammar_backend).__name__,
        allowed={"thinking": counts[0], "behind the thought": counts[1], "taken back": counts[2]},
        terminated=grammar.is_terminated(),
    )


def ready(manager: Any, requests: list[Requested]) -> None:
    """Takes requests through the manager until all have a grammar."""
    for request in requests:
        if manager.process_req_with_grammar(request):
            continue
    while manager.has_waiting_grammars():
        waiting = len(manager.grammar_queue)
        done = manager.get_ready_grammar_requests()
        manager.grammar_queue = [one for one in manager.grammar_queue if one not in done]
        assert len(manager.grammar_queue) <= waiting


def generations(manager: Any, model: Any, tokenizer: Any, width: int) -> None:
    """Twenty schemas, ten generations each: a batch of all schemas, ten times."""
    import jsonschema
    from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo

    from grammarc.hosts import sglang as plugin

    valid, bad, tokens, spent = 0, [], 0, 0.0
    began = time.perf_counter()
    for seed in range(10):
        torch.manual_seed(seed)
        requests = [Requested(json_schema=json.dumps(schema)) for _, schema in SCHEMAS.values()]
        ready(manager, requests)
        texts = [
            tokenizer.apply_chat_template(
                [{"role": "user", "content": prompt + " Answer in JSON."}], tokenize=False, add_generation_prompt=True
            )
            for prompt, _ in SCHEMAS.values()
        ]
        tokenizer.padding_side = "left"
        batch = tokenizer(texts, return_tensors="pt", padding=True)
        ids, attention, cache = batch["input_ids"], batch["attention_mask"], None
        for _ in range(300):
            with torch.inference_mode():
                out = model(input_ids=ids, attention_mask=attention, past_key_values=cache, use_cache=True)
            cache, logits = out.past_key_values, out.logits[:, -1].float().clone()
            info = SimpleNamespace(
                grammars=[request.grammar for request in requests],
                temperatures=torch.ones(len(requests)),
                vocab_size=width,
                device="cpu",
            )
            at = time.process_time()
            SamplingBatchInfo.update_regex_vocab_mask(info)
            spent += time.process_time() - at
            info.grammar_mask.apply(logits)
            sampled = torch.multinomial(torch.softmax(logits / 0.8, -1), 1)[:, 0]
            for request, token in zip(requests, sampled.tolist(), strict=True):
                if request.grammar.finished:
                    continue
                request.grammar.accept_token(token)
                request.output.append(token)
                tokens += 1
                if request.grammar.is_terminated():
                    request.grammar.finished = True
            if all(request.grammar.finished for request in requests):
                break
            ids = sampled[:, None]
            attention = torch.cat([attention, torch.ones(len(requests), 1, dtype=attention.dtype)], 1)
        for request, (name, (_, schema)) in zip(requests, SCHEMAS.items(), strict=True):
            text = tokenizer.decode(request.output, skip_special_tokens=True)
            try:
                jsonschema.Draft202012Validator(schema).validate(json.loads(text))
                valid += request.grammar.finished
            except (ValueError, jsonschema.ValidationError) as error:
                bad.append([name, text[:80], str(error)[:80]])
    say(
        "generations",
        valid=valid,
        of=10 * len(SCHEMAS),
        bad=bad[:5],
        tokens=tokens,
        seconds=round(time.perf_counter() - began, 1),
        mask_cpu_us_a_row=round(1e6 * spent / tokens, 2),
        stats=plugin.stats(),
    )


def kinds(manager: Any) -> None:
    """Every kind of request, and refusals."""
    tag = {
        "type": "structural_tag",
        "format": {
            "type": "tag",
            "begin": "<a>",
            "content": {"type": "json_schema", "json_schema": {"type": "integer"}},
            "end": "</a>",
        },
    }
    requests = {
        "any": Requested(json_schema="$$ANY$$"),
        "regex": Requested(regex="[a-z]+"),
        "ebnf": Requested(ebnf='root ::= "a" | "b"'),
        "xgrammar": Requested(ebnf='root ::= TagDispatch(("<t>", r))\nr ::= "x"'),
        "structural_tag": Requested(structural_tag=json.dumps(tag)),
        "older structural_tag": Requested(
            structural_tag=json.dumps({"structures": [{"begin": "<a>", "schema": {}, "end": "</a>"}], "triggers": ["<a>"]})
        ),
        "only XGrammar's": Requested(
            structural_tag=json.dumps(
                {
                    "type": "structural_tag",
                    "format": {"type": "json_schema", "json_schema": {"type": "string"}, "excludes": ["\\x"]},
                }
            )
        ),
        "refused tag": Requested(structural_tag=json.dumps({"type": "structural_tag", "format": {**tag["format"], "end": 1}})),
        "refused": Requested(json_schema='{"type": "object", "properties": {"a": {"$ref": "#/nope"}}}'),
        "refused again": Requested(json_schema='{"type": "object", "properties": {"a": {"$ref": "#/nope"}}}'),
    }
    ready(manager, list(requests.values()))
    say(
        "kinds", answers={name: request.refusal or type(request.grammar).__name__ for name, request in requests.items()}
    )
    constraints(manager)


def constraints(manager: Any) -> None:
    """What SGLang makes of tools for each of its parsers and each choice, and whose grammars it becomes."""
    from sglang.srt.entrypoints.openai.protocol import Tool, ToolChoice
    from sglang.srt.function_call.function_call_parser import FunctionCallParser

    parameters = {
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "minimum": 1}, "unit": {"enum": ["c", "f"]}},
        "required": ["city"],
        "additionalProperties": False,
    }
    tools = [
        Tool.model_validate({"type": "function", "function": {"name": name, "strict": strict, "parameters": parameters}})
        for name, strict in (("get_weather", True), ("set_light", False))
    ]
    named = ToolChoice.model_validate({"type": "function", "function": {"name": "get_weather"}})
    counts: dict[str, int] = {}
    others: dict[str, str] = {}
    for parser in FunctionCallParser.ToolCallParserEnum:
        for choice in ("auto", "required", named):
            for parallel in (True, False):
                try:
                    made = FunctionCallParser(tools, parser, tokenizer=manager.scheduler.tokenizer)
                    constraint = made.get_structure_constraint(choice, parallel_tool_calls=parallel)
                except ValueError as error:
                    others[parser] = str(error)
                    continue
                if constraint is None:
                    counts["none"] = counts.get("none", 0) + 1
                    continue
                kind, value = constraint[0], constraint[1]
                dumped = value.model_dump(by_alias=True) if hasattr(value, "model_dump") else value
                request = Requested(**{kind: dumped if isinstance(dumped, str) else json.dumps(dumped)})
                ready(manager, [request])
                whose = "refused" if request.refusal else type(request.grammar).__name__
                counts[f"{kind}: {whose}"] = counts.get(f"{kind}: {whose}", 0) + 1
                if whose != "GrammarcGrammar":
                    others[parser] = request.refusal or whose
    say("constraints", counts=counts, others=others)


def rows(manager: Any, tokenizer: Any, width: int) -> None:
    """Time of SGLang's mask of a batch, a row, with requests of this backend and with XGrammar's."""
    from sglang.srt.constrained.xgrammar_backend import XGrammarGrammarBackend
    from sglang.srt.sampling.sampling_batch_info import SamplingBatchInfo

    theirs = XGrammarGrammarBackend(
        tokenizer, vocab_size=width, model_eos_token_ids=[tokenizer.eos_token_id], any_whitespace=False
    )
    schema = json.dumps(SCHEMAS["person"][1])
    text = tokenizer.encode('{"name": "Ann and Bob and Carl", "age": 4, "employed": true}')
    spent: dict[str, list[float]] = {}
    for _ in range(5):
        for name, backend in (("grammarc", manager.grammar_backend), ("xgrammar", theirs)):
            first = backend.dispatch_json(schema)
            grammars = [first.copy() for _ in range(64)]
            info = SimpleNamespace(grammars=grammars, temperatures=torch.ones(64), vocab_size=width, device="cpu")
            for token in text:
                at = time.process_time()
                SamplingBatchInfo.update_regex_vocab_mask(info)
                spent.setdefault(name, []).append(1e6 * (time.process_time() - at) / 64)
                for grammar in grammars:
                    grammar.accept_token(token)
    say(
        "rows",
        **{
            name: {"cpu_us_a_row_p50": round(sorted(times)[len(times) // 2], 2), "max": round(max(times), 2)}
            for name, times in spent.items()
        },
    )


def speculation(manager: Any, tokenizer: Any, width: int) -> None:
    """Chains of drafts of which each place is bad in turn, through SGLang's tree: its masks against those of single steps."""
    from sglang.srt.speculative.spec_utils import generate_token_bitmask

    from grammarc.hosts import sglang as plugin

    text = '{"name": "Ann", "age": 4, "employed": true}'
    tokens = tokenizer.encode(text) + [tokenizer.eos_token_id]
    schema = json.dumps(SCHEMAS["person"][1])
    wrong, rows = 0, 0
    for bad in range(len(tokens) + 1):
        requests = [Requested(json_schema=schema) for _ in range(2)]
        ready(manager, requests)
        request, single = requests
        drafts = list(tokens)
        if bad < len(tokens):
            drafts[bad] = tokenizer.bos_token_id
        # The root of the tree is the token that was accepted before.
        count = len(drafts) + 1
        following = torch.tensor([[*range(1, count), -1]])
        sibling = torch.full((1, count), -1)
        mask, _ = generate_token_bitmask([request], following, sibling, torch.tensor([[0, *drafts]]), width)
        expected = single.grammar.allocate_vocab_mask(width, count, "cpu")
        for at in range(count):
            if single.grammar.is_terminated():
                break
            single.grammar.fill_vocab_mask(expected, at)
            if at == len(drafts) or at == bad:
                break
            single.grammar.accept_token(drafts[at])
        rows += count
        wrong += int((mask != expected).any(dim=1).sum())
        assert request.grammar._matcher.rollback_depth == 0
    say("speculation", rows=rows, rows_that_differ=wrong, stats=plugin.stats())


if __name__ == "__main__":
    main()
