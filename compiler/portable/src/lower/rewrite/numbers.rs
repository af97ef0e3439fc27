//! Bounds and multiples: other bounds of the same integers, or the list of all integers in between.
//!
//! Exact for integers. The list has at most [`MOST_VALUES`] values.

use serde_json::{Map, Value, json};

use super::task::{Outcome, Task};
use crate::lower::meet::whole;
use crate::lower::options::Gives;

/// Most values of a list that replaces bounds.
const MOST_VALUES: i64 = 64;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    let takes_bounds = task.takes("minimum") && task.takes("maximum");
    let takes_list = task
        .pack
        .keywords
        .get("enum")
        .is_some_and(|entry| entry.is == crate::finding::Treatment::Enforced);
    let keyword = task.keyword.to_owned();
    let schema = task.schema()?;
    if schema.get(&keyword)?.is_boolean() {
        return of_draft_4(schema, &keyword);
    }
    if schema.get("type") != Some(&json!("integer")) {
        return None;
    }
    if takes_bounds && keyword != "multipleOf" {
        return as_whole_bound(schema, &keyword);
    }
    if !takes_list || schema.contains_key("enum") || schema.contains_key("const") {
        return None;
    }
    let (low, high) = bounds(schema)?;
    let step = match schema.get("multipleOf") {
        None => 1,
        Some(step) => i64::try_from(step.as_u64()?).ok().filter(|&step| step > 0)?,
    };
    let first = low.checked_add(step - 1)?.div_euclid(step).checked_mul(step)?;
    let count = high.checked_sub(first)?.div_euclid(step).checked_add(1)?;
    if !(1..=MOST_VALUES).contains(&count) {
        return None;
    }
    let values: Vec<Value> = (0..count).map(|at| whole(first + at * step)).collect();
    for keyword in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"] {
        schema.shift_remove(keyword);
    }
    schema.insert("enum".to_owned(), Value::Array(values));
    Outcome::schema(Gives::Equal)
}

/// Replaces the boolean `"exclusiveMinimum": true` of draft 4 by a numeric exclusive bound.
fn of_draft_4(schema: &mut Map<String, Value>, keyword: &str) -> Option<Outcome> {
    let bound = if keyword == "exclusiveMinimum" { "minimum" } else { "maximum" };
    let is_exclusive = schema.shift_remove(keyword)?.as_bool()?;
    if is_exclusive && let Some(value) = schema.shift_remove(bound) {
        schema.insert(keyword.to_owned(), value);
    }
    Outcome::schema(Gives::Equal)
}

/// Writes a bound as `minimum` or `maximum` of the same integers.
fn as_whole_bound(schema: &mut Map<String, Value>, keyword: &str) -> Option<Outcome> {
    let value = schema.get(keyword)?.as_f64().filter(|value| value.abs() < 9e15)?;
    let (name, bound) = match keyword {
        "minimum" => ("minimum", value.ceil()),
        "maximum" => ("maximum", value.floor()),
        "exclusiveMinimum" => ("minimum", value.floor() + 1.0),
        "exclusiveMaximum" => ("maximum", value.ceil() - 1.0),
        _ => return None,
    };
    let is_lower = name == "minimum";
    let own = schema.get(name).and_then(Value::as_f64).filter(|_| name != keyword);
    let bound = own
        .map_or(bound, |own| if is_lower { own.ceil().max(bound) } else { own.floor().min(bound) });
    if name == keyword && bound == value {
        return None;
    }
    schema.shift_remove(keyword);
    schema.insert(name.to_owned(), whole(bound as i64));
    Outcome::schema(Gives::Equal)
}

/// Returns the least and the greatest integer that the bounds allow. `None` without both.
fn bounds(schema: &Map<String, Value>) -> Option<(i64, i64)> {
    let number = |keyword: &str| schema.get(keyword).and_then(Value::as_f64);
    let low =
        [number("minimum").map(f64::ceil), number("exclusiveMinimum").map(|at| at.floor() + 1.0)];
    let high =
        [number("maximum").map(f64::floor), number("exclusiveMaximum").map(|at| at.ceil() - 1.0)];
    let low = low.into_iter().flatten().reduce(f64::max)?;
    let high = high.into_iter().flatten().reduce(f64::min)?;
    let fits = |number: f64| number.abs() < 9e15;
    (fits(low) && fits(high)).then_some((low as i64, high as i64))
}
