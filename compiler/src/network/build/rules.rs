//! The rules of a construction. A rule is numbered when it is first called, and added when it is
//! built.

use std::sync::Arc;

use super::source::Source;
use crate::automata::{Dfa, Symbol, Table};
use crate::budget::MemoryUse;
use crate::ir::{Origin, Rule, RuleId, RuleKind};
use crate::network::content_hash::RuleHash;
use crate::network::error::NetworkErrorKind;
use crate::network::packed_string_set::PackedStringSet;
use crate::network::rule::{Counted, Label, Labels, NetworkRule};

/// The rules of a construction, the labels (calls or token sets) of their edges, and the worklist.
pub(super) struct Rules<'a> {
    /// The inputs of the construction.
    source: &'a Source<'a>,
    /// The labels: calls of rules and sets of tokens, each with its symbol.
    pub(super) labels: Labels,
    /// For each number, the rule. `None` while the rule is not built.
    rules: Vec<Option<NetworkRule>>,
    /// For each rule of the grammar, its number. `None` if the rule has not been called.
    numbers: Vec<Option<usize>>,
    /// For each rule of the grammar, the symbol of its calls. `None` if the rule has not been
    /// called.
    called: Vec<Option<Symbol>>,
    /// The worklist: rules of the grammar that have a number and are not built yet.
    open: Vec<RuleId>,
    /// Number of states in all rules together.
    states: usize,
    /// The rule of the grammar under construction. Rules made for its parts are named after it.
    current: RuleId,
    /// Memory of the automata, in bytes.
    memory: MemoryUse<'a>,
}

impl<'a> Rules<'a> {
    /// Returns a construction without rules.
    pub(super) fn new(source: &'a Source<'a>) -> Self {
        let count = source.grammar.rules.len();
        Self {
            source,
            labels: Labels::default(),
            rules: Vec::with_capacity(count),
            numbers: vec![None; count],
            called: vec![None; count],
            open: Vec::new(),
            states: 0,
            current: source.grammar.start,
            memory: source.context.budget.hold(),
        }
    }

    /// Takes a rule to build from the worklist. Returns `None` if the worklist is empty.
    pub(super) fn next_open(&mut self) -> Option<RuleId> {
        self.open.pop()
    }

    /// Puts a rule of the grammar back on the worklist, to be built again.
    pub(super) fn reopen(&mut self, rule: RuleId) {
        self.open.push(rule);
    }

    /// Sets the rule of the grammar that is under construction.
    pub(super) fn begin(&mut self, rule: RuleId) {
        self.current = rule;
    }

    /// Returns the rule of the grammar that is under construction.
    pub(super) fn current(&self) -> RuleId {
        self.current
    }

    /// Returns the number of a rule of the grammar. A rule without a number gets one, and goes on
    /// the worklist unless the vocabulary holds it.
    pub(super) fn number(&mut self, rule: RuleId) -> usize {
        if let Some(number) = self.numbers[rule.index()] {
            return number;
        }
        let number = self.rules.len();
        self.numbers[rule.index()] = Some(number);
        let stored = self.source.stored_rule(rule);
        if stored.is_none() {
            self.open.push(rule);
        }
        self.rules.push(stored.map(|stored| {
            let Rule { name, origin, kind, .. } = self.source.grammar.rule(rule);
            NetworkRule::stored(name.clone(), origin.clone(), *kind, stored)
        }));
        number
    }

    /// Returns the symbol for calls of a rule of the grammar. Numbers the rule if it has no number
    /// yet.
    pub(super) fn call_symbol(&mut self, rule: RuleId) -> Symbol {
        let symbol = self.called[rule.index()].unwrap_or_else(|| {
            let callee = self.number(rule);
            self.labels.symbol(Label::Call { rule: callee, count: 0 })
        });
        self.called[rule.index()] = Some(symbol);
        symbol
    }

    /// Whether the rule with this number is taken from the vocabulary.
    pub(super) fn is_stored(&self, rule: usize) -> bool {
        self.rules[rule].as_ref().is_some_and(|rule| rule.stored.is_some())
    }

    /// Sets the automaton of the rule under construction.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many states.
    pub(super) fn add_current(&mut self, dfa: Table) -> Result<(), NetworkErrorKind> {
        let (name, origin) = self.place();
        let kind = self.source.grammar.rule(self.current).kind;
        let number = self.number(self.current);
        self.count(&dfa)?;
        self.rules[number] = Some(NetworkRule { kind, ..NetworkRule::plain(name, origin, dfa) });
        Ok(())
    }

