//! Unions as `anyOf` alone: disjoint `oneOf`, lists of types, keywords beside a union, and schemas without a type.
//!
//! Exact, apart from two cases: `oneOf` with overlapping branches gets wider. A schema without a type may get narrower.

use serde_json::{Map, Value, json};

use super::merging::distributed;
use super::task::{Outcome, Task};
use crate::lower::meet::{names, type_of};
use crate::lower::options::{Gives, Keep};
use crate::places::keywords::{is_annotation, types_of};
use crate::predicates::overlap::are_disjoint;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    match task.keyword {
        "oneOf" => one_of(task),
        "anyOf" => distribute(task, "anyOf"),
        "type" => split_types(task),
        _ => {
            let has_union = ["anyOf", "oneOf"].into_iter().find(|keyword| {
                task.before
                    .pointer(task.pointer)
                    .is_some_and(|schema| schema.get(*keyword).is_some())
            });
            match has_union {
                Some(keyword) => distribute(task, keyword),
                None => give_type(task),
            }
        }
    }
}

/// Replaces `oneOf` by `anyOf`. If `anyOf` is beside it, moves the `oneOf` into each branch of that union instead.
fn one_of(task: &mut Task<'_>) -> Option<Outcome> {
    let (before, answers) = (task.before, task.answers);
    let schema = task.schema()?;
    let branches = schema.get("oneOf")?.as_array()?.clone();
    let is_disjoint = are_disjoint(before, &branches, answers);
    let gives = if is_disjoint { Gives::Equal } else { Gives::Wider };
    if branches.len() == 1 && !schema.contains_key("allOf") {
        schema.shift_remove("oneOf");
        schema.insert("allOf".to_owned(), Value::Array(branches));
        return Outcome::schema(Gives::Equal);
    }
    if schema.contains_key("anyOf") {
        let distributed = distributed(before, schema, "anyOf")?;
        *task.value()? = distributed;
        return Outcome::schema(Gives::Equal);
    }
    // The keyword keeps its place among the others.
    let renamed: Map<String, Value> = std::mem::take(schema)
        .into_iter()
        .map(
            |(keyword, value)| {
                if keyword == "oneOf" { ("anyOf".to_owned(), value) } else { (keyword, value) }
            },
        )
        .collect();
    *schema = renamed;
    Outcome::schema(gives)
}

/// Moves the keywords beside a union into each of its branches.
fn distribute(task: &mut Task<'_>, keyword: &str) -> Option<Outcome> {
    let before = task.before;
    let distributed = distributed(before, task.schema()?, keyword)?;
    let value = task.value()?;
    if *value == distributed {
        return None;
    }
    *value = distributed;
    Outcome::schema(Gives::Equal)
}

/// Replaces a list of types by a union with one branch for each type.
fn split_types(task: &mut Task<'_>) -> Option<Outcome> {
    let schema = task.schema()?;
    let kinds: Vec<String> = names(schema.get("type")?).into_iter().map(str::to_owned).collect();
    if schema.contains_key("anyOf") || schema.contains_key("oneOf") {
        return distribute(task, "anyOf").or_else(|| distribute(task, "oneOf"));
    }
    let kinds: Vec<&str> = kinds.iter().map(String::as_str).collect();
    let split = split(schema, &kinds)?;
    *task.value()? = split;
    Outcome::schema(Gives::Equal)
}

/// Returns a union with one branch for each type. A branch has the keywords that constrain values of its type.
fn split(schema: &Map<String, Value>, kinds: &[&str]) -> Option<Value> {
    let mut outer = Map::new();
    let mut branches: Vec<Map<String, Value>> = Vec::new();
    for kind in kinds {
        let mut branch = Map::from_iter([("type".to_owned(), json!(kind))]);
        for (keyword, value) in schema.iter().filter(|(keyword, _)| *keyword != "type") {
            let types = types_of(keyword);
            let is_about =
                types.contains(kind) || (*kind == "integer" && types.contains(&"number"));
            if is_annotation(keyword) {
                outer.insert(keyword.clone(), value.clone());
            } else if keyword == "enum" {
                let kept: Vec<Value> =
                    value.as_array()?.iter().filter(|value| is_of(value, kind)).cloned().collect();
                branch.insert("enum".to_owned(), Value::Array(kept));
            } else if types.is_empty() || is_about {
                branch.insert(keyword.clone(), value.clone());
            }
        }
        if branch.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
            continue;
        }
        branches.push(branch);
    }
    if branches.len() == 1 {
        outer.extend(branches.pop()?);
        return Some(Value::Object(outer));
    }
    outer.insert("anyOf".to_owned(), json!(branches));
    Some(Value::Object(outer))
}

fn is_of(value: &Value, kind: &str) -> bool {
    match value {
        Value::Null => kind == "null",
        Value::Bool(_) => kind == "boolean",
        Value::Number(number) => {
            kind == "number"
                || (kind == "integer"
                    && number.as_f64().is_some_and(|number| number.fract() == 0.0))
        }
        Value::String(_) => kind == "string",
        Value::Array(_) => kind == "array",
        Value::Object(_) => kind == "object",
    }
}

/// Adds `type` to a schema without it: the types that its keywords constrain, scalars, or a union over all types.
fn give_type(task: &mut Task<'_>) -> Option<Outcome> {
    let closes_objects = task.asks_for("closed");
    let prefers_fewer = task.options.keep == Keep::Narrower;
    let value = task.value()?;
    if value == &json!(true) {
        *value = json!({});
    }
    let schema = value.as_object_mut()?;
    if schema.contains_key("type") || schema.contains_key("enum") || schema.contains_key("const") {
        return None;
    }
    let mut kinds: Vec<&str> =
        schema.keys().flat_map(|keyword| types_of(keyword)).copied().collect();
    kinds.sort_unstable();
    kinds.dedup();
    if kinds.is_empty() {
        // A target with closed objects takes no value of any type: scalars are what is left.
        let scalars = ["string", "number", "boolean", "null"];
        schema.insert("type".to_owned(), json!(scalars));
        return Outcome::keyword(Gives::Narrower);
    }
    if prefers_fewer || closes_objects {
        schema.insert("type".to_owned(), type_of(&kinds));
        return Outcome::keyword(Gives::Narrower);
    }
    let others = ["object", "array", "string", "number", "boolean", "null"];
    let split = split(schema, &others)?;
    *task.value()? = split;
    Outcome::schema(Gives::Equal)
}
