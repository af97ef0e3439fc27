//! Closes objects to unnamed members: `"additionalProperties": false`.
//!
//! Exact only for objects that are closed already, else narrower.

use serde_json::{Value, json};

use super::logic;
use super::task::{Outcome, Task};
use crate::lower::options::Gives;
use crate::places::keywords::is_annotation;
use crate::places::pointer::parent;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    let schema = task.schema()?;
    if schema.get("additionalProperties") == Some(&json!(false))
        && !schema.contains_key("properties")
    {
        // Some engines read the keyword beside `properties` alone.
        schema.insert("properties".to_owned(), json!({}));
        return Outcome::schema(Gives::Equal);
    }
    if let Some(outcome) = with_parent(task) {
        return Some(outcome);
    }
    let schema = task.schema()?;
    let beside = ["allOf", "anyOf", "oneOf", "$ref"];
    if let Some(keyword) = beside.into_iter().find(|keyword| schema.contains_key(*keyword)) {
        if let Some(outcome) = logic::merge(task) {
            return Some(outcome);
        }
        // A closed object would forbid the members that the other schema names.
        task.schema()?.shift_remove(keyword);
        return Outcome::schema(Gives::Wider);
    }
    let schema = task.schema()?;
    let unevaluated = schema.get("unevaluatedProperties") == Some(&json!(false));
    let applicators = ["allOf", "anyOf", "oneOf", "$ref", "if", "dependentSchemas"];
    let is_alone = !applicators.iter().any(|keyword| schema.contains_key(*keyword));
    if unevaluated {
        schema.shift_remove("unevaluatedProperties");
    }
    schema.insert("additionalProperties".to_owned(), Value::Bool(false));
    if !schema.contains_key("properties") && !schema.contains_key("patternProperties") {
        schema.insert("properties".to_owned(), json!({}));
    }
    Outcome::schema(if unevaluated && is_alone { Gives::Equal } else { Gives::Narrower })
}

/// Merges the schema around a branch with its branches, if it has keywords beside them. A closed branch would forbid
/// the members that these keywords name. If merging fails, removes the branches.
fn with_parent(task: &mut Task<'_>) -> Option<Outcome> {
    if !matches!(task.held_by, "allOf" | "anyOf" | "oneOf") {
        return None;
    }
    let (list, _) = parent(task.pointer)?;
    let (outer, keyword) = parent(list)?;
    let schema = task.root.pointer(outer)?.as_object()?;
    let is_beside = |name: &String| *name != keyword && *name != "type" && !is_annotation(name);
    if keyword != "allOf" && !schema.keys().any(is_beside) {
        return None;
    }
    if let Some(outcome) = logic::flatten_parent(task) {
        return Some(outcome);
    }
    task.root.pointer_mut(outer)?.as_object_mut()?.shift_remove(&keyword);
    Outcome::schema(Gives::Wider)
}
