//! The tokens of a text, by the tokenizer itself.
//!
//! Some tokenizers put a space before every text. A model's output continues a prompt and has none, so for these the
//! tokens are those after a line feed.

use std::path::{Path, PathBuf};

use grammarc_artifacts::VocabularyArtifact;
use tokenizers::Tokenizer;

use super::MaskbenchError;

/// A tokenizer and the bytes of its tokens.
pub struct Tokens {
    tokenizer: Tokenizer,
    vocabulary: VocabularyArtifact,
}

impl Tokens {
    /// The tokenizer of a folder with a `tokenizer.json`, or of that file.
    ///
    /// # Errors
    ///
    /// If there is no such file, or it is not a tokenizer.
    pub fn open(path: &Path, vocabulary: VocabularyArtifact) -> Result<Self, MaskbenchError> {
        let file =
            file(path).ok_or_else(|| MaskbenchError::NoTokenizer { path: path.to_owned() })?;
        let tokenizer = Tokenizer::from_file(&file)
            .map_err(|source| MaskbenchError::Tokenizer { path: file, source })?;
        Ok(Self { tokenizer, vocabulary })
    }

    /// Returns the tokens that spell a text. `None` if the tokenizer's do not.
    pub fn of(&self, text: &str) -> Option<Vec<u32>> {
        let plain = self.encode(text)?;
        if self.spell(&plain) == text.as_bytes() {
            return Some(plain);
        }
        let continued = self.encode(&format!("\n{text}"))?;
        let cut = (0..=continued.len()).find(|&at| self.spell(&continued[at..]) == text.as_bytes());
        Some(continued[cut?..].to_vec())
    }

    fn encode(&self, text: &str) -> Option<Vec<u32>> {
        Some(self.tokenizer.encode_fast(text, false).ok()?.get_ids().to_vec())
    }

    fn spell(&self, tokens: &[u32]) -> Vec<u8> {
        let known = tokens.iter().filter(|&&token| token < self.vocabulary.token_count());
        known.flat_map(|&token| self.vocabulary.token_bytes(token)).copied().collect()
    }
}

fn file(path: &Path) -> Option<PathBuf> {
    if path.is_file() {
        return Some(path.to_owned());
    }
    Some(path.join("tokenizer.json")).filter(|file| file.is_file())
}
