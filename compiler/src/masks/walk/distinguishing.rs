//! Distinguishing bytes of a pair of states, for strings of at most `k` bytes. Every such string that distinguishes the
//! two contains one of these bytes.
//!
//! Below a node of height at most `k` whose subtree has none of these bytes, the two have the same outcome. The bytes
//! for `k + 1` follow from those for `k` of the successor pairs. So they are computed for 1, 2, ... bytes, on demand.
//! Most stay the same after a few lengths.
//!
//! Cost: O(transitions) for each pair and length.

use grammarc_artifacts::sections::network::NONE;

use super::cursor::{Configuration, Cursor};
use super::pair_table::{
    AHEAD, DistinguishingBytes, FEW, Pair, PairMove, PairSuccessor, PairSuccessors, PairTable,
    SharedReference, Stability,
};
use crate::masks::trie::byte_bits::bits;
use crate::network::lazy_dfa::BOTTOM;

/// String length, in bytes, that is tried first. If two states have different outcomes at many trie nodes, such short
/// strings mostly distinguish them.
const SOON: usize = 2;

/// String length, in bytes, from which on distinguishing bytes (one in each distinguishing string) are computed for
/// every length. For that, all reachable pairs of states are visited.
const WORTH_STEADYING: usize = 6;

/// The most reachable pairs of states for which distinguishing bytes (one in each distinguishing string) of every
/// length are computed. With more, the attempt is given up.
const MOST_STEADIED: usize = 128;

impl PairTable {
    /// Returns the known distinguishing bytes of the pair of states with the index `pair`, as sets of byte classes, one
    /// bit each. Entry `i` is for strings of at most `i + 1` bytes. Every such string that distinguishes the two states
    /// contains one of the bytes.
    fn known_distinguishing(&self, pair: u32) -> &[u128] {
        let DistinguishingBytes { first, count, .. } = self.all[pair as usize].distinguishing;
        &self.distinguishing_table.all[first as usize..][..usize::from(count)]
    }

    /// Records the distinguishing bytes of a pair of states for the next string length, one byte more than the last
    /// recorded one. `bits` has their byte classes, one bit each. Every distinguishing string up to that length
    /// contains such a byte.
    fn add_parting(&mut self, pair: u32, bits: u128) {
        self.distinguishing_table.add(&mut self.all[pair as usize].distinguishing, bits);
    }
}

impl PairTable {
    /// Returns distinguishing bytes of the pair of states with the index `pair`, as a set of byte classes, one bit
    /// each. Every string of at most `length` bytes that distinguishes the two states contains one of these bytes. All
    /// bits are set if the bytes are not known. No bit is set for length 0. `reference` has the stack frame of the
    /// pair's second state.
    ///
    /// Below a node of at most this height whose subtree has no such byte, both states have equal outcomes. If the
    /// states diverge only after a common byte, every distinguishing string contains that byte and a later
    /// distinguishing one. So one of the two suffices; the result has the byte that is rarer in the trie.
    pub(crate) fn distinguishing(
        &mut self,
        cursor: &mut Cursor<'_>,
        pair: u32,
        length: usize,
        reference: &SharedReference,
    ) -> u128 {
        let Some(last) = length.checked_sub(1) else { return 0 };
        let distinguishing = self.known_distinguishing(pair);
        if let Some(&bits) = distinguishing.get(last) {
            return bits;
        }
        let Pair { steps, bytes, distinguishing: DistinguishingBytes { steady, .. }, .. } =
            &self.all[pair as usize];
        if *bytes < FEW && distinguishing.is_empty() {
            let steps = &self.steps[steps.start as usize..steps.end as usize];
            let bits = steps.iter().fold(0, |all, step| all | bits(step.bytes()));
            self.add_parting(pair, bits);
            self.all[pair as usize].distinguishing.steady = Some(Stability::Always);
            return bits;
        }
        match (steady, distinguishing.last()) {
            (None, _) if length >= WORTH_STEADYING => {
                self.steady(cursor, pair, reference);
                return self.distinguishing(cursor, pair, length, reference);
            }
            (Some(Stability::Always), Some(&bits)) => return bits,
            _ if length > AHEAD => return u128::MAX,
            _ => {}
        }
        // The bytes for all smaller lengths have to be known first, in order.
        self.distinguishing(cursor, pair, last, reference);
        let bits = self.parted(cursor, pair, last, reference);
        self.add_parting(pair, bits);
        bits
    }

