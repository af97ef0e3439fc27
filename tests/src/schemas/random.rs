//! Random schemas over every keyword that constrains, random instances, and small changes to instances.
//!
//! Keys, strings and numbers come from small pools, so that keywords meet: a random instance satisfies or violates a
//! keyword often enough, and two schemas at one place overlap.

use serde_json::{Map, Value, json};

use super::texts::canonical;
use crate::random::Rng;

/// The keys of schemas and instances.
pub const KEYS: [&str; 5] = ["a", "ab", "b\n", "", "é"];
const TYPES: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
const PATTERNS: [&str; 9] = ["^a", "b$", "^a?b*$", "[^a]", "^.{2}$", "a|é", "^$", "^(?!a)", "\\n"];
const TARGETS: [&str; 4] = ["#", "#/$defs/x", "#/$defs/y", "#/$defs/z"];

/// A document: a schema, and three definitions that any schema in it may refer to.
pub fn document(rng: &mut Rng) -> Value {
    let budget = &mut (6 + rng.below(20));
    let mut root = match schema(rng, 3, budget) {
        Value::Object(root) => root,
        other => Map::from_iter([("anyOf".to_owned(), json!([other]))]),
    };
    let mut definitions = Map::new();
    for name in ["x", "y", "z"] {
        let budget = &mut (2 + rng.below(6));
        definitions.insert(name.to_owned(), schema(rng, 2, budget));
    }
    root.insert("$defs".to_owned(), Value::Object(definitions));
    Value::Object(root)
}

/// An instance.
pub fn instance(rng: &mut Rng, depth: usize) -> Value {
    match rng.below(if depth == 0 { 6 } else { 12 }) {
        0 => Value::Null,
        1 => Value::Bool(rng.one_in(2)),
        2 | 3 => number(rng),
        4 | 5 => string(rng),
        6..=8 => {
            let count = rng.below(4);
            (0..count).map(|_| instance(rng, depth - 1)).collect()
        }
        _ => {
            let count = rng.below(5);
            let members =
                (0..count).map(|_| (rng.pick(&KEYS).to_string(), instance(rng, depth - 1)));
            Value::Object(members.collect())
        }
    }
}

/// The instance with one change somewhere. New keys are some of `names`.
pub fn changed(rng: &mut Rng, value: &Value, names: &[&str]) -> Value {
    let mut value = value.clone();
    if rng.one_in(8) {
        return instance(rng, 2);
    }
    match &mut value {
        Value::Array(items) => match rng.below(4) {
            0 => {
                let new = instance(rng, 1);
                items.insert(rng.below(items.len() + 1), new);
            }
            1 if !items.is_empty() => drop(items.remove(rng.below(items.len()))),
            2 if !items.is_empty() => {
                let copy = rng.pick(items).clone();
                items.insert(rng.below(items.len() + 1), copy);
            }
            _ if !items.is_empty() => {
                let at = rng.below(items.len());
                items[at] = changed(rng, &items[at], names);
            }
            _ => {}
        },
        Value::Object(members) => {
            let keys: Vec<String> = members.keys().cloned().collect();
            match rng.below(4) {
                0 => {
                    let new = instance(rng, 1);
                    members.insert(rng.pick(names).to_string(), new);
                }
                1 if !keys.is_empty() => drop(members.shift_remove(rng.pick(&keys))),
                2 if !keys.is_empty() => {
                    let moved = members.shift_remove(rng.pick(&keys)).unwrap_or_default();
                    members.insert(rng.pick(names).to_string(), moved);
                }
                _ if !keys.is_empty() => {
                    let key = rng.pick(&keys);
                    let new = changed(rng, &members[key], names);
                    members.insert(key.clone(), new);
                }
                _ => {}
            }
        }
        Value::Number(_) => value = number(rng),
        Value::String(text) if rng.one_in(2) => text.push(*rng.pick(&['a', 'b', 'é', '\n'])),
        _ => value = instance(rng, 1),
    }
    value
}

fn number(rng: &mut Rng) -> Value {
    rng.pick(&[
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(3),
        json!(-7),
        json!(10),
        json!(12),
        json!(1.5),
        json!(-0.25),
        json!(2.75),
        json!(100),
    ])
    .clone()
}

fn string(rng: &mut Rng) -> Value {
    json!(rng.pick(&["", "a", "b", "ab", "abb", "é", "é\"", "a\n", "bé\n\u{1F600}", "abcdef"]))
}

fn schema(rng: &mut Rng, depth: usize, budget: &mut usize) -> Value {
    if *budget == 0 || depth == 0 || rng.one_in(6) {
        return leaf(rng);
    }
    let mut members = Map::new();
    for _ in 0..rng.below(5) {
        if *budget == 0 {
            break;
        }
        *budget -= 1;
        keyword(rng, depth - 1, budget, &mut members);
    }
    Value::Object(members)
}

fn leaf(rng: &mut Rng) -> Value {
    match rng.below(8) {
        0 => Value::Bool(rng.one_in(2)),
        1 => json!({}),
        2 => json!({ "const": instance(rng, 1) }),
        3 => json!({ "$ref": rng.pick(&TARGETS) }),
        _ => json!({ "type": rng.pick(&TYPES) }),
    }
}

