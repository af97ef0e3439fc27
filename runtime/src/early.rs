//! Masks of a grammar whose own masks are still computed: found by a walk along the token trie when they are asked for.
//!
//! An early grammar has the states and edges of the complete one and no mask of its own. The vocabulary's rules have
//! theirs, so a position within a shared string, which is where walks would take longest, reads its base mask; what goes on
//! behind is found from the nodes of its exit class. In an own state the walk begins at the root.
//!
//! Invariant: the tokens are those of the complete grammar's mask as it is stored, in which items that must differ may be
//! equal, but for tokens that meet a limit of the matcher, which are left out here and refused when they are accepted there.
//!
//! Cost: O(trie nodes that are read), from microseconds where little may come next to some tens of milliseconds where nearly
//! anything may. It is paid until the masks are there.

use grammarc_artifacts::MaskPool;

use crate::below::Below;
use crate::grammar::Grammar;
use crate::pool;
use crate::position::{Configuration, Configurations};
use crate::run::returned;
use crate::stack::Frames;
use crate::step::{Calls, Limits, Machine};

/// The root of the token trie.
const ROOT: u32 = 0;

/// Adds the tokens that a position of an early grammar allows besides the masks of the vocabulary's rules, in no order.
pub(crate) fn collect(
    grammar: &Grammar,
    frames: &mut Frames,
    limits: Limits,
    position: &[Configuration],
    below: &mut Below,
    listed: &mut Vec<u32>,
) {
    let machine = grammar.lenient_machine(limits);
    let first_own = machine.tables.own.bases.states;
    for &at in position {
        match at.state < first_own {
            true => behind(grammar, &machine, frames, at, below, listed),
            false => below_node(grammar, &machine, frames, (at, ROOT), below, listed),
        }
    }
}

/// Adds the tokens that go on behind the shared rule that a configuration is in.
fn behind(
    grammar: &Grammar,
    machine: &Machine<'_>,
    frames: &mut Frames,
    at: Configuration,
    below: &mut Below,
    listed: &mut Vec<u32>,
) {
    let shared = machine.tables.shared;
    let Some((class, frame)) = grammar.chains().left_to_own(frames, at) else { return };
    let class = shared.classes[class as usize];
    let nodes = &shared.class_nodes[class.first as usize..][..class.len as usize];
    let from = returned(frames, frame);
    for &node in nodes {
        below_node(grammar, machine, frames, (from, node), below, listed);
    }
}

/// The tokens below a node that a configuration reads, and at the root those that it reads as wholes.
fn below_node(
    grammar: &Grammar,
    machine: &Machine<'_>,
    frames: &mut Frames,
    (at, node): (Configuration, u32),
    below: &mut Below,
    listed: &mut Vec<u32>,
) {
    if node == ROOT && !grammar.edge_tokens().is_empty() {
        whole_tokens(grammar, machine, frames, at, listed);
    }
    below.collect(grammar, machine, frames, (at, node), listed);
}

/// The tokens of the token edges that a configuration reaches without input.
fn whole_tokens(
    grammar: &Grammar,
    machine: &Machine<'_>,
    frames: &mut Frames,
    at: Configuration,
    listed: &mut Vec<u32>,
) {
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
    // At a limit the accept of any of them meets the same.
    if closed.is_err() {
        return;
    }
    let tokens = (0..).zip(&row).flat_map(|(at, &word)| {
        (0..u32::BITS).filter(move |bit| word >> bit & 1 != 0).map(move |bit| at * u32::BITS + bit)
    });
    listed.extend(tokens);
}
