//! Reads `tool_choice`: whether tools are called, and which.

use crate::structural_tag::fields::Reader;
use grammarc_grammar::suggest::nearest;
use grammarc_json_schema::document::{Json, NodeId};

use super::list::Tool;

/// Whether and which tools have to be called (`tool_choice`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The output is text with any number of calls.
    Auto,
    /// The output has at least one call.
    Required,
    /// The output has exactly one call, of the tool that the request names.
    Named,
    /// The output is text without calls.
    None,
}

/// Reads `tool_choice`. Returns the choice, and the tools that may still be called. After an error, which is reported,
/// returns `None`.
pub(super) fn chosen(
    reader: &mut Reader<'_, '_>,
    at: NodeId,
    tools: Vec<Tool>,
) -> Option<(Choice, Vec<Tool>)> {
    let mut fields = match reader.document.json(at) {
        Json::String(_) => return Some((mode(reader, at, &["auto", "required", "none"])?, tools)),
        Json::Object(_) => reader.object(at)?,
        _ => {
            reader.wrong(at, "auto, required, none, or an object that names tools");
            return None;
        }
    };
    let kind = fields.need_text(reader, "type")?;
    if kind.text != "allowed_tools" {
        let tool = named(reader, at, &tools)?;
        return Some((Choice::Named, vec![tools[tool].clone()]));
    }
    let mut fields = match fields.get(reader, "allowed_tools") {
        Some(inner) => reader.object(inner)?,
        None => fields,
    };
    let choice = match fields.get(reader, "mode") {
        Some(at) => mode(reader, at, &["auto", "required"])?,
        None => Choice::Auto,
    };
    let list = fields.need(reader, "tools")?;
    let items = reader.items(list);
    let allowed: Vec<usize> =
        items.into_iter().filter_map(|item| named(reader, item, &tools)).collect();
    let left = tools.into_iter().enumerate().filter(|(at, _)| allowed.contains(at));
    Some((choice, left.map(|(_, tool)| tool).collect()))
}

fn mode(reader: &mut Reader<'_, '_>, at: NodeId, known: &[&str]) -> Option<Choice> {
    let text = reader.text(at)?.text;
    let choice = match text.as_str() {
        _ if !known.contains(&text.as_str()) => None,
        "required" => Some(Choice::Required),
        "none" => Some(Choice::None),
        _ => Some(Choice::Auto),
    };
    if choice.is_none() {
        let message = format!("there is no choice of tools {text:?}");
        let help = format!("there are {}, and objects that name tools", known.join(", "));
        reader.error("structural-tag::unknown-value", at, message, &help);
    }
    choice
}

/// Returns the index of the tool that a reference names: a function by its name, a built-in tool by its type. If there
/// is not exactly one, reports an error and returns `None`.
fn named(reader: &mut Reader<'_, '_>, at: NodeId, tools: &[Tool]) -> Option<usize> {
    let mut fields = reader.object(at)?;
    let kind = match fields.get(reader, "type") {
        Some(kind) => reader.text(kind)?.text,
        None => "function".to_owned(),
    };
    if kind != "function" {
        let of_type = |tool: &Tool| tool.built_in.as_deref() == Some(kind.as_str());
        let mut found = (0..tools.len()).filter(|&at| of_type(&tools[at]));
        let (first, other) = (found.next(), found.next());
        if first.is_none() || other.is_some() {
            let many = if other.is_some() { "several tools" } else { "no tool" };
            let text = format!("there is {many} of the type {kind:?} among the tools");
            let text = text.replace("is several", "are several");
            reader.error("structural-tag::unknown-tool", at, text, "name one of the tools");
            return None;
        }
        return first;
    }
    let mut fields = match fields.get(reader, "function") {
        Some(function) => reader.object(function)?,
        None => fields,
    };
    let name = fields.need_text(reader, "name")?;
    let is_named = |tool: &Tool| tool.built_in.is_none() && tool.name.text == name.text;
    let found = tools.iter().position(is_named);
    if found.is_none() {
        let names = || tools.iter().map(|tool| tool.name.text.as_str());
        let help = match nearest(&name.text, names()) {
            Some(known) => format!("did you mean `{known}`?"),
            None if tools.is_empty() => "list it in `tools`".to_owned(),
            None => format!("there are {}", names().collect::<Vec<_>>().join(", ")),
        };
        let text = format!("there is no function {:?} among the tools", name.text);
        reader.error("structural-tag::unknown-tool", name.at, text, &help);
    }
    found
}
