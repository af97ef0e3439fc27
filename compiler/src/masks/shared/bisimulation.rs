//! Bisimulation of the states of the vocabulary's rules: a stored outcome of a state holds for all states of its class.
//!
//! In the vocabulary, the rest of a string is a rule, and so is the rest of a string that is not empty. Each has its
//! own states within a character, and both reach the same state by a tail call. Two states are bisimilar if their flags
//! and transitions are equal once the targets of edges are replaced by their classes. A state with nothing but a tail
//! call is in the class of the callee's first state. This finds most equivalences that a minimization across rules
//! would find, and no wrong one.
//!
//! Cost: O(states and edges) for each round. States are visited after their targets, so the first round finds every
//! equivalence that is not on a cycle. There is one more round for each cycle found after another, and a last one.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::tables::{Joined, Tables};
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::graph::{by_component, components_by};

/// Returns for each state of the vocabulary's rules the lowest state that is known to be bisimilar to it (equivalent on
/// all strings).
pub(crate) fn bisimilar(shared: Tables<'_>) -> Vec<u32> {
    let mut like: Vec<u32> = (0..shared.state_count()).collect();
    let mut after = vec![0u32; like.len()];
    for (index, rule) in (0..).zip(shared.rules) {
        // The exits of a rule depend on its FOLLOW bytes, so states of rules with different FOLLOW bytes are never
        // merged.
        let same = shared.rules.iter().position(|other| other.after_bytes == rule.after_bytes);
        let same = same.map_or(index, |same| same as u32);
        let first = rule.first_state as usize;
        after[first..first + rule.state_count as usize].fill(same);
    }
    // The targets of a state come before it, so that a chain of states is merged in one round.
    let order = by_component(&components_by(like.len(), |state| leads_to(shared, state)));
    let mut changed = true;
    let mut key = Vec::new();
    while changed {
        changed = false;
        let mut seen: FxHashMap<Box<[u32]>, u32> =
            FxHashMap::with_capacity_and_hasher(like.len(), FxBuildHasher);
        for &state in &order {
            let state = state as usize;
            if like[state] != state as u32 {
                continue;
            }
            let found = match begins(shared, state) {
                Some(target) => like[target as usize],
                None => {
                    key.clear();
                    describe(shared, state, &like, &mut key);
                    key.push(after[state]);
                    match seen.get(&key[..]) {
                        Some(&other) => other,
                        None => {
                            seen.insert(key[..].into(), state as u32);
                            state as u32
                        }
                    }
                }
            };
            changed |= found != state as u32;
            like[state] = found;
        }
        for state in 0..like.len() {
            like[state] = like[like[state] as usize];
        }
    }
    let mut lowest = vec![NONE; like.len()];
    for (state, &class) in (0..).zip(&like) {
        let lowest = &mut lowest[class as usize];
        *lowest = state.min(*lowest);
    }
    like.iter_mut().for_each(|class| *class = lowest[*class as usize]);
    like
}

/// Returns the states that decide whether a state of the vocabulary's rules is bisimilar to others. These are its
/// targets, its count exit (state after a counter's end), and the first state of its callee.
fn leads_to(shared: Tables<'_>, state: usize) -> impl DoubleEndedIterator<Item = usize> {
    let edges = shared.byte_edges_of(state).iter().map(|edge| edge.target as usize);
    let exit = shared.states[state].exit();
    let others = exit.into_iter().chain(begins(shared, state));
    edges.chain(others.map(|other| other as usize))
}

/// For a state that does nothing but a tail call, returns the first state of the callee. `None` for every other state,
/// and if a token may end in only one of the two states.
fn begins(shared: Tables<'_>, state: usize) -> Option<u32> {
    let record = shared.states[state];
    let [call] = shared.call_edges_of(state) else { return None };
    let alone = shared.byte_edges_of(state).is_empty()
        && shared.token_edges_of(state).is_empty()
        && record.flags & state_flags::FINAL == 0
        && record.count_exit == NONE
        && call.ret == NONE
        && call.count == 0;
    let first = Joined { shared, own: shared }.rule(call.callee).first_state;
    let rests = (record.flags ^ shared.states[first as usize].flags) & state_flags::RESTS == 0;
    (alone && rests).then_some(first)
}

/// Replaces `words` by the flags and transitions of a state. The words are equal for bisimilar states (equivalent on
/// all strings). `like` has, for each state, the lowest state known to be bisimilar to it.
fn describe(shared: Tables<'_>, state: usize, like: &[u32], words: &mut Vec<u32>) {
    let record = shared.states[state];
    let flags = match record.flags & state_flags::POP_ONLY {
        0 => record.flags,
        _ => record.flags & !state_flags::ABSORBING,
    };
    let known = |state: u32| if state == NONE { NONE } else { like[state as usize] };
    // The number that a counter is set to is not a state.
    words.extend([flags, record.exit().map_or(record.count_exit, known)]);
    for edge in shared.byte_edges_of(state) {
        words.extend([edge.range, known(edge.target)]);
    }
    words.push(NONE);
    for call in shared.call_edges_of(state) {
        words.extend([call.callee, call.ret, call.count]);
    }
    words.push(NONE);
    for edge in shared.token_edges_of(state) {
        words.extend([edge.tokens, edge.target]);
    }
}
