//! Self-loops of wide states, and the subtrees of the trie that such a state accepts as a whole.
//!
//! A state *loops* on a byte, for `k` bytes, if the byte leads to a state that is equivalent to it for `k` bytes. A
//! subtree of height at most `k + 1` whose bytes are all loops is accepted without a visit of its nodes.

use grammarc_artifacts::sections::network::state_flags;
use grammarc_artifacts::tables::Joined;
use smallvec::SmallVec;

use super::class_history::ClassHistories;
use super::own_transitions::OwnTransitionLists;
use crate::ir::ByteSet;
use crate::masks::trie::byte_bits::whole_bits;

/// The most lengths of equivalence that are distinguished for a state's self-loops. A self-loop is a byte that leads
/// back to an equivalent state. Bytes with the shorter lengths are not counted as loops.
const MOST_LOOPS: usize = 3;

/// The bytes on which a state loops: their targets are equivalent to the state on all strings of some number of bytes.
#[derive(Clone, Debug)]
pub(crate) struct SelfLoops {
    /// Pairs of a length in bytes, descending, and a set of byte classes, one bit each. The targets of these bytes are
    /// equivalent to the looping state for at least that length.
    pub(crate) all: SmallVec<[(usize, u128); 2]>,
    /// Whether the rule may return when it is in the state.
    pub(crate) is_final: bool,
}

impl SelfLoops {
    /// Computes the bytes on which a state of the grammar loops: their targets are equivalent to the state for some
    /// number of bytes. `calls` are the first bytes of the state's calls, which do not count as loops.
    pub(crate) fn new(
        network: Joined<'_>,
        transitions: &OwnTransitionLists,
        histories: &ClassHistories,
        state: u32,
        calls: ByteSet,
    ) -> Self {
        let flags = network.own.states[(state - network.own.bases.states) as usize].flags;
        let mut found: SmallVec<[(usize, ByteSet); 8]> = transitions
            .of(network, state)
            .edges
            .iter()
            .filter(|_| flags & state_flags::RESTS != 0)
            .filter_map(|edge| {
                let bytes = ByteSet::range(edge.lo(), edge.hi()).minus(calls);
                Some((histories.length(state, edge.target)?, bytes))
            })
            .collect();
        found.sort_by_key(|&(length, _)| std::cmp::Reverse(length));
        let mut all = SmallVec::new();
        let mut bytes = ByteSet::EMPTY;
        for equal in found.chunk_by(|one, next| one.0 == next.0).take(MOST_LOOPS) {
            bytes = equal.iter().fold(bytes, |bytes, (_, more)| bytes.union(*more));
            all.push((equal[0].0, whole_bits(bytes)));
        }
        Self { all, is_final: flags & state_flags::FINAL != 0 }
    }

    /// Returns the byte classes, one bit each, that lead back to an equivalent state within every string of at most
    /// `height` bytes.
    #[inline]
    pub(crate) fn on(&self, height: usize) -> u128 {
        // The states after the last byte of the longest string do not matter.
        let long = self.all.iter().take_while(|(length, _)| length.saturating_add(1) >= height);
        long.last().map_or(0, |&(_, on)| on)
    }
}
