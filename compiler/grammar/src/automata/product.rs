//! Intersection, difference and complement of automata over bytes.

use rustc_hash::FxHashMap;
use smallvec::smallvec;

use super::{Dfa, DfaState, Edge, Edges, StateBudget, StateLimit, minimize_within};

/// Returns the minimal automaton of the strings that both automata accept. The product has at most
/// as many states as the product of the operands' numbers of states. Only reachable states are
/// built.
///
/// # Errors
///
/// [`StateLimit`] if the product exceeds the limits.
pub fn intersect(a: &Dfa, b: &Dfa, allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    product(allowed, |(left, right), pairs| {
        let (left, right) = (&a.states[left as usize], &b.states[right as usize]);
        let mut state = DfaState::default();
        let (mut i, mut j) = (0, 0);
        while let (Some(x), Some(y)) = (left.edges.get(i), right.edges.get(j)) {
            let (lo, hi) = (x.lo.max(y.lo), x.hi.min(y.hi));
            if lo <= hi {
                state.edges.push(Edge { lo, hi, target: pairs.number((x.target, y.target)) });
            }
            if x.hi <= y.hi { i += 1 } else { j += 1 }
        }
        state.accepting = left.accepting && right.accepting;
        state
    })
}

/// Returns the minimal automaton of the strings that `a` accepts and `b` does not. The product has
/// at most as many states as `a`'s number of states times one more than `b`'s. Only reachable
/// states are built.
///
/// # Errors
///
/// [`StateLimit`] if the product exceeds the limits.
pub fn difference(a: &Dfa, b: &Dfa, allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
    product(allowed, |(left, right), pairs| {
        let (left, right) = (&a.states[left as usize], b.states.get(right as usize));
        let mut state = DfaState::default();
        let facing = right.map_or(&[][..], |state| &state.edges);
        let mut j = 0;
        for x in &left.edges {
            let mut lo = x.lo;
            while lo <= x.hi {
                while facing.get(j).is_some_and(|y| y.hi < lo) {
                    j += 1;
                }
                // The longest range of symbols from `lo` on in which `b` stays on one edge or has
                // none.
                let (hi, other) = match facing.get(j) {
                    Some(y) if y.lo <= lo => (y.hi.min(x.hi), y.target),
                    Some(y) => (x.hi.min(y.lo - 1), NONE),
                    None => (x.hi, NONE),
                };
                state.edges.push(Edge { lo, hi, target: pairs.number((x.target, other)) });
                lo = hi + 1;
            }
        }
        state.accepting = left.accepting && !right.is_some_and(|state| state.accepting);
        state
    })
}

/// The number that denotes no state of the second automaton: from there, nothing is accepted.
const NONE: u32 = u32::MAX;

/// An interner of pairs of a state of the first and a state of the second automaton.
struct Pairs {
    /// Maps each pair of states to its number.
    numbers: FxHashMap<(u32, u32), u32>,
    /// For each number, its pair of states.
    order: Vec<(u32, u32)>,
}

impl Pairs {
    /// Returns the number of a pair of states, and adds the pair if it is new. The number is a
    /// state of the product.
    fn number(&mut self, pair: (u32, u32)) -> u32 {
        let next = self.order.len() as u32;
        let number = *self.numbers.entry(pair).or_insert(next);
        if number == next {
            self.order.push(pair);
        }
        number
    }
}

/// Builds the product of two automata from the pairs of states that are reachable from the pair of
/// initial states, and minimizes it. `state` returns the product's state for a pair: its edges, and
/// whether it accepts. Fails if the product exceeds the limits.
fn product(
    allowed: StateBudget<'_>,
    state: impl Fn((u32, u32), &mut Pairs) -> DfaState,
) -> Result<Dfa, StateLimit> {
    let mut pairs = Pairs { numbers: FxHashMap::default(), order: Vec::new() };
    pairs.number((0, 0));
    let mut held = allowed.held();
    let mut states: Vec<DfaState> = Vec::new();
    while let Some(&pair) = pairs.order.get(states.len()) {
        let state = state(pair, &mut pairs);
        allowed.spend(1 + state.edges.len())?;
        states.push(state);
        if pairs.order.len() > allowed.states {
            return Err(allowed.error());
        }
        if states.len().is_power_of_two() {
            allowed.hold(&mut held, 2 * size_of_val(&*states))?;
        }
    }
    minimize_within(&Dfa { states }.trimmed(), allowed)
}

/// Returns the minimal automaton of the byte strings that `dfa` does not accept. O(states + edges)
/// and a minimization.
///
/// # Errors
///
/// [`StateLimit`] if the budget is spent.
pub fn complement(dfa: &Dfa, allowed: StateBudget<'_>) -> Result<Dfa, StateLimit> {
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
    minimize_within(&Dfa { states }.trimmed(), allowed)
}
