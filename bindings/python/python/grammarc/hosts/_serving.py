"""What the plug-ins of servers share: settings from the environment, the compiler of one server, checks without its tokenizer,
counters.

A server compiles what its users send, so every compilation has a deadline and a bound on memory, and is refused with a
``ValueError`` that says why, as servers expect it of a bad request. Grammars are looked for in this order: those that are
opened, folders of ``grammarc build``, the cache folder.
"""

from __future__ import annotations

import contextlib
import inspect
import itertools
import json
import logging
import os
import sys
import threading
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from grammarc._artifacts import ArtifactFolders, NoDigest, listed_folders
from grammarc._errors import CompileTimeout, Diagnostic, GrammarcError, LimitError, SourceError
from grammarc._native import CancelToken, Grammar, Vocabulary
from grammarc.compiler import Compiler, Limits, Whitespace

_logger = logging.getLogger("grammarc")

ANY_OBJECT = '{"type": "object"}'
"""The schema of JSON objects."""

ANY_VALUE = "{}"
"""The schema of JSON values."""

XGRAMMAR_ONLY = frozenset({"structural-tag::unsupported"})
"""Findings on what XGrammar takes and grammarc does not: texts with a backslash that strings of a schema exclude. A server that
has XGrammar may hand the source to it."""

UNKNOWN_TOKENS = frozenset({"compile::unknown-token", "structural-tag::unknown-token"})
"""Findings on tokens that a vocabulary does not have."""

ARTIFACT = "artifact"
"""The kind of a source that is the digest of an artifact, in hexadecimal digits."""

HOLD_SCHEMAS: frozenset[str] = frozenset({"structural_tag", "lark"})
"""Kinds of sources that JSON Schemas may be in, and that have their options therefore."""


class HostMismatch(RuntimeError):
    """The host has other interfaces than the plug-in is written for. Nothing was installed."""


class OnlyXgrammar(ValueError):
    """A source is wrong in nothing but that it uses what XGrammar takes and grammarc does not. See :data:`XGRAMMAR_ONLY`."""


