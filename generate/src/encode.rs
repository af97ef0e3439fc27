//! Tokenizers encode prompts, and the bytes that a grammar forces.
//!
//! The users' text is encoded without control tokens: `<|im_end|>` in it becomes plain characters
//! and cannot end a turn. Control tokens only come from a template, through [`Encode::prompt`].

use std::cmp::Reverse;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use grammarc_artifacts::{TokenKind, VocabularyArtifact};
use grammarc_runtime::drafter::Drafter;
use tokenizers::Tokenizer;

/// A tokenizer: converts text to tokens.
pub trait Encode: Send + Sync {
    /// Encodes text that continues other tokens, without control tokens. `None` if the tokenizer
    /// cannot encode the text byte for byte.
    fn text(&self, text: &str) -> Option<Vec<u32>>;

    /// Encodes a prompt. Names of control tokens in it become these tokens. `None` if the tokenizer
    /// cannot encode the prompt.
    fn prompt(&self, text: &str) -> Option<Vec<u32>>;

    /// Encodes a prompt in which `mark` protects text. A name of a control token that contains the
    /// mark is plain text. The marks are removed. `None` if the tokenizer cannot encode the prompt.
    fn marked_prompt(&self, text: &str, mark: char) -> Option<Vec<u32>>;
}

/// Returns a drafter that spells forced text as a tokenizer does. Outputs of one model share it, because they often meet
/// at a position of a grammar.
pub fn drafter_of(encoder: Arc<dyn Encode>) -> Drafter {
    Drafter::new(move |text: &str| encoder.text(text))
}

/// A tokenizer file cannot be read or is invalid.
#[derive(Debug, thiserror::Error)]
#[error("the tokenizer was not read: {0}")]
pub struct TokenizerError(String);

/// A tokenizer of Hugging Face's library, for one vocabulary.
pub struct HfTokenizer {
    tokenizer: Tokenizer,
    vocabulary: VocabularyArtifact,
    controls: Controls,
}

/// Returns the control tokens of a vocabulary with a non-empty name: pairs of name and token id, in
/// ascending order of id.
pub(crate) fn controls(vocabulary: &VocabularyArtifact) -> impl Iterator<Item = (&str, u32)> {
    let all = 0..vocabulary.token_count();
    let controls = all.filter(|&token| vocabulary.token_kind(token) == TokenKind::Special);
    controls.filter_map(|token| {
        let name = std::str::from_utf8(vocabulary.token_bytes(token)).ok()?;
        (!name.is_empty()).then_some((name, token))
    })
}

/// The names of a vocabulary's control tokens, for the search in texts.
struct Controls {
    names: Vec<(Box<str>, u32)>,
}

impl Controls {
    fn new(vocabulary: &VocabularyArtifact) -> Self {
        Self { names: controls(vocabulary).map(|(name, token)| (name.into(), token)).collect() }
    }

    /// Finds the first name of a control token in a text. Of several names at the same offset, the
    /// longest is chosen. Returns the byte offset, the name and the token. `None` if there is none.
    fn next(&self, text: &str) -> Option<(usize, &str, u32)> {
        let found = self.names.iter().filter_map(|(name, token)| {
            let at = memchr::memmem::find(text.as_bytes(), name.as_bytes())?;
            Some((at, &**name, *token))
        });
        found.min_by_key(|&(at, name, _)| (at, Reverse(name.len())))
    }

    /// Encodes a text. Names of control tokens become these tokens, and `plain` encodes the text
    /// between them. `None` if `plain` fails.
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
    /// Reads a `tokenizer.json` file.
    ///
    /// # Errors
    ///
    /// The file cannot be read or is not a tokenizer.
    pub fn open(path: &Path, vocabulary: &VocabularyArtifact) -> Result<Self, TokenizerError> {
        let tokenizer =
            Tokenizer::from_file(path).map_err(|error| TokenizerError(error.to_string()))?;
        Ok(Self::new(tokenizer, vocabulary))
    }

    /// Reads the content of a `tokenizer.json` file.
    ///
    /// # Errors
    ///
    /// The content is not a tokenizer.
    pub fn from_bytes(
        json: &[u8],
        vocabulary: &VocabularyArtifact,
    ) -> Result<Self, TokenizerError> {
        let tokenizer =
            Tokenizer::from_bytes(json).map_err(|error| TokenizerError(error.to_string()))?;
        Ok(Self::new(tokenizer, vocabulary))
    }

    /// Creates an encoder from a tokenizer of the library and the vocabulary of the model.
    pub fn new(mut tokenizer: Tokenizer, vocabulary: &VocabularyArtifact) -> Self {
        // A name of a control token that reaches the library is plain text: the names that mean the
        // token are cut out before.
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
        // Some tokenizers put a space before every text. So the text is encoded after a line feed,
        // and the tokens after the line feed are taken.
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

/// A tokenizer that takes the longest matching token at each position. For vocabularies without a
/// tokenizer, mainly in tests.
pub struct LongestMatch {
    by_text: HashMap<Arc<[u8]>, u32>,
    longest: usize,
    controls: Controls,
}

impl LongestMatch {
    /// Creates a tokenizer that uses the text tokens of the vocabulary.
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
