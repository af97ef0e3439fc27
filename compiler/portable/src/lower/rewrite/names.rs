//! Constants in the forms that targets take: `const` as `enum`, objects and arrays as schemas of their members and
//! items, numbers as bounds.
//!
//! Exact. Identifiers (`$id`) are removed if no reference uses them.

use serde_json::{Map, Value, json};

use super::task::{Outcome, Task};
use crate::lower::options::Gives;
use crate::places::keywords::is_annotation;

pub(super) fn rewrite(task: &mut Task<'_>) -> Option<Outcome> {
    match task.keyword {
        "$id" | "id" => unnamed(task),
        "const" | "enum" => constants(task),
        _ => None,
    }
}

/// Removes the identifier of a document, unless a reference uses it.
fn unnamed(task: &mut Task<'_>) -> Option<Outcome> {
    let keyword = task.keyword.to_owned();
    let uri = task.schema()?.get(&keyword)?.as_str()?.to_owned();
    let mut is_used = false;
    crate::lower::tree::for_each_reference(task.root, &mut |reference| {
        is_used |= !reference.starts_with('#') || uri.starts_with('#') && *reference == uri;
    });
    if is_used || (!task.pointer.is_empty() && !uri.starts_with('#')) {
        return None;
    }
    task.schema()?.shift_remove(&keyword)?;
    Outcome::keyword(Gives::Equal)
}

/// Rewrites the values of `const` or `enum` in the form that the target takes.
fn constants(task: &mut Task<'_>) -> Option<Outcome> {
    let takes_list = task.takes("enum");
    let takes_constant = task.takes("const");
    let takes_numbers = !task.pack.rules.iter().any(|rule| rule.id == "enum-kinds");
    let takes_positions =
        task.takes("prefixItems") && task.takes("minItems") && task.takes("maxItems");
    let keyword = task.keyword.to_owned();
    let schema = task.schema()?;
    let values: Vec<Value> = match schema.get(&keyword)? {
        Value::Array(values) if keyword == "enum" => values.clone(),
        value => vec![value.clone()],
    };
    let values: Vec<Value> = match schema.get("type").map(crate::lower::meet::names) {
        Some(kinds) if !kinds.is_empty() => {
            values.into_iter().filter(|value| is_of(value, &kinds)).collect()
        }
        _ => values,
    };
    let is_plain = |value: &Value| match value {
        Value::Object(_) | Value::Array(_) => false,
        Value::String(_) => true,
        _ => takes_numbers,
    };
    let (plain, others): (Vec<Value>, Vec<Value>) = values.into_iter().partition(is_plain);
    let plain_schema = || -> Value {
        match &plain[..] {
            [one] if takes_constant && !takes_list => json!({ "const": one }),
            all => json!({ "enum": all }),
        }
    };
    let mut branches = Vec::new();
    if !plain.is_empty() {
        let takes_one = takes_constant && plain.len() == 1;
        if !takes_list && !takes_one {
            return None;
        }
        branches.push(plain_schema());
    }
    for value in others {
        branches.push(structure(&value, takes_numbers, takes_positions, takes_list)?);
    }
    let beside =
        schema.iter().any(|(name, _)| *name != keyword && *name != "type" && !is_annotation(name));
    if beside && branches.len() > 1 {
        return None;
    }
    schema.shift_remove(&keyword);
    match branches.len() {
        0 => {
            *task.value()? = json!(false);
        }
        1 => {
            let branch = branches.pop()?;
            if branch.get("type").is_some() {
                schema.shift_remove("type");
            }
            schema.extend(branch.as_object()?.clone());
        }
        _ => {
            schema.shift_remove("type");
            schema.insert("anyOf".to_owned(), Value::Array(branches));
        }
    }
    Outcome::schema(Gives::Equal)
}

fn is_of(value: &Value, kinds: &[&str]) -> bool {
    let kind = match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) => {
            let whole = number.as_f64().is_some_and(|number| number.fract() == 0.0);
            return kinds.contains(&"number") || (whole && kinds.contains(&"integer"));
        }
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    };
    kinds.contains(&kind)
}

/// Returns a schema for one value that has no object or array as a constant. Recurses as deep as the value, which the
/// JSON parser bounds.
fn structure(
    value: &Value,
    takes_numbers: bool,
    takes_positions: bool,
    takes_list: bool,
) -> Option<Value> {
    Some(match value {
        Value::Object(members) => {
            let mut properties = Map::new();
            for (key, member) in members {
                properties.insert(
                    key.clone(),
                    structure(member, takes_numbers, takes_positions, takes_list)?,
                );
            }
            let required: Vec<&String> = members.keys().collect();
            json!({
                "type": "object", "properties": properties, "required": required, "additionalProperties": false
            })
        }
        Value::Array(items) if items.is_empty() || !takes_positions => return None,
        Value::Array(items) => {
            let all = items
                .iter()
                .map(|item| structure(item, takes_numbers, takes_positions, takes_list));
            let all: Vec<Value> = all.collect::<Option<_>>()?;
            json!({"type": "array", "prefixItems": all, "items": false, "minItems": items.len(), "maxItems": items.len()})
        }
        Value::Null => json!({"type": "null"}),
        Value::Number(number) if !takes_numbers => {
            let kind = if number.as_f64()?.fract() == 0.0 { "integer" } else { "number" };
            json!({"type": kind, "minimum": number, "maximum": number})
        }
        Value::Bool(_) if !takes_numbers => return None,
        value if takes_list => json!({ "enum": [value] }),
        value => json!({ "const": value }),
    })
}
