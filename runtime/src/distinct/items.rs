//! The items of a sequence's distinct rules: the texts that each activation has read.
//!
//! The register of an activation holds the number of a *list*. A list is its newest item, as places in the text of the
//! sequence, and the list before it. The text is kept for this. So lists share their tails as stacks do, equal lists have one number, and
//! registers are saved and merged as in any other rule. While an item is read, its caller's register, which lies in the
//! frame, holds an *open* list, whose newest item has no end yet. The end is known only when the caller continues, since a
//! number may always have one more digit. The item is *ended* there.
//!
//! Lists refer to the text by place, and denote what the text holds there now. So a rollback only shortens the text: a list
//! that it leaves unused is valid again once the text has the same places.
//!
//! Memory: the bytes of the text, and for each item two lists of 16 bytes, with some 20 for finding each.

use std::collections::HashMap;

/// Number of the list without items.
pub(crate) const EMPTY: u32 = 0;

/// End of an item that is still read.
pub(super) const OPEN: u32 = u32::MAX;

/// A list: its newest item as places in the text, and the list before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct List {
    pub(super) before: u32,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Number of items, including the newest.
    items: u32,
}

impl List {
    const NONE: Self = Self { before: EMPTY, start: 0, end: 0, items: 0 };

    /// Whether the newest item is still read.
    pub(crate) fn is_open(&self) -> bool {
        self.end == OPEN
    }

    /// Number of items, including the newest.
    pub(super) fn items(&self) -> u32 {
        self.items
    }

    /// Whether there are items before the newest.
    pub(crate) fn has_more(&self) -> bool {
        self.before != EMPTY
    }
}

/// The text of a sequence, and the lists of items in it.
#[derive(Clone, Debug)]
pub(crate) struct Items {
    /// The accepted text, followed by the text that is being tried.
    text: Vec<u8>,
    /// Number of bytes of the text that are read.
    read: usize,
    lists: Vec<List>,
    numbers: HashMap<List, u32>,
    /// Length of the text before each accepted token, and after the last.
    ends: Vec<usize>,
    /// Whether equal items are allowed, for walks that need the tokens of the stored masks.
    pub(crate) lenient: bool,
    /// Whether an item was refused since this was last cleared.
    pub(crate) refused: bool,
}

impl Items {
    /// An empty text without items.
    pub(crate) fn new() -> Self {
        Self {
            text: Vec::new(),
            read: 0,
            lists: vec![List::NONE],
            numbers: HashMap::new(),
            ends: vec![0],
            lenient: false,
            refused: false,
        }
    }

    /// The accepted text, followed by the text that is tried.
    pub(crate) fn text(&self) -> &[u8] {
        &self.text
    }

    /// Appends bytes to the text. They are not read yet.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// Marks all bytes as read except the last `unread`.
    #[inline]
    pub(crate) fn leave(&mut self, unread: usize) {
        self.read = self.text.len().saturating_sub(unread);
    }

    /// Shortens the text to a length, and marks the whole text as read.
    pub(crate) fn truncate(&mut self, len: usize) {
        self.text.truncate(len);
        self.read = self.text.len();
    }

    /// Marks the whole text as accepted, at the end of a token.
    pub(crate) fn accept(&mut self) {
        self.ends.push(self.text.len());
    }

    /// Takes back the last `tokens` accepted tokens. The text stays until [`rewind`](Self::rewind).
    pub(crate) fn rollback(&mut self, tokens: usize) {
        self.ends.truncate(self.ends.len().saturating_sub(tokens));
    }

    /// Length of the accepted text.
    pub(super) fn accepted(&self) -> usize {
        self.ends.last().copied().unwrap_or(0)
    }

    /// Removes the text that was not accepted.
    pub(crate) fn rewind(&mut self) {
        self.truncate(self.accepted());
    }

    /// The list with this number.
    #[inline]
    pub(crate) fn list(&self, list: u32) -> List {
        self.lists[list as usize]
    }

    /// Number of lists, including the empty one.
    pub(crate) fn len(&self) -> usize {
        self.lists.len()
    }

    /// Removes the lists from this number on. No register may refer to them.
    pub(crate) fn forget(&mut self, from: usize) {
        for list in self.lists.drain(from..) {
            self.numbers.remove(&list);
        }
    }

    /// Returns the list with a new open item, which begins at the end of the read text.
    pub(crate) fn open(&mut self, before: u32) -> u32 {
        self.intern(before, self.read as u32, OPEN)
    }

    /// Returns the list with its open item ended at the end of the read text. `None` if an earlier item is equal.
    pub(crate) fn end_item(&mut self, list: u32) -> Option<u32> {
        let newest = self.list(list);
        if !newest.is_open() {
            return Some(list);
        }
        if !self.lenient && self.had(newest) {
            self.refused = true;
            return None;
        }
        Some(self.intern(newest.before, newest.start, self.read as u32))
    }

    /// Whether the open item is equal to an earlier one.
    pub(crate) fn had(&self, open: List) -> bool {
        let text = &self.text[open.start as usize..self.read];
        self.before(open).any(|item| item == text)
    }

    /// Whether an earlier item begins with the text of the open one.
    pub(crate) fn may_become(&self, open: List) -> bool {
        let text = &self.text[open.start as usize..self.read];
        self.before(open).any(|item| item.starts_with(text))
    }

    /// The rest of each earlier item that begins with the text of the open one.
    pub(crate) fn rests(&self, open: List) -> impl Iterator<Item = &[u8]> {
        let text = &self.text[open.start as usize..self.read];
        self.before(open).filter_map(move |item| item.strip_prefix(text))
    }

    /// The texts of the items before the newest of a list, newest first.
    fn before(&self, newest: List) -> impl Iterator<Item = &[u8]> {
        let mut at = newest.before;
        std::iter::from_fn(move || {
            let list = self.list(at);
            let item = &self.text[list.start as usize..list.end as usize];
            let some = at != EMPTY;
            at = list.before;
            some.then_some(item)
        })
    }

    /// Returns the number of the list with an item from `start` to `end` after the items of another list. Adds the list if it
    /// is new.
    pub(super) fn intern(&mut self, before: u32, start: u32, end: u32) -> u32 {
        let list = List { before, start, end, items: self.list(before).items + 1 };
        let next = self.lists.len() as u32;
        let number = *self.numbers.entry(list).or_insert(next);
        if number == next {
            self.lists.push(list);
        }
        number
    }
}
