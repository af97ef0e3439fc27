//! Makes the root an object schema. A root of another type gets a stand-in at the end.
//!
//! A root with object keywords and without `type` gets `"type": "object"`: narrower, because other values are refused.

use serde_json::json;

use super::logic;
use super::task::{Outcome, Task};
use crate::lower::options::{Gives, Keep};

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    let can_wrap = task.options.wrap_root;
    let keep = task.options.keep;
    let schema = task.schema()?;
    if (schema.contains_key("$ref") || schema.contains_key("allOf"))
        && let Some(outcome) = logic::merge(task)
    {
        return Some(outcome);
    }
    let schema = task.schema()?;
    let has_members = ["properties", "required", "patternProperties", "additionalProperties"]
        .iter()
        .any(|keyword| schema.contains_key(*keyword));
    let is_untyped = !schema.contains_key("type") && !schema.contains_key("anyOf");
    if is_untyped && has_members && (keep == Keep::Narrower || !can_wrap) {
        schema.insert("type".to_owned(), json!("object"));
        return Outcome::keyword(Gives::Narrower);
    }
    let allows_objects = schema.get("type").and_then(|kind| kind.as_array());
    let allows_objects = allows_objects.is_some_and(|names| names.contains(&json!("object")));
    if allows_objects && has_members && !can_wrap {
        schema.insert("type".to_owned(), json!("object"));
        return Outcome::keyword(Gives::Narrower);
    }
    None
}
