//! An example for a schema, for people and for models that try again.
//!
//! The example is an outline and need not satisfy the schema. It follows `const`, `enum`,
//! `examples`, `default`, types, properties, items, the first branch of a union, and references
//! within the schema. Bounds and patterns are ignored. Objects show all their properties. The
//! outline has at most [`MOST`] values and [`DEPTH`] levels.

use std::fmt;

use serde_json::{Map, Value, json};

/// Maximum number of values in an example. Further values are null or left out.
const MOST: usize = 256;
/// Maximum number of levels in an example. Deeper values are null.
const DEPTH: usize = 12;

/// An outline of a schema's instances. Its `Display` is JSON on several lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// The outline as a JSON value.
    pub example: Value,
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.example)
    }
}

impl Expected {
    pub(crate) fn of(schema: &Value) -> Self {
        let mut outline = Outline { root: schema, left: MOST };
        Self { example: outline.value(schema, 0) }
    }
}

struct Outline<'s> {
    root: &'s Value,
    left: usize,
}

impl<'s> Outline<'s> {
    /// Returns an example for a schema. The recursion is limited to [`DEPTH`] levels.
    fn value(&mut self, schema: &'s Value, depth: usize) -> Value {
        let Some(object) = schema.as_object() else { return json!({}) };
        self.left = self.left.saturating_sub(1);
        if depth >= DEPTH || self.left == 0 {
            return Value::Null;
        }
        if let Some(value) = object.get("const") {
            return value.clone();
        }
        for list in ["examples", "enum"] {
            if let Some(first) = object.get(list).and_then(|list| list.get(0)) {
                return first.clone();
            }
        }
        if let Some(target) = object.get("$ref").and_then(|target| self.target(target)) {
            return self.value(target, depth + 1);
        }
        let kind = match object.get("type") {
            Some(Value::String(kind)) => Some(&**kind),
            Some(Value::Array(kinds)) => kinds.first().and_then(Value::as_str),
            _ if object.contains_key("properties") => Some("object"),
            _ if object.contains_key("items") || object.contains_key("prefixItems") => {
                Some("array")
            }
            _ => None,
        };
        match kind {
            Some("object") => self.object(object, depth),
            Some("array") => self.array(object, depth),
            Some("string") => Value::from(string(object)),
            Some("integer" | "number") => {
                object.get("minimum").cloned().unwrap_or_else(|| json!(0))
            }
            Some("boolean") => json!(true),
            Some("null") => Value::Null,
            _ => {
                let branch =
                    ["anyOf", "oneOf", "allOf"].iter().find_map(|name| object.get(*name)?.get(0));
                branch.map_or_else(|| json!({}), |branch| self.value(branch, depth + 1))
            }
        }
    }

    fn object(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Value {
        let mut members = Map::new();
        for part in std::iter::once(schema).chain(all_of(schema)) {
            for (key, schema) in
                part.get("properties").and_then(Value::as_object).into_iter().flatten()
            {
                if self.left == 0 {
                    break;
                }
                members.insert(key.clone(), self.value(schema, depth + 1));
            }
        }
        Value::Object(members)
    }

    fn array(&mut self, schema: &'s Map<String, Value>, depth: usize) -> Value {
        let items = schema.get("items");
        let first = schema.get("prefixItems").or(items).and_then(Value::as_array);
        let first = first.into_iter().flatten();
        let rest = items.filter(|items| items.is_object());
        Value::Array(first.chain(rest).map(|schema| self.value(schema, depth + 1)).collect())
    }

    /// Returns the target of a reference within the schema. `None` if it does not exist or is
    /// outside.
    fn target(&self, reference: &Value) -> Option<&'s Value> {
        self.root.pointer(reference.as_str()?.strip_prefix('#')?)
    }
}

fn all_of(schema: &Map<String, Value>) -> impl Iterator<Item = &Map<String, Value>> {
    let parts = schema.get("allOf").and_then(Value::as_array);
    parts.into_iter().flatten().filter_map(Value::as_object)
}

/// Returns a text that describes a string: its format, its pattern, or just `string`.
fn string(schema: &Map<String, Value>) -> String {
    let named = ["format", "pattern"].iter().find_map(|name| schema.get(*name)?.as_str());
    named.map_or_else(|| "string".to_owned(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_outline_shows_properties_values_and_branches() {
        let schema = json!({
            "$defs": {"item": {"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}}},
            "type": "object",
            "properties": {
                "kind": {"enum": ["a", "b"]},
                "when": {"type": "string", "format": "date"},
                "items": {"type": "array", "items": {"$ref": "#/$defs/item"}},
                "x": {"anyOf": [{"type": "null"}, {"type": "string"}]}
            }
        });
        let expected = json!({"kind": "a", "when": "date", "items": [{"n": 1}], "x": null});
        assert_eq!(Expected::of(&schema).example, expected);
    }

    #[test]
    fn recursion_ends() {
        let schema =
            json!({"type": "array", "items": {"$ref": "#"}, "prefixItems": [{"$ref": "#"}]});
        Expected::of(&schema);
    }
}
