//! The error of a grammar that has no network.

use crate::budget::BudgetError;
use crate::ir::pass::RegularError;
use crate::ir::{Grammar, Origin, RuleId};

/// The reason why a grammar has no network within the limits, with the rule at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct NetworkError {
    /// The reason.
    pub kind: NetworkErrorKind,
    /// The name of the rule at fault.
    pub rule: String,
    /// The place of that rule in the source.
    pub origin: Box<Origin>,
}

impl NetworkError {
    /// Returns an error with the name and origin of a rule of the grammar.
    pub(super) fn at(grammar: &Grammar, rule: RuleId, kind: NetworkErrorKind) -> Self {
        let rule = grammar.rule(rule);
        Self { kind, rule: rule.name.clone(), origin: rule.origin.clone().into() }
    }
}

/// The reason why a grammar has no network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkErrorKind {
    /// The start rule derives no string.
    #[error("the grammar accepts nothing: no string can be derived from its start rule")]
    Empty,
    /// An intersection or complement in the grammar has no automaton.
    #[error(transparent)]
    Regular(#[from] RegularError),
    /// A reference to a token names no token of the vocabulary.
    #[error("the vocabulary has no token {token}")]
    UnknownToken {
        /// The reference, as the source writes it.
        token: String,
        /// The byte range of the reference in the source.
        span: Option<std::ops::Range<usize>>,
    },
    /// The budget of the compilation (time, memory or cancellation) is spent.
    #[error(transparent)]
    Budget(#[from] BudgetError),
    /// A limit of the compilation was exceeded.
    #[error("{what} would exceed the limit of {limit}")]
    Limit {
        /// The counted thing, in plural, such as "states of a rule".
        what: &'static str,
        /// The largest number that is allowed.
        limit: usize,
    },
    /// A limit was exceeded while sets of missing required keys were unrolled into states. Fewer
    /// required keys need fewer states.
    #[error(
        "{what} would exceed the limit of {limit}, as sets of keys that are to come are states"
    )]
    Sets {
        /// The counted thing, in plural, such as "states of a rule".
        what: &'static str,
        /// The largest number that is allowed.
        limit: usize,
    },
}
