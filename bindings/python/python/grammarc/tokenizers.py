"""Tokenizers of other libraries as vocabularies.

The bytes of each token come from the tokenizer's own tables, never from decoding an id: what a decoder shows of a token alone
is not what the token adds to a text. A tokenizer that shows no such tables is refused, and :func:`from_tokens` takes what only
its owner knows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from grammarc._errors import SourceError
from grammarc._native import Vocabulary

PathLike = str | os.PathLike[str]


def from_file(
    path: PathLike,
    *,
    logit_width: int | None = None,
    end_tokens: Iterable[int | str] | None = None,
    text_ids: Iterable[int | str] = (),
    special_ids: Iterable[int | str] = (),
    unused_ids: Iterable[int | str] = (),
    special_tokens: Mapping[str, int] | None = None,
    name: str | None = None,
    cache: PathLike | None = None,
) -> Vocabulary:
    """Imports a tokenizer's file or folder: ``tokenizer.json``, ``.tiktoken``, SentencePiece ``.model``, ``tekken.json``,
    ``.gguf``, or a ``.gvocab`` artifact.

    ``logit_width`` is the length of the model's logit row, ``end_tokens`` are those that end a sequence; both are read from
    the files beside the tokenizer where they are not given. ``text_ids``, ``special_ids`` and ``unused_ids`` are tokens by
    id, range (``"5-9"``) or name (``"<h*>"``) whose kind the import would get wrong. Built artifacts are kept in ``cache``.
    """
    spec = os.fspath(path)
    said = _said(
        logit_width, end_tokens, text_ids, special_ids, unused_ids, special_tokens, name, None
    )
    if spec.endswith(".gvocab"):
        return Vocabulary.open(spec)
    if not os.path.exists(spec):
        raise FileNotFoundError(f"no tokenizer at {spec}")
    return Vocabulary.import_file(spec, said, cache)


def from_tokens(
    tokens: Sequence[bytes | None],
    *,
    special_ids: Iterable[int] = (),
    added_ids: Iterable[int] = (),
    unused_ids: Iterable[int] = (),
    logit_width: int | None = None,
    end_tokens: Iterable[int | str] | None = None,
    text_ids: Iterable[int | str] = (),
    name: str | None = None,
    cache: PathLike | None = None,
) -> Vocabulary:
    """Makes a vocabulary of the bytes that each token adds to the text, by id; ``None`` is an id without a token.

    ``special_ids`` are control tokens: their bytes are their names, and they match no text. ``added_ids`` are tokens that were
    added to the tokenizer without being called special: those with the name of a control marker (``<think>``) are kept out
    of text.
    """
    special, added, unused = set(special_ids), set(added_ids), set(unused_ids)

    def kind(id: int) -> str:
        if id in special:
            return "special"
        if id in unused:
            return "unused"
        return "added" if id in added else "text"

    listed = [(bytes(token) if token is not None else b"", kind(id)) for id, token in enumerate(tokens)]
    said = _said(logit_width, end_tokens, text_ids, (), (), None, name, None)
    return Vocabulary.import_tokens(listed, said, cache)


def from_tokenizer(tokenizer: object, **options: Any) -> Vocabulary:
    """Imports a tokenizer object: of transformers, tokenizers, SentencePiece, tiktoken, mistral-common, llama-cpp-python,
    mlx-lm or vLLM, or anything with ``tokens``, ``special_token_ids`` and ``eos_token_id``.

    Options are those of :func:`from_file`. End tokens are the tokenizer's where none are given.
    """
    for importer in _IMPORTERS:
        vocabulary = importer(tokenizer, dict(options))
        if vocabulary is not None:
            return vocabulary
    name = f"{type(tokenizer).__module__}.{type(tokenizer).__qualname__}"
    raise SourceError(
        f"no tables of tokens are known in a {name}; pass the bytes of its tokens to Vocabulary.from_tokens, or its file to "
        "Vocabulary.from_file"
    )


def _transformers(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """Tokenizers of transformers, and what wraps them."""
    if not (hasattr(tokenizer, "added_tokens_decoder") and hasattr(tokenizer, "get_vocab")):
        return None
    options.setdefault("name", os.path.basename(str(getattr(tokenizer, "name_or_path", "") or "")) or None)
    # What wraps a tokenizer may stop at more tokens than it does.
    _end(options, getattr(tokenizer, "eos_token_ids", None) or getattr(tokenizer, "eos_token_id", None))
    backend = getattr(tokenizer, "backend_tokenizer", None) or getattr(tokenizer, "_tokenizer", None)
    if backend is not None and hasattr(backend, "to_str"):
        config = _added_config(tokenizer.added_tokens_decoder)
        vocabulary = _of_bytes(
            "tokenizer.json", _plain_json(backend), {"tokenizer_config.json": config}, options
        )
        _agree(vocabulary, tokenizer.get_vocab())
        return vocabulary
    model = getattr(tokenizer, "sp_model", None)
    if model is not None and hasattr(model, "serialized_model_proto"):
        config = _added_config(tokenizer.added_tokens_decoder)
        return _of_bytes(
            "sentencepiece", model.serialized_model_proto(), {"tokenizer_config.json": config}, options
        )
    return None


def _tokenizers(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """``tokenizers.Tokenizer``."""
    if not (hasattr(tokenizer, "to_str") and hasattr(tokenizer, "id_to_token")):
        return None
    return _of_bytes("tokenizer.json", _plain_json(tokenizer), {}, options)


def _sentencepiece(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """``sentencepiece.SentencePieceProcessor``."""
    proto = getattr(tokenizer, "serialized_model_proto", None)
    if not callable(proto):
        return None
    eos = getattr(tokenizer, "eos_id", None)
    _end(options, eos() if callable(eos) else None)
    return _of_bytes("sentencepiece", proto(), {}, options)


def _tiktoken(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """``tiktoken.Encoding``."""
    decode = getattr(tokenizer, "decode_single_token_bytes", None)
    if not callable(decode) or not hasattr(tokenizer, "n_vocab"):
        return None
    special = {
        tokenizer.encode_single_token(text)
        for text in tokenizer.special_tokens_set
    }
    tokens: list[bytes | None] = []
    for id in range(tokenizer.n_vocab):
        try:
            tokens.append(decode(id))
        except KeyError:
            tokens.append(None)
    options.setdefault("name", getattr(tokenizer, "name", None))
    _end(options, getattr(tokenizer, "eot_token", None))
    return from_tokens(tokens, special_ids=special, **options)


def _mistral_common(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """Tokenizers of mistral-common, whole or the part that has the tokens."""
    inner = getattr(tokenizer, "instruct_tokenizer", None)
    tokenizer = getattr(inner, "tokenizer", tokenizer)
    if not hasattr(tokenizer, "n_words") or not hasattr(tokenizer, "num_special_tokens"):
        return None
    _end(options, getattr(tokenizer, "eos_id", None))
    model = getattr(tokenizer, "_model", None)
    if model is not None and hasattr(model, "serialized_model_proto"):
        # A chat's control tokens are pieces of text in some of these models.
        special = {*options.get("special_ids", ()), *getattr(tokenizer, "special_ids", ())}
        options["special_ids"] = special - set(options.get("text_ids", ()))
        return _of_bytes("sentencepiece", model.serialized_model_proto(), {}, options)
    piece = getattr(tokenizer, "id_to_byte_piece", None)
    if not callable(piece):
        return None
    from mistral_common.tokens.tokenizers.base import (  # type: ignore[import-not-found, unused-ignore]
        SpecialTokenPolicy,
    )

    tokens = [piece(id, SpecialTokenPolicy.KEEP) for id in range(tokenizer.n_words)]
    return from_tokens(tokens, special_ids=range(tokenizer.num_special_tokens), **options)


def _llama_cpp(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """``llama_cpp.Llama``, by the file of its model."""
    path = getattr(tokenizer, "model_path", None)
    if not isinstance(path, str) or not callable(getattr(tokenizer, "n_vocab", None)):
        return None
    options.setdefault("logit_width", tokenizer.n_vocab())
    return from_file(path, **options)


def _wrapped(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """What holds a tokenizer of another library in a field: mlx-lm, TensorRT-LLM, Outlines."""
    for field in ("_tokenizer", "tokenizer", "hf_tokenizer"):
        inner = getattr(tokenizer, field, None)
        if inner is None or inner is tokenizer:
            continue
        _end(options, getattr(tokenizer, "eos_token_ids", None))
        for importer in _IMPORTERS[:-2]:
            vocabulary = importer(inner, dict(options))
            if vocabulary is not None:
                return vocabulary
    return None


def _duck(tokenizer: Any, options: dict[str, Any]) -> Vocabulary | None:
    """Anything that lists the bytes of its tokens."""
    tokens = getattr(tokenizer, "tokens", None)
    if not isinstance(tokens, Sequence) or isinstance(tokens, (str, bytes)):
        return None
    _end(options, getattr(tokenizer, "eos_token_ids", None) or getattr(tokenizer, "eos_token_id", None))
    special = getattr(tokenizer, "special_token_ids", ())
    return from_tokens(tokens, special_ids=special, **options)


_IMPORTERS: tuple[Callable[[Any, dict[str, Any]], Vocabulary | None], ...] = (
    _transformers,
    _tokenizers,
    _sentencepiece,
    _tiktoken,
    _mistral_common,
    _llama_cpp,
    _wrapped,
    _duck,
)


def _of_bytes(
    format: str, data: bytes, companions: Mapping[str, bytes], options: dict[str, Any]
) -> Vocabulary:
    cache = options.pop("cache", None)
    said = _said(
        options.pop("logit_width", None),
        options.pop("end_tokens", None),
        options.pop("text_ids", ()),
        options.pop("special_ids", ()),
        options.pop("unused_ids", ()),
        options.pop("special_tokens", None),
        options.pop("name", None),
        companions,
    )
    if options:
        raise TypeError(f"no option {next(iter(options))!r}")
    return Vocabulary.import_bytes(format, data, said, cache)


def _plain_json(backend: Any) -> bytes:
    """A ``tokenizer.json`` without the truncation and padding of the moment, of a copy: the tokenizer stays as it is."""
    text = json.loads(backend.to_str())
    text["truncation"] = text["padding"] = None
    return json.dumps(text, ensure_ascii=False).encode()


def _added_config(added: Mapping[int, Any]) -> bytes:
    """The added tokens of a transformers tokenizer as its ``tokenizer_config.json`` has them."""
    entries = {
        str(id): {"content": str(getattr(token, "content", token)), "special": bool(getattr(token, "special", False))}
        for id, token in added.items()
    }
    return json.dumps({"added_tokens_decoder": entries}, ensure_ascii=False).encode()


def _agree(vocabulary: Vocabulary, table: Mapping[str, int]) -> None:
    """Refuses a tokenizer whose own table has ids that its file does not."""
    missing = [
        (token, id)
        for token, id in table.items()
        if id >= len(vocabulary) and id < vocabulary.logit_width
    ]
    if missing:
        token, id = missing[0]
        raise SourceError(
            f"the tokenizer has the token {token!r} with id {id}, which its tables do not list; save it with "
            "save_pretrained and pass the folder to Vocabulary.from_file"
        )


def _end(options: dict[str, Any], ids: Any) -> None:
    """Sets the end tokens to the tokenizer's where none are given. A negative id denotes none."""
    if options.get("end_tokens") is not None or ids is None:
        return
    listed = sorted(ids) if isinstance(ids, (list, tuple, set, frozenset)) else [int(ids)]
    known = [id for id in listed if id >= 0]
    if known:
        options["end_tokens"] = known


def _said(
    logit_width: int | None,
    end_tokens: Iterable[int | str] | None,
    text_ids: Iterable[int | str],
    special_ids: Iterable[int | str],
    unused_ids: Iterable[int | str],
    special_tokens: Mapping[str, int] | None,
    name: str | None,
    companions: Mapping[str, bytes] | None,
) -> dict[str, Any]:
    return {
        "name": name,
        "logit_width": logit_width,
        "end_tokens": None if end_tokens is None else list(end_tokens),
        "text_ids": list(text_ids),
        "special_ids": list(special_ids),
        "unused_ids": list(unused_ids),
        "special_tokens": list((special_tokens or {}).items()),
        "companions": list((companions or {}).items()),
    }
