"""Sources and compilers of the shim ``xgrammar``."""

from __future__ import annotations

import functools
import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import grammarc
from grammarc._errors import SourceError
from grammarc.compat._xgrammar_base import checked, is_installed, real
from grammarc.compat._xgrammar_tags import tag_text
from grammarc.compat._xgrammar_tokens import TokenizerInfo
from grammarc.hosts._serving import ANY_VALUE, XGRAMMAR_ONLY, is_only
from grammarc.schema import to_text

_SCHEMAS_INSIDE = {"whitespace": "flexible", "closed": True}
"""Options for schemas within other sources, as XGrammar has them there."""


class Grammar:
    """A source that is not compiled yet."""

    def __init__(self, kind: str, source: str, options: dict[str, Any], build: Any) -> None:
        self._kind = kind
        self._source = source
        self._options = options
        self._build = build
        """Makes XGrammar's grammar of the same source."""

    @staticmethod
    def from_ebnf(ebnf_string: str, *, root_rule_name: str = "root") -> Grammar:
        """A grammar in XGrammar's notation, which GBNF is a part of."""
        build = lambda theirs: theirs.from_ebnf(ebnf_string, root_rule_name=root_rule_name)  # noqa: E731
        return Grammar("ebnf", ebnf_string, {"start": root_rule_name}, build)

    @staticmethod
    def from_json_schema(
        schema: Any,
        *,
        any_whitespace: bool = True,
        indent: int | None = None,
        separators: tuple[str, str] | None = None,
        strict_mode: bool = True,
        max_whitespace_cnt: int | None = None,
        print_converted_ebnf: bool = False,
        any_order: bool = False,
    ) -> Grammar:
        """A JSON Schema, or a pydantic model."""
        text = checked(lambda: to_text(schema))
        options: dict[str, Any] = {"closed": strict_mode}
        if any_order:
            options["key_order"] = "any-once"
        if any_whitespace:
            options["whitespace"] = "flexible" if max_whitespace_cnt is None else f"flexible:{max_whitespace_cnt}"
        elif indent is not None:
            if separators not in (None, (",", ": ")):
                raise RuntimeError("grammarc: indented text has the separators (',', ': ')")
            options["whitespace"] = f"indented:{indent}"
        elif separators is not None:
            options["separators"] = tuple(separators)
        else:
            options["whitespace"] = "spaced"
        build = lambda theirs: theirs.from_json_schema(  # noqa: E731
            text,
            any_whitespace=any_whitespace,
            indent=indent,
            separators=separators,
            strict_mode=strict_mode,
            max_whitespace_cnt=max_whitespace_cnt,
            any_order=any_order,
        )
        return Grammar("json_schema", text, options, build)

    @staticmethod
    def from_regex(regex_string: str, *, print_converted_ebnf: bool = False) -> Grammar:
        """A regular expression."""
        return Grammar("regex", regex_string, {}, lambda theirs: theirs.from_regex(regex_string))

    @staticmethod
    def builtin_json_grammar() -> Grammar:
        """Any JSON value."""
        options = {"whitespace": "flexible"}
        return Grammar("json_schema", ANY_VALUE, options, lambda theirs: theirs.builtin_json_grammar())

    @staticmethod
    def from_lark(lark_string: str, *, tokenizer_info: Any = None, named_grammars: Any = None) -> Any:
        """A grammar in Lark; XGrammar's own where it leads to others by name."""

        def build(theirs: Any) -> Any:
            info = tokenizer_info._xgrammar if isinstance(tokenizer_info, TokenizerInfo) else tokenizer_info
            return theirs.from_lark(lark_string, tokenizer_info=info, named_grammars=named_grammars)

        if named_grammars:
            return build(real("Grammar", "Lark grammars that lead to others by name"))
        return Grammar("lark", lark_string, dict(_SCHEMAS_INSIDE), build)

    @staticmethod
    def from_structural_tag(*arguments: Any, **options: Any) -> Grammar:
        """A structural tag, as text, as a dictionary or as XGrammar's object, or tags and triggers of the older form."""
        text = tag_text(*arguments, **options)
        return Grammar(
            "structural_tag", text, dict(_SCHEMAS_INSIDE), lambda theirs: theirs.from_structural_tag(text)
        )

    @staticmethod
    def concat(*grammars: Grammar) -> Grammar:
        """The concatenation: a text of each grammar, one after the other."""
        return Grammar._joined(" ", grammars, lambda theirs: theirs.concat)

    @staticmethod
    def union(*grammars: Grammar) -> Grammar:
        """The union: a text of any of the grammars."""
        return Grammar._joined(" | ", grammars, lambda theirs: theirs.union)

    @staticmethod
    def _joined(separator: str, grammars: tuple[Grammar, ...], join: Any) -> Grammar:
        if not grammars:
            raise ValueError("grammarc: there are no grammars to join")
        sources = {f"g{at}": (one._kind, one._source, one._options) for at, one in enumerate(grammars)}
        source = "root ::= " + separator.join(f'@"{name}"' for name in sources)
        build = lambda theirs: join(theirs)(*(one._build(theirs) for one in grammars))  # noqa: E731
        return Grammar("gbnf", source, {"sources": sources}, build)

    def __str__(self) -> str:
        """The grammar in XGrammar's notation: its source if it was given so. Other kinds of sources need XGrammar itself."""
        if self._kind == "ebnf":
            return self._source
        return str(self._build(real("Grammar", "grammars as text")))


