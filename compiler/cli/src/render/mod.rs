//! Formats results and diagnostics: one renderer for people and one for programs, over the same
//! values.

pub(crate) mod human;
pub(crate) mod json;

use std::io::{self, Write};

use serde::Serialize;

/// A result that can be written for people and for programs. The form for programs is its
/// serialization.
pub(crate) trait Answer: Serialize {
    /// Writes the result as text for people.
    fn human(&self, out: &mut dyn Write) -> io::Result<()>;
}
