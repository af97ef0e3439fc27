"""Compilation: sources to grammars."""

from __future__ import annotations

import asyncio
import functools
import json
import os
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Literal, TypedDict, Unpack, get_args

from grammarc._artifacts import listed_folders
from grammarc._native import CancelToken, Engine, Grammar, Vocabulary
from grammarc.schema import Schema, to_text

PathLike = str | os.PathLike[str]

Kind = Literal[
    "json_schema",
    "gbnf",
    "regex",
    "choice",
    "structural_tag",
    "ebnf",
    "lark",
    "substring",
    "typescript",
    "builtin",
]
KINDS: tuple[Kind, ...] = get_args(Kind)

Source = tuple[Kind, Any] | tuple[Kind, Any, Mapping[str, Any]]
"""A source with its language, and options of that."""


Whitespace = (
    Literal["natural", "compact", "spaced", "indented", "indented:2", "indented:4", "styled", "styled:2", "styled:4", "flexible"]
    | tuple[Literal["indented", "styled", "flexible"], int]
)
"""A form of whitespace; one with any number is a pair, such as ``("flexible", 8)`` for ``"flexible:8"``."""

KeyOrder = Literal["schema", "any", "any-once", "sorted"]
Denied = Literal["approximate", "narrower", "unknown-format", "unknown-keyword"]


class JsonOptions(TypedDict, total=False):
    """How JSON is written and schemas are read: the options of :meth:`Compiler.json_schema`."""

    whitespace: Whitespace | None
    levels: int | None
    separators: tuple[str, str] | None
    surround: int | None
    key_order: KeyOrder | None
    numbers: Literal["natural", "canonical", "any"] | None
    escapes: Literal["shortest", "any"] | None
    closed: bool
    dialect: Literal["json-schema", "openapi-3.0"] | None
    formats: Literal["asserted", "annotated"] | None
    deny: Collection[Denied]
    resources: Mapping[str, Schema] | None


class Limits(TypedDict, total=False):
    """What one compilation may take. What is not set has the compiler's default."""

    timeout: float
    """Seconds; 300 by default."""
    memory: int
    """Bytes of tables and automata; 1 GiB by default."""
    states: int
    rules: int
    pairs: int


