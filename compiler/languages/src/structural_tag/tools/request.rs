//! Reads the `tools` shorthand: tools and options of a request to OpenAI's API. A list of tools alone is a request
//! without options.

use crate::structural_tag::fields::{Fields, Reader};
use crate::structural_tag::options::OnRefused;
use crate::structural_tag::suffix;
use grammarc_grammar::suggest::nearest;
use grammarc_json_schema::document::{Json, NodeId};

use super::choice::{Choice, chosen};
use super::list::{self, Tool};
use super::style::Style;

/// A request for tool calls, with the tools that may be called.
pub(super) struct Request {
    pub(super) at: NodeId,
    pub(super) style: &'static Style,
    /// The suffix of the vocabulary's markers, or an empty text.
    pub(super) suffix: String,
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
    /// What is refused if a tool does not compile.
    pub(super) on_refused: OnRefused,
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
    let style_at = fields.get(reader, "style");
    let style = match style_at {
        Some(at) => style(reader, at),
        None => default_style(reader, at),
    };
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
    let on_refused = match fields.get(reader, "on_refused") {
        Some(at) => read_on_refused(reader, at)?,
        None => reader.options.on_refused,
    };
    let tools = list.map_or_else(Vec::new, |list| list::tools(reader, list, on_refused));
    let style = style?;
    let suffix = suffix(reader, style, style_at.unwrap_or(at))?;
    let (choice, mut tools) = match choice {
        Some(at) => chosen(reader, at, tools)?,
        None => (Choice::Auto, tools),
    };
    let is_forced = matches!(choice, Choice::Required | Choice::Named);
    if is_forced {
        check_callable(reader, list.unwrap_or(at), &tools);
    }
    tools.retain(|tool| reader.left_out(tool.at).is_none());
    check_built_in(reader, style, &tools);
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
        suffix,
        tools,
        choice,
        min,
        max,
        unique,
        text_before,
        reasoning,
        any_order,
        max_whitespace,
        on_refused,
    })
}

/// Reads a list of tools that is a whole document, as a request without options. Errors are reported. Returns `None` if
/// the options name no style.
pub(super) fn of_list(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<Request> {
    let style = default_style(reader, at)?;
    let suffix = suffix(reader, style, at)?;
    let on_refused = reader.options.on_refused;
    let mut tools = list::tools(reader, at, on_refused);
    tools.retain(|tool| reader.left_out(tool.at).is_none());
    check_built_in(reader, style, &tools);
    Some(Request {
        at,
        style,
        suffix,
        tools,
        choice: Choice::Auto,
        min: 0,
        max: None,
        unique: None,
        text_before: true,
        reasoning: None,
        any_order: false,
        max_whitespace: None,
        on_refused,
    })
}

/// Reports an error if a call is required and all tools that may be called are left out, or there are none.
fn check_callable(reader: &mut Reader<'_, '_>, at: NodeId, tools: &[Tool]) {
    let left_out: Vec<_> = tools.iter().filter_map(|tool| reader.left_out(tool.at)).collect();
    if left_out.len() < tools.len() {
        return;
    }
    let (text, help) = match left_out.first() {
        None => (
            "there is no tool to call, and a call is required",
            "list a tool, or have `tool_choice` be auto".to_owned(),
        ),
        Some(first) => {
            ("no tool that may be called compiles, and a call is required", first.help())
        }
    };
    reader.error("structural-tag::no-tools", at, text.to_owned(), &help);
}

/// Reports an error if a tool is no function, and the style has no calls of such tools.
fn check_built_in(reader: &mut Reader<'_, '_>, style: &Style, tools: &[Tool]) {
    let built_in = tools.iter().find(|tool| tool.built_in.is_some());
    if let Some(tool) = built_in.filter(|_| style.built_in.is_empty()) {
        let text = "calls of this style are of functions alone".to_owned();
        reader.error("structural-tag::built-in-tool", tool.name.at, text, "leave the tool out");
    }
}

fn read_on_refused(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<OnRefused> {
    let text = reader.text(at)?.text;
    let known = OnRefused::NAMED.into_iter().find(|(name, _)| *name == text);
    if known.is_none() {
        let text =
            format!("{text:?} is nothing that can be done with a tool that does not compile");
        let help = "there are request (refuse it whole), exclude (leave the tool out) and loosen (enforce what compiles)";
        reader.error("structural-tag::unknown-value", at, text, help);
    }
    known.map(|(_, value)| value)
}

/// Returns the style that the options name. Without one, reports an error at `at` and returns `None`.
fn default_style(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<&'static Style> {
    let Some(name) = reader.options.style.clone() else {
        let text = "`style` is missing".to_owned();
        let help = "name the form of calls in `style`, or by the option `style` (`--style`)";
        reader.error("structural-tag::missing", at, text, help);
        return None;
    };
    named_style(reader, at, &name)
}

fn style(reader: &mut Reader<'_, '_>, at: NodeId) -> Option<&'static Style> {
    let name = reader.text(at)?.text;
    named_style(reader, at, &name)
}

/// Returns the style of a name. If there is none, reports an error at `at` and returns `None`.
fn named_style(reader: &mut Reader<'_, '_>, at: NodeId, name: &str) -> Option<&'static Style> {
    let style = Style::named(name);
    if style.is_none() {
        let versions = Style::other_versions(name);
        let help = match (&versions[..], nearest(name, Style::names())) {
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

/// Returns the suffix of the vocabulary's markers in a style. If there are several, reports an error at `at` and returns
/// `None`.
fn suffix(reader: &mut Reader<'_, '_>, style: &Style, at: NodeId) -> Option<String> {
    let marker = style.suffix.as_deref().unwrap_or_default();
    let found = suffix::of(marker, reader.controls);
    let many = match found {
        Ok(suffix) => return Some(suffix),
        Err(many) => many,
    };
    let markers: Vec<String> = many.iter().map(|one| suffix::with(one, marker)).collect();
    let text = format!("the vocabulary has several of one marker: {}", markers.join(", "));
    let help = "write the tag with `triggered_tags`, with the markers of the model";
    reader.error("structural-tag::suffixes", at, text, help);
    None
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
