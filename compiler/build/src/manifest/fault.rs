//! Errors of a manifest, at their places.

use std::error::Error;
use std::fmt::Display;
use std::ops::Range;

use grammarc_compiler::diagnostics::Diagnostic;

/// An error about the value of a key.
pub(crate) fn wrong(key: &str, span: Range<usize>, problem: impl Display) -> Diagnostic {
    Diagnostic::error("manifest::value", format!("{key}: {problem}")).with_label(span, "")
}

/// Returns an error and its causes, in one line.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
