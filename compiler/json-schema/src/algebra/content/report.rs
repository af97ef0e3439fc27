//! Errors of schemas without an instance: no value satisfies the schema, or every value nests deeper than indented text
//! allows.
//!
//! The error names the places to blame: the two places in conflict, the required key that they forbid, or the endless
//! recursion. The search for them may take more than the remaining budget. Then the error names no place.

use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::{Grammar, Survey, facts};

use super::emptiness::Emptiness;
use super::graph::ContentGraph;
use super::unsatisfiable_pair::{Cause, Conflict, cause};
use crate::algebra::automata::layer::Automata;
use crate::algebra::logic::formula::FormulaId;
use crate::document::{Document, Json, NodeId};
use crate::options::TextForm;
use crate::read::required::declared_near;

/// Returns the error of a schema without an instance, or `None` if some value satisfies it. `closed` lists the places
/// of the schemas that the option `closed` has closed, ascending.
pub(crate) fn unsatisfiable(
    automata: &mut Automata<'_>,
    graph: &ContentGraph,
    closed: &[NodeId],
) -> Option<Diagnostic> {
    let root = graph.root();
    if graph.holds(root) {
        return None;
    }
    let document = automata.logic().document;
    let mut emptiness = Emptiness::new(automata, usize::MAX);
    let text = "no value satisfies the schema";
    let error = |text| Diagnostic::error("json-schema::unsatisfiable", text);
    let place = document.root();
    let blamed = match document.json(place) {
        Json::Bool(_) => Ok(Some(Cause::Conflict(Conflict::alone(place)))),
        _ => cause(&mut emptiness, root),
    };
    Some(match blamed {
        Ok(Some(cause)) => {
            let error = match forbidden(&cause) {
                Some(key) => error(format!("{text}: {key:?} is required, and no value is allowed for it")),
                None => error(text.to_owned()),
            };
            let help = way_out(document, &cause, closed);
            explain(document, error, &cause).with_help(help)
        }
        Ok(None) if root == FormulaId::FALSE => document.place(error(text.to_owned()), place).with_help(
            "it refers to the schema `false`, which has no value: let the definition be `true`, or another schema",
        ),
        Ok(None) => document.place(error(text.to_owned()), place).with_help(
            "more than two of its keywords contradict each other: loosen one, or make a required member optional",
        ),
        Err(_) => document.place(error(text.to_owned()), place).with_help(
            "required members contradict each other or need each other without end; make one optional",
        ),
    })
}

/// Returns the required key for which no value is allowed, or `None` if the cause is another.
fn forbidden(cause: &Cause) -> Option<&str> {
    match cause {
        Cause::Conflict(conflict) => conflict.key.as_deref(),
        Cause::Endless(_) => None,
    }
}

/// Returns the help of the error: a change that gives the schema an instance.
fn way_out(document: &Document<'_>, cause: &Cause, closed: &[NodeId]) -> String {
    let conflict = match cause {
        Cause::Endless(_) => {
            return "only an infinite value would satisfy it: take the key out of `required`, allow an empty array, \
                    or add an alternative such as `{\"type\": \"null\"}`"
                .to_owned();
        }
        Cause::Conflict(conflict) => conflict,
    };
    let Some(key) = &conflict.key else {
        let alone = alone(document, conflict);
        return alone
            .unwrap_or("change one of the two places, or make what needs them optional")
            .to_owned();
    };
    let either = [conflict.place, conflict.other];
    let required = either.into_iter().find(|&place| document.key(place) == "required");
    let near = required.and_then(|required| declared_near(document, required, key));
    if let Some(near) = near {
        return format!("did you mean {near:?}?");
    }
    if either.iter().any(|place| closed.binary_search(place).is_ok()) {
        return format!(
            "`--closed` (the option `closed`) allows only the keys that `properties` names: add {key:?} there, or take it \
             out of `required`"
        );
    }
    let is_open = |place: &NodeId| document.key(*place) == "properties";
    match either.iter().any(is_open) {
        true => format!("give {key:?} a schema that has a value, or take it out of `required`"),
        false => format!("add {key:?} to `properties`, or take it out of `required`"),
    }
}

/// Returns advice for a schema or keyword that no value satisfies by itself. Returns `None` if two places are in
/// conflict.
fn alone(document: &Document<'_>, conflict: &Conflict) -> Option<&'static str> {
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

/// Adds to a diagnostic the places of the schema that exclude all values, as its pointer and labels.
pub(crate) fn explain(
    document: &Document<'_>,
    diagnostic: Diagnostic,
    cause: &Cause,
) -> Diagnostic {
    let conflict = match cause {
        Cause::Endless(place) => {
            return diagnostic.with_pointer(document.pointer(*place)).with_label(
                document.key_span(*place),
                "a value here holds another one of the same schema, without end",
            );
        }
        Cause::Conflict(conflict) => conflict,
    };
    let Conflict { place, other, key } = conflict;
    let placed = diagnostic.with_pointer(document.pointer(*place));
    if place == other {
        return placed.with_label(document.span(*place), "nothing satisfies this");
    }
    let pointer = document.pointer(*other);
    let text = match key {
        Some(key) => format!("this and `{pointer}` leave no value for {key:?}"),
        None => format!("no value satisfies this and `{pointer}`"),
    };
    placed
        .with_label(document.span(*place), text)
        .with_label(document.span(*other), "in conflict with this")
}

/// Checks that some document fits into the levels of the indented text form. `cut` lists the places of the schemas
/// whose arrays and objects must be empty at the last level; the error names the first.
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
    let help =
        "raise `--levels` (the option `levels`), or choose a form of whitespace without lines";
    Err(document.error("json-schema::level-limit", first, text).with_help(help))
}
