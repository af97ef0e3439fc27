//! Edits of schemas, as authors make them from one version to the next.

use serde_json::{Map, Value, json};

/// Where a schema can be edited: JSON pointers to its subschemas that are objects.
fn schemas(schema: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(schema, String::new())];
    while let Some((schema, pointer)) = open.pop() {
        let Some(members) = schema.as_object() else { continue };
        for (keyword, value) in members {
            let at = format!("{pointer}/{}", escaped(keyword));
            match keyword.as_str() {
                "properties" | "patternProperties" | "$defs" | "definitions" => {
                    let named = value.as_object().into_iter().flatten();
                    open.extend(named.map(|(name, one)| (one, format!("{at}/{}", escaped(name)))));
                }
                "anyOf" | "oneOf" | "allOf" | "prefixItems" => {
                    let list = value.as_array().into_iter().flatten().enumerate();
                    open.extend(list.map(|(index, one)| (one, format!("{at}/{index}"))));
                }
                "items" | "additionalProperties" | "not" | "contains" => open.push((value, at)),
                _ => {}
            }
        }
        found.push(pointer);
    }
    found.sort();
    found
}

fn escaped(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

/// An edit of one schema. Returns whether it could change it.
type Edit = fn(&mut Map<String, Value>) -> bool;

/// The kinds of edits.
const KINDS: [(&str, Edit); 16] = [
    ("a higher minimum", |schema| step(schema, &["minimum", "minLength", "minItems"], 1)),
    ("a lower minimum", |schema| step(schema, &["minimum", "minLength", "minItems"], -1)),
    ("a higher maximum", |schema| step(schema, &["maximum", "maxLength", "maxItems"], 1)),
    ("a lower maximum", |schema| step(schema, &["maximum", "maxLength", "maxItems"], -1)),
    ("no bound", |schema| {
        removed(schema, &["minimum", "maximum", "maxLength", "minItems", "minLength", "maxItems"])
    }),
    ("no pattern or format", |schema| removed(schema, &["pattern", "format", "const"])),
    ("one value less", |schema| {
        list(schema, "enum", |values| values.len() > 1 && values.pop().is_some())
    }),
    ("one value more", |schema| {
        list(schema, "enum", |values| {
            values.push(json!("a new value"));
            true
        })
    }),
    ("one required key less", |schema| list(schema, "required", |keys| keys.pop().is_some())),
    ("one required key more", |schema| {
        let names = schema.get("properties").and_then(Value::as_object);
        let names: Vec<String> =
            names.into_iter().flatten().map(|(name, _)| name.clone()).collect();
        let required = schema.entry("required").or_insert_with(|| json!([]));
        let Some(required) = required.as_array_mut() else { return false };
        let new = names.into_iter().find(|name| !required.contains(&json!(name)));
        new.map(|name| required.push(json!(name))).is_some()
    }),
    ("a new member", |schema| {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        properties.map(|all| all.insert("a new member".into(), json!({"type": "string"}))).is_some()
    }),
    ("one member less", |schema| {
        let properties = schema.get_mut("properties").and_then(Value::as_object_mut);
        let last = properties.as_ref().and_then(|all| all.keys().next_back().cloned());
        properties.zip(last).and_then(|(all, last)| all.shift_remove(&last)).is_some()
    }),
    ("closed", |schema| {
        let is_object = schema.contains_key("properties");
        is_object
            && schema.insert("additionalProperties".into(), json!(false)) != Some(json!(false))
    }),
    ("open", |schema| removed(schema, &["additionalProperties"])),
    ("or null", |schema| match schema.get("type").cloned() {
        Some(Value::String(name)) if name != "null" => {
            schema.insert("type".into(), json!([name, "null"]));
            true
        }
        _ => false,
    }),
    ("another description", |schema| {
        schema.insert("description".into(), json!("another description"));
        true
    }),
];

fn step(schema: &mut Map<String, Value>, keywords: &[&str], step: i64) -> bool {
    keywords.iter().any(|keyword| {
        let value = schema.get_mut(*keyword);
        let new = value.as_ref().and_then(|value| Some(value.as_i64()? + step));
        let new = new
            .filter(|&new| new >= 0 || !keyword.contains("Length") && !keyword.contains("Items"));
        value.zip(new).map(|(value, new)| *value = json!(new)).is_some()
    })
}

fn removed(schema: &mut Map<String, Value>, keywords: &[&str]) -> bool {
    keywords.iter().any(|keyword| schema.shift_remove(*keyword).is_some())
}

fn list(schema: &mut Map<String, Value>, keyword: &str, edit: fn(&mut Vec<Value>) -> bool) -> bool {
    schema.get_mut(keyword).and_then(Value::as_array_mut).is_some_and(edit)
}

/// Returns a schema with one edit at some place, and the name of the edit. `None` if no edit that is tried is possible.
/// `below` has to return a random number below its argument.
pub fn edited(
    schema: &Value,
    mut below: impl FnMut(usize) -> usize,
) -> Option<(Value, &'static str)> {
    const TRIES: usize = 200;
    let places = schemas(schema);
    for _ in 0..TRIES {
        let (name, edit) = KINDS[below(KINDS.len())];
        let mut new = schema.clone();
        let place = new.pointer_mut(&places[below(places.len())]).and_then(Value::as_object_mut);
        if place.is_some_and(edit) {
            return Some((new, name));
        }
    }
    None
}
