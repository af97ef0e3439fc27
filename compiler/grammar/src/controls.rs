//! Finds the special tokens of a vocabulary in the strings of a source.
//!
//! A special token matches only by its id. So a grammar with the string `<think>` allows the
//! letters of this text, and masks the token that the model would write. In a language that
//! describes model output, such a string denotes the token ([`ControlTokens`]). In other languages
//! the string is rarely intended, because the model would seem not to follow its grammar. So the
//! string is [reported](warnings).
//!
//! Cost: one binary search for each length of special tokens, at each position in a text where a
//! special token may begin.

use std::collections::BTreeSet;
use std::ops::Range;

use grammarc_artifacts::{TokenKind, VocabularyArtifact};

use super::diagnostics::Diagnostic;
use super::ir::{ByteSet, Literals, TokenRef};

/// The most warnings about special tokens for one source, so that a message stays short. Further
/// strings are not reported.
const MOST: usize = 8;

/// Finds the special tokens of a vocabulary in a text, by their texts. Without a vocabulary, no
/// special token is found.
#[derive(Clone, Debug, Default)]
pub struct ControlTokens {
    /// The vocabulary whose special tokens are found. `None` if there is none.
    vocabulary: Option<VocabularyArtifact>,
    /// The lengths of the special tokens' texts in bytes, in descending order, each once.
    lengths: Vec<usize>,
    /// The set of bytes with which the special tokens' texts begin.
    first: ByteSet,
}

impl ControlTokens {
    /// Collects the special tokens of a vocabulary. A special token whose text is one byte long is
    /// left out, because most sources use it as punctuation.
    pub fn of(vocabulary: &VocabularyArtifact) -> Self {
        let mut lengths: Vec<usize> = Vec::new();
        let mut first = ByteSet::EMPTY;
        for &id in vocabulary.special_tokens() {
            let bytes = vocabulary.token_bytes(id);
            if let (2.., Some(&byte)) = (bytes.len(), bytes.first()) {
                lengths.push(bytes.len());
                first.insert(byte);
            }
        }
        lengths.sort_unstable_by(|one, other| other.cmp(one));
        lengths.dedup();
        Self { vocabulary: Some(vocabulary.clone()), lengths, first }
    }

    /// Whether the vocabulary has a token with this id or text. Without a vocabulary, the answer is
    /// always yes.
    pub fn knows(&self, token: &TokenRef) -> bool {
        let Some(vocabulary) = &self.vocabulary else { return true };
        match token {
            TokenRef::Text(text) => {
                let text = text.as_bytes();
                vocabulary.special_token(text).is_some() || !vocabulary.lookup(text).is_empty()
            }
            &TokenRef::Id(id) => {
                id < vocabulary.token_count() && vocabulary.token_kind(id) != TokenKind::Unused
            }
        }
    }

    /// Returns the texts between `before` and `after` of the special tokens that begin and end so, in order. Without a
    /// vocabulary, there are none.
    pub fn between(&self, before: &str, after: &str) -> BTreeSet<String> {
        let Some(vocabulary) = &self.vocabulary else { return BTreeSet::new() };
        let texts = vocabulary.special_tokens().iter().filter_map(|&id| {
            let text = std::str::from_utf8(vocabulary.token_bytes(id)).ok()?;
            text.strip_prefix(before)?.strip_suffix(after).map(str::to_owned)
        });
        texts.collect()
    }

    /// Returns the byte range and the id of the first special token in a text. If several begin at
    /// one position, the longest is returned. `None` if there is none.
    pub fn first_in(&self, text: &str) -> Option<(Range<usize>, u32)> {
        let vocabulary = self.vocabulary.as_ref()?;
        let bytes = text.as_bytes();
        (0..bytes.len()).filter(|&at| self.first.contains(bytes[at])).find_map(|at| {
            let ends = self.lengths.iter().map(|length| at + length);
            let mut ends = ends.filter(|&end| end <= bytes.len());
            ends.find_map(|end| Some((at..end, vocabulary.special_token(&bytes[at..end])?)))
        })
    }
}

/// Returns a warning for each string literal of a source that contains the text of a special token
/// of the vocabulary. At most [`MOST`] warnings are returned.
pub fn warnings(literals: &Literals, vocabulary: &VocabularyArtifact) -> Vec<Diagnostic> {
    if literals.iter().next().is_none() {
        return Vec::new();
    }
    let controls = ControlTokens::of(vocabulary);
    let found = literals.iter().filter_map(|(text, span)| {
        let (place, id) = controls.first_in(text)?;
        let name = text.get(place)?;
        let token = match name.starts_with('<') && name.ends_with('>') {
            true => format!("`{name}` without quotes"),
            false => format!("`<[{id}]>`"),
        };
        Some(
            Diagnostic::warning(
                "compile::special-token-text",
                format!("this string spells {name:?} letter by letter, and the vocabulary has a special token of that name"),
            )
            .with_label(span.clone(), "the special token is masked here")
            .with_help(format!("for the token that a model writes there, write {token}")),
        )
    });
    found.take(MOST).collect()
}
