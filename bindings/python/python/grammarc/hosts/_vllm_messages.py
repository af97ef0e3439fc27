"""vLLM's messages, which its parsers of reasoning and of tool calls return."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from grammarc.hosts import _calls

PROTOCOL = "vllm.entrypoints.generate.base.protocol"
"""The module of messages."""

STREAM = ("self", "previous_text", "current_text", "delta_text", "previous_token_ids", "current_token_ids", "delta_token_ids")
"""Parameters of vLLM's methods that read what an output adds."""


def message(delta: _calls.Delta) -> Any:
    """Returns a message with the addition of an output, or None if nothing was added."""
    protocol: Any = import_module(PROTOCOL)
    calls = [
        protocol.DeltaToolCall(
            index=call.call,
            function=protocol.DeltaFunctionCall(**_said(name=call.name, arguments=call.arguments)),
            **(_said(id=_call_id(), type="function") if call.name else {}),
        )
        for call in delta.calls
    ]
    # vLLM sends the members that were set.
    members = _said(reasoning=delta.reasoning, content=delta.text, tool_calls=calls)
    return protocol.DeltaMessage(**members) if members else None


def _said(**members: Any) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value}


def _call_id() -> Any:
    utils: Any = import_module("vllm.renderers.chat_utils")
    return utils.make_tool_call_id()
