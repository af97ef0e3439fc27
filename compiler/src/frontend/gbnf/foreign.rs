//! Parts of a source that are no grammar, or stand where they cannot, with an error that names them.

use std::ops::Range;

use super::codes;
use crate::diagnostics::Diagnostic;

/// The error for a lookahead assertion within a rule.
pub(super) fn lookahead(span: Range<usize>) -> Diagnostic {
    let text = "a lookahead assertion `(=...)` stands at the end of a rule alone";
    Diagnostic::error(codes::LOOKAHEAD, text)
        .with_label(span, "the assertion starts here")
        .with_help("give what is before it a rule of its own, or leave it out")
}

/// The error for a source that is JSON.
pub(super) fn json(text: &str) -> Option<Diagnostic> {
    let text = text.trim_start_matches('\u{feff}');
    let start = text.len() - text.trim_start().len();
    if !text[start..].starts_with('{') {
        return None;
    }
    let is_key = text[start + 1..].trim_start().starts_with('"');
    is_key.then(|| {
        Diagnostic::error(codes::IS_JSON, "the source is JSON and not a GBNF grammar")
            .with_label(start..start + 1, "")
            .with_help("compile a JSON Schema with `--kind json-schema`, or name its file `.json`")
    })
}
