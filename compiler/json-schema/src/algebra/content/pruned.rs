//! Notes on places of a schema that nothing satisfies and that the grammar therefore leaves out.
//!
//! A property, a branch, the items of an array or the schema of keys may be empty although the whole schema is not.
//! Then the grammar accepts less than its author expects. For example, `"items": {"oneOf": [A, A]}` allows only `[]`.
//! Each such place gets a note with the effect and with the places to blame, as for unsatisfiable schemas.
//!
//! The schema `false` gets no note. The search for the places to blame is bounded. Beyond the bound, only formulas
//! already known to be empty get a note, and notes name no cause.
//!
//! Cost: a lookup for each place where a schema applies.

use rustc_hash::FxHashSet;

use grammarc_grammar::diagnostics::{Diagnostic, Severity};

use super::emptiness::Emptiness;
use super::graph::ContentGraph;
use super::report::explain;
use super::unsatisfiable_pair::cause;
use crate::algebra::automata::layer::Automata;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Logic;
use crate::algebra::simplify::quick_emptiness::obviously_empty;
use crate::algebra::types::facts::{NamedMember, named_members};
use crate::algebra::types::scalars::scalars;
use crate::document::{Document, NodeId};
use crate::read::schema::{Part, Schema, SchemaId, Schemas};

/// Code of a note on a property that nothing satisfies.
const FORBIDDEN_PROPERTY: &str = "json-schema::forbidden-property";

/// Most units of work for finding the schema places that exclude all values. Beyond, notes name no cause.
const NOTES: usize = 20_000;

/// The role of a subschema: the part of a value to which it applies, and how.
#[derive(Clone, Copy, Debug)]
enum Role<'p> {
    /// The schema applies to the value under a key (`properties`).
    Property,
    /// The schema is one of several alternatives for the value itself (`anyOf`, `oneOf`).
    Branch,
    /// The schema applies to the value itself if the given `if` accepts it (`then`).
    Then(SchemaId),
    /// The schema applies to the value itself if the given `if` refuses it (`else`).
    Else(SchemaId),
    /// The schema applies to the value itself if the value has this key (`dependentSchemas`).
    Dependent(&'p str),
    /// The schema tests the value itself (`if`).
    Condition,
    /// The value itself must not satisfy the schema (`not`).
    Negated,
    /// The schema applies to the item at this index.
    Item(usize),
    /// The schema applies to all items from this index on.
    Items(u32),
    /// The schema applies to the items that no other keyword evaluates (`unevaluatedItems`).
    OtherItems,
    /// At least one item must satisfy the schema (`contains`).
    Contains,
    /// The schema applies to the values under keys that match a pattern (`patternProperties`).
    Pattern,
    /// The schema applies to the values under keys that no other keyword names.
    OtherProperties,
    /// The schema applies to the keys (`propertyNames`).
    Names,
}

