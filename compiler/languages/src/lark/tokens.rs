//! Sets of tokens: `<text>`, `<[1,5-9]>`, `<[^1]>` and `<[*]>`.

use std::ops::Range;

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{TokenRef, TokenSet};

/// Most ids listed in one set of tokens. More are an error, which bounds the memory that a range
/// such as `<[0-4000000000]>` takes.
const MAX_TOKENS: usize = 1_000_000;

/// Reads the set of tokens at bytes `span` of `text`: `<text>`, `<[ids]>`, `<[^ids]>` or `<[*]>`.
/// Malformed ids, an empty set and more than a million ids are errors.
pub(super) fn set(text: &str, span: &Range<usize>) -> Result<TokenSet, Box<Diagnostic>> {
    let written = &text[span.clone()];
    let place = Some(span.clone());
    let wrong = |text: String, help: &str| {
        Box::new(
            Diagnostic::error(codes::BAD_TOKENS, text).with_label(span.clone(), "").with_help(help),
        )
    };
    let Some(ids) = written.strip_prefix("<[").and_then(|rest| rest.strip_suffix("]>")) else {
        let token = TokenRef::Text(written.to_owned());
        return Ok(TokenSet { tokens: vec![(token, place)], negated: false });
    };
    let form = "write ids and ranges of them, as in `<[1,5-9]>`; `<[^1,5-9]>` for all others, and `<[*]>` for any token";
    if ids == "*" {
        return Ok(TokenSet { tokens: Vec::new(), negated: true });
    }
    let (ids, negated) = ids.strip_prefix('^').map_or((ids, false), |ids| (ids, true));
    let mut tokens = Vec::new();
    for part in ids.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (Ok(first), Ok(last)) = (first.parse::<u32>(), last.parse::<u32>()) else {
            return Err(wrong(format!("`{part}` is no id of a token and no range of them"), form));
        };
        if last < first {
            return Err(wrong(
                format!("the range `{part}` ends before it starts"),
                "swap its ends",
            ));
        }
        if (last - first) as usize >= MAX_TOKENS - tokens.len().min(MAX_TOKENS) {
            let text = format!("these are more than {MAX_TOKENS} tokens");
            return Err(wrong(text, "write the complement with `^`, or `<[*]>` for all"));
        }
        tokens.extend((first..=last).map(|id| (TokenRef::Id(id), place.clone())));
    }
    if tokens.is_empty() {
        return Err(wrong("there is no token in this set".to_owned(), form));
    }
    Ok(TokenSet { tokens, negated })
}
