//! Tokens that a state matches by their ids. They have no rank in the trie.

use grammarc_artifacts::TablesData;
use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashSet;

use crate::masks::encode::encoder::{Computed, Encoder};
use crate::masks::encode::pool::{Pool, stored};
use crate::network::Network;
use crate::network::lazy_dfa::{BOTTOM, LazyDfa};

/// Returns, for each set of tokens that some state matches by id, the id of the mask with these tokens. The result is
/// in the order of `network.token_sets`. New masks are added to `pool`.
pub(crate) fn masks(network: &Network, pool: &mut Pool<'_>, encoder: &Encoder<'_>) -> Vec<u32> {
    let sets = network.token_sets.iter().map(|ids| {
        let found = Computed { extra: ids.clone(), ..Computed::default() };
        let set = pool.set(encoder, &found);
        pool.mask(set)
    });
    sets.collect()
}

/// Replaces the index of the token set by the id of its mask in each token edge, a transition on tokens matched by id.
/// `masks` has the ids by index.
pub(crate) fn name(tables: &mut TablesData, masks: &[u32]) {
    tables.token_edges.iter_mut().for_each(|edge| edge.tokens = masks[edge.tokens as usize]);
}

/// Returns the ids of the tokens that a state consumes by token edges, ascending. Tokens of rules that the state may
/// call first are included. A token is left out if no token may end in the state after it. `sets` is the lazily
/// determinized automaton of the rules.
pub(crate) fn tokens_of(network: &Network, sets: &mut LazyDfa<'_>, state: u32) -> Vec<u32> {
    let joined = sets.network();
    if !joined.reads_tokens() {
        return Vec::new();
    }
    let mut ids = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![(state, BOTTOM)];
    while let Some((state, frame)) = work.pop() {
        if !seen.insert((state, frame)) {
            continue;
        }
        let (tables, index) = joined.locate(state);
        let own = state >= network.tables.bases.states;
        for edge in tables.token_edges_of(index) {
            if !sets.after_returns(edge.target, frame).ends {
                continue;
            }
            if own {
                ids.extend_from_slice(&network.token_sets[edge.tokens as usize]);
            } else {
                ids.extend(stored(joined.shared, edge.tokens));
            }
        }
        for call in tables.call_edges_of(index) {
            let callee = joined.rule(call.callee);
            if callee.first_tokens != 0 {
                let frame = if call.ret == NONE { frame } else { sets.push(call.ret, frame) };
                work.push((callee.first_state, frame));
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    ids
}
