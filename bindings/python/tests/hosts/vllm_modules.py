"""vLLM's modules for tests that do without vLLM.

:func:`each` gives stubs with the interfaces of vLLM 0.32 and 0.33, and for each folder of ``GRAMMARC_VLLM_SOURCES`` (unpacked
distributions, separated as paths are) vLLM's own ``backend_types``, ``backend_xgrammar`` and ``structured_output``, loaded without the
rest of it: whatever else they import is a mock.
"""

from __future__ import annotations

import ast
import enum
import importlib.util
import inspect
import os
import re
import sys
import types
from abc import ABC, abstractmethod
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from grammarc.hosts import _vllm_beams


def each() -> dict[str, SimpleNamespace]:
    """Modules by name: the stubs, and what the environment names."""
    found = {"stubs": stubs()}
    for folder in os.environ.get("GRAMMARC_VLLM_SOURCES", "").split(os.pathsep):
        if folder:
            found[Path(folder).name] = load(Path(folder))
    return found


def processors() -> dict[str, SimpleNamespace]:
    """The interface of logits processors of model runner V2, by name, as :func:`each`."""
    found = {"stubs": processor_stubs()}
    for folder in os.environ.get("GRAMMARC_VLLM_SOURCES", "").split(os.pathsep):
        if folder:
            path = Path(folder) / "vllm/v1/worker/gpu/sample/logits_processor/interface.py"
            module = types.ModuleType("interface")
            # Its dataclasses look their module up.
            sys.modules["interface"] = module
            exec(compile(path.read_text(), str(path), "exec"), module.__dict__)
            found[Path(folder).name] = SimpleNamespace(
                LogitsProcessor=module.LogitsProcessor, LogitsContext=module.LogitsContext
            )
    return found


def processor_stubs() -> SimpleNamespace:
    """That of vLLM 0.32 and 0.33."""

    @dataclass(frozen=True)
    class LogitsContext:
        expanded_idx_mapping: Any
        idx_mapping: Any
        idx_mapping_np: Any
        expanded_local_pos: Any
        input_ids: Any
        pos: Any
        seq_lens_upper_bound_np: Any

    class LogitsProcessor(ABC):
        def __init__(self, vllm_config: Any, req_states: Any) -> None: ...

        @classmethod
        def validate_params(cls, sampling_params: Any) -> None: ...
        def add_request(self, req_idx: int, sampling_params: Any) -> bool:
            return True

        def apply_staged_writes(self) -> None: ...
        @abstractmethod
        def apply(self, logits: Any, ctx: Any) -> Any: ...

    return SimpleNamespace(LogitsProcessor=LogitsProcessor, LogitsContext=LogitsContext)


def config(**structured: Any) -> SimpleNamespace:
    """What a backend reads of a configuration."""
    options = {"disable_any_whitespace": False, **structured}
    return SimpleNamespace(
        structured_outputs_config=SimpleNamespace(**options),
        model_config=SimpleNamespace(hf_config=SimpleNamespace(model_type="llama"), is_diffusion=False),
        parallel_config=SimpleNamespace(world_size=1),
        speculative_config=None,
        num_speculative_tokens=0,
    )


def load(folder: Path) -> SimpleNamespace:
    """vLLM's own modules of an unpacked distribution."""
    root = folder / "vllm"
    with mocked():
        exceptions = _module("vllm.exceptions", root / "exceptions.py")
        utils = types.ModuleType("vllm.v1.structured_output.utils")
        names = (
            "grammar_is_likely_lark",
            "choice_as_grammar",
            "strip_speculative_padding",
            "compile_regex_with_timeout",
        )
        source = (root / "v1/structured_output/utils.py").read_text()
        utils.__dict__.update(re=re, TypeVar=mock.MagicMock(), Callable=None, _T=None)
        exec(compile(_functions(source, names), "utils.py", "exec"), utils.__dict__)
        sys.modules["vllm.v1.structured_output.utils"] = utils
        package = root / "v1/structured_output"
        backend_types = _module("vllm.v1.structured_output.backend_types", package / "backend_types.py")
        backend_xgrammar = _module("vllm.v1.structured_output.backend_xgrammar", package / "backend_xgrammar.py")
        structured_output = _module("vllm.v1.structured_output", package / "__init__.py")
    params = _methods(root / "sampling_params.py", "SamplingParams", "_validate_structured_outputs")
    offline = _methods(
        root / "entrypoints/generate/beam_search/offline.py",
        "BeamSearchOfflineMixin",
        "_init_beam_search_structured_output",
        get_structured_output_key=lambda asked: asked,
    )
    requests = [
        _methods(
            root / "entrypoints/openai" / folder / "protocol.py",
            name,
            "to_beam_search_params",
            "extract_structured_outputs",
            **request_names(),
        )
        for folder, name in (("chat_completion", "ChatCompletionRequest"), ("completion", "CompletionRequest"))
    ]
    return SimpleNamespace(
        structured_output=structured_output,
        backend_types=backend_types,
        backend_xgrammar=backend_xgrammar,
        sampling_params=SimpleNamespace(SamplingParams=params),
        utils=utils,
        exceptions=exceptions,
        **beam_modules(offline, requests),
    )


