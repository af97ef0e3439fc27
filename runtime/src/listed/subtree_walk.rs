//! The tokens below one node of the token trie that a configuration allows, found byte by byte.
//!
//! Cost: O(trie nodes that are read), each some ten to hundred nanoseconds.

use crate::grammar::Grammar;
use crate::position::Configuration;
use crate::position::stack::Frames;
use crate::step::buffers::StepBuffers;
use crate::step::first_bytes::FirstBytes;
use crate::step::machine::Machine;

/// The arguments of a walk: a grammar with its machine, and the frames of the sequence.
pub(crate) struct Walked<'a> {
    pub(crate) grammar: &'a Grammar,
    pub(crate) machine: Machine<'a>,
    pub(crate) frames: &'a mut Frames,
}

/// The start of a walk: a trie node, and the configuration after the node's string was read.
#[derive(Clone, Copy)]
pub(crate) struct Start {
    pub(crate) at: Configuration,
    pub(crate) node: u32,
}

/// Buffers of a walk.
#[derive(Debug, Default)]
pub(crate) struct SubtreeWalk {
    /// Worklist of trie nodes whose children are still to be read.
    open: Vec<Open>,
    /// Configurations at all nodes of the worklist, node by node.
    configurations: Vec<Configuration>,
    /// Configurations at the node whose children are being read.
    from: Vec<Configuration>,
    steps: StepBuffers,
}

/// A trie node in the worklist, with the range of its configurations in `SubtreeWalk::configurations`.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: u32,
    begin: usize,
    end: usize,
}

impl SubtreeWalk {
    /// Adds to `tokens` the tokens below the start node that the start configuration allows, in no order. Tokens that
    /// meet a limit are left out.
    pub(crate) fn collect(&mut self, walked: &mut Walked<'_>, start: Start, tokens: &mut Vec<u32>) {
        let Walked { grammar, machine, frames } = walked;
        let (trie, runner) = (grammar.vocabulary().artifact().trie(), grammar.runner());
        let Self { open, configurations, from, steps } = self;
        configurations.clear();
        configurations.push(start.at);
        open.clear();
        open.push(Open { node: start.node, begin: 0, end: 1 });
        while let Some(Open { node, begin, end }) = open.pop() {
            from.clear();
            from.extend_from_slice(&configurations[begin..end]);
            let wanted = FirstBytes::of(machine, frames, from, &mut steps.closure).ok();
            for child in trie.children(node) {
                let byte = trie.byte[child as usize];
                if wanted.as_ref().is_some_and(|wanted| !wanted.bytes.contains(byte)) {
                    continue;
                }
                steps.next.clear();
                let all = from.iter().try_for_each(|&at| machine.add(&mut steps.next, at));
                let read = all.and_then(|()| steps.read_bytes(machine, &runner, frames, &[byte]));
                if read.is_err() {
                    continue;
                }
                let reached = steps.next.as_slice();
                if reached.iter().any(|&at| runner.rests(frames, at)) {
                    let ranks = trie.tokens_at(child);
                    tokens.extend(ranks.map(|rank| trie.token_of_rank[rank as usize]));
                }
                if !reached.is_empty() && !trie.is_leaf(child) {
                    let begin = configurations.len();
                    configurations.extend_from_slice(reached);
                    open.push(Open { node: child, begin, end: configurations.len() });
                }
            }
        }
    }
}
