//! Small readers: tokens by text and by id, and the options of a grammar.

use std::ops::Range;

use serde::Deserialize;

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{TokenRef, TokenSet};

/// Most tokens of a set.
const MAX_TOKENS: usize = 1_000_000;

/// Returns the tokens of `<text>`, `<[ids]>`, `<[^ids]>` or `<[*]>`.
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

/// The options of a grammar: of `%llguidance` and of `%grammar_options`.
#[derive(Debug, Default)]
pub(super) struct Given {
    pub(super) allow_initial_skip: bool,
    pub(super) ignore_once: bool,
}

/// The members of an object of options.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    allow_initial_skip: Option<bool>,
    ignore_once: Option<bool>,
    no_forcing: Option<bool>,
    allow_invalid_utf8: Option<bool>,
}

impl Given {
    /// Reads an object. Later objects override earlier ones.
    pub(super) fn read(
        &mut self,
        text: &str,
        json: &Range<usize>,
        findings: &mut Vec<Diagnostic>,
    ) -> Result<(), Box<Diagnostic>> {
        let options: Options = serde_json::from_str(&text[json.clone()]).map_err(|error| {
            let text = format!("these are no options: {error}");
            let help = "there are allow_initial_skip, ignore_once, no_forcing and allow_invalid_utf8, true or false each";
            Diagnostic::error(codes::BAD_JSON, text).with_label(json.clone(), "").with_help(help)
        })?;
        if options.allow_invalid_utf8 == Some(true) {
            let text = "texts are UTF-8: `allow_invalid_utf8` is not supported";
            let finding = Diagnostic::error(codes::UNSUPPORTED, text).with_label(json.clone(), "");
            return Err(Box::new(finding.with_help("leave it out")));
        }
        if options.no_forcing.is_some() {
            let text = "`no_forcing` changes no text: the host decides whether tokens are forced";
            findings.push(Diagnostic::note(codes::FOR_THE_HOST, text).with_label(json.clone(), ""));
        }
        self.allow_initial_skip = options.allow_initial_skip.unwrap_or(self.allow_initial_skip);
        self.ignore_once = options.ignore_once.unwrap_or(self.ignore_once);
        Ok(())
    }
}