def beam_modules(offline: type, requests: list[type]) -> dict[str, Any]:
    """The modules of beam search, and those of requests with their classes."""
    modules = {name: types.ModuleType(name) for name in (_vllm_beams.OFFLINE, *_vllm_beams.REQUESTS)}
    modules[_vllm_beams.OFFLINE].__dict__.update(BeamSearchOfflineMixin=offline)
    for (name, of), request in zip(_vllm_beams.REQUESTS.items(), requests, strict=True):
        modules[name].__dict__.update({of: request})
    return {"offline": modules[_vllm_beams.OFFLINE], "beam_modules": modules, "requests": requests}


def request_names() -> dict[str, Any]:
    """What the methods of requests look up: parameters of beams without a constraint, and the constraint of a request."""
    return {
        "BeamSearchParams": lambda **options: SimpleNamespace(**{"structured_outputs": None, **options}),
        "structured_outputs_from_response_format": lambda structured, response: response or structured,
    }


def request(made: type, **fields: Any) -> Any:
    """A request of a class, with these fields and None for all others."""
    method: Any = inspect.unwrap(made.to_beam_search_params)  # type: ignore[attr-defined]
    names = {*method.__code__.co_names, "structured_outputs", "response_format"}
    one = made()
    one.__dict__.update({**dict.fromkeys(names - set(dir(made))), **fields})
    return one


class _Mocked(types.ModuleType):
    """A module that has everything."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        made = mock.MagicMock(name=f"{self.__name__}.{name}")
        setattr(self, name, made)
        return made


class _Finder:
    """Finds every module of vLLM, and those that it needs and that are not installed."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] not in ("vllm", "torch", "regex", "xgrammar"):
            return None
        return importlib.util.spec_from_loader(name, _Finder)  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: Any) -> types.ModuleType:
        return _Mocked(spec.name)

    @staticmethod
    def exec_module(module: types.ModuleType) -> None:
        pass


