//! Discriminated unions: moves the discriminator to the front, so that a model chooses a branch
//! before it writes the rest.
//!
//! A discriminator is a member that every branch (an object schema) requires and for which every
//! branch allows one text. The texts of all branches differ. Keys are written in the order of
//! `properties`, so the member is moved to the front of `properties`. The set of the schema's
//! instances does not change.

use serde_json::{Map, Value};

/// Maximum number of `$ref` in a row that are followed. A union behind a longer chain is left
/// unchanged.
const MOST_HOPS: usize = 16;

/// Returns the schema with the discriminator first in the `properties` of each branch. Without
/// branches or a discriminator, the schema is unchanged. Linear in the schema.
pub(crate) fn discriminator_first(schema: &Value) -> Value {
    let mut schema = schema.clone();
    let Some(branches) = branches(&schema) else { return schema };
    let Some(member) = discriminator(&schema, &branches) else { return schema };
    for branch in &branches {
        let Some(Value::Object(properties)) = schema.pointer_mut(&format!("{branch}/properties"))
        else {
            continue;
        };
        if let Some(own) = properties.shift_remove(&member) {
            let others = std::mem::take(properties);
            properties.insert(member.clone(), own);
            properties.extend(others);
        }
    }
    schema
}

/// Returns JSON pointers to the branches of the union (`oneOf` or `anyOf`) at the root. `None` if
/// the root is no union.
fn branches(schema: &Value) -> Option<Vec<String>> {
    let root = place(schema, String::new())?;
    ["oneOf", "anyOf"].iter().find_map(|keyword| {
        let count = schema.pointer(&format!("{root}/{keyword}"))?.as_array()?.len();
        (0..count).map(|at| place(schema, format!("{root}/{keyword}/{at}"))).collect()
    })
}

/// Follows the references (`$ref`) within the document that start at a pointer. Returns the last
/// pointer. `None` for references to other documents, and for chains longer than [`MOST_HOPS`].
fn place(schema: &Value, mut pointer: String) -> Option<String> {
    for _ in 0..MOST_HOPS {
        match schema.pointer(&pointer)?.get("$ref") {
            None => return Some(pointer),
            Some(target) => pointer = target.as_str()?.strip_prefix('#')?.to_owned(),
        }
    }
    None
}

/// Returns the first member that distinguishes all branches. `None` if there is none.
fn discriminator(schema: &Value, branches: &[String]) -> Option<String> {
    let texts = |member: &str| -> Option<Vec<&str>> {
        branches.iter().map(|branch| only_text(schema.pointer(branch)?, member)).collect()
    };
    let first = schema.pointer(branches.first()?)?.get("properties")?.as_object()?;
    let found = first.keys().find(|member| {
        texts(member).is_some_and(|mut texts| {
            texts.sort_unstable();
            texts.windows(2).all(|pair| pair[0] != pair[1])
        })
    });
    found.cloned()
}

/// Returns the text that a branch requires for `member`. `None` if the branch does not require the
/// member, or allows other values.
fn only_text<'s>(branch: &'s Value, member: &str) -> Option<&'s str> {
    let required = branch.get("required")?.as_array()?;
    let property: &Map<String, Value> =
        branch.get("properties")?.as_object()?.get(member)?.as_object()?;
    let only = match property.get("const") {
        Some(only) => only,
        None => match &property.get("enum")?.as_array()?[..] {
            [only] => only,
            _ => return None,
        },
    };
    required.iter().any(|name| name == member).then_some(only)?.as_str()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn branch(kind: &Value, required: &[&str]) -> Value {
        json!({"type": "object", "properties": {"a": {"type": "string"}, "type": kind}, "required": required})
    }

    fn keys(schema: &Value, pointer: &str) -> Vec<String> {
        schema.pointer(pointer).unwrap().as_object().unwrap().keys().cloned().collect()
    }

    #[test]
    fn what_tells_branches_apart_comes_first() {
        let all = ["a", "type"];
        let schema = json!({
            "$ref": "#/$defs/line",
            "$defs": {
                "line": {"oneOf": [branch(&json!({"const": "x"}), &all), {"$ref": "#/$defs/y"}]},
                "y": branch(&json!({"enum": ["y"]}), &all),
            },
        });
        let moved = discriminator_first(&schema);
        assert_eq!(keys(&moved, "/$defs/line/oneOf/0/properties"), ["type", "a"]);
        assert_eq!(keys(&moved, "/$defs/y/properties"), ["type", "a"]);
        assert_eq!(moved, schema, "members have no order in a comparison");
    }

    #[test]
    fn other_schemas_are_as_they_were() {
        let (x, y) = (json!({"const": "x"}), json!({"const": "y"}));
        let all = ["a", "type"];
        for schema in [
            json!(true),
            json!({"oneOf": []}),
            json!({"$ref": "#"}),
            json!({"oneOf": [branch(&x, &all), branch(&y, &["a"])]}),
            json!({"oneOf": [branch(&x, &all), branch(&x, &all)]}),
            json!({"oneOf": [branch(&x, &all), {"type": "null"}]}),
        ] {
            assert_eq!(discriminator_first(&schema).to_string(), schema.to_string());
        }
    }
}
