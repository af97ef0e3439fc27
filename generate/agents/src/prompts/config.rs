//! Reads prompts from a configuration, which has one of two shapes: an object, or TrustGraph's
//! table of texts.

use std::collections::BTreeMap;

use grammarc_json::{JsonSchema, SchemaError};
use serde_json::{Map, Value};

use super::{Prompt, PromptManager, ResponseType, SYSTEM, template_name};

/// Key of the object that maps ids to prompts. It marks the first shape of a configuration.
const TEMPLATES: &str = "templates";

/// Key of the list of ids. It marks the second shape of a configuration, TrustGraph's table.
const INDEX: &str = "template-index";

/// Prefix of the key of each prompt in TrustGraph's table: `template.ID`.
const TEMPLATE: &str = "template.";

/// Names of the fields of a prompt.
const FIELDS: [&str; 4] = ["prompt", "response-type", "schema", "terms"];

/// A configuration of prompts has an error.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptConfigError {
    /// The configuration as a whole has none of the two shapes, or both.
    #[error(
        "{message}; expected an object with `templates`, which has the prompts by id, or with `template-index`, a list of ids, and \
         a `template.ID` for each"
    )]
    Shape {
        /// Description of the fault.
        message: String,
    },
    /// A value is missing or of the wrong type.
    #[error("`{key}`: {message}")]
    Value {
        /// Key of the prompt in the configuration, followed by the name of the wrong field.
        key: String,
        /// Description of the fault and of the expected value.
        message: String,
    },
    /// A template has a syntax error, or uses an unknown filter or test.
    #[error("Error in template: {key}: {message}")]
    Template {
        /// Key of the template in the configuration.
        key: String,
        /// The error, with the line in the template.
        message: String,
    },
    /// The JSON Schema of a prompt has errors.
    #[error("the schema of `{key}`: {source}")]
    Schema {
        /// Key of the prompt in the configuration.
        key: String,
        /// The errors in the schema.
        source: SchemaError,
    },
}

impl PromptManager {
    /// Reads the JSON text of a configuration. The shapes are those of [`Self::from_value`].
    ///
    /// # Errors
    ///
    /// See [`PromptConfigError`].
    pub fn from_json(text: &str) -> Result<Self, PromptConfigError> {
        let config = serde_json::from_str(text).map_err(|error| PromptConfigError::Shape {
            message: format!("the configuration is no JSON: {error}"),
        })?;
        Self::from_value(config)
    }

    /// Reads a configuration in either of the two shapes that the [module](super) describes. In
    /// TrustGraph's table, values may also be JSON values instead of JSON texts.
    ///
    /// # Errors
    ///
    /// See [`PromptConfigError`].
    pub fn from_value(config: Value) -> Result<Self, PromptConfigError> {
        let shape = |message: String| Err(PromptConfigError::Shape { message });
        let Value::Object(config) = config else {
            return shape(format!("the configuration is {}", kind(&config)));
        };
        match (config.contains_key(TEMPLATES), config.contains_key(INDEX)) {
            (true, false) => of_object(config),
            (false, true) => of_table(config),
            (true, true) => shape(format!("the configuration has `{TEMPLATES}` and `{INDEX}`")),
            (false, false) => {
                shape(format!("the configuration has neither `{TEMPLATES}` nor `{INDEX}`"))
            }
        }
    }

    /// Reads TrustGraph's table, which maps keys to JSON texts. See [`Self::from_value`].
    ///
    /// # Errors
    ///
    /// See [`PromptConfigError`].
    pub fn load(config: &BTreeMap<String, String>) -> Result<Self, PromptConfigError> {
        Self::from_value(config.iter().map(|(key, text)| (key.clone(), text.clone())).collect())
    }
}

/// Reads the prompts of the first shape, `{"system": …, "templates": {…}}`.
fn of_object(mut config: Map<String, Value>) -> Result<PromptManager, PromptConfigError> {
    let templates = match config.remove(TEMPLATES) {
        Some(Value::Object(templates)) => templates,
        other => return Err(expected(TEMPLATES, "an object of prompts by id", other.as_ref())),
    };
    let mut manager = PromptManager::new();
    if let Some(system) = config.remove(SYSTEM) {
        manager.set_system(string(SYSTEM, system)?)?;
    }
    if let Some(key) = config.keys().next() {
        let message = format!("there is no such key; there are `{SYSTEM}` and `{TEMPLATES}`");
        return Err(PromptConfigError::Value { key: key.clone(), message });
    }
    for (id, prompt) in templates {
        let prompt = read_prompt(&format!("{TEMPLATES}.{id}"), prompt)?;
        manager.add(id, prompt)?;
    }
    Ok(manager)
}

