//! Finds the tokens of a position's mask that lead only to items equal to earlier ones. They are excluded from the
//! mask.
//!
//! For each list of items, a prefix tree records the tokens that are excluded after each beginning of an item. If a
//! position has one configuration, nearly all of these are certain. The others are doubtful: each is tried, byte by
//! byte. A token that may end an item and begin a used one is doubtful in every position. Few vocabularies have such
//! tokens.
//!
//! If a rule may run out of unused items, every token of the mask that may end an item is tried. Nearly always at most
//! one unused item is left then, so the mask is small.
//!
//! Cost: the bytes of the open item within the tree, and the tokens that are excluded. Some microseconds for a trial.

use grammarc_artifacts::sections::network::state_flags;

use super::items::EMPTY;
use super::reading::read;
use super::rules::{DistinctRule, DistinctRules};
use super::used::{Candidate, Found, ROOT};
use super::viability::Search;
use crate::error::LimitError;
use crate::listed::subtree_walk::Walked;
use crate::mask::union::Mask;
use crate::position::stack::{BOTTOM, Frames};
use crate::position::{Configuration, Configurations};
use crate::sort::sort_and_dedup;
use crate::step::byte_set::ByteSet;
use crate::step::machine::{Limits, Machine};

/// Buffers of the search for excluded tokens.
#[derive(Debug, Default)]
pub(crate) struct Exclusion {
    search: Search,
    closure: Configurations,
    next: Configurations,
    /// Configurations after the bytes of the token that is tried.
    after: Vec<Configuration>,
    /// Ids of the tokens to try. A token is excluded if only items equal to earlier ones are reachable after it.
    doubtful: Vec<u32>,
}

/// A call in progress of a rule whose items must differ (`uniqueItems`).
#[derive(Clone, Copy)]
struct Activation {
    /// Index of the rule in the grammar's [`DistinctRules`].
    rule: usize,
    /// Id, from the call's register, of the list of items that the call has read.
    list: u32,
    /// State of the rule, if the call is the innermost. `None` if the call waits for another call to return.
    own: Option<u32>,
}

impl Exclusion {
    /// Collects in `excluded` the tokens of `mask` that lead only to items equal to earlier ones, in ascending order.
    /// All text in `frames.items` must be marked as read, as `Items::rewind` does. If a trial meets a limit, no token
    /// is excluded. Accepting a token then meets the same limit.
    pub(crate) fn collect(
        &mut self,
        frames: &mut Frames,
        limits: Limits,
        position: &[Configuration],
        mask: Mask<'_>,
        excluded: &mut Vec<u32>,
    ) {
        excluded.clear();
        self.doubtful.clear();
        let (lists, len) = (frames.items.len(), frames.items.text().len());
        let machine = mask.grammar.machine(limits);
        let mut walked = Walked { grammar: mask.grammar, machine, frames };
        let found = self.find(&mut walked, position, mask, excluded);
        sort_and_dedup(excluded);
        let tried = found.and_then(|()| self.try_doubtful(&mut walked, position, mask, excluded));
        frames.items.truncate(len);
        frames.items.forget(lists);
        if tried.is_err() {
            excluded.clear();
        }
        sort_and_dedup(excluded);
    }

    /// Appends the tokens that are certainly excluded to `excluded`. Appends the tokens that have to be tried to
    /// `self.doubtful`.
    fn find(
        &mut self,
        walked: &mut Walked<'_>,
        position: &[Configuration],
        mask: Mask<'_>,
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        let is_single = position.len() == 1 && walked.grammar.edge_tokens().is_empty();
        for &at in position {
            if let Some(rule) = walked.machine.distinct.index_of(at.state) {
                let own = Activation { rule, list: at.count, own: Some(at.state) };
                self.add(walked, own, is_single, mask, excluded)?;
            }
            let mut frame = at.frame;
            while frame != BOTTOM {
                let top = walked.frames.get(frame);
                if let Some(rule) = walked.machine.distinct.index_of(top.ret) {
                    let caller = Activation { rule, list: top.count, own: None };
                    self.add(walked, caller, is_single, mask, excluded)?;
                }
                frame = top.parent;
            }
        }
        self.doubtful.extend_from_slice(joining(walked, &mut self.search)?);
        Ok(())
    }

