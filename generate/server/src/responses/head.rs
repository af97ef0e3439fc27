//! The JSON objects of a response.

use grammarc_generate::output::Usage;
use grammarc_generate::{Finish, GenerateParams};
use serde_json::{Map, Value, json};

use crate::calls::Calls;
use crate::fields::Fields;
use crate::reply;
use crate::sse::Whole;

/// The fields with which a response begins.
pub(super) struct Head {
    pub(super) number: String,
    pub(super) created: u64,
    pub(super) model: String,
    pub(super) calls: Calls,
    /// The fields of the request that the response repeats.
    pub(super) repeated: Map<String, Value>,
}

/// Returns the fields of a request that its response repeats. An absent field gets its default
/// value.
pub(super) fn repeated(fields: &Fields) -> Map<String, Value> {
    let all = [
        ("instructions", Value::Null),
        ("max_output_tokens", Value::Null),
        ("metadata", json!({})),
        ("parallel_tool_calls", json!(true)),
        ("temperature", json!(GenerateParams::default().temperature)),
        ("text", json!({"format": {"type": "text"}})),
        ("tool_choice", json!("auto")),
        ("tools", json!([])),
        ("top_p", json!(GenerateParams::default().top_p)),
    ];
    let given = all.map(|(name, otherwise)| {
        (name.to_owned(), fields.peek(name).cloned().unwrap_or(otherwise))
    });
    given.into_iter().collect()
}

impl Head {
    /// Returns the object of a response. `end` is `None` while the response is in progress.
    pub(super) fn object(
        &self,
        status: &str,
        output: Vec<Value>,
        end: Option<(&Finish, &Usage)>,
    ) -> Value {
        let incomplete = end.filter(|_| status == "incomplete");
        let usage = end.map(|(_, usage)| {
            json!({
                "input_tokens": usage.prompt_tokens,
                "input_tokens_details": {"cached_tokens": 0},
                "output_tokens": usage.completion_tokens,
                "output_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
                "total_tokens": usage.prompt_tokens + usage.completion_tokens,
                "x_forced_tokens": usage.forced_tokens,
                "x_model_calls": usage.model_calls,
            })
        });
        let reason = match end {
            Some((Finish::Deadline, _)) => "deadline",
            _ => "max_output_tokens",
        };
        let mut response = json!({
            "id": format!("resp_{}", self.number),
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": null,
            "incomplete_details": incomplete.map(|_| json!({"reason": reason})),
            "model": self.model,
            "output": output,
            "usage": usage,
        });
        if let Some(response) = response.as_object_mut() {
            response.extend(self.repeated.clone());
        }
        response
    }

    /// Returns the status of a response whose output ended for this reason.
    pub(super) fn status(finish: &Finish) -> &'static str {
        if finish.reason() == "stop" { "completed" } else { "incomplete" }
    }

    pub(super) fn reasoning(&self, text: &str) -> Value {
        json!({"id": format!("rs_{}", self.number), "type": "reasoning", "summary": [],
            "content": [{"type": "reasoning_text", "text": text}]})
    }

    pub(super) fn message(&self, status: &str, text: Option<&str>) -> Value {
        let content: Vec<Value> = text.map(part).into_iter().collect();
        json!({"id": format!("msg_{}", self.number), "type": "message", "role": "assistant", "status": status, "content": content})
    }

    pub(super) fn call(&self, status: &str, index: u32, name: &str, text: &str) -> Value {
        let number = &self.number;
        let mut call = match self.calls.is_custom(name) {
            true => {
                json!({"id": format!("ctc_{number}_{index}"), "type": "custom_tool_call", "input": text})
            }
            false => {
                json!({"id": format!("fc_{number}_{index}"), "type": "function_call", "arguments": text})
            }
        };
        call["status"] = Value::from(status);
        call["call_id"] = Value::from(format!("call_{number}_{index}"));
        call["name"] = Value::from(name);
        call
    }

    /// Returns the complete response for an output.
    pub(super) fn whole(&self, Whole { output, violations }: &Whole) -> Value {
        let status = Self::status(&output.finish);
        let mut items = Vec::new();
        if !output.reasoning.is_empty() {
            items.push(self.reasoning(&output.reasoning));
        }
        let has_calls = !output.calls.is_empty() || output.cut_call.is_some();
        if !output.text.is_empty() || !has_calls {
            let status = if has_calls { "completed" } else { status };
            items.push(self.message(status, Some(&output.text)));
        }
        let calls = (0..).zip(&output.calls);
        items.extend(
            calls.map(|(index, call)| self.call("completed", index, &call.name, &call.arguments)),
        );
        if let Some(call) = &output.cut_call {
            let index = output.calls.len() as u32;
            items.push(self.call(status, index, &call.name, &call.arguments));
        }
        let whole = self.object(status, items, Some((&output.finish, &output.usage)));
        with_own(whole, violations.clone())
    }
}

/// Adds how calls of loosened tools violate their schemas to a response, if they do.
pub(super) fn with_own(mut response: Value, violations: Option<String>) -> Value {
    if let Some(own) = reply::with_violations(None, violations) {
        response["x_grammarc"] = own;
    }
    response
}

/// Returns the text part of a message.
pub(super) fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}
