//! Outcomes at a child of the root that are read from the stored mask of another state.
//!
//! Let a shared state `s` lead to `q` on a byte `b` and nowhere else. The residual of `s` is the part of its base mask
//! and exit class below the trie's node for `b`. This is the outcome of `q` at that node. Cost: a binary search.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use super::exits::class_nodes;
use crate::masks::outcome::ranks::{ranks_of, row_of, whole_row};
use crate::masks::outcome::spans::cut;

/// The part of a shared state's base mask and exits that lies below a node.
pub(crate) struct StoredResidual<'a> {
    spans: &'a [Range<u32>],
    below: Range<u32>,
    /// Nodes at which the rule is left.
    pub(crate) exits: &'a [u32],
}

impl<'a> StoredResidual<'a> {
    /// The part at `node` of the state `source`, whose base mask has the ranks `spans`.
    pub(crate) fn new(
        shared: Tables<'a>,
        trie: Trie<'_>,
        (source, spans): (u32, &'a [Range<u32>]),
        node: u32,
    ) -> Self {
        let nodes = class_nodes(shared, shared.states[source as usize].exits);
        let from = nodes.partition_point(|&exit| exit < node);
        let to = nodes.partition_point(|&exit| exit < trie.end[node as usize]);
        let below = trie.tokens_at(node).end..trie.tokens_below(node).end;
        Self { spans, below, exits: &nodes[from..to] }
    }

    /// The ranks consumed.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Range<u32>> + 'a {
        cut(self.spans, self.below.clone())
    }
}

/// The ranks of a shared mask's tokens, as spans.
pub(crate) fn ranks(shared: Tables<'_>, trie: Trie<'_>, mask: u32) -> Box<[Range<u32>]> {
    let record = &shared.masks[mask as usize];
    let (row, row_words) = (row_of(shared, record.row), shared.row_words as usize);
    ranks_of(&whole_row(row, row_words, shared.minus(record), shared.plus(record)), trie)
}
