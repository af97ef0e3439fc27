"""Tokenizers of models, and outputs as the pieces of text that a host hands on while it streams.

The tokenizers of Qwen 3 and Llama 3.1 are in `GRAMMARC_DATA`, or in `../shared/data` beside the workspace. Others are given by
`--tokenizer NAME=FILE`.
"""

from __future__ import annotations

import os
import random
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from tokenizers import AddedToken, Tokenizer

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("GRAMMARC_DATA") or ROOT.parent / "shared" / "data") / "tokenizers"


@dataclass(frozen=True)
class Model:
    """A model's tokenizer."""

    name: str
    file: Path

    @cached_property
    def tokenizer(self) -> Tokenizer:
        return Tokenizer.from_file(str(self.file))

    def encode(self, text: str) -> list[int]:
        """The tokens of a text. Texts of control tokens are these tokens."""
        return list(self.tokenizer.encode(text, add_special_tokens=False).ids)


def models(given: list[str]) -> dict[str, Model]:
    """The models by name. `given` are the arguments of `--tokenizer`."""
    files = {name: DATA / name / "tokenizer.json" for name in ("qwen3", "llama3_1")}
    files |= {name: Path(file) for name, _, file in (one.partition("=") for one in given)}
    return {name: Model(name, file) for name, file in files.items() if file.is_file()}


def with_markers(tokenizer: Tokenizer, markers: tuple[str, ...]) -> Tokenizer:
    """A copy of a tokenizer in which each marker is a control token, as in the tokenizers of models of a style."""
    copy = Tokenizer.from_str(tokenizer.to_str())
    copy.add_special_tokens([AddedToken(marker, special=True, normalized=False) for marker in markers])
    return copy


@dataclass(frozen=True)
class Piece:
    """What one step of a stream adds to an output."""

    tokens: list[int]
    text: str


def pieces(tokenizer: Tokenizer, text: str, most: int, rng: random.Random) -> list[Piece]:
    """The text in pieces of 1 to `most` tokens. As in hosts, a character whose bytes are not all there waits for the next
    piece. Raises `ValueError` if the tokens do not spell the text."""
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    cut: list[Piece] = []
    held: list[int] = []
    written = 0
    at = 0
    while at < len(ids):
        size = rng.randint(1, most)
        held += ids[at : at + size]
        at += size
        whole = tokenizer.decode(ids[:at], skip_special_tokens=False)
        if whole.endswith("\ufffd") and at < len(ids):
            continue
        cut.append(Piece(held, whole[written:]))
        written, held = len(whole), []
    if "".join(piece.text for piece in cut) != text:
        raise ValueError(f"the tokens of {text[:60]!r} do not spell it")
    return cut
