//! The events of a streamed response: its items are opened, extended and closed one after the
//! other.

use grammarc_compiler::frontend::structural_tag::RefusedTool;
use grammarc_generate::Event;
use serde_json::{Value, json};

use super::head::{Head, part, with_own};
use crate::error::ApiError;
use crate::reply::listing_refused;
use crate::sse::{Framing, named};

/// The item of the response that is being streamed.
enum Open {
    Reasoning(String),
    Message(String),
    Call { index: u32, name: String, arguments: String },
}

/// Builds the server-sent events of one streamed response.
pub(super) struct Frames {
    head: Head,
    refused: Vec<RefusedTool>,
    /// Number of the next event.
    sequence: u64,
    /// The items that are complete.
    done: Vec<Value>,
    open: Option<Open>,
    /// How the calls of loosened tools violate their schemas.
    violations: Option<String>,
}

impl Frames {
    pub(super) fn new(head: Head, refused: Vec<RefusedTool>) -> Self {
        Self { head, refused, sequence: 0, done: Vec::new(), open: None, violations: None }
    }

    /// Returns the frame for an event, with its sequence number.
    fn frame(&mut self, name: &str, mut value: Value) -> String {
        value["type"] = Value::from(name);
        value["sequence_number"] = Value::from(self.sequence);
        self.sequence += 1;
        named(name, &value)
    }

    /// Returns the frame for an event that concerns the open item.
    fn about(&mut self, name: &str, item_id: &Value, mut value: Value) -> String {
        value["item_id"] = item_id.clone();
        value["output_index"] = Value::from(self.done.len());
        self.frame(name, value)
    }

    fn item(&self, open: &Open, status: &str) -> Value {
        match open {
            Open::Reasoning(text) => self.head.reasoning(text),
            Open::Message(text) => {
                self.head.message(status, (status != "in_progress").then_some(text))
            }
            Open::Call { index, name, arguments } => {
                self.head.call(status, *index, name, arguments)
            }
        }
    }

    fn begin_item(&mut self, open: Open) -> String {
        let item = self.item(&open, "in_progress");
        let id = item["id"].clone();
        let index = self.done.len();
        let mut frames =
            self.frame("response.output_item.added", json!({"output_index": index, "item": item}));
        if matches!(open, Open::Message(_)) {
            frames += &self.about(
                "response.content_part.added",
                &id,
                json!({"content_index": 0, "part": part("")}),
            );
        }
        self.open = Some(open);
        frames
    }

    fn end_item(&mut self, status: &str) -> String {
        let Some(open) = self.open.take() else { return String::new() };
        let item = self.item(&open, status);
        let id = item["id"].clone();
        let mut frames = String::new();
        match &open {
            Open::Message(text) => {
                let whole = json!({"content_index": 0, "text": text, "logprobs": []});
                frames += &self.about("response.output_text.done", &id, whole);
                frames += &self.about(
                    "response.content_part.done",
                    &id,
                    json!({"content_index": 0, "part": part(text)}),
                );
            }
            Open::Call { name, arguments, .. } if self.head.calls.is_custom(name) => {
                let whole = json!({"input": arguments});
                frames += &self.about("response.custom_tool_call_input.done", &id, whole);
            }
            Open::Call { name, arguments, .. } => {
                let whole = json!({"name": name, "arguments": arguments});
                frames += &self.about("response.function_call_arguments.done", &id, whole);
            }
            Open::Reasoning(text) => {
                frames += &self.about(
                    "response.reasoning_text.done",
                    &id,
                    json!({"content_index": 0, "text": text}),
                );
            }
        }
        let index = self.done.len();
        frames +=
            &self.frame("response.output_item.done", json!({"output_index": index, "item": item}));
        self.done.push(item);
        frames
    }

    /// Returns the id of the open item. Null if no item is open.
    fn id(&self) -> Value {
        self.open.as_ref().map_or(Value::Null, |open| self.item(open, "in_progress")["id"].clone())
    }
}

impl Framing for Frames {
    fn begin(&mut self) -> String {
        let response = self.head.object("in_progress", Vec::new(), None);
        let mut frames = self.frame("response.created", json!({"response": response}));
        frames += &self.frame("response.in_progress", json!({"response": response}));
        frames
    }

    fn event(&mut self, _: u32, event: Event) -> String {
        let mut frames = String::new();
        match event {
            Event::Text(delta) => {
                if !matches!(self.open, Some(Open::Message(_))) {
                    frames += &self.end_item("completed");
                    frames += &self.begin_item(Open::Message(String::new()));
                }
                let id = self.id();
                if let Some(Open::Message(text)) = &mut self.open {
                    text.push_str(&delta);
                }
                let delta = json!({"content_index": 0, "delta": delta, "logprobs": []});
                frames += &self.about("response.output_text.delta", &id, delta);
            }
            Event::Reasoning(delta) => {
                if !matches!(self.open, Some(Open::Reasoning(_))) {
                    frames += &self.end_item("completed");
                    frames += &self.begin_item(Open::Reasoning(String::new()));
                }
                let id = self.id();
                if let Some(Open::Reasoning(text)) = &mut self.open {
                    text.push_str(&delta);
                }
                frames += &self.about(
                    "response.reasoning_text.delta",
                    &id,
                    json!({"content_index": 0, "delta": delta}),
                );
            }
            Event::Call { index, name } => {
                frames += &self.end_item("completed");
                frames += &self.begin_item(Open::Call { index, name, arguments: String::new() });
            }
            Event::Arguments { delta, .. } => {
                let id = self.id();
                let mut name = "response.function_call_arguments.delta";
                if let Some(Open::Call { name: tool, arguments, .. }) = &mut self.open {
                    arguments.push_str(&delta);
                    if self.head.calls.is_custom(tool) {
                        name = "response.custom_tool_call_input.delta";
                    }
                }
                frames += &self.about(name, &id, json!({"delta": delta}));
            }
            Event::Tokens(_) | Event::Changed(_) => {}
            Event::Finished(finished) => {
                let status = Head::status(&finished.finish);
                if self.done.is_empty() && self.open.is_none() {
                    frames += &self.begin_item(Open::Message(String::new()));
                }
                // A complete tool call is completed even if the output is truncated after it.
                let is_whole =
                    matches!(self.open, Some(Open::Call { .. })) && finished.cut_call.is_none();
                frames += &self.end_item(if is_whole { "completed" } else { status });
                let end = Some((&finished.finish, &finished.usage));
                let response = self.head.object(status, self.done.clone(), end);
                let response = with_own(response, self.violations.take());
                let response = listing_refused(response, &self.refused);
                frames += &self.frame(&format!("response.{status}"), json!({"response": response}));
            }
        }
        frames
    }

    fn violations(&mut self, _: u32, violations: String) {
        self.violations = Some(violations);
    }

    fn end(&mut self) -> String {
        String::new()
    }

    fn error(&mut self, error: &ApiError) -> String {
        let error = error.to_json();
        let error = json!({"code": error["error"]["code"], "message": error["error"]["message"], "param": error["error"]["param"]});
        self.frame("error", error)
    }
}
