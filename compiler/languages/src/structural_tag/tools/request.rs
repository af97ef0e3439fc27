//! Reads the `tools` shorthand: tools and options of a request to OpenAI's API.
//!
//! A tool has the form of chat completions (`{"type": "function", "function": {...}}`) or of responses (`{"type":
//! "function", "name": ...}`). A tool of another type is built into the model's host. A function may have
//! `input_grammar` or `input_pattern`, which replaces its arguments. Unknown keys of tools are ignored, except keys
//! that resemble known ones.

use crate::structural_tag::fields::{Fields, Reader};
use crate::structural_tag::format::Text;
use grammarc_grammar::suggest::nearest;
use grammarc_json_schema::document::{Json, NodeId};

use super::style::Style;

/// A request for tool calls, with the tools that may be called.
pub(super) struct Request {
    pub(super) at: NodeId,
    pub(super) style: &'static Style,
    pub(super) tools: Vec<Tool>,
    /// Whether calls of tools are allowed or required.
    pub(super) choice: Choice,
    /// The least number of calls, inclusive. `max` is the greatest; `None` if unbounded.
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    /// The place of the option `unique`, by which each tool may be called at most once. `None` if tools may be called
    /// again.
    pub(super) unique: Option<NodeId>,
    /// Whether text may come before the first call.
    pub(super) text_before: bool,
    pub(super) reasoning: Option<Reasoning>,
    pub(super) any_order: bool,
    pub(super) max_whitespace: Option<u32>,
}

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

/// A tool that the model may call.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    pub(super) name: Text,
    /// The type of a tool that is no function. `None` for a function.
    pub(super) built_in: Option<String>,
    /// The place of the schema of the arguments. `None` allows any object.
    pub(super) parameters: Option<NodeId>,
    /// A grammar or pattern whose text replaces the arguments. `None` if the arguments are an object.
    pub(super) input: Option<Input>,
}

/// What replaces the arguments of a tool: a text that is written without escapes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Input {
    /// A text of a grammar in XGrammar's notation. The grammar is the JSON string at this place.
    Grammar(NodeId),
    /// A text that a regular expression matches. The expression is the JSON string at this place.
    Pattern(NodeId),
}

/// Who writes the beginning of the reasoning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Open {
    /// The prompt already contains the beginning of the reasoning.
    Prefilled,
    /// The model writes the beginning of the reasoning.
    Written,
    /// The model writes the beginning of the reasoning, or does not reason.
    Optional,
}

/// The reasoning that precedes everything else in the output.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reasoning {
    pub(super) open: Open,
    pub(super) max_tokens: Option<NodeId>,
    pub(super) at: NodeId,
}

