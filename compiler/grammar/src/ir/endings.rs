//! Suffix sharing: sequences of parts that enter the same state share their common tail.
//!
//! A member of an object is written both after a comma and without one. The other keys of an object
//! lead to their value from each position where such a key may occur. Such sequences enter the same
//! state and differ only in their beginnings. So the second sequence joins the first where their
//! tails become equal.
//!
//! Parts are compared at low cost: graphs and automata are equal if they are the same object in
//! memory, as in copies of an expression. Cost: O(size of the parts), without graphs and automata.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxBuildHasher, FxHashMap};

use super::Expr;
use super::delimited_repeat::DelimitedRepeat;

/// The parts of sequences that are already built into the automaton, so that other sequences can
/// share them. Maps an expression and a state to a second state, whose only outgoing path reads
/// that expression and leads to the first state.
pub(super) struct Endings<'a>(FxHashMap<(Part<'a>, u32), u32>);

impl<'a> Endings<'a> {
    /// Creates an empty map with capacity for the parts of `sequences` sequences.
    pub(super) fn with_capacity(sequences: usize) -> Self {
        Self(FxHashMap::with_capacity_and_hasher(2 * sequences, FxBuildHasher))
    }

    /// Records that the part `part` is already built between two states of the automaton: it is the
    /// only outgoing path of `from`, and leads to `to`.
    pub(super) fn add(&mut self, part: &'a Expr, to: u32, from: u32) {
        self.0.insert((Part(part), to), from);
    }

    /// Strips from a sequence of parts the longest tail that is already built and leads to the
    /// state `to`. Returns the remaining parts, and the state at which the built tail begins. The
    /// last byte of a [delimited repeat](DelimitedRepeat) is not separated from its repetition.
    pub(super) fn without_known(&self, mut parts: &'a [Expr], mut to: u32) -> (&'a [Expr], u32) {
        while let Some((last, before)) = parts.split_last()
            && DelimitedRepeat::begins(&parts[before.len().saturating_sub(1)..]).is_none()
            && let Some(&from) = self.0.get(&(Part(last), to))
        {
            (parts, to) = (before, from);
        }
        (parts, to)
    }
}

/// An expression that is a part of a sequence, with a cheap comparison. Graphs and automata are
/// equal if they are the same object in memory.
#[derive(Clone, Copy)]
struct Part<'a>(&'a Expr);

impl PartialEq for Part<'_> {
    fn eq(&self, other: &Self) -> bool {
        is_same(self.0, other.0)
    }
}

impl Eq for Part<'_> {}

impl Hash for Part<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        hash(self.0, state);
    }
}

/// Whether two expressions are equal. Graphs and automata are compared by their address.
fn is_same(one: &Expr, other: &Expr) -> bool {
    let all = |one: &[Expr], other: &[Expr]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| is_same(one, other))
    };
    match (one, other) {
        (Expr::Bytes(one), Expr::Bytes(other)) => one == other,
        (Expr::Literal(one), Expr::Literal(other)) => one == other,
        (Expr::Call(one), Expr::Call(other)) => one == other,
        (Expr::Seq(one), Expr::Seq(other)) | (Expr::Alt(one), Expr::Alt(other)) => all(one, other),
        (Expr::Texts(one), Expr::Texts(other)) => one == other,
        (Expr::Regular(one), Expr::Regular(other)) => Arc::ptr_eq(one, other),
        (Expr::Graph(one), Expr::Graph(other)) => Arc::ptr_eq(one, other),
        (Expr::Repeat { body, min, max }, Expr::Repeat { body: other, min: least, max: most }) => {
            (min, max) == (least, most) && is_same(body, other)
        }
        _ => std::ptr::eq(one, other),
    }
}

/// Hashes an expression. Expressions that [are the same](is_same) have equal hashes.
fn hash(expr: &Expr, state: &mut impl Hasher) {
    std::mem::discriminant(expr).hash(state);
    match expr {
        Expr::Bytes(set) => set.hash(state),
        Expr::Literal(bytes) => bytes.hash(state),
        Expr::Call(rule) => rule.hash(state),
        Expr::Seq(parts) | Expr::Alt(parts) => parts.iter().for_each(|part| hash(part, state)),
        Expr::Repeat { body, .. } => hash(body, state),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::automata::StateBudget;
    use crate::ir::pass::automaton;
    use crate::ir::recognize::recognizes;
    use crate::ir::{ExprGraph, GrammarBuilder, Origin};

    /// Generates expressions of a few kinds, so that equal parts of sequences are frequent.
    fn any_part() -> impl Strategy<Value = Expr> {
        let piece = || prop::sample::select(vec!["a", "b", "ab"]).prop_map(Expr::literal);
        let byte = prop::sample::select(vec![b'a', b'b']).prop_map(Expr::byte);
        let looped = (prop::collection::vec(piece(), 1..3), 0u32..2);
        let looped = looped.prop_map(|(parts, min)| Expr::seq(parts).repeat(min, None));
        let either = prop::collection::vec(piece(), 2).prop_map(Expr::alt);
        prop_oneof![4 => piece(), 4 => byte, 2 => looped, 1 => either, 1 => Just(Expr::Empty)]
    }

    proptest! {
        #[test]
        fn sequences_that_end_alike_keep_their_strings(
            edges in prop::collection::vec(
                (0u32..4, prop::collection::vec(any_part(), 1..4), 0u32..4),
                1..8,
            ),
        ) {
            let mut graph = ExprGraph::new();
            (2..4).for_each(|_| _ = graph.state());
            for (from, parts, to) in edges {
                graph.edge(from, Expr::seq(parts), to);
            }
            let expr = Expr::Graph(graph.into());
            let dfa = automaton(&expr, StateBudget::of(10_000)).expect("it is small");
            let mut builder = GrammarBuilder::new();
            let root = builder.declare("root");
            builder.define(root, expr, Origin::default());
            let grammar = builder.finish(root);
            for length in 0..7 {
                for word in 0u32..1 << length {
                    let text: Vec<u8> = (0..length).map(|at| b'a' + (word >> at & 1) as u8).collect();
                    prop_assert_eq!(dfa.accepts(&text), recognizes(&grammar, &text), "{:?}", text);
                }
            }
        }
    }

    #[test]
    fn what_sequences_end_with_is_built_once() {
        // Any number of `key`, with a comma before each but the first.
        let more = Expr::seq([Expr::byte(b','), Expr::literal("key")]);
        let mut graph = ExprGraph::new();
        let (start, end) = (ExprGraph::START, graph.end());
        graph.edge(start, Expr::seq([Expr::literal("key"), more.clone().star()]), end);
        let written = graph.state();
        graph.edge(start, Expr::byte(b';'), written);
        graph.edge(written, more.star(), end);
        let expr = Expr::Graph(graph.into());
        // The states: the start, after a comma, two positions within the key, and after the key or
        // `;`.
        assert!(automaton(&expr, StateBudget::of(5)).is_ok());
        assert!(automaton(&expr, StateBudget::of(4)).is_err());
    }
}
