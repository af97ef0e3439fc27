//! Decides whether branches look alike: engines tell them apart by their types and a few constants, without references.
//!
//! An engine that proves branches disjoint in this way takes fewer unions than [`overlap`](super::overlap) proves disjoint.

use serde_json::{Map, Value};

use super::{At, values};

/// Most levels of members within members that are compared. Deeper members look alike.
const LEVELS: usize = 8;

/// Whether some two branches of the rule's keyword look alike.
pub(super) fn are_alike(at: At<'_>) -> bool {
    let Some(branches) = at.value().and_then(Value::as_array) else { return false };
    let mut pairs = branches
        .iter()
        .enumerate()
        .flat_map(|(index, left)| branches[index + 1..].iter().map(move |right| (left, right)));
    !pairs.all(|(left, right)| are_apart(left, right, LEVELS))
}

/// Whether two schemas differ in their types, in string or boolean constants, or in a member with such a difference that one
/// of them requires.
fn are_apart(left: &Value, right: &Value, levels: usize) -> bool {
    let (Some(left), Some(right)) = (left.as_object(), right.as_object()) else {
        return left == &Value::Bool(false) || right == &Value::Bool(false);
    };
    let (Some(left_kinds), Some(right_kinds)) = (kinds(left), kinds(right)) else { return false };
    if !left_kinds.iter().any(|kind| right_kinds.contains(kind)) {
        return true;
    }
    if let (Some(left), Some(right)) = (constants(left), constants(right)) {
        let is_plain = |value: &&Value| value.is_string() || value.is_boolean();
        let are_plain = left.iter().chain(&right).all(is_plain);
        return are_plain && !left.iter().any(|value| right.contains(value));
    }
    let are_objects = left_kinds == ["object"] && right_kinds == ["object"];
    let Some(levels) = levels.checked_sub(1).filter(|_| are_objects) else { return false };
    let required = [left, right].into_iter().filter_map(|schema| schema.get("required"));
    let mut keys = required.filter_map(Value::as_array).flatten().filter_map(Value::as_str);
    keys.any(|key| {
        let member = |schema: &'_ Map<String, Value>| schema.get("properties")?.get(key).cloned();
        match (member(left), member(right)) {
            (Some(left), Some(right)) => are_apart(&left, &right, levels),
            _ => false,
        }
    })
}

/// Returns the kinds of values that a schema has, by its types or constants. `None` if they do not say it.
fn kinds(schema: &Map<String, Value>) -> Option<Vec<&str>> {
    if schema.contains_key("$ref") {
        return None;
    }
    match schema.get("type") {
        Some(Value::String(name)) => Some(vec![kind(name)]),
        Some(Value::Array(names)) => {
            Some(names.iter().filter_map(Value::as_str).map(kind).collect())
        }
        _ => Some(constants(schema)?.into_iter().map(|value| kind(values::kind(value))).collect()),
    }
}

fn kind(name: &str) -> &str {
    if name == "integer" || name == "fraction" { "number" } else { name }
}

fn constants(schema: &Map<String, Value>) -> Option<Vec<&Value>> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) => Some(vec![value]),
        (None, Some(Value::Array(values))) => Some(values.iter().collect()),
        _ => None,
    }
}
