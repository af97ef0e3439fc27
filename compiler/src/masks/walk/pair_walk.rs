//! The pair walk: a configuration of the grammar and a state of the vocabulary run over the trie side by side. The walk
//! ends at the subtrees in which their outcomes differ.
//!
//! A pair is kept as its [*steps*](super::pair_table), the bytes with different transitions. For most states within a
//! key that is one byte, the next of the key. The pairs of a key are met again from each state before them. So a walk
//! from a state within a key is a few look-ups of children. Subtrees without a [distinguishing](super::distinguishing)
//! byte are pruned.
//!
//! Cost: O(children of the nodes at which the two may still differ).

use super::cursor::{Configuration, Cursor};
use super::pair_table::{FEW, Pair, PairMove, PairTable, SharedReference};
use super::worklist::Worklist;
use crate::masks::outcome::builder::OutcomeBuilder;
use crate::masks::outcome::excluded::Excluded;
use crate::masks::trie::byte_bits::{bit, bits as bits_of};
use crate::network::lazy_dfa::Configurations;

/// A walk over the trie that finds the subtrees with different outcomes of two states. The first is a configuration
/// (state and stack frame) of the grammar, the second a state of the vocabulary's rules. The mask of the state of the
/// vocabulary's rules is stored, and is taken over outside of these subtrees.
pub(crate) struct PairWalk<'w, 'a> {
    /// The token trie and the lazily determinized automaton of all rules, which are walked together.
    pub(crate) cursor: &'w mut Cursor<'a>,
    /// The pairs met so far of a grammar's configuration (state and stack frame) and a state of the vocabulary's rules.
    /// Each has the bytes on which their transitions differ.
    pub(crate) pairs: &'w mut PairTable,
    /// Takes the subtrees of the trie in which the grammar's configuration (state and stack frame) is to be walked
    /// alone.
    pub(crate) worklist: &'w mut Worklist,
    /// The state of the vocabulary's rules whose outcome (consumed tokens and exit nodes) is taken over, with its stack
    /// frame.
    pub(crate) reference: &'w SharedReference,
    /// Subtrees of the trie in which the outcomes of the grammar's configuration and of the reference state differ. The
    /// reference's outcome (consumed tokens and exit nodes) is not taken over there.
    pub(crate) excluded: &'w mut Excluded,
    /// The outcome (consumed tokens and exit nodes) of the grammar's configuration in the excluded subtrees. A
    /// configuration is a state and its stack frame. Subtrees on the worklist are still missing.
    pub(crate) builder: &'w mut OutcomeBuilder<'a>,
}

impl PairWalk<'_, '_> {
    /// Finds the subtrees below `node` in which the configuration `own` (state and stack frame) and the reference state
    /// have different outcomes (consumed tokens and exit nodes). Adds these subtrees to `self.excluded`, and the
    /// outcome of `own` in them to `self.builder`.
    pub(crate) fn part(&mut self, own: Configuration, node: u32) {
        let pair = self.pairs.pair(self.cursor, own, self.reference.state, self.reference);
        let bits = self.pairs.always_parting(pair);
        self.part_pair(pair, bits, node);
    }

    /// Finds the subtrees below `node` in which the two states of the pair with the index `pair` have different
    /// outcomes (consumed tokens and exit nodes). Adds these subtrees to `self.excluded`, and to `self.builder` the
    /// outcome in them of the grammar's configuration. `bits` is a set of byte classes, one bit each, from
    /// [`PairTable::distinguishing`]. A string that distinguishes the two contains one of these bytes, or a byte that
    /// may follow the rule.
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
        // An exit node matters if a byte that may follow the rule lies below it.
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

    /// Continues the walk to the trie node `child`, on the byte range with the index `at` in [`PairTable::steps`]. The
    /// two states of the pair with the index `pair` have different transitions on this range.
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
                // If both may return here, the reference's exits include this node.
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
