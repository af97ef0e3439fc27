//! llguidance, over the token bytes of a vocabulary artifact.

use std::sync::Arc;

use grammarc_artifacts::{TokenKind, VocabularyArtifact};
use llguidance::api::TopLevelGrammar;
use llguidance::{Matcher, ParserFactory};
use serde_json::{Value, json};
use tokenizers::Tokenizer;
use toktrie::{TokEnv, TokRxInfo, TokTrie, TokenizerEnv};

use crate::inputs;

/// A source text and its language, for llguidance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Text<'a> {
    /// Its dialect of Lark.
    Lark(&'a str),
    /// A regular expression.
    Regex(&'a str),
    /// A JSON Schema, without whitespace between tokens.
    JsonSchema(&'a str),
}

/// How llguidance tokenizes bytes that a grammar forces.
pub enum Cut {
    /// Not at all: masks are those of the grammar, and no token counts as forced.
    Never,
    /// Like the tokenizer: if the grammar forces bytes, the mask is the single token that the tokenizer would emit.
    /// This is how its users run it.
    Canonical(Box<Tokenizer>),
}

struct Environment {
    trie: TokTrie,
    cut: Cut,
}

impl TokenizerEnv for Environment {
    fn tok_trie(&self) -> &TokTrie {
        &self.trie
    }

    fn tokenize_bytes(&self, bytes: &[u8]) -> Vec<u32> {
        match &self.cut {
            Cut::Never => self.trie.greedy_tokenize(bytes),
            Cut::Canonical(tokenizer) => self
                .trie
                .tokenize_with_greedy_fallback(bytes, |text| inputs::tokens(tokenizer, text)),
        }
    }

    fn tokenize_is_canonical(&self) -> bool {
        matches!(self.cut, Cut::Canonical(_))
    }
}

/// llguidance for one vocabulary, with the settings of its own MaskBench runner: stock slices and limits.
pub struct Peer {
    factory: ParserFactory,
}

impl Peer {
    /// llguidance over the tokens of an artifact.
    ///
    /// # Panics
    ///
    /// If its tables cannot be built.
    pub fn new(vocabulary: &VocabularyArtifact, cut: Cut) -> Self {
        let words: Vec<Vec<u8>> = (0..vocabulary.token_count())
            .map(|token| {
                let bytes = vocabulary.token_bytes(token);
                match vocabulary.token_kind(token) {
                    TokenKind::Text => bytes.to_vec(),
                    TokenKind::Special => [&[TokTrie::SPECIAL_TOKEN_MARKER], bytes].concat(),
                    TokenKind::Unused => Vec::new(),
                }
            })
            .collect();
        let end = vocabulary.end_tokens().first().copied().unwrap_or_default();
        let info = TokRxInfo::new(vocabulary.token_count(), end);
        let trie = TokTrie::from(&info, &words);
        let environment: TokEnv = Arc::new(Environment { trie, cut });
        let mut factory = ParserFactory::new_simple(&environment).expect("stock slices compile");
        factory.quiet();
        Self { factory }
    }

    /// Creates a matcher at the start of a sequence.
    ///
    /// # Errors
    ///
    /// The peer's message, if it rejects the source.
    pub fn matcher(&self, text: Text<'_>) -> Result<Matcher, String> {
        let grammar = match text {
            Text::Lark(text) => TopLevelGrammar::from_lark(text.to_owned()),
            Text::Regex(text) => TopLevelGrammar::from_regex(text),
            Text::JsonSchema(text) => {
                let schema = serde_json::from_str(text).map_err(|error| error.to_string())?;
                TopLevelGrammar::from_json_schema(compact(schema))
            }
        };
        let parser = self.factory.create_parser(grammar).map_err(|error| error.to_string())?;
        Ok(Matcher::new(Ok(parser)))
    }
}

/// A schema with llguidance's own option for compact text.
pub fn compact(schema: Value) -> Value {
    let mut members = match schema {
        Value::Object(members) => members,
        Value::Bool(false) => json!({ "not": {} }).as_object().cloned().unwrap_or_default(),
        _ => serde_json::Map::new(),
    };
    let options = json!({
        "whitespace_flexible": false,
        "item_separator": ",",
        "key_separator": ":",
    });
    members.insert("x-guidance".to_owned(), options);
    Value::Object(members)
}
