//! Whether a token distinguishes the waiting copy and the done copy of a rule with required keys.

use grammarc_artifacts::sections::network::{CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashSet;

use crate::ir::ByteSet;
use crate::network::calls::bytes_on;
use crate::network::lazy_dfa::{BOTTOM, LazyDfa};
use grammarc_grammar::lexicon::Lexicon;

/// Whether, after a required key is written, some token can be read in only one of the two copies
/// of its rule. The masks would then depend on the register.
///
/// Cost: O(states and edges), and a walk of each suffix of a token that may distinguish the copies.
pub(in crate::network) fn is_distinguished(network: Joined<'_>, lexicon: &dyn Lexicon) -> bool {
    let own = network.own;
    let states = (own.bases.states..).zip(own.states);
    let heads: Vec<(u32, u32)> = states
        .filter(|(_, record)| record.flags & state_flags::CLEARS != 0)
        .map(|(state, record)| (state, record.count_exit))
        .collect();
    if heads.is_empty() {
        return false;
    }
    let Some((first, distinguishing)) = distinguishing_bytes(network, &heads) else { return true };
    let mut sets = LazyDfa::new(network);
    lexicon.tails(first, distinguishing).iter().any(|tail| {
        heads.iter().any(|&(waiting, done)| distinguishes(&mut sets, waiting, done, tail))
    })
}

/// Returns the first bytes of the done copies after a required key, and the bytes that done copies
/// read where waiting copies do not. `heads` has pairs of a waiting state and a done state. Returns
/// `None` if a done copy may end right after the key.
fn distinguishing_bytes(network: Joined<'_>, heads: &[(u32, u32)]) -> Option<(ByteSet, ByteSet)> {
    let transitions = |state: u32| {
        let (tables, index) = network.locate(state);
        (tables.byte_edges_of(index), tables.call_edges_of(index))
    };
    let firsts = |call: &CallEdge| ByteSet::from_words(network.rule(call.callee).first_bytes);
    let is_final = |state: u32| network.state(state).flags & state_flags::FINAL != 0;
    let (mut first, mut distinguishing) = (ByteSet::EMPTY, ByteSet::EMPTY);
    for &(_, done) in heads {
        if is_final(done) {
            return None;
        }
        let (edges, calls) = transitions(done);
        first = first.union(bytes_on(edges));
        first = calls.iter().fold(first, |set, call| set.union(firsts(call)));
    }
    let mut seen: FxHashSet<(u32, u32)> = heads.iter().copied().collect();
    let mut open = heads.to_vec();
    while let Some((waiting, done)) = open.pop() {
        if is_final(done) && !is_final(waiting) {
            return Some((first, ByteSet::FULL));
        }
        let (waits, waiting_calls) = transitions(waiting);
        let (goes, done_calls) = transitions(done);
        for edge in goes {
            let mut missing = ByteSet::range(edge.lo(), edge.hi());
            for other in waits {
                let (lo, hi) = (edge.lo().max(other.lo()), edge.hi().min(other.hi()));
                if lo <= hi {
                    missing = missing.minus(ByteSet::range(lo, hi));
                    open.extend(
                        Some((other.target, edge.target)).filter(|&pair| seen.insert(pair)),
                    );
                }
            }
            distinguishing = distinguishing.union(missing);
        }
        for call in done_calls {
            let same = |other: &&CallEdge| (other.callee, other.count) == (call.callee, call.count);
            match waiting_calls.iter().find(same) {
                Some(other) if other.ret != NONE && call.ret != NONE => {
                    let pair = (other.ret, call.ret);
                    open.extend(Some(pair).filter(|&pair| seen.insert(pair)));
                }
                Some(_) => return Some((first, ByteSet::FULL)),
                None => distinguishing = distinguishing.union(firsts(call)),
            }
        }
    }
    Some((first, distinguishing))
}

/// Whether `string` distinguishes the copies after a required key. The done copy then reads some
/// prefix of `string` that the waiting copy cannot read, or only one copy can end after the prefix.
fn distinguishes(sets: &mut LazyDfa<'_>, waiting: u32, done: u32, string: &[u8]) -> bool {
    let mut at = [waiting, done].map(|state| sets.after_returns(state, BOTTOM).at);
    for &byte in string {
        let [waits, goes] = at.map(|at| sets.step(at, byte));
        if goes.is_dead() {
            return false;
        }
        if waits.is_dead() || waits.exits != goes.exits {
            return true;
        }
        at = [waits.at, goes.at];
    }
    false
}
