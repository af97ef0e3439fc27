//! The tokens of a position's mask that lead only to items equal to earlier ones. They are excluded from the mask.
//!
//! The prefix tree of a list has the tokens that are excluded at each beginning of an item. While a position has one
//! configuration, nearly all of them are certain. The others are doubtful: each is tried, byte by byte. Tokens that
//! may end an item and begin another that is used are doubtful in every position. Few vocabularies have such tokens.
//!
//! If a rule may run out of items, every token of the mask is tried. Then at most one item is left at each place, so
//! the mask is small.
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
use crate::step::byte_set::ByteSet;
use crate::step::machine::{Limits, Machine};

/// Buffers of the search for excluded tokens.
#[derive(Debug, Default)]
pub(crate) struct Exclusion {
    search: Search,
    closure: Configurations,
    next: Configurations,
    /// Position after the bytes of a token that is tried.
    after: Vec<Configuration>,
    /// Ids of the tokens to try.
    doubtful: Vec<u32>,
}

/// A call in progress of a distinct rule.
#[derive(Clone, Copy)]
struct Activation {
    /// Index of the rule.
    rule: usize,
    /// Number of the list in the register of the call.
    list: u32,
    /// State of the rule, if the call is the innermost. `None` if the call waits for the return of another.
    own: Option<u32>,
}

impl Exclusion {
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
        self.doubtful.clear();
        let (lists, len) = (frames.items.len(), frames.items.text().len());
        let machine = mask.grammar.machine(limits);
        let mut walked = Walked { grammar: mask.grammar, machine, frames };
        let found = self.find(&mut walked, position, mask, excluded);
        sort(excluded);
        let tried = found.and_then(|()| self.try_doubtful(&mut walked, position, mask, excluded));
        frames.items.truncate(len);
        frames.items.forget(lists);
        if tried.is_err() {
            excluded.clear();
        }
        sort(excluded);
    }

    /// Adds the tokens that are certainly excluded to `excluded`, and the doubtful ones to those to try.
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

    /// Adds the tokens that one call of a distinct rule may exclude.
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

    /// Excludes each doubtful token that the mask allows but after which no configuration is alive.
    fn try_doubtful(
        &mut self,
        walked: &mut Walked<'_>,
        position: &[Configuration],
        mask: Mask<'_>,
        excluded: &mut Vec<u32>,
    ) -> Result<(), LimitError> {
        self.doubtful.sort_unstable();
        self.doubtful.dedup();
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

    /// Whether some configuration is alive after a token: it can still reach an item that differs from all earlier
    /// ones.
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

/// Sorts tokens and removes repetitions. Does nothing if they ascend, as they nearly always do.
fn sort(tokens: &mut Vec<u32>) {
    if !tokens.is_sorted_by(|a, b| a < b) {
        tokens.sort_unstable();
        tokens.dedup();
    }
}

/// Returns the tokens that may end an item of some distinct rule and begin another that is used. The first call finds
/// them, in O(bytes of the tokens) for each different set of borders.
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

/// Whether a state of a distinct rule begins items, and reads the first byte of an item in no other way.
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
