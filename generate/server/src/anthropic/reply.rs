//! Converts an output to a message of Anthropic's protocol.

use axum::body::Body;
use axum::response::{IntoResponse, Response};
use grammarc_generate::Finish;
use grammarc_generate::output::Usage;
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::sse::Whole;

/// The fields with which a message begins.
pub(super) struct Head {
    pub(super) number: String,
    pub(super) model: String,
    pub(super) prompt_tokens: usize,
}

impl Head {
    /// Returns a message with these content blocks. `end` is `None` for a message that has just
    /// begun.
    pub(super) fn message(&self, content: Vec<Value>, end: Option<End<'_>>) -> Value {
        let usage = end.as_ref().map_or_else(Usage::default, |end| end.usage);
        let usage = Usage { prompt_tokens: self.prompt_tokens, ..usage };
        let mut message = json!({
            "id": format!("msg_{}", self.number),
            "type": "message",
            "role": "assistant",
            "model": self.model,
            "content": content,
            "stop_reason": null,
            "stop_sequence": null,
            "usage": usage_of(usage),
        });
        if let Some(end) = end {
            message["stop_reason"] = json!(end.reason());
            message["stop_sequence"] = json!(end.sequence());
            message["x_grammarc"] = end.own();
        }
        message
    }

    /// Returns the content block of a tool call.
    pub(super) fn call(&self, index: u32, name: &str, input: Value) -> Value {
        let id = format!("toolu_{}_{index}", self.number);
        json!({"type": "tool_use", "id": id, "name": name, "input": input})
    }

    /// Returns the complete message for an output. A truncated call is left out.
    pub(super) fn whole(&self, Whole { output, violations }: &Whole) -> Value {
        let mut content = Vec::new();
        if !output.reasoning.is_empty() {
            content.push(thinking(&output.reasoning));
        }
        if !output.text.trim().is_empty() || output.calls.is_empty() {
            content.push(text(&output.text));
        }
        content.extend((0..).zip(&output.calls).map(|(index, call)| {
            // The grammar guarantees that the arguments are an object.
            let input = serde_json::from_str(&call.arguments).unwrap_or_else(|_| json!({}));
            self.call(index, &call.name, input)
        }));
        let violations = violations.as_deref();
        let (calls, usage) = (output.calls.len(), output.usage);
        let end = End { finish: &output.finish, calls, usage, violations };
        self.message(content, Some(end))
    }
}

/// How an output ended: the reason, its number of complete calls, and its usage.
pub(super) struct End<'a> {
    pub(super) finish: &'a Finish,
    /// Number of complete tool calls.
    pub(super) calls: usize,
    pub(super) usage: Usage,
    /// How the calls of loosened tools violate their schemas.
    pub(super) violations: Option<&'a str>,
}

impl End<'_> {
    /// Returns the `stop_reason` of Anthropic's protocol. A truncated call does not count as tool
    /// use.
    pub(super) fn reason(&self) -> &'static str {
        match self.finish {
            Finish::StopString(_) => "stop_sequence",
            finish if finish.reason() != "stop" => "max_tokens",
            _ if self.calls > 0 => "tool_use",
            _ => "end_turn",
        }
    }

    /// Returns the stop string that ended the output. `None` if it ended otherwise.
    pub(super) fn sequence(&self) -> Option<&str> {
        match self.finish {
            Finish::StopString(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the facts about the end for which the protocol has no field.
    pub(super) fn own(&self) -> Value {
        let mut own = json!({
            "finish": self.finish.detail().unwrap_or_else(|| self.finish.reason()),
            "closed": *self.finish == Finish::Length { closed: true },
        });
        if let Some(violations) = self.violations {
            own["violations"] = json!(violations);
        }
        own
    }
}

/// Returns the usage object of an output.
pub(super) fn usage_of(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.prompt_tokens,
        "output_tokens": usage.completion_tokens,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "x_forced_tokens": usage.forced_tokens,
        "x_model_calls": usage.model_calls,
    })
}

pub(super) fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

pub(super) fn thinking(text: &str) -> Value {
    json!({"type": "thinking", "thinking": text, "signature": ""})
}

/// Returns an error in Anthropic's form. The type of the error follows from its status.
pub(super) fn error_of(error: &ApiError) -> Value {
    let kind = match error.status().as_u16() {
        401 => "authentication_error",
        403 => "permission_error",
        404 => "not_found_error",
        413 => "request_too_large",
        429 => "rate_limit_error",
        503 => "overloaded_error",
        504 => "timeout_error",
        500..=599 => "api_error",
        _ => "invalid_request_error",
    };
    let mut body = error.to_json();
    body["type"] = json!("error");
    body["error"]["type"] = json!(kind);
    body
}

/// Returns the response for an error.
pub(super) fn error(error: &ApiError) -> Response {
    let mut response = error.clone().into_response();
    *response.body_mut() = Body::from(error_of(error).to_string());
    response
}
