//! Automata whose edges are labelled with expressions of the grammar IR: generalized NFAs.
//!
//! If the next part depends on the parts before (the members of an object, the items of an array), nested expressions
//! repeat themselves; states and edges say it once. A graph with E edges costs its parts and O(E).
//!
//! # Required keys
//!
//! Some states may have a required key, numbered from 0. The strings are then those of the paths that visit every
//! required key at least once. This describes an object with required members in any order. Unrolled, n required keys
//! multiply the states by 2^n ([`unrolled`](ExprGraph::unrolled)). The network keeps the missing keys in a register of
//! the frame instead, where it can.
//!
//! # Counters
//!
//! A graph may have counters instead: numbers that are 0 at first, and that arriving at a state [changes or
//! checks](Step). The strings are those of the paths on which no counter exceeds its maximum and every check finds at
//! least its minimum. This describes a language whose strings have 20 to 2,083 characters, or up to 50 words within 500
//! characters. Unrolled, bounds multiply the states. The network keeps the counts in a register where it can.

/// The most required keys of a graph: a set of them is a word.
pub const MOST_REQUIRED_KEYS: u8 = 32;

/// The bounds of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter {
    /// The fewest increments that pass a check.
    pub min: u32,
    /// The most increments. Unbounded if `None`.
    pub max: Option<u32>,
}

impl Counter {
    /// The representative of a count: without a maximum, all counts from the minimum on are equivalent.
    pub fn saturated(self, count: u32) -> u32 {
        if self.max.is_none() { count.min(self.min) } else { count }
    }
}

/// The effect on a counter, given by its number, of arriving at a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// The counter is set to 0.
    Reset(u8),
    /// The counter is incremented. The path ends if the counter is at its maximum.
    Increment(u8),
    /// The path ends if the counter is below its minimum.
    Check(u8),
}

impl Step {
    /// The counter that the step changes or checks.
    pub fn counter(self) -> u8 {
        let (Self::Reset(counter) | Self::Increment(counter) | Self::Check(counter)) = self;
        counter
    }

    /// Returns the step on the counter whose number is higher by `shift`.
    #[must_use]
    pub fn moved(self, shift: u8) -> Self {
        match self {
            Self::Reset(counter) => Self::Reset(counter + shift),
            Self::Increment(counter) => Self::Increment(counter + shift),
            Self::Check(counter) => Self::Check(counter + shift),
        }
    }
}

/// A label of an edge: a set of strings.
pub trait EdgeLabel {
    /// Whether the set is empty, so that no path takes the edge.
    fn is_never(&self) -> bool;
}

/// A nondeterministic automaton with a label on each edge. State 0 is the start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph<L> {
    states: u32,
    /// The accepting state.
    end: u32,
    /// Source and target, by edge.
    edges: Vec<(u32, u32)>,
    /// Label, by edge.
    parts: Vec<L>,
    /// States with their required keys.
    required: Vec<(u32, u8)>,
    /// Counters by number.
    counters: Vec<Counter>,
    /// Steps of states, in the order in which they are taken.
    steps: Vec<(u32, Step)>,
}

impl<L: EdgeLabel> Default for Graph<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: EdgeLabel> Graph<L> {
    /// The start state.
    pub const START: u32 = 0;