/// Reads a request: an object of type `tools`, whose members are `fields`. Errors are reported. Returns `None` if the
/// style or the choice of tools cannot be read.
pub(super) fn read(reader: &mut Reader<'_, '_>, fields: &mut Fields) -> Option<Request> {
    let at = fields.at;
    let style = fields.need(reader, "style").and_then(|at| style(reader, at));
    let list = fields.get(reader, "tools");
    let choice = fields.get(reader, "tool_choice");
    let (is_parallel, parallel_at) = (
        fields.flag(reader, "parallel_tool_calls", true),
        fields.get(reader, "parallel_tool_calls"),
    );
    let reasoning = fields.value(reader, "reasoning").and_then(|at| reasoning(reader, at));
    let calls = fields.get(reader, "calls").and_then(|at| calls(reader, at)).unwrap_or_default();
    let text_before = fields.get(reader, "text_before");
    let allows_text = fields.flag(reader, "text_before", true);
    let any_order = fields.flag(reader, "any_order", false);
    let max_whitespace = fields.count(reader, "max_whitespace_cnt").map(|(count, _)| count);
    let tools = list.map_or_else(Vec::new, |list| tools(reader, list));
    let style = style?;
    let (choice, tools) = match choice {
        Some(at) => chosen(reader, at, tools)?,
        None => (Choice::Auto, tools),
    };
    if let Some(tool) =
        tools.iter().find(|tool| tool.built_in.is_some() && style.built_in.is_empty())
    {
        let text = "calls of this style are of functions alone".to_owned();
        reader.error("structural-tag::built-in-tool", tool.name.at, text, "leave the tool out");
    }
    let is_forced = matches!(choice, Choice::Required | Choice::Named);
    if is_forced && tools.is_empty() {
        let at = list.unwrap_or(at);
        let text = "there is no tool to call, and a call is required".to_owned();
        reader.error(
            "structural-tag::no-tools",
            at,
            text,
            "list a tool, or have `tool_choice` be auto",
        );
    }
    if let Some(reasoning) = reasoning
        && style.reasoning.is_none()
        && style.messages.is_none()
    {
        let text = "models of this style write no reasoning apart from their text".to_owned();
        reader.error("structural-tag::no-reasoning", reasoning.at, text, "leave `reasoning` out");
    }
    let (mut min, mut max) = (calls.min.map_or(0, |(min, _)| min), calls.max.map(|(max, _)| max));
    if is_forced {
        min = min.max(1);
    }
    if !is_parallel {
        max = Some(max.map_or(1, |max| max.min(1)));
    }
    if choice == Choice::Named {
        max = Some(max.map_or(1, |max| max.min(1)));
    }
    if calls.unique.is_some() {
        let count = u32::try_from(tools.len()).unwrap_or(u32::MAX);
        max = Some(max.map_or(count, |max| max.min(count)));
    }
    if choice != Choice::None && max.is_some_and(|max| max < min) {
        let place = calls.min.map(|(_, at)| at).or(calls.max.map(|(_, at)| at)).or(parallel_at);
        let most = max.unwrap_or_default();
        let text = format!("at least {min} calls are asked for, and at most {most} can be made");
        let help = "`parallel_tool_calls`, `tool_choice` and `calls` bound them together";
        reader.error("structural-tag::range", place.unwrap_or(at), text, help);
    }
    let unique = calls.unique.filter(|_| max != Some(1));
    // A call of a named tool has no text around it, unless the request asks for text.
    let text_before = allows_text && (choice != Choice::Named || text_before.is_some());
    Some(Request {
        at,
        style,
        tools,
        choice,
        min,
        max,
        unique,
        text_before,
        reasoning,
        any_order,
        max_whitespace,
    })
}

fn style(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<&'static Style> {
    let name = reader.text(at)?.text;
    let style = Style::named(&name);
    if style.is_none() {
        let versions = Style::other_versions(&name);
        let help = match (&versions[..], nearest(&name, Style::names())) {
            // A model of another version often writes other calls, so suggesting a similar name could mislead.
            ([_, ..], _) => format!(
                "there is {}, and a model of another version may write calls otherwise: see what its chat template writes, and \
                 name a style that writes the same or write the tag with `triggered_tags`",
                versions.join(", ")
            ),
            ([], Some(known)) => format!("did you mean `{known}`?"),
            ([], None) => format!("there are {}", Style::names().collect::<Vec<_>>().join(", ")),
        };
        let text = format!("there is no style {name:?}");
        reader.error("structural-tag::unknown-style", at, text, &help);
    }
    style
}

/// Bounds on the number of calls, with their places. `None` if not given.
#[derive(Default)]
struct Calls {
    min: Option<(u32, NodeId)>,
    max: Option<(u32, NodeId)>,
    unique: Option<NodeId>,
}