    /// Appends the tokens that one call may exclude: certain ones to `excluded`, those to try to `self.doubtful`.
    /// `is_single` is true if the position has one configuration and the grammar matches no token by its id.
    fn add(
        &mut self,
        walked: &mut Walked<'_>,
        activation: Activation,
        is_single: bool,
        mask: Mask<'_>,
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        let Activation { rule, list: number, own } = activation;
        let list = walked.frames.items.list(number);
        let closed = if list.is_open() { list.before } else { number };
        let facts = walked.machine.distinct.get(rule);
        let (spread, is_out) = match closed {
            EMPTY => (self.search.spread(walked, rule)?, false),
            closed => {
                let used = self.search.used(walked, rule, closed)?;
                (used.spread, !list.is_open() && (facts.start.is_none() || used.is_dead(ROOT)))
            }
        };
        if facts.is_scarce && spread.is_none() {
            // While an item is left, only a token that ends an item can use up the last.
            let vocabulary = walked.grammar.vocabulary();
            let ends = |&byte: &u8| facts.borders.after.contains(byte);
            let ends = |token| vocabulary.token_bytes(token).iter().any(ends);
            self.doubtful.extend(mask.iter().filter(|&token| is_out || ends(token)));
        }
        // The open item of the innermost call has ended.
        if closed == EMPTY || list.is_open() && own.is_some() {
            return Ok(());
        }
        let items = &walked.frames.items;
        let Some(used) = items.tree_of(rule, closed) else { return Ok(()) };
        let node = match list.is_open() {
            true => match used.find(items.open_text(list)) {
                Found::Node(node) => node,
                Found::New | Found::Dead => return Ok(()),
            },
            false => ROOT,
        };
        let is_certain = is_single
            && match own {
                Some(state) => only_begins_items(&walked.machine, facts, state),
                None => list.is_open(),
            };
        let trie = walked.grammar.vocabulary().artifact().trie();
        for candidate in used.candidates(node) {
            match candidate {
                Candidate::Certain(token) if is_certain => excluded.push(token),
                Candidate::Certain(token) | Candidate::Doubtful(token) => self.doubtful.push(token),
                Candidate::Exit { node, is_certain: sure } => {
                    let after = facts.borders.after;
                    let exits =
                        trie.children(node).filter(|&at| after.contains(trie.byte[at as usize]));
                    let ranks = exits.flat_map(|child| trie.tokens_below(child));
                    let tokens = ranks.map(|rank| trie.token_of_rank[rank as usize]);
                    match is_certain && sure {
                        true => {
                            let pool = mask.pool();
                            excluded.extend(tokens.filter(|&token| mask.contains_in(&pool, token)));
                        }
                        false => self.doubtful.extend(tokens),
                    }
                }
            }
        }
        Ok(())
    }

    /// Tries each token of `self.doubtful` that the mask allows. Appends it to `excluded` if only items equal to
    /// earlier ones are reachable after it.
    fn try_doubtful(
        &mut self,
        walked: &mut Walked<'_>,
        position: &[Configuration],
        mask: Mask<'_>,
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        sort_and_dedup(&mut self.doubtful);
        let (certain, pool) = (excluded.len(), mask.pool());
        for index in 0..self.doubtful.len() {
            let token = self.doubtful[index];
            let is_open = mask.contains_in(&pool, token)
                && excluded[..certain].binary_search(&token).is_err();
            if is_open && !self.allows(walked, position, token)? {
                excluded.push(token);
            }
        }
        Ok(())
    }

    /// Whether an item that differs from all earlier items of its list is still reachable after a token.
    fn allows(
        &mut self,
        walked: &mut Walked<'_>,
        position: &[Configuration],
        token: u32,
    ) -> Result<bool, LimitError> {
        let len = walked.frames.items.text().len();
        let Self { after, closure, next, .. } = self;
        after.clear();
        after.extend_from_slice(position);
        let vocabulary = walked.grammar.vocabulary();
        for &byte in vocabulary.text(token).bytes(vocabulary.artifact(), token) {
            let Walked { machine, frames, .. } = walked;
            read(machine, frames, after, byte, closure, next)?;
            after.clear();
            after.extend_from_slice(next.as_slice());
        }
        if walked.grammar.has_edge_on(token) {
            let Walked { machine, frames, .. } = walked;
            machine.step_token(frames, position, token, closure, next)?;
            after.extend_from_slice(next.as_slice());
        }
        let mut any = false;
        for index in 0..self.after.len() {
            any = any || self.search.is_alive(walked, self.after[index])?;
        }
        walked.frames.items.truncate(len);
        Ok(any)
    }
}

/// Returns the ids of the tokens that may end an item and begin one equal to an earlier item. The first call finds
/// them, in O(bytes of the tokens) for each different set of bytes around items.
fn joining<'g>(walked: &mut Walked<'g>, search: &mut Search) -> Result<&'g [u32], LimitError> {
    let rules: &'g DistinctRules = walked.machine.distinct;
    if let Some(known) = rules.joining.get() {
        return Ok(known);
    }
    let mut different: Vec<(&DistinctRule, Option<u32>)> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let spread = search.spread(walked, index)?;
        let is_same = |&(known, of_known): &(&DistinctRule, _)| {
            (known.borders, known.is_scarce, of_known) == (rule.borders, rule.is_scarce, spread)
        };
        if !different.iter().any(is_same) {
            different.push((rule, spread));
        }
    }
    let tokens = walked.grammar.vocabulary().artifact().tokens();
    let joins = |&token: &u32| {
        let bytes = tokens.bytes_of(token);
        different.iter().any(|(rule, spread)| rule.may_join(bytes, *spread))
    };
    Ok(rules.joining.get_or_init(|| (0..tokens.count()).filter(joins).collect()))
}

/// Whether a state of `rule` begins an item, and can read the first byte of an item in no other way. Other ways are a
/// byte edge, a call of another rule and a return.
fn only_begins_items(machine: &Machine<'_>, rule: &DistinctRule, state: u32) -> bool {
    let first = rule.borders.first;
    let (tables, index) = machine.tables.locate(state);
    let mut bytes = ByteSet::default();
    for edge in tables.byte_edges_of(index) {
        bytes.add_range(edge.lo()..=edge.hi());
    }
    let mut begins = false;
    for edge in tables.call_edges_of(index) {
        let callee = machine.tables.rule(edge.callee);
        match rule.start.is_some_and(|start| start.state == callee.first_state) {
            true => begins = true,
            false => bytes.add_all(ByteSet(callee.first_bytes)),
        }
    }
    begins && !bytes.meets(first) && machine.state(state).flags & state_flags::FINAL == 0
}
