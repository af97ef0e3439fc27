//! The events of a streamed message: its content blocks are opened, extended and closed one after
//! the other.

use grammarc_compiler::frontend::structural_tag::RefusedTool;
use grammarc_generate::Event;
use grammarc_generate::output::Usage;
use serde_json::{Value, json};

use super::reply::{End, Head, error_of, text, thinking, usage_of};
use crate::error::ApiError;
use crate::reply::listing_refused;
use crate::sse::{Framing, named};

/// The kind of the content block that is being streamed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Text,
    Thinking,
    Call,
}

/// Builds the server-sent events of one streamed message.
pub(super) struct Frames {
    head: Head,
    refused: Vec<RefusedTool>,
    open: Option<Open>,
    /// Index of the open content block, or of the next one if none is open.
    index: usize,
    calls: usize,
    /// How the calls of loosened tools violate their schemas.
    violations: Option<String>,
}

impl Frames {
    pub(super) fn new(head: Head, refused: Vec<RefusedTool>) -> Self {
        Self { head, refused, open: None, index: 0, calls: 0, violations: None }
    }

    /// Returns the frame for an event with the name `name`.
    fn frame(name: &str, mut value: Value) -> String {
        value["type"] = Value::from(name);
        named(name, &value)
    }

    /// Returns the frames that open a content block and close the previous one. Empty if a block of
    /// the same kind is already open. A tool call always opens a new block.
    fn open(&mut self, kind: Open, block: Value) -> String {
        if self.open == Some(kind) && kind != Open::Call {
            return String::new();
        }
        let mut frames = self.close();
        self.open = Some(kind);
        let start = json!({"index": self.index, "content_block": block});
        frames += &Self::frame("content_block_start", start);
        frames
    }

    fn close(&mut self) -> String {
        if self.open.take().is_none() {
            return String::new();
        }
        let frame = Self::frame("content_block_stop", json!({"index": self.index}));
        self.index += 1;
        frame
    }

    fn delta(&self, delta: Value) -> String {
        Self::frame("content_block_delta", json!({"index": self.index, "delta": delta}))
    }
}

impl Framing for Frames {
    fn begin(&mut self) -> String {
        let message = self.head.message(Vec::new(), None);
        Self::frame("message_start", json!({"message": message}))
    }

    fn event(&mut self, _: u32, event: Event) -> String {
        match event {
            Event::Text(delta) => {
                let frames = self.open(Open::Text, text(""));
                frames + &self.delta(json!({"type": "text_delta", "text": delta}))
            }
            Event::Reasoning(delta) => {
                let frames = self.open(Open::Thinking, thinking(""));
                frames + &self.delta(json!({"type": "thinking_delta", "thinking": delta}))
            }
            Event::Call { index, name } => {
                self.calls += 1;
                let call = self.head.call(index, &name, json!({}));
                self.open(Open::Call, call)
            }
            Event::Arguments { delta, .. } => {
                self.delta(json!({"type": "input_json_delta", "partial_json": delta}))
            }
            Event::Tokens(_) | Event::Changed(_) => String::new(),
            Event::Finished(finished) => {
                let mut frames = match self.index {
                    0 if self.open.is_none() => self.open(Open::Text, text("")),
                    _ => String::new(),
                };
                frames += &self.close();
                let calls = self.calls - usize::from(finished.cut_call.is_some());
                let usage = Usage { prompt_tokens: self.head.prompt_tokens, ..finished.usage };
                let violations = self.violations.as_deref();
                let end = End { finish: &finished.finish, calls, usage, violations };
                let delta = json!({"stop_reason": end.reason(), "stop_sequence": end.sequence()});
                let end =
                    json!({"delta": delta, "usage": usage_of(usage), "x_grammarc": end.own()});
                frames += &Self::frame("message_delta", listing_refused(end, &self.refused));
                frames + &Self::frame("message_stop", json!({}))
            }
        }
    }

    fn violations(&mut self, _: u32, violations: String) {
        self.violations = Some(violations);
    }

    fn end(&mut self) -> String {
        String::new()
    }

    fn error(&mut self, error: &ApiError) -> String {
        named("error", &error_of(error))
    }
}
