//! Rewrites schemas that declare no draft, for the validator.
//!
//! The compiler reads such schemas as draft 2020-12, and also accepts keywords in the form of older
//! drafts. The validator supports only one draft at a time. So keywords in older forms are
//! converted to those of 2020-12:
//!
//! | older form | form of 2020-12 |
//! | --- | --- |
//! | `"items": [A, B], "additionalItems": C` | `"prefixItems": [A, B], "items": C` |
//! | `"minimum": 3, "exclusiveMinimum": true` | `"exclusiveMinimum": 3` |
//! | `"maximum": 3, "exclusiveMaximum": true` | `"exclusiveMaximum": 3` |
//!
//! A schema with `$schema` is unchanged, even if it is nested in another schema. Linear in the
//! schema.

use serde_json::{Map, Value};

/// Keywords whose values are data and contain no schemas.
const DATA: [&str; 5] = ["const", "enum", "default", "examples", "example"];

/// Keywords whose value is an object that maps names to schemas.
const BY_NAME: [&str; 6] =
    ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas", "dependencies"];

/// Keywords for exclusive bounds. Each is paired with the bound that it modifies if it is a
/// boolean, as in draft 4.
const EXCLUSIVE: [(&str, &str); 2] =
    [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")];

/// Returns a schema with all keywords in the form of draft 2020-12.
pub(super) fn modern(mut schema: Value) -> Value {
    let mut open = vec![&mut schema];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(object) if !object.contains_key("$schema") => {
                respell(object);
                for (keyword, value) in object {
                    let keyword = keyword.as_str();
                    if BY_NAME.contains(&keyword) {
                        open.extend(value.as_object_mut().into_iter().flat_map(Map::values_mut));
                    } else if !DATA.contains(&keyword) {
                        open.push(value);
                    }
                }
            }
            _ => {}
        }
    }
    schema
}

fn respell(object: &mut Map<String, Value>) {
    if object.get("items").is_some_and(Value::is_array) {
        let items = object.remove("items").unwrap_or_default();
        let rest = object.remove("additionalItems");
        object.insert("prefixItems".to_owned(), items);
        object.extend(rest.map(|rest| ("items".to_owned(), rest)));
    }
    for (exclusive, bound) in EXCLUSIVE {
        let Some(&Value::Bool(excludes)) = object.get(exclusive) else { continue };
        object.remove(exclusive);
        if excludes && let Some(limit) = object.remove(bound) {
            object.insert(exclusive.to_owned(), limit);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn older_spellings_become_those_of_the_last_draft() {
        let older = json!({
            "properties": {"items": {"items": [{"maximum": 3, "exclusiveMaximum": true}], "additionalItems": false}},
            "items": {"exclusiveMinimum": false, "minimum": 1},
            "const": {"items": [1]},
            "anyOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "items": [true]}],
        });
        let expected = json!({
            "properties": {"items": {"prefixItems": [{"exclusiveMaximum": 3}], "items": false}},
            "items": {"minimum": 1},
            "const": {"items": [1]},
            "anyOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "items": [true]}],
        });
        assert_eq!(modern(older), expected);
    }
}
