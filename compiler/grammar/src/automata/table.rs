//! Deterministic automata that are written once, from front to back, and then only read. They
//! consist of two arrays.
//!
//! A [`Dfa`] has a list of edges for each state, so that it can be changed. The automata of
//! determinization and minimization are read several times and never changed, and most states have
//! few edges. In a table, an edge takes its own size and a state little more.

use super::{Dfa, DfaState, Edge, Edges, Symbol};

/// The highest symbol that is a byte.
const LAST_BYTE: Symbol = u8::MAX as Symbol;

/// A deterministic automaton with all edges in one list. State 0 is the initial state. A complete
/// table has at least one state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    /// The edges of all states, in the order of the states.
    edges: Vec<Edge>,
    /// For each state, the index in `edges` after its last edge, and whether the state accepts.
    states: Vec<(u32, bool)>,
    /// The states that have edges on symbols above the bytes (256 and higher). There are few.
    labelled: Vec<u32>,
    /// The index in `edges` of the first edge of the state that is being written.
    open: usize,
}

impl Table {
    /// Creates an empty table with capacity for `states` states and `edges` edges.
    pub(super) fn with_capacity(states: usize, edges: usize) -> Self {
        let (edges, states) = (Vec::with_capacity(edges), Vec::with_capacity(states));
        // Few states have symbols above the bytes.
        Self { edges, states, labelled: Vec::new(), open: 0 }
    }

    /// Returns the automaton of the empty language.
    pub fn never() -> Self {
        (&Dfa::never()).into()
    }

    /// Returns the number of states.
    #[expect(clippy::len_without_is_empty, reason = "it is empty only while it is written")]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Returns the size of the table's states and edges in bytes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.edges) + size_of_val(&*self.states)
    }

    /// Returns the edges with a symbol above the bytes (256 and higher), in the order of their
    /// states.
    pub fn beyond_bytes(&self) -> impl Iterator<Item = &Edge> {
        self.labelled.iter().flat_map(|&state| self.split(state).1)
    }

    /// Returns the edges of a state, sorted and disjoint.
    #[inline]
    pub fn edges(&self, state: u32) -> &[Edge] {
        let from = state.checked_sub(1).map_or(0, |before| self.states[before as usize].0);
        &self.edges[from as usize..self.states[state as usize].0 as usize]
    }

    /// Returns the edges of a state that have a byte, and the edges that have a larger symbol. An
    /// edge with both is in both slices.
    #[inline]
    pub fn split(&self, state: u32) -> (&[Edge], &[Edge]) {
        let edges = self.edges(state);
        // Few states have symbols above the bytes, and few of those have several edges with them.
        if edges.last().is_none_or(|edge| edge.hi <= LAST_BYTE) {
            return (edges, &[]);
        }
        let above = edges.iter().rev().take_while(|edge| edge.hi > LAST_BYTE).count();
        let labels = edges.iter().rev().take_while(|edge| edge.lo > LAST_BYTE).count();
        (&edges[..edges.len() - labels], &edges[edges.len() - above..])
    }

    /// Whether a state is accepting: a string may end there.
    #[inline]
    pub fn accepts(&self, state: u32) -> bool {
        self.states[state as usize].1
    }

    /// Returns the accepting states in ascending order.
    pub fn accepting(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).filter(|&state| self.accepts(state))
    }

    /// Adds an edge to the state that is being written. Its symbols must be above those of all
    /// other edges of the state. If the last edge is adjacent and has the same target, it is
    /// extended instead.
    #[inline]
    pub(super) fn add(&mut self, edge: Edge) {
        match self.edges[self.open..].last_mut() {
            Some(last) if last.target == edge.target && last.hi + 1 == edge.lo => last.hi = edge.hi,
            _ => self.edges.push(edge),
        }
    }

    /// Completes the state that is being written, and begins the next one.
    #[inline]
    pub(super) fn end(&mut self, accepting: bool) {
        if self.edges[self.open..].last().is_some_and(|edge| edge.hi > LAST_BYTE) {
            self.labelled.push(self.states.len() as u32);
        }
        self.open = self.edges.len();
        self.states.push((self.open as u32, accepting));
    }

    /// Returns the automaton without unreachable and dead states.
    pub(super) fn trimmed(&self) -> Self {
        (&self.to_dfa().trimmed()).into()
    }

    /// Returns the automaton as a [`Dfa`], with a list of edges for each state.
    pub fn to_dfa(&self) -> Dfa {
        let states = (0..self.len() as u32).map(|state| DfaState {
            edges: Edges::from_slice(self.edges(state)),
            accepting: self.accepts(state),
        });
        Dfa { states: states.collect() }
    }
}

impl From<&Dfa> for Table {
    fn from(dfa: &Dfa) -> Self {
        let edges = dfa.states.iter().map(|state| state.edges.len()).sum();
        let mut table = Self::with_capacity(dfa.states.len(), edges);
        for state in &dfa.states {
            table.edges.extend_from_slice(&state.edges);
            table.end(state.accepting);
        }
        table
    }
}
