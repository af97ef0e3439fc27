"""transformers: grammars in continuous batching.

    manager = model.init_continuous_batching(...)
    held = GrammarContinuousProcessor({"person": grammar}, model)
    held.install(manager)
    manager.start()
    manager.add_request(input_ids, grammar="person")

The batch of a step holds one new token of each of some requests. ``prepare_tensor_args`` runs before the model, knows the requests and
their tokens, and writes a row of the mask for each of them; ``__call__`` runs behind the model, on the device and perhaps in a captured
graph, and masks the scores by row numbers. So the mask has one place on the device for as long as the manager lives.

Positions are found by the tokens of a request: a request that was started again or forked begins anew and accepts what there is.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]
from transformers.generation.continuous_batching import (  # type: ignore[import-not-found,unused-ignore]
    cb_logits_processors,
)

from grammarc._errors import TokenRefused
from grammarc._native import Grammar, Matcher, fill_batch
from grammarc.hosts import _torch
from grammarc.hosts._sequences import expect_width
from grammarc.hosts._serving import expect, expect_parameters
from grammarc.hosts._transformers import width_of

_BITS = 32

_Base: Any = cb_logits_processors.ContinuousBatchingLogitsProcessor


def probe() -> None:
    """Raises :class:`HostMismatch` unless processors of continuous batching have the interface that this one is written for."""
    methods = {
        "fill_defaults": ("self", "int32_tensor"),
        "prepare_tensor_args": ("self", "requests_with_new_token"),
        "__call__": ("self", "scores", "tensor_arg"),
    }
    expect(
        _Base.__abstractmethods__ == set(methods),
        f"processors of transformers' continuous batching have the methods {sorted(_Base.__abstractmethods__)}",
    )
    for name, parameters in methods.items():
        expect_parameters(getattr(_Base, name), *parameters, where=f"ContinuousBatchingLogitsProcessor.{name}")


class GrammarContinuousProcessor(_Base):  # type: ignore[misc,unused-ignore]
    """Holds requests of a continuous batch to grammars: each to the one that it names with ``grammar=``, others to none.

    ``grammars`` are by name, and more may be added while requests run. The model's rows of logits have to be as long as their
    vocabulary says. End tokens are those of the request, and the vocabulary's where it has none.

    One processor belongs to one manager. It comes before all other processors, so ``top_k`` and ``top_p`` choose among what the grammar
    allows.
    """

    supported_kwargs: dict[str, type] = {"grammar": str}
    ignored_kwargs: tuple[str, ...] = ()

    def __init__(self, grammars: Mapping[str, Grammar], model: object) -> None:
        probe()
        self._width = width_of(model)
        self._grammars: dict[str, Grammar] = {}
        self._sequences: OrderedDict[str, _Sequence] = OrderedDict()
        self._capacity = 0
        self._host = self._device = torch.empty((0, 0), dtype=torch.int32)
        for name, grammar in grammars.items():
            self.add(name, grammar)

    def add(self, name: str, grammar: Grammar) -> None:
        """Adds a grammar, or replaces the one of this name for requests that begin later. Raises ``ValueError`` where the model's rows
        are not as long as its vocabulary says."""
        if self._width is not None:
            expect_width(grammar.vocabulary, self._width)
        self._grammars[name] = grammar

    def remove(self, name: str) -> None:
        """Removes a grammar. Requests that have begun keep it. Raises ``KeyError`` where there is none of this name."""
        del self._grammars[name]

    def install(self, manager: Any) -> None:
        """Puts the processor into a manager that has not been started.

        Raises ``ValueError`` for asynchronous batching, where tokens come a step late, and for a manager that has started already.
        ``manager.add_request`` raises ``ValueError`` for a grammar that there is not, from then on.
        """
        config = manager.continuous_batching_config
        if config.use_async_batching:
            raise ValueError(
                "with asynchronous batching the tokens of a step are not known when the next one's masks are made: set "
                "use_async_batching=False in the ContinuousBatchingConfig"
            )
        if manager.batch_processor is not None:
            raise ValueError("the manager has started: install the processor between init_continuous_batching and start")
        if self._capacity:
            raise ValueError("the processor is in a manager already; make one for each manager")
        most, width = config.max_requests_per_batch, self._width
        if width is None:
            raise ValueError("the model's configuration has no vocab_size, so the length of its rows is unknown")
        self._capacity = 2 * most
        words = -(-width // _BITS)
        pinned = manager.model.device.type == "cuda"
        self._host = torch.full((most, words), -1, dtype=torch.int32, pin_memory=pinned)
        self._device = torch.full((most, words), -1, dtype=torch.int32, device=manager.model.device)
        held = manager.logit_processor
        held.logits_processor.insert(0, self)
        held.tensors_required += 1
        held.supported_keys.update(self.supported_kwargs)
        held.do_processing = True
        self._check_names(manager)

    def _check_names(self, manager: Any) -> None:
        """Makes a manager refuse names of grammars that there are not, when a request is added."""
        add_request = manager.add_request

        def checked(*arguments: Any, **options: Any) -> Any:
            name = options.get("grammar")
            if name is not None and name not in self._grammars:
                known = ", ".join(sorted(self._grammars)) or "none"
                raise ValueError(f"there is no grammar {name!r}; there are: {known}")
            return add_request(*arguments, **options)

        manager.add_request = checked

    def fill_defaults(self, int32_tensor: torch.Tensor) -> None:
        """Row 0, for places of a padded batch that nobody reads."""
        int32_tensor.zero_()

    def prepare_tensor_args(self, requests_with_new_token: Sequence[Any]) -> torch.Tensor:
        """Writes the masks of a batch, and returns the number of the row of each request."""
        count = len(requests_with_new_token)
        self._host[:count] = -1
        rows: list[int] = []
        matchers: list[Matcher] = []
        for row, request in enumerate(requests_with_new_token):
            matcher = self._position(request.state)
            if matcher is not None:
                rows.append(row)
                matchers.append(matcher)
        if matchers:
            fill_batch(matchers, self._host, rows)
        # Not asynchronously: what is launched next reads it, on another stream perhaps.
        self._device[:count].copy_(self._host[:count])
        while len(self._sequences) > self._capacity:
            self._sequences.popitem(last=False)
        return torch.arange(count, dtype=torch.int32)

    def __call__(self, scores: torch.Tensor, tensor_arg: torch.Tensor) -> torch.Tensor:
        words = self._device.index_select(0, tensor_arg[: scores.shape[0]])
        scores = scores.clone()
        _torch.apply_words(scores, words)
        return scores

    def _position(self, state: Any) -> Matcher | None:
        """The position of a request before its next token; None without a grammar. Raises :class:`TokenRefused` where a token that
        its mask forbade was chosen."""
        name = state.logit_processor_kwargs.get("grammar")
        if name is None:
            return None
        output = _Output(state)
        sequence = self._sequences.pop(state.request_id, None)
        if sequence is None or not sequence.goes_on(name, output):
            grammar = self._grammars.get(name)
            if grammar is None:
                raise ValueError(f"the grammar {name!r} of request {state.request_id} was removed before it began")
            ends = _end_tokens(state)
            matcher = grammar.matcher(end_tokens=ends or None, logit_width=self._width, rollback_window=0)
            sequence = _Sequence(name, matcher)
        self._sequences[state.request_id] = sequence
        sequence.accept(output, state.request_id)
        return sequence.matcher


class _Sequence:
    """A request that runs: its grammar, its position and how many of its tokens were accepted."""

    def __init__(self, name: str, matcher: Matcher) -> None:
        self.name = name
        self.matcher = matcher
        self._last = -1
        self._count = 0

    def goes_on(self, name: str, output: _Output) -> bool:
        """Whether an output goes on from this position. A request without tokens is a new one of the same id."""
        count = self._count
        return name == self.name and 0 < count <= len(output) and output.since(count - 1)[0] == self._last

    def accept(self, output: _Output, request: str) -> None:
        """Accepts what is new."""
        new = output.since(self._count)
        if not new:
            return
        accepted = self.matcher.accept_many(new)
        if accepted < len(new) and not self.matcher.is_finished:
            raise TokenRefused(
                f"token {new[accepted]} was chosen for request {request}, and its mask forbade it: a processor behind the grammar's "
                "overrides masks",
                new[accepted],
            )
        self._count, self._last = len(output), new[-1]


class _Output:
    """The tokens that were generated for a request. One that was started again has the earlier ones behind its prompt."""

    def __init__(self, state: Any) -> None:
        prompt = state._true_initial_tokens
        self._initial: list[int] = state.initial_tokens
        self._prompt = prompt or len(self._initial)
        self._generated: list[int] = state.generated_tokens

    def __len__(self) -> int:
        return len(self._initial) - self._prompt + len(self._generated)

    def since(self, count: int) -> list[int]:
        """The tokens behind the first ones, in the time that it takes to copy them."""
        before = self._initial[self._prompt + count :]
        return before + self._generated[max(0, count - (len(self._initial) - self._prompt)) :]


def _end_tokens(state: Any) -> list[int]:
    """The end tokens of a request."""
    ends = state.eos_token_id
    listed = [ends] if isinstance(ends, int) else list(ends or ())
    return [token for token in listed if token >= 0]
