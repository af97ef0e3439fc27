//! The items of a sequence's distinct rules: for each call of a rule in progress, the texts of the items that it has
//! read.
//!
//! The register of a distinct rule holds the number of a *list* of items. A list consists of its newest item, as a
//! range of the sequence's text, and the list before it. The text is kept for this. So lists share their tails as
//! stacks do, equal lists have one number, and registers are saved and merged as in any other rule.
//!
//! While an item is read, its rule's register lies in the frame, and holds an *open* list: the newest item has no end
//! yet. The end is known only when the rule continues, since a number may always have one more digit. The item is
//! *ended* there.
//!
//! A list refers to the text by offsets, and denotes what the text holds there now. So a rollback only shortens the
//! text. A list that is unused after the rollback is valid again once the text has the same length.
//!
//! Memory: the bytes of the text, and for each item two lists of 16 bytes, with some 20 bytes of index for each.

use std::collections::HashMap;
use std::sync::Arc;

use super::used::UsedItems;

/// Number of the item list that has no items.
pub(crate) const EMPTY: u32 = 0;

/// Value in place of an item's end while the item is being read.
pub(super) const OPEN: u32 = u32::MAX;

/// A list of items: its newest item as a range of the text, and the list before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct List {
    /// Number of the list of all items but the newest.
    pub(super) before: u32,
    /// Offset in bytes of the newest item in the text.
    pub(super) start: u32,
    /// Exclusive end of the newest item in the text, or [`OPEN`].
    pub(super) end: u32,
    /// Number of items in the list, including the newest.
    items: u32,
    /// Number of the list that has only the first item. [`EMPTY`] if this is that list.
    first: u32,
}

impl List {
    /// The list without items.
    const NONE: Self = Self { before: EMPTY, start: 0, end: 0, items: 0, first: EMPTY };

    /// Whether the newest item is still being read.
    pub(crate) fn is_open(&self) -> bool {
        self.end == OPEN
    }

    /// Returns the number of items in the list, including the newest.
    pub(super) fn items(&self) -> u32 {
        self.items
    }
}

/// The text of a sequence, and all lists of items in it.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    /// Accepted text, followed by the text of the token that is being tried.
    text: Vec<u8>,
    /// Number of bytes of the text that the machine has read.
    read: usize,
    /// All lists. The number of a list is its index.
    lists: Vec<List>,
    /// Maps each item list to its number.
    numbers: HashMap<List, u32>,
    /// Length of the text in bytes, at the start and after each accepted token.
    ends: Vec<usize>,
    /// Prefix trees of some lists, the one that was used last at the end. Forks share them until they change.
    pub(super) used: Vec<Arc<UsedItems>>,
}

impl Items {
    /// Returns an empty text with only the empty list.
    pub(crate) fn new() -> Self {
        Self {
            text: Vec::new(),
            read: 0,
            lists: vec![List::NONE],
            numbers: HashMap::new(),
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

    /// Shortens the text to `len` bytes, and marks all of it as read.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
        self.read = self.text.len();
        self.undo(len, self.lists.len());
    }

    /// Marks the whole text as accepted, at the end of a token.
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

    /// Returns the list with this number.
    #[inline]
    pub(crate) fn list(&self, list: u32) -> List {
        self.lists[list as usize]
    }

    /// Returns the number of lists, including the empty one.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// Removes the lists whose number is at least `from`. No register may refer to them.
    pub(crate) fn forget(&mut self, from: usize) {
        self.undo(self.text.len(), from);
        for list in self.lists.drain(from..) {
            self.numbers.remove(&list);
        }
    }

    /// Undoes the items of prefix trees that end after `text` bytes or belong to a list with a number from `lists` on.
    fn undo(&mut self, text: usize, lists: usize) {
        for used in &mut self.used {
            let kept = used.kept(text, lists);
            if kept < used.len() {
                Arc::make_mut(used).undo_to(kept);
            }
        }
    }

    /// Returns the number of the list `before` with a new open item, which begins at the end of the read text.
    pub(crate) fn open(&mut self, before: u32) -> u32 {
        self.intern(before, self.read as u32, OPEN)
    }

    /// Ends the open item of a list at the end of the read text, and returns the new list's number. `None` if an
    /// earlier item is equal. A list without an open item is returned as it is.
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

    /// Returns the text of the item that a list with an open item reads.
    pub(super) fn open_text(&self, open: List) -> &[u8] {
        &self.text[open.start as usize..self.read]
    }

    /// Whether the item that `open` reads is equal to an earlier item of the list. `rule` is the index of the list's
    /// rule.
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

    /// Returns the prefix tree of a list of a rule. `None` if no tree has all items of the list and no others.
    pub(super) fn tree_of(&self, rule: usize, list: u32) -> Option<&UsedItems> {
        let is_of = |used: &&Arc<UsedItems>| used.rule == rule && used.newest() == Some(list);
        self.used.iter().rfind(is_of).map(Arc::as_ref)
    }

    /// Returns the number of the list that has only the first item of a list with items.
    pub(super) fn first_of(&self, list: u32) -> u32 {
        match self.list(list).first {
            EMPTY => list,
            first => first,
        }
    }

    /// Returns the number of the list that has the items of `before` and an item from `start` to `end` of the text.
    /// Adds the list if it is new.
    pub(super) fn intern(&mut self, before: u32, start: u32, end: u32) -> u32 {
        let first = if before == EMPTY { EMPTY } else { self.first_of(before) };
        let list = List { before, start, end, items: self.list(before).items + 1, first };
        let next = self.lists.len() as u32;
        let number = *self.numbers.entry(list).or_insert(next);
        if number == next {
            self.lists.push(list);
        }
        number
    }
}