fn calls(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Calls> {
    let mut fields = reader.object(at)?;
    let (min, max) = (fields.count(reader, "min"), fields.count(reader, "max"));
    let unique = fields.get(reader, "unique").filter(|_| fields.flag(reader, "unique", false));
    fields.finish(reader);
    Some(Calls { min, max, unique })
}

fn reasoning(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Reasoning> {
    match reader.document.json(at) {
        Json::Null | Json::Bool(false) => return None,
        Json::Bool(true) => return Some(Reasoning { open: Open::Prefilled, max_tokens: None, at }),
        _ => {}
    }
    let mut fields = reader.object(at)?;
    let open = match fields.get(reader, "open") {
        None => Open::Prefilled,
        Some(at) => match reader.text(at)?.text.as_str() {
            "prefilled" => Open::Prefilled,
            "written" => Open::Written,
            "optional" => Open::Optional,
            other => {
                let text = format!("there is no way to open reasoning that is called {other:?}");
                let help =
                    "there are prefilled (by the prompt), written (by the model) and optional";
                reader.error("structural-tag::unknown-value", at, text, help);
                return None;
            }
        },
    };
    let max_tokens = fields.count(reader, "max_tokens").map(|(_, at)| at);
    fields.finish(reader);
    Some(Reasoning { open, max_tokens, at })
}

fn tools(reader: &mut Reader<'_, '_>, list: NodeId) -> Vec<Tool> {
    let mut tools: Vec<Tool> = Vec::new();
    for item in reader.items(list) {
        let Some(tool) = tool(reader, item) else { continue };
        if let Some(other) = tools.iter().find(|other| other.name.text == tool.name.text) {
            let text = format!("there are two tools of the name {:?}", tool.name.text);
            let error = reader.document.error("structural-tag::duplicate-tool", tool.name.at, text);
            let error = error.with_label(reader.document.span(other.name.at), "the other one");
            reader.errors.push(error.with_help("a call has to say which of them it is of"));
            continue;
        }
        tools.push(tool);
    }
    tools
}

fn tool(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Tool> {
    let mut outer = reader.object(at)?;
    let kind = match outer.get(reader, "type") {
        Some(kind) => Some(reader.text(kind)?.text),
        None => None,
    };
    let is_function = kind.as_deref().is_none_or(|kind| kind == "function");
    let function = outer.get(reader, "function");
    let mut fields = match function.filter(|_| is_function) {
        Some(function) => reader.object(function)?,
        None => reader.object(at)?,
    };
    let known = [
        "type",
        "function",
        "name",
        "description",
        "parameters",
        "strict",
        "input_grammar",
        "input_pattern",
    ];
    misspelled(reader, fields.at, &known);
    let name = match fields.get(reader, "name") {
        Some(name) => reader.text(name)?,
        None if !is_function => Text { text: kind.clone()?, at },
        None => fields.need_text(reader, "name")?,
    };
    let is_odd = |c: char| c.is_control() || c.is_whitespace() || "\"\\<>{}'|".contains(c);
    if name.text.is_empty() || name.text.contains(is_odd) {
        let text = format!("{:?} cannot be the name of a tool", name.text);
        let help =
            "use letters, digits, `_`, `-` and `.`: a name stands between quotes and brackets";
        reader.error("structural-tag::tool-name", name.at, text, help);
        return None;
    }
    let is_strict = fields.flag(reader, "strict", true);
    let parameters = fields.get(reader, "parameters");
    if let Some(parameters) = parameters
        && !matches!(reader.document.json(parameters), Json::Object(_))
    {
        reader.wrong(parameters, "a schema, which is an object");
        return None;
    }
    let is_empty = |at: &NodeId| match reader.document.json(*at) {
        Json::Object(members) => members.iter().next().is_none(),
        _ => false,
    };
    let parameters = parameters.filter(|at| is_strict && !is_empty(at));
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
    let input = grammar.map(Input::Grammar).or(pattern.map(Input::Pattern));
    Some(Tool { name, built_in: kind.filter(|_| !is_function), parameters, input })
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

/// Reads `tool_choice`. Returns the choice, and the tools that may still be called. After an error, which is reported,
/// returns `None`.
fn chosen(
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
