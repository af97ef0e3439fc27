//! The facts about the vocabulary's shared rules, computed once for each vocabulary. The shared
//! rules have thousands of states and a grammar about a hundred, so compiling a grammar must not
//! read them again.

use std::collections::BTreeSet;

use grammarc_artifacts::ExpressionRecord;
use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::tables::{Joined, Tables};
use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::Calls;
use super::content_hash::RuleHash;
use super::known_rules::KnownRules;
use crate::ir::ByteSet;

/// The facts about the shared rules (of the vocabulary) that do not depend on the grammar that
/// calls them.
#[derive(Debug, Default)]
pub struct SharedRules {
    /// The call graph of the shared rules (of the vocabulary).
    pub(super) calls: Calls,
    /// For each rule, the bytes that can come after its strings if only other shared rules (of the
    /// vocabulary) call it.
    pub(super) after: Vec<ByteSet>,
    /// For each rule, the bytes with which its strings can continue after a possible end of the
    /// rule.
    pub(super) past_end: Vec<ByteSet>,
    /// Whether all states meet the LL(1) condition: their edges and calls begin with disjoint
    /// bytes, and those of final states are disjoint from the FOLLOW bytes of their rule.
    pub(super) are_deterministic: bool,
    /// The bytes at which some byte edge begins, and the bytes right after the end of some byte
    /// edge.
    pub(super) byte_bounds: ByteSet,
    /// The numbers of states that the rules have. A grammar's rule with another number cannot be
    /// one of them.
    pub(super) state_counts: FxHashSet<u32>,
    /// Maps the content hash of each rule to its id.
    pub(super) by_hash: FxHashMap<RuleHash, u32>,
    /// Finds rules by the expressions that they were compiled from.
    pub(super) known: KnownRules,
}

impl SharedRules {
    /// Computes the facts about a vocabulary's rules. `expressions` names the expressions that some
    /// rules were compiled from. O(states and edges).
    pub fn new(shared: Tables<'_>, expressions: &[ExpressionRecord]) -> Self {
        let network = Joined { shared, own: shared };
        let calls = Calls::new(shared, network);
        let mut after = vec![ByteSet::EMPTY; shared.rules.len()];
        for &(callee, ret) in calls.all_returns() {
            after.widen(callee, calls.firsts[ret as usize].0);
        }
        let changed = (0..after.len() as u32).collect();
        spread(&mut after, changed, |rule, reach| calls.passes(rule).for_each(reach));
        let mut past_end = vec![ByteSet::EMPTY; shared.rules.len()];
        for (index, &rule) in calls.rule_of.iter().enumerate() {
            if shared.states[index].flags & state_flags::FINAL != 0 {
                past_end.widen(rule, calls.firsts[index].0);
            }
        }
        let overlaps = calls.firsts.iter().any(|(_, overlaps)| *overlaps);
        let mut ends = past_end.iter().zip(&after);
        let are_deterministic = !overlaps && ends.all(|(end, set)| end.intersect(*set).is_empty());
        let rules = (0..).zip(shared.rules);
        let known = KnownRules::new(expressions);
        let by_hash = rules.map(|(id, rule)| (rule.hash, id)).collect();
        let byte_bounds = byte_bounds(shared);
        let state_counts = shared.rules.iter().map(|rule| rule.state_count).collect();
        Self {
            calls,
            after,
            past_end,
            are_deterministic,
            byte_bounds,
            state_counts,
            by_hash,
            known,
        }
    }

    /// Returns the id of the rule that a shared state (of the vocabulary) belongs to.
    pub fn rule_of(&self, state: u32) -> u32 {
        self.calls.rule_of[state as usize]
    }

    /// Returns `rule`, and all shared rules (of the vocabulary) that reach it by tail calls alone.
    pub fn with_tail_callers(&self, rule: u32) -> BTreeSet<u32> {
        self.calls.with_tail_callers(rule)
    }

    /// Returns the shared states (of the vocabulary) that a shared rule may return to, also through
    /// tail calls of shared rules.
    pub fn returns(&self, rule: u32) -> BTreeSet<u32> {
        self.calls.all_returns_of(rule)
    }
}

/// Returns the bytes at which some byte edge begins, and the bytes right after the end of some byte
/// edge.
pub(super) fn byte_bounds(tables: Tables<'_>) -> ByteSet {
    ByteSet::bounds_of(tables.byte_edges.iter().map(|edge| (edge.lo(), edge.hi())))
}

/// A byte set for each rule.
pub(super) trait ByteSets {
    /// Returns the byte set of a rule.
    fn of(&self, rule: u32) -> ByteSet;

    /// Replaces the byte set of a rule.
    fn set(&mut self, rule: u32, bytes: ByteSet);

    /// Adds bytes to the set of a rule. Returns whether the set changed.
    fn widen(&mut self, rule: u32, more: ByteSet) -> bool {
        let known = self.of(rule);
        let wider = known.union(more);
        let is_wider = wider != known;
        if is_wider {
            self.set(rule, wider);
        }
        is_wider
    }
}

impl ByteSets for Vec<ByteSet> {
    fn of(&self, rule: u32) -> ByteSet {
        self[rule as usize]
    }

    fn set(&mut self, rule: u32, bytes: ByteSet) {
        self[rule as usize] = bytes;
    }
}

/// Propagates byte sets to a least fixpoint, beginning with the rules in `work`. `passes` calls its
/// argument for each rule whose set includes that of the given rule.
pub(super) fn spread(
    sets: &mut impl ByteSets,
    mut work: Vec<u32>,
    passes: impl Fn(u32, &mut dyn FnMut(u32)),
) {
    while let Some(rule) = work.pop() {
        let more = sets.of(rule);
        passes(rule, &mut |callee| {
            if sets.widen(callee, more) {
                work.push(callee);
            }
        });
    }
}
