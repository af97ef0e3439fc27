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

/// The most loops of different lengths that are distinguished.
const MOST_LOOPS: usize = 3;

/// Bytes on which a state loops.
#[derive(Clone, Debug)]
pub(crate) struct SelfLoops {
    /// How many bytes it does the same for after them, the most first, and the bytes, with those of the loops before.
    pub(crate) all: SmallVec<[(usize, u128); 2]>,
    pub(crate) is_final: bool,
}

impl SelfLoops {
    /// The loops of an own state whose calls begin with some bytes.
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

    /// Bytes that keep the state as it is in strings of up to `height`.
    #[inline]
    pub(crate) fn on(&self, height: usize) -> u128 {
        // Sets after the last byte of the longest string do not count.
        let long = self.all.iter().take_while(|(length, _)| length.saturating_add(1) >= height);
        long.last().map_or(0, |&(_, on)| on)
    }
}
