//! Converts the conversation of a request to the form of chat completions, and checks its tools.

use serde_json::{Value, json};

use crate::calls::INPUT;
use crate::error::ApiError;
use crate::messages::{call, result, text_of};

/// Returns the messages for an input, which is a text or a list of items. `instructions` become the
/// system message. Fails for other inputs.
pub(super) fn messages(instructions: Option<String>, input: Value) -> Result<Vec<Value>, ApiError> {
    let mut messages: Vec<Value> =
        instructions.into_iter().map(|text| json!({"role": "system", "content": text})).collect();
    match input {
        Value::String(text) => messages.push(json!({"role": "user", "content": text})),
        Value::Array(items) => {
            for (at, item) in items.into_iter().enumerate() {
                add(&mut messages, at, item)?;
            }
        }
        _ => return Err(ApiError::field("input", "it is neither a string nor a list")),
    }
    Ok(messages)
}

fn add(messages: &mut Vec<Value>, at: usize, item: Value) -> Result<(), ApiError> {
    let place = format!("input.{at}");
    let Value::Object(mut item) = item else {
        return Err(ApiError::field(place, "it is no object"));
    };
    let mut take = |name: &str| item.remove(name).unwrap_or_default();
    let kind = take("type");
    match kind.as_str().unwrap_or("message") {
        "message" => {
            let role = match take("role") {
                Value::String(role) if role == "developer" => "system".to_owned(),
                Value::String(role) => role,
                _ => return Err(ApiError::field(place, "a message has a `role`")),
            };
            let content = text_of(&format!("{place}.content"), take("content"))?;
            messages.push(json!({"role": role, "content": content}));
        }
        "function_call" | "custom_tool_call" => {
            let arguments = match take("input") {
                Value::Null => take("arguments"),
                input => json!({INPUT: input}),
            };
            let call = call(take("call_id"), take("name"), arguments);
            // All calls of one turn belong to the same message.
            let last = messages.last_mut().and_then(|last| last.get_mut("tool_calls"));
            match last.and_then(Value::as_array_mut) {
                Some(calls) => calls.push(call),
                None => {
                    messages.push(json!({"role": "assistant", "content": "", "tool_calls": [call]}))
                }
            }
        }
        "function_call_output" | "custom_tool_call_output" => {
            let text = text_of(&format!("{place}.output"), take("output"))?;
            messages.push(result(take("call_id"), text));
        }
        // The reasoning of earlier turns is not shown to the model again.
        "reasoning" => {}
        other => {
            let message = format!("items of type `{other}` are not read here");
            return Err(ApiError::field(place, message));
        }
    }
    Ok(())
}

/// Fails if a tool is neither a function nor a custom tool. OpenAI itself runs such tools.
pub(super) fn refuse_tools_of_hosts(tools: &[Value]) -> Result<(), ApiError> {
    for (at, tool) in tools.iter().enumerate() {
        if let Some(kind) = tool.get("type")
            && kind != "function"
            && kind != "custom"
        {
            let message =
                format!("tools of type {kind} are not served here; describe them as functions");
            return Err(ApiError::field(format!("tools.{at}.type"), message));
        }
    }
    Ok(())
}
