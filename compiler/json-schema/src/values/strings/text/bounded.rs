//! The graph of a language within bounds on the length, as a counter of characters.
//!
//! Its states are those of the automaton between characters, and each character increments the counter. So it is as
//! large as the language, whatever the bounds. The network keeps the count in a register.

use rustc_hash::FxHashMap;

use super::characters::{Characters, Ranges};
use grammarc_grammar::automata::Dfa;
use grammarc_grammar::ir::{Counter, Expr, ExprGraph, Step};

/// The texts of an automaton whose lengths are within the bounds of a counter, from after the opening quote to the
/// closing one; `text` writes one of some characters.
pub(super) fn bounded(dfa: &Dfa, bounds: Counter, mut text: impl FnMut(&Ranges) -> Expr) -> Expr {
    let mut characters = Characters::new(dfa);
    let mut graph = ExprGraph::with_capacity(dfa.states.len());
    let length = graph.counter(bounds);
    let end = graph.end();
    if bounds.min > 0 {
        graph.step(end, Step::Check(length));
    }
    // The start is distinct from the states after a character, even if a character leads back to its state of the
    // automaton.
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
