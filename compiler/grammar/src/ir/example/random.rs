//! Random choices between the texts of an expression.

use super::costs::Costs;
use crate::automata::Dfa;
use crate::ir::graph_position::{GraphPosition, StateActions};
use crate::ir::{ByteSet, Expr, ExprGraph};

/// Most random steps through an automaton over bytes, before the shortest way to its end is taken.
const MOST_BYTES: usize = 12;
/// Most random steps through a graph of expressions, before the shortest way to its end is taken.
const MOST_EDGES: usize = 24;
/// Most repetitions beyond the least number.
const MOST_REPEATS: usize = 5;

/// A source of random choices.
pub(super) struct Random<'r> {
    /// Bytes of a text from which on no choice is random.
    pub(super) most: usize,
    /// Returns a random number below its argument, which is above 0.
    pub(super) below: &'r mut dyn FnMut(usize) -> usize,
}

impl Random<'_> {
    /// Returns one of some choices, all with equal chance. `None` if there are none.
    pub(super) fn one_of<T>(&mut self, choices: impl Iterator<Item = T>) -> Option<T> {
        let mut choices: Vec<T> = choices.collect();
        if choices.is_empty() {
            return None;
        }
        let chosen = (self.below)(choices.len());
        Some(choices.swap_remove(chosen))
    }

    /// Returns a byte of a set. `None` for the empty set.
    pub(super) fn byte(&mut self, set: ByteSet) -> Option<u8> {
        let (lo, hi) = self.one_of(set.ranges())?;
        Some(lo + (self.below)(usize::from(hi - lo) + 1) as u8)
    }

    /// Returns a number of repetitions within bounds, near the lower one.
    pub(super) fn count(&mut self, min: u32, max: Option<u32>) -> u32 {
        let room = max.map_or(u32::MAX, |max| max - min).min(MOST_REPEATS as u32);
        min + (self.below)(room as usize + 1) as u32
    }

    /// Takes some random steps through an automaton from its start, and writes their bytes. Returns the state reached.
    pub(super) fn walk_dfa(&mut self, dfa: &Dfa, text: &mut Vec<u8>) -> u32 {
        let mut state = 0;
        for _ in 0..(self.below)(MOST_BYTES + 1) {
            let Some(edge) = self.one_of(dfa.states[state as usize].edges.iter()) else { break };
            let byte = edge.lo + (self.below)((edge.hi - edge.lo) as usize + 1) as u32;
            text.extend(u8::try_from(byte));
            state = edge.target;
        }
        state
    }

    /// Returns the labels of a random path through a graph. Empty if the shortest way to its end is not found.
    pub(super) fn path<'g>(&mut self, graph: &'g ExprGraph, costs: &mut Costs) -> Vec<&'g Expr> {
        let actions = StateActions::of(graph);
        let mut edges: Vec<Vec<(&Expr, u32)>> = vec![Vec::new(); graph.states() as usize];
        for (from, part, to) in graph.edges().filter(|(_, part, _)| costs.of(part).is_some()) {
            edges[from as usize].push((part, to));
        }
        let mut steps = (self.below)(MOST_EDGES + 1);
        loop {
            let mut position = GraphPosition::start(graph);
            let mut path = Vec::new();
            for _ in 0..steps {
                let edges = edges[position.state as usize].iter();
                let next = edges
                    .filter_map(|&(part, to)| Some((part, position.after(graph, to, &actions)?)));
                let Some((part, next)) = self.one_of(next) else { break };
                path.push(part);
                position = next;
            }
            match costs.path(graph, position) {
                Some((_, rest)) => {
                    path.extend(rest);
                    return path;
                }
                // A counter or a required key leaves no way to the end: fewer random steps are tried.
                None if steps == 0 => return Vec::new(),
                None => steps /= 2,
            }
        }
    }
}