@dataclass(frozen=True)
class Settings:
    """How a server compiles. See :meth:`from_environment`."""

    cache: str | None = None
    cache_bytes: int | None = None
    seconds: float = 10.0
    memory: int | None = None
    threads: int = 1
    at_once: int = 16
    whitespace: str = "flexible"
    gpu: bool = True
    gpu_bytes: int = 1 << 30
    on_refused: str = "request"

    @classmethod
    def from_environment(cls) -> Settings:
        """Settings from variables of the environment:

        - ``GRAMMARC_CACHE``: a folder that keeps compiled grammars and imported vocabularies; none by default;
        - ``GRAMMARC_CACHE_BYTES``: bound on that folder, by last use;
        - ``GRAMMARC_COMPILE_SECONDS``: deadline of a compilation, 10 by default;
        - ``GRAMMARC_COMPILE_BYTES``: most memory of a compilation, 1 GiB by default;
        - ``GRAMMARC_COMPILE_THREADS``: threads of a compilation, half of the processors and at most 8 by default;
        - ``GRAMMARC_COMPILE_REQUESTS``: requests that are compiled at once, 16 by default;
        - ``GRAMMARC_WHITESPACE``: form of whitespace in JSON where the server allows any, ``flexible`` by default;
        - ``GRAMMARC_GPU``: ``0`` leaves devices to the host's kernels, which get rows of bits;
        - ``GRAMMARC_GPU_BYTES``: most memory of tables on a device, 1 GiB by default;
        - ``GRAMMARC_ON_REFUSED``: what happens to a tool that does not compile, where a request does not say: ``request``
          (refuse it whole, the default), ``exclude`` (leave the tool out) or ``loosen`` (enforce what compiles).

        ``GRAMMARC_ARTIFACTS``, folders of ``grammarc build``, is read by every :class:`grammarc.Compiler`. Raises
        ``ValueError`` where a value makes no sense.
        """
        processors = os.cpu_count() or 1
        return cls(
            cache=os.environ.get("GRAMMARC_CACHE") or None,
            cache_bytes=_number("GRAMMARC_CACHE_BYTES", int, None),
            seconds=_number("GRAMMARC_COMPILE_SECONDS", float, 10.0),
            memory=_number("GRAMMARC_COMPILE_BYTES", int, None),
            threads=_number("GRAMMARC_COMPILE_THREADS", int, max(1, min(8, processors // 2))),
            at_once=_number("GRAMMARC_COMPILE_REQUESTS", int, 16),
            whitespace=os.environ.get("GRAMMARC_WHITESPACE") or "flexible",
            gpu=os.environ.get("GRAMMARC_GPU") != "0",
            gpu_bytes=_number("GRAMMARC_GPU_BYTES", int, 1 << 30),
            on_refused=_word("GRAMMARC_ON_REFUSED", ("request", "exclude", "loosen")),
        )

    @property
    def limits(self) -> Limits:
        """Limits of one compilation."""
        limits = Limits(timeout=self.seconds)
        if self.memory is not None:
            limits["memory"] = self.memory
        return limits


def _number(name: str, kind: Callable[[str], Any], default: Any) -> Any:
    text = os.environ.get(name)
    if not text:
        return default
    try:
        value = kind(text)
    except ValueError:
        value = None
    if value is None or not value > 0:
        raise ValueError(f"{name}={text} is no positive number")
    return value


def _word(name: str, known: tuple[str, ...]) -> str:
    """A word of the environment, one of ``known``; the first where there is none."""
    text = os.environ.get(name) or known[0]
    if text not in known:
        raise ValueError(f"{name}={text} is none of {', '.join(known)}")
    return text


def step_back() -> None:
    """Lowers the priority of this thread, and of those that it starts, below that of what serves: for threads that compile.

    Where there are too few processors, a hostile source then takes its time from other sources, and not from the model. Other
    systems than Linux have priorities of processes alone, and stay as they are.
    """
    if sys.platform != "linux":
        return
    thread = threading.get_native_id()
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, thread, os.getpriority(os.PRIO_PROCESS, thread) + 10)


class Tally:
    """A counter that any number of threads add to without a lock."""

    __slots__ = ("_lock", "_reads", "add")

    def __init__(self) -> None:
        # The next number of an iterator is taken in one step of the interpreter, where `+= 1` is several.
        self.add = itertools.count().__next__
        self._reads = 0
        self._lock = threading.Lock()

    def value(self) -> int:
        """How often it was added to."""
        with self._lock:
            value = self.add() - self._reads
            self._reads += 1
            return value


class Counters:
    """Counters by name, as attributes."""

    def __init__(self, *names: str) -> None:
        self._tallies = {name: Tally() for name in names}

    def __getattr__(self, name: str) -> Tally:
        try:
            return self.__dict__["_tallies"][name]  # type: ignore[no-any-return]
        except KeyError:
            raise AttributeError(name) from None

    def values(self) -> dict[str, float]:
        """Values by name."""
        return {name: tally.value() for name, tally in self._tallies.items()}

    def with_those_of(self, compilers: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
        """Values by name, with the sums of those of compilers; histograms are added up bucket by bucket."""
        values: dict[str, Any] = dict(self.values())
        for stats in compilers:
            for name, value in stats.items():
                values[name] = _sum(values[name], value) if name in values else value
        return values


def _sum(a: Any, b: Any) -> Any:
    """The sum of two counters or two histograms of a compiler."""
    if not isinstance(a, dict):
        return a + b
    buckets = [[bound, one + other] for (bound, one), (_, other) in zip(a["buckets"], b["buckets"], strict=True)]
    return {"buckets": buckets, "count": a["count"] + b["count"], "sum": a["sum"] + b["sum"]}


@contextlib.contextmanager
def refusals() -> Iterator[None]:
    """Makes what grammarc refuses a ``ValueError`` with the text of its findings."""
    try:
        yield
    except OnlyXgrammar:
        raise
    except SourceError as error:
        if is_only(error, XGRAMMAR_ONLY):
            raise OnlyXgrammar(described(error)) from error
        raise ValueError(described(error)) from error
    except GrammarcError as error:
        raise ValueError(described(error)) from error
    except NoDigest as error:
        raise ValueError(f"grammarc: {error}") from error
    except UnicodeError as error:
        raise ValueError(f"grammarc: the source is no Unicode text: {error}") from error


def is_only(error: SourceError, codes: frozenset[str]) -> bool:
    """Whether all errors of a source have one of some codes."""
    found = {one.code for one in error.diagnostics if one.severity == "error"}
    return bool(found) and found <= codes


def described(error: GrammarcError) -> str:
    """An error with all its findings, a line each."""
    findings: list[Diagnostic] = getattr(error, "diagnostics", [])
    lines = [str(error)]
    lines += [_line(one) for one in findings[1:] if one.severity == "error"]
    return "grammarc: " + "\n".join(lines)


def _line(one: Diagnostic) -> str:
    place = f" (at {one.pointer})" if one.pointer else ""
    return f"{one.message}{place}" + (f"; {one.help}" if one.help else "")


class Server:
    """The compiler of one server: its tokenizer, its settings. Any thread may compile.

    The vocabulary is made when it is first needed, in the thread that needs it, since that takes a second and a server is
    not to stand still meanwhile. ``logit_width`` is the width of the model's rows.
    """

    def __init__(self, tokenizer: object, logit_width: int, settings: Settings | None = None) -> None:
        self.settings = settings or Settings.from_environment()
        self.logit_width = logit_width
        self._tokenizer = tokenizer
        self._lock = threading.Lock()
        self._compiler: Compiler | None = None
        self._artifacts = ArtifactFolders(artifact_folders(self.settings.cache))

    @property
    def compiler(self) -> Compiler:
        """The compiler. Raises ``ValueError`` where the tokenizer cannot be imported."""
        with self._lock:
            if self._compiler is None:
                with refusals():
                    self._compiler = self._make()
            return self._compiler

    def _make(self) -> Compiler:
        settings = self.settings
        vocabulary = Vocabulary.from_tokenizer(self._tokenizer, logit_width=self.logit_width, cache=settings.cache)
        compiler = Compiler(
            vocabulary,
            threads=settings.threads,
            cache=settings.cache,
            cache_bytes=settings.cache_bytes,
            limits=settings.limits,
        )
        # It is not needed any more, and :class:`Servers` keeps a server for as long as its tokenizer lives.
        self._tokenizer = None
        return compiler

    def json_schema(
        self, schema: str, *, compact: bool = False, closed: bool = True, cancel: CancelToken | None = None
    ) -> Grammar:
        """A JSON Schema; with any whitespace unless ``compact``, and objects closed that name their keys."""
        with refusals():
            return self.compiler.json_schema(
                schema, whitespace=self._whitespace(compact), closed=closed, cancel=cancel
            )

    def compile(
        self, kind: str, source: Any, cancel: CancelToken | None = None, *, compact: bool = False
    ) -> Grammar:
        """A source of another kind: ``ebnf``, ``lark``, ``regex``, ``choice``, ``structural_tag`` or ``artifact``; JSON Schemas in it
        as of :meth:`json_schema`."""
        if kind == ARTIFACT:
            return self.artifact(source)
        options: dict[str, Any] = {}
        if kind in HOLD_SCHEMAS:
            options = {"whitespace": self._whitespace(compact), "closed": True}
        if kind == "structural_tag" and self.settings.on_refused != "request":
            options["on_refused"] = self.settings.on_refused
        with refusals():
            grammar = self.compiler.compile(kind, source, cancel=cancel, **options)  # type: ignore[arg-type]
        if kind == "structural_tag":
            for tool in grammar.refused_tools:
                # Never the schema or a text of an output: names, pointers and codes alone.
                _logger.warning("the tool %r is %s: %s at %r", tool.name, tool.state, tool.code, tool.pointer)
        return grammar

    def artifact(self, digest: str) -> Grammar:
        """The grammar of an artifact that is in the folders of ``GRAMMARC_ARTIFACTS`` or in the cache folder."""
        with refusals():
            return self._artifacts.open(digest, self.compiler.vocabulary)

    def _whitespace(self, compact: bool) -> Whitespace:
        # What the environment says is checked where it is compiled.
        return "compact" if compact else cast(Whitespace, self.settings.whitespace)

    def stats(self) -> dict[str, Any]:
        """Counters of the compiler; none before the first request."""
        compiler = self._compiler
        return dict(compiler.stats) if compiler is not None else {}


class Servers:
    """The servers of one process: one for each tokenizer, width of rows and settings, kept for as long as the tokenizer lives.

    For hosts that make a backend more than once, such as beam search: its vocabulary and grammars are there already.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: weakref.WeakKeyDictionary[object, dict[tuple[int, Settings], Server]] = weakref.WeakKeyDictionary()

    def of(self, tokenizer: object, logit_width: int, settings: Settings | None = None) -> Server:
        """The server of a tokenizer. A new one at each call if nothing can refer to the tokenizer weakly."""
        settings = settings or Settings.from_environment()
        made = Server(tokenizer, logit_width, settings)
        with self._lock:
            try:
                servers = self._known.setdefault(tokenizer, {})
            except TypeError:
                return made
            return servers.setdefault((logit_width, settings), made)


class Checker:
    """Looks at sources without a server's tokenizer: with a vocabulary of single bytes, in a twentieth of a second.

    What takes longer is left to the server's compiler, and so are tokens by name, which bytes alone do not have.
    """

    _SECONDS = 0.05

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._compiler: Compiler | None = None
        self._artifacts: ArtifactFolders | None = None

    def check(self, kind: str, source: Any) -> None:
        """Raises ``ValueError`` where a source has errors, :class:`OnlyXgrammar` where it is for XGrammar. An ``artifact`` has to be
        there; whether it is of the model's vocabulary is left to the server."""
        if kind == ARTIFACT:
            with refusals():
                self._folders().find(source)
            return
        options: dict[str, Any] = {}
        if kind == "json_schema" or kind in HOLD_SCHEMAS:
            options = {"whitespace": "compact", "closed": True}
        if kind == "structural_tag":
            options["on_refused"] = Settings.from_environment().on_refused
        try:
            with refusals():
                self._bytes().compile(kind, source, **options)  # type: ignore[arg-type]
        except ValueError as error:
            if not self._is_for_the_server(error.__cause__):
                raise

    def _folders(self) -> ArtifactFolders:
        with self._lock:
            if self._artifacts is None:
                self._artifacts = ArtifactFolders(artifact_folders(os.environ.get("GRAMMARC_CACHE")))
            return self._artifacts

    @staticmethod
    def _is_for_the_server(cause: BaseException | None) -> bool:
        if isinstance(cause, (LimitError, CompileTimeout)):
            return True
        return isinstance(cause, SourceError) and is_only(cause, UNKNOWN_TOKENS)

    def _bytes(self) -> Compiler:
        with self._lock:
            if self._compiler is None:
                tokens: Sequence[bytes] = [bytes([byte]) for byte in range(256)] + [b"<end>"]
                vocabulary = Vocabulary.from_tokens(tokens, special_ids=[256], end_tokens=[256])
                limits = Limits(timeout=self._SECONDS, memory=256 << 20)
                self._compiler = Compiler(vocabulary, threads=1, artifacts=(), limits=limits)
            return self._compiler


def artifact_folders(cache: str | None) -> list[str]:
    """The folders of ``GRAMMARC_ARTIFACTS``, and a cache folder."""
    return [*listed_folders(), *([cache] if cache else [])]


def digest_in(tag: str) -> str | None:
    """The digest in a structural tag that names an artifact, ``{"type": "grammarc", "artifact": "..."}``; None in any other. Raises
    ``ValueError`` where a tag of that type has anything else."""
    if '"grammarc"' not in tag:
        return None
    try:
        read = json.loads(tag)
    except (ValueError, RecursionError):
        # Whoever compiles it says what is wrong with it.
        return None
    if not isinstance(read, dict) or read.get("type") != "grammarc":
        return None
    if set(read) != {"type", "artifact"} or not isinstance(read["artifact"], str):
        raise ValueError('grammarc: a structural tag of type "grammarc" has an "artifact", a digest in hexadecimal digits, and nothing else')
    return read["artifact"]


def json_text(schema: object) -> str:
    """The text of a schema that a request has as text or parsed, in the form in which servers hand it on."""
    return schema if isinstance(schema, str) else json.dumps(schema)


def choices(text: str) -> list[str]:
    """The choices of a request, as a JSON list of texts. Raises ``ValueError``."""
    try:
        listed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"grammarc: the choices are not a JSON list: {error}") from error
    if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
        raise ValueError("grammarc: the choices are not a list of texts")
    return listed


def expect_parameters(function: Any, *names: str, where: str) -> None:
    """Raises :class:`HostMismatch` where a function of the host takes other parameters than these."""
    try:
        found = tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError) as error:
        raise HostMismatch(f"{where} is not what grammarc knows: {error}") from error
    if found != names:
        raise HostMismatch(
            f"{where} takes ({', '.join(found)}), and grammarc is written for ({', '.join(names)}); update grammarc, or the "
            "host to a version that its documentation names"
        )


def expect(holds: bool, message: str) -> None:
    """Raises :class:`HostMismatch` with a message unless something holds."""
    if not holds:
        raise HostMismatch(f"{message}; update grammarc, or the host to a version that its documentation names")