impl Role<'_> {
    /// Returns the note on the schema at `place` in this role.
    fn note(self, document: &Document<'_>, place: NodeId) -> Diagnostic {
        let key = document.key(place);
        let text = match self {
            Self::Property => format!("nothing satisfies the property {key:?}, so it is forbidden"),
            Self::Branch => "nothing satisfies this branch, so it is left out".to_owned(),
            Self::Then(_) => {
                "nothing here satisfies both `if` and `then`, so `then` never applies".to_owned()
            }
            Self::Else(_) => {
                "nothing here that `if` refuses satisfies `else`, so `else` never applies".to_owned()
            }
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

/// Calls `visit` with every subschema of a keyword that can be left out if nothing satisfies it, and with the role of
/// the subschema. `place` is the place of the keyword.
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
            then.iter().for_each(|child| visit(*child, Role::Then(*condition)));
            otherwise.iter().for_each(|child| visit(*child, Role::Else(*condition)));
        }
        Part::Items(from, child) => visit(*child, Role::Items(*from)),
        Part::Contains(child, bounds) if bounds.min > 0 => visit(*child, Role::Contains),
        Part::Names(child) => visit(*child, Role::Names),
        // The option `closed` adds `not` keywords that the source does not have.
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

/// Returns notes on the subschemas that the grammar leaves out because nothing satisfies them, in source order.
pub(crate) fn pruned(automata: &mut Automata<'_>, graph: &ContentGraph) -> Vec<Diagnostic> {
    let (document, schemas) = (automata.logic().document, automata.logic().schemas);
    let emptiness = Emptiness::new(automata, NOTES);
    let empty = graph.formulas().filter(|&formula| !graph.holds(formula)).collect();
    let mut notes = Notes { emptiness, empty, noted: FxHashSet::default(), notes: Vec::new() };
    for id in schemas.iter() {
        for (keyword, part) in schemas.parts(id) {
            for_each_place(document, *keyword, part, |child, role| notes.place(id, child, role));
        }
    }
    for id in schemas.iter().filter(|&id| is_combined(schemas.parts(id))) {
        notes.combined(id);
    }
    let mut notes = notes.notes;
    notes.sort_by_key(|(node, _)| *node);
    debug_assert!(notes.iter().all(|(_, note)| note.severity == Severity::Note));
    notes.into_iter().map(|(_, note)| note).collect()
}

/// The notes on unsatisfiable subschemas so far, and the formulas that are known to be empty.
struct Notes<'g, 'a> {
    /// Exact tests of emptiness under a limit on work.
    emptiness: Emptiness<'g, 'a>,
    /// The formulas that are known to be empty: no value satisfies them.
    empty: FxHashSet<FormulaId>,
    /// Places of the schema document that have a note already.
    noted: FxHashSet<NodeId>,
    /// The notes, each with its place in the source.
    notes: Vec<(NodeId, Diagnostic)>,
}

impl<'a> Notes<'_, 'a> {
    fn logic(&mut self) -> &mut Logic<'a> {
        self.emptiness.automata.logic()
    }

    /// Adds a note on the schema `child` if no value that satisfies `whole` satisfies it in its role.
    fn place(&mut self, whole: SchemaId, child: SchemaId, role: Role<'_>) {
        let schemas = self.logic().schemas;
        let place = schemas.node(child);
        if matches!(schemas.get(child), Schema::Boolean(false)) || self.noted.contains(&place) {
            return;
        }
        let logic = self.logic();
        let (whole, own) = (logic.schema(whole), logic.schema(child));
        let formula = match role {
            Role::Branch | Role::Dependent(_) => self.logic().both(whole, own),
            // `whole` includes what follows from `if`.
            Role::Then(condition) | Role::Else(condition) => {
                let condition = self.logic().schema(condition);
                if [FormulaId::TRUE, FormulaId::FALSE].contains(&condition) {
                    return;
                }
                match role {
                    Role::Then(_) => self.logic().both(whole, condition),
                    _ => self.logic().without(whole, condition),
                }
            }
            _ => own,
        };
        let is_empty = match role {
            // A schema of keys is empty if no string satisfies it.
            Role::Names => {
                let scalars = scalars(self.emptiness.automata.types(), formula);
                scalars.is_ok_and(|scalars| scalars.strings.is_none())
            }
            _ => self.is_empty(formula),
        };
        if is_empty {
            let note = role.note(self.logic().document, place);
            self.add(place, note, Some(formula).filter(|_| !matches!(role, Role::Names)));
        }
    }

    /// Adds notes on the properties whose value no schema allows because several keywords of the schema `id` constrain
    /// them.
    fn combined(&mut self, id: SchemaId) {
        let whole = self.logic().schema(id);
        if self.empty.contains(&whole) {
            return;
        }
        for NamedMember { key, own, value, .. } in
            named_members(self.emptiness.automata.types(), whole).unwrap_or_default()
        {
            // A property constrained by a single schema has its own note, and the schema `false` needs none.
            let is_single = own == value && self.logic().subjects(own).count() < 2;
            if is_single || own == FormulaId::FALSE || !self.is_empty(value) {
                continue;
            }
            let Some(place) = declared(self.logic().schemas, id, &key) else { continue };
            let text = format!(
                "nothing satisfies the property {key:?} with all that the schemas here say of it, so it is forbidden"
            );
            if !self.noted.contains(&place) {
                self.add(place, Diagnostic::note(FORBIDDEN_PROPERTY, text), Some(value));
            }
        }
    }

    /// Returns whether no value satisfies a formula, as already known or as a quick test shows. Returns `false` if
    /// neither decides.
    fn is_empty(&mut self, formula: FormulaId) -> bool {
        self.empty.contains(&formula)
            || obviously_empty(&mut self.emptiness.automata.simplifier, formula).unwrap_or(false)
    }

    /// Adds a note on a place of the schema. If `formula`, which no value satisfies, is given, the note names the
    /// places that exclude each other, if the search finds them.
    fn add(&mut self, place: NodeId, note: Diagnostic, formula: Option<FormulaId>) {
        self.noted.insert(place);
        self.empty.extend(formula);
        let blamed =
            formula.and_then(|formula| cause(&mut self.emptiness, formula).unwrap_or(None));
        let document = self.logic().document;
        let note = match blamed {
            Some(cause) => explain(document, note, &cause),
            None => document.place(note, place),
        };
        self.notes.push((place, note));
    }
}

/// Returns whether several keywords of a schema may constrain one property.
fn is_combined(parts: &[(NodeId, Part)]) -> bool {
    let speaks = |part: &Part| matches!(part, Part::Properties(_) | Part::Members(..));
    let several = |(_, part): &(NodeId, Part)| match part {
        Part::All(all) => all.len() > 1 || parts.len() > 1,
        _ => false,
    };
    parts.iter().any(several) || parts.iter().filter(|(_, part)| speaks(part)).count() > 2
}

/// Returns the place of the first schema for `key` in `properties` of the schema or of its `allOf`.
fn declared(schemas: &Schemas, id: SchemaId, key: &str) -> Option<NodeId> {
    schemas.parts(id).iter().find_map(|(_, part)| match part {
        Part::Properties(properties) => {
            let child = properties.iter().find(|(name, _)| **name == *key);
            child.map(|(_, child)| schemas.node(*child))
        }
        Part::All(all) => all.iter().find_map(|&one| declared(schemas, one, key)),
        _ => None,
    })
}
