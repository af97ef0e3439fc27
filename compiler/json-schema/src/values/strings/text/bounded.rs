//! The expression graph of a language with bounds on the length, which a counter of characters checks.
//!
//! The states of the graph are the automaton's states between characters, and each character increments the counter. So
//! the graph is as large as the language, whatever the bounds. The network keeps the count in a register.

use rustc_hash::FxHashMap;

use crate::values::strings::characters::{Characters, Ranges};
use grammarc_grammar::automata::Dfa;
use grammarc_grammar::ir::{Counter, Expr, ExprGraph, Step};

/// Returns the grammar expression of JSON texts, after the opening quote and with the closing one. The texts are those
/// strings of an automaton whose lengths in characters are within `bounds` (inclusive). `text` returns the texts of one
/// character of the given ranges.
pub(super) fn bounded(dfa: &Dfa, bounds: Counter, mut text: impl FnMut(&Ranges) -> Expr) -> Expr {
    let mut characters = Characters::new(dfa);
    let mut graph = ExprGraph::with_capacity(dfa.states.len());
    let length = graph.counter(bounds);
    let end = graph.end();
    if bounds.min > 0 {
        graph.step(end, Step::Check(length));
    }
    // The start is distinct from the states after a character, even if a character leads back to the automaton's start.
    let mut numbers: FxHashMap<u32, u32> = FxHashMap::default();
    let mut open = vec![(0, ExprGraph::START)];
    while let Some((state, from)) = open.pop() {
        if dfa.states[state as usize].accepting {
            graph.edge(from, Expr::byte(b'"'), end);
        }
        for (target, ranges) in characters.moves(state) {
            let to = *numbers.entry(target).or_insert_with(|| {
                let to = graph.state();
                graph.step(to, Step::Increment(length));
                open.push((target, to));
                to
            });
            graph.edge(from, text(&ranges), to);
        }
    }
    Expr::Graph(graph.into())
}
