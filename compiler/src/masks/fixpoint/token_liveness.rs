//! Token liveness: finds the states in which a token may end, because whole tokens continue from there.
//!
//! A vocabulary with all 256 single-byte tokens spells every string. Real ones miss some, as SmolLM2 with 235. Then a
//! state can be alive in bytes and dead in tokens. Such states are kept, since a longer token may pass through them,
//! but lose the flag that lets a token end there.
//!
//! A state *rests* if a token may end there. A final state rests. So does a state with a token to a resting state
//! within the rule, if the frames rest too. This is a least fixpoint, first over single bytes, and then over whole
//! tokens for the remaining states. If every configuration and frame rests, whole tokens spell a string from each to
//! the end of its rule. So no configuration is a dead end. Tokens that reach beyond the end of the rule are not
//! counted.
//!
//! The head of a countdown is the state of a loop at which the countdown is lowered. It rests if its exit does, and if
//! single bytes continue from the head itself: then they continue around the loop to its end. A token that reaches past
//! the head may find the countdown at its end. It then continues in the chain of rules behind the loop. So a state of
//! the loop and the same state of the chain must rest equally: in both, only single bytes count.

use grammarc_artifacts::sections::network::{NONE, rule_flags, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use crate::ir::ByteSet;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::walk::walker::Walker;
use crate::network::Network;
use crate::network::follow::Follow;

/// Clears the flag `RESTS` (a token may end here) of every state from which no sequence of tokens continues, and
/// returns these states. Returns no state if all 256 bytes are tokens.
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

/// Returns for each rule of the grammar whether a token of several bytes suffices to let a token end in a state. It
/// does not if the rule has a countdown (register of repetitions left), or is reached by tail calls from such a rule.
/// There only single bytes do.
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

/// The computation of the states in which a token may end, as a least fixpoint over whole tokens.
struct Fixpoint<'a> {
    /// The automata, whose states get the flag `RESTS` (a token may end here).
    network: &'a mut Network,
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// Indexes over the vocabulary's trie, rules and stored masks.
    known: &'a VocabularyFacts,
    /// The token trie: the prefix tree of the tokens' byte strings.
    trie: Trie<'a>,
    /// For each rule of the grammar, whether a token of several bytes suffices to let a token end in a state. In other
    /// rules only single bytes do.
    by_token: Vec<bool>,
    /// For each state of the grammar, whether it is the head of a countdown (loop with repetitions left) and single
    /// bytes lead around the loop. The head is the state at which the countdown is lowered. Assumed at first, and
    /// cleared if it proves false.
    loops: Vec<bool>,
}

impl Fixpoint<'_> {
    /// Returns a view of the automata that decides by single bytes whether a state rests (a token may end there).
    /// `rests` has the states that are already known to rest.
    fn marker<'m>(&'m self, rests: &'m [bool]) -> Marker<'m> {
        let single_bytes = self.known.single_bytes();
        Marker { network: self.network, shared: self.shared, single_bytes, rests }
    }

    /// Returns for each state of the grammar whether it rests (a token may end there), on the assumption of `loops`.
    /// Sets the flags of the states to match.
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

/// Decides by single bytes whether a state rests (a token may end there), given the states that are already known to
/// rest.
struct Marker<'a> {
    /// The automata of the grammar's rules.
    network: &'a Network,
    /// The tables of the vocabulary: its states, rules and stored masks.
    shared: Tables<'a>,
    /// The bytes that are tokens of a single byte.
    single_bytes: ByteSet,
    /// For each state of the grammar, whether it is known to rest: a token may end in it.
    rests: &'a [bool],
}

impl Marker<'_> {
    /// Whether a state, of the grammar or of the vocabulary's rules, is known to rest (a token may end there).
    fn known(&self, state: u32) -> bool {
        match state.checked_sub(self.network.tables.bases.states) {
            Some(own) => self.rests[own as usize],
            None => self.shared.states[state as usize].flags & state_flags::RESTS != 0,
        }
    }

    /// Whether a state of the grammar, by index, rests (a token may end there). It rests if it is final, or if it
    /// continues and its count exit (state after a counter's end) rests. A state with `loops` counts as continuing.
    fn rests(&self, index: usize, loops: bool) -> bool {
        let record = &self.network.tables.states[index];
        let is_final = record.flags & state_flags::FINAL != 0;
        let ends = record.exit().is_none_or(|exit| self.known(exit));
        is_final || ends && (loops || self.continues(index))
    }

    /// Whether a state leads to one that rests (a token may end there), by a single byte, a call or a token edge. The
    /// state is given by its index among the grammar's states.
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

/// Sets the flag `RESTS` (a token may end here) of each state of the grammar, as `rests` says.
fn set_flags(network: &mut Network, rests: &[bool]) {
    for (record, &rests) in network.tables.states.iter_mut().zip(rests) {
        record.flags &= !state_flags::RESTS;
        record.flags |= if rests { state_flags::RESTS } else { 0 };
    }
}
