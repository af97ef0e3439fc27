//! The look of results and diagnostics: one renderer for people, one for programs, over the same values.

pub(crate) mod human;
pub(crate) mod json;

use std::io::{self, Write};

use serde::Serialize;

/// A result that both renderers can draw: as a value by its fields, for people as it says itself.
pub(crate) trait Answer: Serialize {
    /// Draws it for people.
    fn human(&self, out: &mut dyn Write) -> io::Result<()>;
}
