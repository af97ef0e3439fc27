//! The tokens of a position's stored masks that lead only to items equal to earlier ones. They are excluded from the
//! mask.
//!
//! A walk of the token trie follows only the texts of the earlier items. A byte that diverges from all of them makes
//! the item new. Between items and at the end of an item, the walk follows every byte. The walk does not see tokens
//! that end a new item and begin another. These *spanning* tokens are few, and are found once for each state.

use grammarc_artifacts::sections::vocabulary::Trie;

use super::items::EMPTY;
use super::reading::{Activation, callers, only_caller, read};
use super::rules::SpanningToken;
use super::tokens_across_items::{self, Span};
use super::viability::{Search, may_repeat};
use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::mask::union::Mask;
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::step::first_bytes::FirstBytes;
use crate::step::machine::{Limits, Machine};

/// Largest number of tokens of a subtree that are looked up in the mask one by one. A larger subtree is walked.
const FEW: u32 = 24;

/// Buffers of the walk for excluded tokens.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    search: Search,
    closure: Configurations,
    next: Configurations,
    /// Position after the bytes of a spanning token that is tried.
    after: Vec<Configuration>,
    /// For each depth on the path of the walk, the position after its bytes.
    positions: Vec<Vec<Configuration>>,
    /// Trie nodes on the path of the walk, from the root on.
    levels: Vec<Level>,
    /// Worklist of trie nodes in a subtree whose tokens are excluded if the stored mask reaches them.
    open: Vec<Reached>,
    /// States at which tokens of the current configuration may span items.
    spans: Vec<Span>,
    /// Ids of spanning tokens that may make an equal item, and so have to be tried.
    doubtful: Vec<u32>,
}

/// The arguments of a walk, and the tokens that it has excluded so far.
struct Exclusion<'a> {
    grammar: &'a Grammar,
    machine: Machine<'a>,
    trie: Trie<'a>,
    mask: Mask<'a>,
    frames: &'a mut Frames,
    excluded: &'a mut Vec<u32>,
}

/// The bytes that a walk follows from a position.
#[derive(Clone, Copy, Debug)]
struct Wanted {
    /// Whether the walk follows every byte, and not only those in `bytes`.
    all: bool,
    bytes: FirstBytes,
}

/// A trie node on the path of a walk, with the progress of the walk among its children.
#[derive(Clone, Copy, Debug)]
struct Level {
    wanted: Wanted,
    /// Trie node of the next child to visit, or `end`.
    /// Exclusive end of the subtree of the node, and so of its children.
    next: u32,
    end: u32,
    /// Length in bytes of the items' text up to the node.
    len: usize,
}

/// A trie node in the worklist. Its byte is read from the position of depth `depth`.
#[derive(Clone, Copy, Debug)]
struct Reached {
    node: u32,
    depth: usize,
}

impl Walk {
    /// Collects in `excluded` the tokens of `mask` that lead only to items equal to earlier ones, in ascending order.
    /// The text must be read up to the position. If a limit is met, no token is excluded, and the accept of a token
    /// then meets the same limit.
    pub(crate) fn collect(
        &mut self,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        mask: Mask<'_>,
        excluded: &mut Vec<u32>,
    ) {
        excluded.clear();
        let grammar = mask.grammar;
        let machine = grammar.machine(limits);
        let within = position.iter().any(|&at| self.note_spans(&machine, frames, at));
        if !within && tokens_across_items::entering(grammar).is_empty() {
            return;
        }
        let (lists, len) = (frames.items.len(), frames.items.text().len());
        let trie = grammar.vocabulary().artifact().trie();
        let mut walked = Exclusion { grammar, machine, trie, mask, frames, excluded };
        let result = self.walk(&mut walked, position);
        if result.is_err() {
            excluded.clear();
        }
        frames.items.lenient = false;
        frames.items.truncate(len);
        frames.items.forget(lists);
        excluded.sort_unstable();
        excluded.dedup();
    }

    /// Sets `spans` to the states at which a token from the configuration may span items. Returns whether there are
    /// any.
    fn note_spans(&mut self, machine: &Machine<'_>, frames: &Frames, at: Configuration) -> bool {
        self.spans.clear();
        if machine.distinct.contains(at.state) {
            self.spans.push(Span { state: at.state, within: false });
        }
        self.spans.extend(
            callers(machine, frames, at).map(|caller| Span { state: caller.state, within: true }),
        );
        self.spans.sort_unstable();
        self.spans.dedup();
        !self.spans.is_empty()
    }

