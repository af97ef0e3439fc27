"""TensorRT-LLM: grammarc in the place of XGrammar in its guided decoder.

    grammarc.hosts.tensorrt_llm.install()
    llm = LLM(model, guided_decoding_backend="xgrammar")

The guided decoder makes a factory for each engine and a matcher for each request; :func:`install` replaces the factory of
XGrammar, in each process that runs an engine, before the engine is made. JSON, schemas, regular expressions, EBNF and structural
tags become grammars of grammarc. What only XGrammar takes goes to the factory that was there, which is made when the first of it
comes.

Defaults follow that factory: any whitespace, no keys that a schema does not name, keys in its order.
"""

from __future__ import annotations

from typing import Any

from grammarc._errors import SourceError
from grammarc._native import Grammar, Matcher, Vocabulary
from grammarc.compiler import Compiler, Limits, PathLike
from grammarc.hosts._probe import Host
from grammarc.hosts._serving import XGRAMMAR_ONLY, is_only
from grammarc.tokenizers import from_tokens

_HOST = Host("tensorrt-llm", "TensorRT-LLM 1.2")
_MODULE = "tensorrt_llm._torch.pyexecutor"
_MARK = "of_grammarc"

ANY_JSON = '{"type": ["object", "array"]}'
"""What XGrammar takes for JSON without a schema."""

_SECONDS = 10.0
"""Time that a compilation may take: the executor waits for it."""


def install(*, cache: PathLike | None = None, limits: Limits | None = None) -> None:
    """Replaces ``guided_decoder.XGrammarMatcherFactory``, once. ``cache`` is a folder for compiled grammars and vocabularies,
    ``limits`` are those of a compilation. :class:`.HostMismatch` where TensorRT-LLM is not as this knows it; nothing is
    replaced then."""
    decoder: Any = _HOST.module(f"{_MODULE}.guided_decoder")
    interface = _HOST.module(f"{_MODULE}.grammar_matcher")
    parent = _HOST.member(decoder, "XGrammarMatcherFactory")
    if getattr(parent, _MARK, False):
        return
    matcher = _HOST.member(interface, "GrammarMatcher")
    params = _HOST.member(interface, "GuidedDecodingParams")
    kinds = _HOST.member(params, "GuideType")
    for name in ("JSON", "JSON_SCHEMA", "REGEX", "EBNF_GRAMMAR", "STRUCTURAL_TAG"):
        _HOST.member(kinds, name)
    _HOST.takes(parent.__init__, "guided_decoding_config", "vocab_size_padded")
    _HOST.takes(parent.create, "guided_decoding_params")
    _HOST.takes(matcher.accept_token, "token_id")
    _HOST.takes(matcher.rollback, "num_tokens")
    _HOST.takes(matcher.fill_next_token_bitmask, "next_token_bitmask", "index")
    _HOST.takes(matcher.is_terminated)
    unknown = set(getattr(matcher, "__abstractmethods__", ())) - {
        "accept_token",
        "rollback",
        "fill_next_token_bitmask",
        "is_terminated",
    }
    if unknown:
        raise _HOST.mismatch(f"its matchers have {', '.join(sorted(unknown))}")
    decoder.XGrammarMatcherFactory = _factory(parent, matcher, kinds, cache, limits or {"timeout": _SECONDS})


def _factory(parent: Any, interface: Any, kinds: Any, cache: PathLike | None, limits: Limits) -> type:
    class GrammarcMatcher(interface):  # type: ignore[misc]
        """One request."""

        def __init__(self, matcher: Matcher) -> None:
            super().__init__()
            self._matcher = matcher

        def accept_token(self, token_id: int) -> bool:
            return self._matcher.try_accept(token_id)

        def rollback(self, num_tokens: int) -> None:
            self._matcher.rollback(num_tokens)

        def fill_next_token_bitmask(self, next_token_bitmask: Any, index: int) -> None:
            self._matcher.fill(next_token_bitmask, index)

        def is_terminated(self) -> bool:
            return self._matcher.is_finished

    class GrammarcMatcherFactory(parent):  # type: ignore[misc]
        """Makes the matchers of one engine. Its parent is set up only for sources that XGrammar alone takes."""

        def __init__(self, guided_decoding_config: Any, vocab_size_padded: int, *rest: Any, **named: Any) -> None:
            self._made = (guided_decoding_config, vocab_size_padded, *rest), named
            self._has_parent = False
            ends = guided_decoding_config.stop_token_ids
            self._ends = None if ends is None else [int(token) for token in ends]
            imported = vocabulary(guided_decoding_config, vocab_size_padded, cache=cache)
            self._compiler = Compiler(imported, cache=cache, limits=limits)

        def create(self, guided_decoding_params: Any) -> Any:
            try:
                grammar = self._compile(guided_decoding_params.guide_type, guided_decoding_params.guide)
            except SourceError as error:
                if not is_only(error, XGRAMMAR_ONLY):
                    raise
                if not self._has_parent:
                    arguments, named = self._made
                    super().__init__(*arguments, **named)
                    self._has_parent = True
                return super().create(guided_decoding_params)
            return GrammarcMatcher(grammar.matcher(end_tokens=self._ends))

        def _compile(self, kind: Any, guide: str | None) -> Grammar:
            """The grammar of a guide."""
            if kind == kinds.JSON:
                return self._compiler.json_schema(ANY_JSON, whitespace="flexible")
            if guide is None:
                raise ValueError(f"a guide of type {kind} has no text")
            if kind == kinds.JSON_SCHEMA:
                return self._compiler.json_schema(guide, whitespace="flexible", closed=True)
            if kind == kinds.REGEX:
                return self._compiler.regex(guide)
            if kind == kinds.EBNF_GRAMMAR:
                return self._compiler.ebnf(guide)
            if kind == kinds.STRUCTURAL_TAG:
                return self._compiler.structural_tag(guide, whitespace="flexible", closed=True)
            raise ValueError(f"Unsupported guide type: {kind}.")

    setattr(GrammarcMatcherFactory, _MARK, True)
    return GrammarcMatcherFactory


def vocabulary(config: Any, width: int, *, cache: PathLike | None = None) -> Vocabulary:
    """The vocabulary of a ``GuidedDecodingConfig``: its ``tokenizer.json`` where it has one, and else its list of tokens, whose
    texts are their bytes then."""
    ends = None if config.stop_token_ids is None else [int(token) for token in config.stop_token_ids]
    if config.tokenizer_str is not None:
        said: dict[str, Any] = {
            "name": None,
            "logit_width": width,
            "end_tokens": ends,
            "text_ids": [],
            "special_ids": [],
            "unused_ids": [],
            "special_tokens": [],
            "companions": [],
        }
        return Vocabulary.import_bytes("tokenizer.json", config.tokenizer_str.encode(), said, cache)
    listed = [token.encode() for token in config.encoded_vocab]
    # Only their names distinguish control tokens from text here, as with tokens that were added to a tokenizer.
    return from_tokens(
        listed,
        special_ids=ends or (),
        added_ids=set(range(len(listed))) - set(ends or ()),
        logit_width=width,
        end_tokens=ends,
        cache=cache,
    )
