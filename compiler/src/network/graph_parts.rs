//! The interface by which graphs with counters or required keys get the automata of their parts.

use super::error::NetworkErrorKind;
use crate::automata::{Dfa, Nfa};
use crate::ir::Expr;
use crate::ir::thompson::Atoms;

/// Builds the automata of the parts of a graph with counters or required keys.
pub(super) trait GraphParts: Atoms<Error = NetworkErrorKind> {
    /// Returns a prefix-free automaton for an expression, without the empty string. If the
    /// expression is not prefix-free, the automaton is one call of a rule for it.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if a limit is exceeded or the budget is spent.
    fn prefix_free(&mut self, expr: &Expr) -> Result<Dfa, NetworkErrorKind>;

    /// Determinizes and minimizes an automaton, and removes the empty string.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if a limit is exceeded or the budget is spent.
    fn finish(&self, nfa: &Nfa) -> Result<Dfa, NetworkErrorKind>;

    /// Does the same for the automaton of a graph with counters, which may stay nondeterministic. So
    /// the limit on its deterministic states is lower.
    ///
    /// # Errors
    ///
    /// See [`finish`](Self::finish).
    fn finish_counted(&self, nfa: &Nfa) -> Result<Dfa, NetworkErrorKind>;
}
