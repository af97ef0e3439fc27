//! Boolean operations on automata over bytes.

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use super::{Dfa, DfaState, Edge, Edges, StateLimit, minimize};

/// The strings that both automata accept, minimal. The product has at most as many states as the operands' counts
/// multiplied; only reachable ones are built.
///
/// # Errors
///
/// [`StateLimit`] where more than `limit` states are reachable.
pub fn intersect(a: &Dfa, b: &Dfa, limit: usize) -> Result<Dfa, StateLimit> {
    let mut ids: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut order = vec![(0, 0)];
    ids.insert((0, 0), 0);
    let mut states = Vec::new();
    let mut at = 0;
    while at < order.len() {
        let (left, right) = order[at];
        at += 1;
        let (left, right) = (&a.states[left as usize], &b.states[right as usize]);
        let mut edges = Edges::new();
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (left.edges.get(i), right.edges.get(j)) {
            let (lo, hi) = (x.lo.max(y.lo), x.hi.min(y.hi));
            if lo <= hi {
                let pair = (x.target, y.target);
                let next = ids.len() as u32;
                let target = *ids.entry(pair).or_insert_with(|| {
                    order.push(pair);
                    next
                });
                if order.len() > limit {
                    return Err(StateLimit { limit });
                }
                edges.push(Edge { lo, hi, target });
            }
            if x.hi <= y.hi { i += 1 } else { j += 1 }
        }
        states.push(DfaState { edges, accepting: left.accepting && right.accepting });
    }
    Ok(minimize(&Dfa { states }.trimmed()))
}

/// The byte strings that the automaton does not accept, minimal. O(states + edges) and a minimisation.
pub fn complement(dfa: &Dfa) -> Dfa {
    let sink = dfa.states.len() as u32;
    let mut states: Vec<DfaState> = dfa
        .states
        .iter()
        .map(|state| {
            let mut edges = Edges::with_capacity(state.edges.len() * 2 + 1);
            let mut next = 0;
            for edge in &state.edges {
                if next < edge.lo {
                    edges.push(Edge { lo: next, hi: edge.lo - 1, target: sink });
                }
                edges.push(*edge);
                next = edge.hi + 1;
            }
            if next <= 255 {
                edges.push(Edge { lo: next, hi: 255, target: sink });
            }
            DfaState { edges, accepting: !state.accepting }
        })
        .collect();
    let all = Edge { lo: 0, hi: 255, target: sink };
    states.push(DfaState { edges: smallvec![all], accepting: true });
    minimize(&Dfa { states }.trimmed())
}
