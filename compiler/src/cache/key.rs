//! The names of an entry: digests of all that decides its bytes, and of all that decides what it accepts.
//!
//! Two requests with one [`Key`] get the same artifact, byte for byte; so it covers the name of the source, which the
//! artifact records, and the limits, under which another request may be refused. Wall time is left out, because it
//! decides nothing of an artifact that was made. The compiler counts by its version and the digest of its sources, so
//! that builds between two releases do not take each other's entries.
//!
//! Two requests with one [`Content`] are served by one artifact: it covers the vocabulary, the front end with its options,
//! and what the source's text says. It leaves out how the text is laid out, the source's name, what is recorded besides,
//! and the limits of network and masks, which bound a compilation and change nothing of what it makes.
//!
//! Every part goes into the digest behind its length or as a number of fixed width, so no two lists of parts run
//! together. Options are taken apart field by field: a new one does not compile before it is covered here.
//!
//! Cost: one pass over the source text. Schemas of a registry were digested when they were added to it.

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};

use grammarc_artifacts::VocabularyArtifact;
use grammarc_artifacts::container::header::VERSION;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::canonical;
use super::digest::Digest;
use crate::compile::CompileOptions;
use crate::diagnostics::Source;
use crate::frontend::FrontEnd;
use crate::frontend::builtin::BuiltInOptions;
use crate::frontend::choice::ChoiceOptions;
use crate::frontend::gbnf::GbnfOptions;
use crate::frontend::json_schema::JsonSchemaOptions;
use crate::frontend::lark::LarkOptions;
use crate::frontend::regex::{self, PatternOptions};
use crate::frontend::sources::{NamedSource, Sources};
use crate::frontend::structural_tag::StructuralTagOptions;
use crate::frontend::substring::SubstringOptions;
use crate::frontend::typescript::TypeScriptOptions;
use crate::vocabulary::TokenTable;

/// The compiler by its version and the digest of its sources: artifacts of equal requests are equal where this is.
pub const COMPILER: &str = concat!(env!("CARGO_PKG_VERSION"), "+", env!("GRAMMARC_SOURCES"));

/// Identifies the artifact of a source, a front end, options and a vocabulary, for this version of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Key(pub(super) Digest);

impl Key {
    /// The key of a request. O(length of the source).
    pub fn new(
        vocabulary: &VocabularyArtifact,
        front_end: &FrontEnd,
        source: &Source,
        options: &CompileOptions,
    ) -> Self {
        let mut parts = Parts::of("key", vocabulary, front_end);
        if let FrontEnd::Regex(options) = front_end {
            options.text_file.hash(&mut parts);
        }
        options.identify(&mut parts);
        parts.text(&source.name);
        parts.text(&source.text);
        Self(parts.digest())
    }
}

