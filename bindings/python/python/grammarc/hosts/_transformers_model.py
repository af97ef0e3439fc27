"""Models of transformers for :mod:`grammarc.generation`."""

from __future__ import annotations

import inspect
from typing import Any

import torch  # type: ignore[import-not-found,unused-ignore]

from grammarc._model import Messages
from grammarc._native import Vocabulary
from grammarc.hosts.transformers import vocabulary


class HostModel:
    """A causal model and its tokenizer, with the cache of one sequence."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        if tokenizer is None:
            raise TypeError("a model of transformers has no tokenizer of its own: give it behind the model")
        self._model, self._tokenizer = model, tokenizer
        config = model.config.get_text_config()
        self.context: int | None = getattr(config, "max_position_embeddings", None)
        parameters = inspect.signature(model.forward).parameters
        # transformers before 5.24 has it under its older name.
        self._cache_name = "cache" if "cache" in parameters else "past_key_values"
        self._last_row = {"logits_to_keep": 1} if "logits_to_keep" in parameters else {}
        self._tokens: list[int] = []
        self._cache: Any = None

    def vocabulary(self) -> Vocabulary:
        """The vocabulary, as wide as the model's rows of logits."""
        return vocabulary(self._model, self._tokenizer)

    def encode(self, prompt: str | Messages) -> list[int]:
        """The tokens of a prompt as the tokenizer begins a text, or of a conversation by the chat template."""
        if isinstance(prompt, str):
            return [int(token) for token in self._tokenizer(prompt)["input_ids"]]
        text = self._tokenizer.apply_chat_template(list(prompt), tokenize=False, add_generation_prompt=True)
        return [int(token) for token in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def spell(self, text: str) -> list[int] | None:
        """The tokens of a text inside of others."""
        return [int(token) for token in self._tokenizer(text, add_special_tokens=False)["input_ids"]]

    def feed(self, kept: int, tokens: list[int]) -> torch.Tensor:
        """Keeps the first ``kept`` tokens of the sequence, appends ``tokens``, and returns the logits for the next token."""
        if kept < len(self._tokens):
            tokens = self._forget(kept) + tokens
        self._tokens += tokens
        ids = torch.tensor([tokens], device=self._model.device)
        with torch.inference_mode():
            done = self._model(input_ids=ids, use_cache=True, **{self._cache_name: self._cache}, **self._last_row)
        self._cache = done[self._cache_name]
        # A copy: the decoder writes to the row.
        return done.logits[0, -1].to("cpu", torch.float32, copy=True)

    def _forget(self, kept: int) -> list[int]:
        """Drops all but the first ``kept`` tokens from the model's cache. Returns the tokens that have to be fed again."""
        again: list[int] = []
        try:
            self._cache.crop(kept)
        except (AttributeError, NotImplementedError, ValueError):
            # A recurrent state, or a window that has moved on, does not go back.
            self._cache, again = None, self._tokens[:kept]
        self._tokens = self._tokens[: kept - len(again)]
        return again
