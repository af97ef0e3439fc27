//! Finds the schemas for the parts of a value. Members use `properties` and `additionalProperties`,
//! and items use `prefixItems` and `items`. References within the document are followed.
//!
//! A part whose schema is elsewhere (in `anyOf` or `patternProperties`, for example) is not
//! validated alone, but with the whole value. A schema that is found here always applies to the
//! part.

use std::collections::HashMap;

use jsonschema::Validator;
use referencing::Registry;
use serde_json::{Value, json};

use crate::scan::pointer_step;
use crate::schema::{JsonSchema, MAX_ERRORS, ValidationError, Violation};

/// Maximum number of references that are followed in a row. A part behind a longer chain has no
/// schema here.
const HOPS: usize = 32;
/// URI by which the schemas of parts refer to the whole schema.
const ROOT: &str = "json-schema:///partial";

/// A step from a value to one of its parts: the key of a member or the index of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Key(String),
    Index(usize),
}

/// The schemas for the parts of a value, with cached validators.
pub(super) struct Parts {
    schema: JsonSchema,
    /// Maps the JSON pointer of each schema to its validator. `None` if no validator can be built.
    validators: HashMap<String, Option<Validator>>,
}

impl Parts {
    pub(super) fn new(schema: JsonSchema) -> Self {
        Self { schema, validators: HashMap::new() }
    }

    /// Returns the texts that the schema lists (`const` or `enum`) for the string at a path. `None`
    /// if it lists none.
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

    /// Returns the violations of a complete part. `None` if the part is valid or has no schema
    /// here.
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

    /// Returns the schema for a path, with the schema's JSON pointer in the document. `None` if
    /// there is none here.
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
                        // `patternProperties` may also apply to the key, so the member is only
                        // validated with the whole value.
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

/// Follows references within the document, and updates `pointer` to the target. `None` if a target
/// does not exist or the chain is longer than [`HOPS`].
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

/// Builds a validator of the schema at a pointer. `None` if the schema is invalid.
fn validator(root: &Value, pointer: &str) -> Option<Validator> {
    let registry = Registry::new().add(ROOT, root.clone()).ok()?.prepare().ok()?;
    let mut part = json!({"$ref": format!("{ROOT}#{pointer}")});
    if let Some(dialect) = root.get("$schema") {
        part["$schema"] = dialect.clone();
    }
    let options = jsonschema::options().should_validate_formats(true).with_registry(&registry);
    options.build(&part).ok()
}
