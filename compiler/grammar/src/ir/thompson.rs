//! Builds nondeterministic automata from expressions.
//!
//! The translation of a call, a token set or a repetition depends on the user (a rule of the network, or an operand
//! of an intersection), so it is left to [`Atoms`]. Everything else is Thompson's construction.

use std::collections::hash_map::Entry;
use std::slice;
use std::sync::Arc;

use rustc_hash::FxHashMap;

pub use super::delimited_repeat::DelimitedRepeat;
use super::endings::Endings;
use super::{Expr, ExprGraph, RuleId, Texts, TokenSet};
use crate::automata::{Nfa, Symbol};

/// The parts of the construction that depend on its use. Each method connects `from` to `to` in `nfa`.
pub trait Atoms {
    /// Why an expression cannot be built.
    type Error;

    /// A call of a rule.
    fn call(&mut self, nfa: &mut Nfa, rule: RuleId, from: u32, to: u32) -> Result<(), Self::Error>;

    /// One token of a set.
    fn tokens(
        &mut self,
        nfa: &mut Nfa,
        set: &TokenSet,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// A repetition.
    fn repeat(
        &mut self,
        nfa: &mut Nfa,
        repetition: Repetition<'_>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// One of many texts.
    fn texts(
        &mut self,
        nfa: &mut Nfa,
        texts: &Arc<Texts>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error> {
        build_texts(self, nfa, texts.iter(), from, to)
    }

    /// A delimited repeat: bytes, and a last one that may be one of them.
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

    /// A graph with required keys or counters.
    fn registers(
        &mut self,
        nfa: &mut Nfa,
        graph: &Arc<ExprGraph>,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// An intersection or a complement.
    fn boolean(
        &mut self,
        nfa: &mut Nfa,
        expr: &Expr,
        from: u32,
        to: u32,
    ) -> Result<(), Self::Error>;

    /// Called after every step with the automaton so far, to enforce a budget.
    fn check(&mut self, nfa: &Nfa) -> Result<(), Self::Error>;
}

/// The parts of [`Expr::Repeat`].
#[derive(Clone, Copy, Debug)]
pub struct Repetition<'a> {
    /// The part that is repeated.
    pub body: &'a Expr,
    /// Fewest repetitions.
    pub min: u32,
    /// Most repetitions, unbounded if `None`.
    pub max: Option<u32>,
}

/// Connects `from` to `to` by one repetition and one of the last bytes.
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

/// Connects `from` to `to` by the strings of `expr`.
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

/// Connects `from` to `to` by the paths of a graph. Required keys are ignored.
///
/// Common parts are built once, after a state of their own. In a searched-for text, the same thousand characters lead
/// from each position back to the start. A member of an object is written after a comma and without one.
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
    // By part and target, the state at which that part begins.
    let mut shared: FxHashMap<(&Expr, u32), u32> = FxHashMap::default();
    let mut endings = Endings::with_capacity(graph.parts().len());
    for (source, part, target) in graph.edges() {
        let (source, target) = (first + source, first + target);
        // Parts that are built already cost one look-up, which is not counted as a step.
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

/// Connects `from` to `to` by a sequence of parts. A tail that leads to `to` already is shared, loops included.
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
    // A sequence that begins with a byte mostly has the comma before parts that others lead to as well.
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

/// A part of a sequence that is built as a whole.
enum Unit<'a> {
    Part(&'a Expr),
    Delimited(DelimitedRepeat),
}

/// Splits a sequence into its first unit and the rest.
fn first_unit(parts: &[Expr]) -> Option<(Unit<'_>, &[Expr])> {
    match DelimitedRepeat::begins(parts) {
        Some(run) => Some((Unit::Delimited(run), &parts[2..])),
        None => parts.split_first().map(|(part, rest)| (Unit::Part(part), rest)),
    }
}

/// An expression as a sequence.
fn parts_of(expr: &Expr) -> &[Expr] {
    match expr {
        Expr::Seq(parts) => parts,
        _ => slice::from_ref(expr),
    }
}

/// Whether an expression is a sequence made of bytes alone.
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

/// Connects `from` to `to` by a trie of texts, which are ascending and not empty.
///
/// # Errors
///
/// Those of `atoms`.
pub fn build_texts<'t, A: Atoms + ?Sized>(
    atoms: &mut A,
    nfa: &mut Nfa,
    texts: impl Iterator<Item = &'t [u8]>,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    let first = nfa.state();
    nfa.empty(from, first);
    // The states of the last text.
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

/// Unrolls a repetition: `min` copies, then a loop or the optional copies.
pub fn unroll<A: Atoms>(
    atoms: &mut A,
    nfa: &mut Nfa,
    Repetition { body, min, max }: Repetition<'_>,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    // If a body leads back to its start, an edge out of `from` or into `to` would enter the loop. So copies run
    // between fresh states.
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

    /// `a` so often, between each two of which `b` or `cd` lead back to the beginning.
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
        // Before minimization: the positions, the end, and the state after `c`.
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
