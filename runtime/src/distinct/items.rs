//! Lists of the items read so far, one for each call in progress of a rule whose items must differ (`uniqueItems`).
//!
//! The register of such a rule holds the id of a *list*. A list consists of its newest item, as a range of the
//! sequence's text, and the list before it. The text is kept for this. So lists share their tails as stacks do, equal
//! lists have one id, and registers are saved and merged as in any other rule.
//!
//! While an item is read, the register of its caller lies in the frame. It holds an *open* list: the newest item has no
//! end yet. The end is known only when the caller continues, since a number may always have one more digit. The item is
//! *ended* there.
//!
//! A list refers to the text by offsets, and denotes what the text holds there now. So a rollback only shortens the
//! text. A list that is unused after the rollback is valid again once the text has the same length.
//!
//! Memory: the bytes of the text, and for each item two lists of 20 bytes, with 8 to 12 bytes of index for each.

use std::sync::Arc;

use super::list_index::ListIndex;
use super::used::UsedItems;

/// Id of the empty list of items.
pub(crate) const EMPTY: u32 = 0;

/// Value of a list's `end` while its newest item is still being read.
pub(super) const OPEN: u32 = u32::MAX;

/// A list of the items that a call has read: the newest item as a range of the text, and the list before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct List {
    /// Id of the list of all items but the newest.
    pub(super) before: u32,
    /// Start of the newest item in the sequence's text, in bytes.
    pub(super) start: u32,
    /// Exclusive end of the newest item in the sequence's text, in bytes. [`OPEN`] while the item is being read.
    pub(super) end: u32,
    /// Number of items in the list, including the newest.
    items: u32,
    /// Id of the list that has only the first item. [`EMPTY`] if this list has at most one item.
    first: u32,
}

impl List {
    /// The list without items.
    const NONE: Self = Self { before: EMPTY, start: 0, end: 0, items: 0, first: EMPTY };

    /// Returns a hash of the list, by the fields on which the others depend.
    fn hash(&self) -> u64 {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let text = u64::from(self.start) << 32 | u64::from(self.end);
        let both = (text ^ u64::from(self.before).wrapping_mul(ODD)).wrapping_mul(ODD);
        both ^ both >> 32
    }

    /// Whether the newest item is still being read.
    pub(crate) fn is_open(&self) -> bool {
        self.end == OPEN
    }

    /// Returns the number of items in the list, including the newest.
    pub(super) fn items(&self) -> u32 {
        self.items
    }
}

/// The text of a sequence, and all lists of items in it. The lists belong to rules whose items must differ
/// (`uniqueItems`).
#[derive(Clone, Debug)]
pub(crate) struct Items {
    /// Accepted text, followed by the text of the token that is being tried.
    text: Vec<u8>,
    /// Length in bytes of the part of the text that the automaton has read. An item that begins or ends now has this
    /// offset as its start or end.
    read: usize,
    /// All lists of items. The id of a list is its index.
    lists: Vec<List>,
    numbers: ListIndex,
    /// Length of the text in bytes, at the start and after each accepted token.
    ends: Vec<usize>,
    /// Prefix trees of the items of some lists, the one that was used last at the end. Forks share each tree until it
    /// changes.
    pub(super) used: Vec<Arc<UsedItems>>,
}

impl Items {
    /// Returns an empty text with only the empty list.
    pub(crate) fn new() -> Self {
        Self {
            text: Vec::new(),
            read: 0,
            lists: vec![List::NONE],
            numbers: ListIndex::default(),
            ends: vec![0],
            used: Vec::new(),
        }
    }

    /// Returns the accepted text, followed by the text of the token that is being tried.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Appends bytes to the text. They count as unread until [`leave`](Self::leave).
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Marks all bytes of the text as read except the last `unread`.
    #[inline]
    pub(crate) fn leave(&mut self, unread: usize) {
        self.read = self.text.len().saturating_sub(unread);
    }