    /// Walks the token trie, then tries the spanning tokens. Adds the tokens that lead only to equal items to those
    /// excluded.
    fn walk(
        &mut self,
        walked: &mut Exclusion<'_>,
        position: &[Configuration],
    ) -> Result<(), LimitError> {
        if self.positions.is_empty() {
            self.positions.push(Vec::new());
        }
        self.positions[0].clear();
        self.positions[0].extend_from_slice(position);
        if position.iter().any(|&at| walked.may_repeat(at)) {
            self.visit(walked)?;
        }
        for &at in position {
            self.note_spans(&walked.machine, walked.frames, at);
            for index in 0..self.spans.len() {
                let mut doubtful = std::mem::take(&mut self.doubtful);
                doubtful.clear();
                walked.add_doubtful(at, self.spans[index], &mut doubtful);
                let tried = self.try_each(walked, position, &doubtful);
                self.doubtful = doubtful;
                tried?;
            }
        }
        self.try_each(walked, position, tokens_across_items::entering(walked.grammar))
    }

    /// Excludes each of `tokens` that the mask allows but after which no configuration is alive.
    fn try_each(
        &mut self,
        walked: &mut Exclusion<'_>,
        position: &[Configuration],
        tokens: &[u32],
    ) -> Result<(), LimitError> {
        for &token in tokens {
            if walked.mask.contains(token) && !self.allows(walked, position, token)? {
                walked.excluded.push(token);
            }
        }
        Ok(())
    }

    /// Whether some configuration is alive after a token: it can still reach an item that differs from all earlier
    /// ones.
    fn allows(
        &mut self,
        walked: &mut Exclusion<'_>,
        position: &[Configuration],
        token: u32,
    ) -> Result<bool, LimitError> {
        let len = walked.frames.items.text().len();
        let bytes = walked.grammar.vocabulary().token_bytes(token);
        let mut from = std::mem::take(&mut self.after);
        from.clear();
        from.extend_from_slice(position);
        for &byte in bytes {
            self.step(walked, &from, byte)?;
            from.clear();
            from.extend_from_slice(self.next.as_slice());
        }
        let mut any = false;
        for &at in &from {
            any = any || self.search.is_alive(&walked.machine, walked.frames, at)?;
        }
        self.after = from;
        walked.frames.items.truncate(len);
        Ok(any)
    }

    /// Reads one byte from the position `from`. Sets `next` to the position after the byte.
    fn step(
        &mut self,
        walked: &mut Exclusion<'_>,
        from: &[Configuration],
        byte: u8,
    ) -> Result<(), LimitError> {
        let Exclusion { machine, frames, .. } = walked;
        read(machine, frames, from, byte, &mut self.closure, &mut self.next)
    }

    /// Reads one byte from the position of a depth, as [`step`](Self::step) does. Makes room for the position of the
    /// next depth.
    fn step_from(
        &mut self,
        walked: &mut Exclusion<'_>,
        depth: usize,
        byte: u8,
    ) -> Result<(), LimitError> {
        if self.positions.len() == depth + 1 {
            self.positions.push(Vec::new());
        }
        let from = std::mem::take(&mut self.positions[depth]);
        let stepped = self.step(walked, &from, byte);
        self.positions[depth] = from;
        stepped
    }

    /// Puts a trie node on the path. Its children are then read from the position of their depth.
    fn enter(&mut self, walked: &Exclusion<'_>, node: u32) {
        let wanted = wanted(&walked.machine, walked.frames, &self.positions[self.levels.len()]);
        let (next, end) = (node + 1, walked.trie.end[node as usize]);
        let len = walked.frames.items.text().len();
        self.levels.push(Level { wanted, next, end, len });
    }

    /// Walks the trie from its root, depth first. Excludes the subtrees after whose byte no configuration is alive.
    fn visit(&mut self, walked: &mut Exclusion<'_>) -> Result<(), LimitError> {
        self.levels.clear();
        self.enter(walked, 0);
        while let Some(depth) = self.levels.len().checked_sub(1) {
            let Level { wanted, next: child, end, len } = self.levels[depth];
            walked.frames.items.truncate(len);
            if child == end {
                self.levels.pop();
                continue;
            }
            self.levels[depth].next = walked.trie.end[child as usize];
            let byte = walked.trie.byte[child as usize];
            if !wanted.all && !wanted.bytes.contains(byte) {
                continue;
            }
            walked.frames.items.refused = false;
            self.step_from(walked, depth, byte)?;
            let mut after = std::mem::take(&mut self.positions[depth + 1]);
            after.clear();
            let mut alive = Ok(());
            for &at in self.next.as_slice() {
                match self.search.is_alive(&walked.machine, walked.frames, at) {
                    Ok(true) => after.push(at),
                    Ok(false) => {}
                    Err(limit) => alive = Err(limit),
                }
            }
            let near = after.iter().any(|&at| walked.may_repeat(at));
            let refused = walked.frames.items.refused || !self.next.as_slice().is_empty();
            let dead = after.is_empty() && refused;
            self.positions[depth + 1] = after;
            alive?;
            if dead {
                walked.frames.items.truncate(len);
                self.exclude(walked, child, depth)?;
            } else if near {
                self.enter(walked, child);
            }
        }
        Ok(())
    }

