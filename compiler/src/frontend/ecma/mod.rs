//! Regular expressions of ECMA-262, as JSON Schema's `pattern` means them.

mod error;

pub(crate) use error::{EcmaError, EcmaErrorKind};

use crate::automata::Dfa;

/// The strings that contain a match of the pattern, as a minimal automaton over UTF-8.
///
/// # Errors
///
/// See [`EcmaErrorKind`].
pub(crate) fn pattern(text: &str, limit: usize) -> Result<Dfa, EcmaError> {
    let _ = (text, limit);
    Ok(Dfa::never())
}

/// Whether the text is a regular expression of ECMA-262, backreferences included.
pub(crate) fn is_valid(text: &str) -> bool {
    let _ = text;
    true
}
