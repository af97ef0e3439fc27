//! The objects of a response.

use grammarc_generate::output::Usage;
use grammarc_generate::{Finish, Output};
use serde_json::{Value, json};

use crate::calls::Calls;

/// The fields that a response begins with.
pub(super) struct Head {
    pub(super) number: u64,
    pub(super) created: u64,
    pub(super) model: String,
    pub(super) calls: Calls,
}

impl Head {
    /// The object of a response.
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
        json!({
            "id": format!("resp_{}", self.number),
            "object": "response",
            "created_at": self.created,
            "status": status,
            "error": null,
            "incomplete_details": incomplete.map(|_| json!({"reason": "max_output_tokens"})),
            "instructions": null,
            "metadata": {},
            "model": self.model,
            "output": output,
            "parallel_tool_calls": true,
            "temperature": null,
            "tool_choice": "auto",
            "tools": [],
            "top_p": null,
            "usage": usage,
        })
    }

    /// How a response with this end is.
    pub(super) fn status(finish: &Finish) -> &'static str {
        if finish.reason() == "length" { "incomplete" } else { "completed" }
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
        let number = self.number;
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

    /// A whole response.
    pub(super) fn whole(&self, output: &Output) -> Value {
        let status = Self::status(&output.finish);
        let mut items = Vec::new();
        if !output.reasoning.is_empty() {
            items.push(self.reasoning(&output.reasoning));
        }
        if !output.text.is_empty() || output.calls.is_empty() {
            items.push(self.message(status, Some(&output.text)));
        }
        let calls = (0..).zip(&output.calls);
        items.extend(
            calls.map(|(index, call)| self.call(status, index, &call.name, &call.arguments)),
        );
        self.object(status, items, Some((&output.finish, &output.usage)))
    }
}

/// A part of a message.
pub(super) fn part(text: &str) -> Value {
    json!({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
}
