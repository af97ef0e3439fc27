//! Nondeterministic automata with empty transitions, in Thompson's style: every operation adds states and edges to one
//! growing automaton, and a fragment is a pair of its states.
//!
//! K. Thompson, "Regular expression search algorithm", CACM 11(6), 1968.

use super::{Dfa, Edge, Symbol};

/// One state.
#[derive(Clone, Debug, Default)]
pub struct NfaState {
    /// Transitions on symbols, in no order and possibly overlapping.
    pub edges: Vec<Edge>,
    /// Transitions on nothing.
    pub empty: Vec<u32>,
}

/// A nondeterministic automaton with one initial and one final state.
#[derive(Clone, Debug)]
pub struct Nfa {
    /// The states.
    pub states: Vec<NfaState>,
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
        Self { states: vec![NfaState::default(); 2], start: 0, end: 1 }
    }

    /// A new state without edges.
    pub fn state(&mut self) -> u32 {
        self.states.push(NfaState::default());
        (self.states.len() - 1) as u32
    }

    /// A transition on the symbols `lo..=hi`.
    pub fn edge(&mut self, from: u32, lo: Symbol, hi: Symbol, target: u32) {
        self.states[from as usize].edges.push(Edge { lo, hi, target });
    }

    /// A transition on nothing.
    pub fn empty(&mut self, from: u32, target: u32) {
        self.states[from as usize].empty.push(target);
    }

    /// Adds a copy of `dfa` that starts in `from` and ends in `to`. O(size of `dfa`).
    pub fn embed(&mut self, dfa: &Dfa, from: u32, to: u32) {
        let base = self.states.len() as u32;
        self.states.resize_with(self.states.len() + dfa.states.len(), NfaState::default);
        self.empty(from, base);
        for (index, state) in dfa.states.iter().enumerate() {
            let here = base + index as u32;
            let shifted =
                state.edges.iter().map(|edge| Edge { target: base + edge.target, ..*edge });
            self.states[here as usize].edges.extend(shifted);
            if state.accepting {
                self.empty(here, to);
            }
        }
    }
}