@contextmanager
def mocked() -> Iterator[None]:
    """Modules of vLLM are mocks meanwhile, unless they are loaded; torch is its own where it is installed."""
    try:
        import torch  # noqa: F401
    except ImportError:
        pass
    before = {name: module for name, module in sys.modules.items() if name.partition(".")[0] == "vllm"}
    for name in before:
        del sys.modules[name]
    new = set(sys.modules)
    finder: Any = _Finder()
    sys.meta_path.insert(0, finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
        for name in set(sys.modules) - new:
            del sys.modules[name]
        sys.modules.update(before)


def _module(name: str, path: Path) -> types.ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _functions(source: str, names: tuple[str, ...]) -> ast.Module:
    """Functions of a module, without their annotations."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name in names]
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        if isinstance(node, ast.arg):
            node.annotation = None
    return tree


def _methods(path: Path, name: str, *methods: str, **known: Any) -> type:
    """A class with the methods of one in a file. They look up what is known."""
    code = compile(path.read_text(), str(path), "exec")
    made = {method: types.FunctionType(_code(code, method), dict(known)) for method in methods}
    for method in made.values():
        method.__defaults__ = (None,) if method.__name__ == "to_beam_search_params" else None
    return type(name, (), {"_DEFAULT_SAMPLING_PARAMS": {"temperature": 1.0}, **made})


def _code(code: types.CodeType, name: str) -> types.CodeType:
    """The code of a function, wherever it is inside of this."""
    inner = [one for one in code.co_consts if isinstance(one, types.CodeType)]
    for one in inner:
        if one.co_name == name:
            return one
    for one in inner:
        try:
            return _code(one, name)
        except LookupError:
            continue
    raise LookupError(name)


def stubs() -> SimpleNamespace:
    """The interfaces of vLLM 0.32 and 0.33, written down."""

    class Options(enum.Enum):
        JSON = enum.auto()
        JSON_OBJECT = enum.auto()
        REGEX = enum.auto()
        GRAMMAR = enum.auto()
        CHOICE = enum.auto()
        STRUCTURAL_TAG = enum.auto()

    class Grammar(ABC):
        @abstractmethod
        def accept_tokens(self, request_id: str, tokens: list[int]) -> bool: ...
        @abstractmethod
        def validate_tokens(self, tokens: list[int]) -> list[int]: ...
        @abstractmethod
        def rollback(self, num_tokens: int) -> None: ...
        @abstractmethod
        def fill_bitmask(self, bitmask: Any, batch_index: int) -> None: ...
        @abstractmethod
        def is_terminated(self) -> bool: ...
        @abstractmethod
        def reset(self) -> None: ...

    @dataclass
    class Backend(ABC):
        vllm_config: Any
        tokenizer: Any
        vocab_size: int

        @abstractmethod
        def compile_grammar(self, request_type: Any, grammar_spec: str, stop_token_ids: Any = None) -> Any: ...
        @abstractmethod
        def allocate_token_bitmask(self, max_num_seqs: int) -> Any: ...
        @abstractmethod
        def destroy(self) -> None: ...

    @dataclass
    class XgrammarBackend(Backend):
        def __post_init__(self) -> None:
            self.compiler = mock.MagicMock()

        def compile_grammar(self, request_type: Any, grammar_spec: str, stop_token_ids: Any = None) -> Any:
            return ("xgrammar", request_type, grammar_spec, stop_token_ids, self.compiler)

        def allocate_token_bitmask(self, max_num_seqs: int) -> Any: ...

        def destroy(self) -> None:
            del self.compiler

    # As in vLLM, the manager looks its backend up in the module.
    structured_output = types.ModuleType("vllm.v1.structured_output")
    init = "def grammar_init(self, request): self.executor; return XgrammarBackend(request, None, 1)"
    made = types.FunctionType(_code(compile(init, "stub", "exec"), "grammar_init"), structured_output.__dict__)

    def __init__(self: Any, vllm_config: Any) -> None:
        self.executor = ThreadPoolExecutor(1)

    def validate_tokens(self: Any, request: Any, spec_tokens: list[int]) -> list[int]:
        if not request.use_structured_output or self._get_constraint_bounds(request, spec_tokens)[0] >= len(spec_tokens):
            return spec_tokens
        return request.structured_output_request.grammar.validate_tokens(spec_tokens)  # type: ignore[no-any-return]

    def _get_constraint_bounds(self: Any, request: Any, spec_tokens: list[int]) -> tuple[int, int]:
        return (1, 1) if request.reasons else (0, 0)

    methods = {"grammar_init": made, "__init__": __init__, "validate_tokens": validate_tokens, "_get_constraint_bounds": _get_constraint_bounds}
    manager = type("StructuredOutputManager", (), methods)
    structured_output.__dict__.update(XgrammarBackend=XgrammarBackend, StructuredOutputManager=manager)

    def validate_xgrammar_grammar(sampling_params: Any) -> None:
        sampling_params.asked_xgrammar = True

    check = "def _validate_structured_outputs(self):\n from m import validate_xgrammar_grammar\n validate_xgrammar_grammar(self)"
    code = _code(compile(check, "stub", "exec"), "_validate_structured_outputs")
    params = type("SamplingParams", (), {"_validate_structured_outputs": types.FunctionType(code, {})})

    class BeamSearchOfflineMixin:
        def _init_beam_search_structured_output(self, structured_outputs: Any, tokenizer: Any) -> Any:
            from vllm.v1.structured_output.backend_xgrammar import XgrammarBackend

            backend = XgrammarBackend(self.llm_engine.vllm_config, tokenizer, self.model_config.get_vocab_size())  # type: ignore[attr-defined]
            return backend, structured_outputs, None

    class ChatCompletionRequest:
        def to_beam_search_params(self, max_tokens: int, default_sampling_params: Any) -> Any:
            return request_names()["BeamSearchParams"](beam_width=self.n, max_tokens=max_tokens)  # type: ignore[attr-defined]

        def extract_structured_outputs(self) -> Any:
            return self.response_format or self.structured_outputs  # type: ignore[attr-defined]

    class CompletionRequest(ChatCompletionRequest): ...

    class VLLMClientError(Exception): ...

    class VLLMValidationError(VLLMClientError): ...

    def grammar_is_likely_lark(grammar_str: str) -> bool:
        return "::=" not in grammar_str

    return SimpleNamespace(
        structured_output=structured_output,
        backend_types=SimpleNamespace(
            StructuredOutputOptions=Options, StructuredOutputGrammar=Grammar, StructuredOutputBackend=Backend
        ),
        backend_xgrammar=SimpleNamespace(
            XgrammarBackend=XgrammarBackend, validate_xgrammar_grammar=validate_xgrammar_grammar
        ),
        sampling_params=SimpleNamespace(SamplingParams=params),
        utils=SimpleNamespace(grammar_is_likely_lark=grammar_is_likely_lark),
        exceptions=SimpleNamespace(VLLMClientError=VLLMClientError, VLLMValidationError=VLLMValidationError),
        **beam_modules(BeamSearchOfflineMixin, [ChatCompletionRequest, CompletionRequest]),
    )
