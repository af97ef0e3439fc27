//! Prompts from a configuration.

use std::collections::BTreeMap;

use grammarc_json::{JsonSchema, SchemaError};
use serde_json::{Map, Value};

use super::{Prompt, PromptManager, ResponseType, SYSTEM, environment, names, template_name};

/// The system message of a configuration that has none.
const HELPFUL: &str = "Be helpful.";

/// Why a configuration was not loaded.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptConfigError {
    /// A value is no JSON of the kind that it has to be.
    #[error("`{key}`: {message}")]
    Value {
        /// Its key.
        key: String,
        /// The error in words.
        message: String,
    },
    /// A template is not one.
    #[error("Error in template: {key}: {message}")]
    Template {
        /// Its key.
        key: String,
        /// The error in words, with the line.
        message: String,
    },
    /// A schema is not one.
    #[error("the schema of `{key}`: {source}")]
    Schema {
        /// The key of its prompt.
        key: String,
        /// The errors of the schema.
        source: SchemaError,
    },
}

impl PromptManager {
    /// Loads a configuration: see the [module](super).
    ///
    /// # Errors
    ///
    /// See [`PromptConfigError`].
    pub fn load(config: &BTreeMap<String, String>) -> Result<Self, PromptConfigError> {
        let mut environment = environment();
        let mut add = |name: String, key: &str, source: String| {
            let wrong =
                |message: String| PromptConfigError::Template { key: key.to_owned(), message };
            // The engine's own errors come first: they say more of the place.
            let named = names::unknown(&environment, &source);
            let added = environment.add_template_owned(name, source);
            added.map_err(|error| wrong(error.to_string()))?;
            named.map_or(Ok(()), |unknown| Err(wrong(unknown)))
        };
        let system = match config.get(SYSTEM) {
            Some(text) => text_of(SYSTEM, parsed(SYSTEM, text)?)?,
            None => HELPFUL.to_owned(),
        };
        add(SYSTEM.to_owned(), SYSTEM, system)?;
        let index = match config.get("template-index") {
            Some(text) => parsed("template-index", text)?,
            None => Value::Array(Vec::new()),
        };
        let Value::Array(index) = index else {
            return Err(wrong("template-index", "it is no list"));
        };
        let mut prompts = Vec::with_capacity(index.len());
        for id in index {
            let id = text_of("template-index", id)?;
            let key = template_name(&id);
            let text =
                config.get(&key).ok_or_else(|| wrong(&key, "it is in the index, and missing"))?;
            let Value::Object(mut fields) = parsed(&key, text)? else {
                return Err(wrong(&key, "it is no object"));
            };
            let source =
                fields.remove("prompt").ok_or_else(|| wrong(&key, "it has no `prompt`"))?;
            add(key.clone(), &key, text_of(&key, source)?)?;
            prompts.push((id, prompt(&key, fields)?));
        }
        Ok(Self { environment, terms: Map::new(), prompts })
    }
}

fn prompt(key: &str, mut fields: Map<String, Value>) -> Result<Prompt, PromptConfigError> {
    let response = match fields.remove("response-type") {
        None => ResponseType::Text,
        Some(kind) => match kind.as_str() {
            Some("text") => ResponseType::Text,
            Some("json") => ResponseType::Json,
            Some("jsonl") => ResponseType::Jsonl,
            _ => {
                return Err(wrong(
                    key,
                    &format!("Response type {kind} not known: there are text, json and jsonl"),
                ));
            }
        },
    };
    let schema = fields.remove("schema").filter(|schema| !schema.is_null());
    let schema = schema.map(JsonSchema::from_value).transpose();
    let schema =
        schema.map_err(|source| PromptConfigError::Schema { key: key.to_owned(), source })?;
    let terms = match fields.remove("terms") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(terms)) => terms,
        Some(_) => return Err(wrong(key, "its `terms` are no object")),
    };
    Ok(Prompt { response, schema, terms })
}

fn parsed(key: &str, text: &str) -> Result<Value, PromptConfigError> {
    serde_json::from_str(text).map_err(|error| wrong(key, &format!("it is no JSON: {error}")))
}

fn text_of(key: &str, value: Value) -> Result<String, PromptConfigError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(wrong(key, &format!("{other} is no string"))),
    }
}

fn wrong(key: &str, message: &str) -> PromptConfigError {
    PromptConfigError::Value { key: key.to_owned(), message: message.to_owned() }
}
