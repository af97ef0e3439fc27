//! Prepares the messages of a conversation for a chat template.

use grammarc_generate::backend::Chat;
use serde_json::{Map, Value, json};

use crate::app::App;
use crate::calls::INPUT;
use crate::error::ApiError;

/// Returns the conversation of a request. If the template does not mention tools, adds a message
/// that describes them. If `goes_on`, the last message becomes the start of the answer.
pub(crate) fn chat(
    app: &App,
    messages: Vec<Value>,
    goes_on: bool,
    tools: Vec<Value>,
    variables: Map<String, Value>,
) -> Result<Chat, ApiError> {
    if messages.is_empty() {
        return Err(ApiError::field("messages", "there is none"));
    }
    let ready = messages.into_iter().enumerate().map(|(at, message)| message_of(at, message));
    let mut messages = ready.collect::<Result<Vec<_>, _>>()?;
    let mut begun = String::new();
    if goes_on {
        let last = messages.pop().filter(|message| message["role"] == "assistant");
        let text = last.as_ref().and_then(|message| message["content"].as_str());
        let wrong = "the last message is no text of the assistant's, so none can go on";
        begun.push_str(text.ok_or_else(|| ApiError::field("continue_final_message", wrong))?);
    }
    if !tools.is_empty() && !app.backend.template_knows_tools() {
        messages.insert(0, json!({"role": "system", "content": about(&tools)}));
    }
    Ok(Chat { messages, tools, variables, begun })
}

/// Returns the text that describes tools to a model whose template does not.
fn about(tools: &[Value]) -> String {
    let mut text = "You can call functions. To call one, write <tool_call> and a JSON object with its name and its arguments. The functions are:".to_owned();
    for tool in tools {
        text.push('\n');
        text.push_str(&tool.to_string());
    }
    text
}

/// Converts a tool call to the form that templates expect: a call of a function, with its arguments
/// as an object.
fn call_of(call: &mut Value) {
    if let Some(custom) = call.get_mut("custom").map(Value::take) {
        let arguments = json!({INPUT: custom["input"]});
        call["type"] = json!("function");
        call["function"] = json!({"name": custom["name"], "arguments": arguments});
        return;
    }
    let Some(arguments) = call.pointer_mut("/function/arguments") else { return };
    let parsed = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
    if let Some(object @ Value::Object(_)) = parsed {
        *arguments = object;
    }
}

/// Converts the message with the index `at` to one whose content is a single text. Fails if the
/// message is malformed.
fn message_of(at: usize, message: Value) -> Result<Value, ApiError> {
    let path = format!("messages.{at}");
    let Value::Object(mut message) = message else {
        return Err(ApiError::field(path, "it is no object"));
    };
    if !message.get("role").is_some_and(Value::is_string) {
        return Err(ApiError::field(format!("{path}.role"), "it is missing"));
    }
    if let Some(Value::Array(calls)) = message.get_mut("tool_calls") {
        calls.iter_mut().for_each(call_of);
    }
    let content = message.entry("content").or_insert(Value::Null);
    *content = Value::String(text_of(&format!("{path}.content"), content.take())?);
    Ok(Value::Object(message))
}

/// Returns the text of a message's content, which is a text or a list of text parts. Empty without
/// content. Fails for other content.
pub(crate) fn text_of(path: &str, content: Value) -> Result<String, ApiError> {
    let parts = match content {
        Value::Null => return Ok(String::new()),
        Value::String(text) => return Ok(text),
        Value::Array(parts) => parts,
        _ => return Err(ApiError::field(path, "it is neither a string nor a list")),
    };
    let texts = parts.iter().enumerate().map(|(at, part)| {
        let text = part.get("text").or_else(|| part.get("refusal")).and_then(Value::as_str);
        text.ok_or_else(|| ApiError::field(format!("{path}.{at}"), "only parts of text are read"))
    });
    texts.collect()
}

/// Returns a call of a function as a message contains it. `arguments` is an object, or its JSON
/// text.
pub(crate) fn call(id: Value, name: Value, arguments: Value) -> Value {
    json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}})
}

/// Returns the message with the result of the tool call `id`.
pub(crate) fn result(id: Value, text: String) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": text})
}
