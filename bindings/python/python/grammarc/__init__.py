"""Structured output for any sampler: every token mask that a grammar can need, compiled ahead.

>>> import grammarc, numpy
>>> vocabulary = grammarc.Vocabulary.from_tokens([b"yes", b"no", b"<end>"], special_ids=[2], end_tokens=[2])
>>> grammar = grammarc.Compiler(vocabulary).choice(["yes", "no"])
>>> matcher = grammar.matcher()
>>> logits = numpy.zeros(vocabulary.logit_width, dtype="float32")
>>> matcher.apply(logits)
>>> logits.tolist()
[0.0, 0.0, -inf]
>>> matcher.accept(1)
>>> matcher.is_accepting
True
"""

from grammarc._artifacts import ArtifactFolders, open_artifact
from grammarc._errors import (
    ActionError,
    ArtifactError,
    Cancelled,
    CompileTimeout,
    DeviceError,
    Diagnostic,
    GrammarcError,
    InternalError,
    LimitError,
    PartialError,
    PromptError,
    RepairError,
    SourceError,
    TextRefused,
    TokenRefused,
    VocabularyMismatch,
)
from grammarc._native import (
    Bitmask,
    CallPart,
    Calls,
    CancelToken,
    Drafter,
    Explanation,
    Grammar,
    Matcher,
    Piece,
    Splitter,
    Vocabulary,
    __version__,
    apply_batch,
    fill_batch,
)
from grammarc._params import ProbLimit
from grammarc._replay import Replay, replay, replay_parts
from grammarc._report import KeywordVerdict, RefusedTool, WorkBound
from grammarc.compiler import Compiler, CompilerStats, Limits
from grammarc.generation import Output, OutputCut, generate, generate_json
from grammarc.schema import Schema

__all__ = [
    "ActionError",
    "ArtifactError",
    "ArtifactFolders",
    "Bitmask",
    "CallPart",
    "Calls",
    "CancelToken",
    "Cancelled",
    "CompileTimeout",
    "Compiler",
    "CompilerStats",
    "DeviceError",
    "Diagnostic",
    "Drafter",
    "Explanation",
    "Grammar",
    "GrammarcError",
    "InternalError",
    "KeywordVerdict",
    "LimitError",
    "Limits",
    "Matcher",
    "Output",
    "OutputCut",
    "PartialError",
    "Piece",
    "ProbLimit",
    "PromptError",
    "RefusedTool",
    "RepairError",
    "Replay",
    "Schema",
    "SourceError",
    "Splitter",
    "TextRefused",
    "TokenRefused",
    "Vocabulary",
    "VocabularyMismatch",
    "WorkBound",
    "__version__",
    "apply_batch",
    "fill_batch",
    "generate",
    "generate_json",
    "open_artifact",
    "replay",
    "replay_parts",
]
