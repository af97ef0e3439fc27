//! Members that every object has.
//!
//! Optional members become required (narrower), unless they get a stand-in at the end. A required key that `properties`
//! lacks is added there with the schema of unnamed members (exact).

use serde_json::{Value, json};

use super::task::{Outcome, Task};
use crate::lower::options::Gives;
use crate::lower::stand_ins::can_stand;
use crate::lower::tree::absorb_false;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    if task.keyword == "required" {
        return name_required(task);
    }
    let (stands, nullable) = (task.options.null_for_absent, task.nullable);
    let schema = task.schema()?;
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let named = schema.get("properties")?.as_object()?;
    let optional = named.keys().filter(|key| !required.contains(&key.as_str()));
    let keys: Vec<String> =
        optional.filter(|key| !stands || !can_stand(nullable, schema, key)).cloned().collect();
    if keys.is_empty() {
        return None;
    }
    require(task, &keys)?;
    Outcome::keyword(Gives::Narrower)
}

/// Makes the first member required, for targets that need one.
pub(super) fn one(task: &mut Task<'_>) -> Option<Outcome> {
    let first = task.schema()?.get("properties")?.as_object()?.keys().next()?.clone();
    require(task, &[first])?;
    Outcome::keyword(Gives::Narrower)
}

fn require(task: &mut Task<'_>, keys: &[String]) -> Option<()> {
    let required = task.schema()?.entry("required").or_insert_with(|| json!([])).as_array_mut()?;
    required.extend(keys.iter().map(|key| json!(key)));
    Some(())
}

/// Names required keys in `properties`, with the schema that unnamed members have.
fn name_required(task: &mut Task<'_>) -> Option<Outcome> {
    let schema = task.schema()?;
    if schema.contains_key("patternProperties") {
        return None;
    }
    let rest = schema.get("additionalProperties").cloned().unwrap_or_else(|| json!({}));
    let rest = if rest == json!(true) { json!({}) } else { rest };
    if rest == json!(false) {
        // No object has a member that it must not have.
        *task.value()? = rest;
        absorb_false(task.root);
        return Outcome::schema(Gives::Equal);
    }
    let keys: Vec<String> = schema
        .get("required")?
        .as_array()?
        .iter()
        .filter_map(Value::as_str)
        .map(str::to_owned)
        .collect();
    let named = schema.entry("properties").or_insert_with(|| json!({})).as_object_mut()?;
    for key in keys {
        named.entry(key).or_insert_with(|| rest.clone());
    }
    Outcome::schema(Gives::Equal)
}
