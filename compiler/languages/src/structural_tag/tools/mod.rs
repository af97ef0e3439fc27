//! The `tools` shorthand: tools of a request in the style of a model, as formats.
//!
//! ```text
//! {"type": "tools", "style": "qwen_3", "tools": [...], "tool_choice": "auto"}
//!
//! object -> request (what is asked for) -> expand (formats, by the style's file)
//! ```

mod expand;
mod request;
mod style;

use super::fields::{Fields, Reader};
use super::format::Kind;
use super::members::{self, MemberStyle};

/// The names of all styles.
pub(super) fn styles() -> impl Iterator<Item = &'static str> {
    style::Style::names()
}

/// How a style of calls, by any name of it, writes the members of arguments; none where it writes JSON or is unknown.
pub(super) fn member_style(style: &str) -> Option<&'static MemberStyle> {
    members::style(&style::Style::named(style)?.arguments)
}

/// The formats of a request, written as an object of the type `tools`.
pub(super) fn tools(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Kind> {
    let errors = reader.errors.len();
    let request = request::read(reader, fields)?;
    (reader.errors.len() == errors).then(|| expand::expand(&request).kind)
}
