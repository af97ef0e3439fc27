//! Prompts from a configuration, in either of its two shapes.

use std::collections::BTreeMap;

use grammarc_json::{JsonSchema, SchemaError};
use serde_json::{Map, Value};

use super::{Prompt, PromptManager, ResponseType, SYSTEM, template_name};

/// Key of the prompts by id, in the shape of one object.
const TEMPLATES: &str = "templates";

/// Key of the list of ids, in the shape of a table of texts.
const INDEX: &str = "template-index";

/// Prefix of the keys of prompts, in the shape of a table of texts.
const TEMPLATE: &str = "template.";

/// Fields of a prompt.
const FIELDS: [&str; 4] = ["prompt", "response-type", "schema", "terms"];

/// An error in a configuration.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PromptConfigError {
    /// The whole configuration has the wrong shape.
    #[error(
        "{message}; expected an object with `templates`, which has the prompts by id, or with `template-index`, a list of ids, and \
         a `template.ID` for each"
    )]
    Shape {
        /// The fault.
        message: String,
    },
    /// A value is missing or of the wrong kind.
    #[error("`{key}`: {message}")]
    Value {
        /// The key of the prompt in the configuration, followed by the field that is wrong.
        key: String,
        /// The fault, and the expected value.
        message: String,
    },
    /// A template has a syntax error, or an unknown filter or test.
    #[error("Error in template: {key}: {message}")]
    Template {
        /// Its key.
        key: String,
        /// The error, with the line.
        message: String,
    },
    /// A schema has errors.
    #[error("the schema of `{key}`: {source}")]
    Schema {
        /// The key of its prompt.
        key: String,
        /// The errors of the schema.
        source: SchemaError,
    },
}

impl PromptManager {
    /// Loads the text of a configuration file: see [`Self::from_value`].
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

    /// Loads a configuration in either shape: see the [module](super). In the table, values may also be JSON instead
    /// of texts of JSON.
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

    /// Loads a table of texts of JSON: see [`Self::from_value`].
    ///
    /// # Errors
    ///
    /// See [`PromptConfigError`].
    pub fn load(config: &BTreeMap<String, String>) -> Result<Self, PromptConfigError> {
        Self::from_value(config.iter().map(|(key, text)| (key.clone(), text.clone())).collect())
    }
}

/// Returns the prompts of `{"system": …, "templates": {…}}`.
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

/// Returns the prompts of TrustGraph's table.
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

/// Returns the prompt of an object.
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
        // Tables have further fields, such as `id`. One that is meant for a field of these is an error.
        let meant = name.to_lowercase().replace('_', "-");
        if FIELDS.contains(&&*meant) {
            let message = format!("there is no such field; write `{meant}`");
            return Err(PromptConfigError::Value { key: place(name), message });
        }
    }
    Ok(Prompt { template, response, schema, terms })
}

/// Parses a value of a table if it is a text; returns other values unchanged.
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

/// Returns the error for a missing value or one of the wrong type.
fn expected(key: &str, what: &str, found: Option<&Value>) -> PromptConfigError {
    let found = found.map_or("nothing", kind);
    let message = format!("expected {what}, and found {found}");
    PromptConfigError::Value { key: key.to_owned(), message }
}

/// Returns the name of a value's type.
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
