//! Outcomes at a child of the trie's root that are read from the stored mask of another state.
//!
//! Let a state `s` of the vocabulary's rules have `q` as its only target on a byte `b`. The *residual* of `s` is the
//! part of its mask and exits that lies below the trie's node for `b`. This residual is the outcome of `q` at that
//! node. Cost: a binary search.

use std::ops::Range;

use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use super::exits::class_nodes;
use crate::masks::outcome::ranks::{ranks_of, row_of, whole_row};
use crate::masks::outcome::spans::cut;

/// The part of the mask and exits (nodes where the rule returns) of a state of the vocabulary's rules that lies below a
/// trie node.
pub(crate) struct StoredResidual<'a> {
    /// The ranks of all tokens in the state's mask. A rank is a token's index in byte order.
    spans: &'a [Range<u32>],
    /// The ranks (token indexes in byte order) of all tokens below the trie node of this part. The part has those that
    /// are in `spans` too.
    below: Range<u32>,
    /// The exits below or at the node: trie nodes at which the rule returns, ascending.
    pub(crate) exits: &'a [u32],
}

impl<'a> StoredResidual<'a> {
    /// Returns the part of the outcome (consumed tokens and exit nodes) of `source`, a state of the vocabulary's rules,
    /// that lies below `node`. `spans` has the ranks (token indexes in byte order) of the tokens in its mask.
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

    /// Returns the ranks (token indexes in byte order) of the tokens below the trie node that the state consumes within
    /// its rule.
    pub(crate) fn spans(&self) -> impl Iterator<Item = Range<u32>> + 'a {
        cut(self.spans, self.below.clone())
    }
}

/// Returns the ranks (token indexes in byte order) of the tokens of the vocabulary's mask with the id `mask`, as
/// sorted, disjoint ranges.
pub(crate) fn ranks(shared: Tables<'_>, trie: Trie<'_>, mask: u32) -> Box<[Range<u32>]> {
    let record = &shared.masks[mask as usize];
    let (row, row_words) = (row_of(shared, record.row), shared.row_words as usize);
    ranks_of(&whole_row(row, row_words, shared.minus(record), shared.plus(record)), trie)
}
