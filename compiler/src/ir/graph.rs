//! Automata whose edges are expressions.
//!
//! If the next part depends on the parts before (the members of an object, the items of an array), nested
//! expressions repeat themselves; states and edges say it once. A graph with E edges costs its parts and O(E).
//!
//! # Marks
//!
//! Some states may carry marks, numbered from 0, and then the strings are those of the paths that visit every mark at
//! least once: that is how the required members of an object are said whose members come in any order. Written out,
//! n marks multiply the states by 2^n ([`unrolled`](ExprGraph::unrolled)); the network keeps the marks still to
//! come in a register of the frame instead, where it can.
//!
//! # Counters
//!
//! A graph may have counters instead: numbers that are 0 at first, and that arriving at a state [changes or
//! checks](Step). The strings are those of the paths on which no counter goes beyond its most and every check finds at
//! least its fewest. That is how a language is said whose strings have 20 to 2,083 characters, or up to 50 words within
//! 500 characters. Written out, bounds multiply the states; the network keeps the counts in a register where it can, and
//! then they do not.

use super::Expr;

/// Most marks of a graph: a set of them is a word.
pub const MOST_REQUIRED_KEYS: u8 = 32;

/// The bounds of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counter {
    /// Fewest ticks that a check lets pass.
    pub min: u32,
    /// Most ticks.
    pub max: Option<u32>,
}

impl Counter {
    /// The count that stands for a count: without a maximum, all from the minimum on are alike.
    pub(crate) fn settled(self, count: u32) -> u32 {
        if self.max.is_none() { count.min(self.min) } else { count }
    }
}

/// The effect on a counter, given by its number, of arriving at a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// It becomes 0.
    Reset(u8),
    /// It becomes one more. There is no way on where it is its most already.
    Increment(u8),
    /// There is no way on where it is less than its fewest.
    Check(u8),
}

impl Step {
    /// The counter that the step changes or checks.
    pub(crate) fn counter(self) -> u8 {
        let (Self::Reset(counter) | Self::Increment(counter) | Self::Check(counter)) = self;
        counter
    }
}

/// A nondeterministic automaton with expressions on its edges. State 0 is the start.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ExprGraph {
    states: u32,
    /// The accepting state.
    end: u32,
    /// Source and target, by edge.
    edges: Vec<(u32, u32)>,
    /// Expression, by edge.
    parts: Vec<Expr>,
    /// States with their marks.
    marked: Vec<(u32, u8)>,
    /// Counters by number.
    counters: Vec<Counter>,
    /// Steps of states, in the order in which they are taken.
    steps: Vec<(u32, Step)>,
}

impl Default for ExprGraph {
    fn default() -> Self {
        Self::new()
    }
}

impl ExprGraph {
    /// The start state.
    pub const START: u32 = 0;

    /// A graph of a start state and an accepting state, with no way from one to the other.
    pub fn new() -> Self {
        Self {
            states: 2,
            end: 1,
            edges: Vec::new(),
            parts: Vec::new(),
            marked: Vec::new(),
            counters: Vec::new(),
            steps: Vec::new(),
        }
    }

    /// The same with room for so many edges.
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
    pub fn edge(&mut self, from: u32, expr: Expr, to: u32) {
        assert!(from < self.states && to < self.states, "edges join states of the graph");
        if !matches!(expr, Expr::Never) {
            self.edges.push((from, to));
            self.parts.push(expr);
        }
    }

    /// Puts a mark on a state. No edge into it may derive the empty string.
    ///
    /// # Panics
    ///
    /// If the state is not of this graph or its start, has a mark, or the mark's number is too large.
    pub fn require_key(&mut self, state: u32, mark: u8) {
        assert!(state != Self::START && state < self.states, "a state of the graph, not its start");
        assert!(
            mark < MOST_REQUIRED_KEYS && self.mark_of(state).is_none(),
            "one mark, of those there are"
        );
        self.marked.push((state, mark));
    }

    /// Adds a counter, and says its number.
    ///
    /// # Panics
    ///
    /// If the graph has marks, or 256 counters.
    pub fn counter(&mut self, counter: Counter) -> u8 {
        assert!(self.marked.is_empty(), "a graph has marks or counters");
        self.counters.push(counter);
        u8::try_from(self.counters.len() - 1).expect("few counters")
    }

    /// Adds a step to those that arriving at a state takes. No edge into it may derive the empty string where it ticks.
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

    /// Steps of states: those of one state in the order in which they are taken.
    pub fn steps(&self) -> &[(u32, Step)] {
        &self.steps
    }

    /// The strings of this graph, each behind one of an expression. Counters begin behind it.
    #[must_use]
    pub fn behind(&self, first: Expr) -> Self {
        let mut graph = Self { edges: Vec::new(), parts: Vec::new(), ..self.clone() };
        let start = graph.state();
        let moved = |state: u32| if state == Self::START { start } else { state };
        graph.edge(Self::START, first, start);
        for (from, part, to) in self.edges() {
            graph.edge(moved(from), part.clone(), moved(to));
        }
        graph
    }

    /// Whether the strings are not those of all paths.
    pub fn has_registers(&self) -> bool {
        !self.marked.is_empty() || !self.counters.is_empty()
    }

    /// The mark on a state.
    pub fn mark_of(&self, state: u32) -> Option<u8> {
        self.marked.iter().find(|marked| marked.0 == state).map(|marked| marked.1)
    }

    /// The states that carry marks, in the order in which they were marked.
    pub fn required_key_states(&self) -> &[(u32, u8)] {
        &self.marked
    }

    /// The marks, as bits.
    pub fn required_keys(&self) -> u32 {
        self.marked.iter().fold(0, |marks, &(_, mark)| marks | 1 << mark)
    }

    /// The same edges with other counters and steps.
    pub(super) fn counting(&self, counters: Vec<Counter>, steps: Vec<(u32, Step)>) -> Self {
        Self { counters, steps, ..self.clone() }
    }

    /// Source, expression and target of every edge, in the order in which they were added.
    pub fn edges(&self) -> impl Iterator<Item = (u32, &Expr, u32)> {
        self.edges.iter().zip(&self.parts).map(|(&(from, to), part)| (from, part, to))
    }

    /// Expressions by edge.
    pub(super) fn parts(&self) -> &[Expr] {
        &self.parts
    }

    /// Expressions by edge, to be changed in place.
    pub(crate) fn parts_mut(&mut self) -> &mut [Expr] {
        &mut self.parts
    }

    /// The same graph with other expressions.
    ///
    /// # Errors
    ///
    /// The first of `change`.
    pub fn try_map<E>(&self, mut change: impl FnMut(&Expr) -> Result<Expr, E>) -> Result<Self, E> {
        let (counters, steps) = (self.counters.clone(), self.steps.clone());
        let (edges, parts, marked) = (Vec::new(), Vec::new(), self.marked.clone());
        let mut mapped = Self { edges, parts, marked, counters, steps, ..*self };
        for (from, part, to) in self.edges() {
            mapped.edge(from, change(part)?, to);
        }
        Ok(mapped)
    }
}
