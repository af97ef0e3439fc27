"""llguidance, by its own Python interface: for draws alone, since `compare` measures it in its own process."""

from importlib import metadata

import llguidance
import llguidance.numpy
import numpy


class _Tokenizer:
    """A tokenizer that spells a text byte by byte."""

    def __init__(self, vocabulary):
        end = vocabulary.end_tokens[0]
        self.eos_token_id, self.bos_token_id, self.special_token_ids = end, None, [end]
        self.tokens = [text or b"<end>" for text in vocabulary.tokens]
        self.byte = {text: token for token, text in enumerate(vocabulary.tokens) if len(text) == 1}

    def __call__(self, text):
        text = text.encode() if isinstance(text, str) else text
        return [self.byte[text[at : at + 1]] for at in range(len(text))]


class Engine:
    name = "llguidance"
    settings = "compact text"

    def __init__(self, vocabulary):
        self.version = metadata.version("llguidance")
        wrapped = llguidance.TokenizerWrapper(_Tokenizer(vocabulary))
        self.tokenizer = llguidance.LLTokenizer(wrapped)
        self.bits = llguidance.numpy.allocate_token_bitmask(1, self.tokenizer.vocab_size)
        self.words = self.bits[0].view(numpy.uint32)

    def compile(self, schema):
        options = {"whitespace_flexible": False, "item_separator": ",", "key_separator": ":"}
        grammar = llguidance.LLMatcher.grammar_from_json_schema(schema, overrides=options)
        error = llguidance.LLMatcher.validate_grammar(grammar, self.tokenizer)
        if error:
            raise ValueError(error)
        return grammar

    def matcher(self, grammar):
        return llguidance.LLMatcher(self.tokenizer, grammar, log_level=0)

    def mask(self, matcher):
        llguidance.numpy.fill_next_token_bitmask(matcher, self.bits)

    def accept(self, matcher, token):
        return matcher.consume_token(token)
