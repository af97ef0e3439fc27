//! Deterministic automata. A state may have no transition on a symbol, which is then rejected.

use smallvec::SmallVec;

/// A symbol of the alphabet: a byte, or a number from 256 on whose meaning the user defines.
pub type Symbol = u32;

/// A transition on the symbols from `lo` to `hi`, both inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The lowest symbol of the transition.
    pub lo: Symbol,
    /// The highest symbol of the transition, inclusive.
    pub hi: Symbol,
    /// The number of the state to which the transition leads.
    pub target: u32,
}

/// The transitions of a state. Up to seven are stored without an allocation. A state within a string
/// that may continue with any character has seven.
pub type Edges = SmallVec<[Edge; 7]>;

/// A state of a deterministic automaton: its transitions, and whether it accepts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct DfaState {
    /// The transitions, sorted by symbol and disjoint. A symbol without a transition is rejected.
    pub edges: Edges,
    /// Whether the state is accepting: a string may end here.
    pub accepting: bool,
}

impl DfaState {
    /// Adds a transition of the state. Its symbols must be above those of all other transitions. If
    /// the last transition is adjacent and has the same target, it is extended instead.
    pub fn add(&mut self, edge: Edge) {
        match self.edges.last_mut() {
            Some(last) if last.target == edge.target && last.hi + 1 == edge.lo => last.hi = edge.hi,
            _ => self.edges.push(edge),
        }
    }
}

/// A deterministic automaton. State 0 is the initial state, and there is at least one state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Dfa {
    /// The states, by number. Targets of edges are indices into this list.
    pub states: Vec<DfaState>,
}

impl Dfa {
    /// Returns the automaton of the empty language.
    pub fn never() -> Self {
        Self { states: vec![DfaState::default()] }
    }

    /// Returns the approximate size in bytes. The edge lists of states with more than seven edges
    /// are not counted.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.states)
    }

    /// Returns the state to which `symbol` leads from `state`. Returns `None` if there is no
    /// transition. O(log edges).
    pub fn next(&self, state: u32, symbol: Symbol) -> Option<u32> {
        let edges = &self.states[state as usize].edges;
        let at = edges.partition_point(|edge| edge.hi < symbol);
        edges.get(at).filter(|edge| edge.lo <= symbol).map(|edge| edge.target)
    }

    /// Whether the automaton accepts a byte string.
    pub fn accepts(&self, bytes: &[u8]) -> bool {
        bytes
            .iter()
            .try_fold(0, |state, &byte| self.next(state, Symbol::from(byte)))
            .is_some_and(|state| self.states[state as usize].accepting)
    }
}

/// Limit on the states that the quick check of [`Dfa::trimmed`] examines, as a multiple of the
/// number of states. Beyond that, a full search determines the dead states.
const LOOKS: usize = 6;

impl Dfa {
    /// Removes unreachable and dead states. The remaining states keep their order. The initial
    /// state stays, even if it is dead. O(states + edges).
    #[must_use]
    pub fn trimmed(self) -> Self {
        if self.is_surely_trim() {
            return self;
        }
        let count = self.states.len();
        let mut reached = vec![false; count];
        reached[0] = true;
        let mut stack = vec![0u32];
        // For each state, the last visited edge into the state. For each edge, its source, and the
        // edge into the same state that was visited before.
        let mut last = vec![u32::MAX; count];
        let edges = self.states.iter().map(|state| state.edges.len()).sum();
        let mut sources: Vec<(u32, u32)> = Vec::with_capacity(edges);
        while let Some(state) = stack.pop() {
            for edge in &self.states[state as usize].edges {
                let met = sources.len() as u32;
                let before = std::mem::replace(&mut last[edge.target as usize], met);
                sources.push((state, before));
                if !std::mem::replace(&mut reached[edge.target as usize], true) {
                    stack.push(edge.target);
                }
            }
        }
        let mut useful = vec![false; count];
        for (index, state) in self.states.iter().enumerate() {
            if state.accepting && reached[index] {
                useful[index] = true;
                stack.push(index as u32);
            }
        }
        while let Some(state) = stack.pop() {
            let mut edge = sources.get(last[state as usize] as usize);
            while let Some(&(source, before)) = edge {
                if !std::mem::replace(&mut useful[source as usize], true) {
                    stack.push(source);
                }
                edge = sources.get(before as usize);
            }
        }
        if useful.iter().all(|&is| is) {
            return self;
        }
        let accepts = useful.clone();
        useful[0] = true;
        let mut numbers = vec![u32::MAX; count];
        let kept = numbers.iter_mut().zip(&useful).filter(|(_, is)| **is);
        for (next, (number, _)) in (0..).zip(kept) {
            *number = next;
        }
        let mut states = self.states;
        let mut keep = useful.iter();
        states.retain(|_| *keep.next().expect("one flag a state"));
        for state in &mut states {
            state.edges.retain(|edge| accepts[edge.target as usize]);
            for edge in &mut state.edges {
                edge.target = numbers[edge.target as usize];
            }
        }
        Self { states }
    }

    /// Whether the quick check proves that no state is unreachable or dead. If it returns `false`,
    /// there may or may not be such a state.
    ///
    /// The check is cheap if most edges lead to higher numbers. In that order, one sweep finds all
    /// reachable states, and one sweep from the last state finds most live states. The remaining
    /// states are swept again as long as each sweep finds more.
    fn is_surely_trim(&self) -> bool {
        let mut reached = vec![false; self.states.len()];
        reached[0] = true;
        for (index, state) in self.states.iter().enumerate() {
            if !reached[index] {
                return false;
            }
            state.edges.iter().for_each(|edge| reached[edge.target as usize] = true);
        }
        let mut useful = reached;
        useful.fill(false);
        let mut look = |index: usize| {
            let state = &self.states[index];
            useful[index] =
                state.accepting || state.edges.iter().any(|e| useful[e.target as usize]);
            useful[index]
        };
        let mut rest: Vec<usize> = (0..self.states.len()).rev().filter(|&at| !look(at)).collect();
        let (mut before, mut looks) = (self.states.len(), 0);
        while !rest.is_empty() && rest.len() < before && looks < LOOKS * self.states.len() {
            before = rest.len();
            looks += before;
            rest.retain(|&index| !look(index));
        }
        rest.is_empty()
    }

    /// Returns the automaton of the accepted strings that have no accepted proper prefix.
    #[must_use]
    pub fn shortest(mut self) -> Self {
        let accepting = self.states.iter_mut().filter(|state| state.accepting);
        accepting.for_each(|state| state.edges.clear());
        self.trimmed()
    }

    /// Whether the automaton accepts nothing. The automaton has to be trimmed.
    pub fn is_never(&self) -> bool {
        !self.states[0].accepting && self.states[0].edges.is_empty()
    }

    /// Whether no accepted string is a proper prefix of another. Then no accepting state has edges.
    /// The automaton has to be trimmed.
    pub fn is_prefix_free(&self) -> bool {
        self.states.iter().all(|state| !state.accepting || state.edges.is_empty())
    }
}
