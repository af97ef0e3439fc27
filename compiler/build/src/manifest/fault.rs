//! Errors of a manifest, with their positions in it.

use std::error::Error;
use std::fmt::Display;
use std::ops::Range;

use grammarc_compiler::diagnostics::Diagnostic;

/// Creates an error about the value of `key`. `span` is the byte range of the value in the
/// manifest.
pub(crate) fn wrong(key: &str, span: Range<usize>, problem: impl Display) -> Diagnostic {
    Diagnostic::error("manifest::value", format!("{key}: {problem}")).with_label(span, "")
}

/// Returns the message of an error and the messages of its causes, joined by colons.
pub(crate) fn causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(&format!(": {error}"));
        cause = error.source();
    }
    text
}