    /// Returns the distinguishing bytes of a pair of states for strings of any length, as byte classes, one bit each.
    /// Every string that distinguishes the two contains such a byte. All bits are set if the bytes are not known.
    pub(crate) fn always_parting(&self, pair: u32) -> u128 {
        let is_steady = self.all[pair as usize].distinguishing.steady == Some(Stability::Always);
        let last = self.known_distinguishing(pair).last().filter(|_| is_steady);
        last.copied().unwrap_or(u128::MAX)
    }

    /// Computes the distinguishing bytes of a pair of states for strings of `last + 1` bytes, from those of its
    /// successors for `last` bytes. Every string that distinguishes the two contains such a byte. The result has one
    /// bit for each byte class. `reference` has the stack frame of the pair's second state.
    fn parted(
        &mut self,
        cursor: &mut Cursor<'_>,
        pair: u32,
        last: usize,
        reference: &SharedReference,
    ) -> u128 {
        let ways = self.ways(cursor, pair);
        let nodes = cursor.facts.nodes();
        let mut bits = ways.apart;
        if last == 0 {
            return bits;
        }
        for at in ways.first..ways.end {
            let way = self.distinguishing_table.on[at as usize];
            let next = self.next_on(cursor, at, reference);
            let later = self.distinguishing(cursor, next, last, reference) & !bits;
            let now = way.bits & !bits;
            // Mostly one of the two sets contains the other, which is rarer then.
            bits |= match now & later {
                both if both == now || both == later => both,
                _ if nodes.spread(now) < nodes.spread(later) => now,
                _ => later,
            };
        }
        bits
    }

    /// Computes the distinguishing bytes of a pair of states and of all reachable pairs, for 1, 2, ... bytes, until
    /// nothing changes. From then on they hold for strings of any length. Every string that distinguishes a pair
    /// contains such a byte. `reference` has the stack frame of the pair's second state.
    ///
    /// In an automaton that searches for a text, this takes a few lengths, however long the text is. If more than
    /// [`MOST_STEADIED`] pairs are reachable, or the bytes still change at [`AHEAD`], nothing is known for all lengths.
    fn steady(&mut self, cursor: &mut Cursor<'_>, pair: u32, reference: &SharedReference) {
        let (mut found, mut at) = (vec![pair], 0);
        // The string length from which on all successors count, and the successors outside of `found` no longer change.
        let mut all_count = 1;
        while at < found.len() && found.len() <= MOST_STEADIED {
            let ways = self.ways(cursor, found[at]);
            for number in ways.first..ways.end {
                let next = self.next_on(cursor, number, reference);
                let known = &self.all[next as usize];
                match known.distinguishing.steady {
                    _ if known.bytes < FEW => continue,
                    Some(Stability::Always) => {}
                    _ if found.contains(&next) => continue,
                    _ => {
                        found.push(next);
                        continue;
                    }
                }
                all_count = all_count.max(usize::from(known.distinguishing.count));
            }
            at += 1;
        }
        found
            .iter()
            .for_each(|&pair| self.all[pair as usize].distinguishing.steady = Some(Stability::No));
        if found.len() > MOST_STEADIED {
            return;
        }
        for last in 0..AHEAD {
            let mut changed = last <= all_count;
            for &pair in &found {
                let distinguishing = self.known_distinguishing(pair);
                let before = last.checked_sub(1).map(|before| distinguishing[before]);
                let bits = match distinguishing.get(last) {
                    Some(&bits) => bits,
                    None => {
                        let bits = self.parted(cursor, pair, last, reference);
                        self.add_parting(pair, bits);
                        bits
                    }
                };
                changed |= before != Some(bits);
            }
            if !changed {
                let all = &mut self.all;
                let steady = Some(Stability::Always);
                found.iter().for_each(|&pair| all[pair as usize].distinguishing.steady = steady);
                return;
            }
        }
    }

