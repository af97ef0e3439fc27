//! The meaning of empty parts for the author: an unsatisfiable schema is an error that names the two places in
//! conflict; a property or branch that nothing satisfies is left out with a note. A schema that no text form of the options
//! has room for is an error as well.
//!
//! Looking for the places to blame can take more than the budget has left. Then nobody is blamed, and what would only
//! have been a note is none: neither is a reason to refuse a schema.

use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::diagnostics::{Diagnostic, Severity};
use crate::ir::{Grammar, Survey, facts};

use super::algebra::{Algebra, Conflict, ContentGraph, conflict};
use super::options::TextForm;
use super::schema::{Part, Schema};
use crate::frontend::document::{Document, Json, NodeId};

/// Work that may go into notes.
const NOTES: usize = 20_000;

/// Why the whole schema holds nothing; `None` where it holds something.
pub(crate) fn unsatisfiable(algebra: &mut Algebra<'_>, graph: &ContentGraph) -> Option<Diagnostic> {
    let root = graph.root();
    if graph.holds(root) {
        return None;
    }
    algebra.explain(usize::MAX);
    let document = algebra.document;
    let error = Diagnostic::error("json-schema::unsatisfiable", "no value satisfies the schema");
    let place = document.root();
    let blamed = match document.json(place) {
        Json::Bool(_) => Ok(Some(Conflict { place, other: place })),
        _ => conflict(algebra, root),
    };
    Some(match blamed {
        Ok(Some(conflict)) => {
            let help = alone(document, conflict)
                .unwrap_or("change one of the two places, or make what needs them optional");
            explain(document, error, conflict).with_help(help)
        }
        Ok(None) => document
            .place(error, document.root())
            .with_help("only an infinite value would satisfy it; make the recursion optional"),
        Err(_) => document.place(error, document.root()).with_help(
            "required members contradict each other or need each other without end; make one optional",
        ),
    })
}

/// Advice where one place alone has no value.
fn alone(document: &Document<'_>, conflict: Conflict) -> Option<&'static str> {
    if conflict.place != conflict.other {
        return None;
    }
    Some(match document.json(conflict.place) {
        Json::Bool(_) => {
            "the schema `false` has no value; `true` has all, and a property that may not be there is left out"
        }
        Json::Array(values) if values.is_empty() && document.key(conflict.place) == "enum" => {
            "an empty `enum` has no value: list those that are meant, or leave `enum` out"
        }
        _ => "this alone has no value: loosen it, or make what needs it optional",
    })
}

fn explain(document: &Document<'_>, diagnostic: Diagnostic, conflict: Conflict) -> Diagnostic {
    let placed = diagnostic.with_pointer(document.pointer(conflict.place));
    if conflict.place == conflict.other {
        return placed.with_label(document.span(conflict.place), "nothing satisfies this");
    }
    let other = document.pointer(conflict.other);
    placed
        .with_label(document.span(conflict.place), format!("no value satisfies this and `{other}`"))
        .with_label(document.span(conflict.other), "in conflict with this")
}

/// Checks that some document is not nested deeper than the text form goes; `cut` are the schemas of containers that it
/// holds to be empty.
pub(crate) fn deep_enough(
    document: &Document<'_>,
    grammar: &Grammar,
    cut: &[NodeId],
    text: TextForm,
    budget: &Budget,
) -> Result<(), Diagnostic> {
    let Some(&first) = cut.first() else { return Ok(()) };
    let facts = facts::of_rules(grammar, &Survey::new(grammar, budget), budget);
    if facts[grammar.start.index()].productive {
        return Ok(());
    }
    let levels = text.whitespace.levels().unwrap_or_default();
    let text =
        format!("every document is nested deeper here than the {levels} levels of indented text");
    let help = "raise the number of levels, or choose a form of whitespace without lines";
    Err(document.error("json-schema::level-limit", first, text).with_help(help))
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
        for (_, part) in schemas.parts(id) {
            let (properties, branches): (&[_], &[_]) = match part {
                Part::Properties(properties) => (properties, &[]),
                Part::Any(branches) | Part::One(branches) => (&[], branches),
                _ => continue,
            };
            let is_branch = !branches.is_empty();
            for child in properties.iter().map(|(_, child)| *child).chain(branches.iter().copied())
            {
                let place = schemas.node(child);
                // The schema `false` says so itself.
                if matches!(schemas.get(child), Schema::Boolean(false)) || noted.contains(&place) {
                    continue;
                }
                let own = algebra.schema(child);
                let formula = match is_branch {
                    // With all else that the schema says.
                    true => algebra.both(whole, own),
                    false => own,
                };
                if !empty.contains(&formula) && !algebra.nothing(formula).unwrap_or(false) {
                    continue;
                }
                empty.insert(formula);
                noted.insert(place);
                let note = match is_branch {
                    true => Diagnostic::note(
                        "json-schema::dead-branch",
                        "nothing satisfies this branch, so it is left out",
                    ),
                    false => {
                        let text = format!(
                            "nothing satisfies the property {:?}, so it is forbidden",
                            document.key(place)
                        );
                        Diagnostic::note("json-schema::forbidden-property", text)
                    }
                };
                let note = match conflict(algebra, formula) {
                    Ok(Some(conflict)) => explain(document, note, conflict),
                    Ok(None) | Err(_) => document.place(note, place),
                };
                notes.push((place, note));
            }
        }
    }
    notes.sort_by_key(|(node, _)| *node);
    debug_assert!(notes.iter().all(|(_, note)| note.severity == Severity::Note));
    notes.into_iter().map(|(_, note)| note).collect()
}
