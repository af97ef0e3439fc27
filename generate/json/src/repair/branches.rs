//! Coercion below `anyOf` and `oneOf`: scalars are converted only if exactly one branch then
//! accepts the value.
//!
//! The validator lists the errors of each branch of a union that the value violates. For each
//! branch, the scalars in its errors are coerced, and the branch is validated again. Unions within
//! a branch are treated first. If no branch accepts the value, or if several do, nothing is
//! coerced. In the second case the intended branch is unknown, even if all coerce the same scalars.
//!
//! Cost: for each branch of a violated union, building a validator and one pass over the text.

use jsonschema::Registry;
use jsonschema::error::ValidationErrorKind;
use serde_json::{Value, json};

use super::scalars::{Places, changed, changes};
use crate::schema::JsonSchema;
use crate::strict;

/// URI by which the schema of a branch refers to the whole schema.
const WHOLE: &str = "urn:grammarc:schema";

/// Maximum depth of nested unions. Scalars below deeper unions are not coerced.
const NESTED: usize = 8;

/// Returns the JSON pointers of the scalars whose coercion removes the given errors.
pub(super) fn places<'e>(
    errors: impl IntoIterator<Item = &'e jsonschema::ValidationError<'e>>,
    text: &str,
    schema: &JsonSchema,
) -> Places {
    within(errors, text, schema, NESTED)
}

fn within<'e>(
    errors: impl IntoIterator<Item = &'e jsonschema::ValidationError<'e>>,
    text: &str,
    schema: &JsonSchema,
    nested: usize,
) -> Places {
    let mut found = Places::default();
    for error in errors {
        match error.kind() {
            ValidationErrorKind::Type { .. }
            | ValidationErrorKind::Enum { .. }
            | ValidationErrorKind::Constant { .. } => {
                found.insert(error.instance_path().to_string());
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context }
                if nested > 0 =>
            {
                let takes = |(number, errors): (usize, &Vec<_>)| {
                    let places = within(errors, text, schema, nested - 1);
                    takes(error, number, &places, text, schema).then_some(places)
                };
                let mut takers = context.iter().enumerate().filter_map(takes);
                if let (Some(places), None) = (takers.next(), takers.next()) {
                    found.extend(places);
                }
            }
            _ => {}
        }
    }
    found
}

/// Whether the branch with index `number` of a union accepts the value after these scalars are
/// coerced. False if no scalar can be coerced.
fn takes(
    union: &jsonschema::ValidationError<'_>,
    number: usize,
    places: &Places,
    text: &str,
    schema: &JsonSchema,
) -> bool {
    let changes = changes(text, places);
    if changes.is_empty() {
        return false;
    }
    let value = strict::parse(&changed(text, &changes));
    let value = value.ok().and_then(|value| value.pointer(union.instance_path().as_str()).cloned());
    let branch = format!("{}/{number}", union.schema_path().as_str());
    value.is_some_and(|value| is_instance(&value, &branch, schema).unwrap_or(false))
}

/// Whether a value is an instance of the schema at a JSON pointer. `None` if no validator can be
/// built.
fn is_instance(value: &Value, pointer: &str, schema: &JsonSchema) -> Option<bool> {
    let whole = Registry::new().add(WHOLE, schema.value()).ok()?.prepare().ok()?;
    let reference = json!({"$ref": format!("{WHOLE}#{}", escaped(pointer))});
    let validator = jsonschema::options().should_validate_formats(true).with_registry(&whole);
    Some(validator.build(&reference).ok()?.is_valid(value))
}

