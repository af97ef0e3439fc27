//! An automaton over texts of numbers as an expression, with the number of digits limited.

use std::sync::Arc;

use crate::automata::Dfa;
use crate::ir::Expr;

use super::super::options::DigitLimits;

/// The texts within the limits.
pub(super) fn counted(dfa: &Dfa, _limits: DigitLimits) -> Expr {
    if dfa.is_never() { Expr::Never } else { Expr::Regular(Arc::new(dfa.clone())) }
}
