//! Whether a configuration can still reach a new item. An item is *new* if it differs from all earlier items of its
//! list.
//!
//! Every state reaches the end of its rule, so a configuration is alive unless all its continuations end in earlier
//! items. A continuation that diverges from all earlier items is new, whatever follows. The prefix tree of a list
//! decides nearly all configurations. If the tree has no dead nodes, a search follows the earlier items that begin with
//! the text of the open item.
//!
//! A rule is *scarce* if some item has finitely many texts. Between two items the search runs only in a scarce rule,
//! and only while fewer than two unused items diverge. A separator is dead if all items are used. In any other rule a
//! new item is always possible. The compiler ensures that an unused item is left wherever a sequence requires one.
//!
//! Cost: the stack frames of the configuration, and the bytes of the open item within the tree. A search takes a step
//! for each byte up to the first place with two possible bytes, which is nearly always the next.

use grammarc_artifacts::sections::network::state_flags;

use super::insertion::Insertion;
use super::items::{EMPTY, List};
use super::reading::read;
use super::used::{Found, UsedItems};
use crate::error::LimitError;
use crate::listed::subtree_walk::Walked;
use crate::position::stack::BOTTOM;
use crate::position::{Configuration, Configurations};
use crate::step::first_bytes::FirstBytes;

/// Most configurations that one search for a new item adds to its worklist. Nearly all searches are short. A search
/// that meets the limit takes about a second and 8 MB. The token is then not accepted, with [`LimitError::NewItem`].
const SEARCHED: usize = 1 << 18;

/// Whether a configuration can still reach an item that differs from all earlier items of its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Viability {
    /// No continuation reaches a new item, so the configuration is dropped.
    Dead,
    /// The prefix trees of earlier items are not enough to decide, so continuations have to be searched.
    Unknown,
    /// Some continuation reaches a new item.
    Alive,
}

/// A configuration in the worklist, with the length and the last byte of the text read up to it.
#[derive(Clone, Copy, Debug)]
struct Open {
    at: Configuration,
    /// Length in bytes of the text up to the configuration.
    len: usize,
    /// Last byte of the text up to the configuration.
    byte: u8,
}

/// Buffers of the search for a new item.
#[derive(Debug, Default)]
pub(crate) struct Search {
    /// Worklist of configurations from which a new item may still be reached.
    open: Vec<Open>,
    /// Number of configurations that were added to the worklist since the search began.
    added: usize,
    closure: Configurations,
    next: Configurations,
    insertion: Insertion,
}

impl Search {
    /// Whether some continuation of a configuration makes an item that differs from all earlier items of its list. All
    /// text of the items must be marked as read, by `Items::leave(0)`.
    ///
    /// # Errors
    ///
    /// The search adds more than [`SEARCHED`] configurations, or a step meets the limit on configurations or frames.
    pub(crate) fn is_alive(
        &mut self,
        walked: &mut Walked<'_>,
        at: Configuration,
    ) -> Result<bool, LimitError> {
        match self.viability(walked, at)? {
            Viability::Dead => Ok(false),
            Viability::Alive => Ok(true),
            Viability::Unknown => self.search(walked, at),
        }
    }

