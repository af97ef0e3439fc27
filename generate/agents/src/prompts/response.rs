//! Responses: converts a generated text to the kind that its prompt asks for.

use std::collections::BTreeMap;

use grammarc_json::{Jsonl, JsonlOptions, ParseError, ValidationError, parse_jsonl};
use serde_json::Value;

use super::{Prompt, ResponseType};

/// The response of a model to a prompt.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// The generated text.
    Text(String),
    /// The JSON value of the generated text.
    Json(Value),
    /// The items of the JSON lines, the skipped lines, whether the text was truncated, and a
    /// warning if there is no item.
    Jsonl(Jsonl),
}

/// A generated text cannot be converted to a response. A text of JSON lines never causes this
/// error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// The text is not JSON.
    #[error("JSON parse fail: {0}")]
    Parse(#[from] ParseError),
    /// The value violates the schema.
    #[error("Schema validation fail: {0}")]
    Invalid(#[from] ValidationError),
}

impl Response {
    /// Converts a generated text to the response of `prompt`. `cut` states that the text was
    /// truncated. A JSON value is taken from the first code fence, or else from the whole text.
    pub(super) fn of(prompt: &Prompt, text: &str, cut: bool) -> Result<Self, ResponseError> {
        let schema = prompt.schema.as_ref();
        match prompt.response {
            ResponseType::Text => Ok(Self::Text(text.to_owned())),
            ResponseType::Json => {
                let value = grammarc_json::parse(fenced(text).unwrap_or(text))?;
                if let Some(schema) = schema {
                    schema.validate(&value)?;
                }
                Ok(Self::Json(value))
            }
            ResponseType::Jsonl => {
                let options = JsonlOptions { cut, ..JsonlOptions::default() };
                Ok(Self::Jsonl(parse_jsonl(text, schema, &options)))
            }
        }
    }

    /// Returns the response as one JSON value: a string, the value itself, or the list of items.
    pub fn into_value(self) -> Value {
        match self {
            Self::Text(text) => Value::from(text),
            Self::Json(value) => value,
            Self::Jsonl(found) => found.into_values().into(),
        }
    }

    /// Logs a warning for each skipped line, and for a text without items. Does not log the model's
    /// text.
    pub(super) fn log(&self, id: &str, text: &str) {
        let Self::Jsonl(found) = self else { return };
        for skipped in &found.skipped {
            let reason = reason(&text[skipped.range.clone()]);
            tracing::warn!(prompt = id, line = skipped.line, reason, "a line is no item");
        }
        if let Some(warning) = &found.warning {
            tracing::warn!(prompt = id, "{warning}");
        }
    }
}

/// Returns the reason why a line is not an item. Leaves out messages that would quote the line:
/// those of schemas and of duplicate keys.
fn reason(line: &str) -> String {
    match grammarc_json::parse(line) {
        Err(ParseError::DuplicateKey { .. }) => "a key occurs twice in one object".to_owned(),
        Err(error) => error.to_string(),
        Ok(Value::Number(_)) => "a number that may go on, or that the schema refuses".to_owned(),
        Ok(_) => "no instance of the schema".to_owned(),
    }
}

/// Groups items by the string in their `type` member, which often distinguishes the branches of a
/// union. Items without such a string are in the group `None`. Within a group, the items keep their
/// order.
///
/// ```
/// use grammarc_agents::prompts::group_by_type;
/// use serde_json::json;
///
/// let items = vec![json!({"type": "definition", "entity": "DNA"}), json!({"entity": "RNA"})];
/// let groups = group_by_type(items);
/// assert_eq!(groups[&Some("definition".to_owned())].len(), 1);
/// assert_eq!(groups[&None], [json!({"entity": "RNA"})]);
/// ```
pub fn group_by_type(
    items: impl IntoIterator<Item = Value>,
) -> BTreeMap<Option<String>, Vec<Value>> {
    let mut groups: BTreeMap<Option<String>, Vec<Value>> = BTreeMap::new();
    for item in items {
        let kind = item.get("type").and_then(Value::as_str).map(str::to_owned);
        groups.entry(kind).or_default().push(item);
    }
    groups
}

/// Returns the content of the first code fence: the text between three backticks (and `json`, if
/// present) and the next three. `None` without a fence.
fn fenced(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```")?;
    let rest = rest.strip_prefix("json").unwrap_or(rest);
    let (inside, _) = rest.split_once("```")?;
    Some(inside.trim())
}
