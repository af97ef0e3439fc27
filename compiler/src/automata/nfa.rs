//! Nondeterministic automata with empty transitions, in Thompson's style: every operation adds states and edges to one
//! growing automaton, and a fragment is a pair of its states.
//!
//! K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968.
//!
//! A state has one or two transitions, and there are many states, so transitions stand in two shared lists, linked from
//! state to state.

use super::{Dfa, Edge, Symbol};

/// The end of a list.
const NONE: u32 = u32::MAX;

/// A nondeterministic automaton with one initial and one final state.
#[derive(Clone, Debug)]
pub struct Nfa {
    /// By state, the last added transition on a symbol and the last on nothing.
    last: Vec<[u32; 2]>,
    /// Transitions on symbols, and the one that was added to the same state before.
    edges: Vec<(Edge, u32)>,
    /// Targets of transitions on nothing, likewise.
    empty: Vec<(u32, u32)>,
    /// Initial state.
    pub start: u32,
    /// Final state.
    pub end: u32,
}

impl Default for Nfa {
    fn default() -> Self {
        Self::new()
    }
}

impl Nfa {
    /// An automaton with an initial and a final state and nothing between them.
    pub fn new() -> Self {
        let last = vec![[NONE; 2]; 2];
        Self { last, edges: Vec::new(), empty: Vec::new(), start: 0, end: 1 }
    }

    /// The same, with room for about so many states.
    pub fn with_capacity(states: usize) -> Self {
        let mut last = Vec::with_capacity(states + 2);
        last.resize(2, [NONE; 2]);
        let (edges, empty) = (Vec::with_capacity(states), Vec::with_capacity(states / 2));
        Self { last, edges, empty, start: 0, end: 1 }
    }

    /// Number of states, at least two.
    #[expect(clippy::len_without_is_empty, reason = "it is never empty")]
    pub fn len(&self) -> usize {
        self.last.len()
    }

    /// Number of transitions on symbols.
    pub(super) fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// A new state without edges.
    pub fn state(&mut self) -> u32 {
        self.last.push([NONE; 2]);
        (self.last.len() - 1) as u32
    }

    /// A transition on the symbols `lo..=hi`.
    pub fn edge(&mut self, from: u32, lo: Symbol, hi: Symbol, target: u32) {
        let last = &mut self.last[from as usize][0];
        let before = std::mem::replace(last, self.edges.len() as u32);
        self.edges.push((Edge { lo, hi, target }, before));
    }

    /// A transition on nothing.
    pub fn empty(&mut self, from: u32, target: u32) {
        let last = &mut self.last[from as usize][1];
        let before = std::mem::replace(last, self.empty.len() as u32);
        self.empty.push((target, before));
    }

    /// Transitions of a state on symbols, in no order and possibly overlapping.
    pub fn edges(&self, state: u32) -> impl Iterator<Item = Edge> + '_ {
        linked(&self.edges, self.last[state as usize][0])
    }

    /// Targets of a state's transitions on nothing.
    pub fn empties(&self, state: u32) -> impl Iterator<Item = u32> + '_ {
        linked(&self.empty, self.last[state as usize][1])
    }

    /// Whether a state has transitions on symbols.
    pub fn has_edges(&self, state: u32) -> bool {
        self.last[state as usize][0] != NONE
    }

    /// Adds a copy of `dfa` that starts in `from` and ends in `to`. O(size of `dfa`).
    pub fn embed(&mut self, dfa: &Dfa, from: u32, to: u32) {
        let base = self.last.len() as u32;
        self.last.resize(self.last.len() + dfa.states.len(), [NONE; 2]);
        self.empty(from, base);
        for (here, state) in (base..).zip(&dfa.states) {
            for edge in &state.edges {
                self.edge(here, edge.lo, edge.hi, base + edge.target);
            }
            if state.accepting {
                self.empty(here, to);
            }
        }
    }
}

/// The members of a list, the last added first.
fn linked<T: Copy>(list: &[(T, u32)], last: u32) -> impl Iterator<Item = T> + '_ {
    let mut next = list.get(last as usize);
    std::iter::from_fn(move || {
        let &(value, before) = next?;
        next = list.get(before as usize);
        Some(value)
    })
}
