"""Models of llama-cpp-python for :mod:`grammarc.generation`."""

from __future__ import annotations

from typing import Any

import numpy

from grammarc._errors import SourceError
from grammarc._model import Messages
from grammarc._native import Vocabulary
from grammarc.hosts.llama_cpp import HOST, vocabulary


class HostModel:
    """A ``Llama``. A generation overwrites the sequence that it holds."""

    def __init__(self, llama: Any, tokenizer: Any) -> None:
        if tokenizer is not None:
            raise TypeError("a Llama has its own tokenizer: give None behind the model")
        self._llama, self._host = llama, HOST
        self.context: int | None = int(llama.n_ctx())

    def vocabulary(self) -> Vocabulary:
        """The vocabulary, from the file of the model."""
        return vocabulary(self._llama)

    def encode(self, prompt: str | Messages) -> list[int]:
        """The tokens of a prompt, in which names of control tokens are text, or of a conversation by the model's chat template."""
        if isinstance(prompt, str):
            return [int(token) for token in self._llama.tokenize(prompt.encode(), add_bos=True, special=False)]
        return [int(token) for token in self._llama.tokenize(self._rendered(prompt).encode(), add_bos=False, special=True)]

    def spell(self, text: str) -> list[int] | None:
        """The tokens of a text inside of others."""
        return [int(token) for token in self._llama.tokenize(text.encode(), add_bos=False, special=False)]

    def feed(self, kept: int, tokens: list[int]) -> numpy.ndarray[Any, Any]:
        """The logits behind the last token."""
        # `eval` forgets what is behind these.
        self._llama.n_tokens = kept
        self._llama.eval(tokens)
        module = self._host.module("llama_cpp")
        logits = self._host.member(module, "llama_get_logits_ith")(self._host.member(self._llama, "_ctx").ctx, -1)
        return numpy.ctypeslib.as_array(logits, shape=(self._llama.n_vocab(),)).astype(numpy.float32, copy=True)

    def _rendered(self, messages: Messages) -> str:
        """A conversation as the model's template writes it."""
        template = self._llama.metadata.get("tokenizer.chat_template")
        if template is None:
            raise SourceError("the model has no chat template; write the prompt as a text")
        formats = self._host.module("llama_cpp.llama_chat_format")
        named = {
            f"{name}_token": self._llama.detokenize([token], special=True).decode("utf-8", "replace")
            for name, token in (("bos", self._llama.token_bos()), ("eos", self._llama.token_eos()))
        }
        written = self._host.member(formats, "Jinja2ChatFormatter")(template, named["eos_token"], named["bos_token"])
        return str(written(messages=list(messages)).prompt)