    /// Returns the prefix tree of the items of a list, brought up to date. The list must have items, none of them open.
    /// `rule` is the index of the list's rule.
    pub(super) fn used<'w>(
        &mut self,
        walked: &'w mut Walked<'_>,
        rule: usize,
        list: u32,
    ) -> Result<&'w UsedItems, LimitError> {
        self.insertion.update(walked, rule, list)
    }

    /// Returns the depth in bytes at which two items of a rule first diverge. `None` if no two do.
    pub(super) fn spread(
        &mut self,
        walked: &mut Walked<'_>,
        rule: usize,
    ) -> Result<Option<u32>, LimitError> {
        self.insertion.spread(walked, rule)
    }

    /// Whether a list may be left without unused items after one more item. True if no two unused items diverge and the
    /// rule is scarce: some item is read by a rule with finitely many texts.
    fn may_run_out(
        &mut self,
        walked: &mut Walked<'_>,
        rule: usize,
        list: u32,
    ) -> Result<bool, LimitError> {
        if !walked.machine.distinct.get(rule).is_scarce {
            return Ok(false);
        }
        let spread = match list {
            EMPTY => self.spread(walked, rule)?,
            list => self.used(walked, rule, list)?.spread,
        };
        Ok(spread.is_none())
    }

    /// Whether the list with the id `list` may already have all items of a rule. True if unknown. The result is false
    /// if the prefix tree of the list without its newest item knows of two unused items.
    fn may_be_out(
        &mut self,
        walked: &mut Walked<'_>,
        rule: usize,
        list: u32,
    ) -> Result<bool, LimitError> {
        let older = walked.frames.items.list(list).before;
        let has_more =
            walked.frames.items.tree_of(rule, older).is_some_and(|used| used.spread.is_some());
        Ok(list != EMPTY && !has_more && self.may_run_out(walked, rule, list)?)
    }

    /// Returns whether a configuration can still reach an item that differs from all earlier items of its list. Checks
    /// the calls in progress on the stack too.
    fn viability(
        &mut self,
        walked: &mut Walked<'_>,
        at: Configuration,
    ) -> Result<Viability, LimitError> {
        let mut found = Viability::Alive;
        if let Some(rule) = walked.machine.distinct.index_of(at.state) {
            let list = walked.frames.items.list(at.count);
            if list.is_open() && walked.frames.items.had(list, rule) {
                return Ok(Viability::Dead);
            }
            let ends = walked.machine.state(at.state).flags & state_flags::FINAL != 0;
            let runs_out = match list.is_open() {
                _ if ends => false,
                true => self.may_run_out(walked, rule, list.before)?,
                false => self.may_be_out(walked, rule, at.count)?,
            };
            if runs_out {
                found = Viability::Unknown;
            }
        }
        let mut frame = at.frame;
        while frame != BOTTOM {
            let top = walked.frames.get(frame);
            frame = top.parent;
            let Some(rule) = walked.machine.distinct.index_of(top.ret) else { continue };
            let list = walked.frames.items.list(top.count);
            match list.is_open() {
                true => match self.of_open(walked, rule, list)? {
                    Viability::Dead => return Ok(Viability::Dead),
                    Viability::Unknown => found = Viability::Unknown,
                    Viability::Alive => {}
                },
                false => {
                    if self.may_be_out(walked, rule, top.count)? {
                        found = Viability::Unknown;
                    }
                }
            }
        }
        Ok(found)
    }

    /// Returns whether the open item of a list can still differ from all earlier items of that list.
    fn of_open(
        &mut self,
        walked: &mut Walked<'_>,
        rule: usize,
        list: List,
    ) -> Result<Viability, LimitError> {
        if list.before == EMPTY {
            return Ok(Viability::Alive);
        }
        let items = &walked.frames.items;
        let (text, older) = (items.open_text(list), items.list(list.before).before);
        // With one item more than the tree has, an item is left at the tree's spread. So a trial of a token that ends
        // an item need not change the tree.
        let goes_on = |used: &UsedItems| {
            let is_near = used.spread.is_some_and(|spread| text.len() <= spread as usize);
            is_near && used.find(text) != Found::Dead
        };
        if items.tree_of(rule, older).is_some_and(goes_on) {
            return Ok(Viability::Alive);
        }
        self.used(walked, rule, list.before)?;
        let items = &walked.frames.items;
        let Some(used) = items.tree_of(rule, list.before) else { return Ok(Viability::Unknown) };
        Ok(match used.find(items.open_text(list)) {
            Found::Dead => Viability::Dead,
            Found::New => Viability::Alive,
            Found::Node(_) if walked.machine.distinct.get(rule).start.is_some() => Viability::Alive,
            Found::Node(_) => Viability::Unknown,
        })
    }

    /// Searches depth first for a continuation that makes a new item. Returns whether there is one. Restores the text.
    #[inline(never)]
    fn search(&mut self, walked: &mut Walked<'_>, at: Configuration) -> Result<bool, LimitError> {
        let start = walked.frames.items.text().len();
        self.open.clear();
        self.open.push(Open { at, len: start, byte: 0 });
        self.added = 0;
        let mut alive = Ok(false);
        while let Some(Open { at, len, byte }) = self.open.pop() {
            if len > start {
                walked.frames.items.truncate(len - 1);
                walked.frames.items.push(&[byte]);
                walked.frames.items.leave(0);
            }
            alive = self.go_on(walked, at, len);
            if alive != Ok(false) {
                break;
            }
        }
        walked.frames.items.truncate(start);
        alive
    }

    /// Whether some next byte makes the open item new. If not, adds the configurations that may still reach a new item
    /// to the worklist. `len` is the length of the text before the byte.
    fn go_on(
        &mut self,
        walked: &mut Walked<'_>,
        at: Configuration,
        len: usize,
    ) -> Result<bool, LimitError> {
        if self.added > SEARCHED {
            return Err(LimitError::NewItem { limit: SEARCHED });
        }
        let Walked { machine, frames, .. } = walked;
        let first = FirstBytes::of(machine, frames, &[at], &mut self.closure)?;
        for byte in first.bytes.iter() {
            let Walked { machine, frames, .. } = walked;
            read(machine, frames, &[at], byte, &mut self.closure, &mut self.next)?;
            for index in 0..self.next.as_slice().len() {
                let next = self.next.as_slice()[index];
                match self.viability(walked, next)? {
                    Viability::Alive => return Ok(true),
                    Viability::Unknown => {
                        self.open.push(Open { at: next, len: len + 1, byte });
                        self.added += 1;
                    }
                    Viability::Dead => {}
                }
            }
            walked.frames.items.truncate(len);
        }
        Ok(false)
    }
}
