//! The inputs of a construction, which never change: the grammar, the facts about its rules, the
//! vocabulary and the limits.

use crate::automata::{Dfa, Nfa, StateBudget};
use crate::ir::facts::{self, Facts};
use crate::ir::{Grammar, RuleId, RuleKind, Survey};
use crate::network::content_hash::{Digest, RuleHash};
use crate::network::error::NetworkErrorKind;
use crate::network::known_rules::KnownRules;
use crate::network::minimal::minimal_without_empty;
use crate::network::request::{NetworkLimits, RepeatForm, Roots};
use crate::threads::Context;
use grammarc_artifacts::tables::Tables;
use grammarc_grammar::lexicon::Lexicon;

/// Deterministic states that are always allowed for each nondeterministic state, unless the limit
/// on deterministic states is 0.
const STATES_FOR_STATE: usize = 2;

/// The vocabulary's rules, which may replace rules of the grammar without building them.
#[derive(Clone, Copy)]
pub(in crate::network) struct Stored<'a> {
    /// The tables with the vocabulary's rules.
    pub(in crate::network) shared: Tables<'a>,
    /// Finds a vocabulary's rule by the expression that it was compiled from.
    pub(in crate::network) known: &'a KnownRules,
    /// The ids of vocabulary's rules that must not be used, because this grammar calls them in a
    /// way that they were not compiled for.
    pub(in crate::network) refused: &'a [u32],
}

impl Stored<'_> {
    /// Returns the content hash of a vocabulary's rule with its id. Returns `None` if the rule is
    /// refused.
    fn get(&self, rule: u32) -> Option<(RuleHash, u32)> {
        let is_taken = !self.refused.contains(&rule);
        is_taken.then(|| (self.shared.rules[rule as usize].hash, rule))
    }
}

/// The rules of a grammar that have to be built, and the form of counts in them.
#[derive(Clone, Copy)]
pub(in crate::network) struct Wanted<'a> {
    /// The rules to start from.
    pub(in crate::network) roots: Roots,
    /// Whether counts are in registers or unrolled into states.
    pub(in crate::network) form: RepeatForm,
    /// The vocabulary's rules. `None` if rules must not be taken from the vocabulary.
    pub(in crate::network) stored: Option<Stored<'a>>,
    /// The limits on states and rules.
    pub(in crate::network) limits: NetworkLimits,
}

/// The inputs of a construction.
pub(in crate::network) struct Source<'a> {
    /// The grammar, without intersections and complements.
    pub(super) grammar: &'a Grammar,
    /// The call graph of the grammar, with the sizes and uses of its rules.
    pub(super) survey: &'a Survey,
    /// For each rule of the grammar, whether it is productive and nullable, and the length of its
    /// shortest string.
    pub(in crate::network) facts: Vec<Facts>,
    /// The tokens of the vocabulary.
    pub(in crate::network) lexicon: &'a dyn Lexicon,
    /// The rules to build, and the form of counts in them.
    pub(in crate::network) wanted: Wanted<'a>,
    /// The budget and the threads of the compilation.
    pub(super) context: Context<'a>,
}

impl<'a> Source<'a> {
    /// Computes the facts about the rules of a grammar, and returns the inputs.
    pub(in crate::network) fn new(
        grammar: &'a Grammar,
        survey: &'a Survey,
        lexicon: &'a dyn Lexicon,
        wanted: Wanted<'a>,
        context: Context<'a>,
    ) -> Self {
        let facts = facts::of_rules(grammar, survey, context.budget);
        Self { grammar, survey, facts, lexicon, wanted, context }
    }

    /// Whether the rules belong to a grammar and not to a vocabulary. A vocabulary's rules have no
    /// near-bound masks, and no rules for sets of texts.
    pub(in crate::network) fn is_grammar(&self) -> bool {
        matches!(self.wanted.roots, Roots::Start)
    }

    /// Whether the automaton of a rule may stay nondeterministic. The rules of items that must
    /// differ have to be deterministic, and so have those of a vocabulary.
    pub(super) fn may_stay_nondeterministic(&self, rule: RuleId) -> bool {
        self.is_grammar() && self.grammar.rule(rule).kind == RuleKind::Plain
    }

    /// Whether counts and sets of missing keys may be in registers.
    pub(in crate::network) fn has_registers(&self) -> bool {
        self.wanted.form == RepeatForm::Register
    }

    /// Returns the vocabulary's rule that was compiled from an expression with this digest, as
    /// content hash and id. Returns `None` if there is none.
    pub(super) fn stored(&self, digest: &Digest) -> Option<(RuleHash, u32)> {
        let stored = self.wanted.stored?;
        stored.get(stored.known.get(digest)?)
    }

    /// Returns the vocabulary's rule with the same expression as a kept rule (shared by many
    /// grammars) of the grammar, as content hash and id. Returns `None` if there is none.
    pub(super) fn stored_rule(&self, rule: RuleId) -> Option<(RuleHash, u32)> {
        let stored = self.wanted.stored.filter(|_| self.grammar.rule(rule).is_kept())?;
        stored.get(stored.known.like(self.grammar, rule)?)
    }

    /// Returns the limit on the states of a rule's automaton, with the budget.
    pub(in crate::network) fn bounds(&self) -> StateBudget<'a> {
        StateBudget::new(self.wanted.limits.rule_states, self.context.budget)
    }

    /// Returns the limit on the deterministic states of an automaton that may stay
    /// nondeterministic, with the budget.
    pub(super) fn bounds_of(&self, nfa: &Nfa) -> StateBudget<'a> {
        let NetworkLimits { rule_states, deterministic_states, .. } = self.wanted.limits;
        let states = match deterministic_states {
            0 => 1,
            wanted => wanted.max(nfa.len().saturating_mul(STATES_FOR_STATE)),
        };
        self.bounds().states(states.min(rule_states))
    }

    /// Determinizes and minimizes an automaton within the limit on a rule's states, and removes the
    /// empty string.
    pub(super) fn finish(&self, nfa: &Nfa) -> Result<Dfa, NetworkErrorKind> {
        self.finish_within(nfa, self.bounds())
    }

    /// Determinizes and minimizes an automaton within `bounds`, and removes the empty string.
    pub(super) fn finish_within(
        &self,
        nfa: &Nfa,
        bounds: StateBudget<'_>,
    ) -> Result<Dfa, NetworkErrorKind> {
        let minimal = minimal_without_empty(nfa, bounds);
        Ok(minimal.map_err(|_| self.too_large())?.to_dfa())
    }

    /// Returns the error of a rule with too many states. Callers replace the error later if the
    /// budget is spent.
    pub(super) fn too_large(&self) -> NetworkErrorKind {
        let limit = self.wanted.limits.rule_states;
        NetworkErrorKind::Limit { what: "states of a rule", limit }
    }

    /// Counts one step of work.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if the budget is spent.
    pub(super) fn spend(&self) -> Result<(), NetworkErrorKind> {
        self.context.budget.spend(1).map_err(|_| self.too_large())
    }
}
