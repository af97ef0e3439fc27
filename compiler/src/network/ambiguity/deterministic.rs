//! The first test, the LL(1) condition on automata: the edges and calls of each state begin with
//! disjoint bytes.

use crate::network::follow::Follow;

/// Whether the edges and calls of a state begin with disjoint bytes. If the state is final, these
/// bytes also have to be disjoint from the FOLLOW bytes of its rule.
pub(super) fn is_deterministic(follow: &Follow<'_>, state: u32) -> bool {
    let (first, shared) = follow.first(state);
    let after = follow.bytes(follow.rule_of(state));
    !shared && (!follow.is_final(state) || first.intersect(after).is_empty())
}

/// Whether all states of the vocabulary's rules meet the LL(1) condition, with the FOLLOW bytes
/// that the grammar's calls add.
pub(super) fn shared_are_deterministic(follow: &Follow<'_>) -> bool {
    let shared = follow.shared();
    let end = |rule: u32| shared.past_end[rule as usize];
    let mut widened = follow.widened().iter();
    shared.are_deterministic
        && widened.all(|&rule| end(rule).intersect(follow.bytes(rule)).is_empty())
}
