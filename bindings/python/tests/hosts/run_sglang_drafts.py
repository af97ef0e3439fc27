"""Drives SGLang's own worker of n-grams with drafts by the grammar: ``python run_sglang_drafts.py TOKENIZER``, where TOKENIZER is a folder.
Prints a line of JSON for each part.

Not part of CI: it needs SGLang, torch, transformers, torchvision, gguf, and ninja for SGLang's store of n-grams. The model is made up: it
prefers the tokens of a known answer, or tokens without meaning. SGLang's are the plug-in loader, the options, the registry, the grammar
manager, the worker with its store of n-grams, the rows of trees, verification, and the acceptance of tokens. Kernels of the engine, which
has no build for processors on PyPI, are those of ``sglang_kernels.py``.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from array import array
from pathlib import Path
from types import MethodType, SimpleNamespace
from typing import Any

import sglang_kernels

sglang_kernels.install()

import torch  # noqa: E402
from run_sglang import Requested, Scheduler, ready, say  # noqa: E402
from schemas import SCHEMAS  # noqa: E402
from transformers import AutoTokenizer, LlamaConfig  # noqa: E402

MOST = 160
"""Most tokens of an output."""


def call(name: str, **values: Any) -> tuple[str, str]:
    """A schema of a call, and an answer."""
    kinds = {str: "string", int: "integer", bool: "boolean", list: "array"}
    arguments = {
        "type": "object",
        "properties": {key: {"type": kinds[type(value)]} for key, value in values.items()},
        "required": list(values),
        "additionalProperties": False,
    }
    schema = {
        "type": "object",
        "properties": {"name": {"enum": [name, "ask_user"]}, "arguments": arguments},
        "required": ["name", "arguments"],
        "additionalProperties": False,
    }
    return json.dumps(schema), json.dumps({"name": name, "arguments": values})


CALLS = [
    call("get_current_weather", city="Paris", country="France", days_ahead=3, celsius=True),
    call(
        "send_email_message", recipient="ann@example.com", subject="Lunch", body="Are you free at noon?", urgent=False
    ),
    call(
        "create_calendar_event",
        title="Review",
        start_time="2026-12-01T10:00",
        duration_minutes=45,
        attendees=["bob", "eve"],
    ),
    call(
        "search_restaurants", cuisine="Thai", neighborhood="Mission", party_size=4, outdoor_seating=True, max_results=10
    ),
]


class Model:
    """Logits by the tokens before: those of a known answer first, then numbers that the last two tokens choose."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.base = torch.randn(width, generator=torch.Generator().manual_seed(7))
        self.answers: dict[str, list[int]] = {}

    def logits(self, rid: str, tokens: list[int]) -> Any:
        row = torch.roll(self.base, sum(7919 * token for token in tokens[-2:]) % self.width)
        answer = self.answers.get(rid, [])
        if tokens == answer[: len(tokens)] and len(tokens) < len(answer):
            row[answer[len(tokens)]] += 100
        return row


class Target:
    """The worker of the model: a row of logits for each node, by the tokens of its ancestors."""

    def __init__(self, tokenizer: Any, model: Model) -> None:
        self.tokenizer, self.model = tokenizer, model
        config = LlamaConfig()
        configs = SimpleNamespace(hf_config=config, hf_text_config=config, linear_attn_registry_result=None)
        self.model_runner = SimpleNamespace(max_running_requests=8, watermark_state=None, model_config=configs)

    def get_memory_pool(self) -> tuple[Any, Any]:
        cache = SimpleNamespace(move_kv_cache=lambda to, of: None)
        return None, SimpleNamespace(get_kvcache=lambda: cache)

    def forward_batch_generation(self, batch: Any, pp_proxy_tensors: Any = None, is_verify: bool = False) -> Any:
        nodes = batch.spec_info.draft_token_num
        masks = batch.spec_info.custom_mask.reshape(-1, nodes, nodes)
        rows = []
        for request, tokens, mask in zip(batch.reqs, batch.input_ids.reshape(-1, nodes), masks, strict=True):
            for node in range(nodes):
                path = tokens[mask[node].nonzero().flatten()[1:]].tolist()
                rows.append(self.model.logits(request.rid, [*request.output_ids, *path]))
        return SimpleNamespace(
            logits_output=SimpleNamespace(next_token_logits=torch.stack(rows)), can_run_cuda_graph=False
        )


