//! Checks a text that may contain special tokens by name, as `sample` writes them.
//!
//! A special token matches by its id alone, so its name in a text does not match as letters. If the
//! token is allowed where its name occurs, the name is read as the token. If the text is then
//! rejected, it is read again as plain letters, and the reading that gets further is reported. A
//! grammar may match ordinary tokens by id, like `!<x>` in GBNF. At such a position the longest
//! allowed token is read.

use grammarc_runtime::error::{BytesError, LimitError};
use grammarc_runtime::{ByteMatcher, Grammar};

use crate::special::SpecialTokens;

/// Length in bytes of the longest token that is matched by id from its spelling. Longer tokens are
/// not found.
const LONGEST: usize = 128;

/// Reads a text from its start. If the text is rejected, the returned matcher is before the
/// rejected byte.
pub(super) fn read(grammar: &Grammar, text: &[u8]) -> (ByteMatcher, Result<(), BytesError>) {
    let vocabulary = grammar.vocabulary().artifact();
    let named = attempt(grammar, text, Some(&SpecialTokens::new(vocabulary)));
    match &named.1 {
        Err(BytesError::Refused { at }) => {
            let plain = attempt(grammar, text, None);
            match &plain.1 {
                Err(BytesError::Refused { at: further }) if further <= at => named,
                _ => plain,
            }
        }
        Ok(()) if !named.0.is_accepting() => {
            let plain = attempt(grammar, text, None);
            if plain.1.is_ok() && plain.0.is_accepting() { plain } else { named }
        }
        _ => named,
    }
}

fn attempt(
    grammar: &Grammar,
    text: &[u8],
    special: Option<&SpecialTokens<'_>>,
) -> (ByteMatcher, Result<(), BytesError>) {
    let mut matcher = ByteMatcher::new(grammar);
    let mut at = 0;
    while at < text.len() {
        let named = special.into_iter().flat_map(|special| special.at(&text[at..]));
        let read = match first_allowed(&mut matcher, named) {
            Ok(None) => match matcher.accept(&text[at..=at]) {
                Ok(()) => Ok(Some(1)),
                Err(BytesError::Refused { .. }) => {
                    first_allowed(&mut matcher, spelled(grammar, &text[at..]))
                }
                Err(BytesError::Limit { limit, .. }) => Err(limit),
                Err(other) => return (matcher, Err(other)),
            },
            read => read,
        };
        match read {
            Ok(Some(len)) => at += len,
            Ok(None) => return (matcher, Err(BytesError::Refused { at })),
            Err(limit) => return (matcher, Err(BytesError::Limit { at, limit })),
        }
    }
    (matcher, Ok(()))
}

/// Accepts the first token that the grammar allows by its id, and returns the token's length in
/// bytes. `None` if no token is allowed. `tokens` has pairs (length, id).
fn first_allowed(
    matcher: &mut ByteMatcher,
    tokens: impl Iterator<Item = (usize, u32)>,
) -> Result<Option<usize>, LimitError> {
    for (len, id) in tokens {
        if matcher.accept_token(id)? {
            return Ok(Some(len));
        }
    }
    Ok(None)
}

/// Returns the tokens whose bytes are a prefix of the text, as pairs (length in bytes, id), longer
/// ones first.
fn spelled<'t>(grammar: &'t Grammar, text: &'t [u8]) -> impl Iterator<Item = (usize, u32)> + 't {
    let vocabulary = grammar.vocabulary().artifact();
    let lengths = (1..=text.len().min(LONGEST)).rev();
    lengths.flat_map(|len| vocabulary.lookup(&text[..len]).iter().map(move |&id| (len, id)))
}

/// Returns the names of the special tokens that are allowed next. Tries each special token of the
/// vocabulary.
pub(super) fn expected(grammar: &Grammar, matcher: &ByteMatcher) -> Vec<String> {
    let vocabulary = grammar.vocabulary().artifact();
    let special = vocabulary.special_tokens().iter();
    let allowed = special.filter(|&&id| matches!(matcher.fork().accept_token(id), Ok(true)));
    allowed.map(|&id| String::from_utf8_lossy(vocabulary.token_bytes(id)).into_owned()).collect()
}
