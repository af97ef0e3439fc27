//! The conjunction of two schemas, written as one schema.
//!
//! Keywords of one side alone are kept. Keywords of both sides are combined if one keyword can express both:
//! intersections of types and constants, the stricter bound, members by name. The result is `None` if no such keyword
//! exists, as for two patterns. Cost: linear in both schemas. Recursion is as deep as the schemas, which the JSON
//! parser bounds.

use serde_json::{Map, Number, Value, json};

use crate::places::keywords::is_annotation;

/// Returns the conjunction of two schemas. `None` if it cannot be written as one schema.
pub(crate) fn meet(left: &Value, right: &Value) -> Option<Value> {
    let (left, right) = match (left, right) {
        (Value::Bool(false), _) | (_, Value::Bool(false)) => return Some(Value::Bool(false)),
        (Value::Bool(true), other) | (other, Value::Bool(true)) => return Some(other.clone()),
        (Value::Object(left), Value::Object(right)) => (left, right),
        _ => return None,
    };
    let mut met = left.clone();
    const OF_MEMBERS: [&str; 3] = ["properties", "patternProperties", "additionalProperties"];
    for (keyword, value) in right {
        if OF_MEMBERS.contains(&&**keyword) {
            continue;
        }
        let combined = match left.get(keyword) {
            None => value.clone(),
            Some(own) if own == value || is_annotation(keyword) => own.clone(),
            Some(own) => both(keyword, own, value)?,
        };
        if keyword == "type" && combined.as_array().is_some_and(Vec::is_empty) {
            return Some(Value::Bool(false));
        }
        met.insert(keyword.clone(), combined);
    }
    if needs_neighbours(left, right) || needs_neighbours(right, left) {
        return None;
    }
    members(left, right, &mut met)?;
    constants(&mut met)
}

/// Whether `one` has a keyword whose meaning would change by keywords of `other`, such as `unevaluatedProperties`.
fn needs_neighbours(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    const GROUPS: [(&str, &[&str]); 6] = [
        (
            "unevaluatedProperties",
            &[
                "properties",
                "patternProperties",
                "additionalProperties",
                "allOf",
                "anyOf",
                "oneOf",
                "$ref",
                "if",
            ],
        ),
        (
            "unevaluatedItems",
            &["items", "prefixItems", "allOf", "anyOf", "oneOf", "$ref", "if", "contains"],
        ),
        ("items", &["prefixItems"]),
        ("additionalItems", &["items"]),
        ("if", &["then", "else"]),
        ("contains", &["minContains", "maxContains"]),
    ];
    let meets = |(keyword, others): &(&str, &[&str])| {
        one.contains_key(*keyword) && others.iter().any(|name| other.contains_key(*name))
    };
    GROUPS.iter().any(meets)
}

/// Returns one value of a keyword with the meaning of two values together. `None` if there is none.
fn both(keyword: &str, left: &Value, right: &Value) -> Option<Value> {
    match keyword {
        "type" => Some(types(left, right)),
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties" => {
            let (one, other) = (number(left)?, number(right)?);
            Some(if one >= other { left.clone() } else { right.clone() })
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties" => {
            let (one, other) = (number(left)?, number(right)?);
            Some(if one <= other { left.clone() } else { right.clone() })
        }
        "uniqueItems" => Some(json!(left.as_bool()? || right.as_bool()?)),
        "required" => {
            let mut keys = left.as_array()?.clone();
            keys.extend(
                right
                    .as_array()?
                    .iter()
                    .filter(|key| !left.as_array().is_some_and(|all| all.contains(key)))
                    .cloned(),
            );
            Some(Value::Array(keys))
        }
        "enum" => {
            let kept = left
                .as_array()?
                .iter()
                .filter(|value| right.as_array().is_some_and(|all| all.contains(value)));
            Some(Value::Array(kept.cloned().collect()))
        }
        "items" if !left.is_array() && !right.is_array() => meet(left, right),
        "allOf" => {
            let mut branches = left.as_array()?.clone();
            branches.extend(right.as_array()?.iter().cloned());
            Some(Value::Array(branches))
        }
        "multipleOf" => {
            let (one, other) = (left.as_u64()?, right.as_u64()?);
            let (mut a, mut b) = (one, other);
            while b != 0 {
                (a, b) = (b, a % b);
            }
            (a != 0).then(|| one.checked_mul(other / a)).flatten().map(|least| json!(least))
        }
        _ => None,
    }
}

fn number(value: &Value) -> Option<f64> {
    value.as_f64().filter(|number| number.is_finite())
}