    /// Adds a rule without a register, with the name and origin of the rule under construction.
    /// Returns its number.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many rules or states.
    pub(super) fn add_plain(&mut self, dfa: Table) -> Result<usize, NetworkErrorKind> {
        let (name, origin) = self.place();
        self.add(NetworkRule::plain(name, origin, dfa))
    }

    /// Adds a rule made for a part of the rule under construction. Its name is that of the rule
    /// with `suffix`. Returns its number.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many rules or states.
    pub(super) fn add_part(
        &mut self,
        suffix: &str,
        dfa: &Dfa,
        counted: Option<Counted>,
    ) -> Result<usize, NetworkErrorKind> {
        let (name, origin) = self.place();
        let part = NetworkRule::plain(format!("{name}{suffix}"), origin, dfa.into());
        self.add(NetworkRule { counted, ..part })
    }

    /// Adds a rule of the vocabulary, given by content hash and number there, in place of a part of
    /// the rule under construction. Returns its new number.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many rules.
    pub(super) fn add_stored(
        &mut self,
        stored: (RuleHash, u32),
    ) -> Result<usize, NetworkErrorKind> {
        let (name, origin) = self.place();
        self.add(NetworkRule::stored(name, origin, RuleKind::Plain, stored))
    }

    /// Adds a packed string set (texts as a packed automaton) as a rule. Its states do not count
    /// towards the limits. Returns the number of the rule.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if the budget has no memory left for the set.
    pub(super) fn add_packed(
        &mut self,
        packed: Arc<PackedStringSet>,
    ) -> Result<usize, NetworkErrorKind> {
        self.memory.add(packed.bytes()).map_err(|_| self.source.too_large())?;
        let (name, origin) = self.place();
        let reached = NetworkRule::plain(name, origin, packed.reached.clone());
        self.rules.push(Some(NetworkRule { packed: Some(packed), ..reached }));
        Ok(self.rules.len() - 1)
    }

    /// Assigns a number to a rule made for a part of the rule under construction. The rule has to
    /// be built later by [`fill`](Self::fill).
    pub(super) fn reserve(&mut self) -> usize {
        self.rules.push(None);
        self.rules.len() - 1
    }

    /// Sets the automaton of a rule that was numbered by [`reserve`](Self::reserve).
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many rules or states.
    pub(super) fn fill(
        &mut self,
        number: usize,
        suffix: &str,
        dfa: Table,
    ) -> Result<(), NetworkErrorKind> {
        let (name, origin) = self.place();
        self.count(&dfa)?;
        self.rules[number] = Some(NetworkRule::plain(format!("{name}{suffix}"), origin, dfa));
        let limit = self.source.wanted.limits.rules;
        if self.rules.len() > limit {
            return Err(NetworkErrorKind::Limit { what: "rules", limit });
        }
        Ok(())
    }

    /// Adds a rule and returns its number.
    fn add(&mut self, rule: NetworkRule) -> Result<usize, NetworkErrorKind> {
        self.count(&rule.dfa)?;
        self.rules.push(Some(rule));
        let limit = self.source.wanted.limits.rules;
        if self.rules.len() > limit {
            return Err(NetworkErrorKind::Limit { what: "rules", limit });
        }
        Ok(self.rules.len() - 1)
    }

    /// Adds the states and the memory of an automaton to the totals.
    ///
    /// # Errors
    ///
    /// [`NetworkErrorKind::Limit`] if there are too many states, or the budget has no memory left.
    fn count(&mut self, dfa: &Table) -> Result<(), NetworkErrorKind> {
        self.states += dfa.len();
        let limit = self.source.wanted.limits.states;
        if self.states > limit {
            return Err(NetworkErrorKind::Limit { what: "states", limit });
        }
        self.memory.add(dfa.bytes()).map_err(|_| self.source.too_large())
    }

    /// Returns the name and the origin in the source of the rule under construction.
    fn place(&self) -> (String, Origin) {
        let rule = self.source.grammar.rule(self.current);
        (rule.name.clone(), rule.origin.clone())
    }

    /// For each rule of the grammar, returns its number. `None` if the rule has not been called.
    pub(super) fn numbers(&self) -> &[Option<usize>] {
        &self.numbers
    }

    /// Returns all rules in the order of their numbers, and the labels (calls or token sets) of
    /// their edges.
    pub(super) fn finish(self) -> (Vec<NetworkRule>, Labels) {
        let rules = self.rules.into_iter();
        let rules = rules.map(|rule| rule.expect("every numbered rule is built")).collect();
        (rules, self.labels)
    }
}