class CompilerStats(dict[str, Any]):
    """Counters of a compiler since it was made, by name; also as attributes."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Compiler:
    """A compiler for one vocabulary, with a cache. Safe to share between threads: keep one for each vocabulary.

    ``threads`` are those of one compilation, all processors by default. ``cache`` is a folder that keeps artifacts and may be
    shared by any number of processes; it is bounded by ``cache_bytes``. ``artifacts`` are folders that ``grammarc build``
    made: a source that is in one is not compiled. They are those of ``GRAMMARC_ARTIFACTS`` where nothing is given.
    ``memory_entries`` grammars are kept opened.

    With ``early`` a grammar is returned as soon as its automata are built, and its masks are computed on another thread. Until
    they are there, a mask is found when it is asked for, with the same bits, in microseconds to some tens of milliseconds;
    matchers go over to the stored masks by themselves. See ``Grammar.is_complete`` and ``Grammar.wait``. Whatever needs
    the whole artifact, such as ``save``, waits for it.

    With ``masks=False`` no masks are computed: grammars are for readers of outputs, :class:`grammarc.Calls` and
    :class:`grammarc.Splitter`, and are ready in about a millisecond. They are not cached, and ``save`` raises.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        *,
        threads: int | None = None,
        cache: PathLike | None = None,
        cache_bytes: int | None = None,
        artifacts: Iterable[PathLike] | None = None,
        memory_entries: int = 256,
        limits: Limits | None = None,
        early: bool = False,
        masks: bool = True,
    ) -> None:
        if artifacts is None:
            artifacts = listed_folders()
        self._engine = Engine(
            vocabulary,
            threads,
            limits,
            cache,
            cache_bytes,
            list(artifacts),
            memory_entries,
            early,
            masks,
        )

    @property
    def vocabulary(self) -> Vocabulary:
        """The vocabulary."""
        return self._engine.vocabulary

    def json_schema(
        self,
        schema: Schema,
        *,
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
        **options: Unpack[JsonOptions],
    ) -> Grammar:
        """The grammar of a JSON Schema, or of a pydantic model, dataclass or TypedDict.

        ``whitespace`` is ``natural`` (at most a space after ``,`` and ``:``, the default), ``compact``, ``spaced``, ``indented``,
        ``styled`` or ``flexible``, the last three also with a number, as ``"indented:4"`` or ``("indented", 4)``; or ``separators`` are
        fixed texts in its place. ``levels`` bounds indentation, and ``surround`` is the most whitespace around the document.
        ``key_order`` is ``schema`` (the default), ``any``, ``any-once`` or ``sorted``; ``numbers`` are ``natural``, ``canonical`` or ``any``, and
        ``escapes`` ``shortest`` or ``any``. With ``closed``, objects take no keys that their schema does not name, as strict modes of
        model APIs have it. ``dialect`` is ``json-schema`` or ``openapi-3.0``, and ``formats`` are ``asserted`` or ``annotated``.
        ``deny`` lists what is refused although it could be compiled: ``approximate``, ``narrower``, ``unknown-format``,
        ``unknown-keyword``. ``resources`` are schemas by URI that references may lead to.
        """
        return self._compile("json_schema", to_text(schema), json_options(options), limits, cancel)

    def gbnf(
        self,
        source: str,
        *,
        start: str = "root",
        sources: Mapping[str, Source] | None = None,
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
    ) -> Grammar:
        """The grammar of a GBNF source, the notation of llama.cpp.

        ``sources`` are those that it refers to by name, each with its language: ``root ::= "<" @"call" ">"`` with
        ``sources={"call": ("json_schema", schema)}``. A third item has options of that language.
        """
        return self._compile("gbnf", source, _of_grammar(start, sources), limits, cancel)

    def regex(
        self, pattern: str, *, limits: Limits | None = None, cancel: CancelToken | None = None
    ) -> Grammar:
        """The grammar of texts that a regular expression matches from end to end, in the syntax of the Rust crate ``regex``
        with lookaround."""
        return self._compile("regex", pattern, {}, limits, cancel)

    def choice(
        self,
        choices: Iterable[str],
        *,
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
    ) -> Grammar:
        """The grammar of one of some texts."""
        return self._compile("choice", _choices(choices), {}, limits, cancel)

    def ebnf(
        self,
        source: str,
        *,
        start: str = "root",
        sources: Mapping[str, Source] | None = None,
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
    ) -> Grammar:
        """The grammar of a source in XGrammar's EBNF: GBNF with macros, whose rules end where the next begins.

        ``sources`` are as for :meth:`gbnf`.
        """
        return self._compile("ebnf", source, _of_grammar(start, sources), limits, cancel)

    def lark(
        self,
        source: str,
        *,
        start: str = "start",
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
        **schemas: Unpack[JsonOptions],
    ) -> Grammar:
        """The grammar of a Lark source, as llguidance and XGrammar have it. ``schemas`` are options of :meth:`json_schema`
        for the schemas of ``%json``."""
        return self._compile("lark", source, {"start": start, **json_options(schemas)}, limits, cancel)

    def substring(
        self,
        source: Mapping[str, Any] | str,
        *,
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
    ) -> Grammar:
        """The grammar of any contiguous part of a text: ``{"text": "...", "by": "words"}`` or ``"chars"``, or
        ``{"chunks": ["...", ...]}``."""
        return self._compile("substring", to_text(source), {}, limits, cancel)

    def structural_tag(
        self,
        tag: Schema,
        *,
        tokens: Literal["prefer", "both", "never"] | None = None,
        style: str | None = None,
        on_refused: Literal["request", "exclude", "loosen"] | None = None,
        whitespace: Whitespace | None = None,
        closed: bool = False,
        key_order: KeyOrder | None = None,
        sources: Mapping[str, Source] | None = None,
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
    ) -> Grammar:
        """The grammar of a structural tag: free text in which tags lead to schemas, grammars and patterns.

        Strings in it that are special tokens of the vocabulary mean these, unless ``tokens`` is ``"never"``; with ``"both"`` they
        may be spelled, too. ``style`` is the style of tool calls where the tag names none, as for a list of tools; ``on_refused``
        says what happens to a tool that does not compile, where the tag does not (:attr:`Grammar.refused_tools`). ``sources`` are as for :meth:`gbnf`, for the grammars in it. The other options are those of :meth:`json_schema`, for the schemas in it.
        """
        dump = getattr(tag, "model_dump", None)
        if dump is not None and not isinstance(tag, type):
            tag = dump(mode="json", by_alias=True, exclude_none=True)
        options = json_options({"whitespace": whitespace, "closed": closed, "key_order": key_order})
        options |= _given(tokens=tokens, style=style, on_refused=on_refused) | _named(sources)
        return self._compile("structural_tag", to_text(tag), options, limits, cancel)

    def typescript(
        self,
        source: str,
        *,
        start: str | None = None,
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
        **options: Unpack[JsonOptions],
    ) -> Grammar:
        """The grammar of the JSON texts of a type's values, from declarations in TypeScript.

        ``start`` names the type; else it is the default export, the last type that is exported, or the only one. The other
        options are those of :meth:`json_schema`.
        """
        given = _given(start=start) | json_options(options)
        return self._compile("typescript", source, given, limits, cancel)

    def builtin(
        self,
        name: Literal["json", "json-object", "json-array", "jsonl", "csv", "xml"],
        *,
        line: Schema | None = None,
        min_items: int | None = None,
        max_items: int | None = None,
        columns: int | Collection[str] | None = None,
        separator: str | None = None,
        names: Collection[str] = (),
        attributes: Collection[str] = (),
        limits: Limits | None = None,
        cancel: CancelToken | None = None,
        **options: Unpack[JsonOptions],
    ) -> Grammar:
        """A built-in grammar: ``json``, ``json-object``, ``json-array``, ``jsonl``, ``csv`` or ``xml``.

        ``line`` is the schema of each line of ``jsonl``; ``min_items`` and ``max_items`` bound its lines and the records of
        ``csv``. ``columns`` are a number, or names for a head; ``names`` and ``attributes`` are those of elements of ``xml``. The
        other options are those of :meth:`json_schema`, for how JSON is written.
        """
        given = _given(
            line=json.loads(to_text(line)) if line is not None else None,
            min_items=min_items,
            max_items=max_items,
            columns=columns if columns is None or isinstance(columns, int) else list(columns),
            separator=separator,
            names=list(names) or None,
            attributes=list(attributes) or None,
        ) | json_options(options)
        return self._compile("builtin", name, given, limits, cancel)

    def text_behind(self, source: Source, *, limits: Limits | None = None, cancel: CancelToken | None = None) -> Grammar:
        """The grammar of a source with any text behind it, for ``overshoot``: ``text_behind(("regex", "[0-9]+"))``."""
        return self.gbnf('root ::= @"output" .*\n', sources={"output": source}, limits=limits, cancel=cancel)

    def compile(self, kind: Kind, source: Any, **options: Any) -> Grammar:
        """The grammar of a source of this kind: ``compile("gbnf", text)`` is ``gbnf(text)``."""
        return self._method(kind)(source, **options)  # type: ignore[no-any-return]

    async def acompile(self, kind: Kind, source: Any, **options: Any) -> Grammar:
        """As :meth:`compile`, in a thread. Cancelling the task ends the compilation within some milliseconds."""
        cancel = options.pop("cancel", None) or CancelToken()
        work = functools.partial(self._method(kind), source, cancel=cancel, **options)
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except asyncio.CancelledError:
            cancel.cancel()
            raise

    def key(self, kind: Kind, source: Any, **options: Any) -> str:
        """Identifies a request: requests with equal keys get equal grammars. ``options`` are those of the front end, by
        their names."""
        text = _choices(source) if kind == "choice" else to_text(source)
        return self._engine.key(kind, text, json.dumps(options, default=list))

    @property
    def stats(self) -> CompilerStats:
        """Counters: ``compiled``, ``memory_hits``, ``layer_hits`` (artifacts of ``grammarc build``), ``folder_hits``,
        ``shared`` (waited for another request), ``refused``, ``refused_from_memory``, ``timeouts``, ``cancelled``,
        ``out_of_memory``, ``not_kept``, ``evicted_from_memory``, ``evicted_from_folder`` and
        ``bytes_written``; and histograms ``compile_times`` and ``request_times`` as Prometheus has them: ``buckets`` are pairs of an
        upper bound in seconds and how many were at most that long, then ``count`` and ``sum``."""
        return CompilerStats(json.loads(self._engine.stats()))

    def _method(self, kind: str) -> Any:
        if kind not in KINDS:
            raise ValueError(f"no kind {kind!r}; there are {', '.join(KINDS)}")
        return getattr(self, kind)

    def _compile(
        self,
        kind: Kind,
        text: str,
        options: Mapping[str, Any],
        limits: Limits | None,
        cancel: CancelToken | None,
    ) -> Grammar:
        if not isinstance(text, str):
            raise TypeError(f"a {kind} source is a str, and not {type(text).__name__}")
        given = json.dumps(options, ensure_ascii=False) if options else ""
        return self._engine.compile(kind, text, given, limits, cancel)


