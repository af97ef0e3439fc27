//! Strings of a source that hold the text of a special token.
//!
//! A special token matches by its id alone, so a grammar whose string is `<think>` allows the letters of it and masks the
//! token that the model would write. That is seldom meant, and looks like a model that will not follow its grammar.
//!
//! Cost: for each place of each string where some special token could begin, a binary search for each length of special
//! tokens.

use std::ops::Range;

use grammarc_artifacts::VocabularyArtifact;

use crate::diagnostics::Diagnostic;
use crate::ir::{ByteSet, Literals};

/// Most warnings for one source.
const MOST: usize = 8;

/// A warning for each string that holds the text of a special token.
pub(crate) fn written_out(literals: &Literals, vocabulary: &VocabularyArtifact) -> Vec<Diagnostic> {
    let mut lengths: Vec<usize> = Vec::new();
    let mut first = ByteSet::EMPTY;
    if literals.iter().next().is_none() {
        return Vec::new();
    }
    for &id in vocabulary.special_tokens() {
        let bytes = vocabulary.token_bytes(id);
        // A name of one character is punctuation in most grammars.
        if let (2.., Some(&byte)) = (bytes.len(), bytes.first()) {
            lengths.push(bytes.len());
            first.insert(byte);
        }
    }
    lengths.sort_unstable();
    lengths.dedup();
    let named = |text: &str| -> Option<Range<usize>> {
        (0..text.len()).filter(|&at| first.contains(text.as_bytes()[at])).find_map(|at| {
            let ends = lengths.iter().rev().map(|length| at + length);
            let mut ends = ends.filter(|&end| end <= text.len());
            ends.find(|&end| vocabulary.special_token(&text.as_bytes()[at..end]).is_some())
                .map(|end| at..end)
        })
    };
    let found = literals.iter().filter_map(|(text, span)| {
        let name = text.get(named(text)?)?;
        let token = match name.starts_with('<') && name.ends_with('>') {
            true => format!("`{name}` without quotes"),
            false => {
                let id = vocabulary.special_token(name.as_bytes()).unwrap_or_default();
                format!("`<[{id}]>`")
            }
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
