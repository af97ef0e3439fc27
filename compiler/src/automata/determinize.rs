//! Determinisation by subset construction, trimmed to the states that lie on a path to acceptance.
//!
//! M. O. Rabin and D. Scott, "Finite automata and their decision problems", IBM J. Res. Dev. 3(2), 1959.
//!
//! Subsets hold only *important* states: those with symbol edges, and the final state. Two subsets that differ in
//! states with empty transitions alone are one. The cost is that of the result times the width of its subsets; the
//! result may be exponential in the input, so the caller states how many states it will bear.

use super::{Dfa, DfaState, Edge, Edges, Nfa};
use crate::sequences::Sequences;

/// Not looked for yet.
const UNKNOWN: u32 = u32::MAX;

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
    let (marks, stack, members) = (vec![0; nfa.len()], Vec::new(), Vec::new());
    let mut subsets = Subsets { nfa, marks, mark: 0, stack, members };
    let mut order = Sequences::with_capacity(nfa.len() / 2);
    let mut states: Vec<DfaState> = Vec::with_capacity(nfa.len() / 2);
    // By state of `nfa`, the number of the subset that it is alone in: within a key, most are such.
    let mut single = vec![UNKNOWN; nfa.len()];
    subsets.close(&[nfa.start]);
    order.number(&subsets.members);
    if let [member] = subsets.members[..] {
        single[member as usize] = 0;
    }

    let mut moves: Vec<Edge> = Vec::new();
    let mut pieces = Pieces::default();
    // By state of `nfa`, where an edge to it alone leads: within a key, most edges are to what comes after any other.
    let mut alone = vec![UNKNOWN; nfa.len()];
    while states.len() < order.len() {
        let subset = order.get(states.len() as u32);
        let accepting = subset.binary_search(&nfa.end).is_ok();
        moves.clear();
        subset.iter().for_each(|&member| moves.extend(nfa.edges(member)));
        pieces.cut(&mut moves);
        let edges = Edges::with_capacity(pieces.bounds.len());
        let mut state = DfaState { edges, accepting };
        for (lo, hi, targets) in pieces.iter() {
            let known = match targets {
                &[target] => alone[target as usize],
                _ => UNKNOWN,
            };
            let target = if known != UNKNOWN {
                known
            } else {
                subsets.close(targets);
                if subsets.members.is_empty() {
                    continue;
                }
                let found = match subsets.members[..] {
                    [member] if single[member as usize] != UNKNOWN => single[member as usize],
                    [member] => {
                        single[member as usize] = order.number_apart(&[member]);
                        single[member as usize]
                    }
                    _ => order.number(&subsets.members),
                };
                if order.len() > limit {
                    return Err(StateLimit { limit });
                }
                if let &[target] = targets {
                    alone[target as usize] = found;
                }
                found
            };
            state.add(Edge { lo, hi, target });
        }
        states.push(state);
    }
    Ok(Dfa { states }.trimmed())
}

struct Subsets<'a> {
    nfa: &'a Nfa,
    marks: Vec<u32>,
    mark: u32,
    stack: Vec<u32>,
    members: Vec<u32>,
}

impl Subsets<'_> {
    /// Fills `members` with the important states reachable on nothing, sorted.
    fn close(&mut self, from: &[u32]) {
        self.mark += 1;
        self.members.clear();
        if let &[state] = from
            && self.nfa.empties(state).next().is_none()
        {
            if self.nfa.has_edges(state) || state == self.nfa.end {
                self.members.push(state);
            }
            return;
        }
        self.stack.extend_from_slice(from);
        while let Some(state) = self.stack.pop() {
            if std::mem::replace(&mut self.marks[state as usize], self.mark) == self.mark {
                continue;
            }
            if self.nfa.has_edges(state) || state == self.nfa.end {
                self.members.push(state);
            }
            self.stack.extend(self.nfa.empties(state));
        }
        self.members.sort_unstable();
    }
}

/// Disjoint ranges of symbols in ascending order, and the targets of each.
#[derive(Default)]
struct Pieces {
    /// Lowest and highest symbol, and where the targets end.
    bounds: Vec<(u32, u32, usize)>,
    targets: Vec<u32>,
    open: Vec<Edge>,
}

impl Pieces {
    /// Cuts overlapping edges.
    fn cut(&mut self, moves: &mut [Edge]) {
        let Self { bounds, targets, open } = self;
        bounds.clear();
        targets.clear();
        if let [edge] = moves {
            targets.push(edge.target);
            bounds.push((edge.lo, edge.hi, 1));
            return;
        }
        moves.sort_unstable_by_key(|edge| edge.lo);
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
            targets.extend(open.iter().map(|edge| edge.target));
            bounds.push((from, to, targets.len()));
            open.retain(|edge| edge.hi > to);
            from = to + 1;
        }
    }

    /// Lowest and highest symbol, and the targets, in any order and with repetition.
    fn iter(&self) -> impl Iterator<Item = (u32, u32, &[u32])> {
        let mut from = 0;
        self.bounds.iter().map(move |&(lo, hi, end)| {
            let targets = &self.targets[std::mem::replace(&mut from, end)..end];
            (lo, hi, targets)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splits_overlaps_into_disjoint_ranges() {
        let edge = |lo, hi, target| Edge { lo, hi, target };
        let mut moves = [edge(0, 10, 1), edge(5, 20, 2), edge(5, 5, 3), edge(30, 30, 1)];
        let mut pieces = Pieces::default();
        pieces.cut(&mut moves);
        assert_eq!(
            pieces.iter().collect::<Vec<_>>(),
            [
                (0, 4, &[1][..]),
                (5, 5, &[1, 2, 3]),
                (6, 10, &[1, 2]),
                (11, 20, &[2]),
                (30, 30, &[1]),
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
