//! Automata whose edges are expressions.
//!
//! Where what may follow depends on what came before (the members of an object, the items of an array), nested
//! expressions repeat themselves; states and edges say it once. A graph with E edges costs its parts and O(E).
//!
//! # Marks
//!
//! Some states may carry marks, numbered from 0, and then the strings are those of the paths that visit every mark at
//! least once: that is how the required members of an object are said whose members come in any order. Written out,
//! n marks multiply the states by 2^n ([`spelled_out`](ExprGraph::spelled_out)); the network keeps the marks still to
//! come in a register of the frame instead, where it can.

use std::borrow::Cow;
use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use super::Expr;
use crate::automata::{Allowance, StateLimit};

/// Most marks of a graph: a set of them is a word.
pub const MOST_MARKS: u8 = 32;

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
        Self { states: 2, end: 1, edges: Vec::new(), parts: Vec::new(), marked: Vec::new() }
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
    pub fn mark(&mut self, state: u32, mark: u8) {
        assert!(state != Self::START && state < self.states, "a state of the graph, not its start");
        assert!(mark < MOST_MARKS && self.mark_of(state).is_none(), "one mark, of those there are");
        self.marked.push((state, mark));
    }

    /// The mark on a state.
    pub fn mark_of(&self, state: u32) -> Option<u8> {
        self.marked.iter().find(|marked| marked.0 == state).map(|marked| marked.1)
    }

    /// The states that carry marks, in the order in which they were marked.
    pub fn marked(&self) -> &[(u32, u8)] {
        &self.marked
    }

    /// The marks, as bits.
    pub fn marks(&self) -> u32 {
        self.marked.iter().fold(0, |marks, &(_, mark)| marks | 1 << mark)
    }

    /// The same strings without marks: a state for each state and set of marks visited on the way to it.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] where these do not keep to their allowed.
    pub fn spelled_out(&self, allowed: Allowance<'_>) -> Result<Cow<'_, Self>, StateLimit> {
        let all = self.marks();
        if all == 0 {
            return Ok(Cow::Borrowed(self));
        }
        let mut held = allowed.held();
        let mut from = vec![Vec::new(); self.states as usize];
        self.edges().for_each(|(source, part, to)| from[source as usize].push((part, to)));
        let mut marks = vec![0; self.states as usize];
        self.marked.iter().for_each(|&(state, mark)| marks[state as usize] = 1 << mark);
        let mut spelled = Self::new();
        let mut known = FxHashMap::from_iter([((Self::START, 0), Self::START)]);
        let mut open = VecDeque::from([(Self::START, 0)]);
        while let Some(place) = open.pop_front() {
            let at = known[&place];
            if place == (self.end, all) {
                let end = spelled.end;
                spelled.edge(at, Expr::Empty, end);
            }
            for &(part, to) in &from[place.0 as usize] {
                let to = (to, place.1 | marks[to as usize]);
                let to = *known.entry(to).or_insert_with(|| {
                    open.push_back(to);
                    spelled.state()
                });
                spelled.edge(at, part.clone(), to);
            }
            if known.len() > allowed.states {
                return Err(allowed.error());
            }
            allowed.spend(from[place.0 as usize].len())?;
            allowed.hold(&mut held, size_of_val(&*spelled.parts))?;
        }
        Ok(Cow::Owned(spelled))
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
        let (edges, parts, marked) = (Vec::new(), Vec::new(), self.marked.clone());
        let mut mapped = Self { edges, parts, marked, ..*self };
        for (from, part, to) in self.edges() {
            mapped.edge(from, change(part)?, to);
        }
        Ok(mapped)
    }
}
