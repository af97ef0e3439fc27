//! Items one behind the other that no thread has begun: one thread takes the next, the others halves from the end.
//!
//! Both bounds are one word, so taking costs an exchange of it.

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

/// The first of the items and the end of them, in 32 bits each: there are no more than states and pairs can be
/// numbered.
pub(crate) struct WorkRange(AtomicU64);

impl WorkRange {
    pub(crate) fn new(items: Range<usize>) -> Self {
        Self(AtomicU64::new(packed(items)))
    }

    /// Puts others in their place.
    pub(crate) fn set(&self, items: Range<usize>) {
        self.0.store(packed(items), Ordering::SeqCst);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        unpacked(self.0.load(Ordering::SeqCst)).len()
    }

    /// Takes the first.
    pub(crate) fn next(&self) -> Option<usize> {
        self.take(|Range { start, end }| start + 1..end).map(|items| items.start)
    }

    /// Takes half of the items from the end, the larger half if their number is odd.
    pub(crate) fn last_half(&self) -> Option<Range<usize>> {
        let middle = |items: &Range<usize>| items.start + items.len() / 2;
        let items = self.take(|items| items.start..middle(&items))?;
        Some(middle(&items)..items.end)
    }

    /// Leaves what is said of the items, if there are any, and returns them as they were.
    fn take(&self, leave: impl Fn(Range<usize>) -> Range<usize>) -> Option<Range<usize>> {
        let next = |items| {
            let items = unpacked(items);
            (!items.is_empty()).then(|| packed(leave(items)))
        };
        self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, next).ok().map(unpacked)
    }
}

fn packed(items: Range<usize>) -> u64 {
    (items.start as u64) << 32 | items.end as u64
}

fn unpacked(items: u64) -> Range<usize> {
    (items >> 32) as usize..items as u32 as usize
}
