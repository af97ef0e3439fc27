//! Predicates over the values of keywords.

use serde_json::Value;

use super::At;
use crate::places::Place;

/// Whether the size of a keyword's value is greater than `most`: a number, or the length of a list, object or string.
pub(super) fn is_over(place: &Place<'_>, keyword: &str, most: &Value) -> bool {
    let size = match place.get(keyword) {
        Some(Value::Array(items)) => Some(items.len() as f64),
        Some(Value::Object(members)) => Some(members.len() as f64),
        Some(Value::String(text)) => Some(text.chars().count() as f64),
        Some(Value::Number(number)) => number.as_f64(),
        _ => None,
    };
    size.zip(most.as_f64()).is_some_and(|(size, most)| size > most)
}

/// Returns the patterns of the rule's keyword: the value of `pattern`, or the names of `patternProperties`.
pub(super) fn patterns<'c>(at: At<'c>) -> impl Iterator<Item = &'c str> {
    let value = at.value();
    let one = value.and_then(Value::as_str);
    let names =
        value.and_then(Value::as_object).filter(|_| at.keyword == Some("patternProperties"));
    one.into_iter().chain(names.into_iter().flat_map(|names| names.keys().map(String::as_str)))
}

/// Whether the format of a schema is one of the names.
pub(super) fn has_format(place: &Place<'_>, names: &[String]) -> bool {
    let format = place.get("format").and_then(Value::as_str);
    format.is_some_and(|format| names.iter().any(|name| name == format))
}

/// Returns the kind of a value: its JSON type, with `integer` or `fraction` for numbers.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if is_whole(number) => "integer",
        Value::Number(_) => "fraction",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// Whether a number has no fraction.
pub(crate) fn is_whole(number: &serde_json::Number) -> bool {
    number.is_i64()
        || number.is_u64()
        || number.as_f64().is_some_and(|number| number.is_finite() && number.fract() == 0.0)
}

/// Whether the keyword's value is of one of the kinds. For `enum`, whether one of its values is.
pub(super) fn has_kind(at: At<'_>, kinds: &[String]) -> bool {
    let is_wanted = |value: &Value| kinds.iter().any(|one| one == kind(value));
    match at.value() {
        Some(Value::Array(values)) if at.keyword == Some("enum") => values.iter().any(is_wanted),
        Some(value) => is_wanted(value),
        None => false,
    }
}

/// Whether the value of the rule's keyword is the boolean `wanted`. A rule without a keyword looks at the schema
/// itself.
pub(super) fn is_boolean(at: At<'_>, wanted: bool) -> bool {
    let value = if at.keyword.is_some() { at.value() } else { Some(at.place().schema) };
    value == Some(&Value::Bool(wanted))
}
