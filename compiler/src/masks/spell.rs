//! Where a token may end: states from which whole tokens lead on.
//!
//! A vocabulary with all 256 single-byte tokens spells everything. Real ones miss some (SmolLM2 has 235), and then a
//! state can be alive in bytes and dead in tokens. Such states stay in the network, since a longer token may pass
//! through them, but lose the flag that lets a token end there.
//!
//! A state rests if it is final, or if some token leads from it to a state that rests over frames that rest, all within
//! its rule. This is a least fixpoint, first over single bytes, then, for what is left, over whole tokens. With every
//! configuration and frame at rest, the way from each to the end of its rule is spelled by whole tokens, so no
//! configuration is a dead end. A way that only tokens reaching beyond the end of the rule could spell is not counted.

use grammarc_artifacts::sections::network::{NONE, state_flags};
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::Tables;

use super::walk::Walker;
use crate::ir::ByteSet;
use crate::network::Network;
use crate::network::follow::Follow;

/// Bytes that are tokens by themselves.
pub fn single_bytes(trie: Trie<'_>) -> ByteSet {
    let single = |&child: &u32| !trie.tokens_at(child).is_empty();
    trie.children(0).filter(single).map(|child| trie.byte[child as usize]).collect()
}

/// Clears the rest flag of every state that no sequence of tokens leads on from, and returns those states.
pub fn mark(network: &mut Network, shared: Tables<'_>, trie: Trie<'_>) -> Vec<u32> {
    let spelled = single_bytes(trie);
    if spelled == ByteSet::FULL {
        return Vec::new();
    }
    let base = network.tables.bases.states;
    let count = network.tables.states.len() - 1;
    let mut rests = vec![false; count];
    let known = |rests: &[bool], state: u32| match state.checked_sub(base) {
        Some(own) => rests[own as usize],
        None => shared.states[state as usize].flags & state_flags::RESTS != 0,
    };
    loop {
        let before = rests.clone();
        let joined = network.joined(shared);
        let own = joined.own;
        for index in (0..count).filter(|&index| !before[index]) {
            let on_byte = || {
                own.byte_edges_of(index).iter().any(|edge| {
                    let spells = (edge.lo()..=edge.hi()).any(|byte| spelled.contains(byte));
                    spells && known(&rests, edge.target)
                })
            };
            let on_call = || {
                own.call_edges_of(index).iter().any(|call| {
                    let begins = known(&rests, joined.rule(call.callee).first_state);
                    begins && (call.ret == NONE || known(&rests, call.ret))
                })
            };
            let on_token = || own.token_edges_of(index).iter().any(|e| known(&rests, e.target));
            let is_final = own.states[index].flags & state_flags::FINAL != 0;
            rests[index] = is_final || on_byte() || on_call() || on_token();
        }
        set_flags(network, &rests);
        if rests != before {
            continue;
        }
        let follow = Follow::new(network.joined(shared), &network.open);
        let mut walker = Walker::new(&follow, trie);
        for index in (0..count).filter(|&index| !before[index]) {
            rests[index] = !walker.base(base + index as u32).spans.is_empty();
        }
        drop(walker);
        set_flags(network, &rests);
        if rests == before {
            let stuck = rests.iter().enumerate().filter(|(_, rests)| !**rests);
            return stuck.map(|(index, _)| base + index as u32).collect();
        }
    }
}

fn set_flags(network: &mut Network, rests: &[bool]) {
    for (record, &rests) in network.tables.states.iter_mut().zip(rests) {
        record.flags &= !state_flags::RESTS;
        record.flags |= if rests { state_flags::RESTS } else { 0 };
    }
}
