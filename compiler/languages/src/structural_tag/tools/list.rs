//! Reads lists of tools, in the forms of several protocols.
//!
//! | protocol | a tool |
//! | --- | --- |
//! | OpenAI, chat completions | `{"type": "function", "function": {"name", "parameters", "strict"}}` |
//! | OpenAI, responses | `{"type": "function", "name", "parameters", "strict"}` |
//! | Anthropic | `{"name", "input_schema", "strict"}` |
//! | MCP | `{"name", "inputSchema"}` |
//!
//! A list is an array of tools, or the result of MCP's `tools/list`, an object. A tool of another type is built into the
//! model's host. A function may have `input_grammar` or `input_pattern`, which replaces its arguments. Unknown keys are
//! ignored, except keys that resemble known ones.

use crate::structural_tag::fields::{Fields, Reader};
use crate::structural_tag::format::Text;
use crate::structural_tag::options::OnRefused;
use grammarc_grammar::suggest::nearest;
use grammarc_json_schema::document::{Document, Json, NodeId};

/// A tool that the model may call.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    /// The place of the tool in the list.
    pub(super) at: NodeId,
    pub(super) name: Text,
    /// The type of a tool that is no function. `None` for a function.
    pub(super) built_in: Option<String>,
    /// The place of the schema of the arguments. `None` allows any object.
    pub(super) parameters: Option<NodeId>,
    /// Whether the tool says `strict: true`, so that it is enforced whole or refused.
    pub(super) is_strict: bool,
    /// A grammar or pattern whose text replaces the arguments. `None` if the arguments are an object.
    pub(super) input: Option<Input>,
}

/// A text without escapes that replaces the arguments of a tool.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input {
    /// A text of a grammar in XGrammar's notation. The grammar is the JSON string at this place.
    Grammar(NodeId),
    /// A text that a regular expression matches. The expression is the JSON string at this place.
    Pattern(NodeId),
}

/// The keys of a tool that resemble others but are known: of the four protocols, and of ours.
const KNOWN: [&str; 16] = [
    "type",
    "function",
    "name",
    "description",
    "parameters",
    "strict",
    "input_grammar",
    "input_pattern",
    "input_schema",
    "input_examples",
    "cache_control",
    "inputSchema",
    "outputSchema",
    "title",
    "annotations",
    "_meta",
];

/// The keys of a tool that have the schema of its arguments, one for each protocol.
const SCHEMAS: [&str; 3] = ["parameters", "input_schema", "inputSchema"];

/// Reads a list of tools. Unless the whole request is refused for them, tools with errors of their own are left out, and
/// recorded as such.
pub(super) fn tools(reader: &mut Reader<'_, '_>, list: NodeId, on_refused: OnRefused) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for item in items(reader, list) {
        let Some(head) = Head::read(reader, item) else { continue };
        let name = head.name.clone();
        if let Some(other) = tools.iter().find(|other| other.name.text == name.text) {
            let text = format!("there are two tools of the name {:?}", name.text);
            let error = reader.document.error("structural-tag::duplicate-tool", name.at, text);
            let error = error.with_label(reader.document.span(other.name.at), "the other one");
            reader.errors.push(error.with_help("a call has to say which of them it is of"));
            continue;
        }
        let is_strict = head.is_strict(reader);
        let named =
            Tool { at: item, name, built_in: None, parameters: None, is_strict, input: None };
        if reader.left_out(item).is_some() {
            tools.push(named);
            continue;
        }
        let errors = reader.errors.len();
        let tool = head.tool(reader);
        let leaves_out = match on_refused {
            OnRefused::Request => false,
            OnRefused::Exclude => true,
            OnRefused::Loosen => !is_strict,
        };
        if leaves_out && reader.errors.len() > errors {
            let own = reader.errors.split_off(errors);
            reader.leave_out(item, &named.name.text, &own);
            tools.push(named);
        } else {
            tools.extend(tool);
        }
    }
    tools
}

/// Whether a document is a list of tools as a whole: an array, or an object with `tools` that names no format.
pub(super) fn is_list(document: &Document<'_>, at: NodeId) -> bool {
    let has = |key| document.get(at, key).is_some();
    match document.json(at) {
        Json::Array(_) => true,
        Json::Object(_) => has("tools") && !["type", "format", "style"].into_iter().any(has),
        _ => false,
    }
}

/// Returns the tools of a list: an array, or a result of MCP's `tools/list`. A result that is not the whole list is an
/// error.
fn items(reader: &mut Reader<'_, '_>, list: NodeId) -> Vec<NodeId> {
    if !matches!(reader.document.json(list), Json::Object(_)) {
        return reader.items(list);
    }
    misspelled(reader, list, &["tools", "nextCursor", "_meta"]);
    let Some(mut fields) = reader.object(list) else { return Vec::new() };
    let tools = fields.need(reader, "tools");
    if let Some(at) = fields.get(reader, "nextCursor") {
        let text = "the list is not whole: the server has more tools".to_owned();
        let help = "ask it for the rest with this cursor, and put all `tools` into one list";
        reader.error("structural-tag::partial-list", at, text, help);
    }
    tools.map_or_else(Vec::new, |tools| reader.items(tools))
}

