//! Own states and shared ones side by side: where they part, found once for each two.
//!
//! The states of a key are met again from each of the states before them, and most of what they do on a byte is what the
//! shared state does. So what is left is kept as [*steps*](super::pair_table): for the states of a key, one, the next byte of
//! the key. A walk from a state within a key is then a few look-ups of children, below the nodes alone where the two can
//! [part](super::distinguishing).
//!
//! Cost: O(children of the nodes at which the two may still part).

use super::moves::Configuration;
use super::pair_table::FEW;
use super::pair_table::SharedReference;
use super::pair_table::{Pair, PairMove};
use super::walker::{OutcomeBuilder, Walker};
use crate::masks::outcome::excluded::Excluded;
use crate::masks::trie::byte_bits::{bit, bits as bits_of};
use crate::network::local::At;

/// Bytes within which most two are told apart that are told apart at many nodes.
const SOON: usize = 2;

impl Walker<'_> {
    /// Excepts what becomes of the strings below `node` where `own` and the model, in the state `stored`, part; and adds
    /// what becomes of them instead.
    pub(crate) fn part(
        &mut self,
        own: Configuration,
        stored: u32,
        model: &SharedReference,
        node: u32,
        excepted: &mut Excluded,
        building: &mut OutcomeBuilder,
    ) {
        let pair = self.pair(own, stored, model);
        let bits = self.always_parting(pair);
        self.part_pair((pair, bits), model, node, excepted, building);
    }

    /// Whether no more nodes than `most` have to be looked at to tell two apart within so many bytes. Most that are told
    /// apart at more are so within a few bytes, and all that two lead to is dear to find.
    pub(crate) fn are_near(
        &mut self,
        (own, stored): (Configuration, u32),
        model: &SharedReference,
        within: usize,
        most: u32,
    ) -> bool {
        let pair = self.pair(own, stored, model);
        let mut spread = |length| {
            let bits = self.parting(pair, length, model);
            self.known.nodes().spread(bits)
        };
        spread(SOON) <= most && spread(within) <= most
    }

    /// Does what [`part`](Self::part) does, of a pair and the bits of which one is in every string below the node that tells
    /// the two apart.
    fn part_pair(
        &mut self,
        (pair, bits): (u32, u128),
        model: &SharedReference,
        node: u32,
        excepted: &mut Excluded,
        building: &mut OutcomeBuilder,
    ) {
        let children = self.known.children();
        let Pair { steps, bytes, .. } = &self.pairs.all[pair as usize];
        let steps = steps.clone();
        if *bytes < FEW {
            for at in steps {
                for byte in self.pairs.steps[at as usize].bytes().iter() {
                    if let Some(child) = children.on(node, byte) {
                        self.step(pair, at, model, child, excepted, building);
                    }
                }
            }
            return;
        }
        // Where the rule is left matters where something may come after it.
        let nodes = self.known.nodes();
        let bits = bits | bits_of(building.after);
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
                self.step(pair, at, model, child, excepted, building);
            }
        }
    }

    /// Takes a step of a pair, to `child`.
    fn step(
        &mut self,
        pair: u32,
        at: u32,
        model: &SharedReference,
        child: u32,
        excepted: &mut Excluded,
        building: &mut OutcomeBuilder,
    ) {
        let end = self.known.nodes().end(child);
        match self.pairs.steps[at as usize].on {
            PairMove::Lost => excepted.add(child..end),
            PairMove::Alone { excepted: both } => {
                if both {
                    excepted.add(child..end);
                }
                let (state, frame) = self.pairs.all[pair as usize].own;
                self.visit(At::One(state, frame), child, building);
            }
            PairMove::Both { to, stored, same, differ, ends, exits, stored_exits, .. } => {
                let is_leaf = end == child + 1;
                let leaves_apart = !is_leaf
                    && exits != stored_exits
                    && self.known.children().any_on(child, building.after);
                let is_excepted = differ || leaves_apart && stored_exits;
                if is_excepted {
                    excepted.add(child..child + 1);
                    if ends {
                        building.outcome.add_span(self.trie.tokens_at(child));
                    }
                }
                if is_leaf {
                    return;
                }
                // Where both can be left, the model's exits say so.
                if exits && (is_excepted || !stored_exits) {
                    self.leave(child, building);
                }
                let nodes = self.known.nodes();
                let (below, height) = (nodes.below(child), nodes.height(child));
                if height <= usize::from(same) {
                    return;
                }
                let next = self.next(at, to, stored, model);
                let is_narrow = self.pairs.all[next as usize].bytes < FEW;
                let bits = if is_narrow { u128::MAX } else { self.parting(next, height, model) };
                if below & bits != 0 {
                    self.part_pair((next, bits), model, child, excepted, building);
                }
            }
        }
    }
}
