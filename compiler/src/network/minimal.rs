//! Automata in the form that rules have: deterministic and minimal, without the empty string,
//! without unreachable states.

use crate::automata::{
    Dfa, DfaState, Edge, Nfa, StateBudget, StateLimit, Table, minimal_table, minimize_within,
};

/// Determinizes and minimizes an automaton, and removes the empty string from its language.
///
/// # Errors
///
/// [`StateLimit`] if there are too many states or the budget is spent.
pub(super) fn minimal_without_empty(
    nfa: &Nfa,
    bounds: StateBudget<'_>,
) -> Result<Table, StateLimit> {
    let dfa = minimal_table(nfa, bounds)?;
    if !dfa.accepts(0) {
        return Ok(dfa);
    }
    minimized_without_empty(dfa.to_dfa(), bounds)
}

/// Removes the empty string from the language of an automaton, and minimizes it.
///
/// # Errors
///
/// [`StateLimit`] if there are too many states or the budget is spent.
pub(super) fn minimized_without_empty(
    dfa: Dfa,
    bounds: StateBudget<'_>,
) -> Result<Table, StateLimit> {
    Ok((&minimize_within(&without_empty(dfa), bounds)?).into())
}

/// Removes the empty string from the language. If edges lead to the initial state, they lead to an
/// accepting copy of it afterwards.
fn without_empty(mut dfa: Dfa) -> Dfa {
    if !dfa.states[0].accepting {
        return dfa;
    }
    let again = dfa.states.iter().any(|state| state.edges.iter().any(|edge| edge.target == 0));
    if again {
        let copy = dfa.states.len() as u32;
        let state = dfa.states[0].clone();
        dfa.states.push(state);
        for edge in dfa.states.iter_mut().flat_map(|state| &mut state.edges) {
            if edge.target == 0 {
                edge.target = copy;
            }
        }
    }
    dfa.states[0].accepting = false;
    dfa.trimmed()
}

/// Drops the states that are reachable neither from state 0 nor from a state in `roots`. Returns
/// the kept states, and for each old state its new number, or `u32::MAX` if it was dropped.
pub(super) fn without_unreached(states: Vec<DfaState>, roots: &[u32]) -> (Vec<DfaState>, Vec<u32>) {
    let mut numbers = vec![u32::MAX; states.len()];
    let mut order = Vec::new();
    for &root in [0].iter().chain(roots) {
        if numbers[root as usize] == u32::MAX {
            numbers[root as usize] = order.len() as u32;
            order.push(root);
        }
    }
    let mut at = 0;
    while at < order.len() {
        for edge in &states[order[at] as usize].edges {
            if numbers[edge.target as usize] == u32::MAX {
                numbers[edge.target as usize] = order.len() as u32;
                order.push(edge.target);
            }
        }
        at += 1;
    }
    let kept = order.iter().map(|&old| {
        let state = &states[old as usize];
        let edges = state.edges.iter().map(|e| Edge { target: numbers[e.target as usize], ..*e });
        DfaState { edges: edges.collect(), accepting: state.accepting }
    });
    (kept.collect(), numbers)
}
