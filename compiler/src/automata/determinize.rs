//! Determinisation by subset construction, trimmed to the states that lie on a path to acceptance.
//!
//! M. O. Rabin and D. Scott, "Finite automata and their decision problems", IBM J. Res. Dev. 3(2), 1959.
//!
//! Subsets hold only *important* states: those with symbol edges, and the final state. Two subsets that differ in
//! states with empty transitions alone are one. The cost is that of the result times the width of its subsets; the
//! result may be exponential in the input, so the caller states how many states it will bear.

use rustc_hash::FxHashMap;

use super::{Dfa, DfaState, Edge, Nfa};

/// The automaton would have more states than the caller allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the automaton needs more than {limit} states")]
pub struct StateLimit {
    /// What was allowed.
    pub limit: usize,
}

/// The deterministic automaton of the same language, with every state reachable and able to accept (but for the
/// initial state of the empty language).
///
/// # Errors
///
/// [`StateLimit`] where more than `limit` states are needed.
pub fn determinize(nfa: &Nfa, limit: usize) -> Result<Dfa, StateLimit> {
    let mut subsets = Subsets { nfa, marks: vec![0; nfa.states.len()], mark: 0, stack: Vec::new() };
    let mut ids: FxHashMap<Box<[u32]>, u32> = FxHashMap::default();
    let mut order: Vec<Box<[u32]>> = Vec::new();
    let mut states: Vec<DfaState> = Vec::new();

    let first = subsets.closure(&[nfa.start]);
    ids.insert(first.clone(), 0);
    order.push(first);

    let mut moves: Vec<Edge> = Vec::new();
    let mut at = 0;
    while at < order.len() {
        let subset = order[at].clone();
        at += 1;
        moves.clear();
        for &member in &*subset {
            moves.extend_from_slice(&nfa.states[member as usize].edges);
        }
        let mut edges: Vec<Edge> = Vec::new();
        for (lo, hi, targets) in split(&mut moves) {
            let next = subsets.closure(&targets);
            if next.is_empty() {
                continue;
            }
            let target = match ids.get(&next) {
                Some(&id) => id,
                None => {
                    if order.len() == limit {
                        return Err(StateLimit { limit });
                    }
                    let id = order.len() as u32;
                    ids.insert(next.clone(), id);
                    order.push(next);
                    id
                }
            };
            match edges.last_mut() {
                Some(last) if last.target == target && last.hi + 1 == lo => last.hi = hi,
                _ => edges.push(Edge { lo, hi, target }),
            }
        }
        states.push(DfaState { edges, accepting: subset.binary_search(&nfa.end).is_ok() });
    }
    Ok(Dfa { states }.trimmed())
}

struct Subsets<'a> {
    nfa: &'a Nfa,
    marks: Vec<u32>,
    mark: u32,
    stack: Vec<u32>,
}

impl Subsets<'_> {
    /// The important states reachable on nothing, sorted.
    fn closure(&mut self, from: &[u32]) -> Box<[u32]> {
        self.mark += 1;
        let mut members = Vec::new();
        self.stack.extend_from_slice(from);
        while let Some(state) = self.stack.pop() {
            if std::mem::replace(&mut self.marks[state as usize], self.mark) == self.mark {
                continue;
            }
            let record = &self.nfa.states[state as usize];
            if !record.edges.is_empty() || state == self.nfa.end {
                members.push(state);
            }
            self.stack.extend_from_slice(&record.empty);
        }
        members.sort_unstable();
        members.into()
    }
}

/// Cuts overlapping edges into disjoint ranges with the set of targets of each, in ascending order.
fn split(moves: &mut [Edge]) -> Vec<(u32, u32, Vec<u32>)> {
    moves.sort_unstable_by_key(|edge| edge.lo);
    let mut pieces = Vec::new();
    let mut open: Vec<Edge> = Vec::new();
    let mut next = 0;
    let mut from = 0;
    while next < moves.len() || !open.is_empty() {
        if open.is_empty() {
            from = moves[next].lo;
        }
        while next < moves.len() && moves[next].lo == from {
            open.push(moves[next]);
            next += 1;
        }
        let mut to = open.iter().map(|edge| edge.hi).min().unwrap_or(from);
        if let Some(edge) = moves.get(next) {
            to = to.min(edge.lo - 1);
        }
        let mut targets: Vec<u32> = open.iter().map(|edge| edge.target).collect();
        targets.sort_unstable();
        targets.dedup();
        pieces.push((from, to, targets));
        open.retain(|edge| edge.hi > to);
        from = to + 1;
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_overlaps_into_disjoint_ranges() {
        let edge = |lo, hi, target| Edge { lo, hi, target };
        let mut moves = [edge(0, 10, 1), edge(5, 20, 2), edge(5, 5, 3), edge(30, 30, 1)];
        assert_eq!(
            split(&mut moves),
            [
                (0, 4, vec![1]),
                (5, 5, vec![1, 2, 3]),
                (6, 10, vec![1, 2]),
                (11, 20, vec![2]),
                (30, 30, vec![1]),
            ]
        );
    }

    #[test]
    fn the_limit_is_an_error() {
        // (a|b)*a(a|b){6}: 2^7 subsets.
        let mut nfa = Nfa::new();
        nfa.edge(0, 97, 98, 0);
        let mut at = nfa.state();
        nfa.edge(0, 97, 97, at);
        for _ in 0..6 {
            let next = nfa.state();
            nfa.edge(at, 97, 98, next);
            at = next;
        }
        nfa.empty(at, nfa.end);
        assert_eq!(determinize(&nfa, 100), Err(StateLimit { limit: 100 }));
        assert_eq!(determinize(&nfa, 128).map(|dfa| dfa.states.len()), Ok(128));
    }
}
