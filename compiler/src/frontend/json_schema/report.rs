//! What the emptiness of parts means for the author: an unsatisfiable schema is an error that names the two places in
//! conflict; a property or branch that nothing satisfies is left out with a note.

use rustc_hash::FxHashSet;

use crate::diagnostics::{Diagnostic, Severity};

use super::algebra::Conflict;
use super::document::{Document, NodeId};
use super::graph::ShapeGraph;
use super::schema::{Part, Schema, Schemas};
use super::shape::ConjunctionId;

/// Why the whole schema holds nothing; `None` where it holds something.
pub(crate) fn unsatisfiable(document: &Document, graph: &ShapeGraph) -> Option<Diagnostic> {
    let root = graph.root();
    if graph.holds(root) {
        return None;
    }
    let error = Diagnostic::error("json-schema::unsatisfiable", "no value satisfies the schema");
    Some(match cause(graph, root) {
        Some(conflict) => explain(document, error, conflict)
            .with_help("change one of the two places, or make what needs them optional"),
        None => document
            .place(error, document.root())
            .with_help("only an infinite value would satisfy it; make the recursion optional"),
    })
}

/// Follows what is missing down to keywords in conflict; `None` where it goes in circles.
fn cause(graph: &ShapeGraph, from: ConjunctionId) -> Option<Conflict> {
    let mut seen = FxHashSet::default();
    let mut at = from;
    while seen.insert(at) {
        let node = graph.node(at);
        match node.starved.first() {
            Some(&next) => at = next,
            None => return node.conflict,
        }
    }
    None
}

fn explain(document: &Document, diagnostic: Diagnostic, conflict: Conflict) -> Diagnostic {
    let placed = diagnostic.with_pointer(document.pointer(conflict.place));
    if conflict.place == conflict.other {
        return placed.with_label(document.span(conflict.place), "nothing satisfies this");
    }
    let other = document.pointer(conflict.other);
    placed
        .with_label(document.span(conflict.place), format!("no value satisfies this and `{other}`"))
        .with_label(document.span(conflict.other), "in conflict with this")
}

/// Notes on what was left out, in source order.
pub(crate) fn pruned(
    document: &Document,
    schemas: &Schemas,
    graph: &ShapeGraph,
) -> Vec<Diagnostic> {
    let mut notes: Vec<(NodeId, Diagnostic)> = Vec::new();
    let mut noted = FxHashSet::default();
    let ids = (0..graph.len()).map(ConjunctionId::new);
    for property in ids
        .flat_map(|id| &graph.union(id).objects)
        .flat_map(|shape| &shape.properties)
        .filter(|property| !graph.holds(property.value))
    {
        // The schema `false` says so itself.
        let place = graph.schemas(property.value).first().copied().unwrap_or(document.root());
        let said = matches!(schemas.get(place), Some(Schema::Boolean(false)));
        if !said && noted.insert(place) {
            let text =
                format!("nothing satisfies the property {:?}, so it is forbidden", property.key);
            let note = Diagnostic::note("json-schema::forbidden-property", text);
            let note = match cause(graph, property.value) {
                Some(conflict) => explain(document, note, conflict),
                None => document.place(note, place),
            };
            notes.push((place, note));
        }
    }
    let mut parts = Vec::new();
    for node in document.nodes() {
        parts.extend(schemas.keywords(node).into_iter().flat_map(|keywords| &keywords.parts));
    }
    let reached =
        |branches: &[NodeId]| branches.iter().any(|b| graph.alive.binary_search(b).is_ok());
    for part in parts {
        let Part::Any(branches) = part else { continue };
        for &branch in branches.iter().filter(|_| reached(branches)) {
            let said = matches!(schemas.get(branch), Some(Schema::Boolean(false)));
            if graph.alive.binary_search(&branch).is_err() && !said {
                let text = "nothing satisfies this branch, so it is left out";
                let note = Diagnostic::note("json-schema::dead-branch", text);
                notes.push((branch, document.place(note, branch)));
            }
        }
    }
    notes.sort_by_key(|(node, _)| *node);
    debug_assert!(notes.iter().all(|(_, note)| note.severity == Severity::Note));
    notes.into_iter().map(|(_, note)| note).collect()
}