def batch_of(requests: list[Any], algorithm: Any, width: int) -> Any:
    """What the worker asks of a batch."""
    from sglang.srt.managers.schedule_batch import ScheduleBatch
    from sglang.srt.model_executor.forward_batch_info import ForwardMode

    lengths = torch.tensor(
        [len(request.origin_input_ids_unpadded) + len(request.output_ids) - 1 for request in requests]
    )
    sampling = SimpleNamespace(
        vocab_size=width,
        acc_additive_penalties=None,
        acc_scaling_penalties=None,
        logit_bias=None,
        is_all_greedy=True,
        has_watermark_candidates=False,
    )
    batch = SimpleNamespace(
        reqs=requests,
        spec_algorithm=algorithm,
        has_grammar=True,
        forward_mode=ForwardMode.DECODE,
        seq_lens=lengths,
        seq_lens_cpu=lengths,
        req_pool_indices=torch.arange(len(requests)),
        req_to_token_pool=SimpleNamespace(req_to_token=torch.arange(4096).repeat(len(requests), 1)),
        input_ids=None,
        out_cache_loc=None,
        device="cpu",
        spec_info=None,
        sampling_info=sampling,
        return_logprob=False,
    )
    batch.grammar_needs_sync = MethodType(ScheduleBatch.grammar_needs_sync, batch)
    return batch


def main() -> None:
    tokenizer_path = Path(sys.argv[1]).resolve()
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_path)
    width = len(tokenizer)
    with tempfile.TemporaryDirectory() as folder:
        for file in tokenizer_path.iterdir():
            (Path(folder) / file.name).symlink_to(file)
        end = tokenizer.eos_token_id
        LlamaConfig(architectures=["LlamaForCausalLM"], vocab_size=width, eos_token_id=end).save_pretrained(folder)
        for nodes, breadth in ((8, 1), (16, 4), (64, 16)):
            drafts(folder, tokenizer, width, nodes, breadth)


def drafts(folder: str, tokenizer: Any, width: int, nodes: int, breadth: int) -> None:
    """Outputs with drafts of so many nodes and branches, against outputs of single steps."""
    from sglang.srt.plugins import load_plugins

    load_plugins()
    from sglang.srt import runtime_context
    from sglang.srt.constrained import grammar_manager
    from sglang.srt.server_args import prepare_server_args
    from sglang.srt.speculative.spec_info import SpeculativeAlgorithm

    options = {
        "--model-path": folder,
        "--device": "cpu",
        "--grammar-backend": "grammarc",
        "--speculative-algorithm": "GRAMMARC",
        "--speculative-num-draft-tokens": str(nodes),
        "--speculative-ngram-max-bfs-breadth": str(breadth),
        "--attention-backend": "torch_native",
    }
    server_args = prepare_server_args(
        [part for option in options.items() for part in option] + ["--constrained-json-disable-any-whitespace"]
    )
    runtime_context.publish(server_args, role="scheduler")
    grammar_manager.get_parallel = lambda: SimpleNamespace(pp_rank=0, pp_size=1)
    manager = grammar_manager.GrammarManager(Scheduler(tokenizer, width, {tokenizer.eos_token_id}, server_args))
    algorithm = SpeculativeAlgorithm.from_string("GRAMMARC")
    model = Model(width)
    worker = algorithm.create_worker(server_args)(server_args, 0, 0, Target(tokenizer, model))
    worker.alloc_memory_pool()
    known = [(f"call {at}", schema, answer) for at, (schema, answer) in enumerate(CALLS)]
    unknown = [(f"schema {name}", json.dumps(schema), "") for name, (_, schema) in list(SCHEMAS.items())[:8]]
    for part, sources in (("known answers", known), ("tokens without meaning", unknown)):
        for rid, _, answer in sources:
            model.answers[rid] = (
                [*tokenizer.encode(answer, add_special_tokens=False), tokenizer.eos_token_id] if answer else []
            )
        plain = [outputs for outputs in (steps(manager, model, rid, schema) for rid, schema, _ in sources)]
        requests = [asked(manager, tokenizer, rid, schema) for rid, schema, _ in sources]
        figures = verified(worker, algorithm, model, requests)
        tokens = sum(len(request.output_ids) for request in requests)
        say(
            part,
            nodes=nodes,
            breadth=breadth,
            equal=sum(
                request.output_ids.tolist()[: len(output)] == output[: len(request.output_ids)]
                for request, output in zip(requests, plain, strict=True)
            ),
            of=len(requests),
            tokens=tokens,
            saved=round(1 - figures.pop("calls") / tokens, 3),
            **figures,
        )


