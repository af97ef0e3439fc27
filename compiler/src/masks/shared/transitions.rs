//! Transitions of the vocabulary's own states by single bytes, with plain tail calls looked through.
//!
//! States that do the same ([`bisimulation`](super::bisimulation)) are one here: a transition leads to the lowest of
//! them.
//!
//! Cost: O(edges) for each state, when it is first asked for.

use std::sync::OnceLock;

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Tables;

use crate::ir::ByteSet;

/// Bytes with transitions from which on a state is wide: its outcomes are kept, and it is classified with equivalent
/// states.
pub(crate) const WIDE: usize = 8;

/// Bytes with self-loops from which on a state is a reference for any other.
pub(crate) const MANY: usize = 64;

/// The same for a state that is asked for alone, as in names of small letters.
pub(crate) const SOME: usize = 24;

/// Tail calls that are looked through, one from the beginning of the other.
const DEEPEST: usize = 4;

/// Transitions of a shared state by single bytes.
#[derive(Clone, Debug)]
pub(crate) struct SharedTransitions {
    /// By byte, the state (the lowest of equal ones), or [`NONE`].
    pub(crate) to: [u32; 256],
    /// The same as runs of bytes that lead somewhere, in ascending order.
    pub(crate) runs: Vec<(u8, u8, u32)>,
    /// The bytes of the runs.
    pub(crate) on: ByteSet,
    /// Bytes after which a token may end.
    pub(crate) ends: ByteSet,
    /// Bytes that lead out of the rule, and nowhere else.
    pub(crate) leave: ByteSet,
    /// Bytes with which calls begin.
    pub(crate) calls: ByteSet,
    /// Bytes from which on something of this is another.
    pub(crate) turns: ByteSet,
}

/// Whether a state's base mask has no tokens that are matched by id, whose bytes do not matter.
pub(crate) fn speaks_of_bytes(shared: Tables<'_>, state: u32) -> bool {
    let calls = shared.call_edges_of(state as usize);
    shared.token_edges_of(state as usize).is_empty()
        && calls.iter().all(|call| shared.rules[call.callee as usize].first_tokens == 0)
}

/// Number of bytes of some edges.
pub(crate) fn bytes_of<'a>(edges: impl IntoIterator<Item = &'a ByteEdge>) -> usize {
    edges.into_iter().map(|edge| usize::from(edge.hi() - edge.lo()) + 1).sum()
}

/// Bytes with which the calls of a state begin.
pub(crate) fn first_of_calls(shared: Tables<'_>, state: u32) -> ByteSet {
    let calls = shared.call_edges_of(state as usize).iter();
    let firsts = calls.map(|call| shared.rules[call.callee as usize].first_bytes);
    firsts.fold(ByteSet::EMPTY, |set, first| set.union(ByteSet::from_words(first)))
}

/// Returns the byte edges of a state and of the callees of its tail calls, ascending. Also returns the first bytes of
/// its other calls, and the bytes that several of these share.
fn edges_through(shared: Tables<'_>, state: u32) -> (Vec<ByteEdge>, ByteSet) {
    let (mut edges, mut calls, mut on) = (Vec::new(), ByteSet::EMPTY, ByteSet::EMPTY);
    let mut work = vec![(state, 0)];
    while let Some((state, depth)) = work.pop() {
        for &edge in shared.byte_edges_of(state as usize) {
            let bytes = ByteSet::range(edge.lo(), edge.hi());
            calls = calls.union(bytes.intersect(on));
            on = on.union(bytes);
            edges.push(edge);
        }
        for call in shared.call_edges_of(state as usize) {
            let callee = &shared.rules[call.callee as usize];
            match is_plain_tail(shared, call) && depth < DEEPEST {
                true => work.push((callee.first_state, depth + 1)),
                false => {
                    let bytes = ByteSet::from_words(callee.first_bytes);
                    calls = calls.union(bytes);
                }
            }
        }
    }
    edges.sort_unstable_by_key(|edge| edge.lo());
    (edges, calls)
}

impl SharedTransitions {
    /// Returns the transitions of a state. `representative` has for each state the lowest equivalent one.
    fn new(shared: Tables<'_>, state: u32, representative: &[u32]) -> Self {
        let (edges, calls) = edges_through(shared, state);
        let none = ByteSet::EMPTY;
        let (to, runs) = ([NONE; 256], Vec::new());
        let mut moves = Self { to, runs, on: none, ends: none, leave: none, calls, turns: none };
        for edge in edges {
            let bytes = ByteSet::range(edge.lo(), edge.hi());
            let flags = shared.states[edge.target as usize].flags;
            if flags & state_flags::POP_ONLY != 0 {
                moves.leave = moves.leave.union(bytes);
            } else {
                let target = representative[edge.target as usize];
                moves.to[usize::from(edge.lo())..=usize::from(edge.hi())].fill(target);
                moves.runs.push((edge.lo(), edge.hi(), target));
                moves.on = moves.on.union(bytes);
                if flags & state_flags::RESTS != 0 {
                    moves.ends = moves.ends.union(bytes);
                }
            }
        }
        let runs = moves.runs.iter().map(|&(lo, hi, _)| ByteSet::range(lo, hi));
        let sets = [moves.ends, moves.leave, calls].into_iter();
        moves.turns = ByteSet::turns_of(sets.chain(runs));
        moves
    }
}

/// The transitions of all shared states, each found when it is first asked for.
#[derive(Default)]
pub(crate) struct Transitions {
    /// By state, the lowest that does the same.
    representative: Vec<u32>,
    of: Vec<OnceLock<Box<SharedTransitions>>>,
}

impl Transitions {
    /// None yet; `representative` has for each state the lowest equivalent one.
    pub(crate) fn new(representative: Vec<u32>) -> Self {
        Self { of: representative.iter().map(|_| OnceLock::new()).collect(), representative }
    }

    /// The lowest state that does the same as this one.
    pub(crate) fn representative(&self, state: u32) -> u32 {
        self.representative[state as usize]
    }

    /// The transitions of a state.
    pub(crate) fn of(&self, shared: Tables<'_>, state: u32) -> &SharedTransitions {
        let new = || SharedTransitions::new(shared, state, &self.representative).into();
        self.of[state as usize].get_or_init(new)
    }
}

/// Whether a call does no more than to go on in another rule.
pub(crate) fn is_plain_tail(shared: Tables<'_>, call: &CallEdge) -> bool {
    let callee = &shared.rules[call.callee as usize];
    let first = &shared.states[callee.first_state as usize];
    call.ret == NONE && call.count == 0 && first.count_exit == NONE && callee.first_tokens == 0
}
