//! The subtrees of the trie on which a state differs from its reference.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;

use super::spans::{count_first, past};

/// Excluded subtrees, as ranges of nodes.
#[derive(Clone, Default)]
pub(crate) struct Excluded(Vec<Range<u32>>);

impl Excluded {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether a node is excluded.
    pub(crate) fn contains(&self, node: u32) -> bool {
        let before = self.0.partition_point(|range| range.end <= node);
        self.0.get(before).is_some_and(|range| range.start <= node)
    }

    /// Excludes nodes; they come in ascending order.
    pub(crate) fn add(&mut self, nodes: Range<u32>) {
        match self.0.last_mut() {
            Some(last) if last.end == nodes.start => last.end = nodes.end,
            _ => self.0.push(nodes),
        }
    }

    /// Adds nodes after all of these.
    pub(crate) fn append(&mut self, more: &Self) {
        more.0.iter().for_each(|nodes| self.add(nodes.clone()));
    }

    /// Splits some nodes, in ascending order, into kept and excluded ones, and hands out both.
    /// Whichever are fewer, the nodes or the excluded ranges, the others are skipped.
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

    /// The nodes that are not excluded.
    pub(crate) fn kept(&self, nodes: &[u32]) -> Vec<u32> {
        let mut kept = Vec::with_capacity(nodes.len());
        self.split(nodes, |nodes| kept.extend_from_slice(nodes), |_| ());
        kept
    }

    /// Ranks of the tokens of the excluded nodes.
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
