//! The tables under examination, with the totals and bounds that their numbers are compared with.

use crate::tables::{Bases, Joined, Tables};

/// The tables under examination, with the data that the checks compare them with.
pub(super) struct Context<'a> {
    /// The tables under examination as `own`, after the vocabulary's as `shared`. For a vocabulary both are its own tables.
    /// Their bases are zero, so `shared` is not read then.
    pub(super) joined: Joined<'a>,
    /// Totals of the joined numbering.
    pub(super) totals: Bases,
    /// Tokens that a mask may hold, as bits.
    pub(super) usable: &'a [u32],
    /// Number of trie nodes.
    pub(super) trie_nodes: u32,
    /// Rule in whose initial state a sequence begins. `None` for a vocabulary.
    pub(super) start_rule: Option<u32>,
}

/// The own rules with their states: index of the rule, index of its first state, index after its last state.
pub(super) fn rules_of(own: &Tables<'_>) -> impl Iterator<Item = (usize, usize, usize)> {
    let base = own.bases.states;
    own.rules.iter().enumerate().map(move |(index, rule)| {
        let first = (rule.first_state - base) as usize;
        (index, first, first + rule.state_count as usize)
    })
}
