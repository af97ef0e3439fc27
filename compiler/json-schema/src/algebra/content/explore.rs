//! Builds content graphs: explores formulas from a root, and decides which of them some value satisfies.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::cardinality::check_cardinality;
use super::graph::ContentGraph;
use super::node::Content;
use super::steps::Steps;
use crate::algebra::automata::item_automata::item_automata;
use crate::algebra::automata::key_order::member_automata;
use crate::algebra::automata::layer::Automata;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::types::scalars::written_scalars;

/// Builds the graph of all formulas reachable from `root`, each with automata of its arrays and objects. States and
/// edges that no finite value passes are removed.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn build(
    automata: &mut Automata<'_>,
    root: FormulaId,
) -> Result<ContentGraph, Diagnostic> {
    let (mut graph, steps) = explored(automata, root)?;
    graph.prune(steps);
    check_cardinality(automata, &mut graph.contents, &graph.formulas);
    Ok(graph)
}

/// Builds the graph of all formulas reachable from `root`, and decides which of these formulas some value satisfies.
/// Also returns the edges of each automaton, in the order of the formulas, with arrays before objects.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn explored(
    automata: &mut Automata<'_>,
    root: FormulaId,
) -> Result<(ContentGraph, Vec<Steps>), Diagnostic> {
    let size = automata.logic().schemas.len();
    let mut formulas: IndexSet<FormulaId, FxBuildHasher> =
        IndexSet::with_capacity_and_hasher(size, FxBuildHasher);
    formulas.insert(root);
    let mut contents = Vec::with_capacity(size);
    while let Some(&formula) = formulas.get_index(contents.len()) {
        if let Some(place) = automata.logic().place(formula) {
            automata.logic().at = place;
        }
        let content = Content {
            scalars: written_scalars(automata.types(), formula)?,
            arrays: item_automata(automata, formula)?,
            objects: member_automata(automata, formula)?,
        };
        content.for_each_value(|value| _ = formulas.insert(value));
        contents.push(content);
        automata.types().grow()?;
    }
    let mut graph = ContentGraph { holds: vec![false; contents.len()], formulas, contents };
    let steps = graph.fixpoint();
    Ok((graph, steps))
}
