//! Small operations on schema documents: references, unused names, definitions, and unsatisfiable schemas.

use serde_json::{Map, Value, json};

use crate::places::Places;
use crate::places::keywords::{Holds, holds};
use crate::places::pointer::join;

/// Most targets of references that are moved to `$defs`. Later targets stay in place.
const MOST_TARGETS: usize = 256;

/// Calls `visit` with each `$ref` of a document, apart from those inside values such as `enum`. Recurses as deep as the
/// document, which the JSON parser bounds.
pub(crate) fn for_each_reference(schema: &mut Value, visit: &mut impl FnMut(&mut String)) {
    let Some(members) = schema.as_object_mut() else { return };
    for (keyword, value) in members {
        match (holds(keyword), &mut *value) {
            (_, Value::String(uri)) if keyword == "$ref" => visit(uri),
            (Holds::Schema | Holds::List, Value::Array(items)) => {
                items.iter_mut().for_each(|item| for_each_reference(item, visit));
            }
            (Holds::Schema, value) => for_each_reference(value, visit),
            (Holds::Named, Value::Object(named)) => {
                named.values_mut().for_each(|one| for_each_reference(one, visit));
            }
            _ => {}
        }
    }
}

/// Whether a document has at most `values` values and `levels` levels of nesting.
pub(crate) fn is_within(document: &Value, values: usize, levels: usize) -> bool {
    let mut open = vec![(document, 0)];
    let mut count = 0;
    while let Some((value, level)) = open.pop() {
        count += 1;
        if count > values || level > levels {
            return false;
        }
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(members) => open.extend(members.values().map(|one| (one, level + 1))),
            _ => {}
        }
    }
    true
}

/// Returns a name that `definitions` does not have: `name`, or `name` with a number.
pub(crate) fn free_name(definitions: &Value, name: &str) -> String {
    let clean: String = name
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '_' })
        .collect();
    let is_free = |name: &str| definitions.get(name).is_none();
    let mut found = if clean.is_empty() { "schema".to_owned() } else { clean.clone() };
    let mut count = 1;
    while !is_free(&found) {
        count += 1;
        found = format!("{clean}_{count}");
    }
    found
}

/// Adds a definition under an unused name, and returns a reference to it. `None` if the root or its `$defs` is not an
/// object.
pub(crate) fn define(root: &mut Value, name: &str, schema: Value) -> Option<String> {
    let slot = root.as_object_mut()?.entry("$defs").or_insert_with(|| json!({}));
    let name = free_name(slot, name);
    slot.as_object_mut()?.insert(name.clone(), schema);
    Some(join("#/$defs", &name))
}

/// Copies targets of references to `$defs` if no keyword holds them, such as `#/$defs/group/name`. Otherwise, their
/// keys would count as unknown keywords and be dropped.
pub(crate) fn define_targets(root: &mut Value) {
    // Each round defines one target, and a definition may refer to others.
    for _ in 0..MOST_TARGETS {
        let found = {
            let places = Places::of(root);
            let unheld = places
                .all
                .iter()
                .filter(|place| place.reference.as_ref().is_some_and(|one| one.target.is_none()));
            let mut uris = unheld.filter_map(|place| place.get("$ref")?.as_str());
            uris.find_map(|uri| Some((uri.to_owned(), target(root, uri)?.clone())))
        };
        let Some((uri, schema)) = found else { return };
        let name = uri.rsplit('/').next().unwrap_or_default().to_owned();
        let Some(new) = define(root, &name, schema) else { return };
        for_each_reference(root, &mut |one| {
            if *one == uri {
                one.clone_from(&new);
            }
        });
    }
}

/// Replaces references to unsatisfiable definitions by `false`, and removes definitions that are `false`. `gone` has
/// the references.
pub(crate) fn remove_definitions(root: &mut Value, gone: &[String]) {
    let places: Vec<String> = {
        let places = Places::of(root);
        let is_gone = |uri: &str| gone.iter().any(|one| one == uri);
        let referring = places
            .all
            .iter()
            .filter(|place| place.get("$ref").and_then(Value::as_str).is_some_and(is_gone));
        referring.map(|place| place.pointer.clone()).collect()
    };
    for pointer in places {
        if let Some(schema) = root.pointer_mut(&pointer) {
            *schema = json!(false);
        }
    }
    if let Some(definitions) = root.get_mut("$defs").and_then(Value::as_object_mut) {
        definitions.retain(|_, one| *one != json!(false));
    }
}

