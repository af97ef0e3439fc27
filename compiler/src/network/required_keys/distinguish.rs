//! Whether a token distinguishes the two copies of a rule with required keys.

use grammarc_artifacts::sections::network::{CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Joined;
use rustc_hash::FxHashSet;

use crate::ir::ByteSet;
use crate::network::calls::bytes_on;
use crate::network::lazy_dfa::{BOTTOM, LazyDfa};
use crate::network::lexicon::Lexicon;

/// Whether some token tells the copies of a rule apart after it has passed a mark, so that its masks would need to know
/// the register.
///
/// Cost: O(states and edges), and a walk of the ends of those tokens that could.
pub(in crate::network) fn differ(network: Joined<'_>, lexicon: &dyn Lexicon) -> bool {
    let own = network.own;
    let states = (own.bases.states..).zip(own.states);
    let heads: Vec<(u32, u32)> = states
        .filter(|(_, record)| record.flags & state_flags::CLEARS != 0)
        .map(|(state, record)| (state, record.count_exit))
        .collect();
    if heads.is_empty() {
        return false;
    }
    let Some((first, telling)) = telling_bytes(network, &heads) else { return true };
    let mut sets = LazyDfa::new(network);
    lexicon.tails(first, telling).iter().any(|tail| {
        heads.iter().any(|&(waiting, done)| tells_apart(&mut sets, waiting, done, tail))
    })
}

/// The bytes with which done copies go on behind marks, and those that they take somewhere where the waiting copies do
/// not. `None` where a copy may end right behind a mark.
fn telling_bytes(network: Joined<'_>, heads: &[(u32, u32)]) -> Option<(ByteSet, ByteSet)> {
    let ways = |state: u32| {
        let (tables, index) = network.locate(state);
        (tables.byte_edges_of(index), tables.call_edges_of(index))
    };
    let firsts = |call: &CallEdge| ByteSet::from_words(network.rule(call.callee).first_bytes);
    let is_final = |state: u32| network.state(state).flags & state_flags::FINAL != 0;
    let (mut first, mut telling) = (ByteSet::EMPTY, ByteSet::EMPTY);
    for &(_, done) in heads {
        if is_final(done) {
            return None;
        }
        let (edges, calls) = ways(done);
        first = first.union(bytes_on(edges));
        first = calls.iter().fold(first, |set, call| set.union(firsts(call)));
    }
    let mut seen: FxHashSet<(u32, u32)> = heads.iter().copied().collect();
    let mut open = heads.to_vec();
    while let Some((waiting, done)) = open.pop() {
        if is_final(done) && !is_final(waiting) {
            return Some((first, ByteSet::FULL));
        }
        let (waits, waiting_calls) = ways(waiting);
        let (goes, done_calls) = ways(done);
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
            telling = telling.union(missing);
        }
        for call in done_calls {
            let same = |other: &&CallEdge| (other.callee, other.count) == (call.callee, call.count);
            match waiting_calls.iter().find(same) {
                Some(other) if other.ret != NONE && call.ret != NONE => {
                    let pair = (other.ret, call.ret);
                    open.extend(Some(pair).filter(|&pair| seen.insert(pair)));
                }
                Some(_) => return Some((first, ByteSet::FULL)),
                None => telling = telling.union(firsts(call)),
            }
        }
    }
    Some((first, telling))
}

/// Whether a string is allowed behind a mark in the copy that is done and not in the one that waits.
fn tells_apart(sets: &mut LazyDfa<'_>, waiting: u32, done: u32, string: &[u8]) -> bool {
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
