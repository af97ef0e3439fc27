"""grammarc's `Calls`, fed with text as in SGLang's detectors and vLLM's parsers. Its grammar is that of the request's tools, without masks."""

from __future__ import annotations

import json
from typing import Any

from judge import Parts, Reading
from tokenizers import Tokenizer

import grammarc

PACKAGE = "grammarc"


class Parser:
    """A reader of calls. Grammars are kept by the list of tools, as hosts keep them."""

    def __init__(self, style: str, tokenizer: Tokenizer) -> None:
        self.style = style
        self.compiler = grammarc.Compiler(grammarc.Vocabulary.from_tokenizer(tokenizer), masks=False)
        self.grammars: dict[str, grammarc.Grammar] = {}

    def start(self, output: dict[str, Any]) -> grammarc.Calls:
        source = {"type": "tools", "style": self.style, "tools": output["tools"], "tool_choice": "auto"}
        text = json.dumps(source)
        if text not in self.grammars:
            self.grammars[text] = self.compiler.structural_tag(source)
        return grammarc.Calls(self.grammars[text], self.style, output["tools"])

    def whole(self, calls: grammarc.Calls, output: dict[str, Any]) -> Reading:
        return self.read(calls, [output["text"]])

    def stream(self, calls: grammarc.Calls, pieces: list[tuple[list[int], str]]) -> Reading:
        return self.read(calls, [text for _, text in pieces])

    def read(self, calls: grammarc.Calls, texts: list[str]) -> Reading:
        parts = Parts()
        for text in texts:
            self.add(parts, calls.push_text(text))
        self.add(parts, calls.finish())
        return parts.reading()

    def add(self, parts: Parts, read: list[Any]) -> None:
        for part in read:
            if part.kind == "text":
                parts.text.append(part.text)
            elif part.kind == "call":
                parts.add_call(part.index, part.name, None)
            elif part.kind == "arguments":
                parts.add_call(part.index, None, part.text)
