//! Transitions of the vocabulary's states by single bytes. A state with a plain tail call, a call as the last step of
//! its rule, has the transitions of the callee too.
//!
//! [Bisimilar](super::bisimulation) states count as one state: a transition leads to the lowest state of its target's
//! class.
//!
//! Cost: O(edges) for each state, when it is first asked for.

use std::sync::OnceLock;

use grammarc_artifacts::sections::network::{ByteEdge, CallEdge, NONE, state_flags};
use grammarc_artifacts::tables::Tables;

use crate::ir::ByteSet;

/// The least number of bytes with transitions for which a state is *wide*. The outcomes (tokens and exits) of a wide
/// state are memoised. Wide states take part in the search for equivalent states.
pub(crate) const WIDE: usize = 8;

/// The least number of self-loops (bytes leading back) for which a state of the vocabulary's rules may be a reference.
/// The masks of any other states may be derived from such a state.
pub(crate) const MANY: usize = 64;

/// The least number of self-loops (bytes leading back) for which a state of the vocabulary's rules may be the reference
/// (source of the mask) of a state walked alone. It is lower than [`MANY`] for strings of small letters, such as names.
pub(crate) const SOME: usize = 24;

/// The most nested plain tail calls (calls as a last step) that are resolved for a state. Deeper ones count as calls.
const DEEPEST: usize = 4;

/// The transitions of a state of the vocabulary's rules by single bytes.
#[derive(Clone, Debug)]
pub(crate) struct SharedTransitions {
    /// For each byte, the target of the transition, or [`NONE`]. A target is given by the lowest state that is
    /// bisimilar to it (equivalent on all strings).
    pub(crate) to: [u32; 256],
    /// The transitions as runs of bytes: first byte, last byte (inclusive) and target state. Ascending by byte.
    pub(crate) runs: Vec<(u8, u8, u32)>,
    /// The bytes on which the state has a target.
    pub(crate) on: ByteSet,
    /// The bytes with a transition to a state in which a token may end.
    pub(crate) ends: ByteSet,
    /// The bytes with a transition to a state without edges, in which the rule must return.
    pub(crate) leave: ByteSet,
    /// The bytes that may begin a call from the state, and the bytes with several edges.
    pub(crate) calls: ByteSet,
    /// The first bytes of the maximal ranges of bytes on which all other fields are constant.
    pub(crate) turns: ByteSet,
}

/// Whether the mask of a state of the vocabulary's rules depends on bytes alone. Neither the state nor any rule that it
/// calls, directly or through other rules, then matches tokens by id.
pub(crate) fn speaks_of_bytes(shared: Tables<'_>, state: u32) -> bool {
    let calls = shared.call_edges_of(state as usize);
    shared.token_edges_of(state as usize).is_empty()
        && calls.iter().all(|call| shared.rules[call.callee as usize].first_tokens == 0)
}

/// Returns the sum of the numbers of bytes of some edges. A byte that several edges share is counted for each of them.
pub(crate) fn bytes_of<'a>(edges: impl IntoIterator<Item = &'a ByteEdge>) -> usize {
    edges.into_iter().map(|edge| usize::from(edge.hi() - edge.lo()) + 1).sum()
}

/// Returns the bytes with which a call from a state of the vocabulary's rules may begin.
pub(crate) fn first_of_calls(shared: Tables<'_>, state: u32) -> ByteSet {
    let calls = shared.call_edges_of(state as usize).iter();
    let firsts = calls.map(|call| shared.rules[call.callee as usize].first_bytes);
    firsts.fold(ByteSet::EMPTY, |set, first| set.union(ByteSet::from_words(first)))
}

/// Returns the byte edges of a state of the vocabulary's rules and of the callees of its plain tail calls (calls as a
/// last step), ascending. Also returns the first bytes of its other calls, with the bytes that several of the edges
/// share.
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
    /// Returns the transitions of a state of the vocabulary's rules. `representative` has for each state the lowest
    /// bisimilar one (equivalent on all strings).
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

/// The transitions of all states of the vocabulary's rules, each computed when it is first asked for.
#[derive(Default)]
pub(crate) struct Transitions {
    /// For each state of the vocabulary's rules, the lowest bisimilar state (equivalent on all strings).
    representative: Vec<u32>,
    /// For each state of the vocabulary's rules, its transitions by single bytes, once they are computed.
    of: Vec<OnceLock<Box<SharedTransitions>>>,
}

impl Transitions {
    /// Returns a table in which no transitions are computed yet. `representative` has for each state of the
    /// vocabulary's rules the lowest bisimilar one (equivalent on all strings).
    pub(crate) fn new(representative: Vec<u32>) -> Self {
        Self { of: representative.iter().map(|_| OnceLock::new()).collect(), representative }
    }

    /// Returns the lowest state that is bisimilar (equivalent on all strings) to a state of the vocabulary's rules.
    pub(crate) fn representative(&self, state: u32) -> u32 {
        self.representative[state as usize]
    }

    /// Returns the transitions of a state of the vocabulary's rules by single bytes. They are computed at the first
    /// request.
    pub(crate) fn of(&self, shared: Tables<'_>, state: u32) -> &SharedTransitions {
        let new = || SharedTransitions::new(shared, state, &self.representative).into();
        self.of[state as usize].get_or_init(new)
    }
}

/// Whether a call is a plain tail call: the last step of its rule, without a change of a register. Its callee must not
/// begin with a token matched by id.
pub(crate) fn is_plain_tail(shared: Tables<'_>, call: &CallEdge) -> bool {
    let callee = &shared.rules[call.callee as usize];
    let first = &shared.states[callee.first_state as usize];
    call.ret == NONE && call.count == 0 && first.count_exit == NONE && callee.first_tokens == 0
}
