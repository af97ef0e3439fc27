//! Runs the passes from a grammar to its network, and repeats them if one of their assumptions
//! fails.
//!
//! Rules are first built under two assumptions: counts and sets of required keys may be kept in
//! registers, and the vocabulary's rules may replace the grammar's. A later pass may refute either
//! assumption. Then the rules are built again:
//!
//! | outcome | refuted | next |
//! | --- | --- | --- |
//! | [`Outcome::Unroll`] | masks ignore the register, or a register is on a left spine | counts and sets become states |
//! | [`Outcome::Refuse`] | a rule of the vocabulary is followed by bytes that it was not compiled for | the grammar builds it |
//!
//! Cost: the rules are built at most once more to give up registers, and once more for each set of
//! refused vocabulary's rules.

use std::borrow::Cow;

use super::build::build;
use super::build::source::{Source, Stored, Wanted};
use super::built::Built;
use super::content_hash::RuleHash;
use super::error::{NetworkError, NetworkErrorKind};
use super::follow::Follow;
use super::layout;
use super::left_recursion::{self, Failure};
use super::merge::{self, Name};
use super::normal_form::Network;
use super::packed_string_set::PackedStringSets;
use super::request::{NetworkLimits, RepeatForm, Roots, Vocabulary};
use super::{known_rules, required_keys, token_sets};
use crate::automata::StateBudget;
use crate::budget::{Budget, Phase};
use crate::ir::pass::{resolve, simplify};
use crate::ir::{Grammar, Survey, facts};
use crate::threads::Context;
use grammarc_grammar::lexicon::Lexicon;

/// The outcome of one construction of all rules.
enum Outcome {
    /// The network is built.
    Done(Box<Network>),
    /// Registers cannot be used: the rules have to be built again with unrolled counts.
    Unroll,
    /// Some rules that were taken from the vocabulary cannot replace the grammar's rules. The rules
    /// have to be built again without them.
    Refuse,
}

/// Builds the network of a grammar for a vocabulary.
///
/// # Errors
///
/// [`NetworkError`] if the grammar is empty, names unknown tokens, or exceeds a limit.
pub(crate) fn build_network(
    grammar: &Grammar,
    vocabulary: Vocabulary<'_>,
    roots: Roots,
    limits: NetworkLimits,
    context: Context<'_>,
) -> Result<Network, NetworkError> {
    context.budget.begin(Phase::Building);
    let (resolved, survey) =
        resolve_expressions(grammar, vocabulary.lexicon, limits, context.budget)?;
    let (resolved, survey) = (&*resolved, &survey);
    let input = Input { grammar, resolved, survey, vocabulary, roots, limits, context };
    let mut packed = PackedStringSets::default();
    let mut refused: Vec<u32> = Vec::new();
    let mut form = RepeatForm::Register;
    loop {
        match input.attempt(form, &mut refused, &mut packed)? {
            Outcome::Done(network) => return Ok(*network),
            Outcome::Unroll => form = RepeatForm::Unrolled,
            Outcome::Refuse => {}
        }
    }
}

/// Simplifies repetitions, and replaces intersections, complements and empty token sets by other
/// expressions. Returns the new grammar and its survey (call graph and sizes).
///
/// # Errors
///
/// The budget is spent, or an intersection or complement has no automaton.
fn resolve_expressions<'g>(
    grammar: &'g Grammar,
    lexicon: &dyn Lexicon,
    limits: NetworkLimits,
    budget: &Budget,
) -> Result<(Cow<'g, Grammar>, Survey), NetworkError> {
    let check = || budget.check().map_err(|_| spent(grammar, budget));
    check()?;
    let mut survey = Survey::new(grammar, budget);
    let mut resolved = Cow::Borrowed(grammar);
    if survey.has_repetitions {
        check()?;
        let facts = facts::of_rules(grammar, &survey, budget);
        resolved = simplify(grammar, &survey, &facts, budget);
        if let Cow::Owned(simpler) = &resolved {
            survey = Survey::new(simpler, budget);
        }
    }
    if survey.has_operands || survey.has_tokens {
        let allowed = StateBudget::new(limits.rule_states, budget);
        let whole = resolve(&resolved, allowed).map_err(|error| {
            let rule = error.rule;
            let spent = budget.error().cloned().map(NetworkErrorKind::from);
            NetworkError::at(grammar, rule, spent.unwrap_or_else(|| error.into()))
        })?;
        if let Cow::Owned(whole) = whole {
            resolved = Cow::Owned(whole);
        }
        token_sets::drop_empty(&mut resolved, lexicon);
        survey = Survey::new(&resolved, budget);
    }
    Ok((resolved, survey))
}

