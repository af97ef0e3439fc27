//! The tables under examination, as the checks of them read them.

use crate::tables::{Bases, Joined, Tables};

/// The data that the checks of the tables read.
pub(super) struct Context<'a> {
    /// The tables under examination as `own`, behind the vocabulary's. For the vocabulary's own tables both are the
    /// same, and since their bases are zero, `shared` is never asked.
    pub(super) joined: Joined<'a>,
    /// Totals of the joined numbering.
    pub(super) totals: Bases,
    /// Tokens that a mask may hold, as bits.
    pub(super) usable: &'a [u32],
    /// Number of trie nodes.
    pub(super) trie_nodes: u32,
    /// Rule in whose initial state a sequence begins; none in a vocabulary.
    pub(super) start_rule: Option<u32>,
}

/// The own rules with their states: index of the rule, index of its first state, one past the last.
pub(super) fn rules_of(own: &Tables<'_>) -> impl Iterator<Item = (usize, usize, usize)> {
    let base = own.bases.states;
    own.rules.iter().enumerate().map(move |(index, rule)| {
        let first = (rule.first_state - base) as usize;
        (index, first, first + rule.state_count as usize)
    })
}
