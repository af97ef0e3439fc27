"""Responses of prompts: items with what was skipped, and replies of ``/v1/prompts/{id}``, whole and streamed."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Generator, Iterable, Mapping
from typing import Any

from grammarc._errors import ServerError
from grammarc.jsonl import Jsonl, Skipped

__all__ = ["AsyncPromptStream", "Items", "PromptStream"]


class Items(list[Any]):
    """The items of a ``jsonl`` response: a list with the skipped lines, the cut and the warning as attributes."""

    def __init__(self, items: Iterable[Any] = (), skipped: Iterable[Skipped] = (), truncated: bool = False, warning: str | None = None) -> None:
        super().__init__(items)
        self.skipped: list[Skipped] = list(skipped)
        """The lines that are no items."""
        self.truncated = truncated
        """The text was cut: items may be missing at its end."""
        self.warning = warning
        """A message, where there is no item."""

    @classmethod
    def of(cls, found: Jsonl) -> Items:
        """The items of lines that were read."""
        return cls(found.items, found.skipped, found.truncated, found.warning)


def response_of(body: Mapping[str, Any]) -> Any:
    """The response of a whole reply: a text, a value or :class:`Items`."""
    if body["response_type"] != "jsonl":
        return body["response"]
    return Items(body["response"], _skipped(body), body["truncated"], body["warning"])


def _skipped(body: Mapping[str, Any]) -> list[Skipped]:
    return [Skipped(line["line"], line["reason"]) for line in body["skipped"]]


class _End:
    """What a streamed reply says at its end."""

    def __init__(self) -> None:
        self.skipped: list[Skipped] = []
        """The lines that are no items; known at the end."""
        self.truncated = False
        """The text was cut; known at the end."""
        self.warning: str | None = None
        """A message, where there is no item; known at the end."""
        self.response: Any = None
        """The text, or the value of a ``json`` prompt; known at the end."""
        self.finish_reason: str | None = None
        """Why the output ended; ``None`` before its end."""

    def _part(self, line: str) -> tuple[Any] | None:
        """The part of a line; none of a line without one. Raises :class:`ServerError`."""
        if not line.startswith("data: ") or line == "data: [DONE]":
            return None
        frame = json.loads(line[6:])
        if "error" in frame:
            raise ServerError(200, frame["error"])
        for name in ("item", "text"):
            if name in frame:
                return (frame[name],)
        self.finish_reason, self.response = frame["finish_reason"], frame.get("response")
        if frame["response_type"] == "jsonl":
            self.skipped, self.truncated, self.warning = _skipped(frame), frame["truncated"], frame["warning"]
        return None

    def _check_end(self) -> None:
        if self.finish_reason is None:
            raise ServerError(200, {"message": "the stream ended before its last frame", "code": "truncated"})


class PromptStream(_End):
    """The items of a ``jsonl`` prompt as they come, or the parts of the text of another prompt. Closing it calls the output off."""

    def __init__(self, lines: Generator[str, None, None]) -> None:
        super().__init__()
        self._lines = lines

    def __iter__(self) -> PromptStream:
        return self

    def __next__(self) -> Any:
        for line in self._lines:
            part = self._part(line)
            if part is not None:
                return part[0]
        self._check_end()
        raise StopIteration

    def close(self) -> None:
        """Ends the request."""
        self._lines.close()
        self.finish_reason = self.finish_reason or "closed"


class AsyncPromptStream(_End):
    """The same for ``asyncio``."""

    def __init__(self, lines: AsyncGenerator[str, None]) -> None:
        super().__init__()
        self._lines = lines

    def __aiter__(self) -> AsyncPromptStream:
        return self

    async def __anext__(self) -> Any:
        async for line in self._lines:
            part = self._part(line)
            if part is not None:
                return part[0]
        self._check_end()
        raise StopAsyncIteration

    async def close(self) -> None:
        """Ends the request."""
        await self._lines.aclose()
        self.finish_reason = self.finish_reason or "closed"
