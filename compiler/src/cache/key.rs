//! The name of an entry: a digest of everything that decides its bytes.
//!
//! Two requests with one key get the same artifact, byte for byte; so the key covers the name of the source, which the
//! artifact records, and the limits, under which another request may be refused. Wall time is left out, because it
//! decides nothing of an artifact that was made. The compiler counts by its version and the digest of its sources, so
//! that builds between two releases do not take each other's entries.
//!
//! Every part goes into the digest behind its length or as a number of fixed width, so no two lists of parts run
//! together. Options are taken apart field by field: a new one does not compile before it is covered here.
//!
//! Cost: one pass over the source text. Schemas of a registry were digested when they were added to it.

use std::fmt;
use std::hash::{Hash, Hasher};

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::container::header::VERSION;

use crate::compile::CompileOptions;
use crate::diagnostics::Source;
use crate::frontend::FrontEnd;
use crate::frontend::choice::ChoiceOptions;
use crate::frontend::gbnf::GbnfOptions;
use crate::frontend::json_schema::JsonSchemaOptions;
use crate::frontend::regex::PatternOptions;
use crate::vocabulary::TokenTable;

/// Identifies the artifact of a source, a front end, options and a vocabulary, for this version of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key([u8; 32]);

impl Key {
    /// The key of a request. O(length of the source).
    pub fn new(
        vocabulary: &VocabularyArtifact,
        front_end: &FrontEnd,
        source: &Source,
        options: &CompileOptions,
    ) -> Self {
        let mut parts = Parts::default();
        parts.text(env!("CARGO_PKG_VERSION"));
        parts.text(env!("GRAMMARC_SOURCES"));
        VERSION.hash(&mut parts);
        parts.bytes(&vocabulary.fingerprint());
        parts.bytes(&vocabulary.shared_digest());
        parts.text(front_end.kind());
        match front_end {
            FrontEnd::JsonSchema(options) => json_schema(options, &mut parts),
            FrontEnd::Gbnf(GbnfOptions { start }) => parts.text(start),
            FrontEnd::Regex(PatternOptions { extent, size_limit, text_file }) => {
                (extent, size_limit, text_file).hash(&mut parts);
            }
            FrontEnd::Choice(ChoiceOptions {}) => {}
        }
        options.identify(&mut parts);
        parts.text(&source.name);
        parts.text(&source.text);
        Self(*parts.0.finalize().as_bytes())
    }
}

impl Key {
    /// The key of a vocabulary's artifact, shared rules and all. O(bytes of the tokens).
    pub fn of_vocabulary(table: &TokenTable) -> Self {
        let mut parts = Parts::default();
        parts.text(env!("CARGO_PKG_VERSION"));
        parts.text(env!("GRAMMARC_SOURCES"));
        VERSION.hash(&mut parts);
        parts.text("vocabulary");
        let TokenTable { name, tokens, end_tokens, logit_width, findings: _ } = table;
        parts.text(name);
        (end_tokens, logit_width, tokens.len()).hash(&mut parts);
        for token in tokens {
            parts.bytes(&token.bytes);
            (token.kind as u32).hash(&mut parts);
        }
        Self(*parts.0.finalize().as_bytes())
    }
}

/// In hexadecimal.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

fn json_schema(options: &JsonSchemaOptions, parts: &mut Parts) {
    let JsonSchemaOptions {
        text,
        key_order,
        closed,
        dialect,
        formats,
        resources,
        max_states,
        max_shapes,
        max_rules,
    } = options;
    (text, key_order, closed, dialect, formats, max_states, max_shapes, max_rules).hash(parts);
    let digests = resources.digests();
    digests.len().hash(parts);
    for (uri, digest) in digests {
        parts.text(uri);
        parts.bytes(digest);
    }
}

/// What goes into a key.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }
}

/// For the derived `Hash` of options, which tells unequal values apart by what it writes.
impl Hasher for Parts {
    fn write(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// Not asked for: a key is the whole digest.
    fn finish(&self) -> u64 {
        self.0.finalize().as_bytes().iter().take(8).fold(0, |n, &byte| n << 8 | u64::from(byte))
    }
}