    /// Shortens the text to `len` bytes, and marks all of it as read. Items that end beyond are removed from the prefix
    /// trees.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
        self.read = self.text.len();
        self.undo(len, self.lists.len());
    }

    /// Marks the whole text as accepted. To be called after each accepted token.
    pub(crate) fn accept(&mut self) {
        self.ends.push(self.text.len());
    }

    /// Takes back the last `tokens` accepted tokens. The text keeps their bytes until [`rewind`](Self::rewind).
    pub(crate) fn rollback(&mut self, tokens: usize) {
        self.ends.truncate(self.ends.len().saturating_sub(tokens));
    }

    /// Returns the length of the accepted text in bytes.
    pub(super) fn accepted(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Removes the bytes after the accepted text: those of a token that was tried.
    pub(crate) fn rewind(&mut self) {
        self.truncate(self.accepted());
    }

    /// Returns the list of items with the id `list`.
    #[inline]
    pub(crate) fn list(&self, list: u32) -> List {
        self.lists[list as usize]
    }

    /// Returns the number of lists of items, including the empty list.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// Removes the lists of items whose id is at least `from`. No register may refer to them.
    pub(crate) fn forget(&mut self, from: usize) {
        self.undo(self.text.len(), from);
        while self.lists.len() > from {
            if let Some(list) = self.lists.pop() {
                self.numbers.remove_last(list.hash());
            }
        }
    }

    /// Removes items from the prefix trees if they end after `text` bytes, or belong to a list whose id is at least
    /// `lists`.
    fn undo(&mut self, text: usize, lists: usize) {
        for used in &mut self.used {
            let kept = used.kept(text, lists);
            if kept < used.len() {
                Arc::make_mut(used).undo_to(kept);
            }
        }
    }

    /// Returns the id of the list `before` extended by a new open item. The item begins at the end of the read text.
    pub(crate) fn open(&mut self, before: u32) -> u32 {
        self.intern(before, self.read as u32, OPEN)
    }

    /// Ends the open item of a list at the end of the read text, and returns the id of the list with the ended item.
    /// `None` if an earlier item of the list is equal. A list without an open item is returned as it is. `rule` is the
    /// index of its rule.
    pub(crate) fn end_item(&mut self, list: u32, rule: usize) -> Option<u32> {
        let newest = self.list(list);
        if !newest.is_open() {
            return Some(list);
        }
        if self.had(newest, rule) {
            return None;
        }
        Some(self.intern(newest.before, newest.start, self.read as u32))
    }

    /// Returns the text of the newest item of an open list, as far as the text is read.
    pub(super) fn open_text(&self, open: List) -> &[u8] {
        &self.text[open.start as usize..self.read]
    }

    /// Whether the open item of the list `open`, as far as it is read, is equal to an earlier item of that list. `rule`
    /// is the index of the list's rule.
    pub(super) fn had(&self, open: List, rule: usize) -> bool {
        let text = self.open_text(open);
        if open.before == EMPTY {
            return false;
        }
        if let Some(used) = self.tree_of(rule, open.before) {
            return used.has(text);
        }
        let mut at = open.before;
        while at != EMPTY {
            let list = self.list(at);
            if &self.text[list.start as usize..list.end as usize] == text {
                return true;
            }
            at = list.before;
        }
        false
    }

    /// Returns the prefix tree that has exactly the items of the list with the id `list`. `None` if the sequence keeps
    /// none. `rule` is the index of the list's rule.
    pub(super) fn tree_of(&self, rule: usize, list: u32) -> Option<&UsedItems> {
        let is_of = |used: &&Arc<UsedItems>| used.rule == rule && used.newest() == Some(list);
        self.used.iter().rfind(is_of).map(Arc::as_ref)
    }

    /// Returns the id of the list that has only the first item of `list`. `list` is the id of a list with items.
    pub(super) fn first_of(&self, list: u32) -> u32 {
        match self.list(list).first {
            EMPTY => list,
            first => first,
        }
    }

    /// Returns the id of the list that extends `before` by an item, from `start` to `end` of the text in bytes. Adds
    /// the list if it is new.
    pub(super) fn intern(&mut self, before: u32, start: u32, end: u32) -> u32 {
        let first = if before == EMPTY { EMPTY } else { self.first_of(before) };
        let list = List { before, start, end, items: self.list(before).items + 1, first };
        let is_same = |id: u32| self.lists[id as usize] == list;
        if let Some(number) = self.numbers.find(list.hash(), is_same) {
            return number;
        }
        let number = self.lists.len() as u32;
        self.lists.push(list);
        self.numbers.add_last(self.lists.len(), |id| self.lists[id as usize].hash());
        number
    }
}