/// Inserts a keyword, and now and then those that go with it.
fn keyword(rng: &mut Rng, depth: usize, budget: &mut usize, members: &mut Map<String, Value>) {
    let list = |rng: &mut Rng, budget: &mut usize| {
        let count = 1 + rng.below(3);
        (0..count).map(|_| schema(rng, depth, budget)).collect::<Value>()
    };
    let count = |rng: &mut Rng| json!(rng.below(4));
    let keys = |rng: &mut Rng| {
        let mut keys: Vec<&str> = KEYS.iter().copied().filter(|_| rng.one_in(3)).collect();
        if rng.one_in(2) {
            keys.reverse();
        }
        json!(keys)
    };
    let by_key = |rng: &mut Rng, budget: &mut usize, names: &[&str]| {
        let chosen: Vec<&str> = names.iter().copied().filter(|_| rng.one_in(2)).take(3).collect();
        let members = chosen.iter().map(|name| (name.to_string(), schema(rng, depth, budget)));
        Value::Object(members.collect())
    };
    let name = *rng.pick(&KEYWORDS);
    let value = match name {
        "type" if rng.one_in(3) => {
            let mut types: Vec<&str> = TYPES.iter().copied().filter(|_| rng.one_in(2)).collect();
            types.push("null");
            types.sort_unstable();
            types.dedup();
            json!(types)
        }
        "type" => json!(rng.pick(&TYPES)),
        "properties" | "dependentSchemas" => by_key(rng, budget, &KEYS),
        "patternProperties" => by_key(rng, budget, &PATTERNS),
        "required" => keys(rng),
        "dependentRequired" => json!({ rng.pick(&KEYS).to_string(): keys(rng) }),
        "prefixItems" | "anyOf" | "allOf" | "oneOf" => list(rng, budget),
        "enum" => {
            let count = 1 + rng.below(4);
            (0..count).map(|_| instance(rng, 1)).collect()
        }
        "const" => instance(rng, 1),
        "$ref" => json!(rng.pick(&TARGETS)),
        "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
            count(rng)
        }
        "contains" => {
            if rng.one_in(3) {
                members.insert("minContains".to_owned(), count(rng));
            }
            if rng.one_in(3) {
                members.insert("maxContains".to_owned(), count(rng));
            }
            schema(rng, depth, budget)
        }
        "if" => {
            for branch in ["then", "else"] {
                if !rng.one_in(3) {
                    members.insert(branch.to_owned(), schema(rng, depth, budget));
                }
            }
            schema(rng, depth, budget)
        }
        "uniqueItems" => json!(!rng.one_in(4)),
        "pattern" => json!(rng.pick(&PATTERNS)),
        "multipleOf" => rng.pick(&[json!(2), json!(3), json!(0.5), json!(0.25), json!(7)]).clone(),
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => number(rng),
        "title" => json!("t"),
        _ => schema(rng, depth, budget),
    };
    members.insert(name.to_owned(), value);
}

/// The keywords, those that make most of a schema more than once.
const KEYWORDS: [&str; 46] = [
    "type",
    "type",
    "type",
    "type",
    "properties",
    "properties",
    "properties",
    "required",
    "required",
    "items",
    "items",
    "prefixItems",
    "prefixItems",
    "anyOf",
    "anyOf",
    "allOf",
    "oneOf",
    "oneOf",
    "not",
    "not",
    "if",
    "enum",
    "const",
    "$ref",
    "$ref",
    "additionalProperties",
    "additionalProperties",
    "patternProperties",
    "propertyNames",
    "minProperties",
    "maxProperties",
    "dependentRequired",
    "dependentSchemas",
    "contains",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minLength",
    "maxLength",
    "pattern",
    "minimum",
    "exclusiveMaximum",
    "multipleOf",
    "unevaluatedProperties",
    "unevaluatedItems",
    "title",
];

/// The value with plain numbers: those with many digits are replaced, and the others are in canonical form, so that
/// no validator's arithmetic comes into it.
pub fn tame(rng: &mut Rng, value: Value) -> Value {
    match value {
        Value::Number(given) => {
            let text = canonical(&given.to_string());
            match serde_json::from_str(&text) {
                Ok(plain) if text.len() < 10 && !text.contains(['e', 'E']) => plain,
                _ => number(rng),
            }
        }
        Value::Array(items) => items.into_iter().map(|item| tame(rng, item)).collect(),
        Value::Object(members) => {
            Value::Object(members.into_iter().map(|(key, item)| (key, tame(rng, item))).collect())
        }
        other => other,
    }
}

/// The value with some of its numbers written with a point or an exponent.
pub fn pointed(rng: &mut Rng, value: Value) -> Value {
    match value {
        Value::Number(given) if rng.one_in(3) => {
            let text = given.to_string();
            let end = match text.contains('.') {
                true => "0",
                false => rng.pick(&[".0", ".00", "e0", "E+0"]),
            };
            serde_json::from_str(&format!("{text}{end}")).unwrap_or(Value::Number(given))
        }
        Value::Array(items) => items.into_iter().map(|item| pointed(rng, item)).collect(),
        Value::Object(members) => Value::Object(
            members.into_iter().map(|(key, item)| (key, pointed(rng, item))).collect(),
        ),
        other => other,
    }
}
