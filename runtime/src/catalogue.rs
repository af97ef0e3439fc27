//! Masks within catalogues: found by a walk of bounded work where none is stored.
//!
//! A catalogue has as many nodes as its texts have bytes, too many for a mask each. Nearly all of them lead to one text
//! or a few, and then a walk along the token trie finds the tokens sooner than a row of the mask is read. Tokens that
//! go on behind a text are tried in the callers, byte by byte. What a walk looks at is bounded by
//! [`WALKED`](grammarc_artifacts::catalogue::WALKED); nodes that take more have stored masks and exit classes, found by
//! their address.
//!
//! Cost of a mask: some hundred trie nodes looked at, `WALKED` at most, for each configuration; a binary search where it
//! is stored. An accept reads such a node byte by byte in the machine of [`step`](crate::step).

use grammarc_artifacts::catalogue::{WALKED, walk};
use grammarc_artifacts::sections::network::state_flags;

use crate::grammar::Grammar;
use crate::position::{Configuration, Configurations};
use crate::run::returned;
use crate::sequence::{FirstBytes, spell};
use crate::stack::{BOTTOM, Frames};
use crate::step::{Limits, Machine};

/// The tokens that a position allows by walks, with the buffers of these.
#[derive(Debug, Default)]
pub(crate) struct CatalogueWalk {
    listed: Vec<u32>,
    /// Nodes of the catalogue with nodes of the trie that are to be gone on from.
    open: Vec<(u32, u32)>,
    /// Trie nodes at which a text ends and tokens go on.
    left: Vec<u32>,
    behind: Behind,
}

/// A walk behind the end of a text: trie nodes with the positions there.
#[derive(Debug, Default)]
struct Behind {
    /// Node, and where its configurations are.
    open: Vec<(u32, usize, usize)>,
    configurations: Vec<Configuration>,
    from: Vec<Configuration>,
    closure: Configurations,
    next: Configurations,
    spare: Configurations,
}

impl CatalogueWalk {
    /// The tokens of no stored mask, ascending, as they were last collected.
    pub(crate) fn listed(&self) -> &[u32] {
        &self.listed
    }

    /// Collects what a position allows by the catalogues that it is in: ids of stored masks beside those of `parts`, and
    /// a list of tokens. A token that meets a limit is left out: its accept meets the same.
    pub(crate) fn collect(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        parts: &mut Vec<u32>,
    ) {
        self.listed.clear();
        let catalogues = grammar.catalogues();
        if !position.iter().any(|at| catalogues.contains(at.state)) {
            return;
        }
        let (machine, chains) = (grammar.machine(limits), grammar.chains());
        for &at in position.iter().filter(|at| catalogues.contains(at.state)) {
            let crowded = machine.tables.own.crowded;
            match crowded.binary_search_by_key(&at.count, |crowded| crowded.node) {
                Ok(found) => {
                    let crowded = crowded[found];
                    if machine.tables.mask(crowded.base).1.count > 0 {
                        parts.push(crowded.base);
                    }
                    chains.add_below(frames, crowded.exits, at.frame, parts);
                }
                Err(_) => self.walk(grammar, &machine, frames, at, parts),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        self.listed.sort_unstable();
        self.listed.dedup();
    }

    /// Collects what a configuration within a catalogue allows.
    fn walk(
        &mut self,
        grammar: &Grammar,
        machine: &Machine<'_>,
        frames: &mut Frames,
        at: Configuration,
        parts: &mut Vec<u32>,
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
        let Self { listed, open, left, behind } = self;
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
            behind.collect(grammar, machine, frames, (ended, node), listed);
        }
    }
}

impl Behind {
    /// Adds the tokens below a trie node that a configuration reads from there on, but for those that meet a limit.
    fn collect(
        &mut self,
        grammar: &Grammar,
        machine: &Machine<'_>,
        frames: &mut Frames,
        (at, node): (Configuration, u32),
        listed: &mut Vec<u32>,
    ) {
        let (trie, runner) = (grammar.vocabulary().artifact().trie(), grammar.runner());
        let Self { open, configurations, from, closure, next, spare } = self;
        configurations.clear();
        configurations.push(at);
        open.clear();
        open.push((node, 0, 1));
        while let Some((node, begin, end)) = open.pop() {
            from.clear();
            from.extend_from_slice(&configurations[begin..end]);
            let wanted = FirstBytes::of(machine, frames, from, closure).ok();
            for child in trie.children(node) {
                let byte = trie.byte[child as usize];
                if wanted.as_ref().is_some_and(|wanted| !wanted.contains(byte)) {
                    continue;
                }
                next.clear();
                let all = from.iter().try_for_each(|&at| machine.add(next, at));
                let reading = (&mut *closure, &mut *next, &mut *spare);
                if all.and_then(|()| spell(machine, &runner, frames, reading, &[byte])).is_err() {
                    continue;
                }
                let reached = next.as_slice();
                if reached.iter().any(|&at| runner.rests(frames, at)) {
                    let tokens = trie.tokens_at(child);
                    listed.extend(tokens.map(|rank| trie.token_of_rank[rank as usize]));
                }
                if !reached.is_empty() && !trie.is_leaf(child) {
                    let begin = configurations.len();
                    configurations.extend_from_slice(reached);
                    open.push((child, begin, configurations.len()));
                }
            }
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
