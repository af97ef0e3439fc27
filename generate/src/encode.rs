//! Tokenizers: encode prompts, and bytes that a grammar forces.
//!
//! The users' text is encoded without control tokens: a `<|im_end|>` in it is spelled as characters and ends no turn.
//! Only a template writes control tokens, through [`Encode::prompt`].

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use grammarc_artifacts::{TokenKind, VocabularyArtifact};
use tokenizers::Tokenizer;

/// A tokenizer.
pub trait Encode: Send + Sync {
    /// Encodes text that follows other tokens, without control tokens. `None` if the tokenizer cannot spell the text
    /// byte for byte.
    fn text(&self, text: &str) -> Option<Vec<u32>>;

    /// Encodes a prompt. Names of control tokens in it become these tokens.
    fn prompt(&self, text: &str) -> Option<Vec<u32>>;

    /// Encodes a prompt with marks. A name that contains the mark is not a control token; the marks are removed.
    fn marked_prompt(&self, text: &str, mark: char) -> Option<Vec<u32>>;
}

/// An error of reading a tokenizer.
#[derive(Debug, thiserror::Error)]
#[error("the tokenizer was not read: {0}")]
pub struct TokenizerError(String);

/// A tokenizer in the format of Hugging Face's library.
pub struct HfTokenizer {
    tokenizer: Tokenizer,
    vocabulary: VocabularyArtifact,
    controls: Controls,
}

/// Returns the control tokens of a vocabulary that have a name, by id.
pub(crate) fn controls(vocabulary: &VocabularyArtifact) -> impl Iterator<Item = (&str, u32)> {
    let all = 0..vocabulary.token_count();
    let controls = all.filter(|&token| vocabulary.token_kind(token) == TokenKind::Special);
    controls.filter_map(|token| {
        let name = std::str::from_utf8(vocabulary.token_bytes(token)).ok()?;
        (!name.is_empty()).then_some((name, token))
    })
}

/// The control tokens of a vocabulary by name.
struct Controls {
    names: Vec<(Box<str>, u32)>,
}

impl Controls {
    fn new(vocabulary: &VocabularyArtifact) -> Self {
        Self { names: controls(vocabulary).map(|(name, token)| (name.into(), token)).collect() }
    }

    /// Finds the first name of a control token in a text, the longest of those at one place. Returns its offset, the
    /// name and the token.
    fn next(&self, text: &str) -> Option<(usize, &str, u32)> {
        let found = self.names.iter().filter_map(|(name, token)| {
            let at = memchr::memmem::find(text.as_bytes(), name.as_bytes())?;
            Some((at, &**name, *token))
        });
        found.min_by_key(|&(at, name, _)| (at, Reverse(name.len())))
    }

    /// Encodes a text. Names of control tokens become these tokens; `plain` encodes the rest.
    fn encode(&self, text: &str, plain: impl Fn(&str) -> Option<Vec<u32>>) -> Option<Vec<u32>> {
        let mut tokens = Vec::new();
        let mut rest = text;
        while let Some((at, name, token)) = self.next(rest) {
            tokens.extend(plain(&rest[..at])?);
            tokens.push(token);
            rest = &rest[at + name.len()..];
        }
        tokens.extend(plain(rest)?);
        Some(tokens)
    }
}

impl HfTokenizer {
    /// Reads a `tokenizer.json`.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not a tokenizer.
    pub fn open(path: &Path, vocabulary: &VocabularyArtifact) -> Result<Self, TokenizerError> {
        let tokenizer =
            Tokenizer::from_file(path).map_err(|error| TokenizerError(error.to_string()))?;
        Ok(Self::new(tokenizer, vocabulary))
    }

    /// Reads the text of a `tokenizer.json`.
    ///
    /// # Errors
    ///
    /// The text is not a tokenizer.
    pub fn from_bytes(
        json: &[u8],
        vocabulary: &VocabularyArtifact,
    ) -> Result<Self, TokenizerError> {
        let tokenizer =
            Tokenizer::from_bytes(json).map_err(|error| TokenizerError(error.to_string()))?;
        Ok(Self::new(tokenizer, vocabulary))
    }

    /// Wraps a tokenizer of the library for a vocabulary.
    pub fn new(mut tokenizer: Tokenizer, vocabulary: &VocabularyArtifact) -> Self {
        // Names of control tokens in a text are characters here: those that mean the token are cut out before.
        tokenizer.set_encode_special_tokens(true);
        let controls = Controls::new(vocabulary);
        Self { tokenizer, vocabulary: vocabulary.clone(), controls }
    }

    fn encode(&self, text: &str) -> Option<Vec<u32>> {
        Some(self.tokenizer.encode_fast(text, false).ok()?.get_ids().to_vec())
    }

    fn spell(&self, tokens: &[u32]) -> Vec<u8> {
        let known =
            tokens.iter().filter(|&&token| self.vocabulary.token_kind(token) == TokenKind::Text);
        known.flat_map(|&token| self.vocabulary.token_bytes(token)).copied().collect()
    }
}

impl Encode for HfTokenizer {
    fn text(&self, text: &str) -> Option<Vec<u32>> {
        if text.is_empty() {
            return Some(Vec::new());
        }
        let plain = self.encode(text)?;
        if self.spell(&plain) == text.as_bytes() {
            return Some(plain);
        }
        // Some tokenizers put a space before every text: the tokens of a text that goes on are those after a line feed.
        let after = self.encode(&format!("\n{text}"))?;
        let cut = (0..=after.len()).find(|&at| self.spell(&after[at..]) == text.as_bytes());
        Some(after[cut?..].to_vec())
    }

    fn prompt(&self, text: &str) -> Option<Vec<u32>> {
        self.controls.encode(text, |text| self.text(text))
    }

    fn marked_prompt(&self, text: &str, mark: char) -> Option<Vec<u32>> {
        self.controls.encode(text, |text| self.text(&text.replace(mark, "")))
    }
}

/// A tokenizer that takes the longest token at each place. For vocabularies without a tokenizer, mainly in tests.
pub struct LongestMatch {
    by_text: HashMap<Arc<[u8]>, u32>,
    longest: usize,
    controls: Controls,
}

impl LongestMatch {
    /// Returns a tokenizer of the vocabulary's tokens.
    pub fn new(vocabulary: &VocabularyArtifact) -> Self {
        let texts = (0..vocabulary.token_count()).rev();
        let texts = texts.filter(|&token| vocabulary.token_kind(token) == TokenKind::Text);
        let by_text: HashMap<Arc<[u8]>, u32> =
            texts.map(|token| (vocabulary.token_bytes(token).into(), token)).collect();
        let longest = by_text.keys().map(|text| text.len()).max().unwrap_or(0);
        Self { by_text, longest, controls: Controls::new(vocabulary) }
    }
}

impl Encode for LongestMatch {
    fn text(&self, text: &str) -> Option<Vec<u32>> {
        let mut rest = text.as_bytes();
        let mut tokens = Vec::new();
        while !rest.is_empty() {
            let lengths = (1..=rest.len().min(self.longest)).rev();
            let mut found = lengths.filter_map(|len| Some((len, *self.by_text.get(&rest[..len])?)));
            let (len, token) = found.next()?;
            tokens.push(token);
            rest = &rest[len..];
        }
        Some(tokens)
    }

    fn prompt(&self, text: &str) -> Option<Vec<u32>> {
        self.controls.encode(text, |text| self.text(text))
    }

    fn marked_prompt(&self, text: &str, mark: char) -> Option<Vec<u32>> {
        self.controls.encode(text, |text| self.text(&text.replace(mark, "")))
    }
}
