//! The tokens of a position's stored masks that no new item begins with.
//!
//! Tokens are tried along the token trie where they go on in items that were there before, and nowhere else: a byte that
//! leaves the paths of all these is followed only between items or at the end of one, where what came before says
//! nothing of what comes next. What such a walk does not see are tokens that end an item off those paths and begin
//! another: they *span* items, are few, and are found once for each state.

use grammarc_artifacts::sections::vocabulary::Trie;

use super::alive::{Search, may_repeat};
use super::items::EMPTY;
use crate::error::LimitError;
use crate::grammar::Grammar;
use crate::mask::Mask;
use crate::position::{Configuration, Configurations};
use crate::sequence::FirstBytes;
use crate::stack::{BOTTOM, Frames};
use crate::step::{Limits, Machine};

/// Tokens below a node up to which each is looked up in the mask; more are found by going on.
const FEW: u32 = 24;

/// Buffers of the walk.
#[derive(Debug, Default)]
pub(crate) struct Walk {
    search: Search,
    closure: Configurations,
    next: Configurations,
    after: Vec<Configuration>,
    /// Positions along the path of the walk.
    positions: Vec<Vec<Configuration>>,
    /// States whose spanning tokens are to be tried.
    spans: Vec<(u32, bool)>,
}

/// What a walk is over.
struct Over<'a> {
    machine: Machine<'a>,
    trie: Trie<'a>,
    mask: Mask<'a>,
}

/// Bytes that a walk goes on with.
struct Wanted {
    all: bool,
    bytes: FirstBytes,
}

impl Walk {
    /// Collects those tokens of a mask, which is that of the position as it is stored, that the items of the position
    /// exclude, in ascending order. The text is read up to the position. On an error, none is excluded; the accept of a
    /// token meets the same limit then.
    pub(crate) fn collect(
        &mut self,
        grammar: &Grammar,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        mask: Mask<'_>,
        excluded: &mut Vec<u32>,
    ) {
        excluded.clear();
        let machine = grammar.machine(limits);
        if !position.iter().any(|&at| self.note_spans(&machine, frames, at)) {
            return;
        }
        let vocabulary = grammar.vocabulary().artifact();
        let over = Over { machine, trie: vocabulary.trie(), mask };
        let (lists, len) = (frames.items.len(), frames.items.text().len());
        let walked = self.walk(&over, grammar, frames, position, excluded);
        if walked.is_err() {
            excluded.clear();
        }
        frames.items.lenient = false;
        frames.items.truncate(len);
        frames.items.forget(lists);
        excluded.sort_unstable();
        excluded.dedup();
    }

    /// Notes the states at which tokens may span items, and says whether there are any.
    fn note_spans(&mut self, machine: &Machine<'_>, frames: &Frames, at: Configuration) -> bool {
        self.spans.clear();
        if machine.distinct.contains(at.state) {
            self.spans.push((at.state, false));
        }
        let mut frame = at.frame;
        while frame != BOTTOM {
            let below = frames.get(frame);
            if machine.distinct.contains(below.ret) {
                self.spans.push((below.ret, true));
            }
            frame = below.parent;
        }
        self.spans.sort_unstable();
        self.spans.dedup();
        !self.spans.is_empty()
    }

    fn walk(
        &mut self,
        over: &Over<'_>,
        grammar: &Grammar,
        frames: &mut Frames,
        position: &[Configuration],
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        if self.positions.is_empty() {
            self.positions.push(Vec::new());
        }
        self.positions[0].clear();
        self.positions[0].extend_from_slice(position);
        if position.iter().any(|&at| may_repeat(&over.machine, frames, at)) {
            self.visit(over, frames, 0, 0, excluded)?;
        }
        for &at in position {
            self.note_spans(&over.machine, frames, at);
            for index in 0..self.spans.len() {
                let (state, within) = self.spans[index];
                let tokens = over.machine.distinct.spanning(grammar, state, within);
                for &token in tokens {
                    if over.mask.contains(token)
                        && !self.allows(over, grammar, frames, position, token)?
                    {
                        excluded.push(token);
                    }
                }
            }
        }
        Ok(())
    }

    /// Whether something is alive after a token.
    fn allows(
        &mut self,
        over: &Over<'_>,
        grammar: &Grammar,
        frames: &mut Frames,
        position: &[Configuration],
        token: u32,
    ) -> Result<bool, LimitError> {
        let len = frames.items.text().len();
        let bytes = grammar.vocabulary().token_bytes(token);
        let mut from = std::mem::take(&mut self.after);
        from.clear();
        from.extend_from_slice(position);
        for &byte in bytes {
            self.step(over, frames, &from, byte)?;
            from.clear();
            from.extend_from_slice(self.next.as_slice());
        }
        let mut any = false;
        for &at in &from {
            any = any || self.search.is_alive(&over.machine, frames, at)?;
        }
        self.after = from;
        frames.items.truncate(len);
        Ok(any)
    }

