"""Prompts by name: templates, the kind of response that each wants, and the response as that.

>>> from grammarc.prompts import PromptManager
>>> manager = PromptManager({
...     "system": "Be brief.",
...     "templates": {"towns": {"prompt": "List the towns in: {{ text }}", "response-type": "jsonl", "schema": {"type": "string"}}},
... })
>>> manager.render("towns", text="From Oslo to Rome.").prompt
'List the towns in: From Oslo to Rome.'
>>> manager.take("towns", '"Oslo"\\n"Rome"\\n"Pa')
['Oslo', 'Rome']

A configuration is either an object as above, or TrustGraph's table of texts that are JSON, with the keys ``system``,
``template-index`` and ``template.ID``. Templates are Jinja.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from grammarc import _native
from grammarc._errors import PromptError

if TYPE_CHECKING:
    from grammarc.client import AsyncClient, Client

__all__ = ["PromptError", "PromptManager", "RenderedPrompt", "Wanted"]

Kind = Literal["text", "json", "jsonl"]


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

    def __init__(self, config: Mapping[str, Any], terms: Mapping[str, Any] | None = None) -> None:
        """Loads a configuration. ``terms`` are those of all prompts.

        Raises :class:`grammarc.SourceError` that names the key, where a template is none, a schema is none, or a value is not of
        the kind that it has to be.
        """
        self._inner = _native.Prompts(_table(config), json.dumps(dict(terms or {})))

    @property
    def ids(self) -> list[str]:
        """The ids, in the order of the index."""
        return self._inner.ids()

    def wants(self, id: str) -> Wanted:
        """The kind of response that a prompt wants. Raises :class:`PromptError` where there is no such prompt."""
        kind, schema = self._inner.wants(id)
        return Wanted(cast(Kind, kind), None if schema is None else json.loads(schema))

    def render(self, id: str, /, **terms: Any) -> RenderedPrompt:
        """A prompt with terms in place. Raises :class:`PromptError`."""
        return RenderedPrompt(*self._inner.render(id, json.dumps(terms)))

    def take(self, id: str, text: str) -> Any:
        """A response as the prompt wants it: the text, a value, or the items of lines of JSON, of which lines that are none are left
        out. Raises :class:`PromptError` where the text is no JSON, or none of the schema.
        """
        taken = self._inner.take(id, text)
        return taken if self.wants(id).kind == "text" else json.loads(taken)

    def invoke(self, client: Client, id: str, terms: Mapping[str, Any], **fields: Any) -> Any:
        """Asks a server, under the prompt's schema, and takes the response. ``fields`` are those of :meth:`Client.chat`."""
        rendered = self.render(id, **terms)
        return self.take(id, client.chat(rendered.messages, **self._fields(id, fields)).text)

    async def invoke_async(self, client: AsyncClient, id: str, terms: Mapping[str, Any], **fields: Any) -> Any:
        """See :meth:`invoke`."""
        rendered = self.render(id, **terms)
        reply = await client.chat(rendered.messages, **self._fields(id, fields))
        return self.take(id, reply.text)

    def _fields(self, id: str, fields: Mapping[str, Any]) -> dict[str, Any]:
        """The fields of a request with the prompt's constraint among them."""
        wanted = self.wants(id)
        if wanted.kind == "json":
            if wanted.schema is None:
                return {"response_format": {"type": "json_object"}, **fields}
            return {"schema": wanted.schema, **fields}
        if wanted.kind == "jsonl":
            line = json.dumps(wanted.schema if wanted.schema is not None else True)
            return {"grammar": f'root ::= (line "\\n")*\nline ::= @json-schema{line}', **fields}
        return dict(fields)


def _table(config: Mapping[str, Any]) -> dict[str, str]:
    """A configuration as a table of texts that are JSON."""
    if "templates" not in config:
        return {key: value if isinstance(value, str) else json.dumps(value) for key, value in config.items()}
    templates = config["templates"]
    table = {f"template.{id}": json.dumps(template) for id, template in templates.items()}
    table["template-index"] = json.dumps(list(templates))
    if "system" in config:
        table["system"] = json.dumps(config["system"])
    return table
