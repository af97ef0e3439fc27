//! Deterministic automata with partial transition functions.

/// A letter of the alphabet: a byte, or a number from 256 on with a meaning of the user's.
pub type Symbol = u32;

/// A transition on the symbols `lo..=hi`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// Lowest symbol.
    pub lo: Symbol,
    /// Highest symbol.
    pub hi: Symbol,
    /// Target state.
    pub target: u32,
}

/// One state: sorted, disjoint edges and whether a string may end here.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DfaState {
    /// Transitions, sorted by symbol, disjoint. A symbol on no edge is refused.
    pub edges: Vec<Edge>,
    /// Whether a string may end here.
    pub accepting: bool,
}

/// A deterministic automaton. State 0 is the initial state; there is at least one state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dfa {
    /// The states; targets of edges are indices into them.
    pub states: Vec<DfaState>,
}

impl Dfa {
    /// The automaton of the empty language.
    pub fn never() -> Self {
        Self { states: vec![DfaState::default()] }
    }

    /// Where `symbol` leads from `state`. O(log edges).
    pub fn next(&self, state: u32, symbol: Symbol) -> Option<u32> {
        let edges = &self.states[state as usize].edges;
        let at = edges.partition_point(|edge| edge.hi < symbol);
        edges.get(at).filter(|edge| edge.lo <= symbol).map(|edge| edge.target)
    }

    /// Whether the automaton accepts these bytes.
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        bytes
            .iter()
            .try_fold(0, |state, &byte| self.next(state, Symbol::from(byte)))
            .is_some_and(|state| self.states[state as usize].accepting)
    }
}
