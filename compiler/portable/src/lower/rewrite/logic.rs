//! Rewrites conjunctions, `unevaluated*`, `propertyNames`, `contains` and boolean schemas in plain keywords.

use serde_json::{Map, Value, json};

use super::merging::merged;
use super::task::{Outcome, Task};
use crate::lower::meet::meet;
use crate::lower::options::Gives;
use crate::lower::tree::{absorb_false, remove_definitions};
use crate::places::keywords::{is_annotation, is_definitions};
use crate::places::pointer::parent;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    match task.keyword {
        "allOf" => merge(task),
        "unevaluatedProperties" | "unevaluatedItems" => unevaluated(task),
        "propertyNames" => property_names(task),
        "contains" => contains(task),
        "" if task.held_by == "allOf" => flatten_parent(task),
        "" => boolean(task),
        _ => None,
    }
}

/// Merges the parent schema that has this one as a branch.
pub(super) fn flatten_parent(task: &mut Task<'_>) -> Option<Outcome> {
    let (list, _) = parent(task.pointer)?;
    let (outer, _) = parent(list)?;
    let before = task.before;
    let schema = task.root.pointer_mut(outer)?;
    let merged = merged(before, schema.as_object()?)?;
    *schema = merged;
    Outcome::schema(Gives::Equal)
}

/// Merges `allOf`, `$ref` and unions with the keywords beside them.
pub(super) fn merge(task: &mut Task<'_>) -> Option<Outcome> {
    let before = task.before;
    let value = task.value()?;
    let merged = merged(before, value.as_object()?)?;
    if *value == merged {
        return None;
    }
    *value = merged;
    Outcome::schema(Gives::Equal)
}

/// Replaces `unevaluated*` by `additionalProperties`, `additionalItems` or `items`, once no applicator is beside it.
/// Otherwise, merges these first.
fn unevaluated(task: &mut Task<'_>) -> Option<Outcome> {
    let keyword = task.keyword.to_owned();
    let schema = task.schema()?;
    let applicators = [
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
        "if",
        "dependentSchemas",
        "not",
        "contains",
        "$dynamicRef",
    ];
    if applicators.iter().any(|name| schema.contains_key(*name)) {
        return merge(task);
    }
    let value = schema.get(&keyword)?.clone();
    let plain = match &*keyword {
        "unevaluatedProperties" => "additionalProperties",
        _ if schema.get("items").is_some_and(Value::is_array) => "additionalItems",
        _ => "items",
    };
    schema.shift_remove(&keyword);
    if !schema.contains_key(plain) {
        schema.insert(plain.to_owned(), value);
    }
    Outcome::schema(Gives::Equal)
}

/// Replaces `propertyNames` by `properties` or `patternProperties`, for a list of names or a pattern.
fn property_names(task: &mut Task<'_>) -> Option<Outcome> {
    let takes_patterns = task.takes("patternProperties");
    let schema = task.schema()?;
    if schema.contains_key("patternProperties") {
        return None;
    }
    let names = schema.get("propertyNames")?.as_object()?;
    let names: Map<String, Value> = names
        .iter()
        .filter(|(keyword, _)| !is_annotation(keyword))
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let rest = schema.get("additionalProperties").cloned().unwrap_or_else(|| json!(true));
    let only = |keyword: &str| {
        names.keys().all(|name| name == keyword || name == "type") && names.contains_key(keyword)
    };
    let is_string = names.get("type").is_none_or(|kind| kind == "string");
    if !is_string {
        return None;
    }
    if only("enum") {
        let keys: Vec<&str> =
            names.get("enum")?.as_array()?.iter().filter_map(Value::as_str).collect();
        let own = schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        let members: Map<String, Value> = keys
            .iter()
            .map(|key| ((*key).to_owned(), own.get(*key).cloned().unwrap_or_else(|| rest.clone())))
            .collect();
        schema.insert("properties".to_owned(), Value::Object(members));
    } else if only("pattern") && takes_patterns && !schema.contains_key("properties") {
        let pattern = names.get("pattern")?.as_str()?.to_owned();
        schema.insert("patternProperties".to_owned(), json!({ pattern: rest }));
    } else if names.keys().all(|name| name == "type") {
        schema.shift_remove("propertyNames");
        return Outcome::keyword(Gives::Equal);
    } else {
        return None;
    }
    schema.shift_remove("propertyNames");
    schema.insert("additionalProperties".to_owned(), json!(false));
    Outcome::schema(Gives::Equal)
}

/// Replaces `contains` by `items` and `minItems`: narrower.
fn contains(task: &mut Task<'_>) -> Option<Outcome> {
    if !task.prefers_fewer() || !task.takes("items") {
        return None;
    }
    let takes_least = task.takes("minItems");
    let schema = task.schema()?;
    let counted = schema.contains_key("minContains") || schema.contains_key("maxContains");
    let by_place =
        schema.contains_key("prefixItems") || schema.get("items").is_some_and(Value::is_array);
    if counted || by_place || !takes_least || schema.get("type") != Some(&json!("array")) {
        return None;
    }
    let wanted = schema.get("contains")?.clone();
    let items =
        schema.get("items").map_or_else(|| Some(wanted.clone()), |items| meet(items, &wanted))?;
    schema.shift_remove("contains");
    schema.insert("items".to_owned(), items);
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).max(1);
    schema.insert("minItems".to_owned(), json!(least));
    Outcome::schema(Gives::Narrower)
}

/// Replaces `true` by `{}`, and removes `false` with the schemas that it makes unsatisfiable.
fn boolean(task: &mut Task<'_>) -> Option<Outcome> {
    let is_true = task.value()? == &json!(true);
    if is_true {
        *task.value()? = json!({});
        return Outcome::schema(Gives::Equal);
    }
    if task.value()? != &json!(false) {
        return None;
    }
    let pointer = task.pointer.to_owned();
    let mut root = task.root.clone();
    if is_definitions(task.held_by) {
        // References to it allow nothing either.
        remove_definitions(&mut root, &[format!("#{pointer}")]);
        crate::places::pointer::remove(&mut root, &pointer);
    }
    if absorb_false(&mut root) {
        return None;
    }
    *task.root = root;
    if task.root.pointer(&pointer) == Some(&json!(false)) {
        return forbid(task);
    }
    Outcome::schema(Gives::Equal)
}

/// Removes a `false` that nothing absorbs: an unnamed member is allowed then, or the array is empty.
fn forbid(task: &mut Task<'_>) -> Option<Outcome> {
    let (holder, last) = parent(task.pointer)?;
    if task.held_by == "items" && last == "items" {
        let schema = task.root.pointer_mut(holder)?.as_object_mut()?;
        let least = schema.get("prefixItems").and_then(Value::as_array).map_or(0, Vec::len);
        schema.shift_remove("items");
        let most =
            schema.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX).min(least as u64);
        schema.insert("maxItems".to_owned(), json!(most));
        return Outcome::schema(Gives::Equal);
    }
    crate::places::pointer::remove(task.root, task.pointer)?;
    Outcome::schema(Gives::Wider)
}
