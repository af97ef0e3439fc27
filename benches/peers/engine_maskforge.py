"""MaskForge, by its own Python interface.

What it learns about a vocabulary it keeps with its compiler, where a schema that is bound finds it; so one schema is bound
before any is measured, as in a server that has compiled before.
"""

from importlib import metadata

import maskforge
import numpy


class Engine:
    name = "MaskForge"
    settings = "its own text form, which takes white space, 1 thread"

    def __init__(self, vocabulary):
        self.version = metadata.version("maskforge")
        self.end_token = vocabulary.end_tokens[0]
        tokens = [text or None for text in vocabulary.tokens]
        self.vocabulary = maskforge.Vocabulary.from_id_ordered_tokens(
            tokens, eos_token_id=self.end_token, logits_vocab_size=vocabulary.logit_width
        )
        self.compiler = maskforge.Compiler()
        grammar = self.compile("true")
        self.bytes = bytearray(4 * grammar.mask_word_count)
        self.words = numpy.frombuffer(self.bytes, dtype=numpy.uint32)
        self.mask(self.matcher(grammar))

    def compile(self, schema):
        return self.compiler.compile(schema).bind(self.vocabulary)

    def matcher(self, grammar):
        return grammar.start_session()

    def mask(self, matcher):
        matcher.write_mask(self.bytes)

    def allows(self, token):
        return bool(self.words[token // 32] >> (token % 32) & 1)

    def accept(self, matcher, token):
        matcher.advance(token)
        return not matcher.is_dead

    def apply(self, _densities):
        return []
