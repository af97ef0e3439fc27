//! The schemas of a value's parts: members by `properties` and `additionalProperties`, items by `prefixItems` and
//! `items`, through references within the document.
//!
//! A part whose schema is elsewhere, such as in `anyOf` or `patternProperties`, has none here and is validated with
//! the whole value. A schema that is found always applies to the part.

use std::collections::HashMap;

use jsonschema::Validator;
use referencing::Registry;
use serde_json::{Value, json};

use crate::scan::pointer_step;
use crate::schema::{JsonSchema, MAX_ERRORS, ValidationError, Violation};

/// Maximum number of references in a row. A longer chain has no schema here.
const HOPS: usize = 32;
/// Name of the schema among its parts.
const ROOT: &str = "json-schema:///partial";

/// A step from a value to a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// The schemas of parts.
pub(super) struct Parts {
    schema: JsonSchema,
    /// Validators by the pointers of their schemas. `None` if a validator cannot be made.
    validators: HashMap<String, Option<Validator>>,
}

impl Parts {
    pub(super) fn new(schema: JsonSchema) -> Self {
        Self { schema, validators: HashMap::new() }
    }

    /// Returns the texts of a string at a path, if the schema lists them.
    pub(super) fn texts(&self, path: &[Step]) -> Option<Vec<String>> {
        let (_, schema) = self.find(path)?;
        let listed = match (schema.get("const"), schema.get("enum")) {
            (Some(value), _) => vec![value],
            (None, Some(Value::Array(values))) => values.iter().collect(),
            _ => return None,
        };
        let texts = listed.into_iter().filter_map(Value::as_str);
        Some(texts.map(str::to_owned).collect())
    }

    /// Returns the violations of a complete part.
    pub(super) fn violations(&mut self, path: &[Step], value: &Value) -> Option<ValidationError> {
        if path.is_empty() {
            return self.schema.validate(value).err();
        }
        let (pointer, _) = self.find(path)?;
        let root = self.schema.value();
        let made =
            self.validators.entry(pointer.clone()).or_insert_with(|| validator(root, &pointer));
        let validator = made.as_ref()?;
        if validator.is_valid(value) {
            return None;
        }
        let errors = validator.iter_errors(value).take(MAX_ERRORS);
        Some(ValidationError { violations: errors.map(|error| Violation::of(&error)).collect() })
    }

    /// Returns the schema of a path, with its pointer in the document.
    fn find(&self, path: &[Step]) -> Option<(String, &Value)> {
        let root = self.schema.value();
        let mut pointer = String::new();
        let mut schema = resolve(root, root, &mut pointer)?;
        for step in path {
            schema = match step {
                Step::Key(key) => match schema.get("properties").and_then(|named| named.get(key)) {
                    Some(found) => {
                        pointer.push_str("/properties/");
                        pointer.push_str(&pointer_step(key));
                        found
                    }
                    None => {
                        pointer.push_str("/additionalProperties");
                        // Patterns may say something of the key, too; what they say is left to the whole.
                        schema
                            .get("additionalProperties")
                            .filter(|_| schema.get("patternProperties").is_none())?
                    }
                },
                Step::Index(index) => {
                    let prefix = schema.get("prefixItems").and_then(Value::as_array);
                    match prefix.and_then(|prefix| prefix.get(*index)) {
                        Some(found) => {
                            pointer.push_str(&format!("/prefixItems/{index}"));
                            found
                        }
                        None => {
                            pointer.push_str("/items");
                            schema.get("items").filter(|items| items.is_object())?
                        }
                    }
                }
            };
            schema = resolve(root, schema, &mut pointer)?;
        }
        Some((pointer, schema))
    }
}

/// Follows references within the document.
fn resolve<'s>(root: &'s Value, mut schema: &'s Value, pointer: &mut String) -> Option<&'s Value> {
    for _ in 0..HOPS {
        let Some(reference) = schema.get("$ref").and_then(Value::as_str) else {
            return Some(schema);
        };
        let place = reference.strip_prefix('#')?;
        schema = root.pointer(place)?;
        *pointer = place.to_owned();
    }
    None
}

/// Returns a validator of the schema at a pointer.
fn validator(root: &Value, pointer: &str) -> Option<Validator> {
    let registry = Registry::new().add(ROOT, root.clone()).ok()?.prepare().ok()?;
    let mut part = json!({"$ref": format!("{ROOT}#{pointer}")});
    if let Some(dialect) = root.get("$schema") {
        part["$schema"] = dialect.clone();
    }
    let options = jsonschema::options().should_validate_formats(true).with_registry(&registry);
    options.build(&part).ok()
}
