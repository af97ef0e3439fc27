//! Automata whose edges are labelled with expressions of the grammar IR (generalized NFAs).
//!
//! The next part of an object or an array may depend on the parts before, such as its members or
//! items. Nested expressions would repeat themselves, while states and edges describe each part
//! once. A graph with E edges costs its parts and O(E).
//!
//! # Required keys
//!
//! Some states may have a required key, with a number from 0. The strings of the graph are then
//! those of the paths that visit every required key at least once. This describes an object with
//! required members in any order. Unrolled, n required keys multiply the states by 2^n
//! ([`unrolled`](ExprGraph::unrolled)). If possible, the network keeps the missing keys in a
//! register instead: a word of 32 bits for each call in progress.
//!
//! # Counters
//!
//! A graph may have counters instead of required keys. A counter is a number that is 0 at first.
//! Arriving at a state [changes or checks](Step) counters. The strings are those of the paths on
//! which no counter exceeds its maximum and every check finds at least its minimum. This describes
//! languages such as strings of 20 to 2,083 characters, or up to 50 words within 500 characters.
//! Unrolled, the bounds multiply the states. If possible, the network keeps the counts in a
//! register.

/// The most required keys of a graph, so that a set of keys fits in a word of 32 bits.
/// [`Graph::require_key`] panics beyond it.
pub const MOST_REQUIRED_KEYS: u8 = 32;

/// The inclusive bounds of a counter in a graph. The guard [`Step::Check`] requires at least the
/// lower bound, and no path increments the counter beyond the upper bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter {
    /// The fewest increments after which a check of the counter passes.
    pub min: u32,
    /// The most increments of a path between two resets. `None` if there is no maximum.
    pub max: Option<u32>,
}

impl Counter {
    /// Returns the count that represents `count` and all counts equivalent to it. Without a
    /// maximum, all counts from the minimum on are equivalent, and the minimum represents them.
    pub fn saturated(self, count: u32) -> u32 {
        if self.max.is_none() { count.min(self.min) } else { count }
    }
}

/// The effect on a counter of arriving at a state of a graph. The counter is given by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// Sets the counter to 0.
    Reset(u8),
    /// Increments the counter by one. The path ends if the counter is at its maximum.
    Increment(u8),
    /// Ends the path if the counter is below its minimum.
    Check(u8),
}

impl Step {
    /// Returns the number of the counter that the step changes or checks.
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

/// A label of an edge in a [`Graph`]. A label denotes a set of strings.
pub trait EdgeLabel {
    /// Whether the label denotes no string, so that no path takes the edge.
    fn is_never(&self) -> bool;
}

/// A nondeterministic automaton with a label on each edge, which denotes a set of strings. State 0
/// is the start state.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Graph<L> {
    /// The number of states.
    states: u32,
    /// The number of the accepting state.
    end: u32,
    /// For each edge, its source and its target.
    edges: Vec<(u32, u32)>,
    /// For each edge, its label.
    parts: Vec<L>,
    /// Pairs of a state and the number of its required key. An accepted path has to visit each
    /// required key at least once.
    required: Vec<(u32, u8)>,
    /// The bounds of each counter, by the counter's number.
    counters: Vec<Counter>,
    /// Pairs of a state and a step, which resets, increments or checks a counter on arrival at the
    /// state. The steps of one state are in the order in which they are taken.
    steps: Vec<(u32, Step)>,
}

impl<L: EdgeLabel> Default for Graph<L> {
    fn default() -> Self {
        Self::new()
    }
}

impl<L: EdgeLabel> Graph<L> {
    /// The number of the start state.
    pub const START: u32 = 0;

    /// Creates a graph with a start state and an end state, without edges.
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

    /// Creates a graph like [`new`](Self::new), with capacity for this number of edges.
    pub fn with_capacity(edges: usize) -> Self {
        let (edges, parts) = (Vec::with_capacity(edges), Vec::with_capacity(edges));
        Self { edges, parts, ..Self::new() }
    }

    /// Returns the number of the end state, at which strings end. Edges may leave it.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Returns the number of states.
    pub fn states(&self) -> u32 {
        self.states
    }

    /// Adds a state without edges. Returns the number of the state.
    #[inline]
    pub fn state(&mut self) -> u32 {
        self.states += 1;
        self.states - 1
    }