def _of_grammar(start: str, sources: Mapping[str, Source] | None) -> dict[str, Any]:
    """The options of a grammar."""
    return {"start": start, **_named(sources)}


def _named(sources: Mapping[str, Source] | None) -> dict[str, Any]:
    """The option that has sources by name."""
    return {"sources": {name: _source(name, *one) for name, one in sources.items()}} if sources else {}


def _source(name: str, kind: Kind, source: Any, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """A source with its language, as options have it."""
    if kind not in KINDS:
        raise ValueError(f"no kind {kind!r} for the source {name!r}; there are {', '.join(KINDS)}")
    text = _choices(source) if kind == "choice" else to_text(source)
    return {"language": kind, "text": text, "options": dict(options or {})}


def json_options(options: JsonOptions) -> dict[str, Any]:
    """Options of JSON that are set, in the form in which the compiler reads them. Raises ``TypeError`` for those that there are not."""
    for name in options.keys() - JsonOptions.__annotations__.keys():
        raise TypeError(f"no option {name!r}; there are {', '.join(JsonOptions.__annotations__)}")
    given = _given(**options)
    if isinstance(whitespace := given.get("whitespace"), tuple):
        form, number = whitespace
        given["whitespace"] = f"{form}:{number}"
    if "deny" in given:
        given["deny"] = sorted(given["deny"])
    if "resources" in given:
        given["resources"] = {uri: json.loads(to_text(one)) for uri, one in given["resources"].items()}
    return {name: value for name, value in given.items() if value is not False and value != [] and value != {}}


def _given(**options: Any) -> dict[str, Any]:
    """The options that are set."""
    return {name: value for name, value in options.items() if value is not None}


def _choices(choices: Iterable[str]) -> str:
    if isinstance(choices, str):
        raise TypeError("choices are several texts, and not one")
    return json.dumps(list(choices), ensure_ascii=False)
