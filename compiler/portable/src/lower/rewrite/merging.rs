//! One schema in place of several that apply together: conjunctions, targets of references and keywords beside unions.
//!
//! Exact. There is no such schema if two keywords do not merge, or if a reference is recursive or leads to another
//! document.

use serde_json::{Map, Value, json};

use crate::lower::meet::meet;
use crate::lower::tree::target;
use crate::places::keywords::{is_annotation, is_definitions};

/// Returns one schema with the meaning of `schema`: merges the branches of its `allOf` and the target of its `$ref`.
/// `None` if that is impossible.
pub(super) fn merged(root: &Value, schema: &Map<String, Value>) -> Option<Value> {
    // What is unevaluated depends on all of them, and changes its meaning with the branch that holds it.
    let mut rest = schema.clone();
    let unevaluated: Vec<(String, Value)> = ["unevaluatedProperties", "unevaluatedItems"]
        .iter()
        .filter_map(|keyword| {
            rest.shift_remove(*keyword).map(|value| ((*keyword).to_owned(), value))
        })
        .collect();
    let mut parts: Vec<Value> = match rest.shift_remove("allOf") {
        Some(Value::Array(branches)) => branches,
        _ => Vec::new(),
    };
    if let Some(Value::String(uri)) = rest.get("$ref").cloned() {
        rest.shift_remove("$ref");
        parts.insert(0, json!({ "$ref": uri }));
    }
    let has_union = rest.contains_key("anyOf") || rest.contains_key("oneOf");
    if parts.is_empty() && !has_union {
        return None;
    }
    let mut met = Value::Object(rest);
    for part in parts {
        let part = inlined(root, part)?;
        met = meet(&met, &part)?;
    }
    if let Some(schema) = met.as_object().filter(|_| has_union && unevaluated.is_empty()) {
        let keyword = if schema.contains_key("anyOf") { "anyOf" } else { "oneOf" };
        // Branches of `oneOf` with more keywords overlap no more than before.
        met = distributed(root, schema, keyword)?;
    }
    if let Some(schema) = met.as_object_mut() {
        schema.extend(unevaluated);
    }
    Some(met)
}

/// Returns a schema with the keywords beside its union in each branch. `None` if some branch cannot take them.
pub(super) fn distributed(
    root: &Value,
    schema: &Map<String, Value>,
    keyword: &str,
) -> Option<Value> {
    let branches = schema.get(keyword)?.as_array()?;
    let (mut outer, mut beside) = (Map::new(), Map::new());
    for (name, value) in schema.iter().filter(|(name, _)| *name != keyword) {
        let part = if is_annotation(name) { &mut outer } else { &mut beside };
        part.insert(name.clone(), value.clone());
    }
    if beside.is_empty() {
        return None;
    }
    let beside = Value::Object(beside);
    let mut written = Vec::new();
    for branch in branches {
        match meet(&inlined(root, branch.clone())?, &beside)? {
            Value::Bool(false) => {}
            met => written.push(met),
        }
    }
    match written.len() {
        0 => Some(json!(false)),
        _ => {
            outer.insert(keyword.to_owned(), Value::Array(written));
            Some(Value::Object(outer))
        }
    }
}

/// Replaces the `$ref` of a schema by its target, merged with the keywords beside it. `None` for recursive references
/// and references to other documents.
fn inlined(root: &Value, part: Value) -> Option<Value> {
    let mut part = part;
    for _ in 0..16 {
        let Some(uri) = part.get("$ref").and_then(Value::as_str) else { return Some(part) };
        let found = target(root, uri)?;
        if found.to_string().contains(&format!("\"$ref\":{}", json!(uri))) {
            return None;
        }
        let mut found = found.clone();
        if let Some(members) = found.as_object_mut() {
            members.retain(|keyword, _| {
                !is_definitions(keyword) && !matches!(&**keyword, "$id" | "$anchor" | "$schema")
            });
        }
        let mut beside = part.as_object()?.clone();
        beside.shift_remove("$ref");
        part = meet(&Value::Object(beside), &found)?;
    }
    None
}
