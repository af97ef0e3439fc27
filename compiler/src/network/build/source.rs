//! The inputs of a construction, which never change: the grammar, the facts about it, the vocabulary and the limits.

use crate::automata::{Dfa, Nfa, StateBudget};
use crate::ir::facts::{self, Facts};
use crate::ir::{Grammar, Rule, RuleId, RuleKind, Survey};
use crate::network::content_hash::{Digest, RuleHash};
use crate::network::error::NetworkErrorKind;
use crate::network::known_rules::KnownRules;
use crate::network::minimal::minimal_without_empty;
use crate::network::request::{NetworkLimits, RepeatForm, Roots};
use crate::threads::Context;
use grammarc_artifacts::tables::Tables;
use grammarc_grammar::lexicon::Lexicon;

/// Deterministic states that are always tried for each nondeterministic one, unless none are wanted.
const STATES_FOR_STATE: usize = 2;

/// The vocabulary's rules that may be taken without building them.
#[derive(Clone, Copy)]
pub(in crate::network) struct Stored<'a> {
    /// The rules.
    pub(in crate::network) shared: Tables<'a>,
    /// Their expressions.
    pub(in crate::network) known: &'a KnownRules,
    /// Rules that cannot replace this grammar's.
    pub(in crate::network) refused: &'a [u32],
}

impl Stored<'_> {
    /// Returns the content hash and number of a rule, unless it is refused.
    fn get(&self, rule: u32) -> Option<(RuleHash, u32)> {
        let is_taken = !self.refused.contains(&rule);
        is_taken.then(|| (self.shared.rules[rule as usize].hash, rule))
    }
}

/// The parts of a grammar to build, and how.
#[derive(Clone, Copy)]
pub(in crate::network) struct Wanted<'a> {
    pub(in crate::network) roots: Roots,
    pub(in crate::network) form: RepeatForm,
    /// The vocabulary's rules, if rules may be taken from there.
    pub(in crate::network) stored: Option<Stored<'a>>,
    pub(in crate::network) limits: NetworkLimits,
}

/// The inputs of a construction.
pub(in crate::network) struct Source<'a> {
    pub(super) grammar: &'a Grammar,
    pub(super) survey: &'a Survey,
    pub(in crate::network) facts: Vec<Facts>,
    pub(in crate::network) lexicon: &'a dyn Lexicon,
    pub(in crate::network) wanted: Wanted<'a>,
    pub(super) context: Context<'a>,
    /// Whether sets of texts may be packed. The runtime keeps the texts of items in the registers of packed nodes.
    pub(super) may_pack: bool,
}

impl<'a> Source<'a> {
    /// Returns the inputs for a grammar, with the facts about its rules.
    pub(in crate::network) fn new(
        grammar: &'a Grammar,
        survey: &'a Survey,
        lexicon: &'a dyn Lexicon,
        wanted: Wanted<'a>,
        context: Context<'a>,
    ) -> Self {
        let has_items = |rule: &Rule| matches!(rule.kind, RuleKind::Distinct | RuleKind::Item);
        let may_pack = !grammar.rules.iter().any(has_items);
        let facts = facts::of_rules(grammar, survey, context.budget);
        Self { grammar, survey, facts, lexicon, wanted, context, may_pack }
    }

    /// Whether the rules are a grammar's. A vocabulary's rules have no near-bound masks, and no sets of texts as rules.
    pub(in crate::network) fn is_grammar(&self) -> bool {
        matches!(self.wanted.roots, Roots::Start)
    }

    /// Whether the automaton of a rule may stay nondeterministic. The rules of items that must differ are
    /// deterministic, and so are those of a vocabulary.
    pub(super) fn may_stay_nondeterministic(&self, rule: RuleId) -> bool {
        self.is_grammar() && self.grammar.rule(rule).kind == RuleKind::Plain
    }

    /// Whether counts may be in registers.
    pub(in crate::network) fn has_registers(&self) -> bool {
        self.wanted.form == RepeatForm::Register
    }

    /// Returns the vocabulary's rule with an expression of this digest.
    pub(super) fn stored(&self, digest: &Digest) -> Option<(RuleHash, u32)> {
        let stored = self.wanted.stored?;
        stored.get(stored.known.get(digest)?)
    }

    /// Returns the vocabulary's rule that equals a kept rule.
    pub(super) fn stored_rule(&self, rule: RuleId) -> Option<(RuleHash, u32)> {
        let stored = self.wanted.stored.filter(|_| self.grammar.rule(rule).is_kept())?;
        stored.get(stored.known.like(self.grammar, rule)?)
    }

    /// Returns the bounds on a rule's automaton.
    pub(in crate::network) fn bounds(&self) -> StateBudget<'a> {
        StateBudget::new(self.wanted.limits.rule_states, self.context.budget)
    }

    /// Returns the bounds on the deterministic form of an automaton that may stay nondeterministic.
    pub(super) fn bounds_of(&self, nfa: &Nfa) -> StateBudget<'a> {
        let NetworkLimits { rule_states, deterministic_states, .. } = self.wanted.limits;
        let states = match deterministic_states {
            0 => 1,
            wanted => wanted.max(nfa.len().saturating_mul(STATES_FOR_STATE)),
        };
        self.bounds().states(states.min(rule_states))
    }

    /// Determinizes and minimizes an automaton, without the empty string.
    pub(super) fn finish(&self, nfa: &Nfa) -> Result<Dfa, NetworkErrorKind> {
        self.finish_within(nfa, self.bounds())
    }

    /// Determinizes and minimizes an automaton within bounds, without the empty string.
    pub(super) fn finish_within(
        &self,
        nfa: &Nfa,
        bounds: StateBudget<'_>,
    ) -> Result<Dfa, NetworkErrorKind> {
        let minimal = minimal_without_empty(nfa, bounds);
        Ok(minimal.map_err(|_| self.too_large())?.to_dfa())
    }

    /// Returns the error of a rule with too many states, or of a budget that is spent.
    pub(super) fn too_large(&self) -> NetworkErrorKind {
        let limit = self.wanted.limits.rule_states;
        NetworkErrorKind::Limit { what: "states of a rule", limit }
    }

    /// Counts one step of work.
    pub(super) fn spend(&self) -> Result<(), NetworkErrorKind> {
        self.context.budget.spend(1).map_err(|_| self.too_large())
    }
}
