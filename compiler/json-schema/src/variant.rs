//! Variants of a keyword: what it says if it constrains nothing, and what it says without the values at its edge.
//!
//! A variant has the same place and the same index in its schema as the keyword. So keywords that depend on it, such as
//! `additionalProperties` on `properties`, keep their meaning.

use grammarc_grammar::automata::StateBudget;

use super::document::{Document, Json, NodeId};
use super::read::schema::{Bounds, Part, Schema, SchemaId, Schemas};
use super::values::numbers::{Decimal, NumberSet};
use super::values::strings::StringSet;
use super::values::types::TypeSet;

/// Most variants of one keyword. A list of more names or values has variants for the first of them only.
const MOST_VARIANTS: usize = 16;

/// The two boolean schemas, as numbers of a table of schemas.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    /// The schema that every value satisfies.
    all: SchemaId,
    /// The schema that no value satisfies.
    none: SchemaId,
}

impl Constants {
    /// Adds both schemas to a table. Their place is `node`.
    pub(crate) fn add(schemas: &mut Schemas, node: NodeId) -> Self {
        let [all, none] = [true, false].map(|value| {
            let id = schemas.add(node);
            schemas.insert(id, Schema::Boolean(value));
            id
        });
        Self { all, none }
    }
}

/// Returns variants of a keyword that allow more. Together they drop all that it says. A list of required keys has one
/// for each key, any other keyword has one.
pub(crate) fn looser(part: &Part, Constants { all, .. }: Constants) -> Vec<Part> {
    let every = |schemas: &[SchemaId]| schemas.iter().map(|_| all).collect();
    // The branches are kept, because they say which members and items are evaluated.
    let or_all = |schemas: &[SchemaId]| Part::Any(schemas.iter().copied().chain([all]).collect());
    let one = match part {
        Part::Required(keys) => {
            let without = |at: usize| {
                let mut others = keys.clone();
                others.remove(at);
                Part::Required(others)
            };
            return (0..keys.len().min(MOST_VARIANTS)).map(without).collect();
        }
        Part::Types(_)
        | Part::Values(_)
        | Part::Numbers(_)
        | Part::Strings(_)
        | Part::UniqueItems
        | Part::Not(_) => Part::Types(TypeSet::ALL),
        Part::Prefix(schemas) => Part::Prefix(every(schemas)),
        Part::Items(from, _) => Part::Items(*from, all),
        Part::Contains(schema, _) => Part::Contains(*schema, Bounds::default()),
        Part::ItemCount(_) => Part::ItemCount(Bounds::default()),
        Part::MemberCount(_) => Part::MemberCount(Bounds::default()),
        Part::Properties(properties) => {
            Part::Properties(properties.iter().map(|(key, _)| (key.clone(), all)).collect())
        }
        Part::Members(names, _) => Part::Members(names.clone(), all),
        Part::Names(_) => Part::Names(all),
        Part::All(schemas) | Part::Any(schemas) | Part::One(schemas) => or_all(schemas),
        Part::If(condition, ..) => Part::If(*condition, None, None),
        Part::DependentSchema(key, _) => Part::DependentSchema(key.clone(), all),
        Part::DependentRequired(key, _) => Part::DependentRequired(key.clone(), Vec::new()),
        Part::UnevaluatedProperties(_) => Part::UnevaluatedProperties(all),
        Part::UnevaluatedItems(_) => Part::UnevaluatedItems(all),
    };
    vec![one]
}

/// Returns the number that is the edge of a keyword: of a bound the nearest allowed integer, of a length that length.
/// `None` if the keyword is no bound.
fn edge(document: &Document<'_>, keyword: NodeId) -> Option<Decimal> {
    let Json::Number(text) = document.json(keyword) else { return None };
    let beside = |step: i64| {
        let beside = text.parse::<i64>().ok()?.checked_add(step)?;
        Decimal::parse(&beside.to_string()).ok()
    };
    match document.key(keyword) {
        "exclusiveMinimum" => beside(1),
        "exclusiveMaximum" => beside(-1),
        "multipleOf" => None,
        _ => Decimal::parse(text).ok(),
    }
}