/// The type and name of a tool, and the object that has the rest.
struct Head {
    item: NodeId,
    fields: Fields,
    /// The type of a tool that is no function. `None` for a function.
    built_in: Option<String>,
    name: Text,
}

impl Head {
    /// Reads the type and name of a tool. If they cannot be read, reports an error and returns `None`.
    fn read(reader: &mut Reader<'_, '_>, item: NodeId) -> Option<Self> {
        let mut outer = reader.object(item)?;
        let kind = match outer.get(reader, "type") {
            Some(kind) => Some(reader.text(kind)?.text),
            None => None,
        };
        // Anthropic's functions are of the type `custom`. OpenAI's custom tools have no schema.
        let has_schema = outer.get(reader, "input_schema").is_some();
        let is_function = |kind: &String| kind == "function" || kind == "custom" && has_schema;
        let built_in = kind.filter(|kind| !is_function(kind));
        let function = outer.get(reader, "function").filter(|_| built_in.is_none());
        let mut fields = reader.object(function.unwrap_or(item))?;
        let name = match (fields.get(reader, "name"), &built_in) {
            (Some(name), _) => reader.text(name)?,
            (None, Some(kind)) => Text { text: kind.clone(), at: item },
            (None, None) => fields.need_text(reader, "name")?,
        };
        Some(Self { item, fields, built_in, name })
    }

    /// Whether the tool says `strict: true`.
    fn is_strict(&self, reader: &Reader<'_, '_>) -> bool {
        let strict = reader.document.get(self.fields.at, "strict");
        strict.is_some_and(|value| matches!(reader.document.json(value), Json::Bool(true)))
    }

    /// Reads the rest of a tool. Returns `None` after an error, which is reported.
    fn tool(self, reader: &mut Reader<'_, '_>) -> Option<Tool> {
        let is_strict = self.is_strict(reader);
        let Self { item, mut fields, built_in, name } = self;
        misspelled(reader, fields.at, &KNOWN);
        let is_odd = |c: char| c.is_control() || c.is_whitespace() || "\"\\<>{}'|".contains(c);
        if name.text.is_empty() || name.text.contains(is_odd) {
            let text = format!("{:?} cannot be the name of a tool", name.text);
            let help =
                "use letters, digits, `_`, `-` and `.`: a name stands between quotes and brackets";
            reader.error("structural-tag::tool-name", name.at, text, help);
            return None;
        }
        let is_enforced = fields.flag(reader, "strict", true);
        let parameters = parameters(reader, &mut fields)?.filter(|_| is_enforced);
        let input = input(reader, &mut fields)?;
        Some(Tool { at: item, name, built_in, parameters, is_strict, input })
    }
}

/// Reads the schema of the arguments of a tool. Returns `Some(None)` if any object is allowed, and `None` after an error,
/// which is reported.
fn parameters(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Option<NodeId>> {
    let given = SCHEMAS.map(|key| fields.get(reader, key));
    let mut given = given.into_iter().flatten();
    let Some(schema) = given.next() else { return Some(None) };
    if let Some(other) = given.next() {
        let text = "the tool has a schema of its arguments already".to_owned();
        reader.error("structural-tag::two-schemas", other, text, "give one of them");
        return None;
    }
    match reader.document.json(schema) {
        Json::Object(members) => Some(members.iter().next().map(|_| schema)),
        _ => {
            reader.wrong(schema, "a schema, which is an object");
            None
        }
    }
}

/// Reads the grammar or pattern that replaces the arguments of a tool. Returns `Some(None)` if there is none, and `None`
/// after an error, which is reported.
fn input(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Option<Input>> {
    let grammar = fields.get(reader, "input_grammar");
    let pattern = fields.get(reader, "input_pattern");
    for at in [grammar, pattern].into_iter().flatten() {
        reader.text(at)?;
    }
    if let (Some(_), Some(at)) = (grammar, pattern) {
        let text = "the tool takes a text of a grammar already".to_owned();
        reader.error("structural-tag::two-inputs", at, text, "give one of them");
        return None;
    }
    Some(grammar.map(Input::Grammar).or(pattern.map(Input::Pattern)))
}

/// Reports an error for each unknown key that resembles a known one.
fn misspelled(reader: &mut Reader<'_, '_>, at: NodeId, known: &[&str]) {
    let Json::Object(members) = reader.document.json(at) else { return };
    let unknown = members.iter().filter(|(key, _)| !known.contains(key));
    let unknown: Vec<(String, NodeId)> =
        unknown.map(|(key, member)| (key.to_owned(), member.value)).collect();
    for (key, value) in unknown {
        if let Some(known) = nearest(&key, known.iter().copied()) {
            let (text, help) = (format!("unknown key `{key}`"), format!("did you mean `{known}`?"));
            reader.error("structural-tag::unknown-key", value, text, &help);
        }
    }
}
