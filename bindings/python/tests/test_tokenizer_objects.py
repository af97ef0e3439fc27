"""Tokenizer objects of other libraries: every token is what its owner's own tables say.

Each test needs the library that owns the tokenizer, and says aloud when it skips.
"""

from __future__ import annotations

import base64
import io
import os
from types import SimpleNamespace
from typing import Any

import pytest

import grammarc

CORPUS = ["the quick brown fox jumps over the lazy dog, 0123456789", "naïve café — 東京 😀", '{"key": [1, 2.5e-3, null]}'] * 20


def need(library: str) -> Any:
    return pytest.importorskip(library, reason=f"{library} is not installed: its tokenizers are not compared")


def agree(vocabulary: grammarc.Vocabulary, tables: dict[int, bytes | None]) -> None:
    """Bytes by id; ``None`` is a token that is no text."""
    for id, token in tables.items():
        kind = vocabulary.token_kind(id)
        if token is None:
            assert kind != "text", (id, vocabulary.token_bytes(id))
        else:
            assert (vocabulary.token_bytes(id), kind) == (token, "text"), id


def alphabet() -> dict[str, int]:
    """The characters that byte-level tokenizers write bytes as."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    return {chr(byte): byte for byte in shown} | {chr(256 + at): byte for at, byte in enumerate(hidden)}


def byte_level() -> Any:
    """A byte-level BPE of ``tokenizers``, trained on a few lines."""
    need("tokenizers")
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=400,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        special_tokens=["<|end|>", "<|turn|>"],
        show_progress=False,
    )
    tokenizer.train_from_iterator(CORPUS, trainer)
    return tokenizer


def of_byte_level(table: dict[str, int]) -> dict[int, bytes | None]:
    bytes_of = alphabet()
    return {
        id: None if token in ("<|end|>", "<|turn|>") else bytes(bytes_of[letter] for letter in token)
        for token, id in table.items()
    }


def test_tokenizers() -> None:
    tokenizer = byte_level()
    tokenizer.enable_truncation(4)
    tokenizer.enable_padding(length=9)
    vocabulary = grammarc.Vocabulary.from_tokenizer(tokenizer, end_tokens=["<|end|>"])
    agree(vocabulary, of_byte_level(tokenizer.get_vocab()))
    assert vocabulary.end_tokens == (tokenizer.token_to_id("<|end|>"),)
    assert tokenizer.truncation is not None and tokenizer.padding is not None, "the tokenizer is as it was"


def test_transformers() -> None:
    transformers = need("transformers")
    tokenizer = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level(), eos_token="<|end|>")
    table = of_byte_level(tokenizer.get_vocab())
    tokenizer.add_tokens(["two words", "<tool>"])
    tokenizer.add_special_tokens({"additional_special_tokens": ["<|late|>"]})
    vocabulary = grammarc.Vocabulary.from_tokenizer(tokenizer, logit_width=512)
    added = {text: tokenizer.convert_tokens_to_ids(text) for text in ("two words", "<tool>", "<|late|>")}
    agree(vocabulary, {**table, added["two words"]: b"two words", added["<tool>"]: None, added["<|late|>"]: None})
    assert vocabulary.end_tokens == (tokenizer.eos_token_id,)
    assert vocabulary.logit_width == 512


def test_what_wraps_a_tokenizer_says_where_it_stops() -> None:
    """mlx-lm's wrapper hands attributes of the tokenizer on, and has more end tokens than it."""
    transformers = need("transformers")
    inner = transformers.PreTrainedTokenizerFast(tokenizer_object=byte_level(), eos_token="<|end|>")

    class Wrapper:
        eos_token_ids = {0, 1}

        def __getattr__(self, name: str) -> Any:
            return getattr(inner, name)

    assert grammarc.Vocabulary.from_tokenizer(Wrapper()).end_tokens == (0, 1)
    held = SimpleNamespace(tokenizer=inner, eos_token_ids=[1])
    assert grammarc.Vocabulary.from_tokenizer(held).end_tokens == (1,)


def test_sentencepiece() -> None:
    sentencepiece = need("sentencepiece")
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS),
        model_writer=written,
        vocab_size=400,
        hard_vocab_limit=False,
        byte_fallback=True,
        control_symbols=["<turn>"],
        user_defined_symbols=["<tag>"],
        minloglevel=2,
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    tables: dict[int, bytes | None] = {}
    for id in range(processor.get_piece_size()):
        piece = processor.id_to_piece(id)
        if processor.is_byte(id):
            tables[id] = bytes([int(piece[3:5], 16)])
        elif processor.is_control(id) or processor.is_unknown(id) or piece == "<tag>":
            # The tag is called text by the model, and has the name of a control marker.
            tables[id] = None
        else:
            tables[id] = piece.replace("\u2581", " ").encode()
    vocabulary = grammarc.Vocabulary.from_tokenizer(processor)
    agree(vocabulary, tables)
    assert vocabulary.end_tokens == (processor.eos_id(),)
    tag = processor.piece_to_id("<tag>")
    assert grammarc.Vocabulary.from_tokenizer(processor, text_ids=[tag]).token_kind(tag) == "text"


