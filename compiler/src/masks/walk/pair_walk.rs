//! The pair walk: an own and a shared configuration over the trie, down to the subtrees on which they differ.
//!
//! A pair is kept as its [*steps*](super::pair_table), the bytes on which it differs: for most states within a key that
//! is one byte, the next of the key. The pairs of a key are met again from each state before them, so a walk from a
//! state within a key is a few look-ups of children. Subtrees without a [distinguishing](super::distinguishing) byte
//! are pruned.
//!
//! Cost: O(children of the nodes at which the two may still differ).

use super::cursor::{Configuration, Cursor};
use super::pair_table::{FEW, Pair, PairMove, PairTable, SharedReference};
use super::worklist::Worklist;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::trie::byte_bits::{bit, bits as bits_of};
use crate::network::lazy_dfa::Configurations;

/// The walk of a pair: a configuration of the grammar and a shared reference, side by side.
pub(crate) struct PairWalk<'w, 'a> {
    pub(crate) cursor: &'w mut Cursor<'a>,
    pub(crate) pairs: &'w mut PairTable,
    pub(crate) worklist: &'w mut Worklist,
    pub(crate) reference: &'w SharedReference,
    /// Subtrees on which the two differ.
    pub(crate) excluded: &'w mut Excluded,
    /// The outcome of these, as far as it is not on the worklist.
    pub(crate) builder: &'w mut OutcomeBuilder<'a>,
}

impl PairWalk<'_, '_> {
    /// Excepts what becomes of the strings below `node` where `own` and the reference part, and adds what becomes of
    /// them instead.
    pub(crate) fn part(&mut self, own: Configuration, node: u32) {
        let pair = self.pairs.pair(self.cursor, own, self.reference.state, self.reference);
        let bits = self.pairs.always_parting(pair);
        self.part_pair(pair, bits, node);
    }

    /// Does the same as [`part`](Self::part) for a pair, given its distinguishing bits.
    fn part_pair(&mut self, pair: u32, bits: u128, node: u32) {
        let children = self.cursor.facts.children();
        let &Pair { ref steps, bytes, .. } = &self.pairs.all[pair as usize];
        let steps = steps.clone();
        if bytes < FEW {
            for at in steps {
                for byte in self.pairs.steps[at as usize].bytes().iter() {
                    if let Some(child) = children.on(node, byte) {
                        self.step(pair, at, child);
                    }
                }
            }
            return;
        }
        // Nodes at which the rule is left matter if something may come after it.
        let nodes = self.cursor.facts.nodes();
        let bits = bits | bits_of(self.builder.after);
        let mut at = steps.start;
        for (byte, child) in children.of(node) {
            if (bit(byte) | nodes.below(child)) & bits == 0 {
                continue;
            }
            while at < steps.end && self.pairs.steps[at as usize].hi < byte {
                at += 1;
            }
            if at == steps.end {
                break;
            }
            if self.pairs.steps[at as usize].lo <= byte {
                self.step(pair, at, child);
            }
        }
    }

    /// Takes a step of a pair, to `child`.
    fn step(&mut self, pair: u32, at: u32, child: u32) {
        let end = self.cursor.facts.nodes().end(child);
        match self.pairs.steps[at as usize].on {
            PairMove::Lost => self.excluded.add(child..end),
            PairMove::Alone { excluded: both } => {
                if both {
                    self.excluded.add(child..end);
                }
                let (state, frame) = self.pairs.all[pair as usize].own;
                self.worklist.visit(child, Configurations::One(state, frame));
            }
            PairMove::Both { to, stored, differ, ends, exits, stored_exits, .. } => {
                let is_leaf = end == child + 1;
                let leaves_apart = !is_leaf
                    && exits != stored_exits
                    && self.cursor.facts.children().any_on(child, self.builder.after);
                let is_excluded = differ || leaves_apart && stored_exits;
                if is_excluded {
                    self.excluded.add(child..child + 1);
                    if ends {
                        self.builder.outcome.add_span(self.cursor.trie.tokens_at(child));
                    }
                }
                if is_leaf {
                    return;
                }
                // If both can be left, the reference's exits say so.
                if exits && (is_excluded || !stored_exits) {
                    self.builder.leave(child);
                }
                let nodes = self.cursor.facts.nodes();
                let (below, height) = (nodes.below(child), nodes.height(child));
                let next = self.pairs.next(self.cursor, at, to, stored, self.reference);
                let is_narrow = self.pairs.all[next as usize].bytes < FEW;
                let bits = if is_narrow {
                    u128::MAX
                } else {
                    self.pairs.distinguishing(self.cursor, next, height, self.reference)
                };
                if below & bits != 0 {
                    self.part_pair(next, bits, child);
                }
            }
        }
    }
}