def asked(manager: Any, tokenizer: Any, rid: str, schema: str) -> Any:
    """A request with its grammar, before its first token."""
    request = Requested(json_schema=schema)
    ready(manager, [request])
    request.rid, request.output_ids = rid, array("q")
    request.origin_input_ids_unpadded = array("q", tokenizer.encode("Answer in JSON."))
    return request


def drawn(model: Model, request: Any) -> int:
    """The allowed token that the model likes best."""
    row = request.grammar.allocate_vocab_mask(model.width, 1, "cpu")
    request.grammar.fill_vocab_mask(row, 0)
    logits = model.logits(request.rid, list(request.output_ids))[None]
    request.grammar.apply_vocab_mask(logits, row)
    return int(logits.argmax())


def steps(manager: Any, model: Model, rid: str, schema: str) -> list[int]:
    """The output without drafts."""
    request = asked(manager, manager.scheduler.tokenizer, rid, schema)
    while len(request.output_ids) < MOST and not request.grammar.is_terminated():
        token = drawn(model, request)
        request.grammar.accept_token(token)
        request.output_ids.append(token)
    return list(request.output_ids)


def verified(worker: Any, algorithm: Any, model: Model, requests: list[Any]) -> dict[str, Any]:
    """Writes the outputs of requests by the worker, and returns what it took."""
    from sglang.srt.managers.scheduler_components.batch_result_processor import SchedulerBatchResultProcessor
    from sglang.srt.speculative import ngram_worker

    from grammarc.hosts import sglang as plugin

    accept = SchedulerBatchResultProcessor._accept_grammar_tokens
    base = ngram_worker.NGRAMWorker._prepare_draft_tokens
    spent = {"drafts": 0.0, "n-grams": 0.0}

    def timed(name: str, function: Any) -> Any:
        def inner(*arguments: Any) -> Any:
            at = time.process_time()
            try:
                return function(*arguments)
            finally:
                spent[name] += time.process_time() - at

        return inner

    worker._prepare_draft_tokens = timed("drafts", type(worker)._prepare_draft_tokens.__get__(worker))
    ngram_worker.NGRAMWorker._prepare_draft_tokens = timed("n-grams", base)
    before, calls = plugin.stats(), 0
    for request in requests:
        first = drawn(model, request)
        request.grammar.accept_token(first)
        request.output_ids.append(first)
        calls += 1
    running = list(requests)
    while running:
        batch = batch_of(running, algorithm, model.width)
        result = worker.forward_batch_generation(batch)
        calls += len(running)
        width = result.speculative_num_draft_tokens
        for at, request in enumerate(running):
            tokens = result.next_token_ids[at * width : at * width + int(result.accept_lens[at])].tolist()
            kept = accept(SimpleNamespace(), request, tokens)
            assert kept == tokens or request.grammar.is_terminated(), (request.rid, tokens, kept)
            request.output_ids.extend(kept)
        running = [one for one in running if len(one.output_ids) < MOST and not one.grammar.is_terminated()]
    ngram_worker.NGRAMWorker._prepare_draft_tokens = base
    after = plugin.stats()
    return {
        "calls": calls,
        "drafted_by_the_grammar": after["drafts"] - before["drafts"],
        "trees": after["trees"] - before["trees"],
        "rollbacks": after["rollbacks"] - before["rollbacks"],
        "draft_us_a_request": round(1e6 * (spent["drafts"] - spent["n-grams"]) / calls, 1),
        "ngram_us_a_request": round(1e6 * spent["n-grams"] / calls, 1),
    }


if __name__ == "__main__":
    main()