    /// Reads one byte more: `next` is the position after it.
    fn step(
        &mut self,
        over: &Over<'_>,
        frames: &mut Frames,
        from: &[Configuration],
        byte: u8,
    ) -> Result<(), LimitError> {
        frames.items.push(&[byte]);
        frames.items.leave(1);
        over.machine.step(frames, from, byte, &mut self.closure, &mut self.next)?;
        frames.items.leave(0);
        Ok(())
    }

    /// Goes on from a node of the trie, at which the position of a depth stands.
    fn visit(
        &mut self,
        over: &Over<'_>,
        frames: &mut Frames,
        node: u32,
        depth: usize,
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        let wanted = wanted(&over.machine, frames, &self.positions[depth]);
        if self.positions.len() == depth + 1 {
            self.positions.push(Vec::new());
        }
        let len = frames.items.text().len();
        for child in over.trie.children(node) {
            let byte = over.trie.byte[child as usize];
            if !wanted.all && !wanted.bytes.contains(byte) {
                continue;
            }
            frames.items.refused = false;
            let from = std::mem::take(&mut self.positions[depth]);
            let stepped = self.step(over, frames, &from, byte);
            self.positions[depth] = from;
            stepped?;
            let mut after = std::mem::take(&mut self.positions[depth + 1]);
            after.clear();
            let mut alive = Ok(());
            for &at in self.next.as_slice() {
                match self.search.is_alive(&over.machine, frames, at) {
                    Ok(true) => after.push(at),
                    Ok(false) => {}
                    Err(limit) => alive = Err(limit),
                }
            }
            let near = after.iter().any(|&at| may_repeat(&over.machine, frames, at));
            let dead =
                after.is_empty() && (frames.items.refused || !self.next.as_slice().is_empty());
            self.positions[depth + 1] = after;
            alive?;
            if dead {
                frames.items.truncate(len);
                self.exclude(over, frames, child, depth, excluded)?;
            } else if near {
                self.visit(over, frames, child, depth + 1, excluded)?;
            }
            frames.items.truncate(len);
        }
        Ok(())
    }

    /// Excludes what the mask has at a node and below, which is reached from the position of a depth by the node's byte.
    fn exclude(
        &mut self,
        over: &Over<'_>,
        frames: &mut Frames,
        node: u32,
        depth: usize,
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        let below = over.trie.tokens_below(node);
        if below.len() as u32 <= FEW {
            over.exclude(below, excluded);
            return Ok(());
        }
        frames.items.lenient = true;
        let done = self.exclude_reached(over, frames, node, depth, excluded);
        frames.items.lenient = false;
        done
    }

    /// As [`exclude`](Self::exclude), where equal items are let pass: what is reached so is what the mask may have.
    fn exclude_reached(
        &mut self,
        over: &Over<'_>,
        frames: &mut Frames,
        node: u32,
        depth: usize,
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        let len = frames.items.text().len();
        let from = std::mem::take(&mut self.positions[depth]);
        let stepped = self.step(over, frames, &from, over.trie.byte[node as usize]);
        self.positions[depth] = from;
        stepped?;
        if !self.next.as_slice().is_empty() {
            if self.positions.len() == depth + 1 {
                self.positions.push(Vec::new());
            }
            self.positions[depth + 1].clear();
            self.positions[depth + 1].extend_from_slice(self.next.as_slice());
            over.exclude(over.trie.tokens_at(node), excluded);
            for child in over.trie.children(node) {
                self.exclude_reached(over, frames, child, depth + 1, excluded)?;
            }
        }
        frames.items.truncate(len);
        Ok(())
    }
}

impl Over<'_> {
    /// Excludes the tokens of these ranks that the mask has.
    fn exclude(&self, ranks: std::ops::Range<u32>, excluded: &mut Vec<u32>) {
        let tokens = &self.trie.token_of_rank[ranks.start as usize..ranks.end as usize];
        excluded.extend(tokens.iter().copied().filter(|&token| self.mask.contains(token)));
    }
}

/// The bytes that lead from a position along items that came before.
fn wanted(machine: &Machine<'_>, frames: &Frames, position: &[Configuration]) -> Wanted {
    let items = &frames.items;
    let mut wanted = Wanted { all: false, bytes: FirstBytes::default() };
    for &at in position {
        let mut note = |register: u32| {
            let list = items.list(register);
            if !list.is_open() {
                wanted.all |= register != EMPTY;
                return;
            }
            for rest in items.rests(list) {
                match rest.first() {
                    Some(&byte) => wanted.bytes.add(byte),
                    None => wanted.all = true,
                }
            }
        };
        let mut frame = at.frame;
        while frame != BOTTOM {
            let below = frames.get(frame);
            if machine.distinct.contains(below.ret) {
                note(below.count);
            }
            frame = below.parent;
        }
        wanted.all |= machine.distinct.contains(at.state);
    }
    wanted
}
