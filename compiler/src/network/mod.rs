//! From the grammar IR to the network: one deterministic automaton a rule, in the normal form that the masks and the
//! runtime rely on (DESIGN section 3).
//!
//! | pass | file | what it does |
//! | --- | --- | --- |
//! | build | [`build`], [`inline`], [`repeat`], [`pending`], [`counting`] | one automaton a rule, small rules inlined, large bounds and sets of members turned into registers |
//! | catalogues | [`catalogue`] | sets of many texts, packed |
//! | left recursion | [`left_recursion`] | no rule begins with a call that leads back to it |
//! | merge | [`merge`] | equal rules become one; rules that the vocabulary holds are taken from it |
//! | layout | [`layout`] | numbering, tail calls, flags, first bytes: the flat records |
//!
//! The calls among the vocabulary's rules are read once per vocabulary ([`shared`]), and the rules that every
//! grammar of a front end brings are recognised by their expressions ([`expressions`]).
//!
//! No rule of the network derives the empty string, but for the start rule at the bottom of the stack: where a callee
//! is nullable, its callers have a way around the call. This is what makes every path between two consumed bytes
//! finite.

pub mod ambiguity;
pub mod build;
mod calls;
pub mod catalogue;
mod closed;
mod counting;
mod display;
mod expressions;
pub mod follow;
mod inline;
pub mod layout;
pub mod lazy_dfa;
mod left_recursion;
pub mod shared;

mod merge;
mod pending;
mod repeat;
mod rule;
mod token_sets;

pub(crate) use calls::bytes_on;
pub use grammarc_grammar::lexicon::Lexicon;
pub use layout::Network;
pub use rule::{Arrival, Counted, Field, Graded, Label, Labels, Lowered, NetworkRule};
pub use shared::SharedRules;

use std::borrow::Cow;

use catalogue::Catalogues;
use follow::Follow;

use crate::automata::Allowance;
use crate::budget::{BudgetError, Phase};
use crate::ir::facts;
use crate::ir::pass::{RegularError, resolve, simplify};
use crate::ir::{Grammar, Origin, RuleId, Survey};
use crate::threads::Means;
use grammarc_artifacts::tables::Tables;

/// Bounds on the size of what is built. The defaults are far above what real grammars need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NetworkLimits {
    /// States of one rule's automaton.
    pub rule_states: usize,
    /// States of all rules together.
    pub states: usize,
    /// Rules.
    pub rules: usize,
    /// Texts from which on a set of them is a catalogue and not spelled out as states, which front ends make of sets of
    /// at least 1,024 texts and 16 KiB. The states of catalogues are no part of the other bounds.
    pub catalogue_texts: usize,
    /// States that spell the counts of a pattern near its bounds from which on they are one state each, whose masks are
    /// stored by the count.
    pub graded_states: usize,
}

impl Default for NetworkLimits {
    fn default() -> Self {
        Self {
            rule_states: 200_000,
            states: 1_000_000,
            rules: 200_000,
            catalogue_texts: 1,
            graded_states: 1 << 12,
        }
    }
}

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
    /// A limit was met.
    #[error("{what} would exceed the limit of {limit}")]
    Limit {
        /// The thing that was counted.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
    },
    /// A limit was met, and sets of marks are written out as states: fewer marks take less.
    #[error(
        "{what} would exceed the limit of {limit}, as sets of keys that are to come are states"
    )]
    Sets {
        /// The thing that was counted.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
    },
}

/// The rules that a network is built for.
#[derive(Clone, Copy, Debug)]
pub enum Roots {
    /// The grammar's start rule, at the bottom of the stack.
    Start,
    /// Every kept rule, to be called from other grammars.
    Kept,
}

