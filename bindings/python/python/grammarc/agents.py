"""Actions of agents: one JSON object a turn, which names a tool and its arguments, or the answer.

>>> from grammarc.agents import AgentFormat, AgentTool
>>> query = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"], "additionalProperties": False}
>>> agent = AgentFormat([AgentTool("search", "Searches the web.", query)])
>>> action = agent.parse('I look.\\n{"think": "", "action": "search", "arguments": {"query": "tides"}, "answer": null}')
>>> action.action_type, action.content
('search', 'tides')

The format is a schema: compile :attr:`AgentFormat.schema`, or send it as a response format, and a model can write nothing else. Of
what other models write, the first object that is an action is taken, and then the tags that agents had before (``<search>`` and
others). An output that is neither raises :class:`ActionError`, whose message tells a model what an action looks like.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from grammarc import _native
from grammarc._errors import ActionError
from grammarc.schema import Schema, to_text

__all__ = [
    "ActionError",
    "AgentFormat",
    "AgentTool",
    "ParsedAction",
    "Tag",
    "extract_json_object",
    "extract_json_response",
    "tags",
    "with_end",
]


@dataclass(frozen=True)
class AgentTool:
    """A tool of an agent."""

    name: str
    """Its name, which the action is."""
    description: str
    """What it does, for prompts."""
    arguments: Schema
    """What its arguments have to be: a schema of an object, or a model."""
    content: str | Literal[False] | None = None
    """The argument that is returned as the content of an action; ``False`` returns all arguments. By default it is ``query`` for a tool ``search``
    that has such an argument, and all arguments for other tools."""


@dataclass(frozen=True)
class ParsedAction:
    """An action that was read."""

    action_type: str
    """The tool, or ``answer``; for tags, the tag's name."""
    content: Any
    """The text of an answer. For tools, the argument that :attr:`AgentTool.content` names, or all arguments. For tags, their text;
    for ``tools_call``, the value of that text."""
    raw_json: str | None
    """The object as it was written; none for tags."""


class Tag(NamedTuple):
    """A tag with what stands in it."""

    name: str
    content: str


class AgentFormat:
    """The actions that an agent may take: its tools, and ``answer``. May be shared between threads."""

    def __init__(self, tools: Iterable[AgentTool]) -> None:
        """Raises :class:`grammarc.SourceError` where two actions have one name, arguments are no schema, or a content is none of the
        arguments.
        """
        self.tools = tuple(tools)
        self._inner = _native.Actions(
            [(tool.name, tool.description, to_text(tool.arguments), tool.content or None, tool.content is False) for tool in self.tools]
        )
        self.schema: dict[str, Any] = json.loads(self._inner.schema())
        """The schema of all actions."""

    def parse(self, output: str) -> ParsedAction:
        """The action that an output has: its first object that is one, else its first tag but for ``think``, else that.

        Raises :class:`ActionError` where it has none, or the object is not what the action's schema says.
        """
        action, content, raw = self._inner.parse(output)
        return ParsedAction(action, json.loads(content), raw)

    def postprocess_predictions(self, outputs: Iterable[str]) -> tuple[list[str | None], list[Any]]:
        """The actions and the contents of some outputs, as :meth:`parse` reads them. Both are ``None`` for an output without an action:
        send the model the message of :meth:`parse`.
        """
        actions, contents = self._inner.postprocess_predictions(list(outputs))
        return actions, [None if content is None else json.loads(content) for content in contents]

    def postprocess_responses(self, outputs: Iterable[str], end: str) -> list[str]:
        """The outputs as they go into a conversation: the object of the action as it was written, else the tags up to the one that is
        the action, a line each, else the whole output. ``end``, such as the model's end token, stands behind each once.
        """
        return self._inner.postprocess_responses(list(outputs), end)

    def failed(self, action: str, reason: str) -> str:
        """The message to the model for an action that was right in form and failed when it was executed: the reason, and what the
        action looks like.
        """
        return self._inner.failed(action, reason)

    def forced(self, action: str, content: Any, think: str = "") -> str:
        """Formats an action as a model would write it, to force a turn. ``content`` is the text of an answer, or what :meth:`parse` returns
        as the content of a tool; all arguments of the tool as one object work too. Raises :class:`ActionError` if they are invalid.
        """
        return self._inner.forced(action, json.dumps(content), think)


def extract_json_response(text: str, actions: Sequence[str] | None = None) -> str | None:
    """The first object in a text that has the four fields of an action, and one of these actions where they are given, as it was
    written. ``None`` where there is no such object.
    """
    return _native.extract_json_response(text, None if actions is None else list(actions))


def extract_json_object(text: str, actions: Sequence[str] | None = None) -> dict[str, Any] | None:
    """The value of :func:`extract_json_response`."""
    raw = extract_json_response(text, actions)
    return None if raw is None else json.loads(raw)


def tags(text: str) -> list[Tag]:
    """The tags of a text (``answer``, ``search``, ``think``, ``bbox``, ``tools_call``) from left to right."""
    return [Tag(*tag) for tag in json.loads(_native.agent_tags(text))]


def with_end(text: str, end: str) -> str:
    """A text with an end behind it, once: what a stop string took away."""
    return text if text.endswith(end) else text + end