/// Returns the error of a spent budget, attributed to the start rule.
fn spent(grammar: &Grammar, budget: &Budget) -> NetworkError {
    let error = budget.error().cloned().expect("whoever finds it spent has met a limit");
    NetworkError::at(grammar, grammar.start, error.into())
}

/// The inputs of every attempt to build the network.
struct Input<'a> {
    /// The grammar as given, for the names and origins in errors.
    grammar: &'a Grammar,
    /// The grammar without intersections and complements.
    resolved: &'a Grammar,
    /// The call graph of the resolved grammar, with the sizes of its rules.
    survey: &'a Survey,
    /// The vocabulary, with its tokens and its rules.
    vocabulary: Vocabulary<'a>,
    /// The rules to start from.
    roots: Roots,
    /// The limits on states and rules.
    limits: NetworkLimits,
    /// The budget and the threads of the compilation.
    context: Context<'a>,
}

impl Input<'_> {
    /// Builds all rules once, removes left recursion, and links the rules. `refused` lists the
    /// vocabulary's rules that must not be used.
    ///
    /// # Errors
    ///
    /// The reason why the network cannot be built in this form.
    fn attempt(
        &self,
        form: RepeatForm,
        refused: &mut Vec<u32>,
        packed: &mut PackedStringSets,
    ) -> Result<Outcome, NetworkError> {
        let &Self { vocabulary, roots, limits, context, .. } = self;
        let budget = context.budget;
        budget.begin(Phase::Building);
        // The vocabulary's rules have registers.
        let has_registers = form == RepeatForm::Register;
        let (shared, known) = (vocabulary.shared, &vocabulary.facts.known);
        let stored = has_registers.then_some(Stored { shared, known, refused });
        let wanted = Wanted { roots, form, stored, limits };
        let source = Source::new(self.resolved, self.survey, vocabulary.lexicon, wanted, context);
        let mut built = build(&source, packed)?;
        budget.begin(Phase::LeftRecursion);
        match left_recursion::eliminate(&mut built, limits, budget) {
            Ok(()) => self.link(&built, refused),
            // A register cannot be unrolled along a left-recursive cycle. No third form exists, so
            // a second failure is final.
            Err(Failure::Counted) if has_registers => Ok(Outcome::Unroll),
            Err(failure) => Err(failure.into_error(&built, limits, budget)),
        }
    }

    /// Merges rules with each other and with the vocabulary's rules, and lays out the rest. If the
    /// grammar calls a vocabulary's rule in a way that the rule was not compiled for, adds the rule
    /// to `refused` and tries again.
    ///
    /// # Errors
    ///
    /// The budget is spent.
    fn link(&self, built: &Built, refused: &mut Vec<u32>) -> Result<Outcome, NetworkError> {
        let Vocabulary { lexicon, shared, facts } = self.vocabulary;
        let (roots, budget) = (self.roots, self.context.budget);
        let spent = |_| spent(self.grammar, budget);
        loop {
            budget.begin(Phase::LayingOut);
            budget.check().map_err(spent)?;
            let may_have = |states| match roots {
                Roots::Start => facts.state_counts.contains(&(states as u32)),
                Roots::Kept => true,
            };
            let known = |hash: &RuleHash| {
                facts.by_hash.get(hash).copied().filter(|rule| !refused.contains(rule))
            };
            let mut merged = merge::merge(built, may_have, known, budget).map_err(spent)?;
            let names = std::mem::take(&mut merged.names);
            let network = layout::lay_out(merged, shared, roots, budget).map_err(spent)?;
            if required_keys::is_distinguished(network.joined(shared), lexicon) {
                return Ok(Outcome::Unroll);
            }
            let follow = Follow::new(network.joined(shared), facts, &network.open);
            let misused = follow.misused();
            if misused.is_empty() {
                let after = follow.own_bytes();
                let own_calls = follow.into_own();
                let mut network = network.with_calls(own_calls, after);
                if let Roots::Kept = roots {
                    network.expressions = expressions(built, &names, &network);
                }
                return Ok(Outcome::Done(Box::new(network)));
            }
            refused.extend(misused);
            if built.takes(refused) {
                return Ok(Outcome::Refuse);
            }
        }
    }
}

/// Returns the records of the expressions that a vocabulary's rules were built from.
fn expressions(
    built: &Built,
    names: &[Name],
    network: &Network,
) -> Vec<grammarc_artifacts::ExpressionRecord> {
    let sources = built.sources.iter();
    let sources = sources.filter_map(|&(digest, rule)| Some((digest, names[rule].content()?)));
    known_rules::records(sources, network.tables.rules.iter().map(|rule| rule.hash))
}
