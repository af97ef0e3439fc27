//! Adds an item to the prefix tree of a list of items. Marks the node that becomes dead, and finds the excluded tokens
//! at each node above. A node is *dead* if every item that begins with its text is in the list.
//!
//! The text of the item is read once by the item's rule, on an empty stack. A node is dead if each of its continuations
//! leads to a dead node. So the search goes up from the end of the text to the first node with an unused item below it.
//! A token is excluded at a node if its bytes begin with the text from there to the dead node.
//!
//! If items are calls of several rules, or contain items which must differ, no node is dead. All tokens that read along
//! the item are then doubtful: a mask tries them.
//!
//! Cost: a step for each byte of the item, and a walk of the token trie from each node within a token's length.
//! Besides, the tokens found.

use std::sync::Arc;

use grammarc_artifacts::sections::network::state_flags;

use super::items::EMPTY;
use super::rules::DistinctRule;
use super::used::{Candidate, Fact, ROOT, UsedItems};
use crate::error::LimitError;
use crate::listed::subtree_walk::{Start, SubtreeWalk, Walked};
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::sort::sort;
use crate::step::byte_set::ByteSet;
use crate::step::first_bytes::FirstBytes;
use crate::step::machine::Machine;

/// Most prefix trees of items that a sequence keeps. Lists within lists take one each. Beyond, the tree that was used
/// longest ago is dropped, and built again when it is needed.
const TREES: usize = 4;

/// Longest text, in bytes, that all unused items may begin with. Beyond, the unused items count as fewer than two.
const LONGEST_SPREAD: u32 = 1 << 12;

/// Buffers of the code that adds an item to a prefix tree.
#[derive(Debug, Default)]
pub(super) struct Insertion {
    /// Text of the item that is added.
    text: Vec<u8>,
    /// Configurations after each number of bytes of the text, from 0 on, one after the other.
    configurations: Vec<Configuration>,
    /// For each number of bytes of the text, the exclusive end of its range in `configurations`.
    ends: Vec<usize>,
    /// Bytes with which the item's rule can continue after the whole text, to a longer item.
    longer: ByteSet,
    /// Nodes of the prefix tree along the text, from the root on. The index of a node is its depth.
    path: Vec<u32>,
    /// Ids of the lists whose newest item is still to be added, the newest first.
    lists: Vec<u32>,
    tokens: Vec<u32>,
    closure: Configurations,
    next: Configurations,
    subtree: SubtreeWalk,
}

