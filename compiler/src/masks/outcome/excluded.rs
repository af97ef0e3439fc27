//! The subtrees of the trie on which the outcomes of a state and of its reference differ. The reference is the state
//! from whose mask the state's mask is derived.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;

use super::spans::{count_first, past};

/// A set of trie nodes, as sorted, disjoint ranges. The tokens and exits of a reference (source of another mask) at
/// these nodes are not taken over.
#[derive(Clone, Default)]
pub(crate) struct Excluded(Vec<Range<u32>>);

impl Excluded {
    /// Whether this set of excluded trie nodes is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a trie node is in this set of excluded ones.
    pub(crate) fn contains(&self, node: u32) -> bool {
        let before = self.0.partition_point(|range| range.end <= node);
        self.0.get(before).is_some_and(|range| range.start <= node)
    }

    /// Adds the range `nodes` of trie nodes to this set of excluded ones. The range must come after all nodes of the
    /// set.
    pub(crate) fn add(&mut self, nodes: Range<u32>) {
        match self.0.last_mut() {
            Some(last) if last.end == nodes.start => last.end = nodes.end,
            _ => self.0.push(nodes),
        }
    }

    /// Adds the trie nodes of `more` to this set of excluded ones. They must come after all nodes of the set.
    pub(crate) fn append(&mut self, more: &Self) {
        more.0.iter().for_each(|nodes| self.add(nodes.clone()));
    }

    /// Splits the ascending trie nodes `nodes` into slices: those in this set of excluded nodes go to `gone`, the
    /// others to `kept`. The search skips whole ranges or whole slices of nodes, so the shorter of the two lists
    /// determines the cost.
    pub(crate) fn split(
        &self,
        nodes: &[u32],
        mut kept: impl FnMut(&[u32]),
        mut gone: impl FnMut(&[u32]),
    ) {
        let (mut ranges, mut rest) = (&self.0[..], nodes);
        while let Some(&node) = rest.first() {
            ranges = past(ranges, node);
            let Range { start, end } = ranges.first().map_or(u32::MAX..u32::MAX, Range::clone);
            let (before, from) = rest.split_at(count_first(rest, |&node| node < start));
            let (within, after) = from.split_at(count_first(from, |&node| node < end));
            kept(before);
            gone(within);
            rest = after;
        }
    }

    /// Returns the trie nodes of `nodes` that are not in this set of excluded ones. `nodes` must ascend.
    pub(crate) fn kept(&self, nodes: &[u32]) -> Vec<u32> {
        let mut kept = Vec::with_capacity(nodes.len());
        self.split(nodes, |nodes| kept.extend_from_slice(nodes), |_| ());
        kept
    }

    /// Returns the ranks (token indexes in byte order) of the tokens at this set of excluded trie nodes, as sorted,
    /// disjoint ranges.
    pub(crate) fn ranks(&self, trie: Trie<'_>) -> Vec<Range<u32>> {
        let rank = |node: u32| trie.rank[node as usize];
        let mut ranks: Vec<Range<u32>> = Vec::with_capacity(self.0.len());
        for nodes in &self.0 {
            let more = rank(nodes.start)..rank(nodes.end);
            match ranks.last_mut() {
                _ if more.is_empty() => {}
                Some(last) if last.end == more.start => last.end = more.end,
                _ => ranks.push(more),
            }
        }
        ranks
    }
}