    /// Returns the index of the pair of states that a successor denotes. `number` is the index of the successor in
    /// [`DistinguishingTable::on`](super::pair_table::DistinguishingTable::on). `reference` has the stack frame of the
    /// pair's second state.
    fn next_on(
        &mut self,
        cursor: &mut Cursor<'_>,
        number: u32,
        reference: &SharedReference,
    ) -> u32 {
        let PairSuccessor { to, stored, at, next, .. } =
            self.distinguishing_table.on[number as usize];
        if next != NONE {
            return next;
        }
        let next = self.next(cursor, at, to, stored, reference);
        self.distinguishing_table.on[number as usize].next = next;
        next
    }

    /// Returns the successors of a pair of states: the pairs of targets on bytes with which both continue. They are
    /// computed at the first request.
    fn ways(&mut self, cursor: &Cursor<'_>, pair: u32) -> PairSuccessors {
        let &Pair { own, ref steps, distinguishing, .. } = &self.all[pair as usize];
        if let Some(&ways) = self.distinguishing_table.ways.get(distinguishing.ways as usize) {
            return ways;
        }
        let after = bits(cursor.follow.bytes(cursor.follow.rule_of(own.0)));
        let mut apart = 0;
        let first = self.distinguishing_table.on.len();
        for at in steps.clone() {
            let step = self.steps[at as usize];
            let bits = bits(step.bytes());
            let PairMove::Both { to, stored, differ, exits, stored_exits, .. } = step.on else {
                apart |= bits;
                continue;
            };
            if differ || exits != stored_exits && own.1 != BOTTOM {
                apart |= bits;
                continue;
            }
            // If only one of the two may return, the bytes that may follow its rule distinguish them.
            if exits != stored_exits {
                apart |= after;
            }
            let on = &mut self.distinguishing_table.on[first..];
            match on.iter_mut().find(|way| (way.to, way.stored) == (to, stored)) {
                Some(way) => way.bits |= bits,
                None => self.distinguishing_table.on.push(PairSuccessor {
                    bits,
                    to,
                    stored,
                    at,
                    next: NONE,
                }),
            }
        }
        let ways = PairSuccessors {
            apart,
            first: first as u32,
            end: self.distinguishing_table.on.len() as u32,
        };
        self.all[pair as usize].distinguishing.ways = self.distinguishing_table.ways.len() as u32;
        self.distinguishing_table.ways.push(ways);
        ways
    }

    /// Whether a walk visits at most `most` trie nodes to compare the configuration (state and stack frame) `own` with
    /// the reference state, a state of the vocabulary's rules. Only strings of at most `within` bytes count. The number
    /// of nodes is an upper estimate from the distinguishing bytes (one in each distinguishing string).
    ///
    /// Strings of [`SOON`] bytes are tried first. Most pairs that need more nodes are distinguished by these, and
    /// computing all successors is expensive.
    pub(crate) fn are_near(
        &mut self,
        cursor: &mut Cursor<'_>,
        own: Configuration,
        reference: &SharedReference,
        within: usize,
        most: u32,
    ) -> bool {
        let pair = self.pair(cursor, own, reference.state, reference);
        let mut spread = |length| {
            let bits = self.distinguishing(cursor, pair, length, reference);
            cursor.facts.nodes().spread(bits)
        };
        spread(SOON) <= most && spread(within) <= most
    }
}