/// Reads the prompts of the second shape, TrustGraph's table.
fn of_table(mut config: Map<String, Value>) -> Result<PromptManager, PromptConfigError> {
    let mut manager = PromptManager::new();
    if let Some(system) = config.remove(SYSTEM) {
        manager.set_system(string(SYSTEM, of_text(SYSTEM, system, "a string")?)?)?;
    }
    let ids = "a list of ids";
    let index = config.remove(INDEX).map(|index| of_text(INDEX, index, ids)).transpose()?;
    let Some(Value::Array(index)) = index else {
        return Err(expected(INDEX, ids, index.as_ref()));
    };
    for id in index {
        let id = string(INDEX, id)?;
        let key = template_name(&id);
        let prompt = config.remove(&key);
        let prompt = prompt.ok_or_else(|| {
            let message = format!("`{INDEX}` lists it, and it is missing or listed twice");
            PromptConfigError::Value { key: key.clone(), message }
        })?;
        let prompt = read_prompt(&key, of_text(&key, prompt, "an object")?)?;
        manager.add(id, prompt)?;
    }
    for key in config.keys().filter(|key| key.starts_with(TEMPLATE)) {
        tracing::warn!(key, "a prompt is not in `{INDEX}`, and is left out");
    }
    Ok(manager)
}

/// Reads one prompt from its object. `key` is the prompt's key, for error messages.
fn read_prompt(key: &str, value: Value) -> Result<Prompt, PromptConfigError> {
    let Value::Object(mut fields) = value else {
        return Err(expected(key, "an object with `prompt`", Some(&value)));
    };
    let place = |field: &str| format!("{key}.{field}");
    let template = match fields.remove("prompt") {
        Some(template) => string(&place("prompt"), template)?,
        None => return Err(expected(&place("prompt"), "the template, a string", None)),
    };
    let response = match fields.remove("response-type") {
        None | Some(Value::Null) => ResponseType::Text,
        Some(name) => {
            let found = name.as_str().and_then(ResponseType::of_name);
            found.ok_or_else(|| PromptConfigError::Value {
                key: place("response-type"),
                message: format!("Response type {name} not known: there are text, json and jsonl"),
            })?
        }
    };
    let schema = fields.remove("schema").filter(|schema| !schema.is_null());
    let schema = schema.map(JsonSchema::from_value).transpose();
    let schema =
        schema.map_err(|source| PromptConfigError::Schema { key: key.to_owned(), source })?;
    let terms = match fields.remove("terms") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(terms)) => terms,
        other => return Err(expected(&place("terms"), "an object", other.as_ref())),
    };
    for name in fields.keys() {
        // The tables have further fields, such as `id`, which are ignored. A misspelled known field
        // is an error.
        let meant = name.to_lowercase().replace('_', "-");
        if FIELDS.contains(&&*meant) {
            let message = format!("there is no such field; write `{meant}`");
            return Err(PromptConfigError::Value { key: place(name), message });
        }
    }
    Ok(Prompt { template, response, schema, terms })
}

/// Parses a table's value if it is a JSON text. Returns other values unchanged. Fails if the text
/// is not JSON.
fn of_text(key: &str, value: Value, what: &str) -> Result<Value, PromptConfigError> {
    let Value::String(text) = value else { return Ok(value) };
    serde_json::from_str(&text).map_err(|error| PromptConfigError::Value {
        key: key.to_owned(),
        message: format!("expected the JSON text of {what}, and it is no JSON: {error}"),
    })
}

fn string(key: &str, value: Value) -> Result<String, PromptConfigError> {
    match value {
        Value::String(text) => Ok(text),
        other => Err(expected(key, "a string", Some(&other))),
    }
}

/// Returns the error for a value that is missing (`found` is `None`) or of the wrong type. `what`
/// describes the expected value.
fn expected(key: &str, what: &str, found: Option<&Value>) -> PromptConfigError {
    let found = found.map_or("nothing", kind);
    let message = format!("expected {what}, and found {found}");
    PromptConfigError::Value { key: key.to_owned(), message }
}

/// Returns the name of a value's type, with an article.
fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
