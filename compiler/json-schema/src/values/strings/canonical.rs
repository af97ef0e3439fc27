//! Canonical automata without general minimization.

use rustc_hash::FxHashMap;

use super::lengths::begins;
use grammarc_grammar::automata::{Dfa, DfaState, Edge, Edges};

/// The states that the root leads to, breadth first along sorted edges, as [`grammarc_grammar::automata::minimize`]
/// numbers them.
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

/// Bytes of the longest character.
const LONGEST: usize = 4;

/// Merges equal states of a product. The product is the difference of all texts and a minimal automaton.
///
/// Between characters, different states of the operand have different rests, so no two such states are equal. Inside
/// a character states may be equal. They have at most three bytes left, so equal ones are found from the last byte
/// on. Linear.
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

/// Redirects edges to the representatives of their targets, and joins neighbours.
fn redirected(edges: &[Edge], same: &[u32]) -> DfaState {
    let mut result = DfaState::default();
    edges.iter().for_each(|edge| result.add(Edge { target: same[edge.target as usize], ..*edge }));
    result
}
