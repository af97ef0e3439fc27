//! Tokens below a node of the token trie that a configuration reads from there on, byte by byte in the machine.
//!
//! For masks that are not stored: tokens that go on behind a text of a [catalogue](crate::catalogue), and all tokens of a
//! grammar whose masks are [still computed](crate::early).
//!
//! Cost: O(trie nodes that are read), each some ten to hundred nanoseconds.

use crate::grammar::Grammar;
use crate::position::{Configuration, Configurations};
use crate::sequence::{FirstBytes, spell};
use crate::stack::Frames;
use crate::step::Machine;

/// The buffers of a walk: trie nodes with the positions there.
#[derive(Debug, Default)]
pub(crate) struct Below {
    /// Node, and where its configurations are.
    open: Vec<(u32, usize, usize)>,
    configurations: Vec<Configuration>,
    from: Vec<Configuration>,
    closure: Configurations,
    next: Configurations,
    spare: Configurations,
}

impl Below {
    /// Adds the tokens below a trie node that a configuration reads from there on, in no order, but for those that meet a
    /// limit.
    pub(crate) fn collect(
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
