//! The `tools` shorthand: tools of a request in the style of a model, as formats.
//!
//! ```text
//! {"type": "tools", "style": "qwen_3", "tools": [...], "tool_choice": "auto"}
//!
//! object -> request (what is asked for) -> expand (formats, by the style's file)
//! ```
//!
//! Tests: `compiler/tests/structural_tags` and `tests/tests/suite/{calls,tool_walks}.rs`.

mod expand;
mod request;
mod style;

use super::fields::{Fields, Reader};
use super::format::Kind;
use super::members::{self, MemberStyle};

/// Returns the names of all styles.
pub(super) fn styles() -> impl Iterator<Item = &'static str> {
    style::Style::names()
}

/// Returns the notation of arguments in a style of calls, by name or alias. `None` if the style is unknown or writes
/// JSON.
pub(super) fn member_style(style: &str) -> Option<&'static MemberStyle> {
    members::style(&style::Style::named(style)?.arguments)
}

/// Reads a request, an object of the type `tools`, as a format.
pub(super) fn tools(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Kind> {
    let errors = reader.errors.len();
    let request = request::read(reader, fields)?;
    (reader.errors.len() == errors).then(|| expand::expand(&request).kind)
}
