//! The first test: whether one state's ways on begin with different bytes, the LL(1) condition on automata.

use crate::network::follow::Follow;

/// Whether a state's ways on begin with different bytes, also from those of all that may follow its rule.
pub(super) fn is_deterministic(follow: &Follow<'_>, state: u32) -> bool {
    let (first, shared) = follow.first(state);
    let after = follow.bytes(follow.rule_of(state));
    !shared && (!follow.is_final(state) || first.intersect(after).is_empty())
}

/// Whether the ways on from all states of the vocabulary's rules do.
pub(super) fn shared_are_deterministic(follow: &Follow<'_>) -> bool {
    let shared = follow.shared();
    let end = |rule: u32| shared.past_end[rule as usize];
    let mut widened = follow.widened().iter();
    shared.are_deterministic
        && widened.all(|&rule| end(rule).intersect(follow.bytes(rule)).is_empty())
}
