//! Token liveness: states in which a token may end, because whole tokens continue from there.
//!
//! A vocabulary with all 256 single-byte tokens spells everything. Real ones miss some (SmolLM2 has 235), and then a
//! state can be alive in bytes and dead in tokens. Such states stay in the network, since a longer token may pass
//! through them, but lose the flag that lets a token end there.
//!
//! A state rests if it is final, or if some token leads from it to a state that rests over frames that rest, all within
//! its rule. This is a least fixpoint, first over single bytes, and then over whole tokens for the rest. With every
//! configuration and frame at rest, the way from each to the end of its rule is spelled by whole tokens, so no
//! configuration is a dead end. A way that only tokens reaching beyond the end of the rule could spell is not counted.
//!
//! The head of a countdown rests if its exit does, and if single bytes continue from the head itself: then
//! they continue around the loop to its end. A token that reaches past the head may find
//! the countdown run out and stand in the chain behind it, so a state of the loop and the same state of the chain must
//! rest equally: in both, only single bytes count.

use grammarc_artifacts::sections::network::{NONE, rule_flags, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use crate::ir::ByteSet;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::walk::walker::Walker;
use crate::network::Network;
use crate::network::follow::Follow;

/// Clears the rest flag of every state from which no sequence of tokens continues, and returns those states.
pub(crate) fn mark(
    network: &mut Network,
    shared: Tables<'_>,
    known: &VocabularyFacts,
    trie: Trie<'_>,
) -> Vec<u32> {
    let single_bytes = known.single_bytes();
    if single_bytes == ByteSet::FULL {
        return Vec::new();
    }
    let count = network.tables.states.len() - 1;
    let by_token = without_countdown(network);
    let heads = network.tables.states[..count].iter().map(|record| record.exit().is_some());
    let loops: Vec<bool> = heads.collect();
    let mut fixpoint = Fixpoint { network, shared, known, trie, by_token, loops };
    loop {
        let rests = fixpoint.least();
        let marker = fixpoint.marker(&rests);
        let is_broken = |&at: &usize| fixpoint.loops[at] && rests[at] && !marker.continues(at);
        let broken: Vec<usize> = (0..count).filter(is_broken).collect();
        if broken.is_empty() {
            let base = fixpoint.network.tables.bases.states;
            let stuck = rests.iter().enumerate().filter(|(_, rests)| !**rests);
            return stuck.map(|(index, _)| base + index as u32).collect();
        }
        broken.into_iter().for_each(|head| fixpoint.loops[head] = false);
    }
}

/// For each own rule, whether whole tokens count in it: it has no countdown and is in no chain behind one.
fn without_countdown(network: &Network) -> Vec<bool> {
    let own = network.tables.as_tables();
    let mut free = vec![true; own.rules.len()];
    let counted = |&rule: &usize| own.rules[rule].flags & rule_flags::COUNTED != 0;
    let mut work: Vec<usize> = (0..own.rules.len()).filter(counted).collect();
    while let Some(rule) = work.pop() {
        if std::mem::replace(&mut free[rule], false) {
            let first = (own.rules[rule].first_state - own.bases.states) as usize;
            let states = first..first + own.rules[rule].state_count as usize;
            let calls = states.flat_map(|state| own.call_edges_of(state));
            let tails = calls.filter(|call| call.ret == NONE);
            work.extend(
                tails
                    .filter_map(|call| call.callee.checked_sub(own.bases.rules))
                    .map(|rule| rule as usize),
            );
        }
    }
    free
}

/// The fixpoint over whole tokens.
struct Fixpoint<'a> {
    network: &'a mut Network,
    shared: Tables<'a>,
    known: &'a VocabularyFacts,
    trie: Trie<'a>,
    /// By own rule, whether whole tokens count in it.
    by_token: Vec<bool>,
    /// By index of the state, whether it is the head of a loop that it leads around, until shown otherwise.
    loops: Vec<bool>,
}

impl Fixpoint<'_> {
    /// Returns the fixpoint over single bytes.
    fn marker<'m>(&'m self, rests: &'m [bool]) -> Marker<'m> {
        let single_bytes = self.known.single_bytes();
        Marker { network: self.network, shared: self.shared, single_bytes, rests }
    }

    /// Returns by index of the state whether it rests, where the heads of `loops` lead around their loops. The
    /// network's flags are set to match.
    fn least(&mut self) -> Vec<bool> {
        let base = self.network.tables.bases.states;
        let count = self.loops.len();
        let mut rests = vec![false; count];
        loop {
            let before = rests.clone();
            for index in 0..count {
                rests[index] = rests[index] || self.marker(&rests).rests(index, self.loops[index]);
            }
            set_flags(self.network, &rests);
            if rests != before {
                continue;
            }
            let network = &*self.network;
            let follow =
                Follow::new(network.joined(self.shared), self.known.rules(), &network.open);
            let equivalence = KEquivalence::default();
            let mut walker = Walker::new(&follow, self.known, &equivalence, self.trie, u32::MAX);
            for index in (0..count).filter(|&index| !before[index]) {
                let state = base + index as u32;
                let counts = self.by_token[network.rule_of(state)];
                rests[index] = counts && !walker.base(state).spans.is_empty();
            }
            drop(walker);
            set_flags(self.network, &rests);
            if rests == before {
                return rests;
            }
        }
    }
}

/// The fixpoint over single bytes, with what it has found so far.
struct Marker<'a> {
    network: &'a Network,
    shared: Tables<'a>,
    single_bytes: ByteSet,
    rests: &'a [bool],
}

impl Marker<'_> {
    fn known(&self, state: u32) -> bool {
        match state.checked_sub(self.network.tables.bases.states) {
            Some(own) => self.rests[own as usize],
            None => self.shared.states[state as usize].flags & state_flags::RESTS != 0,
        }
    }

    fn rests(&self, index: usize, loops: bool) -> bool {
        let record = &self.network.tables.states[index];
        let is_final = record.flags & state_flags::FINAL != 0;
        let ends = record.exit().is_none_or(|exit| self.known(exit));
        is_final || ends && (loops || self.continues(index))
    }

    /// Whether a single byte, a call or a token edge leads from an own state to one that rests.
    fn continues(&self, index: usize) -> bool {
        let joined = self.network.joined(self.shared);
        let own = joined.own;
        let on_byte = || {
            own.byte_edges_of(index).iter().any(|edge| {
                let spells = (edge.lo()..=edge.hi()).any(|byte| self.single_bytes.contains(byte));
                spells && self.known(edge.target)
            })
        };
        let on_call = || {
            own.call_edges_of(index).iter().any(|call| {
                let begins = self.known(joined.rule(call.callee).first_state);
                begins && (call.ret == NONE || self.known(call.ret))
            })
        };
        let on_token = || own.token_edges_of(index).iter().any(|edge| self.known(edge.target));
        on_byte() || on_call() || on_token()
    }
}

fn set_flags(network: &mut Network, rests: &[bool]) {
    for (record, &rests) in network.tables.states.iter_mut().zip(rests) {
        record.flags &= !state_flags::RESTS;
        record.flags |= if rests { state_flags::RESTS } else { 0 };
    }
}
