//! A grammar's own states that do nothing but a tail call of an own rule.
//!
//! Each place of a long chain is two states: `x{1,9}` begins with an `x`, and then stands before the call of `x{1,8}`,
//! final. That state does with every string but the empty one what the called rule does from its first state on, so what
//! becomes of the strings of the trie is found for the first state and is that of the other too, but for the root.

use grammarc_artifacts::sections::network::NONE;

use super::own_transitions::DEEPEST;
use crate::network::follow::Follow;

/// The state that the calls of an own state begin in which does nothing else, if the same bytes may come after both rules, since a
/// rule is taken to be left only before such bytes.
pub(crate) fn first(follow: &Follow<'_>, state: u32) -> Option<u32> {
    let mut first = begun(follow, state)?;
    for _ in 0..DEEPEST {
        match begun(follow, first) {
            Some(next) => first = next,
            None => {
                let [one, other] = [state, first].map(|state| follow.bytes(follow.rule_of(state)));
                return (one == other).then_some(first);
            }
        }
    }
    None
}

/// The state that the only thing that a state does begins in.
fn begun(follow: &Follow<'_>, state: u32) -> Option<u32> {
    let network = follow.network();
    let own = network.own;
    let index = (state - own.bases.states) as usize;
    let [call] = own.call_edges_of(index) else { return None };
    let is_tail = call.ret == NONE && call.callee >= own.bases.rules;
    let is_alone = own.byte_edges_of(index).is_empty() && own.token_edges_of(index).is_empty();
    (is_tail && is_alone).then(|| network.rule(call.callee).first_state)
}
