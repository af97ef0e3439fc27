"""Vocabularies from tokens, files and other libraries' objects."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from conftest import END, byte_tokens

import grammarc


def test_tokens_by_id(vocabulary: grammarc.Vocabulary) -> None:
    assert len(vocabulary) == len(byte_tokens())
    assert vocabulary.logit_width == len(vocabulary) + 7
    assert vocabulary.token_bytes(65) == b"A" and vocabulary.token_kind(65) == "text"
    assert vocabulary.token_bytes(END) == b"<end>" and vocabulary.token_kind(END) == "special"
    for id in (-1, len(vocabulary), 2**70):
        with pytest.raises((IndexError, OverflowError)):
            vocabulary.token_bytes(id)


def test_lists_of_tokens_are_checked() -> None:
    vocabulary = grammarc.Vocabulary.from_tokens([b"a", None, b"", b"<x>", b"b"], added_ids=[3], end_tokens=[0])
    assert [vocabulary.token_kind(id) for id in range(5)] == ["special", "unused", "unused", "special", "text"]
    with pytest.raises(grammarc.SourceError):
        grammarc.Vocabulary.from_tokens([None, None])
    with pytest.raises(grammarc.SourceError, match="7"):
        grammarc.Vocabulary.from_tokens([b"a"], end_tokens=[7])
    with pytest.raises(TypeError):
        grammarc.Vocabulary.from_tokens(["a"])  # type: ignore[list-item]


def tokenizer_json() -> str:
    model = {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "Ġ": 3}, "merges": ["a b"]}
    added = [{"id": 4, "content": "<|end|>", "special": True, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False}]
    level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    return json.dumps({"version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None, "pre_tokenizer": level, "post_processor": None, "decoder": level, "model": model})


def test_files_and_objects_agree(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer_json())
    filed = grammarc.Vocabulary.from_file(path, end_tokens=["<|end|>"], name="x", cache=tmp_path / "cache")
    assert [filed.token_bytes(id) for id in range(5)] == [b"a", b"b", b"ab", b" ", b"<|end|>"]
    assert filed.end_tokens == (4,) and filed.name == "x"
    assert len(list((tmp_path / "cache").iterdir())) == 1
    again = grammarc.Vocabulary.from_file(path, end_tokens=[4], name="x", cache=tmp_path / "cache")
    assert again == filed and again.path is not None
    tokenizers = pytest.importorskip("tokenizers")
    owner = tokenizers.Tokenizer.from_file(str(path))
    owner.enable_truncation(3)
    assert grammarc.Vocabulary.from_tokenizer(owner, end_tokens=[4], name="x") == filed
    assert owner.truncation is not None, "the tokenizer is left as it was"
    with pytest.raises(FileNotFoundError):
        grammarc.Vocabulary.from_file(tmp_path / "no.json")
    with pytest.raises(TypeError, match="no option"):
        grammarc.Vocabulary.from_tokenizer(owner, width=3)


def test_tiktoken_encodings() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}
    encoding = tiktoken.Encoding("mine", pat_str=".", mergeable_ranks=ranks, special_tokens={"<|endoftext|>": 258})
    vocabulary = grammarc.Vocabulary.from_tokenizer(encoding)
    assert vocabulary.name == "mine" and vocabulary.end_tokens == (258,)
    assert vocabulary.token_bytes(256) == b"ab" and vocabulary.token_kind(257) == "unused"


class Listed:
    tokens = [b"x", b"y", b"<e>"]
    special_token_ids = [2]
    eos_token_id = 2


def test_whatever_lists_its_tokens() -> None:
    vocabulary = grammarc.Vocabulary.from_tokenizer(Listed())
    assert vocabulary.end_tokens == (2,) and vocabulary.token_kind(2) == "special"
    with pytest.raises(grammarc.SourceError, match=r"pass the bytes of its tokens to Vocabulary\.from_tokens"):
        grammarc.Vocabulary.from_tokenizer(object())


def test_real_tokenizers(data: Path) -> None:
    tokenizers = pytest.importorskip("tokenizers")
    for folder in sorted((data / "tokenizers").iterdir()):
        path = folder / "tokenizer.json"
        if not path.is_file():
            continue
        filed = grammarc.Vocabulary.from_file(path, end_tokens=[])
        owner = grammarc.Vocabulary.from_tokenizer(tokenizers.Tokenizer.from_file(str(path)), end_tokens=[])
        differ = [id for id in range(len(filed)) if filed.token_bytes(id) != owner.token_bytes(id)]
        assert not differ, (folder.name, differ[:5])
