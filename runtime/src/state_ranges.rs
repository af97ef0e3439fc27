//! Sets of states, as the rules that they are of: few rules have a kind, and their states are a range each.

use std::ops::Range;

use grammarc_artifacts::sections::network::RuleRecord;

/// The states of some rules, as sorted disjoint ranges of state ids: of rules with a monotone countdown, of distinct ones, or of
/// catalogues.
///
/// Few grammars have any, and the question is asked seldom (of the former only when two configurations differ in the
/// countdown alone), so a binary search over ranges costs less than a flag per state.
#[derive(Clone, Debug, Default)]
pub(crate) struct StateRanges(Vec<Range<u32>>);

impl StateRanges {
    /// No state at all.
    pub(crate) const fn none() -> Self {
        Self(Vec::new())
    }

    /// From ranges in any order.
    pub(crate) fn new(mut ranges: Vec<Range<u32>>) -> Self {
        ranges.sort_unstable_by_key(|range| range.start);
        Self(ranges)
    }

    /// The states of the rules that have a flag.
    pub(crate) fn of_rules<'r>(rules: impl IntoIterator<Item = &'r RuleRecord>, flag: u32) -> Self {
        let having = rules.into_iter().filter(|rule| rule.flags & flag != 0);
        Self::new(
            having.map(|rule| rule.first_state..rule.first_state + rule.state_count).collect(),
        )
    }

    /// These and others, whose states come after.
    pub(crate) fn followed_by(&self, later: &Self) -> Self {
        debug_assert!(later.0.first().zip(self.0.last()).is_none_or(|(b, a)| a.end <= b.start));
        Self([&self.0[..], &later.0].concat())
    }

    /// The ranges in ascending order.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Range<u32>> {
        self.0.iter().cloned()
    }

    /// Whether there is none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first state of the rule that the state is of, where it is of one of the rules.
    #[inline]
    pub(crate) fn first_of(&self, state: u32) -> Option<u32> {
        let after = self.0.partition_point(|range| range.start <= state);
        let range = &self.0[after.checked_sub(1)?];
        (state < range.end).then_some(range.start)
    }

    /// Whether the state is of one of the rules.
    pub(crate) fn contains(&self, state: u32) -> bool {
        self.first_of(state).is_some()
    }
}
