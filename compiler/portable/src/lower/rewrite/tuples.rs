//! Replaces item schemas by position by one schema for all items, and gives `items` to arrays without it.
//!
//! Exact if all positions have one schema, else wider. `items` as a list becomes `prefixItems` where the target takes it.

use serde_json::{Map, Value, json};

use super::task::{Outcome, Task};
use crate::lower::options::Gives;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    let takes_positions = task.takes("prefixItems");
    let takes_bounds = task.takes("maxItems");
    let closes_objects = task.asks_for("closed");
    let prefers_fewer = task.prefers_fewer();
    let takes_one = task.pack.rules.iter().any(|rule| rule.id == "min-items");
    let keyword = task.keyword.to_owned();
    let schema = task.schema()?;
    if keyword.is_empty() {
        return give_items(schema, closes_objects, prefers_fewer);
    }
    if keyword == "minItems" && takes_one {
        // One item at least is nearer than none.
        let least = schema.get_mut("minItems").filter(|least| **least != json!(1))?;
        *least = json!(1);
        return Outcome::keyword(Gives::Wider);
    }
    if !matches!(&*keyword, "items" | "prefixItems" | "additionalItems") {
        return None;
    }
    if schema.get("items").is_some_and(Value::is_array) {
        let items = schema.shift_remove("items")?;
        let rest = schema.shift_remove("additionalItems");
        schema.insert("prefixItems".to_owned(), items);
        if let Some(rest) = rest {
            schema.insert("items".to_owned(), rest);
        }
        if takes_positions {
            return Outcome::schema(Gives::Equal);
        }
    }
    if !schema.contains_key("prefixItems") {
        // Without a list of items, `additionalItems` says nothing.
        schema.shift_remove("additionalItems")?;
        return Outcome::keyword(Gives::Equal);
    }
    let positions = schema.get("prefixItems")?.as_array()?.clone();
    let rest = schema.get("items").cloned().unwrap_or_else(|| json!({}));
    let mut kinds: Vec<Value> = Vec::new();
    let is_closed = rest == json!(false);
    for kind in positions.iter().chain((!is_closed).then_some(&rest)) {
        if !kinds.contains(kind) {
            kinds.push(kind.clone());
        }
    }
    let is_exact = kinds.len() == 1 && (!is_closed || takes_bounds);
    schema.shift_remove("prefixItems");
    let any = kinds.iter().any(|kind| *kind == json!({}) || *kind == json!(true));
    let items = match kinds.len() {
        _ if any => json!({}),
        1 => kinds.pop()?,
        _ => json!({ "anyOf": kinds }),
    };
    schema.insert("items".to_owned(), items);
    if is_closed && takes_bounds {
        let most = schema.get("maxItems").and_then(Value::as_u64).unwrap_or(u64::MAX);
        schema.insert("maxItems".to_owned(), json!(most.min(positions.len() as u64)));
    }
    Outcome::schema(if is_exact { Gives::Equal } else { Gives::Wider })
}

/// Adds `items` to an array schema without it: any value, or scalars if the target requires closed objects.
fn give_items(
    schema: &mut Map<String, Value>,
    closes_objects: bool,
    prefers_fewer: bool,
) -> Option<Outcome> {
    if schema.contains_key("items") {
        return None;
    }
    let scalars = closes_objects && prefers_fewer;
    let items = if scalars || closes_objects {
        json!({"type": ["string", "number", "boolean", "null"]})
    } else {
        json!({})
    };
    schema.insert("items".to_owned(), items);
    Outcome::schema(if closes_objects { Gives::Narrower } else { Gives::Equal })
}
