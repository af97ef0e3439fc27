//! Objects without other members: `"additionalProperties": false`.
//!
//! Exact only for objects that are closed by another keyword already, else narrower.

use serde_json::{Value, json};

use super::{Outcome, Task, logic};
use crate::lower::options::Gives;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    // A closed branch of a conjunction would forbid the members of the others.
    if task.held_by == "allOf" {
        return logic::flatten_parent(task);
    }
    let schema = task.schema()?;
    if ["allOf", "anyOf", "oneOf", "$ref", "if"].iter().any(|keyword| schema.contains_key(*keyword)) {
        if let Some(outcome) = logic::merge(task) {
            return Some(outcome);
        }
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
