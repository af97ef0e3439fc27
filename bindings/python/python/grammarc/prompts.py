"""Prompts by name: templates, the kind of response that each wants, and the response as that.

>>> from grammarc.prompts import Prompt, PromptManager
>>> manager = PromptManager()
>>> manager.add("towns", Prompt("List the towns in: {{ text }}", "jsonl", schema={"type": "string"}))
>>> manager.render("towns", text="From Oslo to Rome.").prompt
'List the towns in: From Oslo to Rome.'
>>> towns = manager.take("towns", '"Oslo"\\n5\\n"Rome"\\n"Pa')
>>> towns, [line.line for line in towns.skipped], towns.truncated
(['Oslo', 'Rome'], [2, 4], True)

Prompts may also come from a configuration. It is either ``{"system": ..., "templates": {ID: {"prompt": ..., ...}}}``, or
TrustGraph's table of texts that are JSON, with the keys ``system``, ``template-index`` and ``template.ID``. ``grammarc serve
--prompts`` reads the same files. Templates are Jinja.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from grammarc import _native
from grammarc._errors import PromptError
from grammarc._prompt_replies import Items
from grammarc.jsonl import _of
from grammarc.schema import Schema, to_text

if TYPE_CHECKING:
    from grammarc.client import AsyncClient, Client

__all__ = ["Items", "Prompt", "PromptError", "PromptManager", "RenderedPrompt", "Wanted", "group_by_type"]

Kind = Literal["text", "json", "jsonl"]

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Prompt:
    """A prompt."""

    template: str
    """The template, in Jinja."""
    response_type: Kind = "text"
    """The kind of its response."""
    terms: Mapping[str, Any] | None = None
    """Default terms; those of the input replace them."""
    schema: Schema | None = None
    """The schema of the response: of the whole value for ``json``, of each line for ``jsonl``."""


class RenderedPrompt(NamedTuple):
    """A prompt with its terms in place."""

    system: str
    prompt: str

    @property
    def messages(self) -> list[dict[str, str]]:
        """The same as a conversation."""
        return [{"role": "system", "content": self.system}, {"role": "user", "content": self.prompt}]


@dataclass(frozen=True)
class Wanted:
    """The kind of response that a prompt wants, and its schema."""

    kind: Kind
    schema: Any


class PromptManager:
    """Prompts by their ids. May be shared between threads."""

    def __init__(self, config: Mapping[str, Any] | None = None, terms: Mapping[str, Any] | None = None) -> None:
        """Loads a configuration, if one is given. ``terms`` are template variables of all prompts.

        Raises :class:`grammarc.SourceError` that names the key and what is expected there.
        """
        text = None if config is None else json.dumps(dict(config))
        self._inner = _native.Prompts(text, json.dumps(dict(terms or {})))

    @classmethod
    def from_file(cls, path: str | PathLike[str], terms: Mapping[str, Any] | None = None) -> PromptManager:
        """Loads the configuration of a file, as ``grammarc serve --prompts`` does."""
        manager = cls.__new__(cls)
        manager._inner = _native.Prompts(Path(path).read_text(encoding="utf-8"), json.dumps(dict(terms or {})))
        return manager

    def add(self, id: str, prompt: Prompt) -> None:
        """Adds a prompt, in place of the one that has its id. Raises :class:`grammarc.SourceError`; the manager is unchanged then."""
        schema = None if prompt.schema is None else to_text(prompt.schema)
        self._inner.add(id, prompt.template, prompt.response_type, schema, json.dumps(dict(prompt.terms or {})))

    def set_system(self, template: str) -> None:
        """Sets the template of the system message, which is ``Be helpful.`` by default. Raises :class:`grammarc.SourceError`."""
        self._inner.set_system(template)

    @property
    def ids(self) -> list[str]:
        """The ids, in the order in which the prompts were added."""
        return self._inner.ids()

    def wants(self, id: str) -> Wanted:
        """The kind of response that a prompt wants. Raises :class:`PromptError` where there is no such prompt."""
        kind, schema = self._inner.wants(id)
        return Wanted(cast(Kind, kind), None if schema is None else json.loads(schema))

    def render(self, id: str, /, **terms: Any) -> RenderedPrompt:
        """Renders the template of a prompt with these variables. Raises :class:`PromptError`."""
        return RenderedPrompt(*self._inner.render(id, json.dumps(terms)))

    def take(self, id: str, text: str, *, cut: bool = False) -> Any:
        """A response as the prompt wants it: the text, a value, or :class:`Items` of lines of JSON. Lines that are no items are in
        :attr:`Items.skipped`, and each is logged as a warning. ``cut`` says that the text was cut, such as by ``max_tokens``.

        Raises :class:`PromptError` where the text of a ``json`` prompt is no JSON, or no instance of the schema.
        """
        taken = self._inner.take(id, text, cut)
        kind, _ = self._inner.wants(id)
        if kind == "text":
            return taken
        if kind == "json":
            return json.loads(taken)
        items = Items.of(_of(taken))
        for line in items.skipped:
            logger.warning("prompt %s: line %d is no item: %s", id, line.line, line.reason)
        if items.warning:
            logger.warning("prompt %s: %s", id, items.warning)
        return items

    def invoke(self, client: Client, id: str, terms: Mapping[str, Any], **fields: Any) -> Any:
        """Asks a server, under the prompt's schema, and takes the response. ``fields`` are those of :meth:`Client.chat`. Lines of
        JSON are asked for by ``structured_outputs.grammar``: any server that has grammarc takes that.
        """
        rendered = self.render(id, **terms)
        reply = client.chat(rendered.messages, **self._fields(id, fields))
        return self.take(id, reply.text, cut=reply.truncated)

    async def invoke_async(self, client: AsyncClient, id: str, terms: Mapping[str, Any], **fields: Any) -> Any:
        """See :meth:`invoke`."""
        rendered = self.render(id, **terms)
        reply = await client.chat(rendered.messages, **self._fields(id, fields))
        return self.take(id, reply.text, cut=reply.truncated)

    def _fields(self, id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request with the prompt's constraint among them."""
        wanted = self.wants(id)
        if wanted.kind == "json":
            if wanted.schema is None:
                return {"response_format": {"type": "json_object"}, **fields}
            return {"schema": wanted.schema, **fields}
        if wanted.kind == "jsonl":
            return {"structured_outputs": {"grammar": self._inner.lines_grammar(id)}, **fields}
        return dict(fields)


def group_by_type(items: Iterable[Any]) -> dict[str | None, list[Any]]:
    """Items by the string in their member ``type``, which distinguishes the branches of a union. Items without such a member are
    under ``None``.

    >>> group_by_type([{"type": "definition", "entity": "DNA"}, {"entity": "RNA"}])
    {'definition': [{'type': 'definition', 'entity': 'DNA'}], None: [{'entity': 'RNA'}]}
    """
    groups: dict[str | None, list[Any]] = {}
    for item in items:
        kind = item.get("type") if isinstance(item, dict) else None
        groups.setdefault(kind if isinstance(kind, str) else None, []).append(item)
    return groups
