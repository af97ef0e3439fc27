//! Notes on the places of a schema that nothing satisfies: they are left out of the grammar.
//!
//! A property, a branch, the items of an array or the schema of keys may be empty without the whole being so. Then the
//! grammar accepts less than its author expects, as with `"items": {"oneOf": [A, A]}`, which allows only `[]`. Each such
//! place gets a note with the effect and, as for unsatisfiable schemas, with what is to blame.
//!
//! The schema `false` says so itself and gets none. Looking for the places to blame may take only so much work; beyond
//! it there are notes without blame, and no notes on what is not already known to be empty.
//!
//! Cost: a lookup for each place where a schema applies.

use rustc_hash::FxHashSet;

use crate::diagnostics::{Diagnostic, Severity};

use super::algebra::{Algebra, ContentGraph, FormulaId, Member, cause};
use super::report::explain;
use super::schema::{Part, Schema, SchemaId};
use crate::frontend::document::{Document, NodeId};

/// Code of a note on a property that nothing satisfies.
const FORBIDDEN_PROPERTY: &str = "json-schema::forbidden-property";

/// Work that may go into notes.
const NOTES: usize = 20_000;

/// The part of a value that a schema is about.
#[derive(Clone, Copy, Debug)]
enum Role<'p> {
    /// The value under a key.
    Property,
    /// The value itself, as one of several alternatives.
    Branch,
    /// The value itself, where `if` accepts or refuses it.
    Then,
    Else,
    /// The value itself, where it has a key.
    Dependent(&'p str),
    /// The value itself, for `if` and `not`.
    Condition,
    Negated,
    /// The item at an index.
    Item(usize),
    /// The items from an index on.
    Items(u32),
    /// The items that no other keyword evaluates.
    OtherItems,
    /// Some item.
    Contains,
    /// The values under the keys that match a pattern.
    Pattern,
    /// The values under the keys that no other keyword names.
    OtherProperties,
    /// The keys.
    Names,
}

impl Role<'_> {
    /// Whether the schema applies beside all else that is said of the value.
    fn is_in_place(self) -> bool {
        matches!(self, Self::Branch | Self::Then | Self::Else | Self::Dependent(_))
    }

    /// The note on a place in this role.
    fn note(self, document: &Document<'_>, place: NodeId) -> Diagnostic {
        let key = document.key(place);
        let text = match self {
            Self::Property => format!("nothing satisfies the property {key:?}, so it is forbidden"),
            Self::Branch => "nothing satisfies this branch, so it is left out".to_owned(),
            Self::Then => "nothing satisfies `then`, so what satisfies `if` is forbidden".to_owned(),
            Self::Else => "nothing satisfies `else`, so what `if` refuses is forbidden".to_owned(),
            Self::Dependent(key) => {
                format!("nothing satisfies the schema beside the property {key:?}, so it is forbidden")
            }
            Self::Condition => "nothing satisfies `if`, so `else` always applies".to_owned(),
            Self::Negated => "nothing satisfies the schema, so `not` excludes nothing".to_owned(),
            Self::Item(0) | Self::Items(0) => {
                "nothing satisfies the items, so only the empty array is allowed".to_owned()
            }
            Self::Item(index) => {
                format!("nothing satisfies item {index}, counted from 0, so no array is that long")
            }
            Self::Items(from) => {
                format!("nothing satisfies the items from {from} on, so no array has more than {from}")
            }
            Self::OtherItems => {
                "nothing satisfies the items that no other keyword names, so there are none".to_owned()
            }
            Self::Contains => "nothing satisfies `contains`, so no array is allowed".to_owned(),
            Self::Pattern => {
                format!("nothing satisfies the properties that match {key:?}, so they are forbidden")
            }
            Self::OtherProperties => {
                "nothing satisfies the properties that no other keyword names, so they are forbidden"
                    .to_owned()
            }
            Self::Names => {
                "no string satisfies the schema of the keys, so only the empty object is allowed"
                    .to_owned()
            }
        };
        let code = match self {
            Self::Property | Self::Pattern | Self::OtherProperties => FORBIDDEN_PROPERTY,
            Self::Names => "json-schema::forbidden-keys",
            Self::Item(_) | Self::Items(_) | Self::OtherItems | Self::Contains => {
                "json-schema::forbidden-items"
            }
            _ => "json-schema::dead-branch",
        };
        Diagnostic::note(code, text)
    }
}

