//! Builds nondeterministic automata from expressions, by Thompson's construction.
//!
//! The automaton of a call, a token set or a repetition depends on its use. It is part of a rule of
//! the network, or of an operand of an intersection. So these parts are left to an implementation
//! of [`Atoms`].

use std::collections::hash_map::Entry;
use std::slice;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use super::delimited_repeat::DelimitedRepeat;
use super::endings::Endings;
use super::{Expr, ExprGraph, RuleId, Texts, TokenSet};
use crate::automata::{Nfa, Symbol};

/// Builds the parts of an automaton that depend on its use, as a rule of the network or as an
/// operand of an intersection. These parts are calls, token sets, repetitions, graphs with counters
/// or required keys, and intersections. Each method adds paths from state `from` to state `to` of
/// `nfa`. The paths read the strings of the part.
pub trait Atoms {
    /// The reason why an expression has no automaton, such as a limit that is exceeded.
    type Error;

    /// Adds paths from `from` to `to` for a call of a rule.
    fn call(&mut self, nfa: &mut Nfa, rule: RuleId, from: u32, to: u32) -> Result<(), Self::Error>;

    /// Adds paths from `from` to `to` that read one token of a set.
    fn tokens(
        &mut self,
        nfa: &mut Nfa,
        set: &TokenSet,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// Adds paths from `from` to `to` that read a repetition of an expression.
    fn repeat(
        &mut self,
        nfa: &mut Nfa,
        repetition: Repetition<'_>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// Adds paths from `from` to `to` that read one text of a large set. By default, the texts form
    /// a trie.
    fn texts(
        &mut self,
        nfa: &mut Nfa,
        texts: &Arc<Texts>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error> {
        build_texts(self, nfa, texts.iter(), from, to)
    }

    /// Adds paths from `from` to `to` that read a delimited repeat: a bounded repetition of bytes
    /// and one last byte, whose byte sets overlap. By default, the repetition and the last byte are
    /// built one after the other.
    fn delimited(
        &mut self,
        nfa: &mut Nfa,
        run: DelimitedRepeat,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>
    where
        Self: Sized,
    {
        in_sequence(self, nfa, run, from, to)
    }

    /// Adds paths from `from` to `to` that read the strings of a graph with required keys or
    /// counters.
    fn registers(
        &mut self,
        nfa: &mut Nfa,
        graph: &Arc<ExprGraph>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// Adds paths from `from` to `to` that read the strings of an intersection or a complement.
    fn boolean(
        &mut self,
        nfa: &mut Nfa,
        expr: &Expr,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// Checks the limits of the construction. Called before each part of an expression is added,
    /// with the automaton built so far. An error ends the construction.
    fn check(&mut self, nfa: &Nfa) -> Result<(), Self::Error>;
}

/// A repetition of an expression with bounds on the number of repetitions (the content of
/// [`Expr::Repeat`]).
#[derive(Clone, Copy, Debug)]
pub struct Repetition<'a> {
    /// The expression that is repeated.
    pub body: &'a Expr,
    /// The fewest repetitions.
    pub min: u32,
    /// The most repetitions. `None` if there is no maximum.
    pub max: Option<u32>,
}

/// Adds paths from state `from` to state `to` that read a delimited repeat (a bounded repetition of
/// bytes and one last byte). Builds the repetition, and after it an edge for the last byte.
///
/// # Errors
///
/// The errors of `atoms`.
pub fn in_sequence<A: Atoms>(
    atoms: &mut A,
    nfa: &mut Nfa,
    DelimitedRepeat { any, min, max, last }: DelimitedRepeat,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    let before = nfa.state();
    let repetition = Repetition { body: &Expr::Bytes(any), min, max: Some(max) };
    atoms.repeat(nfa, repetition, from, before)?;
    build(atoms, nfa, &Expr::Bytes(last), before, to)
}

/// Adds paths from state `from` to state `to` that read the strings of `expr`.
///
/// # Errors
///
/// The errors of `atoms`.
pub fn build<A: Atoms>(
    atoms: &mut A,
    nfa: &mut Nfa,
    expr: &Expr,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    atoms.check(nfa)?;
    match expr {
        Expr::Never => {}
        Expr::Empty => nfa.empty(from, to),
        Expr::Bytes(set) => {
            for (lo, hi) in set.ranges() {
                nfa.edge(from, Symbol::from(lo), Symbol::from(hi), to);
            }
        }
        Expr::Literal(bytes) => {
            let mut at = from;
            for (index, &byte) in bytes.iter().enumerate() {
                let next = if index + 1 == bytes.len() { to } else { nfa.state() };
                nfa.edge(at, Symbol::from(byte), Symbol::from(byte), next);
                at = next;
            }
        }
        Expr::Token(set) => atoms.tokens(nfa, set, from, to)?,
        Expr::Call(rule) => atoms.call(nfa, *rule, from, to)?,
        Expr::Seq(parts) => {
            let (mut at, mut parts) = (from, &parts[..]);
            while let Some((unit, rest)) = first_unit(parts) {
                parts = rest;
                let next = if parts.is_empty() { to } else { nfa.state() };
                match unit {
                    Unit::Delimited(run) => atoms.delimited(nfa, run, at, next)?,
                    Unit::Part(part) => build(atoms, nfa, part, at, next)?,
                }
                at = next;
            }
        }
        Expr::Alt(choices) => {
            for choice in choices {
                build(atoms, nfa, choice, from, to)?;
            }
        }
        Expr::Repeat { body, min, max } => {
            atoms.repeat(nfa, Repetition { body, min: *min, max: *max }, from, to)?;
        }
        Expr::Regular(dfa) => nfa.embed(dfa, from, to),
        Expr::Texts(texts) => atoms.texts(nfa, texts, from, to)?,
        Expr::Graph(graph) if graph.has_registers() => atoms.registers(nfa, graph, from, to)?,
        Expr::Graph(graph) => build_graph(atoms, nfa, graph, from, to)?,
        Expr::And(_) | Expr::Not(_) => atoms.boolean(nfa, expr, from, to)?,
    }
    Ok(())
}

/// Adds paths from state `from` to state `to` that read the strings of a graph. Required keys and
/// counters of the graph are ignored.
///
/// Parts that several edges have in common are built once. In an automaton that searches for a
/// text, the same thousand characters lead from each position back to the start. In an object, a
/// member is written both after a comma and without one.
///
/// # Errors
///
/// The errors of `atoms`.
pub fn build_graph<A: Atoms>(
    atoms: &mut A,
    nfa: &mut Nfa,
    graph: &ExprGraph,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    let first = nfa.state();
    (1..graph.states()).for_each(|_| _ = nfa.state());
    nfa.empty(from, first);
    // Maps a choice of an alternation and its target state to the state at which the choice begins.
    let mut shared: FxHashMap<(&Expr, u32), u32> = FxHashMap::default();
    let mut endings = Endings::with_capacity(graph.parts().len());
    for (source, part, target) in graph.edges() {
        let (source, target) = (first + source, first + target);
        // A part that is built already costs one look-up, which does not count as a step.
        atoms.check(nfa)?;
        let choices = match part {
            Expr::Alt(choices) => choices,
            Expr::Seq(_) | Expr::Repeat { .. } => {
                build_parts(atoms, nfa, &mut endings, parts_of(part), source, target)?;
                continue;
            }
            _ => {
                build(atoms, nfa, part, source, target)?;
                continue;
            }
        };
        for choice in choices {
            if !is_text(choice) {
                build(atoms, nfa, choice, source, target)?;
                continue;
            }
            let begin = match shared.entry((choice, target)) {
                Entry::Occupied(entry) => *entry.get(),
                Entry::Vacant(entry) => {
                    let begin = *entry.insert(nfa.state());
                    build(atoms, nfa, choice, begin, target)?;
                    begin
                }
            };
            nfa.empty(source, begin);
        }
    }
    nfa.empty(first + graph.end(), to);
    Ok(())
}

/// Adds paths from state `from` to state `to` that read a sequence of parts. `endings` has the
/// parts that are already built with the states between them. A tail of the sequence that is built
/// already and leads to `to` is shared.
fn build_parts<'a, A: Atoms>(
    atoms: &mut A,
    nfa: &mut Nfa,
    endings: &mut Endings<'a>,
    parts: &'a [Expr],
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    let (mut new, to) = endings.without_known(parts, to);
    let Some(first) = new.first() else {
        nfa.empty(from, to);
        return Ok(());
    };
    let mut at = from;
    // A sequence that begins with a byte mostly begins with a comma, and other sequences share the
    // parts after it. So the byte is not recorded for sharing and needs no state of its own.
    if !matches!(first, Expr::Bytes(_)) {
        at = nfa.state();
        nfa.empty(from, at);
    }
    while let Some((unit, rest)) = first_unit(new) {
        new = rest;
        let next = if new.is_empty() { to } else { nfa.state() };
        if let Unit::Part(part) = unit
            && at != from
        {
            endings.add(part, next, at);
        }
        match unit {
            Unit::Delimited(run) => atoms.delimited(nfa, run, at, next)?,
            Unit::Part(Expr::Repeat { body, min: 0, max: None }) if at != from => {
                nfa.empty(at, next);
                build_parts(atoms, nfa, endings, parts_of(body), at, at)?;
            }
            Unit::Part(part) => build(atoms, nfa, part, at, next)?,
        }
        at = next;
    }
    Ok(())
}

/// One part of a sequence, or two parts that are built together.
enum Unit<'a> {
    /// A single part.
    Part(&'a Expr),
    /// A repetition and the last byte that follows: two parts.
    Delimited(DelimitedRepeat),
}

/// Splits a sequence of expressions into its first [`Unit`] (one part, or two that are built
/// together) and the remaining parts. Returns `None` if the sequence is empty.
fn first_unit(parts: &[Expr]) -> Option<(Unit<'_>, &[Expr])> {
    match DelimitedRepeat::begins(parts) {
        Some(run) => Some((Unit::Delimited(run), &parts[2..])),
        None => parts.split_first().map(|(part, rest)| (Unit::Part(part), rest)),
    }
}

/// Returns the parts of a sequence. For any other expression, returns the expression itself as the
/// only part.
fn parts_of(expr: &Expr) -> &[Expr] {
    match expr {
        Expr::Seq(parts) => parts,
        _ => slice::from_ref(expr),
    }
}

/// Whether an expression is a sequence that consists only of bytes, literals, and sequences and
/// alternations of these.
fn is_text(expr: &Expr) -> bool {
    fn is_plain(expr: &Expr) -> bool {
        match expr {
            Expr::Bytes(_) | Expr::Literal(_) => true,
            Expr::Seq(parts) | Expr::Alt(parts) => parts.iter().all(is_plain),
            _ => false,
        }
    }
    matches!(expr, Expr::Seq(parts) if parts.iter().all(is_plain))
}

/// Adds paths from state `from` to state `to` that read one of the texts, as a trie. The texts have
/// to be in ascending order and not empty.
///
/// # Errors
///
/// The errors of `atoms`.
pub fn build_texts<'t, A: Atoms + ?Sized>(
    atoms: &mut A,
    nfa: &mut Nfa,
    texts: impl Iterator<Item = &'t [u8]>,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    let first = nfa.state();
    nfa.empty(from, first);
    // The states on the path of the last text.
    let mut path = vec![first];
    let mut last: &[u8] = &[];
    for text in texts {
        atoms.check(nfa)?;
        let common = text.iter().zip(last).take_while(|(one, other)| one == other).count();
        path.truncate(common + 1);
        for &byte in &text[common..] {
            let next = nfa.state();
            nfa.edge(path[path.len() - 1], byte.into(), byte.into(), next);
            path.push(next);
        }
        nfa.empty(path[text.len()], to);
        last = text;
    }
    Ok(())
}

/// Adds paths from state `from` to state `to` that read a repetition without a counter: `min`
/// copies of the body, and after them a loop, or `max - min` optional copies.
pub fn unroll<A: Atoms>(
    atoms: &mut A,
    nfa: &mut Nfa,
    Repetition { body, min, max }: Repetition<'_>,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    // A body may lead back to its own start. An edge out of `from` or into `to` would then enter
    // the loop, so copies run between new states.
    let mut at = nfa.state();
    nfa.empty(from, at);
    for _ in 0..min {
        let next = nfa.state();
        build(atoms, nfa, body, at, next)?;
        at = next;
    }
    nfa.empty(at, to);
    match max {
        None => build(atoms, nfa, body, at, at),
        Some(max) => {
            for _ in min..max {
                let next = nfa.state();
                build(atoms, nfa, body, at, next)?;
                nfa.empty(next, to);
                at = next;
            }
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::automata::StateBudget;
    use crate::ir::ByteSet;
    use crate::ir::pass::automaton;

    /// Returns a graph that searches for `count` times `a`. Before each `a`, the texts `b` and `cd`
    /// lead back to the start.
    fn searched(count: usize) -> Expr {
        let back = Expr::alt([
            Expr::bytes(ByteSet::range(b'b', b'b')),
            Expr::seq([Expr::bytes(ByteSet::range(b'c', b'c')), Expr::byte(b'd')]),
        ]);
        let mut graph = ExprGraph::new();
        let mut at = ExprGraph::START;
        for _ in 0..count {
            graph.edge(at, back.clone(), ExprGraph::START);
            let next = graph.state();
            graph.edge(at, Expr::byte(b'a'), next);
            at = next;
        }
        graph.edge(at, Expr::Empty, graph.end());
        Expr::Graph(graph.into())
    }

    #[test]
    fn what_leads_back_is_built_once() {
        // The states before minimization: the positions, the end, and the state after `c`.
        assert!(automaton(&searched(30), StateBudget::of(32)).is_ok());
        assert!(automaton(&searched(30), StateBudget::of(31)).is_err());
        let dfa = automaton(&searched(3), StateBudget::of(100)).expect("it is small");
        for accepted in ["aaa", "baaa", "abaaa", "aacdcdbaaa"] {
            assert!(dfa.accepts(accepted.as_bytes()), "{accepted}");
        }
        for refused in ["", "aa", "caaa", "aacaaa", "aaab", "aaacd", "aabaa"] {
            assert!(!dfa.accepts(refused.as_bytes()), "{refused}");
        }
    }
}