    /// Creates a graph of a start state and an accepting state, without edges.
    pub fn new() -> Self {
        Self {
            states: 2,
            end: 1,
            edges: Vec::new(),
            parts: Vec::new(),
            required: Vec::new(),
            counters: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// Creates such a graph with capacity for this number of edges.
    pub fn with_capacity(edges: usize) -> Self {
        let (edges, parts) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        Self { edges, parts, ..Self::new() }
    }

    /// The accepting state. Edges may leave it.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Number of states.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// Adds a state.
    #[inline]
    pub fn state(&mut self) -> u32 {
        self.states += 1;
        self.states - 1
    }

    /// Adds an edge.
    ///
    /// # Panics
    ///
    /// If a state is not of this graph.
    #[inline]
    pub fn edge(&mut self, from: u32, label: L, to: u32) {
        assert!(from < self.states && to < self.states, "edges join states of the graph");
        if !label.is_never() {
            self.edges.push((from, to));
            self.parts.push(label);
        }
    }

    /// Adds a required key to a state. No edge into the state may derive the empty string.
    ///
    /// # Panics
    ///
    /// If the state is not of this graph or its start, has a required key, or the key's number is too large.
    pub fn require_key(&mut self, state: u32, key: u8) {
        assert!(state != Self::START && state < self.states, "a state of the graph, not its start");
        assert!(
            key < MOST_REQUIRED_KEYS && self.required_key_of(state).is_none(),
            "one key, of those there are"
        );
        self.required.push((state, key));
    }

    /// Adds a counter, and says its number.
    ///
    /// # Panics
    ///
    /// If the graph has required keys, or 256 counters.
    pub fn counter(&mut self, counter: Counter) -> u8 {
        assert!(self.required.is_empty(), "a graph has required keys or counters");
        self.counters.push(counter);
        u8::try_from(self.counters.len() - 1).expect("few counters")
    }

    /// Adds a step to the steps of a state, which run on arrival. If it increments, no edge into the state may derive
    /// the empty string.
    ///
    /// # Panics
    ///
    /// If the state is not of this graph or its start, or the counter is not of this graph.
    pub fn step(&mut self, state: u32, step: Step) {
        assert!(state != Self::START && state < self.states, "a state of the graph, not its start");
        assert!(usize::from(step.counter()) < self.counters.len(), "a counter of the graph");
        self.steps.push((state, step));
    }

    /// The counters by number.
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// Steps by state. Steps of one state are in execution order.
    pub fn steps(&self) -> &[(u32, Step)] {
        &self.steps
    }

    /// Returns a graph of the same strings, each after a string of `first`. Counting begins after it.
    #[must_use]
    pub fn behind(&self, first: L) -> Self
    where
        L: Clone,
    {
        let mut graph = Self { edges: Vec::new(), parts: Vec::new(), ..self.clone() };
        let start = graph.state();
        let moved = |state: u32| if state == Self::START { start } else { state };
        graph.edge(Self::START, first, start);
        for (from, part, to) in self.edges() {
            graph.edge(moved(from), part.clone(), moved(to));
        }
        graph
    }

    /// Whether required keys or counters exclude some paths.
    pub fn has_registers(&self) -> bool {
        !self.required.is_empty() || !self.counters.is_empty()
    }

    /// Returns the required key of a state.
    pub fn required_key_of(&self, state: u32) -> Option<u8> {
        self.required.iter().find(|required| required.0 == state).map(|required| required.1)
    }

    /// Returns the states with required keys, in the order in which these were added.
    pub fn required_key_states(&self) -> &[(u32, u8)] {
        &self.required
    }

    /// Returns the required keys, as bits.
    pub fn required_keys(&self) -> u32 {
        self.required.iter().fold(0, |keys, &(_, key)| keys | 1 << key)
    }

    /// Returns a graph with the same edges and other counters and steps.
    pub(super) fn counting(&self, counters: Vec<Counter>, steps: Vec<(u32, Step)>) -> Self
    where
        L: Clone,
    {
        Self { counters, steps, ..self.clone() }
    }

    /// Returns source, label and target of every edge, in the order of their addition.
    pub fn edges(&self) -> impl Iterator<Item = (u32, &L, u32)> {
        self.edges.iter().zip(&self.parts).map(|(&(from, to), part)| (from, part, to))
    }

    /// Returns the labels by edge.
    pub(super) fn parts(&self) -> &[L] {
        &self.parts
    }

    /// Returns the labels by edge, mutably.
    pub fn parts_mut(&mut self) -> &mut [L] {
        &mut self.parts
    }

    /// Returns the same graph with other labels.
    ///
    /// # Errors
    ///
    /// The first error of `change`.
    pub fn try_map<E>(&self, mut change: impl FnMut(&L) -> Result<L, E>) -> Result<Self, E> {
        let (counters, steps) = (self.counters.clone(), self.steps.clone());
        let (edges, parts, required) = (Vec::new(), Vec::new(), self.required.clone());
        let mut mapped = Self { edges, parts, required, counters, steps, ..*self };
        for (from, part, to) in self.edges() {
            mapped.edge(from, change(part)?, to);
        }
        Ok(mapped)
    }
}
