//! Reads the options that a Lark source sets for itself: `%llguidance {...}` and `%grammar_options
//! {...}`.

use std::ops::Range;

use serde::Deserialize;

use super::codes;
use grammarc_grammar::diagnostics::Diagnostic;

/// The options that a grammar sets with `%llguidance` or `%grammar_options`.
#[derive(Debug, Default)]
pub(super) struct GrammarOptions {
    pub(super) allow_initial_skip: bool,
    pub(super) ignore_once: bool,
}

/// The JSON object of `%llguidance` or `%grammar_options`. Other members are an error.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    allow_initial_skip: Option<bool>,
    ignore_once: Option<bool>,
    no_forcing: Option<bool>,
    allow_invalid_utf8: Option<bool>,
}

impl GrammarOptions {
    /// Reads one object of options, at the bytes `json` of `text`. Its members override those of
    /// earlier objects. Malformed JSON, an unknown member and `allow_invalid_utf8: true` are
    /// errors.
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
