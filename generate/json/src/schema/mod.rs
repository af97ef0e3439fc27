//! JSON Schemas: validation of values, and the grammars that guide a repair.
//!
//! A [`JsonSchema`] is a shared handle. Everything that is derived from its text is derived once.
//! The validator is built at its creation, and the relaxed grammar when a repair first needs it.
//!
//! Tests: unit tests in `expected`, `place` and `spelling`; `generate/tests/json_mode.rs`.

mod error;
mod expected;
mod place;
mod relaxed_schema;
mod spelling;

use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use grammarc_compiler::budget::Budget;
use grammarc_compiler::diagnostics::Source;
use grammarc_compiler::frontend::typescript::{TypeScriptOptions, to_json_schema};
use serde_json::Value;

pub use error::{MAX_ERRORS, SchemaError, ValidationError, Violation};
pub use expected::Expected;
pub(crate) use relaxed_schema::{RelaxedSchema, any_json};

/// A JSON Schema. Clones share it. `Send` and `Sync`.
///
/// ```
/// use grammarc_json::JsonSchema;
///
/// let schema: JsonSchema = r#"{"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}}}"#.parse()?;
/// let error = schema.validate(&serde_json::json!({"id": "7"})).unwrap_err();
/// assert_eq!(error.violations[0].pointer, "/id");
/// # Ok::<(), grammarc_json::SchemaError>(())
/// ```
#[derive(Clone)]
pub struct JsonSchema {
    inner: Arc<Inner>,
}

struct Inner {
    text: String,
    value: Value,
    validator: jsonschema::Validator,
    /// The relaxed grammar, which accepts instances in every spelling. Compiled on first use.
    /// `None` inside if it could not be compiled.
    relaxed: OnceLock<Option<RelaxedSchema>>,
    /// The relaxed grammar that rejects undeclared keys. Compiled on first use. `None` inside if it
    /// could not be compiled, or equals `relaxed`.
    closed_relaxed: OnceLock<Option<RelaxedSchema>>,
}

impl std::fmt::Debug for JsonSchema {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("JsonSchema").field(&self.inner.value).finish()
    }
}

/// Compares the texts of the schemas.
impl PartialEq for JsonSchema {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner) || self.inner.text == other.inner.text
    }
}

impl Eq for JsonSchema {}

impl FromStr for JsonSchema {
    type Err = SchemaError;

    /// Parses the text of a JSON Schema.
    fn from_str(text: &str) -> Result<Self, SchemaError> {
        let value = crate::strict::parse_characters(text)?;
        Self::new(text.to_owned(), value)
    }
}

impl JsonSchema {
    /// Creates a schema from its JSON value.
    ///
    /// # Errors
    ///
    /// The value is not a valid schema, or refers to schemas outside of it.
    pub fn from_value(schema: Value) -> Result<Self, SchemaError> {
        Self::new(schema.to_string(), schema)
    }

    /// Returns the schema of a Rust type, as `schemars` derives it.
    ///
    /// # Panics
    ///
    /// If a hand-written implementation of the trait returns an invalid schema.
    pub fn from_type<T: schemars::JsonSchema>() -> Self {
        let schema = schemars::schema_for!(T).to_value();
        Self::from_value(schema).expect("the schema of a type is a schema")
    }

    /// Returns the schema of a type that is declared in TypeScript. Its objects accept no
    /// undeclared keys.
    ///
    /// # Errors
    ///
    /// The source has errors, or declares no type with this name. The supported types are listed in
    /// [`typescript`](grammarc_compiler::frontend::typescript).
    pub fn from_typescript(source: &str, name: &str) -> Result<Self, SchemaError> {
        let options =
            TypeScriptOptions { start: Some(name.to_owned()), ..TypeScriptOptions::default() };
        let source = Source::new(format!("{name}.ts"), source);
        let text = to_json_schema(&source, &options, &Budget::new())
            .map_err(|diagnostics| SchemaError::TypeScript { diagnostics })?;
        text.parse()
    }

    fn new(text: String, value: Value) -> Result<Self, SchemaError> {
        let modern = spelling::modern(value.clone());
        let options = jsonschema::options().should_validate_formats(true);
        let validator = options.build(&modern).map_err(|error| SchemaError::Invalid {
            pointer: error.instance_path().to_string(),
            message: error.to_string(),
        })?;
        let (relaxed, closed_relaxed) = (OnceLock::new(), OnceLock::new());
        Ok(Self { inner: Arc::new(Inner { text, value, validator, relaxed, closed_relaxed }) })
    }

    /// Returns the text from which the schema was created.
    pub fn text(&self) -> &str {
        &self.inner.text
    }

    /// Returns the schema as a JSON value.
    pub fn value(&self) -> &Value {
        &self.inner.value
    }

    /// Validates a value, including the known formats.
    ///
    /// # Errors
    ///
    /// The value violates the schema. The error has the first [`MAX_ERRORS`] violations.
    pub fn validate(&self, value: &Value) -> Result<(), ValidationError> {
        let validator = &self.inner.validator;
        if validator.is_valid(value) {
            return Ok(());
        }
        let violations = self.errors(value).take(MAX_ERRORS).map(|error| Violation::of(&error));
        Err(ValidationError { violations: violations.collect() })
    }