impl Key {
    /// The key of a vocabulary's artifact, shared rules and all. O(bytes of the tokens).
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

/// In hexadecimal.
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Identifies what the artifact of a text, a front end and a vocabulary accepts, for this version of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Content(pub(super) Digest);

impl Content {
    /// The content of a request. O(length of the text).
    pub fn new(vocabulary: &VocabularyArtifact, front_end: &FrontEnd, text: &str) -> Self {
        let mut parts = Parts::of("content", vocabulary, front_end);
        let text = match front_end {
            FrontEnd::JsonSchema(_) => Cow::Owned(canonical::spelling(text)),
            FrontEnd::Gbnf(_) | FrontEnd::Lark(_) | FrontEnd::TypeScript(_) => {
                Cow::Borrowed(text.as_bytes())
            }
            FrontEnd::BuiltIn(_) => Cow::Borrowed(text.trim().as_bytes()),
            FrontEnd::Regex(options) => Cow::Borrowed(regex::pattern_of(text, options).as_bytes()),
            FrontEnd::Choice(_) | FrontEnd::StructuralTag(_) | FrontEnd::Substring(_) => {
                Cow::Owned(canonical::spelling(text))
            }
        };
        parts.bytes(&text);
        Self(parts.digest())
    }
}

/// In hexadecimal.
impl fmt::Display for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

fn built_in(options: &BuiltInOptions, parts: &mut Parts) {
    let BuiltInOptions {
        line,
        json_schema: schema,
        min_items,
        max_items,
        columns,
        separator,
        names,
        attributes,
    } = options;
    (min_items, max_items, columns, separator, names, attributes).hash(parts);
    // The name of the schema is shown in findings.
    let line = line.as_ref().map(|Source { name, text }| (name, text));
    line.hash(parts);
    json_schema(schema, parts);
}

fn json_schema(options: &JsonSchemaOptions, parts: &mut Parts) {
    let JsonSchemaOptions {
        text,
        key_order,
        closed,
        dialect,
        formats,
        resources,
        max_unordered,
        max_states,
        max_shapes,
        max_rules,
    } = options;
    (text, key_order, closed, dialect, formats).hash(parts);
    (max_unordered, max_states, max_shapes, max_rules).hash(parts);
    let digests = resources.digests();
    digests.len().hash(parts);
    for (uri, digest) in digests {
        parts.text(uri);
        parts.bytes(digest);
    }
}

/// The parts of a digest.
#[derive(Default)]
struct Parts(blake3::Hasher);

impl Parts {
    /// The compiler, the vocabulary, and the front end with its options, for a digest of this purpose.
    fn of(purpose: &str, vocabulary: &VocabularyArtifact, front_end: &FrontEnd) -> Self {
        let mut parts = Self::default();
        parts.text(purpose);
        parts.text(COMPILER);
        VERSION.hash(&mut parts);
        parts.bytes(&vocabulary.fingerprint());
        parts.bytes(&vocabulary.shared_digest());
        parts.text(front_end.kind());
        match front_end {
            FrontEnd::JsonSchema(options) => json_schema(options, &mut parts),
            // The notation is the kind.
            FrontEnd::Gbnf(GbnfOptions { start, notation: _, sources }) => {
                parts.text(start);
                parts.sources(sources);
            }
            FrontEnd::Lark(LarkOptions { start, schemas }) => {
                parts.text(start);
                json_schema(schemas, &mut parts);
            }
            // How the pattern stands in its text is no part of it.
            FrontEnd::Regex(PatternOptions { extent, size_limit, text_file: _ }) => {
                (extent, size_limit).hash(&mut parts);
            }
            FrontEnd::StructuralTag(StructuralTagOptions { tokens, schemas, sources }) => {
                tokens.hash(&mut parts);
                json_schema(schemas, &mut parts);
                parts.sources(sources);
            }
            FrontEnd::Choice(ChoiceOptions {}) | FrontEnd::Substring(SubstringOptions {}) => {}
            FrontEnd::BuiltIn(options) => built_in(options, &mut parts),
            FrontEnd::TypeScript(TypeScriptOptions { start, json_schema: options }) => {
                start.hash(&mut parts);
                json_schema(options, &mut parts);
            }
        }
        parts
    }

    /// Sources that others refer to. Their names are shown in findings, and so count.
    fn sources(&mut self, sources: &Sources) {
        let sources = sources.iter();
        self.bytes(&sources.len().to_le_bytes());
        for (name, NamedSource { language, options, source }) in sources {
            for text in [name, language, &source.name, &source.text] {
                self.text(text);
            }
            // Written with its keys in the order given: that of schemas in it decides which texts are accepted.
            self.text(&Value::Object(options.clone()).to_string());
        }
    }

    fn text(&mut self, text: &str) {
        self.bytes(text.as_bytes());
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.0.update(&(bytes.len() as u64).to_le_bytes());
        self.0.update(bytes);
    }

    fn digest(self) -> Digest {
        Digest(*self.0.finalize().as_bytes())
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
