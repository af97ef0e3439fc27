//! Why a grammar has no network.

use crate::budget::BudgetError;
use crate::ir::pass::RegularError;
use crate::ir::{Grammar, Origin, RuleId};

/// Why a grammar has no network within the limits.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct NetworkError {
    /// The kind of error.
    pub kind: NetworkErrorKind,
    /// Name of the rule that is wrong.
    pub rule: String,
    /// Origin of that rule in the source.
    pub origin: Box<Origin>,
}

impl NetworkError {
    /// Returns the error of a rule of the grammar.
    pub(super) fn at(grammar: &Grammar, rule: RuleId, kind: NetworkErrorKind) -> Self {
        let rule = grammar.rule(rule);
        Self { kind, rule: rule.name.clone(), origin: rule.origin.clone().into() }
    }
}

/// A reason for which a grammar has no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkErrorKind {
    /// The start rule derives no string.
    #[error("the grammar accepts nothing: no string can be derived from its start rule")]
    Empty,
    /// An intersection or complement has no automaton.
    #[error(transparent)]
    Regular(#[from] RegularError),
    /// A token reference names no token of the vocabulary.
    #[error("the vocabulary has no token {token}")]
    UnknownToken {
        /// The reference as the source writes it.
        token: String,
        /// The place in the source.
        span: Option<std::ops::Range<usize>>,
    },
    /// The budget of the compilation is spent.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A limit was exceeded.
    #[error("{what} would exceed the limit of {limit}")]
    Limit {
        /// The unit that is limited.
        what: &'static str,
        /// The most that are allowed.
        limit: usize,
    },
    /// A limit was exceeded, and sets of required keys are unrolled into states: fewer keys take less.
    #[error(
        "{what} would exceed the limit of {limit}, as sets of keys that are to come are states"
    )]
    Sets {
        /// The unit that is limited.
        what: &'static str,
        /// The most that are allowed.
        limit: usize,
    },
}
