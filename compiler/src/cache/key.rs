//! The names of an entry: a digest of everything that affects its bytes, and a digest of everything that affects the
//! language it accepts.
//!
//! Two requests with one [`Key`] get the same artifact, byte for byte. So a key includes the name of the source, which
//! the artifact records, and the limits, because of which a request may be refused. The limit on wall time is left out,
//! because it does not affect an artifact. The compiler is represented by its version and the digest of its sources, so
//! builds between two releases do not share entries.
//!
//! Two requests with one [`Content`] are served by one artifact. The content covers the vocabulary, the front end with
//! its options, and the meaning of the source's text. The layout of the text, the source's name and the recorded
//! options are left out. So are the limits of network and masks, which bound a compilation and do not affect its
//! result.
//!
//! Every part enters the digest after its length, or as a number of fixed width, so different lists of parts never give
//! the same bytes. Options derive `Hash`, so a new option is covered.
//!
//! Cost: one pass over the source text. Schemas of a registry were digested when they were added to it.

use std::fmt;
use std::hash::{Hash, Hasher};

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::container::header::VERSION;
use serde::{Deserialize, Serialize};

use super::digest::Digest;
use crate::compile::CompileOptions;
use crate::diagnostics::Source;
use crate::frontend::FrontEnd;
use crate::vocabulary::TokenTable;

/// The version of the compiler and the digest of its sources. If it is equal, equal requests give equal artifacts.
pub const COMPILER: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("GRAMMARC_SOURCES"));

/// Identifies the artifact of a source, a front end, options and a vocabulary, for this version of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(pub(super) Digest);

impl Key {
    /// Returns the key of a request. O(length of the source).
    pub fn new(
        vocabulary: &VocabularyArtifact,
        front_end: &FrontEnd,
        source: &Source,
        options: &CompileOptions,
    ) -> Self {
        let mut parts = Parts::of("key", vocabulary, front_end);
        options.identify(&mut parts);
        parts.text(&source.name);
        parts.text(&source.text);
        Self(parts.digest())
    }
}

impl Key {
    /// Returns the key of a vocabulary's artifact, shared rules included. O(bytes of the tokens).
    pub fn of_vocabulary(table: &TokenTable) -> Self {
        let mut parts = Parts::default();
        parts.text("vocabulary");
        parts.text(COMPILER);
        VERSION.hash(&mut parts);
        let TokenTable { name, tokens, end_tokens, logit_width, findings: _ } = table;
        parts.text(name);
        (end_tokens, logit_width, tokens.len()).hash(&mut parts);
        for token in tokens {
            parts.bytes(&token.bytes);
            (token.kind as u32).hash(&mut parts);
        }
        Self(parts.digest())
    }
}

/// Writes 64 lower-case hexadecimal digits.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Identifies the language that the artifact of a text, a front end and a vocabulary accepts, for this version of the
/// compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(pub(super) Digest);

impl Content {
    /// Returns the content of a request. O(length of the text).
    pub fn new(vocabulary: &VocabularyArtifact, front_end: &FrontEnd, text: &str) -> Self {
        // The option that the text is that of a file only decides which part of the text is the source.
        let of_file = front_end.clone().in_text_file();
        let mut parts = Parts::of("content", vocabulary, &of_file);
        parts.bytes(&front_end.essence(text));
        Self(parts.digest())
    }
}

/// Writes 64 lower-case hexadecimal digits.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A digest under construction, to which parts are added.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    /// Returns a digest with the compiler, the vocabulary, and the front end with its options. Digests of different
    /// purposes differ.
    fn of(purpose: &str, vocabulary: &VocabularyArtifact, front_end: &FrontEnd) -> Self {
        let mut parts = Self::default();
        parts.text(purpose);
        parts.text(COMPILER);
        VERSION.hash(&mut parts);
        parts.bytes(&vocabulary.fingerprint());
        parts.bytes(&vocabulary.shared_digest());
        parts.text(front_end.kind());
        front_end.hash(&mut parts);
        parts
    }

    /// Adds a text, after its length in bytes.
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    /// Adds bytes, after their number.
    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    /// Returns the digest of all parts.
    fn digest(self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
    }
}

/// Receives the bytes of a derived `Hash` of options, which differ for unequal values.
impl Hasher for Parts {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Required by the trait and not used: a key is the whole digest.
    fn finish(&self) -> u64 {
        self.0.finalize().as_bytes().iter().take(8).fold(0, |n, &byte| n << 8 | u64::from(byte))
    }
}