class CompiledGrammar:
    """A compiled source."""

    def __init__(self, grammar: Grammar, compiled: grammarc.Grammar, tokenizer_info: TokenizerInfo) -> None:
        self.grammar = grammar
        self.compiled = compiled
        self.tokenizer_info = tokenizer_info

    @functools.cached_property
    def memory_size_bytes(self) -> int:
        """Bytes of its artifact."""
        return len(self.compiled.to_bytes())


class _Cache:
    """A cache of compiled grammars by source: least recently used, bounded in bytes of artifacts. A negative limit is no limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._entries: OrderedDict[Any, CompiledGrammar] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Any, make: Callable[[], CompiledGrammar]) -> CompiledGrammar:
        """Returns the grammar of a key, and makes it if it is missing. Threads that ask at the same time may each make it."""
        with self._lock:
            known = self._entries.get(key)
            if known is not None:
                self._entries.move_to_end(key)
                return known
        made = make()
        if self._limit:
            with self._lock:
                self._entries.setdefault(key, made)
                while 0 < self._limit < self._size():
                    self._entries.popitem(last=False)
        return made

    def size(self) -> int:
        """Bytes of the artifacts. Unmasked grammars, whose masks are still computed, count 0."""
        with self._lock:
            return self._size()

    def _size(self) -> int:
        return sum(one.memory_size_bytes for one in self._entries.values() if one.compiled.is_complete)


class GrammarCompiler:
    """A compiler of one vocabulary.

    With ``enable_dynamic_compilation`` masks are computed when they are first needed, as ``early`` of :class:`grammarc.Compiler` has it.
    """

    def __init__(
        self,
        tokenizer_info: TokenizerInfo,
        *,
        max_threads: int = 8,
        cache_enabled: bool = True,
        cache_limit_bytes: int = -1,
        enable_dynamic_compilation: bool = False,
    ) -> None:
        if not isinstance(tokenizer_info, TokenizerInfo):
            raise ValueError(
                "grammarc: the vocabulary was made by another engine; call install() before the host imports xgrammar"
            )
        self.tokenizer_info = tokenizer_info
        self.cache_limit_bytes = cache_limit_bytes
        self._options = {
            "max_threads": max_threads,
            "cache_enabled": cache_enabled,
            "cache_limit_bytes": cache_limit_bytes,
        }
        self._is_early = enable_dynamic_compilation
        self.clear_cache()

    def clear_cache(self) -> None:
        """Forgets compiled grammars."""
        is_cached = self._options["cache_enabled"]
        self._cache = _Cache(self.cache_limit_bytes if is_cached else 0)
        self._compiler = grammarc.Compiler(
            self.tokenizer_info.vocabulary,
            threads=self._options["max_threads"],
            memory_entries=1 if is_cached else 0,
            early=self._is_early,
        )

    def get_cache_size_bytes(self) -> int:
        """Bytes of the artifacts of all grammars that are kept."""
        return self._cache.size()

    @functools.cached_property
    def _xgrammar(self) -> Any:
        return real("GrammarCompiler", "grammars of XGrammar")(self.tokenizer_info._xgrammar, **self._options)

    @property
    def stats(self) -> grammarc.CompilerStats:
        """Counters of grammarc's compiler."""
        return self._compiler.stats

    def compile_json_schema(self, schema: Any, **options: Any) -> CompiledGrammar:
        """A JSON Schema, or a pydantic model; options as of :meth:`Grammar.from_json_schema`."""
        return self._compile(Grammar.from_json_schema(schema, **options))

    def compile_builtin_json_grammar(self) -> CompiledGrammar:
        """Any JSON value."""
        return self._compile(Grammar.builtin_json_grammar())

    def compile_regex(self, regex: str) -> CompiledGrammar:
        """A regular expression."""
        return self._compile(Grammar.from_regex(regex))

    def compile_grammar(self, grammar: Any, *, root_rule_name: str = "root") -> Any:
        """A grammar in XGrammar's notation, or one that was made before."""
        if isinstance(grammar, str):
            grammar = Grammar.from_ebnf(grammar, root_rule_name=root_rule_name)
        if not isinstance(grammar, Grammar):
            return self._xgrammar.compile_grammar(grammar)
        return self._compile(grammar)

    def compile_lark(self, lark_string: str, *, named_grammars: Any = None) -> Any:
        """A grammar in Lark; XGrammar's own where it leads to others by name."""
        if named_grammars:
            return self._xgrammar.compile_lark(lark_string, named_grammars=named_grammars)
        return self._compile(Grammar.from_lark(lark_string, tokenizer_info=self.tokenizer_info))

    def compile_structural_tag(self, *arguments: Any, **options: Any) -> CompiledGrammar:
        """A structural tag; arguments as of :meth:`Grammar.from_structural_tag`."""
        return self._compile(Grammar.from_structural_tag(*arguments, **options))

    def _compile(self, grammar: Grammar) -> CompiledGrammar:
        """The source compiled: by grammarc, and by XGrammar where only that takes it and is installed."""
        key = (grammar._kind, grammar._source, repr(sorted(grammar._options.items())))
        try:
            return self._cache.get(key, lambda: self._made(grammar))
        except RuntimeError as error:
            cause = error.__cause__
            if isinstance(cause, SourceError) and is_only(cause, XGRAMMAR_ONLY) and is_installed():
                theirs = grammar._build(real("Grammar", "grammars of XGrammar"))
                return self._xgrammar.compile_grammar(theirs)  # type: ignore[no-any-return]
            raise

    def _made(self, grammar: Grammar) -> CompiledGrammar:
        made = checked(lambda: self._compiler.compile(grammar._kind, grammar._source, **grammar._options))  # type: ignore[arg-type]
        return CompiledGrammar(grammar, made, self.tokenizer_info)