    /// Adds an edge with a label. An edge whose label denotes no string is left out.
    ///
    /// # Panics
    ///
    /// If `from` or `to` is not a state of this graph.
    #[inline]
    pub fn edge(&mut self, from: u32, label: L, to: u32) {
        assert!(from < self.states && to < self.states, "edges join states of the graph");
        if !label.is_never() {
            self.edges.push((from, to));
            self.parts.push(label);
        }
    }

    /// Sets the required key of a state: every path has to visit the key. No edge into the state
    /// may derive the empty string.
    ///
    /// # Panics
    ///
    /// If the state is not of this graph or is its start, if it has a required key already, or if
    /// `key` is not below [`MOST_REQUIRED_KEYS`].
    pub fn require_key(&mut self, state: u32, key: u8) {
        assert!(state != Self::START && state < self.states, "a state of the graph, not its start");
        assert!(
            key < MOST_REQUIRED_KEYS && self.required_key_of(state).is_none(),
            "one key, of those there are"
        );
        self.required.push((state, key));
    }

    /// Adds a counter with these bounds. Returns the number of the counter, for [`Step`].
    ///
    /// # Panics
    ///
    /// If the graph has required keys, or 256 counters already.
    pub fn counter(&mut self, counter: Counter) -> u8 {
        assert!(self.required.is_empty(), "a graph has required keys or counters");
        self.counters.push(counter);
        u8::try_from(self.counters.len() - 1).expect("few counters")
    }

    /// Adds a counter step to a state. The steps of a state are taken on arrival, in the order in
    /// which they were added. If the step is an increment, no edge into the state may derive the
    /// empty string.
    ///
    /// # Panics
    ///
    /// If the state is not of this graph or is its start, or if the counter is not of this graph.
    pub fn step(&mut self, state: u32, step: Step) {
        assert!(state != Self::START && state < self.states, "a state of the graph, not its start");
        assert!(usize::from(step.counter()) < self.counters.len(), "a counter of the graph");
        self.steps.push((state, step));
    }

    /// Returns the bounds of each counter, by the counter's number.
    pub fn counters(&self) -> &[Counter] {
        &self.counters
    }

    /// Returns pairs of a state and a step, which resets, increments or checks a counter on arrival
    /// at the state. The steps of one state are in the order in which they are taken.
    pub fn steps(&self) -> &[(u32, Step)] {
        &self.steps
    }

    /// Returns a graph whose strings are a string of the label `first`, followed by a string of
    /// this graph. Counters start at 0 after `first`.
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

    /// Whether the graph has required keys or counters, which exclude some of its paths.
    pub fn has_registers(&self) -> bool {
        !self.required.is_empty() || !self.counters.is_empty()
    }

    /// Returns the number of a state's required key. Returns `None` if the state has none.
    pub fn required_key_of(&self, state: u32) -> Option<u8> {
        self.required.iter().find(|required| required.0 == state).map(|required| required.1)
    }

    /// Returns pairs of a state and the number of its required key, in the order in which they were
    /// added.
    pub fn required_key_states(&self) -> &[(u32, u8)] {
        &self.required
    }

    /// Returns the set of all required keys: bit `n` is set if some state has key `n`.
    pub fn required_keys(&self) -> u32 {
        self.required.iter().fold(0, |keys, &(_, key)| keys | 1 << key)
    }

    /// Returns a graph with the same states and edges, in which `counters` and `steps` replace the
    /// counters and their steps.
    pub(super) fn counting(&self, counters: Vec<Counter>, steps: Vec<(u32, Step)>) -> Self
    where
        L: Clone,
    {
        Self { counters, steps, ..self.clone() }
    }

    /// Returns the source, the label and the target of every edge, in the order in which the edges
    /// were added.
    pub fn edges(&self) -> impl Iterator<Item = (u32, &L, u32)> {
        self.edges.iter().zip(&self.parts).map(|(&(from, to), part)| (from, part, to))
    }

    /// Returns the labels of the edges, in the order in which the edges were added.
    pub(super) fn parts(&self) -> &[L] {
        &self.parts
    }

    /// Returns the labels of the edges for modification, in the order in which the edges were
    /// added.
    pub fn parts_mut(&mut self) -> &mut [L] {
        &mut self.parts
    }

    /// Returns a graph with the same states, in which `change` replaces the label of each edge.
    /// Edges whose new label denotes no string are left out.
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
