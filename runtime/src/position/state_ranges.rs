//! Sets of states, each the states of some whole rules. The states of a rule are one range of ids.
//!
//! Cost: a binary search over the ranges for each query.

use std::ops::Range;

use grammarc_artifacts::sections::network::RuleRecord;

/// The states of some rules, as sorted disjoint ranges of state ids.
///
/// The runtime keeps one set each for rules with a monotone countdown, for distinct rules and for packed string sets.
/// Few grammars have such rules, so ranges take less memory than a flag for each state.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateRanges(Vec<Range<u32>>);

impl StateRanges {
    /// Returns the empty set.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// Builds the set from disjoint ranges in ascending order.
    pub(crate) fn new(ranges: Vec<Range<u32>>) -> Self {
        debug_assert!(ranges.is_sorted_by_key(|range| range.start));
        Self(ranges)
    }

    /// Returns the states of all rules that have one of the [flags](grammarc_artifacts::sections::network::rule_flags)
    /// `flag`.
    pub(crate) fn of_rules<'r>(rules: impl IntoIterator<Item = &'r RuleRecord>, flag: u32) -> Self {
        let having = rules.into_iter().filter(|rule| rule.flags & flag != 0);
        Self::new(
            having.map(|rule| rule.first_state..rule.first_state + rule.state_count).collect(),
        )
    }

    /// Returns the union with `later`, whose states must all be larger than those of this set.
    pub(crate) fn followed_by(&self, later: &Self) -> Self {
        debug_assert!(later.0.first().zip(self.0.last()).is_none_or(|(b, a)| a.end <= b.start));
        Self([&self.0[..], &later.0].concat())
    }

    /// Returns the ranges of state ids, one for each rule, ascending.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<u32>> {
        self.0.iter().cloned()
    }

    /// Whether the set is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the first state of the rule to which `state` belongs. `None` if the state is not in the set.
    #[inline]
    pub(crate) fn first_of(&self, state: u32) -> Option<u32> {
        let after = self.0.partition_point(|range| range.start <= state);
        let range = &self.0[after.checked_sub(1)?];
        (state < range.end).then_some(range.start)
    }

    /// Whether the set contains a state.
    pub(crate) fn contains(&self, state: u32) -> bool {
        self.first_of(state).is_some()
    }
}
