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

/// Returns the names of all styles of tool calls, without aliases.
pub(super) fn styles() -> impl Iterator<Item = &'static str> {
    style::Style::names()
}

/// Returns the notation of the arguments of tool calls in a style. The style is given by name or alias. `None` if the
/// style is unknown or writes arguments as JSON.
pub(super) fn member_style(style: &str) -> Option<&'static MemberStyle> {
    members::style(&style::Style::named(style)?.arguments)
}

/// Reads an object of type `tools`, which describes a request, as a format. After errors, which are reported, returns
/// `None`.
pub(super) fn tools(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Kind> {
    let errors = reader.errors.len();
    let request = request::read(reader, fields)?;
    (reader.errors.len() == errors).then(|| expand::expand(&request).kind)
}
