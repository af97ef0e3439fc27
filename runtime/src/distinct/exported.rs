//! The item lists of a position as plain bytes: the last part of an [export](crate::export), which describes the
//! layout.

use super::items::{EMPTY, Items, OPEN};

/// Number of bytes before the lists: two 32-bit words, with the number of lists and the length of the text.
const HEADER: usize = 8;
/// Number of bytes of one list: three 32-bit words, with the list before it, and the start and the end of its newest
/// item.
const RECORD: usize = 12;

/// The item lists that an export needs. A list has an index from 1 on, and comes after the list that it extends.
pub(crate) struct ExportedLists<'a> {
    items: &'a Items,
    order: Vec<u32>,
    /// For each list of the sequence, by id, its index in the export. 0 for a list that the export does not need.
    numbers: Vec<u32>,
}

impl<'a> ExportedLists<'a> {
    /// Returns lists in the form of an exported position (bytes for another process), without any list yet.
    pub(crate) fn new(items: &'a Items) -> Self {
        Self { items, order: Vec::new(), numbers: vec![0; items.len()] }
    }

    /// Returns the index in the export of the list with the id `list`; 0 is the empty list. Adds the list and all lists
    /// before it if they are new.
    pub(crate) fn number(&mut self, list: u32) -> u32 {
        let known = self.order.len();
        let mut at = list;
        while at != EMPTY && self.numbers[at as usize] == 0 {
            self.order.push(at);
            self.numbers[at as usize] = 1;
            at = self.items.list(at).before;
        }
        self.order[known..].reverse();
        for (place, &list) in self.order.iter().enumerate().skip(known) {
            self.numbers[list as usize] = place as u32 + 1;
        }
        self.numbers[list as usize]
    }

    /// Appends the added lists to `bytes`, and then the accepted text from the start of their first item on.
    pub(crate) fn write(&self, bytes: &mut Vec<u8>) {
        let text = &self.items.text()[..self.items.accepted()];
        let lists = self.order.iter().map(|&list| self.items.list(list));
        let from = lists.clone().map(|list| list.start).min().unwrap_or(text.len() as u32);
        let text = &text[from as usize..];
        let mut put = |value: u32| bytes.extend(value.to_le_bytes());
        put(self.order.len() as u32);
        put(text.len() as u32);
        for list in lists {
            put(self.numbers[list.before as usize]);
            put(list.start - from);
            put(if list.is_open() { OPEN } else { list.end - from });
        }
        bytes.extend(text);
    }
}

/// Reads item lists and their text from the bytes that [`ExportedLists::write`] appends. Checks every index and offset.
///
/// # Errors
///
/// Returns the index of the first malformed list, or 0 if the length is wrong.
pub(crate) fn read(bytes: &[u8]) -> Result<Items, usize> {
    let number = |at: usize| {
        let bytes = bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
        bytes.map(u32::from_le_bytes).ok_or(0_usize)
    };
    let (lists, text) = (number(0)?, number(4)?);
    let end = HEADER as u64 + RECORD as u64 * u64::from(lists) + u64::from(text);
    if bytes.len() as u64 != end {
        return Err(0);
    }
    let mut items = Items::new();
    items.push(&bytes[bytes.len() - text as usize..]);
    items.accept();
    for index in 0..lists as usize {
        let at = HEADER + RECORD * index;
        let (before, start, end) = (number(at)?, number(at + 4)?, number(at + 8)?);
        let known = (before as usize) < items.len() && !items.list(before).is_open();
        let ends = if end == OPEN { text } else { end };
        if !known || start > ends || ends > text {
            return Err(index);
        }
        if items.intern(before, start, end) as usize != index + 1 {
            return Err(index);
        }
    }
    items.rewind();
    Ok(items)
}