/// Returns the schema that a reference within the document names.
pub(crate) fn target<'v>(root: &'v Value, uri: &str) -> Option<&'v Value> {
    root.pointer(&crate::places::pointer::decoded(uri.strip_prefix('#')?))
}

/// Removes `false` from inside a schema where this keeps the schema's meaning: optional members of closed objects, and
/// branches of unions. Returns whether `schema` itself is unsatisfiable.
pub(crate) fn absorb_false(schema: &mut Value) -> bool {
    if schema == &Value::Bool(false) {
        return true;
    }
    let Some(members) = schema.as_object_mut() else { return false };
    let mut is_false = false;
    for (keyword, value) in members.iter_mut() {
        match (holds(keyword), &mut *value) {
            (Holds::List, Value::Array(branches)) if keyword == "anyOf" || keyword == "oneOf" => {
                branches.retain_mut(|branch| !absorb_false(branch));
                is_false |= branches.is_empty();
            }
            (Holds::List, Value::Array(branches)) if keyword == "allOf" => {
                for branch in branches {
                    is_false |= absorb_false(branch);
                }
            }
            (Holds::Schema, value) if value.is_object() => {
                let is_forbidden = absorb_false(value);
                if is_forbidden {
                    *value = json!(false);
                }
            }
            (Holds::Named, Value::Object(named)) => {
                for one in named.values_mut().filter(|one| one.is_object()) {
                    if absorb_false(one) {
                        *one = json!(false);
                    }
                }
            }
            _ => {}
        }
    }
    is_false |= forbidden_members(members) || forbidden_items(members);
    is_false
}

/// Removes members with the schema `false` from a closed object. Returns whether such a member is required.
fn forbidden_members(members: &mut Map<String, Value>) -> bool {
    let is_closed = members.get("additionalProperties") == Some(&json!(false))
        && !members.contains_key("patternProperties");
    let required: Vec<String> = members
        .get("required")
        .and_then(Value::as_array)
        .map(|keys| keys.iter().filter_map(Value::as_str).map(str::to_owned).collect())
        .unwrap_or_default();
    let is_object = members.get("type") == Some(&json!("object"));
    let Some(named) = members.get_mut("properties").and_then(Value::as_object_mut) else {
        return false;
    };
    let is_forbidden = |schema: &Value| schema == &json!(false);
    if is_object && required.iter().any(|key| named.get(key).is_some_and(is_forbidden)) {
        return true;
    }
    if is_closed {
        named.retain(|_, schema| !is_forbidden(schema));
    }
    false
}

/// Replaces `"items": false` by `"maxItems": 0`. Returns whether `minItems` contradicts that.
fn forbidden_items(members: &mut Map<String, Value>) -> bool {
    let is_alone =
        !members.contains_key("prefixItems") && members.get("items") == Some(&json!(false));
    if !is_alone {
        return false;
    }
    members.shift_remove("items");
    members.insert("maxItems".to_owned(), json!(0));
    let least = members.get("minItems").and_then(Value::as_u64).unwrap_or(0);
    least > 0 && members.get("type") == Some(&json!("array"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unsatisfiable_schemas_are_absorbed() {
        let cases = [
            (
                json!({"type": "object", "properties": {"a": false, "b": {}}, "additionalProperties": false}),
                Some(
                    json!({"type": "object", "properties": {"b": {}}, "additionalProperties": false}),
                ),
            ),
            (json!({"type": "object", "properties": {"a": false}, "required": ["a"]}), None),
            (
                json!({"anyOf": [false, {"type": "null"}]}),
                Some(json!({"anyOf": [{"type": "null"}]})),
            ),
            (json!({"anyOf": [{"allOf": [false]}]}), None),
            (
                json!({"type": "array", "items": false}),
                Some(json!({"type": "array", "maxItems": 0})),
            ),
            (json!({"properties": {"a": false}}), Some(json!({"properties": {"a": false}}))),
        ];
        for (mut schema, expected) in cases {
            let text = schema.to_string();
            let is_false = absorb_false(&mut schema);
            assert_eq!((!is_false).then_some(schema), expected, "{text}");
        }
    }
}
