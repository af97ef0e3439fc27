//! The tokens of a position within a packed string set, found by a walk of bounded work.
//!
//! A packed string set has as many nodes as its texts have bytes, too many for a mask each. Nearly all nodes lead to
//! one text or a few. There a walk along the token trie finds the tokens in less time than it takes to read a row of
//! the mask. Tokens that continue after a text are tried in the calling rules, byte by byte.
//!
//! A walk looks at [`WALKED`](grammarc_artifacts::packed_strings::WALKED) trie nodes at most. Nodes that need more have
//! stored masks and exit classes, found by address.
//!
//! Cost of a mask: some hundred trie nodes for each configuration, or a binary search if the mask is stored. An accept
//! reads each byte in the [machine](crate::step::machine).

use grammarc_artifacts::packed_strings::{TrieWalk, WALKED};
use grammarc_artifacts::sections::network::state_flags;

use super::subtree_walk::{Start, SubtreeWalk, Walked};
use crate::mask::chains::Exit;
use crate::mask::parts::PartList;
use crate::position::Configuration;
use crate::position::stack::{BOTTOM, Frames};
use crate::step::machine::Machine;

/// Buffers of a walk along the token trie and a packed string set.
#[derive(Debug, Default)]
pub(super) struct PackedWalk {
    /// Worklist of pairs: the address of a node of the set, and a node of the token trie.
    open: Vec<(u32, u32)>,
    /// Trie nodes at which a text of the set ends and longer tokens continue.
    left: Vec<u32>,
}

/// The lists to which a walk adds what it finds.
pub(super) struct Found<'a> {
    /// Stored masks that the position allows.
    pub(super) parts: &'a mut PartList,
    /// Ids of allowed tokens that no stored mask has, in no order.
    pub(super) tokens: &'a mut Vec<u32>,
}

impl PackedWalk {
    /// Adds the stored masks and the tokens that a position allows, for its configurations within packed string sets.
    /// The tokens are in no order. Tokens that meet a limit are left out.
    pub(super) fn collect(
        &mut self,
        walked: &mut Walked<'_>,
        position: &[Configuration],
        subtree: &mut SubtreeWalk,
        found: &mut Found<'_>,
    ) {
        let machine = walked.machine;
        let high_fanout = machine.tables.own.high_fanout;
        for &at in position.iter().filter(|at| machine.packed.contains(at.state)) {
            match high_fanout.binary_search_by_key(&at.count, |record| record.node) {
                Ok(index) => {
                    let record = high_fanout[index];
                    if machine.tables.mask(record.base).1.count > 0 {
                        found.parts.push(record.base);
                    }
                    let exit = Exit { class: record.exits, frame: at.frame };
                    walked.grammar.chains().add_follows(walked.frames, exit, found.parts);
                }
                Err(_) => self.walk(walked, at, subtree, found),
            }
        }
    }

    /// Adds the stored masks and the tokens that one configuration allows, by a walk. Its node has no stored mask.
    fn walk(
        &mut self,
        walked: &mut Walked<'_>,
        at: Configuration,
        subtree: &mut SubtreeWalk,
        found: &mut Found<'_>,
    ) {
        let Walked { grammar, machine, frames } = &*walked;
        let (vocabulary, runner) = (grammar.vocabulary(), grammar.runner());
        let trie = vocabulary.artifact().trie();
        let strings = machine.tables.packed_strings();
        let Some(first) = machine.packed.first_of(at.state) else { return };
        let ended = ended(machine, frames, first, at);
        // A token may end at each node within the set if a token can end in the return states on the stack.
        let (within, at_end) = (runner.rests(frames, at), runner.rests(frames, ended));
        if at.frame != BOTTOM && strings.node(at.count).is_final() {
            grammar.chains().add(frames, ended, found.parts);
        }
        let Self { open, left } = self;
        left.clear();
        let along = TrieWalk { strings, trie, roots: vocabulary.root_children() };
        along.visit(at.count, open, WALKED, |child, node| {
            if if node.is_end() { at_end } else { within } {
                let tokens = trie.tokens_at(child);
                found.tokens.extend(tokens.map(|rank| trie.token_of_rank[rank as usize]));
            }
            if node.is_final() && at.frame != BOTTOM && !trie.is_leaf(child) {
                left.push(child);
            }
        });
        for &node in &*left {
            subtree.collect(walked, Start { at: ended, node }, found.tokens);
        }
    }
}

/// Returns the configuration at the end of a text of the set, after the return from the set's rule and from further
/// pop-only states. `first` is the first state of that rule.
fn ended(machine: &Machine<'_>, frames: &Frames, first: u32, from: Configuration) -> Configuration {
    let mut at = Configuration { state: first + 2, ..from };
    while at.frame != BOTTOM && machine.state(at.state).flags & state_flags::POP_ONLY != 0 {
        at = frames.returned(at.frame);
    }
    at
}
