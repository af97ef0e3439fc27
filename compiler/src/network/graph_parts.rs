//! The automata of the parts of a graph, as the rules that count along its paths ask for them.

use super::error::NetworkErrorKind;
use crate::automata::{Dfa, Nfa};
use crate::ir::Expr;
use crate::ir::thompson::Atoms;

/// Builds the parts of graphs with counters or required keys.
pub(super) trait GraphParts: Atoms<Error = NetworkErrorKind> {
    /// Builds an expression as a prefix-free automaton without the empty string: itself, or one call of it as a rule.
    fn prefix_free(&mut self, expr: &Expr) -> Result<Dfa, NetworkErrorKind>;

    /// Determinizes and minimizes an automaton, without the empty string.
    fn finish(&self, nfa: &Nfa) -> Result<Dfa, NetworkErrorKind>;
}
