"""Stand-ins for hosts that CI does not install: modules with the names, signatures and behaviour that plug-ins rely on.

Those of TensorRT-LLM have the signatures of its published sources (``_torch/pyexecutor/{grammar_matcher,guided_decoder}.py``).
"""

from __future__ import annotations

import abc
import enum
import sys
from collections.abc import Iterable
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy


def module(name: str, **members: Any) -> ModuleType:
    """Makes a module, and the packages that it is in."""
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        path = ".".join(parts[:end])
        if path not in sys.modules:
            sys.modules[path] = ModuleType(path)
            if end > 1:
                setattr(sys.modules[".".join(parts[: end - 1])], parts[end - 1], sys.modules[path])
    found = sys.modules[name]
    for member, value in members.items():
        setattr(found, member, value)
    return found


def forget(package: str) -> None:
    """Takes the stand-ins of a package away."""
    for name in [name for name in sys.modules if name.split(".")[0] == package]:
        del sys.modules[name]


class Llama:
    """``llama_cpp.Llama``, as far as a processor looks at it."""

    def __init__(self, width: int, ends: tuple[int, ...], draft_model: Any = None) -> None:
        self._width = width
        self._model = SimpleNamespace(vocab=ends)
        self.draft_model = draft_model

    def n_vocab(self) -> int:
        return self._width


def llama_cpp() -> ModuleType:
    made = ModuleType("llama_cpp")
    made.llama_vocab_is_eog = lambda vocab, token: token in vocab  # type: ignore[attr-defined]
    return made


def candidates(width: int) -> Any:
    """Logits as llama-cpp-python hands them over: a column of llama.cpp's table of candidates."""
    table = numpy.zeros(width, dtype=[("id", "i4"), ("logit", "f4"), ("p", "f4")])
    table["id"] = range(width)
    return table["logit"]


class GuideType(enum.Enum):
    JSON = 0
    JSON_SCHEMA = 1
    REGEX = 2
    EBNF_GRAMMAR = 3
    STRUCTURAL_TAG = 4


class GuidedDecodingParams:
    GuideType = GuideType

    def __init__(self, guide_type: GuideType, guide: str | None = None) -> None:
        self.guide_type = guide_type
        self.guide = guide


class GrammarMatcher(abc.ABC):
    @abc.abstractmethod
    def accept_token(self, token_id: int) -> bool: ...

    @abc.abstractmethod
    def rollback(self, num_tokens: int) -> None: ...

    @abc.abstractmethod
    def fill_next_token_bitmask(self, next_token_bitmask: Any, index: int) -> None: ...

    @abc.abstractmethod
    def is_terminated(self) -> bool: ...


class GrammarMatcherFactory(abc.ABC):
    @abc.abstractmethod
    def create(self, guided_decoding_params: GuidedDecodingParams) -> GrammarMatcher: ...


class XGrammarMatcherFactory(GrammarMatcherFactory):
    """The factory of XGrammar, which records its calls."""

    made = 0

    def __init__(self, guided_decoding_config: Any, vocab_size_padded: int, max_num_draft_tokens: int = 0) -> None:
        super().__init__()
        XGrammarMatcherFactory.made += 1
        self.config = guided_decoding_config

    def create(self, guided_decoding_params: GuidedDecodingParams) -> Any:
        return ("of XGrammar", guided_decoding_params.guide)


def guided(tokens: Iterable[bytes | None], ends: Iterable[int], **more: Any) -> Any:
    """A ``GuidedDecodingConfig`` that lists its tokens, each byte a character."""
    listed = [(token or b"").decode("latin-1") for token in tokens]
    return SimpleNamespace(**{"encoded_vocab": listed, "tokenizer_str": None, "stop_token_ids": sorted(ends), **more})


def tensorrt_llm(matcher: type = GrammarMatcher, factory: type = XGrammarMatcherFactory) -> ModuleType:
    """The two modules of the guided decoder; returns the one whose factory is replaced."""
    package = "tensorrt_llm._torch.pyexecutor"
    module(
        f"{package}.grammar_matcher",
        GrammarMatcher=matcher,
        GrammarMatcherFactory=GrammarMatcherFactory,
        GuidedDecodingParams=GuidedDecodingParams,
        XGrammarMatcherFactory=factory,
    )
    return module(f"{package}.guided_decoder", XGrammarMatcherFactory=factory)


class Generator:
    """``onnxruntime_genai.Generator`` over given choices: tokens by step and row, all logits alike."""

    def __init__(self, rows: int, width: int, choices: list[list[int]]) -> None:
        self._shape = (rows, 1, width)
        self._choices = choices
        self._step = 0
        self.logits: Any = None

    def get_logits(self) -> Any:
        return numpy.zeros(self._shape, dtype=numpy.float32)

    def set_logits(self, logits: Any) -> None:
        assert logits.shape == self._shape
        assert logits.dtype == numpy.float32
        self.logits = logits.copy()

    def generate_next_token(self) -> None:
        self._step += 1

    def get_next_tokens(self) -> Any:
        return numpy.array(self._choices[self._step - 1], dtype=numpy.int32)

    def is_done(self) -> bool:
        return self._step == len(self._choices)


class GeneratorParams:
    def __init__(self, **options: float) -> None:
        self._options = {"num_beams": 1.0, **options}

    def get_search_options(self) -> dict[str, float]:
        return self._options
