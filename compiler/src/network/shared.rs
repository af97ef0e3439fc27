//! The facts of the vocabulary's shared rules, read once per vocabulary. The shared rules have thousands of states and
//! a grammar a hundred, so the compilation of a grammar must not read them again.

use std::collections::BTreeSet;

use grammarc_artifacts::ExpressionRecord;
use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::tables::{Joined, Tables};
use rustc_hash::{FxHashMap, FxHashSet};

use super::calls::Calls;
use super::content_hash::RuleHash;
use super::known_rules::KnownRules;
use crate::ir::ByteSet;

/// Facts about the shared rules that hold whatever grammar calls them.
#[derive(Debug, Default)]
pub struct SharedRules {
    pub(super) calls: Calls,
    /// By rule, the FOLLOW bytes by the calls of other shared rules.
    pub(super) after: Vec<ByteSet>,
    /// By rule, the first bytes of its final states.
    pub(super) past_end: Vec<ByteSet>,
    /// Whether the first bytes of the edges and calls of each state are disjoint, also from the FOLLOW bytes of its
    /// rule.
    pub(super) are_deterministic: bool,
    /// The bounds of byte edges: the first byte of each edge, and the byte after its last.
    pub(super) byte_bounds: ByteSet,
    /// The numbers of states of the rules.
    pub(super) state_counts: FxHashSet<u32>,
    /// The rules by content hash.
    pub(super) by_hash: FxHashMap<RuleHash, u32>,
    /// The rules by their expressions.
    pub(super) known: KnownRules,
}

impl SharedRules {
    /// Reads the facts of a vocabulary's tables, given the expressions that some rules were compiled from. O(states and
    /// edges).
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

    /// Returns the rule of a shared state.
    pub fn rule_of(&self, state: u32) -> u32 {
        self.calls.rule_of[state as usize]
    }

    /// Returns the rule and the shared rules that reach it by tail calls.
    pub fn with_tail_callers(&self, rule: u32) -> BTreeSet<u32> {
        self.calls.with_tail_callers(rule)
    }

    /// Returns the shared states that a shared rule may return to, through tail calls.
    pub fn returns(&self, rule: u32) -> BTreeSet<u32> {
        self.calls.all_returns_of(rule)
    }
}

/// Returns the bounds of byte edges: the first byte of each edge, and the byte after its last.
pub(super) fn byte_bounds(tables: Tables<'_>) -> ByteSet {
    ByteSet::bounds_of(tables.byte_edges.iter().map(|edge| (edge.lo(), edge.hi())))
}

/// Byte sets by rule.
pub(super) trait ByteSets {
    fn of(&self, rule: u32) -> ByteSet;

    fn set(&mut self, rule: u32, bytes: ByteSet);

    /// Adds bytes to the set of a rule. Returns whether any of them is new.
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

/// Propagates byte sets to a least fixpoint, along the pairs of `passes` from the rules in `work` on.
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
