"""vLLM, model runner V2: grammars as a logits processor, with masks and positions on the device.

    vllm serve MODEL --logits-processors grammarc.hosts.vllm_resident:GrammarLogitsProcessor

Requests ask by ``extra_args``, over HTTP by ``vllm_xargs``: ``{"grammarc": "{\\"json\\": {...}}"}``, an object as in
``structured_outputs`` or its text. To vLLM's scheduler they are requests without structure: none of its steps waits for their grammars,
and nothing is sent to the workers for them. A call takes in each slot the token that was fed in, and masks the logits, both on the
device.

The host reads four bytes of status a slot after taking tokens, and takes those in a matcher of its own that the device leaves to it:
vLLM cannot give back a token that was sampled without a mask, so :meth:`GrammarLogitsProcessor.apply` waits for them.

Grammars are compiled where a request enters the worker's batch, for there is no state in which it could wait: keep them in
``GRAMMARC_ARTIFACTS`` or ``GRAMMARC_CACHE``. A source that is refused there gives an empty answer, and the reason is in the log; errors in
sources are found earlier, by the API process.
"""

from __future__ import annotations

import dataclasses
import json
import logging
from collections import OrderedDict
from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

from grammarc import cuda
from grammarc._errors import GrammarcError
from grammarc._native import Grammar, Matcher
from grammarc.hosts import _devices
from grammarc.hosts._requests import ANY_OBJECT, constraint_of
from grammarc.hosts._serving import (
    ARTIFACT,
    Checker,
    HostMismatch,
    OnlyXgrammar,
    Server,
    Settings,
    expect_parameters,
    json_text,
)

__all__ = ["GrammarLogitsProcessor", "HostMismatch"]

logger = logging.getLogger("vllm.grammarc")

ARGUMENT = "grammarc"
"""The request's argument."""

_INSTEAD = "use GRAMMARC_VLLM=1 and structured_outputs"
_KEPT = 256
"""Grammars that are kept on the device for later requests."""
_NEVER = 2**31 - 1
"""A position that no token has."""

_checker = Checker()


def _base() -> Any:
    """vLLM's class. Raises :class:`HostMismatch` where there is none, or another."""
    try:
        found: Any = import_module("vllm.v1.worker.gpu.sample.logits_processor").LogitsProcessor
    except (ImportError, AttributeError) as error:
        raise HostMismatch(f"this vLLM has no logits processors of model runner V2: {error}; {_INSTEAD}") from error
    expect_parameters(found.__init__, "self", "vllm_config", "req_states", where="LogitsProcessor")
    expect_parameters(found.validate_params, "sampling_params", where="LogitsProcessor.validate_params")
    expect_parameters(found.add_request, "self", "req_idx", "sampling_params", where="LogitsProcessor.add_request")
    expect_parameters(found.apply_staged_writes, "self", where="LogitsProcessor.apply_staged_writes")
    expect_parameters(found.apply, "self", "logits", "ctx", where="LogitsProcessor.apply")
    return found


class Source(NamedTuple):
    """What a request is held to."""

    kind: str
    text: str
    is_any_object: bool = False


def source_of(sampling_params: Any) -> Source | None:
    """What a request asks for; None where it asks for nothing. Raises ``ValueError``."""
    given = (sampling_params.extra_args or {}).get(ARGUMENT)
    if given is None:
        return None
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"{ARGUMENT}: not the text of a JSON object: {error}") from error
    if not isinstance(given, Mapping):
        raise ValueError(f"{ARGUMENT}: an object is needed, as in structured_outputs")
    if set(given) == {"structural_tag"}:
        return Source("structural_tag", json_text(given["structural_tag"]))
    if set(given) == {ARTIFACT} and isinstance(given[ARTIFACT], str):
        return Source(ARTIFACT, given[ARTIFACT])
    found = constraint_of({"structured_outputs": given})
    if found is None:
        raise ValueError(f"{ARGUMENT}: the object is empty")
    kind = "ebnf" if found.kind == "gbnf" else found.kind
    return Source(kind, json_text(found.source), found.source is ANY_OBJECT)


class _Held(NamedTuple):
    """A request in its slot."""

    matcher: Matcher
    """Where the host is: behind the tokens that it has taken, which are few where the device takes them."""
    resident: cuda.Grammar
    prompt: int
    """Tokens of the prompt."""
    filled: int
    """Tokens that it enters with: more than the prompt's where it was preempted."""


