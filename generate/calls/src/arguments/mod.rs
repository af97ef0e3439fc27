//! Converts the arguments of tool calls from tags to JSON.
//!
//! ```text
//! <parameter=city>\nOslo\n</parameter>\n<parameter=days>\n3\n</parameter>   ─►   {"city":"Oslo","days":3}
//! ```
//!
//! The conversion reads the parts of an output: it converts arguments of calls, and passes on all
//! other parts. The compiler's tables contain the tag notation of each model family.
//! The notation does not say whether a text is a string or JSON, so the tool's schema decides. A
//! text is read as JSON (of another type than string) if the schema accepts the result, and
//! otherwise as a string. If the schema accepts both, `5` is the number, and `"5"` is a string of
//! three characters.
//!
//! A member is sent when its tag closes. A member that is a string by its notation or its schema is
//! sent while it comes. If the schema has keywords at its root that relate members (`anyOf` and the
//! like), all members are sent at the end of the call.
//!
//! Cost: linear in the text, plus one validation for each member.
//!
//! Tests: `tests.rs`; `tests/tests/suite/tool_walks.rs` for the masks of such calls.

mod elements;
mod literals;
mod reader;
#[cfg(test)]
mod tests;
mod types;

use std::sync::Arc;

use grammarc_compiler::frontend::structural_tag::{MemberStyle, member_style};
use grammarc_json::JsonSchema;
use serde_json::Value;

use crate::part::Part;

use self::reader::Reader;
use self::types::Types;

/// A tool whose calls are converted.
#[derive(Debug)]
struct Tool {
    name: String,
    types: Types,
    /// Whether the tool takes a plain text in place of arguments. Such a text is not converted.
    takes_text: bool,
}

/// The tools of a request, and the tag notation of their calls. Clones share the tools.
#[derive(Clone, Debug)]
pub struct TagArguments {
    style: Arc<MemberStyle>,
    tools: Arc<[Tool]>,
}

impl TagArguments {
    /// Creates the converter for tools, given as OpenAI's objects, whose calls are in the notation
    /// `style`. `None` if this notation writes arguments as JSON, so that nothing has to be
    /// converted.
    pub fn new(style: &str, tools: &[Value]) -> Option<Self> {
        let style = Arc::new(member_style(style)?.clone());
        let tools = tools.iter().filter_map(|tool| {
            let function = tool.get("function").unwrap_or(tool);
            let name = function.get("name")?.as_str()?.to_owned();
            let strict = function.get("strict").is_none_or(|strict| strict != false);
            let schema = function.get("parameters").filter(|_| strict).cloned();
            // A tool whose schema does not compile cannot be called.
            let schema = schema.and_then(|schema| JsonSchema::from_value(schema).ok());
            let inputs = ["input_grammar", "input_pattern"];
            let takes_text = inputs.iter().any(|input| function.get(input).is_some());
            Some(Tool { name, types: Types::new(schema), takes_text })
        });
        Some(Self { style, tools: tools.collect() })
    }

    /// Creates the conversion for one output.
    pub fn stage(&self) -> ArgumentsStage {
        ArgumentsStage { of: self.clone(), call: None }
    }
}

/// The conversion of one output's parts: arguments of calls become JSON.
#[derive(Debug)]
pub struct ArgumentsStage {
    of: TagArguments,
    /// The call in progress. `None` if there is none, or if its tool takes a plain text.
    call: Option<Call>,
}

#[derive(Debug)]
struct Call {
    index: u32,
    /// Index of the call's tool in the request. `None` for an unknown tool.
    tool: Option<usize>,
    reader: Reader,
}

impl ArgumentsStage {
    /// Converts one part, and adds the result to `parts`.
    pub fn push(&mut self, part: Part, parts: &mut Vec<Part>) {
        match part {
            Part::Arguments { index, delta } => {
                let Some(Call { tool, reader, .. }) = &mut self.call else {
                    return Part::Arguments { index, delta }.push(parts);
                };
                let types = tool.map(|tool| &self.of.tools[tool].types);
                let delta = reader.push(&delta, types);
                Part::Arguments { index, delta }.push(parts);
            }
            Part::Call { index, name } => {
                self.finish(parts);
                let tool = self.of.tools.iter().position(|tool| tool.name == name);
                let known = tool.map(|tool| &self.of.tools[tool]);
                let style = Arc::clone(&self.of.style);
                let reader = Reader::new(style, known.is_some_and(|tool| tool.types.depend()));
                self.call = Some(Call { index, tool, reader })
                    .filter(|_| !known.is_some_and(|tool| tool.takes_text));
                Part::Call { index, name }.push(parts);
            }
            Part::Reasoning(_) => part.push(parts),
            Part::Text(_) => {
                self.finish(parts);
                part.push(parts);
            }
        }
    }

    /// Ends the call in progress, and adds the rest of its JSON to `parts`. Do not call this for a
    /// truncated call, whose arguments are not complete.
    pub fn finish(&mut self, parts: &mut Vec<Part>) {
        let Some(Call { index, tool, reader }) = self.call.take() else { return };
        let types = tool.map(|tool| &self.of.tools[tool].types);
        let delta = reader.finish(types);
        Part::Arguments { index, delta }.push(parts);
    }
}
