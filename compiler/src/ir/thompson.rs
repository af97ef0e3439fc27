//! From expressions to nondeterministic automata.
//!
//! What a call, a token set or a repetition becomes depends on who asks (a rule of the network, or an operand of an
//! intersection), so these are left to an [`Atoms`]. Everything else is Thompson's construction.

use std::sync::Arc;

use super::{Expr, ExprGraph, RuleId, TokenSet};
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

    /// A graph with marks.
    fn marked(
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

    /// Called after every step with the automaton so far: the place to enforce a budget.
    fn check(&mut self, nfa: &Nfa) -> Result<(), Self::Error>;
}

/// The parts of [`Expr::Repeat`].
#[derive(Clone, Copy, Debug)]
pub struct Repetition<'a> {
    /// What is repeated.
    pub body: &'a Expr,
    /// Fewest.
    pub min: u32,
    /// Most, unbounded where `None`.
    pub max: Option<u32>,
}

/// Connects `from` to `to` by the strings of `expr`.
///
/// # Errors
///
/// Those of `atoms`.
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
            let mut at = from;
            for (index, part) in parts.iter().enumerate() {
                let next = if index + 1 == parts.len() { to } else { nfa.state() };
                build(atoms, nfa, part, at, next)?;
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
        Expr::Graph(graph) if graph.marks() != 0 => atoms.marked(nfa, graph, from, to)?,
        Expr::Graph(graph) => build_graph(atoms, nfa, graph, from, to)?,
        Expr::And(_) | Expr::Not(_) => atoms.boolean(nfa, expr, from, to)?,
    }
    Ok(())
}

/// Connects `from` to `to` by the paths of a graph, whatever their marks.
///
/// # Errors
///
/// Those of `atoms`.
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
    for (source, part, target) in graph.edges() {
        build(atoms, nfa, part, first + source, first + target)?;
    }
    nfa.empty(first + graph.end(), to);
    Ok(())
}

/// A repetition written out: `min` copies, then a loop or the optional copies.
///
/// # Errors
///
/// Those of `atoms`.
pub fn spell_out<A: Atoms>(
    atoms: &mut A,
    nfa: &mut Nfa,
    Repetition { body, min, max }: Repetition<'_>,
    from: u32,
    to: u32,
) -> Result<(), A::Error> {
    // A body that leads back to where it started would let an edge out of `from` or into `to` slip into the loop, so
    // copies run between fresh states.
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
