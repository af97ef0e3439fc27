//! Predicates over types, keywords and positions of a schema.

use serde_json::Value;

use super::At;
use crate::places::keywords::{is_annotation, is_definitions, types_of};
use crate::places::{Place, Places};

/// Returns the names of the types that a schema's `type` allows. `None` without the keyword.
pub(crate) fn declared<'v>(place: &Place<'v>) -> Option<Vec<&'v str>> {
    match place.get("type")? {
        Value::String(name) => Some(vec![name]),
        Value::Array(names) => Some(names.iter().filter_map(Value::as_str).collect()),
        _ => None,
    }
}

/// Whether a schema allows values of one of the types, by its `type` or, without one, by its other keywords.
pub(super) fn has_type(place: &Place<'_>, types: &[String]) -> bool {
    let wanted =
        |name: &str| types.iter().any(|one| one == name || (one == "number" && name == "integer"));
    match declared(place) {
        Some(names) => names.into_iter().any(wanted),
        None => place.members().is_some_and(|members| {
            members.keys().any(|keyword| types_of(keyword).iter().any(|name| wanted(name)))
        }),
    }
}

/// Whether a schema has a keyword that decides the type of its values, such as `type`, `const` or `$ref`.
pub(super) fn is_typed(place: &Place<'_>) -> bool {
    ["type", "const", "enum", "$ref", "anyOf", "oneOf", "allOf", "$dynamicRef"]
        .iter()
        .any(|keyword| place.get(keyword).is_some())
}

/// Whether a schema is at a position.
pub(super) fn is_at(places: &Places<'_>, place: &Place<'_>, position: &str) -> bool {
    let parent = place.parent.map(|parent| &places.all[parent]);
    match position {
        "root" => place.is_root(),
        "items" => matches!(place.keyword, "items" | "prefixItems"),
        "member" => {
            matches!(place.keyword, "properties" | "additionalProperties" | "patternProperties")
        }
        "branch" => matches!(place.keyword, "anyOf" | "oneOf" | "allOf"),
        "definition" => is_definitions(place.keyword) && parent.is_some(),
        _ => false,
    }
}

/// Whether the schema is inside an optional member, inside items of an array that may be empty, or inside a branch.
/// Values may then satisfy the root without it.
pub(super) fn is_optional(places: &Places<'_>, place: &Place<'_>) -> bool {
    let mut at = place;
    while let Some(parent) = at.parent.map(|parent| &places.all[parent]) {
        let is_needed = match at.keyword {
            "properties" => required(parent).any(|key| key == at.name),
            "items" => parent.get("minItems").and_then(Value::as_u64).unwrap_or(0) > 0,
            "additionalProperties" | "patternProperties" | "anyOf" | "oneOf" => false,
            _ => true,
        };
        if !is_needed {
            return true;
        }
        at = parent;
    }
    false
}

/// Whether a schema has `$ref` and other keywords that constrain values.
pub(super) fn is_beside_reference(place: &Place<'_>) -> bool {
    let Some(members) = place.members().filter(|members| members.contains_key("$ref")) else {
        return false;
    };
    members.keys().any(|keyword| keyword != "$ref" && !is_annotation(keyword))
}

/// Whether the schema has other keywords that constrain values, apart from the rule's keyword and those of `apart`.
pub(super) fn is_beside_others(at: At<'_>, apart: &[String]) -> bool {
    let members = at.place().members().into_iter().flat_map(|members| members.keys());
    members
        .filter(|keyword| Some(&***keyword) != at.keyword && !apart.contains(keyword))
        .any(|keyword| !is_annotation(keyword))
}

/// Whether `type` allows `integer`, but not `number`.
pub(super) fn is_integer(place: &Place<'_>) -> bool {
    let declared = declared(place).unwrap_or_default();
    declared.contains(&"integer") && !declared.contains(&"number")
}

/// Whether an object may have members that no keyword names.
pub(super) fn is_open(place: &Place<'_>) -> bool {
    !matches!(place.get("additionalProperties"), Some(Value::Bool(false)))
        && !matches!(place.get("unevaluatedProperties"), Some(Value::Bool(false)))
}

/// Whether `additionalProperties` is a schema with keywords.
pub(super) fn is_map(place: &Place<'_>) -> bool {
    let rest = place.get("additionalProperties").and_then(Value::as_object);
    rest.is_some_and(|members| !members.is_empty())
}

/// Returns the keys that a schema requires.
pub(crate) fn required<'v>(place: &Place<'v>) -> impl Iterator<Item = &'v str> {
    let keys = place.get("required").and_then(Value::as_array).into_iter().flatten();
    keys.filter_map(Value::as_str)
}

/// Returns the members of `properties` that are not required.
pub(crate) fn optional<'v>(place: &Place<'v>) -> impl Iterator<Item = &'v str> {
    let required: Vec<&str> = required(place).collect();
    let named = place.get("properties").and_then(Value::as_object);
    let named = named.into_iter().flat_map(|named| named.keys());
    named.map(String::as_str).filter(move |key| !required.contains(key))
}

/// Whether some required key is not in `properties`.
pub(super) fn requires_unnamed(place: &Place<'_>) -> bool {
    let named = place.get("properties").and_then(Value::as_object);
    required(place).any(|key| named.is_none_or(|named| !named.contains_key(key)))
}

/// Whether a schema requires no member.
pub(super) fn requires_nothing(place: &Place<'_>) -> bool {
    required(place).next().is_none()
}

/// Whether each branch of the rule's keyword is of one of the types, or is a reference.
pub(super) fn has_branches_of(at: At<'_>, types: &[String]) -> bool {
    let is_one = |branch: &Value| {
        let name = branch.get("type").and_then(Value::as_str);
        branch.get("$ref").is_some() || name.is_some_and(|name| types.iter().any(|one| one == name))
    };
    at.value().and_then(Value::as_array).is_some_and(|branches| branches.iter().all(is_one))
}

/// Whether some value of `enum` is not of the schema's type.
pub(super) fn is_mistyped(place: &Place<'_>) -> bool {
    let Some(types) = declared(place) else { return false };
    let values = place.get("enum").and_then(Value::as_array).into_iter().flatten();
    let is_of = |value: &Value| match value {
        Value::Null => types.contains(&"null"),
        Value::Bool(_) => types.contains(&"boolean"),
        Value::Number(number) => {
            let whole = types.contains(&"integer") && super::values::is_whole(number);
            whole || types.contains(&"number")
        }
        Value::String(_) => types.contains(&"string"),
        Value::Array(_) => types.contains(&"array"),
        Value::Object(_) => types.contains(&"object"),
    };
    values.into_iter().any(|value| !is_of(value))
}
