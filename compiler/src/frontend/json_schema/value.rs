//! Values that a schema writes down (`enum`, `const`): equality as the specification defines it, and whether one
//! satisfies a schema. Deciding this value by value is exact whatever the keywords beside the `enum` are, and never
//! unfolds a union.

use super::document::{Document, Json, NodeId};
use super::number::Decimal;
use super::schema::{Keywords, Part, Schema, Schemas};
use super::types::TypeSet;

/// Whether two values are equal: numbers by value, objects in any order of keys.
pub(crate) fn equal(document: &Document, a: NodeId, b: NodeId) -> bool {
    match (document.json(a), document.json(b)) {
        (Json::Null, Json::Null) => true,
        (Json::Bool(a), Json::Bool(b)) => a == b,
        (Json::Number(a), Json::Number(b)) => a == b || Decimal::parse(a) == Decimal::parse(b),
        (Json::String(a), Json::String(b)) => a == b,
        (Json::Array(a), Json::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(&a, &b)| equal(document, a, b))
        }
        (Json::Object(a), Json::Object(b)) => {
            a.len() == b.len()
                && a.iter().all(|(key, member)| {
                    b.get(key).is_some_and(|other| equal(document, member.value, other.value))
                })
        }
        _ => false,
    }
}

/// Whether a value satisfies the schema at `schema`. Recurses over the value and over in-place steps, both bounded.
pub(crate) fn satisfies(
    document: &Document,
    schemas: &Schemas,
    value: NodeId,
    schema: NodeId,
) -> bool {
    match schemas.get(schema) {
        None => true,
        Some(Schema::Boolean(all)) => *all,
        Some(Schema::Keywords(keywords)) => keywords.parts.iter().all(|part| match part {
            Part::Own => satisfies_own(document, schemas, value, keywords),
            Part::Schema(target) => satisfies(document, schemas, value, *target),
            Part::Any(branches) => {
                branches.iter().any(|&branch| satisfies(document, schemas, value, branch))
            }
        }),
    }
}

/// Whether a value satisfies the schema's own assertions.
pub(crate) fn satisfies_own(
    document: &Document,
    schemas: &Schemas,
    value: NodeId,
    keywords: &Keywords,
) -> bool {
    let types = keywords.types.unwrap_or(TypeSet::ALL);
    // Nodes of a list ascend, so a value of the list itself is found without comparing.
    let listed = |list: &Vec<NodeId>| {
        list.binary_search(&value).is_ok() || list.iter().any(|&item| equal(document, value, item))
    };
    if !types.contains(TypeSet::of(document, value)) || !keywords.values.iter().all(listed) {
        return false;
    }
    let child = |value, schema: Option<NodeId>| {
        schema.is_none_or(|schema| satisfies(document, schemas, value, schema))
    };
    match document.json(value) {
        Json::Null | Json::Bool(_) | Json::Number(_) => true,
        Json::String(text) => keywords.length.contains(text.chars().count()),
        Json::Array(items) => {
            let schema_at = |at: usize| keywords.prefix.get(at).copied().or(keywords.items);
            keywords.count.contains(items.len())
                && items.iter().enumerate().all(|(at, &item)| child(item, schema_at(at)))
        }
        Json::Object(members) => {
            let schema_of =
                |key: &str| keywords.properties.get(key).copied().or(keywords.additional);
            keywords.required.iter().all(|key| members.contains_key(key))
                && members.iter().all(|(key, member)| child(member.value, schema_of(key)))
        }
    }
}
