//! The first test for whole tokens: no two transitions of a state can read the same token.
//!
//! A text token can be read as a whole or byte by byte, so the test fails if some set of tokens
//! contains one. Of a called rule, and of what follows a rule, the test knows only whether it may
//! begin with a token. That is enough for free text with special tokens in it: the states of such
//! text read the tokens by their own edges.
//!
//! Cost: O(states of the grammar itself, their edges, and the tokens in their sets).

use grammarc_artifacts::sections::network::{CallEdge, NONE};
use rustc_hash::FxHashSet;

use super::super::follow::Follow;
use super::super::normal_form::Network;

/// Whether at most one transition from each of the grammar's states reads any given token. The
/// transitions of states that may follow the state's rule count too.
pub(super) fn are_deterministic(
    network: &Network,
    follow: &Follow<'_>,
    is_text: &dyn Fn(u32) -> bool,
) -> bool {
    if network.token_sets.iter().flatten().any(|&token| is_text(token)) {
        return false;
    }
    let joined = follow.network();
    let own = joined.own;
    let states = own.bases.states..own.bases.states + own.state_count();
    let index = |state: u32| (state - own.bases.states) as usize;
    let may_begin = |call: &&CallEdge| joined.rule(call.callee).first_tokens != 0;
    let reads = |state: u32| joined.may_read_token(state);
    // The rules that a token may follow. Such a rule returns to a state that reads a token, or is
    // called at the end of such a rule.
    let mut followed = FxHashSet::default();
    let mut open = Vec::new();
    for state in states.clone() {
        for call in own.call_edges_of(index(state)) {
            let is_read = match call.ret {
                NONE => false,
                ret if joined.state(ret).count_exit == NONE => reads(ret),
                ret => joined.arrivals(ret).into_iter().any(reads),
            };
            if is_read && followed.insert(call.callee) {
                open.push(call.callee);
            }
        }
    }
    while let Some(rule) = open.pop() {
        open.extend(follow.passes(rule).filter(|&callee| followed.insert(callee)));
    }
    let mut seen = FxHashSet::default();
    states.clone().all(|state| {
        let edges = own.token_edges_of(index(state));
        seen.clear();
        let sets = edges.iter().map(|edge| &network.token_sets[edge.tokens as usize]);
        let are_apart = sets.flatten().all(|&token| seen.insert(token));
        let calls = own.call_edges_of(index(state)).iter().filter(may_begin).count();
        let is_followed = follow.is_final(state) && followed.contains(&follow.rule_of(state));
        are_apart
            && usize::from(!edges.is_empty()) + calls + usize::from(is_followed && reads(state))
                <= 1
    })
}
