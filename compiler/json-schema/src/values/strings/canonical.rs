//! Canonical automata (minimal, states in a fixed order) without general minimization.

use rustc_hash::FxHashMap;

use super::lengths::begins;
use grammarc_grammar::automata::{Dfa, DfaState, Edge, Edges};

/// Returns the automaton of the states that are reachable from `root`, numbered breadth first along sorted edges.
/// [`grammarc_grammar::automata::minimize`] numbers states alike.
pub(super) fn numbered(states: &[DfaState], root: u32) -> Dfa {
    let mut numbers = vec![u32::MAX; states.len()];
    numbers[root as usize] = 0;
    let mut order = vec![root];
    let mut result: Vec<DfaState> = Vec::new();
    while let Some(&old) = order.get(result.len()) {
        let mut state = states[old as usize].clone();
        for edge in &mut state.edges {
            let number = &mut numbers[edge.target as usize];
            if *number == u32::MAX {
                *number = order.len() as u32;
                order.push(edge.target);
            }
            edge.target = *number;
        }
        result.push(state);
    }
    Dfa { states: result }
}

/// Most bytes of one character in UTF-8.
const LONGEST: usize = 4;

/// Minimizes a product of automata by merging its equal states. The product must be the difference of all texts and a
/// minimal automaton.
///
/// Between characters, two different states of the minimal automaton have different continuations, so no two of them
/// merge. Inside a character states may be equal. They have at most three bytes left, so equal states are found from
/// the last byte backwards. Cost: linear in the product.
pub(super) fn folded(product: Dfa) -> Dfa {
    let inside = |state: &DfaState| state.edges.iter().any(|edge| !begins(edge));
    let mut same: Vec<u32> = (0..product.states.len() as u32).collect();
    let mut pending: Vec<u32> = Vec::new();
    for (index, state) in product.states.iter().enumerate() {
        if inside(state) {
            same[index] = u32::MAX;
            pending.push(index as u32);
        }
    }
    let mut known: FxHashMap<Edges, u32> = FxHashMap::default();
    for _ in 0..LONGEST - 1 {
        pending.retain(|&index| {
            let edges = &product.states[index as usize].edges;
            if edges.iter().any(|edge| same[edge.target as usize] == u32::MAX) {
                return true;
            }
            same[index as usize] = *known.entry(redirected(edges, &same).edges).or_insert(index);
            false
        });
    }
    let states: Vec<DfaState> = product
        .states
        .iter()
        .map(|state| DfaState { accepting: state.accepting, ..redirected(&state.edges, &same) })
        .collect();
    numbered(&states, same[0])
}

/// Returns a state whose edges lead to the representatives of their targets in `same`, with neighbouring edges joined.
fn redirected(edges: &[Edge], same: &[u32]) -> DfaState {
    let mut result = DfaState::default();
    edges.iter().for_each(|edge| result.add(Edge { target: same[edge.target as usize], ..*edge }));
    result
}
