"""Vocabularies, sources and compilers of the shim ``xgrammar``."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Sequence
from enum import Enum
from typing import Any

import grammarc
from grammarc._errors import SourceError
from grammarc.compat._xgrammar_base import checked, is_installed, real
from grammarc.compat._xgrammar_tags import tag_text
from grammarc.hosts._serving import ANY_VALUE, XGRAMMAR_ONLY, is_only
from grammarc.schema import to_text

_MARKER = re.compile(rb"<\|.*\|>|<\xef\xbd\x9c.*\xef\xbd\x9c>", re.DOTALL)
"""Names of control tokens that no text has."""

_STOPS = frozenset(
    {
        "</s>",
        "<eos>",
        "<end_of_turn>",
        "<|end_of_text|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "<|eom_id|>",
        "<|im_end|>",
        "<|end|>",
        "<｜end▁of▁sentence｜>",
    }
)
"""Names of tokens that end a sequence, where a vocabulary says nothing of that."""


class VocabType(Enum):
    """How tokens of a vocabulary are written."""

    RAW = 0
    BYTE_FALLBACK = 1
    BYTE_LEVEL = 2


class TokenizerInfo:
    """A vocabulary."""

    def __init__(
        self,
        encoded_vocab: Sequence[bytes | str],
        vocab_type: VocabType = VocabType.RAW,
        *,
        vocab_size: int | None = None,
        stop_token_ids: Sequence[int] | int | None = None,
        add_prefix_space: bool = False,
    ) -> None:
        # The enumeration may be XGrammar's own.
        self.vocab_type = VocabType(getattr(vocab_type, "value", vocab_type))
        self.vocab_size = len(encoded_vocab) if vocab_size is None else vocab_size
        self.add_prefix_space = add_prefix_space
        self.prepend_space_in_tokenization = add_prefix_space
        self._encoded = list(encoded_vocab)
        self._tokenizer: Any = None
        if isinstance(stop_token_ids, int):
            stop_token_ids = [stop_token_ids]
        if stop_token_ids is None:
            names = (
                (id, one.decode("utf-8", "replace") if isinstance(one, bytes) else one)
                for id, one in enumerate(encoded_vocab)
            )
            stop_token_ids = [id for id, name in names if name in _STOPS]
        self.stop_token_ids = list(stop_token_ids)

    @staticmethod
    def from_huggingface(
        tokenizer: Any, *, vocab_size: int | None = None, stop_token_ids: Sequence[int] | int | None = None
    ) -> TokenizerInfo:
        """A vocabulary of a tokenizer of transformers, or any other that :meth:`grammarc.Vocabulary.from_tokenizer` takes."""
        if isinstance(stop_token_ids, int):
            stop_token_ids = [stop_token_ids]
        vocabulary = checked(
            lambda: grammarc.Vocabulary.from_tokenizer(tokenizer, logit_width=vocab_size, end_tokens=stop_token_ids)
        )
        info = TokenizerInfo([], vocab_size=vocabulary.logit_width, stop_token_ids=list(vocabulary.end_tokens))
        info._tokenizer = tokenizer
        info.__dict__["vocabulary"] = vocabulary
        return info

    @staticmethod
    def from_vocab_and_metadata(encoded_vocab: Sequence[bytes | str], metadata: str) -> TokenizerInfo:
        """A vocabulary by what :meth:`dump_metadata` says."""
        said = json.loads(metadata)
        return TokenizerInfo(
            encoded_vocab,
            VocabType(said["vocab_type"]),
            vocab_size=said["vocab_size"],
            stop_token_ids=said["stop_token_ids"],
            add_prefix_space=said["add_prefix_space"],
        )

    @staticmethod
    def _detect_metadata_from_hf(backend_str: str) -> dict[str, Any]:
        """What the text of a ``tokenizer.json`` says of its tokens, as TensorRT-LLM asks for it."""
        decoder = json.dumps(json.loads(backend_str).get("decoder") or {})
        if '"ByteLevel"' in decoder:
            kind = VocabType.BYTE_LEVEL
        elif '"ByteFallback"' in decoder:
            kind = VocabType.BYTE_FALLBACK
        else:
            kind = VocabType.RAW
        return {"vocab_type": kind, "add_prefix_space": '"Strip"' in decoder}

    def dump_metadata(self) -> str:
        """Everything but the tokens, as JSON."""
        return json.dumps(
            {
                "vocab_type": self.vocab_type.value,
                "vocab_size": self.vocab_size,
                "add_prefix_space": self.add_prefix_space,
                "stop_token_ids": self.stop_token_ids,
            }
        )

    @functools.cached_property
    def vocabulary(self) -> grammarc.Vocabulary:
        """The vocabulary of grammarc."""
        tokens = [_decoded(token, self.vocab_type) for token in self._encoded][: self.vocab_size]
        special = {id for id, token in enumerate(tokens) if _MARKER.fullmatch(token)} | set(self.stop_token_ids)
        return checked(
            lambda: grammarc.Vocabulary.from_tokens(
                [token or None for token in tokens],
                special_ids=[id for id in special if id < len(tokens)],
                end_tokens=[id for id in self.stop_token_ids if id < len(tokens)],
                logit_width=self.vocab_size,
            )
        )

    @functools.cached_property
    def decoded_vocab(self) -> list[bytes]:
        """The bytes of each token; those of control tokens are their names."""
        vocabulary = self.vocabulary
        known = [vocabulary.token_bytes(id) for id in range(min(len(vocabulary), self.vocab_size))]
        return known + [b""] * (self.vocab_size - len(known))

    @property
    def special_token_ids(self) -> list[int]:
        """Tokens that match no text."""
        vocabulary = self.vocabulary
        return [id for id in range(len(vocabulary)) if vocabulary.token_kind(id) != "text"]

    @functools.cached_property
    def _xgrammar(self) -> Any:
        """The same for XGrammar."""
        made = real("TokenizerInfo", "grammars of XGrammar")
        stops = self.stop_token_ids or None
        if self._tokenizer is not None:
            return made.from_huggingface(self._tokenizer, vocab_size=self.vocab_size, stop_token_ids=stops)
        kind = real("VocabType", "vocabularies")(self.vocab_type.value)
        return made(
            self._encoded,
            kind,
            vocab_size=self.vocab_size,
            stop_token_ids=stops,
            add_prefix_space=self.add_prefix_space,
        )


@functools.cache
def _byte_level() -> dict[str, int]:
    """Characters by which byte-level tokenizers write bytes."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in set(plain)]
    return {chr(byte): byte for byte in plain} | {chr(256 + at): byte for at, byte in enumerate(others)}


