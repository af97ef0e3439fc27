//! Responses: a text as what its prompt wants.

use grammarc_json::{JsonSchema, Jsonl, JsonlOptions, ParseError, ValidationError, parse_jsonl};
use serde_json::Value;

use super::ResponseType;

/// The answer of a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Response {
    /// A text.
    Text(String),
    /// A JSON value.
    Json(Value),
    /// The items of lines of JSON.
    Jsonl(Vec<Value>),
}

/// Why a text is no response. Lines of JSON always are one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ResponseError {
    /// It is no JSON.
    #[error("JSON parse fail: {0}")]
    Parse(#[from] ParseError),
    /// It is none of the schema.
    #[error("Schema validation fail: {0}")]
    Invalid(#[from] ValidationError),
}

impl Response {
    /// A text as what is wanted. JSON is what stands in the first fence, or else the whole text.
    pub(super) fn of(
        kind: ResponseType,
        schema: Option<&JsonSchema>,
        text: &str,
    ) -> Result<Self, ResponseError> {
        match kind {
            ResponseType::Text => Ok(Self::Text(text.to_owned())),
            ResponseType::Json => {
                let value = grammarc_json::parse(fenced(text).unwrap_or(text))?;
                if let Some(schema) = schema {
                    schema.validate(&value)?;
                }
                Ok(Self::Json(value))
            }
            ResponseType::Jsonl => {
                let Jsonl { items, .. } = parse_jsonl(text, schema, &JsonlOptions::default());
                Ok(Self::Jsonl(items.into_iter().map(|item| item.value).collect()))
            }
        }
    }
}

/// The text between the first three backticks, with or without `json` behind them, and the next.
fn fenced(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("```")?;
    let rest = rest.strip_prefix("json").unwrap_or(rest);
    let (inside, _) = rest.split_once("```")?;
    Some(inside.trim())
}