/// Encodes a JSON pointer as the fragment of a URI.
fn escaped(pointer: &str) -> String {
    let mut text = String::new();
    for byte in pointer.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' | b'$' => {
                text.push(byte.into());
            }
            _ => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::{RepairOptions, repair};
    use super::*;

    /// Returns the repaired text. `None` if the repair fails.
    fn read(source: &str, schema: &Value) -> Option<String> {
        let schema = JsonSchema::from_value(schema.clone()).unwrap();
        let options = RepairOptions { coerce: true, ..RepairOptions::default() };
        repair(source, Some(&schema), &options).ok().map(|repaired| repaired.text)
    }

    #[test]
    fn the_one_branch_that_takes_the_value_says_what_it_becomes() {
        let card = |kind: &str, member: Value| json!({"type": "object", "properties": {"kind": {"const": kind}, "x": member}, "required": ["kind", "x"], "additionalProperties": false});
        let integer = json!({"type": "integer"});
        let tagged = json!([card("a", integer.clone()), card("b", json!({"type": "string"}))]);
        for union in ["anyOf", "oneOf"] {
            let scalar = |branches: Value| json!({ union: branches });
            let optional = scalar(json!([{"type": "integer"}, {"type": "null"}]));
            let text = scalar(json!([{"type": "string", "maxLength": 3}, {"type": "null"}]));
            let cases = [
                ("\"5\"", &optional, Some("5")),
                ("\"null\"", &optional, Some("null")),
                ("\"x\"", &optional, None),
                ("12e0", &text, None),
                ("120", &text, Some("\"120\"")),
                (
                    r#"{"kind": "a", "x": "5"}"#,
                    &scalar(tagged.clone()),
                    Some(r#"{"kind": "a", "x": 5}"#),
                ),
                (
                    r#"{"kind": "b", "x": 5}"#,
                    &scalar(tagged.clone()),
                    Some(r#"{"kind": "b", "x": "5"}"#),
                ),
                (r#"{"kind": "c", "x": 5}"#, &scalar(tagged.clone()), None),
                (
                    "{'kind': 'a', 'x': '5',",
                    &scalar(tagged.clone()),
                    Some(r#"{"kind": "a", "x": 5}"#),
                ),
            ];
            for (source, schema, expected) in cases {
                assert_eq!(read(source, schema).as_deref(), expected, "{union} {source}");
            }
        }
    }

    #[test]
    fn where_two_branches_would_take_it_nothing_is_changed() {
        let numbers = json!({"anyOf": [{"type": "integer"}, {"type": "number"}]});
        assert_eq!(read("\"5\"", &numbers), None, "both take it");
        assert_eq!(read("\"5.5\"", &numbers).as_deref(), Some("5.5"), "one of them does");
        let either = json!({"anyOf": [
            {"properties": {"a": {"type": "integer"}, "b": {"type": "integer"}}, "required": ["a"]},
            {"properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "required": ["a"]}]});
        assert_eq!(read(r#"{"a": "1", "b": 2}"#, &either), None);
        assert_eq!(
            read(r#"{"a": "x", "b": 2}"#, &either).as_deref(),
            Some(r#"{"a": "x", "b": "2"}"#)
        );
        let list = json!({"items": {"anyOf": [{"type": "boolean"}, {"type": "integer"}]}});
        assert_eq!(
            read(r#"["true", 5, "6", false]"#, &list).as_deref(),
            Some("[true, 5, 6, false]")
        );
        assert_eq!(read(r#"["true", "6", "x"]"#, &list), None);
    }

    #[test]
    fn unions_are_found_through_references_and_within_each_other() {
        let schema = json!({
            "$defs": {
                "a~b/c d": {"anyOf": [{"$ref": "#/$defs/node"}, {"type": "null"}]},
                "node": {"type": "object", "properties": {"n": {"anyOf": [{"type": "integer"}, {"type": "null"}]}, "next": {"$ref": "#/$defs/a~0b~1c%20d"}},
                    "required": ["n"], "additionalProperties": false},
            },
            "type": "object", "properties": {"first": {"$ref": "#/$defs/a~0b~1c%20d"}}, "required": ["first"],
        });
        let source =
            r#"{"first": {"n": "1", "next": {"n": "2", "next": {"n": "null", "next": "null"}}}}"#;
        let becomes = r#"{"first": {"n": 1, "next": {"n": 2, "next": {"n": null, "next": null}}}}"#;
        assert_eq!(read(source, &schema).as_deref(), Some(becomes));
        let other = |wrong: &str| read(&source.replace("\"2\"", wrong), &schema);
        assert_eq!(other("\"two\""), None);
        assert_eq!(other("[2]"), None);
        let older = json!({"$schema": "http://json-schema.org/draft-07/schema#", "$id": "https://example.com/s",
            "definitions": {"n": {"type": "number"}}, "items": {"oneOf": [{"$ref": "#/definitions/n"}, {"type": "boolean"}]}});
        assert_eq!(read(r#"["1.0", "true", 2]"#, &older).as_deref(), Some("[1.0, true, 2]"));
    }

    #[test]
    fn deep_unions_are_left_alone() {
        let nested = |levels: usize| {
            (0..levels).fold(
                json!({"type": "integer"}),
                |inner, _| json!({"anyOf": [inner, {"type": "null"}]}),
            )
        };
        assert_eq!(read("\"5\"", &nested(NESTED)).as_deref(), Some("5"));
        assert_eq!(read("\"5\"", &nested(NESTED + 1)), None);
    }
}