def test_sentencepiece_without_an_end_token() -> None:
    sentencepiece = need("sentencepiece")
    written = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(CORPUS), model_writer=written, vocab_size=60, hard_vocab_limit=False, eos_id=-1, bos_id=-1, minloglevel=2
    )
    processor = sentencepiece.SentencePieceProcessor(model_proto=written.getvalue())
    assert processor.eos_id() == -1
    assert grammarc.Vocabulary.from_tokenizer(processor).end_tokens == ()


def test_tiktoken() -> None:
    tiktoken = need("tiktoken")
    ranks = {bytes([byte]): byte for byte in range(256)}
    for pair in (b"th", b"the", b" t", b" the", b"\xf0\x9f", b"\xf0\x9f\x98"):
        ranks[pair] = len(ranks)
    special = {"<|end|>": len(ranks) + 3, "<|endoftext|>": len(ranks) + 1}
    encoding = tiktoken.Encoding(name="some", pat_str=r" ?\w+|\W", mergeable_ranks=ranks, special_tokens=special)
    vocabulary = grammarc.Vocabulary.from_tokenizer(encoding)
    holes = {id: None for id in (len(ranks), len(ranks) + 2)}
    agree(vocabulary, {rank: token for token, rank in ranks.items()} | dict.fromkeys(special.values()) | holes)
    assert vocabulary.end_tokens == (special["<|endoftext|>"],)
    assert len(vocabulary) == encoding.n_vocab


@pytest.mark.parametrize("suffix", ["tekken_240911.json", ".model.v7", ".model.v3", ".model.v1"])
def test_mistral_common(suffix: str) -> None:
    mistral_common = need("mistral_common")
    from mistral_common.tokens.tokenizers.base import SpecialTokenPolicy
    from mistral_common.tokens.tokenizers.mistral import MistralTokenizer

    folder = os.path.join(os.path.dirname(mistral_common.__file__), "data")
    file = next((name for name in sorted(os.listdir(folder)) if name.endswith(suffix)), None)
    if file is None:
        pytest.skip(f"this mistral-common has no {suffix}")
    if ".model" in suffix:
        need("sentencepiece")
    whole = MistralTokenizer.from_file(os.path.join(folder, file))
    inner = whole.instruct_tokenizer.tokenizer
    vocabulary = grammarc.Vocabulary.from_tokenizer(whole)
    tables: dict[int, bytes | None] = {}
    for id in range(inner.n_words):
        if inner.is_special(id):
            tables[id] = None
        elif hasattr(inner, "id_to_byte_piece"):
            tables[id] = inner.id_to_byte_piece(id, SpecialTokenPolicy.RAISE)
        else:
            piece = inner.id_to_piece(id)
            is_byte = inner._model.is_byte(id)
            tables[id] = bytes([int(piece[3:5], 16)]) if is_byte else piece.replace("\u2581", " ").encode()
    # Control markers that nobody calls special are no text either.
    markers = {id for id, token in tables.items() if token and vocabulary.token_kind(id) != "text"}
    assert all(tables[id].startswith((b"[", b"<")) for id in markers)  # type: ignore[union-attr]
    agree(vocabulary, {id: token for id, token in tables.items() if id not in markers})
    assert vocabulary.end_tokens == (inner.eos_id,)
    assert len(vocabulary) == inner.n_words
    assert grammarc.Vocabulary.from_tokenizer(inner).fingerprint == vocabulary.fingerprint


def test_a_duck() -> None:
    duck = SimpleNamespace(tokens=[b"a", b"\xff", b"<end>", None], special_token_ids=[2], eos_token_id=2)
    vocabulary = grammarc.Vocabulary.from_tokenizer(duck)
    agree(vocabulary, {0: b"a", 1: b"\xff", 2: None, 3: None})
    assert vocabulary.end_tokens == (2,)


def test_a_tokenizer_without_tables_is_refused() -> None:
    for unknown in (SimpleNamespace(decode=lambda ids: "x"), object(), base64, "tokenizer.json"):
        with pytest.raises(grammarc.SourceError, match="from_tokens"):
            grammarc.Vocabulary.from_tokenizer(unknown)
