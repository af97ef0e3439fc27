//! Converts the arguments of calls from tags to JSON.
//!
//! ```text
//! <parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>   ─►   {"city":"Oslo","days":3}
//! ```
//!
//! A stage over the events of an output: it converts those of calls and passes on all others. The compiler's tables have the
//! notation of each model family. The notation does not say whether a text is a string or JSON; the tool's schema decides. A
//! value is read as JSON of another type if the schema accepts that, and else as text. If the schema accepts both, `5` is the
//! number, and `"5"` three characters.
//!
//! Members are sent one by one as they close. Members that depend on each other (by `anyOf` and the like at the root of the
//! schema) are sent together at the end of the call.
//!
//! Cost: linear in the text, plus a validation of each member.
//!
//! Tests: `tests.rs`; `tests/tests/suite/tool_walks.rs` for the masks of such calls.

mod reader;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use grammarc_compiler::frontend::structural_tag::{MemberStyle, member_style};
use grammarc_json::JsonSchema;
use serde_json::Value;

use crate::output::Event;

use self::reader::Reader;
use self::types::Types;

/// A tool whose calls are read.
#[derive(Debug)]
struct Tool {
    name: String,
    types: Types,
    /// Whether its calls have a text in place of arguments. The text is not converted.
    takes_text: bool,
}

/// The tools of a request and the style of their calls. A clone is the same.
#[derive(Clone, Debug)]
pub struct TagArguments {
    style: &'static MemberStyle,
    tools: Arc<[Tool]>,
}

impl TagArguments {
    /// Returns the tools, given as OpenAI's objects, in a style of calls. `None` if the style writes arguments as
    /// JSON.
    pub fn new(style: &str, tools: &[Value]) -> Option<Self> {
        let style = member_style(style)?;
        let tools = tools.iter().filter_map(|tool| {
            let function = tool.get("function").unwrap_or(tool);
            let name = function.get("name")?.as_str()?.to_owned();
            let strict = function.get("strict").is_none_or(|strict| strict != false);
            let schema = function.get("parameters").filter(|_| strict).cloned();
            // A schema that does not compile has no calls.
            let schema = schema.and_then(|schema| JsonSchema::from_value(schema).ok());
            let inputs = ["input_grammar", "input_pattern"];
            let takes_text = inputs.iter().any(|input| function.get(input).is_some());
            Some(Tool { name, types: Types::new(schema), takes_text })
        });
        Some(Self { style, tools: tools.collect() })
    }

    /// Returns the stage for one output.
    pub fn stage(&self) -> ArgumentsStage {
        ArgumentsStage { of: self.clone(), call: None }
    }
}

/// The events of one output with arguments as JSON.
#[derive(Debug)]
pub struct ArgumentsStage {
    of: TagArguments,
    /// The open call, unless it has a text in place of arguments.
    call: Option<Call>,
}

#[derive(Debug)]
struct Call {
    index: u32,
    /// Its tool, if it is one of the request's.
    tool: Option<usize>,
    reader: Reader,
}

impl ArgumentsStage {
    /// Converts one event.
    pub fn events(&mut self, event: Event) -> Vec<Event> {
        match event {
            Event::Arguments { index, delta } => {
                let Some(Call { tool, reader, .. }) = &mut self.call else {
                    return vec![Event::Arguments { index, delta }];
                };
                let types = tool.map(|tool| &self.of.tools[tool].types);
                let json = reader.push(&delta, types);
                arguments(index, json).into_iter().collect()
            }
            Event::Call { index, name } => {
                let mut events: Vec<Event> = self.end().into_iter().collect();
                let tool = self.of.tools.iter().position(|tool| tool.name == name);
                let known = tool.map(|tool| &self.of.tools[tool]);
                let reader =
                    Reader::new(self.of.style, known.is_some_and(|tool| tool.types.depend()));
                self.call = Some(Call { index, tool, reader })
                    .filter(|_| !known.is_some_and(|tool| tool.takes_text));
                events.push(Event::Call { index, name });
                events
            }
            // A call that was cut has no end.
            Event::Finished(end) if end.finish.is_cut() => vec![Event::Finished(end)],
            Event::Tokens(_) | Event::Reasoning(_) | Event::Changed(_) => vec![event],
            Event::Text(_) | Event::Finished(_) => self.end().into_iter().chain([event]).collect(),
        }
    }

    /// Returns the end of the open call's arguments.
    fn end(&mut self) -> Option<Event> {
        let Call { index, tool, reader } = self.call.take()?;
        let types = tool.map(|tool| &self.of.tools[tool].types);
        arguments(index, reader.finish(types))
    }
}

fn arguments(index: u32, delta: String) -> Option<Event> {
    (!delta.is_empty()).then_some(Event::Arguments { index, delta })
}
