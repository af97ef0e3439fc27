"""vLLM's rows of bits, applied by grammarc's kernel where there is a device.

Both of vLLM's model runners get rows of bits from the scheduler, for requests of all engines, and have a function that copies and
applies them. These are put in their place. They copy as vLLM does, and only the rows that were sent: which row of logits is which
row of bits goes along as a list of numbers, and what has none is left as it is.

vLLM's own functions go on where no device opens, and in runner V2 with speculative decoding, whose rows of logits are known on the
device alone.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from importlib import import_module
from typing import Any

from grammarc.hosts._devices import Devices
from grammarc.hosts._serving import expect, expect_parameters

UTILS = "vllm.v1.structured_output.utils"
"""Where the function of runner V1 is defined."""

RUNNER = "vllm.v1.worker.gpu_model_runner"
"""Where it is looked up."""

WORKER = "vllm.v1.worker.gpu.structured_outputs"
"""Where the class of runner V2 is."""


def install(devices: Devices) -> None:
    """Puts the functions in place, in processes that may have a model. Raises :class:`HostMismatch` where vLLM's take other
    parameters."""
    utils: Any = import_module(UTILS)
    # Some versions and builds have no runner V2.
    with contextlib.suppress(ImportError):
        replace_v2(import_module(WORKER).StructuredOutputsWorker, devices)
    original = getattr(utils, "apply_grammar_bitmask", None)
    expect_parameters(
        original, "scheduler_output", "grammar_output", "input_batch", "logits", where="apply_grammar_bitmask"
    )
    utils.apply_grammar_bitmask = of_v1(original, devices)
    # It imports the function by name, later than plug-ins are loaded unless a process has done something else before.
    runner: Any = sys.modules.get(RUNNER)
    if runner is not None:
        expect(runner.apply_grammar_bitmask is original, "vLLM's model runner has another apply_grammar_bitmask")
        runner.apply_grammar_bitmask = utils.apply_grammar_bitmask


def of_v1(original: Any, devices: Devices) -> Any:
    """The function of runner V1, drafts included."""

    @functools.wraps(original)
    def apply_grammar_bitmask(scheduler_output: Any, grammar_output: Any, input_batch: Any, logits: Any) -> None:
        device = devices.at(logits.device)
        if device is None:
            original(scheduler_output, grammar_output, input_batch, logits)
            return
        drafts, bits = scheduler_output.scheduled_spec_decode_tokens, grammar_output.grammar_bitmask
        first, at = {}, 0
        for request in input_batch.req_ids:
            first[request] = at
            at += 1 + len(drafts.get(request, ()))
        numbers, row = [-1] * logits.shape[0], 0
        for request in grammar_output.structured_output_request_ids:
            for place in range(1 + len(drafts.get(request, ()))):
                # Requests that were sent may have left the batch.
                if request in first:
                    numbers[first[request] + place] = row
                row += 1
        moved = [pinned(values, logits).to(logits.device, non_blocking=True) for values in (bits, numbers)]
        device.apply_bitmask(logits, *moved)

    return apply_grammar_bitmask


def pinned(values: Any, logits: Any) -> Any:
    """Rows or numbers in memory that is copied to the device of the logits without waiting."""
    torch: Any = import_module("torch")
    made = torch.as_tensor(values, dtype=torch.int32)
    return made.pin_memory() if logits.is_cuda else made


def replace_v2(worker: Any, devices: Devices) -> None:
    """Puts a method into the class of runner V2."""
    original = worker.apply_grammar_bitmask
    expect_parameters(
        original,
        "self",
        "logits",
        "input_batch",
        "grammar_req_ids",
        "grammar_bitmask",
        where="StructuredOutputsWorker.apply_grammar_bitmask",
    )
    used = set(worker.__init__.__code__.co_names)
    for name in ("logits_indices", "grammar_bitmask", "copy_stream", "mask_stride"):
        expect(name in used, f"vLLM's StructuredOutputsWorker has no {name}")

    @functools.wraps(original)
    def apply_grammar_bitmask(
        self: Any, logits: Any, input_batch: Any, grammar_req_ids: list[str], grammar_bitmask: Any
    ) -> None:
        device = devices.at(logits.device)
        if device is None or self.mask_stride != 1 or len(grammar_bitmask) != len(grammar_req_ids):
            original(self, logits, input_batch, grammar_req_ids, grammar_bitmask)
            return
        if not grammar_req_ids:
            return
        rows = {request: row for row, request in enumerate(input_batch.req_ids)}
        numbers = [-1] * logits.shape[0]
        for number, request in enumerate(grammar_req_ids):
            numbers[rows[request]] = number
        # On vLLM's stream of copies, beside the model. Each stream waits for the other, so its buffers serve every step.
        torch: Any = import_module("torch")
        with torch.cuda.stream(self.copy_stream):
            bits = self.grammar_bitmask[: len(grammar_bitmask)].copy_(pinned(grammar_bitmask, logits), non_blocking=True)
            moved = self.logits_indices[: len(numbers)].copy_(pinned(numbers, logits), non_blocking=True)
        current = torch.cuda.current_stream()
        current.wait_stream(self.copy_stream)
        device.apply_bitmask(logits, bits, moved)
        self.copy_stream.wait_stream(current)

    worker.apply_grammar_bitmask = apply_grammar_bitmask
