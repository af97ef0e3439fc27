//! A text read with the special tokens in it: what `sample` writes by name.
//!
//! A special token matches by its id alone, so its name in a text is not its letters. A name is read as its token where
//! that is allowed; a text that is refused that way is read once more by its letters alone, and the reading that got
//! further counts.

use grammarc_artifacts::VocabularyArtifact;
use grammarc_runtime::error::BytesError;
use grammarc_runtime::{ByteMatcher, Grammar};

/// Reads a text from the start. The matcher of a text that is refused stands before the byte that was.
pub(super) fn read(grammar: &Grammar, text: &[u8]) -> (ByteMatcher, Result<(), BytesError>) {
    let vocabulary = grammar.vocabulary().artifact();
    let named = attempt(grammar, text, &names(vocabulary));
    match &named.1 {
        Err(BytesError::Refused { at }) => {
            let plain = attempt(grammar, text, &[]);
            match &plain.1 {
                Err(BytesError::Refused { at: further }) if further <= at => named,
                _ => plain,
            }
        }
        Ok(()) if !named.0.is_accepting() => {
            let plain = attempt(grammar, text, &[]);
            if plain.1.is_ok() && plain.0.is_accepting() { plain } else { named }
        }
        _ => named,
    }
}

/// Special tokens by their first byte, longer names first.
fn names(vocabulary: &VocabularyArtifact) -> Vec<(&[u8], u32)> {
    let special = vocabulary.special_tokens().iter();
    let mut names: Vec<_> = special.map(|&id| (vocabulary.token_bytes(id), id)).collect();
    names.retain(|(name, _)| !name.is_empty());
    names.sort_by_key(|(name, _)| (name[0], std::cmp::Reverse(name.len())));
    names
}

fn attempt(
    grammar: &Grammar,
    text: &[u8],
    names: &[(&[u8], u32)],
) -> (ByteMatcher, Result<(), BytesError>) {
    let mut matcher = ByteMatcher::new(grammar);
    let mut at = 0;
    'text: while at < text.len() {
        let from = names.partition_point(|(name, _)| name[0] < text[at]);
        for (name, id) in names[from..].iter().take_while(|(name, _)| name[0] == text[at]) {
            if text[at..].starts_with(name) {
                match matcher.accept_token(*id) {
                    Ok(true) => {
                        at += name.len();
                        continue 'text;
                    }
                    Ok(false) => {}
                    Err(limit) => return (matcher, Err(BytesError::Limit { at, limit })),
                }
            }
        }
        match matcher.accept(&text[at..=at]) {
            Ok(()) => at += 1,
            Err(BytesError::Refused { .. }) => return (matcher, Err(BytesError::Refused { at })),
            Err(BytesError::Limit { limit, .. }) => {
                return (matcher, Err(BytesError::Limit { at, limit }));
            }
            Err(other) => return (matcher, Err(other)),
        }
    }
    (matcher, Ok(()))
}

/// The names of the special tokens that may come next. One attempt for each special token of the vocabulary.
pub(super) fn expected(grammar: &Grammar, matcher: &ByteMatcher) -> Vec<String> {
    let vocabulary = grammar.vocabulary().artifact();
    let special = vocabulary.special_tokens().iter();
    let allowed = special.filter(|&&id| matches!(matcher.fork().accept_token(id), Ok(true)));
    allowed.map(|&id| String::from_utf8_lossy(vocabulary.token_bytes(id)).into_owned()).collect()
}
