"""Exceptions, and the findings that they carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from grammarc._repaired import Repaired

if TYPE_CHECKING:
    from grammarc._native import Explanation, Matcher


class Diagnostic(NamedTuple):
    """One finding about a source or a tokenizer."""

    code: str
    """Stable identifier, such as ``gbnf::unknown-rule``."""
    severity: Literal["note", "warning", "error"]
    message: str
    help: str | None
    """What to do about it."""
    pointer: str | None
    """JSON pointer to the place, for sources that are JSON."""
    span: tuple[int, int] | None
    """Byte range of the place in the source."""
    source: str | None = None
    """Name of the source that the place is in, where it is one that the compiled source refers to."""


class GrammarcError(Exception):
    """Base of all exceptions of grammarc."""


class SourceError(GrammarcError, ValueError):
    """A source, schema or tokenizer has errors."""

    def __init__(self, message: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(message)
        self.diagnostics: list[Diagnostic] = diagnostics or []


class LimitError(GrammarcError):
    """A limit was met."""

    def __init__(self, message: str, limit: str, diagnostics: list[Diagnostic] | None = None) -> None:
        super().__init__(message)
        self.limit = limit
        """Which: ``memory``, ``time``, ``matcher``, ``ending``, or the code of the finding."""
        self.diagnostics: list[Diagnostic] = diagnostics or []


class CompileTimeout(LimitError, TimeoutError):
    """The time of a compilation was up."""


class Cancelled(GrammarcError):
    """A compilation was cancelled by its caller."""


class DeviceError(GrammarcError, RuntimeError):
    """A device is not to be had, or a call of it failed."""


class ArtifactError(GrammarcError, ValueError):
    """A file is not a whole and valid artifact."""


class VocabularyMismatch(ArtifactError):
    """An artifact belongs to another vocabulary; the message names the first token that differs."""


class TokenRefused(GrammarcError, ValueError):
    """A token is not allowed. The matcher did not move."""

    _matcher: Matcher | None = None

    def __init__(self, message: str, token: int) -> None:
        super().__init__(message)
        self.token = token

    @property
    def explanation(self) -> Explanation | None:
        """Why the token is refused, found when it is read; `None` where the error does not come from a matcher."""
        return None if self._matcher is None else self._matcher.explain(self.token)


class TextRefused(GrammarcError, ValueError):
    """A text is not one of the grammar."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(message)
        self.offset = offset
        """Offset of the first byte that is wrong; the text's length where more would have to follow."""


class InternalError(GrammarcError, RuntimeError):
    """A defect of grammarc. Please report it."""


for _class in list(globals().values()):
    if isinstance(_class, type) and (_class is Diagnostic or issubclass(_class, GrammarcError)):
        _class.__module__ = "grammarc"
del _class


class RepairError(GrammarcError, ValueError):
    """A text was not repaired: it has no reading that is sure enough, or is none of what was asked for."""

    def __init__(self, message: str, candidates: list[str] | None = None) -> None:
        super().__init__(message)
        self.candidates: list[Repaired] = [Repaired._of(one) for one in candidates or []]
        """The readings that there are, where there are any; none was taken."""


class PartialError(GrammarcError, ValueError):
    """A text is the beginning of no JSON."""

    def __init__(self, message: str, offset: int) -> None:
        super().__init__(f"{message}, at byte {offset}")
        self.offset = offset
        """Offset of the first byte that is wrong."""


class ActionError(GrammarcError, ValueError):
    """An output is no action. The message is for the model: what is wrong, and what an action looks like."""


class PromptError(GrammarcError, ValueError):
    """A prompt was not rendered, or a response is not what it wants."""


class ServerError(GrammarcError):
    """The server refused a request or failed."""

    def __init__(self, status: int, error: Mapping[str, Any]) -> None:
        super().__init__(str(error.get("message") or f"the server answered with status {status}"))
        self.status = status
        self.code: str | None = error.get("code")
        self.param: str | None = error.get("param")
        """The field that is wrong, where one is."""
        self.diagnostics: list[Mapping[str, Any]] = list(error.get("diagnostics") or [])
        """What the compiler says of a schema or a grammar."""
