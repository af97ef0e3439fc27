"""outlines-core, by its own Python interface."""

from importlib import metadata

import numpy
from outlines_core import Guide, Index, Vocabulary
from outlines_core.json_schema import build_regex_from_schema


class Engine:
    name = "outlines-core"
    settings = "compact text"

    def __init__(self, vocabulary):
        self.version = metadata.version("outlines_core")
        ids = {}
        for token, text in enumerate(vocabulary.tokens):
            if text:
                ids.setdefault(text, []).append(token)
        self.vocabulary = Vocabulary(vocabulary.end_tokens[0], ids)
        self.words = numpy.zeros(-(-vocabulary.logit_width // 32), dtype=numpy.int32)

    def compile(self, schema):
        return Index(build_regex_from_schema(schema, ""), self.vocabulary)

    def matcher(self, grammar):
        return Guide(grammar)

    def mask(self, matcher):
        matcher.write_mask_into(self.words.ctypes.data, self.words.size, self.words.itemsize)

    def allows(self, token):
        return bool(self.words[token // 32] >> (token % 32) & 1)

    def accept(self, matcher, token):
        matcher.advance(token, return_tokens=False)
        return True

    def apply(self, _densities):
        return []