/// Builds the network of a grammar.
///
/// `shared` holds the vocabulary's rules, of which `facts` are known; a rule of the grammar that equals one of them is
/// taken from there.
///
/// # Errors
///
/// [`NetworkError`] where the grammar is empty, names unknown tokens, or meets a limit.
pub(crate) fn build_network(
    grammar: &Grammar,
    lexicon: &dyn Lexicon,
    shared: Tables<'_>,
    facts: &SharedRules,
    roots: Roots,
    limits: NetworkLimits,
    means: Means<'_>,
) -> Result<Network, NetworkError> {
    let budget = means.budget;
    // An error that no rule is to blame for is the start rule's.
    let spent = |_| {
        let rule = grammar.rule(grammar.start);
        let error = budget.error().cloned().expect("whoever finds it spent has met a limit");
        let (kind, origin) = (error.into(), rule.origin.clone().into());
        NetworkError { kind, rule: rule.name.clone(), origin }
    };
    budget.begin(Phase::Building);
    budget.check().map_err(spent)?;
    let mut survey = Survey::new(grammar, budget);
    let mut resolved = Cow::Borrowed(grammar);
    if survey.has_repetitions {
        budget.check().map_err(spent)?;
        let facts = facts::of_rules(grammar, &survey, budget);
        resolved = simplify(grammar, &survey, &facts, budget);
        if let Cow::Owned(simpler) = &resolved {
            survey = Survey::new(simpler, budget);
        }
    }
    if survey.has_operands || survey.has_tokens {
        let allowed = Allowance::new(limits.rule_states, budget);
        let whole = resolve(&resolved, allowed).map_err(|error| {
            let rule = grammar.rule(error.rule);
            let kind = match budget.error() {
                Some(spent) => spent.clone().into(),
                None => error.into(),
            };
            NetworkError { rule: rule.name.clone(), origin: rule.origin.clone().into(), kind }
        })?;
        if let Cow::Owned(whole) = whole {
            resolved = Cow::Owned(whole);
        }
        token_sets::drop_empty(&mut resolved, lexicon);
        survey = Survey::new(&resolved, budget);
    }
    // The use that a shared rule was compiled for may not cover this grammar's use of it.
    let mut refused: Vec<u32> = Vec::new();
    let mut spelling = repeat::Spelling::Counted;
    let mut packed = Catalogues::default();
    'build: loop {
        // The vocabulary's rules count.
        let known = (spelling == repeat::Spelling::Counted).then_some(build::Known {
            shared,
            expressions: &facts.expressions,
            refused: &refused,
        });
        budget.begin(Phase::Building);
        let wanted = build::Wanted { roots, spelling, known, limits };
        let mut built = build::build(&resolved, &survey, lexicon, wanted, &mut packed, means)?;
        budget.begin(Phase::LeftRecursion);
        match left_recursion::eliminate(&mut built, limits, budget) {
            Ok(()) => loop {
                budget.begin(Phase::LayingOut);
                budget.check().map_err(spent)?;
                let may_have = |states| match roots {
                    Roots::Start => facts.state_counts.contains(&(states as u32)),
                    Roots::Kept => true,
                };
                let known = |hash: &merge::RuleHash| {
                    let known = facts.by_hash.get(hash).copied();
                    known.filter(|rule| !refused.contains(rule))
                };
                let mut merged = merge::merge(&built, may_have, known, budget).map_err(spent)?;
                let names = std::mem::take(&mut merged.names);
                let network = layout::lay_out(merged, shared, roots, budget).map_err(spent)?;
                if pending::differ(network.joined(shared), lexicon) {
                    spelling = repeat::Spelling::WrittenOut;
                    continue 'build;
                }
                let follow = Follow::new(network.joined(shared), facts, &network.open);
                let misused = layout::misused(&follow);
                if misused.is_empty() {
                    let after = layout::after_bytes(&follow);
                    let own_calls = follow.into_own();
                    let mut network = network.with_calls(own_calls, after);
                    if let Roots::Kept = roots {
                        let sources = built.sources.iter();
                        let sources = sources
                            .filter_map(|&(digest, rule)| Some((digest, names[rule].content()?)));
                        let rules = network.tables.rules.iter().map(|rule| rule.hash);
                        network.expressions = expressions::records(sources, rules);
                    }
                    return Ok(network);
                }
                refused.extend(misused);
                if built.takes(&refused) {
                    continue 'build;
                }
            },
            // A register cannot be unrolled along a left spine. What has one is written out instead, within the
            // limits; there is no third way, so the second failure is final.
            Err(left_recursion::Failure::Counted) if spelling == repeat::Spelling::Counted => {
                spelling = repeat::Spelling::WrittenOut;
            }
            Err(failure) => return Err(failure.into_error(&built, limits, budget)),
        }
    }
}

/// Name and origin of an IR rule, for errors about it.
fn error_at(grammar: &Grammar, rule: RuleId, kind: NetworkErrorKind) -> NetworkError {
    let rule = grammar.rule(rule);
    NetworkError { kind, rule: rule.name.clone(), origin: rule.origin.clone().into() }
}
