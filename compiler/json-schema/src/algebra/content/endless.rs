//! Finds schemas that only an infinite value satisfies, such as a list node with a required `next`.
//!
//! The satisfiable formulas are the least fixpoint over the [content graph](super::graph). The greatest fixpoint also
//! contains formulas with infinite values. A formula in the greatest and not in the least fixpoint has no conflict,
//! only an endless recursion.
//!
//! Cost: a pass over the graph of the formula for each level at which emptiness spreads. The test runs only for empty
//! formulas.

use rustc_hash::FxHashSet;

use grammarc_grammar::diagnostics::Diagnostic;

use super::explore::explored;
use super::graph::ContentGraph;
use super::steps::Steps;
use crate::algebra::automata::layer::Automata;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Logic;
use crate::algebra::logic::subject::Subject;
use crate::document::NodeId;
use crate::read::schema::SchemaId;

/// Returns the place of a recursive schema that only infinite values satisfy, as the reason why no finite value
/// satisfies `formula`. Returns `None` if there is another reason.
pub(crate) fn endless(
    automata: &mut Automata<'_>,
    formula: FormulaId,
) -> Result<Option<NodeId>, Diagnostic> {
    let (graph, steps) = explored(automata, formula)?;
    let mut steps = steps.into_iter();
    let of_nodes: Vec<Vec<Steps>> = graph
        .contents
        .iter()
        .map(|content| {
            let arrays = content.arrays.as_ref().map_or(0, Vec::len);
            let objects = content.objects.as_ref().map_or(0, Vec::len);
            steps.by_ref().take(arrays + objects).collect()
        })
        .collect();
    let infinite = with_infinite(&graph, &of_nodes);
    if graph.holds[0] || !infinite[0] {
        return Ok(None);
    }
    // Each node with infinite values alone has such a child, so the path reaches a cycle.
    let mut seen = vec![false; graph.len()];
    let mut at = 0;
    loop {
        seen[at] = true;
        let edges = of_nodes[at].iter().flat_map(|steps| &steps.edges);
        let mut children = edges.filter_map(|edge| edge.value).map(|value| graph.index(value));
        let Some(next) = children.find(|&child| infinite[child] && !graph.holds[child]) else {
            return Ok(None);
        };
        if seen[next] {
            let formulas: Vec<FormulaId> = graph.formulas().collect();
            return Ok(recursive_place(automata.logic(), formulas[at], formulas[next]));
        }
        at = next;
    }
}

/// Returns the place of the subschema through which the formula `from` applies the formula `to` to a member or item of
/// the value.
fn recursive_place(logic: &mut Logic<'_>, from: FormulaId, to: FormulaId) -> Option<NodeId> {
    let schemas = logic.schemas;
    let subjects = logic.subjects(from).filter_map(|(subject, _)| match subject {
        Subject::Schema(id) | Subject::Keyword(id, _) => Some(*id),
        Subject::Value(_) | Subject::Scalar(_) => None,
    });
    let mut open: Vec<SchemaId> = subjects.collect();
    let mut seen: FxHashSet<SchemaId> = open.iter().copied().collect();
    while let Some(id) = open.pop() {
        for (_, part) in schemas.parts(id) {
            let in_place = part.in_place();
            let mut children = Vec::new();
            part.for_each_schema(|child| children.push(*child));
            for child in children {
                if in_place.contains(&child) {
                    open.extend(seen.insert(child).then_some(child));
                } else if logic.schema(child) == to {
                    return Some(schemas.node(child));
                }
            }
        }
    }
    logic.place(to)
}

/// Returns for each node of the graph whether a finite or an infinite value satisfies its formula: the greatest
/// fixpoint.
fn with_infinite(graph: &ContentGraph, automata: &[Vec<Steps>]) -> Vec<bool> {
    let mut infinite = vec![true; graph.len()];
    loop {
        let mut changed = false;
        for (at, automata) in automata.iter().enumerate() {
            if graph.holds[at] || !infinite[at] {
                continue;
            }
            let holds = |value: FormulaId| infinite[graph.index(value)];
            if !automata.iter().any(|steps| steps.alive(holds)[0]) {
                infinite[at] = false;
                changed = true;
            }
        }
        if !changed {
            return infinite;
        }
    }
}
