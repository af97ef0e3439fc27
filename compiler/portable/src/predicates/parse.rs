//! Reads conditions from packs.

use serde_json::{Map, Value};

use super::{Predicate, Where, pattern};
use crate::pack_error::{PackError, error};
use crate::places::pointer::join;

/// The names of the predicates in packs.
const NAMES: [&str; 31] = [
    "type",
    "typed",
    "with",
    "without",
    "any",
    "value",
    "over",
    "at",
    "beside-reference",
    "beside-others",
    "recursive",
    "reference",
    "pattern",
    "repeats",
    "format",
    "kind",
    "integer",
    "open",
    "map",
    "optional",
    "required-alone",
    "none-required",
    "boolean",
    "overlapping",
    "alike",
    "list",
    "in",
    "optional-place",
    "branches",
    "mistyped",
    "either",
];

impl Where {
    /// Reads a condition. `pointer` is its place in the pack.
    ///
    /// # Errors
    ///
    /// The value is no object, or a member is no predicate or has a value of another kind.
    pub(crate) fn parse(value: &Value, pointer: &str) -> Result<Self, PackError> {
        let Some(members) = value.as_object() else {
            return Err(error(pointer, "a condition has to be an object"));
        };
        // Conditions nest in packs alone, whose depth the JSON parser bounds.
        let predicates =
            members.iter().map(|(name, value)| predicate(name, value, &join(pointer, name)));
        predicates.collect::<Result<_, _>>().map(Self)
    }
}

fn predicate(name: &str, value: &Value, pointer: &str) -> Result<Predicate, PackError> {
    Ok(match name {
        "type" => Predicate::Type(texts(value, pointer)?),
        "typed" => Predicate::Typed(boolean(value, pointer)?),
        "with" => Predicate::With(texts(value, pointer)?),
        "without" => Predicate::Without(texts(value, pointer)?),
        "any" => Predicate::Any(texts(value, pointer)?),
        "value" => Predicate::Value(object(value, pointer)?),
        "over" => Predicate::Over(object(value, pointer)?),
        "at" => Predicate::Position(one_of(
            value,
            pointer,
            &["root", "items", "member", "branch", "definition"],
        )?),
        "branches" => Predicate::Branches(texts(value, pointer)?),
        "mistyped" => Predicate::Mistyped(boolean(value, pointer)?),
        "in" => Predicate::In(texts(value, pointer)?),
        "optional-place" => Predicate::OptionalPlace(boolean(value, pointer)?),
        "beside-reference" => Predicate::BesideReference(boolean(value, pointer)?),
        "beside-others" => Predicate::BesideOthers(texts(value, pointer)?),
        "recursive" => Predicate::Recursive(boolean(value, pointer)?),
        "reference" => Predicate::Reference(one_of(
            value,
            pointer,
            &[
                "root",
                "defs",
                "definitions",
                "escaped",
                "item",
                "pointer",
                "anchor",
                "other",
                "dynamic",
            ],
        )?),
        "pattern" => Predicate::Pattern(one_of(value, pointer, &pattern::FEATURES)?),
        "repeats" => Predicate::Repeats(
            value.as_u64().ok_or_else(|| error(pointer, "this has to be a whole number"))?,
        ),
        "format" => Predicate::Format(texts(value, pointer)?),
        "kind" => Predicate::Kind(one_of(
            value,
            pointer,
            &["null", "boolean", "integer", "fraction", "string", "array", "object"],
        )?),
        "integer" => Predicate::Integer(boolean(value, pointer)?),
        "open" => Predicate::Open(boolean(value, pointer)?),
        "map" => Predicate::Map(boolean(value, pointer)?),
        "optional" => Predicate::Optional(boolean(value, pointer)?),
        "required-alone" => Predicate::RequiredAlone(boolean(value, pointer)?),
        "none-required" => Predicate::NoneRequired(boolean(value, pointer)?),
        "boolean" => Predicate::Boolean(boolean(value, pointer)?),
        "overlapping" => Predicate::Overlapping(boolean(value, pointer)?),
        "alike" => Predicate::Alike(boolean(value, pointer)?),
        "list" => Predicate::List(boolean(value, pointer)?),
        "either" => {
            let Some(items) = value.as_array() else {
                return Err(error(pointer, "this has to be a list of conditions"));
            };
            let items = items.iter().enumerate();
            let parsed =
                items.map(|(at, item)| Where::parse(item, &join(pointer, &at.to_string())));
            Predicate::Either(parsed.collect::<Result<_, _>>()?)
        }
        "unless" => Predicate::Unless(Where::parse(value, pointer)?),
        _ => {
            let message =
                format!("`{name}` is no predicate: none of `{}`, `unless`", NAMES.join("`, `"));
            return Err(error(pointer, message));
        }
    })
}

fn boolean(value: &Value, pointer: &str) -> Result<bool, PackError> {
    value.as_bool().ok_or_else(|| error(pointer, "this has to be `true` or `false`"))
}

/// Returns a text or a list of texts.
fn texts(value: &Value, pointer: &str) -> Result<Vec<String>, PackError> {
    let texts = match value {
        Value::String(text) => Some(vec![text.clone()]),
        Value::Array(items) => {
            items.iter().map(|item| item.as_str().map(str::to_owned)).collect::<Option<_>>()
        }
        _ => None,
    };
    texts.ok_or_else(|| error(pointer, "this has to be a string or a list of strings"))
}

fn one_of(value: &Value, pointer: &str, known: &[&str]) -> Result<Vec<String>, PackError> {
    let texts = texts(value, pointer)?;
    match texts.iter().find(|text| !known.contains(&&***text)) {
        Some(text) => Err(error(pointer, format!("{text:?} is none of `{}`", known.join("`, `")))),
        None => Ok(texts),
    }
}

fn object(value: &Value, pointer: &str) -> Result<Map<String, Value>, PackError> {
    value.as_object().cloned().ok_or_else(|| error(pointer, "this has to be an object"))
}