impl Insertion {
    /// Returns a prefix tree with exactly the items of a list, none of which is open. Updates or builds the tree. The
    /// tree is the last of the sequence's trees afterwards. `rule` is the index of the list's rule.
    ///
    /// # Errors
    ///
    /// A step meets the limit on configurations or on frames.
    pub(super) fn update<'w>(
        &mut self,
        walked: &'w mut Walked<'_>,
        rule: usize,
        list: u32,
    ) -> Result<&'w UsedItems, LimitError> {
        let is_current = |used: &Arc<UsedItems>| used.rule == rule && used.newest() == Some(list);
        let mut added = Ok(());
        if !walked.frames.items.used.last().is_some_and(is_current) {
            let mut shared = self.take(walked, rule, list)?;
            if !is_current(&shared) {
                added = self.add_up_to(walked, Arc::make_mut(&mut shared), list);
            }
            walked.frames.items.used.push(shared);
        }
        let trees = &walked.frames.items.used;
        added.map(|()| &*trees[trees.len() - 1])
    }

    /// Removes from the sequence's trees the one that has the first item of `list`, or an empty one, and returns it. If
    /// there is neither, returns a new tree. At most [`TREES`] trees are kept.
    fn take(
        &mut self,
        walked: &mut Walked<'_>,
        rule: usize,
        list: u32,
    ) -> Result<Arc<UsedItems>, LimitError> {
        let spread = self.spread(walked, rule)?;
        let items = &mut walked.frames.items;
        let first = items.first_of(list);
        let trees = &mut items.used;
        let with =
            |first| trees.iter().rposition(|used| used.rule == rule && used.list(0) == first);
        if let Some(at) = with(Some(first)).or_else(|| with(None)) {
            return Ok(trees.remove(at));
        }
        if trees.len() >= TREES {
            trees.remove(0);
        }
        Ok(Arc::new(UsedItems::new(rule, spread)))
    }

    /// Changes a prefix tree so that it has exactly the items of a list. Removes items which the list lacks, and adds
    /// missing ones.
    fn add_up_to(
        &mut self,
        walked: &mut Walked<'_>,
        used: &mut UsedItems,
        list: u32,
    ) -> Result<(), LimitError> {
        self.lists.clear();
        let mut at = list;
        while at != EMPTY {
            let index = walked.frames.items.list(at).items() as usize - 1;
            used.undo_to(index + 1);
            if used.list(index) == Some(at) {
                break;
            }
            self.lists.push(at);
            at = walked.frames.items.list(at).before;
        }
        if at == EMPTY {
            used.undo_to(0);
        }
        while let Some(list) = self.lists.pop() {
            let known = used.len();
            if let Err(limit) = self.add(walked, used, list) {
                used.undo_to(known);
                return Err(limit);
            }
        }
        Ok(())
    }

    /// Adds the newest item of the list with the id `number` to a tree, which has all other items of the list already.
    fn add(
        &mut self,
        walked: &mut Walked<'_>,
        used: &mut UsedItems,
        number: u32,
    ) -> Result<(), LimitError> {
        let items = &walked.frames.items;
        let list = items.list(number);
        self.text.clear();
        self.text.extend_from_slice(&items.text()[list.start as usize..list.end as usize]);
        used.begin(number, list.end);
        self.path.clear();
        self.path.push(ROOT);
        for &byte in &self.text {
            let Some(child) = used.child(self.path[self.path.len() - 1], byte) else { break };
            self.path.push(child);
        }
        if self.path.iter().any(|&node| used.is_dead(node)) {
            return Ok(());
        }
        let rule = walked.machine.distinct.get(used.rule);
        let machine = walked.grammar.lenient_machine(walked.machine.limits);
        let mut walked = Walked { grammar: walked.grammar, machine, frames: walked.frames };
        let end = self.text.len();
        let mut dead = None;
        if let Some(start) = rule.start {
            if !self.read(&mut walked, start)? {
                return Ok(());
            }
            let mut depth = end;
            while self.becomes_dead(&mut walked, used, depth)? {
                dead = Some(depth);
                let Some(above) = depth.checked_sub(1) else { break };
                depth = above;
            }
        }
        let last = dead.unwrap_or(end);
        let known = self.path.len() - 1;
        if known < last {
            used.add_path(&mut self.path, &self.text[known..last]);
        }
        used.set(self.path[last], if dead.is_some() { Fact::Dead } else { Fact::Used });
        self.add_candidates(&mut walked, rule, used, dead);
        if let Some(start) = rule.start
            && used.spread.is_some_and(|spread| last <= spread as usize + 1)
        {
            used.spread = self.spread_of(&mut walked, start, Some(used))?;
        }
        Ok(())
    }

    /// Returns the configurations after the first `depth` bytes of the text, as recorded by [`read`](Self::read).
    fn position(&self, depth: usize) -> &[Configuration] {
        let from = depth.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.configurations[from..self.ends[depth]]
    }

    /// Reads the item's text from the configuration before an item, and records the configurations after each byte.
    /// Returns whether the text is a whole item.
    fn read(&mut self, walked: &mut Walked<'_>, start: Configuration) -> Result<bool, LimitError> {
        self.configurations.clear();
        self.configurations.push(start);
        self.ends.clear();
        self.ends.push(1);
        let mut from = 0;
        let Self { text, configurations, ends, closure, next, .. } = self;
        let Walked { machine, frames, .. } = walked;
        for &byte in &*text {
            machine.step(frames, &configurations[from..], byte, closure, next)?;
            from = configurations.len();
            configurations.extend_from_slice(next.as_slice());
            ends.push(configurations.len());
        }
        Ok(may_end(&walked.machine, walked.frames, self.position(self.text.len())))
    }

    /// Whether every item that begins with the first `depth` bytes of the text is used, once the text itself is. If
    /// `depth` is not the end of the text, the result must be true for `depth + 1`.
    fn becomes_dead(
        &mut self,
        walked: &mut Walked<'_>,
        used: &UsedItems,
        depth: usize,
    ) -> Result<bool, LimitError> {
        let node = self.path.get(depth).copied();
        let is_item = depth == self.text.len() || node.is_some_and(|node| used.is_used(node));
        let from = depth.checked_sub(1).map_or(0, |before| self.ends[before]);
        let Self { configurations, ends, closure, next, text, .. } = self;
        let position = &configurations[from..ends[depth]];
        let Walked { machine, frames, .. } = walked;
        let first = FirstBytes::of(machine, frames, position, closure)?;
        if depth == text.len() {
            self.longer = first.bytes;
        }
        if first.tokens || !is_item && may_end(machine, frames, position) {
            return Ok(false);
        }
        for byte in first.bytes.iter().filter(|&byte| text.get(depth) != Some(&byte)) {
            match node.and_then(|node| used.child(node, byte)) {
                Some(child) if used.is_dead(child) => {}
                Some(_) => return Ok(false),
                None => {
                    machine.step(frames, position, byte, closure, next)?;
                    if !next.as_slice().is_empty() {
                        return Ok(false);
                    }
                }
            }
        }
        Ok(true)
    }

    /// Adds the tokens that the item excludes to the nodes along its text. If a node became dead, `dead` is its depth,
    /// and only the nodes above it get tokens.
    fn add_candidates(
        &mut self,
        walked: &mut Walked<'_>,
        rule: &DistinctRule,
        used: &mut UsedItems,
        dead: Option<usize>,
    ) {
        let vocabulary = walked.grammar.vocabulary();
        let trie = vocabulary.artifact().trie();
        let end = dead.unwrap_or(self.text.len());
        let from = end.saturating_sub(vocabulary.longest_token());
        let are_all = rule.start.is_none();
        let after = rule.borders.after;
        let mut is_certain = !are_all && !self.longer.meets(after);
        if dead.is_none() {
            // The item is used, and longer ones are left.
            used.add_candidates(self.path[end], [Candidate::Exit { node: 0, is_certain }]);
        }
        for depth in (from..end).rev() {
            // If the item may end before, the rest of a token may come after the item.
            is_certain = is_certain
                && !(after.contains(self.text[depth])
                    && may_end(&walked.machine, walked.frames, self.position(depth)));
            let node = vocabulary.root_children().get(self.text[depth]);
            let along = Along { depth, node, read: depth + 1, dead, is_certain, are_all };
            self.add_along(walked, used, along);
        }
        let from_start = Along { depth: 0, node: 0, read: 1, dead, is_certain: false, are_all };
        match self.text[..] {
            [first, second, ..] if from == 0 && end > 1 && !are_all => {
                for node in rule.leads(&trie).after([first, second]) {
                    self.add_along(walked, used, Along { node, read: 2, ..from_start });
                }
            }
            [first, ..] if from == 0 && end > 0 => {
                let nodes = rule.leads(&trie).first.iter();
                for &node in nodes.filter(|&&node| trie.byte[node as usize] == first) {
                    self.add_along(walked, used, Along { node, ..from_start });
                }
            }
            _ => {}
        }
    }

    /// Adds the tokens on the path `along` of the token trie to one node of the prefix tree `used`, as tokens to
    /// exclude there.
    fn add_along(&mut self, walked: &mut Walked<'_>, used: &mut UsedItems, along: Along) {
        let Along { depth, mut node, read, dead, is_certain, are_all } = along;
        let trie = walked.grammar.vocabulary().artifact().trie();
        let at = self.path[depth];
        for read in read..=self.text.len() {
            if node == 0 {
                return;
            }
            self.tokens.clear();
            let here = trie.tokens_at(node).map(|rank| trie.token_of_rank[rank as usize]);
            if are_all {
                self.tokens.extend(here);
            } else if dead == Some(read) {
                let from = read.checked_sub(1).map_or(0, |before| self.ends[before]);
                let position = &self.configurations[from..self.ends[read]];
                if position.iter().any(|&at| walked.grammar.runner().rests(walked.frames, at)) {
                    self.tokens.extend(here);
                }
                for &at in position {
                    self.subtree.collect(walked, Start { at, node }, &mut self.tokens);
                }
            }
            sort(&mut self.tokens);
            let kind = if is_certain { Candidate::Certain } else { Candidate::Doubtful };
            used.add_candidates(at, self.tokens.iter().map(|&token| kind(token)));
            let byte = self.text.get(read);
            let next = byte.and_then(|&byte| trie.child(node, byte));
            if byte.is_none() && !trie.is_leaf(node) {
                used.add_candidates(at, [Candidate::Exit { node, is_certain }]);
            }
            node = next.unwrap_or(0);
        }
    }

    /// Returns the depth in bytes at which two items of the rule with the index `rule` first diverge. `None` if no two
    /// diverge within [`LONGEST_SPREAD`] bytes, or if the rule has no start configuration.
    pub(super) fn spread(
        &mut self,
        walked: &mut Walked<'_>,
        rule: usize,
    ) -> Result<Option<u32>, LimitError> {
        let rule = walked.machine.distinct.get(rule);
        let Some(start) = rule.start else { return Ok(None) };
        if let Some(&known) = rule.spread.get() {
            return Ok(known);
        }
        let machine = walked.grammar.lenient_machine(walked.machine.limits);
        let mut walked = Walked { grammar: walked.grammar, machine, frames: walked.frames };
        let spread = self.spread_of(&mut walked, start, None)?;
        Ok(*rule.spread.get_or_init(|| spread))
    }

    /// Returns the depth in bytes at which two unused items first diverge. An item is unused if it is not in the tree
    /// `used`. `None` if no two diverge within [`LONGEST_SPREAD`] bytes.
    fn spread_of(
        &mut self,
        walked: &mut Walked<'_>,
        start: Configuration,
        used: Option<&UsedItems>,
    ) -> Result<Option<u32>, LimitError> {
        if used.is_some_and(|used| used.is_dead(ROOT)) {
            return Ok(None);
        }
        let Walked { machine, frames, .. } = walked;
        let Self { configurations, closure, next, .. } = self;
        configurations.clear();
        configurations.push(start);
        let mut node = used.map(|_| ROOT);
        let child = |node: Option<u32>, byte| node.and_then(|node| used?.child(node, byte));
        let has = |node: Option<u32>| used.zip(node).is_some_and(|(used, node)| used.is_used(node));
        for depth in 0..LONGEST_SPREAD {
            let first = FirstBytes::of(machine, frames, configurations, closure)?;
            let ends = may_end(machine, frames, configurations) && !has(node);
            let mut ways = u32::from(first.tokens) + u32::from(ends);
            let mut only = None;
            for byte in first.bytes.iter() {
                let is_dead = |child| used.is_some_and(|used| used.is_dead(child));
                if child(node, byte).is_some_and(is_dead) {
                    continue;
                }
                machine.step(frames, configurations, byte, closure, next)?;
                ways += u32::from(!next.as_slice().is_empty());
                if ways > 1 {
                    return Ok(Some(depth));
                }
                if !next.as_slice().is_empty() {
                    only = Some(byte);
                }
            }
            let Some(byte) = only else { return Ok(None) };
            machine.step(frames, configurations, byte, closure, next)?;
            configurations.clear();
            configurations.extend_from_slice(next.as_slice());
            node = child(node, byte);
        }
        Ok(None)
    }
}

/// A path of the token trie along the text of an item.
#[derive(Clone, Copy)]
struct Along {
    /// Number of bytes of the item before the path. The prefix tree's node at this depth gets the tokens.
    depth: usize,
    /// The trie node that the path reaches. 0 if no token continues with the item's text.
    node: u32,
    /// Number of bytes of the item that lead to the trie node `node`, the node's own byte included.
    read: usize,
    /// Depth in bytes of the item's dead node: every item that begins with its text is used. `None` if there is none.
    dead: Option<usize>,
    /// Whether a token on the path can only be read within this item, so that it is excluded without a trial.
    is_certain: bool,
    /// Whether all tokens on the path are doubtful, because the tree of the rule has no dead nodes.
    are_all: bool,
}

/// Whether an item may end in one of the configurations, which were reached from the start of an item on an empty
/// stack.
fn may_end(machine: &Machine<'_>, frames: &Frames, position: &[Configuration]) -> bool {
    position.iter().any(|at| {
        machine.state(at.state).flags & state_flags::FINAL != 0
            && frames.get(at.frame).is_nullable()
    })
}
