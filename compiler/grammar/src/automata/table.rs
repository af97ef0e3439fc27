//! Automata that are written once, from front to back, and then only read: two arrays.
//!
//! A [`Dfa`] has a list of edges for each state, so that it can be changed. The automata of determinization and
//! minimization are read several times and never changed, and most states have few edges. Here an edge takes its own
//! size and a state little more.

use super::{Dfa, DfaState, Edge, Edges, Symbol};

const LAST_BYTE: Symbol = u8::MAX as Symbol;

/// An automaton with all edges in one list. State 0 is the initial state; there is at least one state once it is
/// written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    edges: Vec<Edge>,
    /// By state, the end of its edges, and whether it accepts.
    states: Vec<(u32, bool)>,
    /// The states that have symbols above the bytes, which are few.
    labelled: Vec<u32>,
    /// The first edge of the state that comes next.
    open: usize,
}

impl Table {
    /// Creates an empty table with capacity for some states and edges.
    pub(super) fn with_capacity(states: usize, edges: usize) -> Self {
        let (edges, states) = (Vec::with_capacity(edges), Vec::with_capacity(states));
        // The states with labels are few.
        Self { edges, states, labelled: Vec::new(), open: 0 }
    }

    /// The automaton of no string.
    pub fn never() -> Self {
        (&Dfa::never()).into()
    }

    /// The number of states.
    #[expect(clippy::len_without_is_empty, reason = "it is empty only while it is written")]
    pub fn len(&self) -> usize {
        self.states.len()
    }

    /// The number of edges.
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.edges) + size_of_val(&*self.states)
    }

    /// The edges that have symbols above the bytes, in the order of their states.
    pub fn beyond_bytes(&self) -> impl Iterator<Item = &Edge> {
        self.labelled.iter().flat_map(|&state| self.split(state).1)
    }

    /// Sorted and disjoint edges of a state.
    #[inline]
    pub fn edges(&self, state: u32) -> &[Edge] {
        let from = state.checked_sub(1).map_or(0, |before| self.states[before as usize].0);
        &self.edges[from as usize..self.states[state as usize].0 as usize]
    }

    /// The edges of a state with bytes, and the edges with larger symbols. An edge may be in both.
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

    /// Whether a string may end in a state.
    #[inline]
    pub fn accepts(&self, state: u32) -> bool {
        self.states[state as usize].1
    }

    /// The states in which a string may end.
    pub fn accepting(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.len() as u32).filter(|&state| self.accepts(state))
    }

    /// Adds an edge to the state that comes next. The edge is above all others of the state, and extends the last one
    /// if they are neighbours with one target.
    #[inline]
    pub(super) fn add(&mut self, edge: Edge) {
        match self.edges[self.open..].last_mut() {
            Some(last) if last.target == edge.target && last.hi + 1 == edge.lo => last.hi = edge.hi,
            _ => self.edges.push(edge),
        }
    }

    /// Ends the state that comes next.
    #[inline]
    pub(super) fn end(&mut self, accepting: bool) {
        if self.edges[self.open..].last().is_some_and(|edge| edge.hi > LAST_BYTE) {
            self.labelled.push(self.states.len() as u32);
        }
        self.open = self.edges.len();
        self.states.push((self.open as u32, accepting));
    }

    /// Removes states that are unreachable or dead.
    pub(super) fn trimmed(&self) -> Self {
        (&self.to_dfa().trimmed()).into()
    }

    /// The automaton with a list of edges for each state.
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
