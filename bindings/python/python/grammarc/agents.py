"""Actions of agents: one JSON object a turn, which names a tool and its arguments, or the answer.

>>> from grammarc.agents import AgentFormat, AgentTool
>>> query = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"], "additionalProperties": False}
>>> agent = AgentFormat([AgentTool("search", "Searches the web.", query)])
>>> action = agent.parse('I look.\\n{"think": "", "action": "search", "arguments": {"query": "tides"}, "answer": null}')
>>> action.action_type, action.content
('search', {'query': 'tides'})

The format is a schema: compile :attr:`AgentFormat.schema`, or send it as a response format, and a model can write nothing else. Of
what other models write, the first object that is an action is taken, and then the tags that agents had before (``<search>`` and
others). An output that is neither raises :class:`ActionError`, whose message tells a model what an action looks like.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from grammarc import _native
from grammarc._errors import ActionError
from grammarc.schema import Schema, to_text

__all__ = ["ActionError", "AgentFormat", "AgentTool", "ParsedAction", "Tag", "extract_json_response", "tags", "with_end"]


@dataclass(frozen=True)
class AgentTool:
    """A tool of an agent."""

    name: str
    """Its name, which the action is."""
    description: str
    """What it does, for prompts."""
    arguments: Schema
    """What its arguments have to be: a schema of an object, or a model."""


@dataclass(frozen=True)
class ParsedAction:
    """An action that was read."""

    action_type: str
    """The tool, or ``answer``; for tags, the tag's name."""
    content: Any
    """The arguments of a tool, the text of an answer; for tags what stands in them, that of ``tools_call`` as JSON."""
    raw_json: str | None
    """The object as it was written; none for tags."""


class Tag(NamedTuple):
    """A tag with what stands in it."""

    name: str
    content: str


class AgentFormat:
    """The actions that an agent may take: its tools, and ``answer``. May be shared between threads."""

    def __init__(self, tools: Iterable[AgentTool]) -> None:
        """Raises :class:`grammarc.SourceError` where two actions have one name, or arguments are no schema."""
        self.tools = tuple(tools)
        self._inner = _native.Actions([(tool.name, tool.description, to_text(tool.arguments)) for tool in self.tools])
        self.schema: dict[str, Any] = json.loads(self._inner.schema())
        """The schema of all actions."""

    def parse(self, output: str) -> ParsedAction:
        """The action that an output has: its first object that is one, else its first tag but for ``think``, else that.

        Raises :class:`ActionError` where it has none, or the object is not what the action's schema says.
        """
        action, content, raw = self._inner.parse(output)
        return ParsedAction(action, json.loads(content), raw)

    def forced(self, action: str, arguments: Any) -> str:
        """An action as a model would write it, for turns that are forced. Raises :class:`ActionError` where it is none."""
        return self._inner.forced(action, json.dumps(arguments))


def extract_json_response(text: str, actions: Sequence[str] | None = None) -> dict[str, Any] | None:
    """The first object in a text that has the four fields of an action, and one of these actions where they are given."""
    raw = _native.extract_json_response(text, None if actions is None else list(actions))
    return None if raw is None else json.loads(raw)


def tags(text: str) -> list[Tag]:
    """The tags of a text (``answer``, ``search``, ``think``, ``bbox``, ``tools_call``) from left to right."""
    return [Tag(*tag) for tag in json.loads(_native.agent_tags(text))]


def with_end(text: str, end: str) -> str:
    """A text with an end behind it, once: what a stop string took away."""
    return text if text.endswith(end) else text + end