    /// Returns the errors of the validator. The error of a violated union includes the errors of
    /// each branch.
    pub(crate) fn errors<'v>(
        &'v self,
        value: &'v Value,
    ) -> impl Iterator<Item = jsonschema::ValidationError<'v>> {
        self.inner.validator.iter_errors(value)
    }

    /// Returns JSON pointers to the parts of a value that violate the schema, in the order in which the validator finds
    /// the violations. A part may come several times. Unlike [`validate`](Self::validate), returns all violations.
    pub fn violated_parts<'v>(&'v self, value: &'v Value) -> impl Iterator<Item = String> + 'v {
        self.errors(value).map(|error| error.instance_path().to_string())
    }

    /// Whether a value is an instance of the schema.
    pub fn is_valid(&self, value: &Value) -> bool {
        self.inner.validator.is_valid(value)
    }

    /// Returns the first undeclared key in a value, in an object with `properties` and without
    /// `additionalProperties`. `None` if there is none. Also `None` if the schema has no relaxed
    /// grammar, or this grammar rejects the value for another reason.
    pub(crate) fn unnamed_key(&self, value: &Value) -> Option<Violation> {
        let at = self.closed_relaxed()?.refuses(value)?;
        if self.relaxed()?.refuses(value).is_some() {
            return None;
        }
        let pointer = place::pointer(value, at);
        let message =
            "the schema does not name this key, and objects take the keys that it names alone";
        let (keyword, missing_key) = (String::new(), None);
        Some(Violation { pointer, keyword, message: message.to_owned(), missing_key })
    }

    /// Returns an example for the schema, to be shown in messages. See [`Expected`].
    pub fn expected(&self) -> Expected {
        Expected::of(&self.inner.value)
    }

    /// Returns the relaxed grammar, which accepts instances in every spelling and guides repairs.
    /// The first call compiles it. `None` if the compilation fails or takes more than two seconds.
    pub(crate) fn relaxed(&self) -> Option<&RelaxedSchema> {
        self.inner.relaxed.get_or_init(|| RelaxedSchema::compile(&self.inner.text, false)).as_ref()
    }

    /// Returns the relaxed grammar that rejects undeclared keys. The first call compiles it. `None`
    /// if the compilation fails, or if the grammar equals [`relaxed`](Self::relaxed).
    pub(crate) fn closed_relaxed(&self) -> Option<&RelaxedSchema> {
        let make = || {
            let closed = RelaxedSchema::compile(&self.inner.text, true)?;
            Some(closed).filter(|closed| self.relaxed().is_none_or(|open| !open.is_same(closed)))
        };
        self.inner.closed_relaxed.get_or_init(make).as_ref()
    }

    /// Compiles the grammars that guide repairs, which takes some milliseconds. Without this call,
    /// the first repair compiles them. Returns false if there is no grammar: the compiler rejects a
    /// keyword or needs more than two seconds. Repairs then only validate the final value.
    pub fn prepare(&self) -> bool {
        let _ = self.closed_relaxed();
        self.relaxed().is_some()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_first_errors_are_reported_with_their_places() {
        let schema = JsonSchema::from_value(json!({"items": {"type": "string"}})).unwrap();
        let wrong = Value::Array((0..100).map(Value::from).collect());
        let error = schema.validate(&wrong).unwrap_err();
        assert_eq!(error.violations.len(), MAX_ERRORS);
        assert_eq!(error.violations[31].pointer, "/31");
        assert_eq!(error.violations[0].keyword, "/items/type");
    }

    #[test]
    fn a_closed_schema_has_one_relaxed_schema() {
        let schema = |text: &str| text.parse::<JsonSchema>().unwrap();
        let open = schema(r#"{"type": "object", "properties": {"a": {"type": "integer"}}}"#);
        assert!(open.relaxed().is_some() && open.closed_relaxed().is_some());
        let closed = schema(
            r#"{"type": "object", "properties": {"a": {"type": "integer"}}, "additionalProperties": false}"#,
        );
        assert!(closed.relaxed().is_some() && closed.closed_relaxed().is_none());
    }

    #[test]
    fn what_is_no_schema_is_refused_with_its_place() {
        let error = JsonSchema::from_value(json!({"properties": {"a": {"type": 5}}})).unwrap_err();
        assert!(
            matches!(error, SchemaError::Invalid { ref pointer, .. } if pointer == "/properties/a/type"),
            "{error}"
        );
        for text in ["{\"a\":", "{\"const\": \"\\ud800\"}"] {
            assert!(matches!(text.parse::<JsonSchema>(), Err(SchemaError::Json(_))), "{text}");
        }
    }

    #[test]
    fn types_of_rust_and_typescript_are_schemas() {
        #[derive(schemars::JsonSchema)]
        #[expect(dead_code, reason = "a type to take the schema of")]
        struct Ticket {
            id: u32,
            title: Option<String>,
        }
        let rust = JsonSchema::from_type::<Ticket>();
        rust.validate(&json!({"id": 1})).unwrap();
        assert!(!rust.is_valid(&json!({"id": -1})));
        let source = "interface Ticket { id: number; title?: string }";
        let script = JsonSchema::from_typescript(source, "Ticket").unwrap();
        script.validate(&json!({"id": 1})).unwrap();
        assert!(!script.is_valid(&json!({"id": 1, "other": 2})));
        let error = JsonSchema::from_typescript(source, "Other").unwrap_err();
        assert!(matches!(error, SchemaError::TypeScript { .. }));
    }
}
