//! The tokens of an unmasked grammar, whose own masks are still computed. A walk along the token trie finds them for
//! each mask.
//!
//! An unmasked grammar has the states and edges of the complete one, and no mask of its own. The shared rules of the
//! vocabulary have their masks. So a position within a shared string, where a walk would take longest, reads its base
//! mask. The tokens that leave the string are found from the trie nodes of its exit class. From a state of the grammar
//! itself, the walk begins at the root of the trie.
//!
//! Invariant: the tokens are those of the complete grammar's stored mask, except tokens that meet a limit of the
//! matcher. The complete grammar refuses these when they are accepted.
//!
//! Cost: O(trie nodes that are read). Microseconds if few tokens may come next, some tens of milliseconds if nearly all
//! may.

use grammarc_artifacts::MaskPool;

use super::subtree_walk::{Start, SubtreeWalk, Walked};
use crate::mask::pool;
use crate::position::{Configuration, Configurations};
use crate::step::machine::Calls;

/// Number of the root of the token trie.
const ROOT: u32 = 0;

/// Adds to `tokens` the tokens that a position of an unmasked grammar allows besides the masks of the shared rules.
/// They are in no order.
pub(super) fn collect(
    walked: &mut Walked<'_>,
    position: &[Configuration],
    walk: &mut SubtreeWalk,
    tokens: &mut Vec<u32>,
) {
    let first_own = walked.machine.tables.own.bases.states;
    for &at in position {
        match at.state < first_own {
            true => leave_shared(walked, at, walk, tokens),
            false => below(walked, Start { at, node: ROOT }, walk, tokens),
        }
    }
}

/// Adds the tokens that leave the shared rules of a configuration and continue in a state of the grammar itself.
fn leave_shared(
    walked: &mut Walked<'_>,
    at: Configuration,
    walk: &mut SubtreeWalk,
    tokens: &mut Vec<u32>,
) {
    let shared = walked.machine.tables.shared;
    let Some(exit) = walked.grammar.chains().exit_to_own(walked.frames, at) else { return };
    let class = shared.classes[exit.class as usize];
    let nodes = &shared.class_nodes[class.first as usize..][..class.len as usize];
    let at = walked.frames.returned(exit.frame);
    for &node in nodes {
        below(walked, Start { at, node }, walk, tokens);
    }
}

/// Adds the allowed tokens below a trie node. At the root, also adds the tokens of token edges.
fn below(walked: &mut Walked<'_>, start: Start, walk: &mut SubtreeWalk, tokens: &mut Vec<u32>) {
    if start.node == ROOT && !walked.grammar.edge_tokens().is_empty() {
        whole_tokens(walked, start.at, tokens);
    }
    walk.collect(walked, start, tokens);
}

/// Adds the allowed tokens of the token edges in the epsilon closure of a configuration. Adds none if a limit is met.
fn whole_tokens(walked: &mut Walked<'_>, at: Configuration, tokens: &mut Vec<u32>) {
    let Walked { grammar, machine, frames } = walked;
    let (pool, runner) = (MaskPool::from(&machine.tables), grammar.runner());
    let mut closure = Configurations::default();
    let mut row = vec![0; machine.tables.own.row_words as usize];
    let closed = machine.close(frames, &[at], &mut closure, Calls::OnTokens, |frames, at| {
        let (tables, index) = machine.tables.locate(at.state);
        for edge in tables.token_edges_of(index) {
            let target = machine.arrive(frames, at, edge.target);
            if runner.rests(frames, target) {
                pool::or_into(pool.mask(edge.tokens), 0, &mut row);
            }
        }
        Ok(())
    });
    // The accept of each of these tokens meets the same limit.
    if closed.is_err() {
        return;
    }
    let allowed = (0..).zip(&row).flat_map(|(at, &word)| {
        (0..u32::BITS).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at * u32::BITS + bit)
    });
    tokens.extend(allowed);
}
