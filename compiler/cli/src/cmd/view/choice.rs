//! Chooses the states that a page shows: all states of a small grammar, or those of some rules of a
//! large one.
//!
//! Rules are taken in breadth-first order of calls from the start rule, shared rules included. Own
//! rules that no call reaches come last. Of a rule that exceeds the limit, the first states are
//! taken.
//!
//! Cost: O(rules and call edges).
//!
//! Tests: `tests/cli/view.rs`.

use std::collections::BTreeSet;

use grammarc_artifacts::tables::Joined;
use serde::Serialize;

/// The states that a page shows.
#[derive(Debug)]
pub(super) struct Choice {
    /// The chosen rules, each with its first state and the number of its shown states.
    rules: Vec<ChosenRule>,
    left_out: LeftOut,
}

#[derive(Clone, Copy, Debug)]
struct ChosenRule {
    id: u32,
    first_state: u32,
    shown: u32,
}

/// The numbers of rules and states that a page leaves out. A rule counts if any of its states is
/// left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOut {
    pub(crate) rules: u32,
    pub(crate) states: u32,
}

impl Choice {
    /// Takes the rules for which `is_wanted` returns true, up to `most` states in all.
    pub(super) fn new(
        joined: &Joined<'_>,
        start_rule: u32,
        most: u32,
        is_wanted: impl Fn(u32) -> bool,
    ) -> Self {
        let (mut rules, mut left_out, mut left) = (Vec::new(), LeftOut::default(), most);
        for id in reachable(joined, start_rule) {
            let record = joined.rule(id);
            let shown = if is_wanted(id) { record.state_count.min(left) } else { 0 };
            left -= shown;
            if shown < record.state_count {
                left_out.rules += 1;
                left_out.states += record.state_count - shown;
            }
            if shown > 0 {
                rules.push(ChosenRule { id, first_state: record.first_state, shown });
            }
        }
        Self { rules, left_out }
    }

    /// Returns the numbers of rules and states that are left out. `None` if the page has all.
    pub(super) fn left_out(&self) -> Option<LeftOut> {
        (self.left_out != LeftOut::default()).then_some(self.left_out)
    }

    /// Returns the number of rules with shown states.
    pub(super) fn rule_count(&self) -> u32 {
        self.rules.len() as u32
    }

    /// Returns the number of states that the page has.
    pub(super) fn state_count(&self) -> u32 {
        self.rules.iter().map(|rule| rule.shown).sum()
    }

    /// Returns the ids of the states that the page has, rule by rule.
    pub(super) fn states(&self) -> impl Iterator<Item = u32> {
        self.rules.iter().flat_map(|rule| rule.first_state..rule.first_state + rule.shown)
    }

    /// Returns the chosen rules with the numbers of their shown states. The rules that these call
    /// follow, with the number 0, unless they are chosen.
    pub(super) fn rules_and_callees(
        &self,
        joined: &Joined<'_>,
    ) -> impl Iterator<Item = (u32, u32)> {
        let chosen: BTreeSet<u32> = self.rules.iter().map(|rule| rule.id).collect();
        let callees = self.states().flat_map(|state| callees(joined, state));
        let others: BTreeSet<u32> = callees.filter(|callee| !chosen.contains(callee)).collect();
        let rules = self.rules.iter().map(|rule| (rule.id, rule.shown));
        rules.chain(others.into_iter().map(|id| (id, 0)))
    }
}

/// Returns all rules of a grammar: those that calls reach from the start rule, breadth-first, and
/// then the other own rules.
pub(super) fn reachable(joined: &Joined<'_>, start_rule: u32) -> Vec<u32> {
    let count = joined.own.bases.rules as usize + joined.own.rules.len();
    let (mut found, mut is_found) = (Vec::new(), vec![false; count]);
    let mut at = 0;
    for root in std::iter::once(start_rule).chain(joined.own.rule_ids()) {
        let mut add = |rule: u32, found: &mut Vec<u32>| {
            if !std::mem::replace(&mut is_found[rule as usize], true) {
                found.push(rule);
            }
        };
        add(root, &mut found);
        while let Some(&rule) = found.get(at) {
            at += 1;
            let record = joined.rule(rule);
            for state in record.first_state..record.first_state + record.state_count {
                callees(joined, state).for_each(|callee| add(callee, &mut found));
            }
        }
    }
    found
}

fn callees<'a>(joined: &Joined<'a>, state: u32) -> impl Iterator<Item = u32> + use<'a> {
    let (tables, index) = joined.locate(state);
    tables.call_edges_of(index).iter().map(|edge| edge.callee)
}
