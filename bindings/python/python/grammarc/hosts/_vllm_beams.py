"""vLLM's beam search under grammarc.

``LLM.beam_search`` makes a backend for each call, by the name that the module ``backend_xgrammar`` has then. The plug-in replaces that
name too, and :func:`probe` checks that it is looked up.

Over HTTP, vLLM 0.32 and 0.33 drop the constraint of a request with ``use_beam_search``, and answer with status 200.
:func:`refuse_dropped` refuses such requests, until vLLM hands the constraint on.
"""

from __future__ import annotations

import functools
import sys
from typing import Any

from grammarc.hosts._imports import when_imported
from grammarc.hosts._serving import Tally, expect, expect_parameters

OFFLINE = "vllm.entrypoints.generate.beam_search.offline"
"""The module of ``LLM.beam_search``."""

REQUESTS = {
    "vllm.entrypoints.openai.chat_completion.protocol": "ChatCompletionRequest",
    "vllm.entrypoints.openai.completion.protocol": "CompletionRequest",
}
"""Classes of requests that may hold a constraint and ask for beams, by their modules."""

DROPPED = (
    "grammarc: vLLM does not constrain beams over HTTP; leave out use_beam_search, or what constrains the output "
    "(response_format, structured_outputs, tools)"
)
"""The refusal of a request whose constraint vLLM drops."""


def install(refusal: Any, refused: Tally) -> None:
    """Checks beam search, and makes requests over HTTP raise ``refusal`` where their constraint would be dropped.

    Modules that are imported later are checked then: an engine's process has no use for those of the HTTP server. Raises
    :class:`HostMismatch` before anything is replaced.
    """
    for name in (OFFLINE, *REQUESTS):
        if name in sys.modules:
            probe(sys.modules[name])
    when_imported(OFFLINE, probe)

    def replace(module: Any) -> None:
        probe(module)
        refuse_dropped(request_of(module), refusal, refused)

    for name in REQUESTS:
        when_imported(name, replace)


def request_of(module: Any) -> Any:
    """The class of requests of a module."""
    return getattr(module, REQUESTS[module.__name__])


def probe(module: Any) -> None:
    """Raises :class:`HostMismatch` unless a module of vLLM has the interface that the plug-in relies on."""
    if module.__name__ == OFFLINE:
        makes = module.BeamSearchOfflineMixin._init_beam_search_structured_output
        expect_parameters(makes, "self", "structured_outputs", "tokenizer", where="_init_beam_search_structured_output")
        expect(
            "XgrammarBackend" in makes.__code__.co_names,
            "vLLM's beam search does not look up XgrammarBackend when it makes a backend",
        )
        return
    request = request_of(module)
    name = request.__name__
    expect_parameters(
        request.to_beam_search_params, "self", "max_tokens", "default_sampling_params", where=f"{name}.to_beam_search_params"
    )
    expect_parameters(request.extract_structured_outputs, "self", where=f"{name}.extract_structured_outputs")


def refuse_dropped(request: Any, refusal: Any, refused: Tally) -> None:
    """Makes a class of requests raise ``refusal`` where the parameters of its beams lack the constraint of the request."""
    original = request.to_beam_search_params

    @functools.wraps(original)
    def to_beam_search_params(self: Any, *arguments: Any, **options: Any) -> Any:
        parameters = original(self, *arguments, **options)
        if self.extract_structured_outputs() is not None and parameters.structured_outputs is None:
            refused.add()
            raise refusal(DROPPED)
        return parameters

    request.to_beam_search_params = to_beam_search_params
