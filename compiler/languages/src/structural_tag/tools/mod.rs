//! The `tools` shorthand: tools of a request in the style of a model, as formats.
//!
//! ```text
//! {"type": "tools", "style": "qwen_3", "tools": [...], "tool_choice": "auto"}
//!
//! object -> request (what is asked for) -> expand (formats, by the style's file)
//! ```
//!
//! A list of tools that is a whole document is a request as well, in the style that the options name.
//!
//! Tests: `compiler/tests/structural_tags` and `tests/tests/suite/{calls,tool_walks}.rs`.

mod choice;
mod expand;
mod list;
mod request;
mod style;

use super::fields::{Fields, Reader};
use super::format::{Format, Kind};
use super::members::{self, MemberStyle};
use super::options::OnRefused;
use super::refused_tool::Candidate;
use grammarc_json_schema::document::{Document, NodeId};

/// Returns the names of all styles of tool calls, without aliases.
pub(super) fn styles() -> impl Iterator<Item = &'static str> {
    style::Style::names()
}

/// Whether the value `at` of a document is a list of tools as a whole, and no format.
pub(super) fn is_list(document: &Document<'_>, at: NodeId) -> bool {
    list::is_list(document, at)
}

/// Whether there is a style with this name or alias.
pub(super) fn is_style(name: &str) -> bool {
    style::Style::named(name).is_some()
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
    (reader.errors.len() == errors).then(|| expanded(reader, &request).kind)
}

/// Reads a document as a format if it is a list of tools as a whole. Returns `None` for other documents, and
/// `Some(None)` after errors, which are reported.
pub(super) fn list_document(reader: &mut Reader<'_, '_>) -> Option<Option<Format>> {
    let root = reader.document.root();
    list::is_list(reader.document, root).then(|| {
        let errors = reader.errors.len();
        let request = request::of_list(reader, root)?;
        (reader.errors.len() == errors).then(|| expanded(reader, &request))
    })
}

/// Returns the format of a request. If the request leaves out tools that do not compile, its tools become candidates.
fn expanded(reader: &mut Reader<'_, '_>, request: &request::Request) -> Format {
    if request.on_refused != OnRefused::Request && request.choice != choice::Choice::None {
        let loosens = request.on_refused == OnRefused::Loosen;
        let tools = request.tools.iter().filter(|tool| !(loosens && tool.is_strict));
        let candidates = tools.map(|tool| Candidate {
            at: tool.at,
            name: tool.name.text.clone(),
            arguments: request.arguments(tool),
        });
        reader.candidates.extend(candidates);
    }
    expand::expand(request)
}
