//! Predicates over places: the conditions that rules of packs are made of.
//!
//! A condition is an object of predicates, such as `{"type": "object", "unless": {...}}`. It holds if all predicates hold.
//! Predicates depend on no target.
//!
//! | file | predicates |
//! | --- | --- |
//! | `alike` | whether branches look alike, by their types and constants |
//! | `at` | the place that a condition is evaluated at |
//! | `parse` | reads a condition from a pack |
//! | `shape` | types, keywords and positions of a schema |
//! | `values` | values of keywords: numbers, kinds, formats |
//! | `pattern` | what a regular expression uses |
//! | `overlap` | whether branches overlap, by the relation of schemas |
//!
//! Cost: each predicate is linear in the schema's keywords, except `overlapping`, which may run the compiler.

mod alike;
mod at;
pub(crate) mod overlap;
mod parse;
pub(crate) mod pattern;
pub(crate) mod shape;
mod values;

use serde_json::{Map, Value};

pub(crate) use at::At;

/// A condition: all predicates hold.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Where(Vec<Predicate>);

/// A predicate over a place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Predicate {
    /// The schema allows values of one of these types, by its `type` or its keywords.
    Type(Vec<String>),
    /// The schema has the keyword `type`, or a `const`, `enum`, reference or branches that decide the type.
    Typed(bool),
    /// The schema has all these keywords.
    With(Vec<String>),
    /// The schema has none of these keywords.
    Without(Vec<String>),
    /// The schema has one of these keywords.
    Any(Vec<String>),
    /// The schema has these keywords with exactly these values.
    Value(Map<String, Value>),
    /// The number or length of each of these keywords is greater than the value given here.
    Over(Map<String, Value>),
    /// The schema is at one of these positions: `root`, `items`, `member`, `branch` or `definition`.
    Position(Vec<String>),
    /// One of these keywords of the parent holds the schema.
    In(Vec<String>),
    /// The schema is inside an optional member, a branch, or items of an array that may be empty.
    OptionalPlace(bool),
    /// The schema has `$ref` and other keywords that constrain values.
    BesideReference(bool),
    /// The schema has other keywords that constrain values, apart from the rule's keyword and these.
    BesideOthers(Vec<String>),
    /// The reference is recursive.
    Recursive(bool),
    /// The reference has one of these forms.
    Reference(Vec<String>),
    /// The pattern, or one of the patterns in `patternProperties`, uses one of these features.
    Pattern(Vec<String>),
    /// The pattern has a count greater than this.
    Repeats(u64),
    /// The format is one of these.
    Format(Vec<String>),
    /// The keyword has a value of one of these kinds: `null`, `boolean`, `integer`, `fraction`, `string`, `array`,
    /// `object`.
    Kind(Vec<String>),
    /// The schema's `type` allows `integer`, but not `number`.
    Integer(bool),
    /// The object may have members that no keyword names.
    Open(bool),
    /// `additionalProperties` is a schema with keywords.
    Map(bool),
    /// Some member of `properties` is not required.
    Optional(bool),
    /// Some key of `required` is not in `properties`.
    RequiredAlone(bool),
    /// The schema requires no member.
    NoneRequired(bool),
    /// The value of the keyword is this boolean, or the schema itself if the rule is about no keyword.
    Boolean(bool),
    /// The branches of the keyword overlap, or are not proved disjoint.
    Overlapping(bool),
    /// Two branches of the keyword do not differ in their types or constants, which some engines compare alone.
    Alike(bool),
    /// Each branch of the keyword is of one of these types by its `type`, or is a reference.
    Branches(Vec<String>),
    /// Some value of `enum` is not of the schema's type.
    Mistyped(bool),
    /// The keyword holds a list, as `items` of older drafts.
    List(bool),
    /// One of these conditions holds.
    Either(Vec<Where>),
    /// This condition does not hold.
    Unless(Where),
}

impl Where {
    /// Whether the condition has no predicates, and so holds everywhere.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether the condition holds at a place.
    pub(crate) fn holds(&self, at: At<'_>) -> bool {
        self.0.iter().all(|predicate| predicate.holds(at))
    }
}

impl Predicate {
    fn holds(&self, at: At<'_>) -> bool {
        let place = at.place();
        match self {
            Self::Type(types) => shape::has_type(place, types),
            Self::Typed(wanted) => shape::is_typed(place) == *wanted,
            Self::With(keywords) => keywords.iter().all(|keyword| place.get(keyword).is_some()),
            Self::Without(keywords) => keywords.iter().all(|keyword| place.get(keyword).is_none()),
            Self::Any(keywords) => keywords.iter().any(|keyword| place.get(keyword).is_some()),
            Self::Value(wanted) => {
                wanted.iter().all(|(keyword, value)| place.get(keyword) == Some(value))
            }
            Self::Over(most) => {
                most.iter().all(|(keyword, most)| values::is_over(place, keyword, most))
            }
            Self::Position(positions) => {
                positions.iter().any(|one| shape::is_at(at.places, place, one))
            }
            Self::In(keywords) => keywords.iter().any(|keyword| keyword == place.keyword),
            Self::OptionalPlace(wanted) => shape::is_optional(at.places, place) == *wanted,
            Self::BesideReference(wanted) => shape::is_beside_reference(place) == *wanted,
            Self::BesideOthers(apart) => shape::is_beside_others(at, apart),
            Self::Recursive(wanted) => {
                place.reference.as_ref().is_some_and(|one| one.recursive) == *wanted
            }
            Self::Reference(kinds) => {
                let kind = place.reference.as_ref().map(|one| one.kind.name());
                kind.is_some_and(|kind| kinds.iter().any(|one| one == kind))
            }
            Self::Pattern(features) => {
                values::patterns(at).any(|text| pattern::uses(text, features))
            }
            Self::Repeats(most) => {
                values::patterns(at).any(|text| pattern::greatest_count(text) > *most)
            }
            Self::Format(names) => values::has_format(place, names),
            Self::Kind(kinds) => values::has_kind(at, kinds),
            Self::Integer(wanted) => shape::is_integer(place) == *wanted,
            Self::Open(wanted) => shape::is_open(place) == *wanted,
            Self::Map(wanted) => shape::is_map(place) == *wanted,
            Self::Optional(wanted) => shape::optional(place).next().is_some() == *wanted,
            Self::RequiredAlone(wanted) => shape::requires_unnamed(place) == *wanted,
            Self::NoneRequired(wanted) => shape::requires_nothing(place) == *wanted,
            Self::Boolean(wanted) => values::is_boolean(at, *wanted),
            Self::Overlapping(wanted) => overlap::overlaps(at) == *wanted,
            Self::Alike(wanted) => alike::are_alike(at) == *wanted,
            Self::Branches(types) => shape::has_branches_of(at, types),
            Self::Mistyped(wanted) => shape::is_mistyped(place) == *wanted,
            Self::List(wanted) => at.value().is_some_and(Value::is_array) == *wanted,
            Self::Either(conditions) => conditions.iter().any(|condition| condition.holds(at)),
            Self::Unless(condition) => !condition.holds(at),
        }
    }
}