    /// Excludes the tokens of the mask in the subtree of a node. The node's byte is read from the position of depth
    /// `depth`.
    fn exclude(
        &mut self,
        walked: &mut Exclusion<'_>,
        node: u32,
        depth: usize,
    ) -> Result<(), LimitError> {
        let below = walked.trie.tokens_below(node);
        if below.len() as u32 <= FEW {
            walked.exclude(below);
            return Ok(());
        }
        walked.frames.items.lenient = true;
        let done = self.exclude_reached(walked, node, depth);
        walked.frames.items.lenient = false;
        done
    }

    /// Excludes the tokens of the mask in a large subtree, by a walk that allows equal items, as the stored mask does.
    fn exclude_reached(
        &mut self,
        walked: &mut Exclusion<'_>,
        node: u32,
        depth: usize,
    ) -> Result<(), LimitError> {
        let len = walked.frames.items.text().len() - depth;
        self.open.clear();
        self.open.push(Reached { node, depth });
        while let Some(Reached { node, depth }) = self.open.pop() {
            walked.frames.items.truncate(len + depth);
            self.step_from(walked, depth, walked.trie.byte[node as usize])?;
            if self.next.as_slice().is_empty() {
                continue;
            }
            self.positions[depth + 1].clear();
            self.positions[depth + 1].extend_from_slice(self.next.as_slice());
            walked.exclude(walked.trie.tokens_at(node));
            let children = walked.trie.children(node);
            self.open.extend(children.map(|node| Reached { node, depth: depth + 1 }));
        }
        walked.frames.items.truncate(len + depth);
        Ok(())
    }
}

impl Exclusion<'_> {
    /// Excludes the tokens of these ranks (indices in byte order) that the mask allows.
    fn exclude(&mut self, ranks: std::ops::Range<u32>) {
        let tokens = &self.trie.token_of_rank[ranks.start as usize..ranks.end as usize];
        self.excluded.extend(tokens.iter().copied().filter(|&token| self.mask.contains(token)));
    }

    /// Adds to `doubtful` the tokens that span items at a state and may make an equal item. The item that they end or
    /// the item that they begin may be the equal one.
    fn add_doubtful(&self, at: Configuration, span: Span, doubtful: &mut Vec<u32>) {
        let tokens = tokens_across_items::at(self.grammar, span);
        let Some(list) = only_caller(&self.machine, self.frames, at) else {
            doubtful.extend(tokens.iter().map(|spanning| spanning.token));
            return;
        };
        let list = self.frames.items.list(list);
        let few = tokens.iter().filter(|spanning| spanning.ways <= list.items());
        doubtful.extend(few.map(|spanning| spanning.token));
        if list.is_open() {
            let vocabulary = self.grammar.vocabulary();
            let bytes = |spanning: &SpanningToken| vocabulary.token_bytes(spanning.token);
            for rest in self.frames.items.rests(list) {
                let from = tokens.partition_point(|spanning| bytes(spanning) < rest);
                let ending = tokens[from..].iter().take_while(|s| bytes(s).starts_with(rest));
                doubtful.extend(ending.map(|spanning| spanning.token));
            }
        }
    }

    /// Whether an item of a continuation of a configuration may be equal to an earlier item.
    fn may_repeat(&self, at: Configuration) -> bool {
        may_repeat(&self.machine, self.frames, at)
    }
}

/// Returns the bytes on which a walk follows an earlier item from a position.
fn wanted(machine: &Machine<'_>, frames: &Frames, position: &[Configuration]) -> Wanted {
    let items = &frames.items;
    let mut wanted = Wanted { all: false, bytes: FirstBytes::default() };
    for &at in position {
        let mut note = |number: u32| {
            let list = items.list(number);
            if !list.is_open() {
                wanted.all |= number != EMPTY;
                return;
            }
            for rest in items.rests(list) {
                match rest.first() {
                    Some(&byte) => wanted.bytes.add(byte),
                    None => wanted.all = true,
                }
            }
        };
        callers(machine, frames, at).for_each(|Activation { list, .. }| note(list));
        wanted.all |= machine.distinct.contains(at.state);
    }
    wanted
}