def _decoded(token: bytes | str, kind: VocabType) -> bytes:
    """The bytes that a token adds to a text."""
    text = token.decode("utf-8", "surrogateescape") if isinstance(token, bytes) else token
    if kind is VocabType.BYTE_LEVEL:
        letters = _byte_level()
        if all(letter in letters for letter in text):
            return bytes(letters[letter] for letter in text)
    elif kind is VocabType.BYTE_FALLBACK:
        if re.fullmatch(r"<0x[0-9A-Fa-f]{2}>", text):
            return bytes([int(text[3:5], 16)])
        text = text.replace("▁", " ")
    return text.encode("utf-8", "surrogateescape")


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

    def __str__(self) -> str:
        """XGrammar's notation, which is the source of a grammar and needs XGrammar for others."""
        if self._kind == "ebnf":
            return self._source
        return str(self._build(real("Grammar", "grammars as text")))


class CompiledGrammar:
    """A compiled source."""

    def __init__(self, grammar: Grammar, compiled: grammarc.Grammar, tokenizer_info: TokenizerInfo) -> None:
        self.grammar = grammar
        self.compiled = compiled
        self.tokenizer_info = tokenizer_info

    @property
    def memory_size_bytes(self) -> int:
        """Bytes of its artifact."""
        return len(self.compiled.to_bytes())


class GrammarCompiler:
    """A compiler of one vocabulary."""

    def __init__(
        self,
        tokenizer_info: TokenizerInfo,
        *,
        max_threads: int = 8,
        cache_enabled: bool = True,
        cache_limit_bytes: int = -1,
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
        self.clear_cache()

    def clear_cache(self) -> None:
        """Forgets compiled grammars."""
        entries = 256 if self._options["cache_enabled"] else 0
        self._compiler = grammarc.Compiler(
            self.tokenizer_info.vocabulary, threads=self._options["max_threads"], memory_entries=entries
        )

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
        try:
            made = checked(lambda: self._compiler.compile(grammar._kind, grammar._source, **grammar._options))  # type: ignore[arg-type]
        except RuntimeError as error:
            cause = error.__cause__
            if isinstance(cause, SourceError) and is_only(cause, XGRAMMAR_ONLY) and is_installed():
                theirs = grammar._build(real("Grammar", "grammars of XGrammar"))
                return self._xgrammar.compile_grammar(theirs)  # type: ignore[no-any-return]
            raise
        return CompiledGrammar(grammar, made, self.tokenizer_info)
