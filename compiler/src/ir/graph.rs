//! Automata whose edges are expressions.
//!
//! Where what may follow depends on what came before (the members of an object, the items of an array), nested
//! expressions repeat themselves; states and edges say it once. A graph with E edges costs its parts and O(E).

use super::Expr;

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
        Self { states: 2, end: 1, edges: Vec::new(), parts: Vec::new() }
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
    pub fn state(&mut self) -> u32 {
        self.states += 1;
        self.states - 1
    }

    /// Adds an edge.
    ///
    /// # Panics
    ///
    /// If a state is not of this graph.
    pub fn edge(&mut self, from: u32, expr: Expr, to: u32) {
        assert!(from < self.states && to < self.states, "edges join states of the graph");
        if expr != Expr::Never {
            self.edges.push((from, to));
            self.parts.push(expr);
        }
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
        let mut mapped = Self { edges: Vec::new(), parts: Vec::new(), ..*self };
        for (from, part, to) in self.edges() {
            mapped.edge(from, change(part)?, to);
        }
        Ok(mapped)
    }
}