/// Calls `visit` with every schema that a keyword applies to a part of a value. `place` is that of the keyword.
fn for_each_place<'p>(
    document: &Document<'_>,
    place: NodeId,
    part: &'p Part,
    mut visit: impl FnMut(SchemaId, Role<'p>),
) {
    match part {
        Part::Properties(properties) => {
            properties.iter().for_each(|(_, child)| visit(*child, Role::Property));
        }
        Part::Any(branches) | Part::One(branches) => {
            branches.iter().for_each(|child| visit(*child, Role::Branch));
        }
        Part::Prefix(items) => {
            items.iter().enumerate().for_each(|(at, child)| visit(*child, Role::Item(at)));
        }
        Part::Members(_, child) => match document.key(place) {
            "patternProperties" => visit(*child, Role::Pattern),
            _ => visit(*child, Role::OtherProperties),
        },
        Part::If(condition, then, otherwise) => {
            visit(*condition, Role::Condition);
            then.iter().for_each(|child| visit(*child, Role::Then));
            otherwise.iter().for_each(|child| visit(*child, Role::Else));
        }
        Part::Items(from, child) => visit(*child, Role::Items(*from)),
        Part::Contains(child, bounds) if bounds.min > 0 => visit(*child, Role::Contains),
        Part::Names(child) => visit(*child, Role::Names),
        // Closed objects have others, which the source does not.
        Part::Not(child) if document.key(place) == "not" => visit(*child, Role::Negated),
        Part::DependentSchema(key, child) => visit(*child, Role::Dependent(key)),
        Part::UnevaluatedProperties(child) => visit(*child, Role::OtherProperties),
        Part::UnevaluatedItems(child) => visit(*child, Role::OtherItems),
        Part::All(_)
        | Part::Not(_)
        | Part::Contains(..)
        | Part::Types(_)
        | Part::Values(_)
        | Part::Numbers(_)
        | Part::Strings(_)
        | Part::ItemCount(_)
        | Part::UniqueItems
        | Part::Required(_)
        | Part::MemberCount(_)
        | Part::DependentRequired(..) => {}
    }
}

/// Notes on what was left out, in source order.
pub(crate) fn pruned(algebra: &mut Algebra<'_>, graph: &ContentGraph) -> Vec<Diagnostic> {
    algebra.explain(NOTES);
    let (document, schemas) = (algebra.document, algebra.schemas);
    let mut empty: FxHashSet<_> = graph.formulas().filter(|&f| !graph.holds(f)).collect();
    let mut notes: Vec<(NodeId, Diagnostic)> = Vec::new();
    let mut noted = FxHashSet::default();
    for id in schemas.iter() {
        let whole = algebra.schema(id);
        for (keyword, part) in schemas.parts(id) {
            for_each_place(document, *keyword, part, |child, role| {
                let place = schemas.node(child);
                if matches!(schemas.get(child), Schema::Boolean(false)) || noted.contains(&place) {
                    return;
                }
                let own = algebra.schema(child);
                let formula = if role.is_in_place() { algebra.both(whole, own) } else { own };
                if !is_empty(algebra, &empty, formula, role) {
                    return;
                }
                noted.insert(place);
                let note = role.note(document, place);
                let blamed = match role {
                    // Values that are no strings may satisfy it.
                    Role::Names => None,
                    _ => {
                        empty.insert(formula);
                        cause(algebra, formula).unwrap_or(None)
                    }
                };
                let note = match blamed {
                    Some(cause) => explain(document, note, &cause),
                    None => document.place(note, place),
                };
                notes.push((place, note));
            });
        }
    }
    for id in schemas.iter().filter(|&id| is_combined(schemas.parts(id))) {
        let whole = algebra.schema(id);
        if empty.contains(&whole) {
            continue;
        }
        for Member { key, own, value, .. } in algebra.members_of(whole).unwrap_or_default() {
            // What one schema says by itself has its note, and the schema `false` needs none.
            let is_single = own == value && algebra.subjects(own).count() < 2;
            let place = algebra.place(own).filter(|place| !noted.contains(place));
            let Some(place) = place.filter(|_| !is_single && own != FormulaId::FALSE) else {
                continue;
            };
            if !is_empty(algebra, &empty, value, Role::Property) {
                continue;
            }
            noted.insert(place);
            let text = format!(
                "nothing satisfies the property {key:?} with all that the schemas here say of it, so it is forbidden"
            );
            let note = Diagnostic::note(FORBIDDEN_PROPERTY, text);
            let note = match cause(algebra, value).unwrap_or(None) {
                Some(cause) => explain(document, note, &cause),
                None => document.place(note, place),
            };
            notes.push((place, note));
        }
    }
    notes.sort_by_key(|(node, _)| *node);
    debug_assert!(notes.iter().all(|(_, note)| note.severity == Severity::Note));
    notes.into_iter().map(|(_, note)| note).collect()
}

/// Whether several keywords of a schema may speak of one property.
fn is_combined(parts: &[(NodeId, Part)]) -> bool {
    let speaks = |part: &Part| matches!(part, Part::Properties(_) | Part::Members(..));
    let several = |(_, part): &(NodeId, Part)| match part {
        Part::All(all) => all.len() > 1 || parts.len() > 1,
        _ => false,
    };
    parts.iter().any(several) || parts.iter().filter(|(_, part)| speaks(part)).count() > 2
}

/// Whether no value in a role satisfies a formula.
fn is_empty(
    algebra: &mut Algebra<'_>,
    empty: &FxHashSet<FormulaId>,
    formula: FormulaId,
    role: Role<'_>,
) -> bool {
    match role {
        // Of a schema of keys, only the strings count.
        Role::Names => algebra.scalars(formula).is_ok_and(|scalars| scalars.strings.is_none()),
        _ => empty.contains(&formula) || algebra.nothing(formula).unwrap_or(false),
    }
}
