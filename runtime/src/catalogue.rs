//! Masks within catalogues: found by a walk of bounded work where none is stored.
//!
//! A catalogue has as many nodes as its texts have bytes, too many for a mask each. Nearly all of them lead to one text
//! or a few, and then a walk along the token trie finds the tokens sooner than a row of the mask is read. Tokens that
//! go on behind a text are tried in the callers, byte by byte. The nodes that a walk looks at are bounded by
//! [`WALKED`](grammarc_artifacts::catalogue::WALKED); nodes that take more have stored masks and exit classes, found by
//! their address.
//!
//! Cost of a mask: some hundred trie nodes looked at, `WALKED` at most, for each configuration; a binary search where it
//! is stored. An accept reads such a node byte by byte in the machine of [`step`](crate::step).

use grammarc_artifacts::catalogue::{WALKED, walk};
use grammarc_artifacts::sections::network::state_flags;

use crate::below::Below;
use crate::grammar::Grammar;
use crate::parts::PartList;
use crate::position::Configuration;
use crate::run::returned;
use crate::stack::{BOTTOM, Frames};
use crate::step::{Limits, Machine};

/// The buffers of a walk.
#[derive(Debug, Default)]
pub(crate) struct CatalogueWalk {
    /// Nodes of the catalogue with nodes of the trie that are to be gone on from.
    open: Vec<(u32, u32)>,
    /// Trie nodes at which a text ends and tokens go on.
    left: Vec<u32>,
}

impl CatalogueWalk {
    /// Adds what a position allows by the catalogues that it is in: stored masks to `parts`, and tokens of no stored
    /// mask to a list, both in no order. A token that meets a limit is left out: its accept meets the same.
    pub(crate) fn collect(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        (parts, listed): (&mut PartList, &mut Vec<u32>),
        below: &mut Below,
    ) {
        let (machine, chains) = (grammar.machine(limits), grammar.chains());
        for &at in position.iter().filter(|at| machine.catalogues.contains(at.state)) {
            let crowded = machine.tables.own.crowded;
            match crowded.binary_search_by_key(&at.count, |crowded| crowded.node) {
                Ok(found) => {
                    let crowded = crowded[found];
                    if machine.tables.mask(crowded.base).1.count > 0 {
                        parts.push(crowded.base);
                    }
                    chains.add_below(frames, crowded.exits, at.frame, parts);
                }
                Err(_) => self.walk(grammar, &machine, frames, at, (parts, listed), below),
            }
        }
    }

    /// Collects what a configuration within a catalogue allows.
    fn walk(
        &mut self,
        grammar: &Grammar,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
        (parts, listed): (&mut PartList, &mut Vec<u32>),
        below: &mut Below,
    ) {
        let (vocabulary, runner) = (grammar.vocabulary(), grammar.runner());
        let trie = vocabulary.artifact().trie();
        let catalogue = machine.tables.catalogue();
        let Some(first) = machine.catalogues.first_of(at.state) else { return };
        let ended = ended(machine, frames, first, at);
        // Within a catalogue tokens may end everywhere; whether they may depends on what is below.
        let (within, at_end) = (runner.rests(frames, at), runner.rests(frames, ended));
        if at.frame != BOTTOM && catalogue.node(at.count).is_final() {
            grammar.chains().add(frames, ended, parts);
        }
        let Self { open, left } = self;
        left.clear();
        let along = (&trie, vocabulary.root_children());
        walk(catalogue, at.count, along, open, WALKED, |child, node| {
            if if node.is_end() { at_end } else { within } {
                listed.extend(trie.tokens_at(child).map(|rank| trie.token_of_rank[rank as usize]));
            }
            if node.is_final() && at.frame != BOTTOM && !trie.is_leaf(child) {
                left.push(child);
            }
        });
        for &node in &*left {
            below.collect(grammar, machine, frames, (ended, node), listed);
        }
    }
}

/// The configuration at the end of a text: where the catalogue returns to, and so on while that can only return.
fn ended(machine: &Machine<'_>, frames: &Frames, first: u32, from: Configuration) -> Configuration {
    let mut at = Configuration { state: first + 2, ..from };
    while at.frame != BOTTOM && machine.state(at.state).flags & state_flags::POP_ONLY != 0 {
        at = returned(frames, at.frame);
    }
    at
}