class GrammarLogitsProcessor(_base()):  # type: ignore[misc]
    """Holds requests to the grammars that they ask for. Drafts are not supported, and with several ranks grammars are those of
    ``GRAMMARC_ARTIFACTS``: ranks must not differ in what met a deadline."""

    def __init__(self, vllm_config: Any, req_states: Any) -> None:
        super().__init__(vllm_config, req_states)
        import torch  # type: ignore[import-not-found,unused-ignore]

        if vllm_config.speculative_config is not None:
            raise ValueError(f"grammarc's logits processor takes no drafts; without it, {_INSTEAD}")
        settings = Settings.from_environment()
        if vllm_config.parallel_config.world_size > 1:
            # No compilation is done in this time, so what is found decides alone.
            settings = dataclasses.replace(settings, cache=None, seconds=1e-9)
        self._torch = torch
        self._states = req_states
        self._compact = bool(vllm_config.structured_outputs_config.disable_any_whitespace)
        self._server = Server(self._tokenizer(vllm_config), req_states.vocab_size, settings)
        # A second, which requests are not to wait for.
        self._nothing = self._server.compiler.regex("", limits={"timeout": 300.0})
        self._device = self._open(req_states.device, settings)
        count = req_states.max_num_reqs
        self._slots = self._device.slots(count)
        self._held: list[_Held | None] = [None] * count
        self._taken = [0] * count
        self._staged: dict[int, None] = {}
        # By source and end tokens, the last used one last.
        self._grammars: OrderedDict[tuple[Source, tuple[int, ...]], tuple[Matcher, cuda.Grammar]] = OrderedDict()
        self._refused: set[int] = set()
        # By slot, on the device: its place or -1, and the position of the last token that is taken.
        self._places = torch.full((count,), -1, dtype=torch.int32, device=req_states.device)
        self._last = torch.full((count,), _NEVER, dtype=torch.int64, device=req_states.device)

    @staticmethod
    def _tokenizer(vllm_config: Any) -> Any:
        return import_module("vllm.tokenizers").cached_tokenizer_from_config(vllm_config.model_config)

    @staticmethod
    def _open(device: Any, settings: Settings) -> cuda.Device:
        ordinal = _devices.current() if device.index is None else device.index
        return cuda.Device(ordinal, pool_bytes=settings.gpu_bytes)

    @classmethod
    def validate_params(cls, sampling_params: Any) -> None:
        """Raises ``ValueError`` where a request's source has errors. In the API process."""
        source = source_of(sampling_params)
        if source is None:
            return
        if sampling_params.structured_outputs is not None:
            raise ValueError(f"{ARGUMENT} and structured_outputs exclude each other")
        try:
            _checker.check(source.kind, json.loads(source.text) if source.kind == "choice" else source.text)
        except OnlyXgrammar as error:
            raise ValueError(f"{error} ({_INSTEAD} for what XGrammar takes)") from error

    def add_request(self, req_idx: int, sampling_params: Any) -> bool:
        """Binds a slot to what its request asks for, or to nothing."""
        slot, source = int(req_idx), source_of(sampling_params)
        self._staged[slot] = None
        self._taken[slot] = 0
        self._refused.discard(slot)
        if source is None:
            self._held[slot] = None
            return False
        matcher, resident = self._start(source, tuple(sorted(sampling_params.all_stop_token_ids)))
        states = self._states
        self._held[slot] = _Held(matcher, resident, int(states.prompt_len.np[slot]), int(states.prefill_len.np[slot]))
        return True

    def _start(self, source: Source, ends: tuple[int, ...]) -> tuple[Matcher, cuda.Grammar]:
        """Where a request begins, and its grammar on the device."""
        key = source, ends
        if key in self._grammars:
            self._grammars.move_to_end(key)
        else:
            self._grammars[key] = self._loaded(source, ends)
            while len(self._grammars) > _KEPT:
                self._grammars.popitem(last=False)
        start, resident = self._grammars[key]
        return start.fork(), resident

    def _loaded(self, source: Source, ends: tuple[int, ...]) -> tuple[Matcher, cuda.Grammar]:
        try:
            return self._upload(self._compile(source), ends)
        except (ValueError, GrammarcError) as error:
            # To raise would end the server; to go on without a grammar would answer freely.
            logger.error("a request is answered with nothing, since it has no grammar: %s", error)
        return self._upload(self._nothing, ends)

    def _upload(self, grammar: Grammar, ends: tuple[int, ...]) -> tuple[Matcher, cuda.Grammar]:
        start = grammar.matcher(end_tokens=list(ends) or None, logit_width=self._states.vocab_size, rollback_window=0)
        while True:
            try:
                return start, self._device.upload(start)
            except GrammarcError:
                if not self._grammars:
                    raise
                # Those that no slot has give their memory back.
                self._grammars.popitem(last=False)

    def _compile(self, source: Source) -> Grammar:
        server = self._server
        if source.kind == "json_schema":
            return server.json_schema(source.text, compact=self._compact, closed=not source.is_any_object)
        given = json.loads(source.text) if source.kind == "choice" else source.text
        try:
            return server.compile(source.kind, given, compact=self._compact)
        except OnlyXgrammar as error:
            raise ValueError(str(error)) from error

    def apply_staged_writes(self) -> None:
        """Writes the slots that were bound since the step before."""
        if not self._staged:
            return
        slots = list(self._staged)
        self._staged.clear()
        places, last = [], []
        for slot in slots:
            held = self._held[slot]
            if held is None:
                self._slots.release(slot)
                places.append(-1)
                last.append(_NEVER)
                continue
            if held.filled > held.prompt:
                self._take(slot, held, self._states.all_token_ids.gpu[slot, held.prompt : held.filled].tolist())
            self._slots.write(slot, held.resident, held.matcher)
            places.append(slot)
            last.append(held.filled - 1)
        at = self._on_device(slots, self._torch.int64)
        self._places[at] = self._on_device(places, self._torch.int32)
        self._last[at] = self._on_device(last, self._torch.int64)

    def _on_device(self, values: list[int], dtype: Any) -> Any:
        device = self._states.device
        made = self._torch.tensor(values, dtype=dtype, pin_memory=device.type == "cuda")
        return made.to(device, non_blocking=True)

    def apply(self, logits: Any, ctx: Any) -> Any:
        """Takes the tokens that were fed in, and masks the logits, in place. A call with tokens that were taken masks alone."""
        bound = [(row, int(slot)) for row, slot in enumerate(ctx.idx_mapping_np) if self._held[slot] is not None]
        if not bound:
            return logits
        torch, slots = self._torch, ctx.expanded_idx_mapping.long()
        position, last = ctx.pos.long(), self._last[slots]
        tokens = torch.where(position > last, ctx.input_ids, -1).int()
        self._last[slots] = torch.maximum(position, last)
        self._slots.advance(tokens, slots.int())
        self._take_over(bound, ctx)
        self._slots.apply(logits, self._places[slots])
        return logits

    def _take_over(self, bound: list[tuple[int, int]], ctx: Any) -> None:
        """Takes on the host what the device left to it. Waits for the device."""
        statuses = self._slots.statuses()
        for row, slot in bound:
            held, status = self._held[slot], statuses[slot]
            assert held is not None
            if status.waits_for_host and int(ctx.pos[row]) >= held.filled and not held.matcher.is_finished:
                # The token that is fed in was sampled, and stands behind those that were sampled before.
                position = int(ctx.pos[row])
                before = self._states.all_token_ids.gpu[slot, held.prompt : position].tolist()
                self._take(slot, held, [*before, int(ctx.input_ids[row])])
                self._slots.write(slot, held.resident, held.matcher)
            elif status.refused and slot not in self._refused:
                self._refused.add(slot)
                logger.error("the token %d of slot %d is not allowed", int(ctx.input_ids[row]), slot)

    def _take(self, slot: int, held: _Held, generated: list[int]) -> None:
        """Takes all generated tokens of a slot that the host has not taken."""
        fresh = generated[self._taken[slot] :]
        accepted = held.matcher.accept_many(fresh)
        self._taken[slot] = len(generated)
        if accepted < len(fresh) and not held.matcher.is_finished:
            logger.error("the token %d of slot %d is not allowed", fresh[accepted], slot)
