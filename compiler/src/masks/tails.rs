//! A grammar's own states that do nothing but a tail call of an own rule.
//!
//! Each place of a long chain is two states: `x{1,9}` begins with an `x`, and then stands before the call of `x{1,8}`,
//! final. That state does with every string but the empty one what the called rule does from its first state on, so what
//! becomes of the strings of the trie is found for the first state and is that of the other too, but for the root.
//!
//! Cost: O(own states), and O(log n) for each question, where there are `n` of these.

use grammarc_artifacts::sections::network::NONE;

use super::agree::DEEPEST;
use crate::network::follow::Follow;

/// These states, and where they lead.
#[derive(Clone, Debug, Default)]
pub(super) struct Tails {
    /// In ascending order.
    states: Vec<u32>,
    /// The state that the call of each begins in, which does more than a tail call itself, before the state itself; in
    /// ascending order.
    by_first: Vec<(u32, u32)>,
}

impl Tails {
    /// Those of a network.
    pub(super) fn new(follow: &Follow<'_>) -> Self {
        let own = follow.network().own;
        let states = (own.bases.states..).take(own.state_count() as usize);
        let tails = states.filter_map(|state| Some((first(follow, state)?, state)));
        let mut by_first: Vec<(u32, u32)> = tails.collect();
        let states = by_first.iter().map(|&(_, state)| state).collect();
        by_first.sort_unstable();
        Self { states, by_first }
    }

    /// Whether an own state is one.
    pub(super) fn contains(&self, state: u32) -> bool {
        self.states.binary_search(&state).is_ok()
    }

    /// Those whose calls begin in a state, in ascending order.
    pub(super) fn before(&self, first: u32) -> impl Iterator<Item = u32> + '_ {
        let from = self.by_first.partition_point(|&(other, _)| other < first);
        self.by_first[from..].iter().take_while(move |pair| pair.0 == first).map(|pair| pair.1)
    }
}

/// Where the calls of a state that does nothing else begin, if the same bytes may come after both rules, since a rule is
/// taken to be left only before such bytes.
fn first(follow: &Follow<'_>, state: u32) -> Option<u32> {
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
