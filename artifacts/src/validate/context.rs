//! The tables that are being checked, with the totals and bounds for their numbers.

use crate::tables::{Bases, Joined, Tables};

/// The tables that are being checked, with the numbers with which the checks compare them.
pub(super) struct Context<'a> {
    /// Tables that are being checked as `own`, and the vocabulary's as `shared`. For a vocabulary both are its own
    /// tables. The bases are zero then, so `shared` is not read.
    pub(super) joined: Joined<'a>,
    /// Number of rules, states, masks, rows and classes of both tables together.
    pub(super) totals: Bases,
    /// Bitmask of the tokens that a mask may contain: token `t` is bit `t % 32` of word `t / 32`.
    pub(super) usable: &'a [u32],
    /// Number of nodes of the token trie.
    pub(super) trie_nodes: u32,
    /// Id of the rule in whose initial state a sequence begins. `None` for a vocabulary.
    pub(super) start_rule: Option<u32>,
}

/// Returns the rules of these tables: index of the rule, index of its first state, exclusive end of its states.
pub(super) fn rules_of(own: &Tables<'_>) -> impl Iterator<Item = (usize, usize, usize)> {
    let base = own.bases.states;
    own.rules.iter().enumerate().map(move |(index, rule)| {
        let first = (rule.first_state - base) as usize;
        (index, first, first + rule.state_count as usize)
    })
}
