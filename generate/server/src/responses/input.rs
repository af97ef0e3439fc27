//! The conversation and the tools of a request, converted to the form of chats.

use serde_json::{Map, Value, json};

use crate::error::ApiError;

/// Returns the messages of an input, which is a text or a list of items.
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
    let place = || format!("input.{at}");
    let Value::Object(mut item) = item else {
        return Err(ApiError::field(place(), "it is no object"));
    };
    let kind = item.get("type").and_then(Value::as_str).unwrap_or("message").to_owned();
    match kind.as_str() {
        "message" => {
            let role = match item.get("role").and_then(Value::as_str) {
                Some("developer") => "system".to_owned(),
                Some(role) => role.to_owned(),
                None => return Err(ApiError::field(place(), "a message has a `role`")),
            };
            let content = item.remove("content").unwrap_or_default();
            messages.push(json!({"role": role, "content": content}));
        }
        "function_call" | "custom_tool_call" => {
            let id = item.remove("call_id").unwrap_or_default();
            let name = item.remove("name");
            let call = match item.remove("input") {
                Some(input) => {
                    json!({"id": id, "type": "custom", "custom": {"name": name, "input": input}})
                }
                None => {
                    let function = json!({"name": name, "arguments": item.remove("arguments")});
                    json!({"id": id, "type": "function", "function": function})
                }
            };
            // Calls of one turn stand in one message.
            let last = messages.last_mut().and_then(Value::as_object_mut);
            match last.and_then(|last| last.get_mut("tool_calls")).and_then(Value::as_array_mut) {
                Some(calls) => calls.push(call),
                None => {
                    messages.push(json!({"role": "assistant", "content": "", "tool_calls": [call]}))
                }
            }
        }
        "function_call_output" | "custom_tool_call_output" => {
            let id = item.remove("call_id").unwrap_or_default();
            messages.push(
                json!({"role": "tool", "tool_call_id": id, "content": item.remove("output")}),
            );
        }
        // Reasoning of earlier turns is not shown to the model again.
        "reasoning" => {}
        other => {
            return Err(ApiError::field(
                place(),
                format!("items of type `{other}` are not read here"),
            ));
        }
    }
    Ok(())
}

/// Converts tools to the form of chats, in which the function is an object of its own.
pub(super) fn tools(tools: Vec<Value>) -> Result<Vec<Value>, ApiError> {
    let tools = tools.into_iter().enumerate().map(|(at, tool)| {
        let Value::Object(mut tool) = tool else {
            return Err(ApiError::field(format!("tools.{at}"), "it is no object"));
        };
        let kind = tool.remove("type").unwrap_or_default();
        if kind == "custom" {
            // The grammar is an object of its own in chats.
            if let Some(Value::Object(format)) = tool.get_mut("format")
                && format.get("type").is_some_and(|kind| kind == "grammar")
                && let (Some(syntax), Some(definition)) =
                    (format.shift_remove("syntax"), format.shift_remove("definition"))
            {
                let grammar = json!({"syntax": syntax, "definition": definition});
                format.insert("grammar".to_owned(), grammar);
            }
            return Ok(json!({"type": "custom", "custom": Value::Object(tool)}));
        }
        if kind != "function" {
            let message =
                format!("tools of type {kind} are not served here; describe them as functions");
            return Err(ApiError::field(format!("tools.{at}.type"), message));
        }
        Ok(json!({"type": "function", "function": Value::Object(tool)}))
    });
    tools.collect()
}

/// Converts the choice of a tool to the form of chats.
pub(super) fn tool_choice(choice: Value) -> Value {
    let Value::Object(mut choice) = choice else { return choice };
    if choice.get("type").is_some_and(|kind| kind == "function" || kind == "custom")
        && let Some(name) = choice.remove("name")
    {
        return json!({"type": "function", "function": {"name": name}});
    }
    let allowed = choice.get("type").is_some_and(|kind| kind == "allowed_tools");
    if let (true, Some(Value::Array(tools))) = (allowed, choice.remove("tools")) {
        let tools = tools.into_iter().map(|tool| {
            let name = tool.get("name").cloned().unwrap_or_default();
            json!({"type": "function", "function": {"name": name}})
        });
        let tools: Vec<Value> = tools.collect();
        let mode = choice.remove("mode").unwrap_or_else(|| json!("auto"));
        return json!({"type": "allowed_tools", "allowed_tools": {"mode": mode, "tools": tools}});
    }
    Value::Object(choice.into_iter().collect::<Map<_, _>>())
}