/// Returns variants of a keyword that allow less: each leaves out the values at one edge of the keyword. Edges are
/// bounds, single values and types, the members of an object, and branches. A keyword without such has one variant,
/// which allows nothing. `keyword` is the place of its value.
pub(crate) fn without_edges(
    part: &Part,
    document: &Document<'_>,
    keyword: NodeId,
    Constants { none, .. }: Constants,
    limit: StateBudget<'_>,
) -> Vec<Part> {
    let each = |schemas: &[SchemaId], new: fn(Vec<SchemaId>) -> Part| -> Vec<Part> {
        let without = |at: usize| {
            let mut others = schemas.to_vec();
            others[at] = none;
            new(others)
        };
        (0..schemas.len().min(MOST_VARIANTS)).map(without).collect()
    };
    match part {
        Part::Types(types) => {
            let without = types.kinds().into_iter().map(|one| types.without(one));
            without.filter(|left| *left != TypeSet::NONE).map(Part::Types).collect()
        }
        Part::Values(values) if values.len() > 1 => {
            let without = |at: usize| {
                let mut others = values.clone();
                others.remove(at);
                Part::Values(others)
            };
            (0..values.len().min(MOST_VARIANTS)).map(without).collect()
        }
        Part::Numbers(numbers) => match edge(document, keyword) {
            Some(edge) => {
                let others = NumberSet::literal(&edge).complement();
                numbers.intersect(&others, limit).map(Part::Numbers).into_iter().collect()
            }
            None => vec![Part::Numbers(NumberSet::none())],
        },
        Part::Strings(strings) => match edge(document, keyword).map(|edge| edge.natural()) {
            Some(length) => {
                let length = length.and_then(|length| u32::try_from(length).ok());
                let left = length.and_then(|length| {
                    let others = StringSet::lengths(length, Some(length)).complement(limit).ok()?;
                    strings.intersect(&others, limit).ok()
                });
                left.map(Part::Strings).into_iter().collect()
            }
            None => vec![Part::Strings(StringSet::none())],
        },
        Part::ItemCount(bounds) => inner(*bounds).map(Part::ItemCount).into_iter().collect(),
        Part::MemberCount(bounds) => inner(*bounds).map(Part::MemberCount).into_iter().collect(),
        Part::Contains(schema, bounds) => {
            inner(*bounds).map(|bounds| Part::Contains(*schema, bounds)).into_iter().collect()
        }
        Part::Properties(properties) => {
            let without = |at: usize| {
                let mut others = properties.clone();
                others[at].1 = none;
                Part::Properties(others)
            };
            (0..properties.len().min(MOST_VARIANTS)).map(without).collect()
        }
        Part::Members(names, _) => vec![Part::Members(names.clone(), none)],
        Part::Items(from, _) => vec![Part::Items(*from, none)],
        Part::Any(schemas) => each(schemas, Part::Any),
        Part::One(schemas) => each(schemas, Part::One),
        Part::If(condition, then, otherwise) => vec![
            Part::If(*condition, Some(none), *otherwise),
            Part::If(*condition, *then, Some(none)),
        ],
        _ => Vec::new(),
    }
}

/// Returns bounds without their lower bound, or without the upper one if the lower one is 0. `None` if there is no
/// bound, or nothing is left.
fn inner(bounds: Bounds) -> Option<Bounds> {
    let inner = match bounds {
        Bounds { min: 0, max: None } => return None,
        Bounds { min: 0, max: Some(max) } => Bounds { min: 0, max: Some(max.checked_sub(1)?) },
        Bounds { min, max } => Bounds { min: min.checked_add(1)?, max },
    };
    (!inner.is_empty()).then_some(inner)
}
