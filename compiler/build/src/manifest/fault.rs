//! Errors of a manifest, at their places.

use std::ops::Range;

use grammarc_compiler::diagnostics::Diagnostic;

/// An error about the value of a key.
pub(crate) fn wrong(key: &str, span: Range<usize>, problem: impl std::fmt::Display) -> Diagnostic {
    Diagnostic::error("manifest::value", format!("{key}: {problem}")).with_label(span, "")
}
