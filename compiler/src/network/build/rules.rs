//! The rules of a construction: numbered when they are first called, and added when they are built.

use std::sync::Arc;

use super::source::Source;
use crate::automata::{Dfa, Symbol, Table};
use crate::budget::MemoryUse;
use crate::ir::{Origin, Rule, RuleId, RuleKind};
use crate::network::content_hash::RuleHash;
use crate::network::error::NetworkErrorKind;
use crate::network::packed_string_set::PackedStringSet;
use crate::network::rule::{Counted, Label, Labels, NetworkRule};

/// The rules of a construction and the labels of their edges.
pub(super) struct Rules<'a> {
    source: &'a Source<'a>,
    pub(super) labels: Labels,
    /// By number, the rules that are built.
    rules: Vec<Option<NetworkRule>>,
    /// By rule of the grammar, its number.
    numbers: Vec<Option<usize>>,
    /// By rule of the grammar, the symbol of its calls.
    called: Vec<Option<Symbol>>,
    /// The worklist: rules that are numbered and not built.
    open: Vec<RuleId>,
    /// States of all rules.
    states: usize,
    /// The rule under construction, which names the rules made for its parts.
    current: RuleId,
    /// Bytes of the automata.
    memory: MemoryUse<'a>,
}

impl<'a> Rules<'a> {
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

    /// Takes a rule to build from the worklist.
    pub(super) fn next_open(&mut self) -> Option<RuleId> {
        self.open.pop()
    }

    /// Puts a rule back on the worklist.
    pub(super) fn reopen(&mut self, rule: RuleId) {
        self.open.push(rule);
    }

    /// Sets the rule under construction.
    pub(super) fn begin(&mut self, rule: RuleId) {
        self.current = rule;
    }

    /// Returns the rule under construction.
    pub(super) fn current(&self) -> RuleId {
        self.current
    }

    /// Returns the number of a rule of the grammar. A new rule is put on the worklist, unless the vocabulary has it.
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

    /// Returns the symbol of a call of a rule of the grammar.
    pub(super) fn call_symbol(&mut self, rule: RuleId) -> Symbol {
        let symbol = self.called[rule.index()].unwrap_or_else(|| {
            let callee = self.number(rule);
            self.labels.symbol(Label::Call { rule: callee, count: 0 })
        });
        self.called[rule.index()] = Some(symbol);
        symbol
    }

    /// Whether a rule that is built is the vocabulary's.
    pub(super) fn is_stored(&self, rule: usize) -> bool {
        self.rules[rule].as_ref().is_some_and(|rule| rule.stored.is_some())
    }

    /// Adds the automaton of the rule under construction, which is numbered.
    pub(super) fn add_current(&mut self, dfa: Table) -> Result<(), NetworkErrorKind> {
        let (name, origin) = self.place();
        let kind = self.source.grammar.rule(self.current).kind;
        let number = self.number(self.current);
        self.count(&dfa)?;
        self.rules[number] = Some(NetworkRule { kind, ..NetworkRule::plain(name, origin, dfa) });
        Ok(())
    }

    /// Adds a rule with the name of the rule under construction.
    pub(super) fn add_plain(&mut self, dfa: Table) -> Result<usize, NetworkErrorKind> {
        let (name, origin) = self.place();
        self.add(NetworkRule::plain(name, origin, dfa))
    }

    /// Adds a rule that is a part of the rule under construction.
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

    /// Adds a rule of the vocabulary in place of a part of the rule under construction.
    pub(super) fn add_stored(
        &mut self,
        stored: (RuleHash, u32),
    ) -> Result<usize, NetworkErrorKind> {
        let (name, origin) = self.place();
        self.add(NetworkRule::stored(name, origin, RuleKind::Plain, stored))
    }

    /// Adds a packed set of texts as a rule. Its states are no part of the limits.
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

    /// Numbers a rule that is a part of the rule under construction, to be built later by [`fill`](Self::fill).
    pub(super) fn reserve(&mut self) -> usize {
        self.rules.push(None);
        self.rules.len() - 1
    }

    /// Builds a reserved rule.
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

    fn add(&mut self, rule: NetworkRule) -> Result<usize, NetworkErrorKind> {
        self.count(&rule.dfa)?;
        self.rules.push(Some(rule));
        let limit = self.source.wanted.limits.rules;
        if self.rules.len() > limit {
            return Err(NetworkErrorKind::Limit { what: "rules", limit });
        }
        Ok(self.rules.len() - 1)
    }

    /// Counts the states and the memory of an automaton.
    fn count(&mut self, dfa: &Table) -> Result<(), NetworkErrorKind> {
        self.states += dfa.len();
        let limit = self.source.wanted.limits.states;
        if self.states > limit {
            return Err(NetworkErrorKind::Limit { what: "states", limit });
        }
        self.memory.add(dfa.bytes()).map_err(|_| self.source.too_large())
    }

    /// Returns the name and origin of the rule under construction.
    fn place(&self) -> (String, Origin) {
        let rule = self.source.grammar.rule(self.current);
        (rule.name.clone(), rule.origin.clone())
    }

    /// Returns the number of each rule of the grammar that has one.
    pub(super) fn numbers(&self) -> &[Option<usize>] {
        &self.numbers
    }

    /// Returns all rules and their labels.
    pub(super) fn finish(self) -> (Vec<NetworkRule>, Labels) {
        let rules = self.rules.into_iter();
        let rules = rules.map(|rule| rule.expect("every numbered rule is built")).collect();
        (rules, self.labels)
    }
}
