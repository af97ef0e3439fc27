//! A range of items that no thread has begun: one thread takes the next item, and the others take halves from the end.
//!
//! Both bounds are in one 64-bit word, so an item is taken by one atomic update.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// A range of item indexes. The first item is in the upper 32 bits, and the exclusive end in the lower 32 bits. Items
/// are states or pairs, and never more than 32 bits can count.
pub(crate) struct WorkRange(AtomicU64);

impl WorkRange {
    /// Returns a range of item indexes in which no item is taken.
    pub(crate) fn new(items: Range<usize>) -> Self {
        Self(AtomicU64::new(packed(items)))
    }

    /// Replaces the remaining items by the range `items`.
    pub(crate) fn set(&self, items: Range<usize>) {
        self.0.store(packed(items), Ordering::SeqCst);
    }

    /// Returns the number of remaining items.
    pub(crate) fn len(&self) -> usize {
        unpacked(self.0.load(Ordering::SeqCst)).len()
    }

    /// Takes the first remaining item. `None` if there are none.
    pub(crate) fn next(&self) -> Option<usize> {
        self.take(|Range { start, end }| start + 1..end).map(|items| items.start)
    }

    /// Takes half of the remaining items, from the end, the larger half if their number is odd. `None` if there are
    /// none.
    pub(crate) fn last_half(&self) -> Option<Range<usize>> {
        let middle = |items: &Range<usize>| items.start + items.len() / 2;
        let items = self.take(|items| items.start..middle(&items))?;
        Some(middle(&items)..items.end)
    }

    /// Replaces the range of the remaining items by the result of `leave` for it. Returns the range as it was before,
    /// or `None` if there are no items.
    fn take(&self, leave: impl Fn(Range<usize>) -> Range<usize>) -> Option<Range<usize>> {
        let next = |items| {
            let items = unpacked(items);
            (!items.is_empty()).then(|| packed(leave(items)))
        };
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).ok().map(unpacked)
    }
}

/// Packs both bounds of a range into one word: the start in the upper 32 bits, the end in the lower.
fn packed(items: Range<usize>) -> u64 {
    (items.start as u64) << 32 | items.end as u64
}

/// Returns the range that [`packed`] has packed into a word.
fn unpacked(items: u64) -> Range<usize> {
    (items >> 32) as usize..items as u32 as usize
}
