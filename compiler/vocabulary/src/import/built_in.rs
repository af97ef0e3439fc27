//! Built-in vocabularies, which need no download: those that OpenAI publishes, from the crate `tiktoken-rs` (MIT).
//!
//! The crate builds an encoder and does not expose its ranks, but it decodes any id to bytes. So the table is read id
//! by id. The crate has no count of ids either: each entry below states its own, and a test compares it with the crate.
//! Most of the cost is building the encoder, a few hundred milliseconds; it is dropped afterwards.

use tiktoken_rs::CoreBPE;

use crate::draft::{Draft, Role};
use crate::error::VocabularyError;
use crate::options::EndToken;

/// A built-in vocabulary, with the function that builds its encoder.
pub(super) struct BuiltIn {
    /// The name of the vocabulary.
    name: &'static str,
    /// The greatest token id of the vocabulary, plus one.
    ids: u32,
    /// The texts of the vocabulary's end tokens.
    end_tokens: &'static [&'static str],
    /// Builds the encoder of the vocabulary. Returns the crate's error as a message.
    build: fn() -> Result<CoreBPE, String>,
}

const END_OF_TEXT: &[&str] = &["<|endoftext|>"];

/// All built-in vocabularies; the first is the default.
static BUILT_IN: [BuiltIn; 5] = [
    BuiltIn {
        name: "o200k_base",
        ids: 200_019,
        end_tokens: END_OF_TEXT,
        build: || tiktoken_rs::o200k_base().map_err(|error| error.to_string()),
    },
    BuiltIn {
        name: "o200k_harmony",
        ids: 201_088,
        // A harmony message ends the turn with `return`, or with `call` if it calls a tool.
        end_tokens: &["<|endoftext|>", "<|return|>", "<|call|>"],
        build: || tiktoken_rs::o200k_harmony().map_err(|error| error.to_string()),
    },
    BuiltIn {
        name: "cl100k_base",
        ids: 100_277,
        end_tokens: END_OF_TEXT,
        build: || tiktoken_rs::cl100k_base().map_err(|error| error.to_string()),
    },
    BuiltIn {
        name: "p50k_base",
        ids: 50_281,
        end_tokens: END_OF_TEXT,
        build: || tiktoken_rs::p50k_base().map_err(|error| error.to_string()),
    },
    BuiltIn {
        name: "r50k_base",
        ids: 50_257,
        end_tokens: END_OF_TEXT,
        build: || tiktoken_rs::r50k_base().map_err(|error| error.to_string()),
    },
];

/// Returns the names of the built-in vocabularies; the first is the default.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    BUILT_IN.iter().map(|vocabulary| vocabulary.name)
}

/// Returns the built-in vocabulary of this name. `None` if there is none.
pub(super) fn find(name: &str) -> Option<&'static BuiltIn> {
    BUILT_IN.iter().find(|vocabulary| vocabulary.name == name)
}

impl BuiltIn {
    /// Reads all tokens of the vocabulary. Fails if the crate cannot build the encoder.
    pub(super) fn read(&self) -> Result<Draft, VocabularyError> {
        let failed = |problem| VocabularyError::BuiltIn { name: self.name, problem };
        let encoder = (self.build)().map_err(failed)?;
        let special = encoder.special_tokens();
        let mut draft = Draft::new(self.name.to_owned());
        for id in 0..self.ids {
            // The crate fails here only for an id without a token.
            if let Ok(bytes) = encoder.decode_bytes(&[id]) {
                let is_special = str::from_utf8(&bytes).is_ok_and(|text| special.contains(text));
                draft.claim(id, bytes, if is_special { Role::Control } else { Role::Learned })?;
            }
        }
        let ends = self.end_tokens.iter().map(|&text| (EndToken::from(text), self.name.to_owned()));
        draft.end_tokens.extend(ends);
        Ok(draft)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_counts_of_ids_are_the_crates() {
        for vocabulary in &BUILT_IN {
            let encoder = (vocabulary.build)().expect("builds");
            assert!(encoder.decode_bytes(&[vocabulary.ids - 1]).is_ok(), "{}", vocabulary.name);
            for id in vocabulary.ids..vocabulary.ids + 10_000 {
                assert!(encoder.decode_bytes(&[id]).is_err(), "{} has id {id}", vocabulary.name);
            }
        }
    }
}
