//! Schemas in the words of draft 4.

use serde_json::{Map, Value, json};

/// The URI of draft 4.
pub const DRAFT4: &str = "http://json-schema.org/draft-04/schema#";

/// A schema of draft 2020-12 in the words of draft 4, as far as it has them: other keywords are left out, and of two
/// that have one word there the later.
pub fn draft4(document: Value) -> Value {
    let mut older = schema(document);
    older["$schema"] = json!(DRAFT4);
    older
}

fn schema(given: Value) -> Value {
    let members = match given {
        Value::Bool(true) => return json!({}),
        Value::Bool(false) => return json!({ "not": {} }),
        Value::Object(members) => members,
        other => return other,
    };
    let is_tuple = members.contains_key("prefixItems");
    let mut older = Map::new();
    for (name, value) in members {
        let (name, value) = match &*name {
            "prefixItems" => ("items", schemas(value)),
            "items" if is_tuple => ("additionalItems", schema(value)),
            "items" | "not" | "additionalProperties" => (&*name, schema(value)),
            "allOf" | "anyOf" | "oneOf" | "properties" | "patternProperties" => {
                (&*name, schemas(value))
            }
            "$defs" => ("definitions", schemas(value)),
            "dependentSchemas" => ("dependencies", schemas(value)),
            "dependentRequired" => ("dependencies", value),
            "$ref" => {
                let target = value.as_str().unwrap_or_default();
                ("$ref", json!(target.replace("$defs", "definitions")))
            }
            "const" => ("enum", json!([value])),
            "enum" => ("enum", distinct(value)),
            "exclusiveMinimum" | "exclusiveMaximum" => {
                older.insert(name.clone(), json!(true));
                (if name == "exclusiveMinimum" { "minimum" } else { "maximum" }, value)
            }
            "type" | "required" | "minimum" | "maximum" | "multipleOf" | "pattern"
            | "minLength" | "maxLength" | "minItems" | "maxItems" | "uniqueItems"
            | "minProperties" | "maxProperties" | "title" => (&*name, value),
            _ => continue,
        };
        older.insert(name.to_owned(), value);
    }
    // Draft 4 has no empty lists of names.
    older.retain(|name, value| name != "required" || *value != json!([]));
    if let Some(Value::Object(dependencies)) = older.get_mut("dependencies") {
        dependencies.retain(|_, needed| *needed != json!([]));
    }
    Value::Object(older)
}

/// The schemas of a list, or of an object's members.
fn schemas(schemas: Value) -> Value {
    match schemas {
        Value::Array(items) => items.into_iter().map(schema).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(key, member)| (key, schema(member))).collect())
        }
        other => other,
    }
}

/// Values that are listed twice once.
fn distinct(values: Value) -> Value {
    let mut known = Vec::new();
    for value in values.as_array().into_iter().flatten() {
        if !known.contains(value) {
            known.push(value.clone());
        }
    }
    Value::Array(known)
}
