"""A client of ``grammarc serve``, and of other servers in OpenAI's protocol: chats, values of a schema, streams.

It needs ``httpx`` alone. OpenAI's own client works as well; this one knows the server's further fields by name.

>>> from grammarc.client import Client
>>> client = Client("http://127.0.0.1:8080")            # doctest: +SKIP
>>> client.json("A person, as JSON.", Person)            # doctest: +SKIP
Person(name='Ada', born=1815)
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeVar, overload
from urllib.parse import quote

from grammarc._errors import ServerError
from grammarc._prompt_replies import AsyncPromptStream, Items, PromptStream, response_of
from grammarc.schema import Json, Schema, is_closed, to_text, value_of

__all__ = ["AsyncClient", "AsyncPromptStream", "Client", "Items", "PromptStream", "Reply", "ServerError"]

T = TypeVar("T")

Messages = str | Sequence[Mapping[str, Any]]
"""A prompt of the user, or a conversation."""

CHATS = "/v1/chat/completions"


@dataclass(frozen=True)
class Reply:
    """An answer of a model."""

    text: str
    reasoning: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    """Calls of tools: names and arguments. Those of an answer that was cut are none."""
    finish_reason: str
    usage: Mapping[str, Any]
    closed: bool = False
    """The answer was closed for its length: it is short, and a text of what was asked for."""

    @property
    def truncated(self) -> bool:
        """The answer was cut for its length."""
        return self.finish_reason == "length" and not self.closed

    @classmethod
    def _of(cls, body: Mapping[str, Any]) -> Reply:
        choice = body["choices"][0]
        message = choice["message"]
        whole = choice["finish_reason"] == "tool_calls"
        calls = [call["function"] for call in message.get("tool_calls") or () if whole]
        return cls(
            text=message.get("content") or "",
            reasoning=message.get("reasoning_content") or "",
            calls=tuple((call["name"], json.loads(call["arguments"])) for call in calls),
            finish_reason=choice["finish_reason"],
            usage=body["usage"],
            closed=bool((choice.get("x_grammarc") or {}).get("closed")),
        )


class _Base:
    """What the clients share: requests, and what becomes of replies."""

    def __init__(self, url: str, key: str | None, model: str, timeout: float) -> None:
        self._httpx: Any = _httpx()
        headers = {"authorization": f"Bearer {key}"} if key else {}
        self._settings = {"base_url": url.rstrip("/"), "headers": headers, "timeout": timeout}
        self._model = model

    def _body(
        self,
        messages: Messages,
        schema: Schema | None,
        closed: bool | None,
        own: Mapping[str, Any] | None,
        fields: Mapping[str, Any],
    ) -> dict[str, Any]:
        if isinstance(messages, str):
            messages = [{"role": "user", "content": messages}]
        body: dict[str, Any] = {"model": self._model, "messages": list(messages), **fields}
        if schema is not None:
            form = {"name": "value", "schema": json.loads(to_text(schema)), "strict": is_closed(schema, closed)}
            body["response_format"] = {"type": "json_schema", "json_schema": form}
        if own:
            body["x_grammarc"] = dict(own)
        return body

    @staticmethod
    def _prompt_path(id: str) -> str:
        return "/v1/prompts/" + quote(id, safe="")

    def _prompt_body(self, terms: Mapping[str, Any] | None, own: Mapping[str, Any] | None, fields: Mapping[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self._model, "input": dict(terms or {}), **fields}
        if own:
            body["x_grammarc"] = dict(own)
        return body

    @staticmethod
    def _check(status: int, content: bytes) -> Any:
        try:
            body = json.loads(content)
        except ValueError:
            body = {}
        if status >= 400:
            raise ServerError(status, body.get("error") or {})
        return body

    @staticmethod
    def _text_of(line: str) -> str | None:
        """The text of a line of a stream; none of its end."""
        if not line.startswith("data: "):
            return ""
        if line == "data: [DONE]":
            return None
        chunk = json.loads(line[6:])
        if "error" in chunk:
            raise ServerError(200, chunk["error"])
        deltas = (choice["delta"].get("content") or "" for choice in chunk["choices"])
        return "".join(deltas)

    @staticmethod
    def _value(reply: Reply, schema: Schema) -> Any:
        if reply.truncated:
            raise ServerError(200, {"message": "the answer was cut before its value was whole; allow more tokens, or `on_length` close", "code": "truncated"})
        return value_of(schema, reply.text)


class Client(_Base):
    """A client that waits. Close it, or use it in a ``with`` block."""

    def __init__(
        self, url: str = "http://127.0.0.1:8080", *, key: str | None = None, model: str = "model", timeout: float = 600
    ) -> None:
        super().__init__(url, key, model, timeout)
        self._client = self._httpx.Client(**self._settings)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._client.close()

    def chat(
        self, messages: Messages, schema: Schema | None = None, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> Reply:
        """The answer to a prompt or a conversation, under a schema where one is given. ``own`` are the fields of ``x_grammarc``
        (``on_length``, ``forced`` and others), ``fields`` OpenAI's (``max_tokens``, ``temperature``, ``tools`` and others).

        With ``closed``, objects take no keys that the schema does not name. That is the default for types, and not for schemas. The
        request says so by ``strict`` of OpenAI's protocol.

        Raises :class:`ServerError`.
        """
        reply = self._client.post(CHATS, json=self._body(messages, schema, closed, own, fields))
        return Reply._of(self._check(reply.status_code, reply.content))

    @overload
    def json(
        self, messages: Messages, schema: type[T], *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> T: ...
    @overload
    def json(
        self, messages: Messages, schema: Json, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> Any: ...
    def json(
        self, messages: Messages, schema: Schema, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> Any:
        """The value that a model answers: an instance of the type, where the schema is one (a pydantic model, a dataclass, a
        ``TypedDict``), else parsed JSON. An answer that is cut raises :class:`ServerError`.
        """
        return self._value(self.chat(messages, schema, closed=closed, own=own, **fields), schema)

    def stream(
        self, messages: Messages, schema: Schema | None = None, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> Iterator[str]:
        """The text of an answer as it comes. Leaving the loop calls the answer off."""
        body = self._body(messages, schema, closed, own, {**fields, "stream": True})
        with self._client.stream("POST", CHATS, json=body) as reply:
            if reply.status_code >= 400:
                self._check(reply.status_code, reply.read())
            for line in reply.iter_lines():
                text = self._text_of(line)
                if text is None:
                    return
                if text:
                    yield text

    def prompt(self, id: str, terms: Mapping[str, Any] | None = None, *, own: Mapping[str, Any] | None = None, **fields: Any) -> Any:
        """The response of a prompt of the server (``grammarc serve --prompts``) with these terms: a text, a value, or
        :class:`Items` with the lines that were skipped. ``own`` and ``fields`` are as in :meth:`chat`, without ``tools`` and ``n``.

        Raises :class:`ServerError`, also where the answer is not what the prompt wants.
        """
        reply = self._client.post(self._prompt_path(id), json=self._prompt_body(terms, own, fields))
        return response_of(self._check(reply.status_code, reply.content))

    def stream_prompt(self, id: str, terms: Mapping[str, Any] | None = None, *, own: Mapping[str, Any] | None = None, **fields: Any) -> PromptStream:
        """The items of a ``jsonl`` prompt of the server one by one, or the parts of the text of another prompt. The stream has the
        skipped lines at its end. Errors are raised at the next item.
        """
        body = self._prompt_body(terms, own, {**fields, "stream": True})

        def lines() -> Generator[str, None, None]:
            with self._client.stream("POST", self._prompt_path(id), json=body) as reply:
                if reply.status_code >= 400:
                    self._check(reply.status_code, reply.read())
                yield from reply.iter_lines()

        return PromptStream(lines())

    def repair(self, text: str, schema: Schema | None = None, *, strict: bool = False) -> Mapping[str, Any]:
        """A text that is nearly JSON as JSON, with its edits, by the server. :mod:`grammarc.repair` does the same here."""
        body: dict[str, Any] = {"text": text, "strict": strict}
        if schema is not None:
            body["schema"] = json.loads(to_text(schema))
        reply = self._client.post("/v1/repair", json=body)
        found: Mapping[str, Any] = self._check(reply.status_code, reply.content)
        return found


class AsyncClient(_Base):
    """The same client for ``asyncio``."""

    def __init__(
        self, url: str = "http://127.0.0.1:8080", *, key: str | None = None, model: str = "model", timeout: float = 600
    ) -> None:
        super().__init__(url, key, model, timeout)
        self._client = self._httpx.AsyncClient(**self._settings)

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._client.aclose()

    async def chat(
        self, messages: Messages, schema: Schema | None = None, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> Reply:
        """See :meth:`Client.chat`."""
        reply = await self._client.post(CHATS, json=self._body(messages, schema, closed, own, fields))
        return Reply._of(self._check(reply.status_code, reply.content))

    @overload
    async def json(
        self, messages: Messages, schema: type[T], *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> T: ...
    @overload
    async def json(
        self, messages: Messages, schema: Json, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> Any: ...
    async def json(
        self, messages: Messages, schema: Schema, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> Any:
        """See :meth:`Client.json`."""
        return self._value(await self.chat(messages, schema, closed=closed, own=own, **fields), schema)

    async def stream(
        self, messages: Messages, schema: Schema | None = None, *, closed: bool | None = None, own: Mapping[str, Any] | None = None, **fields: Any
    ) -> AsyncIterator[str]:
        """See :meth:`Client.stream`."""
        body = self._body(messages, schema, closed, own, {**fields, "stream": True})
        async with self._client.stream("POST", CHATS, json=body) as reply:
            if reply.status_code >= 400:
                self._check(reply.status_code, await reply.aread())
            async for line in reply.aiter_lines():
                text = self._text_of(line)
                if text is None:
                    return
                if text:
                    yield text

    async def prompt(self, id: str, terms: Mapping[str, Any] | None = None, *, own: Mapping[str, Any] | None = None, **fields: Any) -> Any:
        """See :meth:`Client.prompt`."""
        reply = await self._client.post(self._prompt_path(id), json=self._prompt_body(terms, own, fields))
        return response_of(self._check(reply.status_code, reply.content))

    def stream_prompt(self, id: str, terms: Mapping[str, Any] | None = None, *, own: Mapping[str, Any] | None = None, **fields: Any) -> AsyncPromptStream:
        """See :meth:`Client.stream_prompt`."""
        body = self._prompt_body(terms, own, {**fields, "stream": True})

        async def lines() -> AsyncGenerator[str, None]:
            async with self._client.stream("POST", self._prompt_path(id), json=body) as reply:
                if reply.status_code >= 400:
                    self._check(reply.status_code, await reply.aread())
                async for line in reply.aiter_lines():
                    yield line

        return AsyncPromptStream(lines())


def _httpx() -> Any:
    try:
        return import_module("httpx")
    except ImportError as error:
        raise ImportError("grammarc.client needs httpx: pip install httpx") from error
