//! Checks a sequence of token ids against the masks, as a host would.

use grammarc_runtime::{Grammar, Matcher};

use crate::failure::Problem;

use super::verdict::Verdict;

/// Parses a list of token ids that are separated by commas or white space. Brackets around the list
/// are ignored. Fails at a word that is no id.
pub(super) fn parse(list: &str) -> Result<Vec<u32>, Problem> {
    let list = list.trim().trim_start_matches('[').trim_end_matches(']');
    let words = list.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty());
    let ids = words.map(|word| {
        word.parse().map_err(|_| Problem::Option {
            option: "--tokens",
            problem: format!("takes token ids, and {word:?} is none"),
        })
    });
    ids.collect()
}

/// Returns the verdict on a sequence of tokens. An accepted sequence need not end with an end
/// token.
pub(super) fn check(grammar: &Grammar, tokens: &[u32]) -> Verdict {
    let mut matcher = Matcher::new(grammar);
    let vocabulary = grammar.vocabulary().artifact();
    let name = |id: u32| match id < vocabulary.token_count() {
        true => String::from_utf8_lossy(vocabulary.token_bytes(id)).into_owned(),
        false => String::new(),
    };
    for (index, &token) in tokens.iter().enumerate() {
        if matcher.is_finished() || matcher.accept(token).is_err() {
            let mask = matcher.mask();
            let (allowed_tokens, may_end) = (mask.len(), matcher.is_accepting());
            return Verdict::TokenRefused {
                index,
                token,
                text: name(token),
                allowed_tokens,
                may_end,
            };
        }
    }
    if matcher.is_finished() || matcher.is_accepting() {
        return Verdict::Accepted;
    }
    Verdict::EndsTooEarlyInTokens { index: tokens.len(), allowed_tokens: matcher.mask().len() }
}