/// Returns the type names in the value of `type`.
pub(crate) fn names(value: &Value) -> Vec<&str> {
    match value {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

/// Returns a value of `type` for some type names: one name, or a list.
pub(crate) fn type_of(names: &[&str]) -> Value {
    match names {
        [name] => json!(name),
        names => json!(names),
    }
}

fn types(left: &Value, right: &Value) -> Value {
    let (left, right) = (names(left), names(right));
    let mut kept = Vec::new();
    for name in &left {
        if right.contains(name) || (*name == "integer" && right.contains(&"number")) {
            kept.push(*name);
        } else if *name == "number" && right.contains(&"integer") && !left.contains(&"integer") {
            kept.push("integer");
        }
    }
    type_of(&kept)
}

/// Combines `properties`, `patternProperties` and `additionalProperties` of two schemas into `met`. `None` if patterns
/// of one side may match keys that the other side limits.
fn members(
    left: &Map<String, Value>,
    right: &Map<String, Value>,
    met: &mut Map<String, Value>,
) -> Option<()> {
    let named = |schema: &Map<String, Value>| {
        schema.get("properties").and_then(Value::as_object).cloned().unwrap_or_default()
    };
    let (own, other) = (named(left), named(right));
    let rest = |schema: &Map<String, Value>| schema.get("additionalProperties").cloned();
    let (own_rest, other_rest) = (rest(left), rest(right));
    let (own_patterns, other_patterns) =
        (left.get("patternProperties"), right.get("patternProperties"));
    let is_limited = |rest: &Option<Value>| {
        rest.as_ref().is_some_and(|rest| *rest != json!(true) && *rest != json!({}))
    };
    // A key that one side names may match a pattern of the other, or be one of the rest.
    if (own_patterns.is_some() || other_patterns.is_some())
        && (is_limited(&own_rest) || is_limited(&other_rest))
        && (right.contains_key("properties") || other_rest.is_some() || other_patterns.is_some())
        && (left.contains_key("properties") || own_rest.is_some() || own_patterns.is_some())
    {
        return None;
    }
    let mut properties = Map::new();
    for (key, schema) in &own {
        let met = match (other.get(key), &other_rest) {
            (Some(other), _) => meet(schema, other)?,
            (None, Some(rest)) => meet(schema, rest)?,
            (None, None) => schema.clone(),
        };
        properties.insert(key.clone(), met);
    }
    for (key, schema) in other.iter().filter(|(key, _)| !own.contains_key(*key)) {
        let met =
            own_rest.as_ref().map_or_else(|| Some(schema.clone()), |rest| meet(rest, schema))?;
        properties.insert(key.clone(), met);
    }
    if !properties.is_empty() || left.contains_key("properties") || right.contains_key("properties")
    {
        met.insert("properties".to_owned(), Value::Object(properties));
    }
    if let Some(patterns) = other_patterns.and_then(Value::as_object) {
        let slot = met.entry("patternProperties").or_insert_with(|| json!({})).as_object_mut()?;
        for (pattern, schema) in patterns {
            let combined =
                slot.get(pattern).map_or_else(|| Some(schema.clone()), |own| meet(own, schema))?;
            slot.insert(pattern.clone(), combined);
        }
    }
    if let Some(rest) = other_rest {
        let combined = own_rest.map_or_else(|| Some(rest.clone()), |own| meet(&own, &rest))?;
        met.insert("additionalProperties".to_owned(), combined);
    }
    Some(())
}

/// Returns the schema with `const` alone if it has `enum` too. `false` if these keywords leave no value.
fn constants(met: &mut Map<String, Value>) -> Option<Value> {
    if let (Some(value), Some(all)) = (met.get("const"), met.get("enum").and_then(Value::as_array))
    {
        if !all.contains(value) {
            return Some(Value::Bool(false));
        }
        met.shift_remove("enum");
    }
    if met.get("enum").and_then(Value::as_array).is_some_and(Vec::is_empty) {
        return Some(Value::Bool(false));
    }
    Some(Value::Object(std::mem::take(met)))
}

/// Returns a JSON number for a whole number.
pub(crate) fn whole(number: i64) -> Value {
    Value::Number(Number::from(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_meet() {
        let cases = [
            (
                json!({"type": ["string", "number"]}),
                json!({"type": ["integer", "null"]}),
                json!({"type": "integer"}),
            ),
            (
                json!({"minimum": 3}),
                json!({"minimum": 5, "maximum": 9}),
                json!({"minimum": 5, "maximum": 9}),
            ),
            (json!({"type": "string"}), json!({"type": "null"}), json!(false)),
            (json!({"enum": [1, 2, 3]}), json!({"enum": [2, 3, 4]}), json!({"enum": [2, 3]})),
            (json!({"enum": [1, 2]}), json!({"const": 2}), json!({"const": 2})),
            (
                json!({"properties": {"a": {"type": "string"}}, "required": ["a"]}),
                json!({"properties": {"a": {"maxLength": 2}, "b": {}}, "required": ["b"]}),
                json!({"properties": {"a": {"type": "string", "maxLength": 2}, "b": {}}, "required": ["a", "b"]}),
            ),
            (
                json!({"properties": {"a": {}}, "additionalProperties": false}),
                json!({"properties": {"b": {}}}),
                json!({"properties": {"a": {}, "b": false}, "additionalProperties": false}),
            ),
            (json!({"multipleOf": 4}), json!({"multipleOf": 6}), json!({"multipleOf": 12})),
        ];
        for (left, right, expected) in cases {
            assert_eq!(meet(&left, &right), Some(expected), "{left} and {right}");
        }
        let none = [
            (json!({"pattern": "a"}), json!({"pattern": "b"})),
            (json!({"items": {}}), json!({"prefixItems": [{}]})),
            (
                json!({"patternProperties": {"a": {}}, "additionalProperties": false}),
                json!({"properties": {"b": {}}}),
            ),
        ];
        for (left, right) in none {
            assert_eq!(meet(&left, &right), None, "{left} and {right}");
        }
    }
}
