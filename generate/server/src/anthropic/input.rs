//! Converts conversations and tools of Anthropic's protocol to the form of chat completions.

use serde_json::{Map, Value, json};

use crate::error::ApiError;
use crate::fields::Fields;
use crate::messages::{call, result, text_of};

/// Converts messages to the form of chat completions. Each tool result becomes a message of its
/// own. Fails if a message is malformed.
pub(super) fn messages(
    system: Option<Value>,
    messages: Vec<Value>,
) -> Result<Vec<Value>, ApiError> {
    let mut all = Vec::new();
    if let Some(system) = system {
        all.push(json!({"role": "system", "content": text_of("system", system)?}));
    }
    for (at, message) in messages.into_iter().enumerate() {
        let path = format!("messages.{at}");
        let mut fields = Fields::of(&path, message)?;
        let words = [("user", "user"), ("assistant", "assistant")];
        let role = fields.word("role", &words, "it is neither `user` nor `assistant`")?;
        let role = role.ok_or_else(|| fields.wrong("role", "it is missing"))?;
        let missing = fields.wrong("content", "it is missing");
        let content = fields.value("content").ok_or(missing)?;
        fields.finish()?;
        let blocks = match content {
            Value::String(text) => {
                all.push(json!({"role": role, "content": text}));
                continue;
            }
            Value::Array(blocks) => blocks,
            _ => {
                return Err(ApiError::field(
                    format!("{path}.content"),
                    "it is neither a string nor a list",
                ));
            }
        };
        let mut message = Message::default();
        for (number, block) in blocks.into_iter().enumerate() {
            message.read(&format!("{path}.content.{number}"), block)?;
        }
        message.add_to(&mut all, role);
    }
    Ok(all)
}

/// The content blocks of a message, sorted by kind.
#[derive(Default)]
struct Message {
    results: Vec<Value>,
    text: String,
    reasoning: String,
    calls: Vec<Value>,
}

impl Message {
    fn read(&mut self, path: &str, block: Value) -> Result<(), ApiError> {
        let mut block = Fields::of(path, block)?;
        block.value("cache_control");
        let kind = block.text("type")?.unwrap_or_default();
        match kind.as_str() {
            "text" => {
                block.value("citations");
                let text = block.text("text")?;
                self.text += &text.ok_or_else(|| block.wrong("text", "it is missing"))?;
            }
            "thinking" => {
                block.value("signature");
                self.reasoning += &block.text("thinking")?.unwrap_or_default();
            }
            "tool_use" => {
                let (id, name) = (block.text("id")?, block.text("name")?);
                let name = name.ok_or_else(|| block.wrong("name", "it is missing"))?;
                let input = block.value("input").unwrap_or_else(|| json!({}));
                self.calls.push(call(json!(id), json!(name), input));
            }
            "tool_result" => {
                let id = block.text("tool_use_id")?;
                let failed = block.flag("is_error")?.unwrap_or(false);
                let content = block.value("content").unwrap_or_default();
                let mut text = text_of(&block.path("content"), content)?;
                if failed {
                    text.insert_str(0, "Error: ");
                }
                self.results.push(result(json!(id), text));
            }
            _ => {
                let message = format!(
                    "a block of the type `{kind}` is not read; there are text, thinking, tool_use and tool_result"
                );
                return Err(block.wrong("type", message));
            }
        }
        block.finish().map(drop)
    }

    /// Appends the tool results as messages. Then appends the message itself, unless it has no
    /// other content.
    fn add_to(self, all: &mut Vec<Value>, role: &str) {
        let Self { results, text, reasoning, calls } = self;
        let is_all = !results.is_empty() && text.is_empty() && calls.is_empty();
        all.extend(results);
        if is_all {
            return;
        }
        let mut message = Map::new();
        message.insert("role".to_owned(), json!(role));
        message.insert("content".to_owned(), json!(text));
        if !reasoning.is_empty() {
            message.insert("reasoning_content".to_owned(), json!(reasoning));
        }
        if !calls.is_empty() {
            message.insert("tool_calls".to_owned(), json!(calls));
        }
        all.push(Value::Object(message));
    }
}

/// Converts Anthropic's tools to the form of chat completions. Fails for tools that are not custom,
/// because Anthropic runs those.
pub(super) fn tools(tools: Vec<Value>) -> Result<Vec<Value>, ApiError> {
    let tools = tools.into_iter().enumerate().map(|(at, tool)| {
        let mut tool = Fields::of(&format!("tools.{at}"), tool)?;
        tool.value("cache_control");
        if tool.text("type")?.is_some_and(|kind| kind != "custom") {
            let message = "only tools of your own are served: `custom`, with an `input_schema`";
            return Err(tool.wrong("type", message));
        }
        let name = tool.text("name")?.ok_or_else(|| tool.wrong("name", "it is missing"))?;
        let mut function = json!({"name": name});
        for (from, to) in
            [("description", "description"), ("input_schema", "parameters"), ("strict", "strict")]
        {
            if let Some(value) = tool.value(from) {
                function[to] = value;
            }
        }
        tool.finish()?;
        Ok(json!({"type": "function", "function": function}))
    });
    tools.collect()
}

/// Converts a `tool_choice` to the form of chat completions. The boolean says whether several calls
/// are allowed. Fails if the choice is malformed.
pub(super) fn tool_choice(mut choice: Fields) -> Result<(Option<Value>, bool), ApiError> {
    let kind = choice.text("type")?.unwrap_or_default();
    let parallel = !choice.flag("disable_parallel_tool_use")?.unwrap_or(false);
    let chosen = match kind.as_str() {
        "auto" | "none" => json!(kind),
        "any" => json!("required"),
        "tool" => {
            let name = choice.text("name")?;
            let name = name.ok_or_else(|| choice.wrong("name", "it is missing"))?;
            json!({"type": "function", "function": {"name": name}})
        }
        _ => return Err(choice.wrong("type", "it is none of `auto`, `any`, `tool` and `none`")),
    };
    choice.finish()?;
    Ok((Some(chosen), parallel))
}
