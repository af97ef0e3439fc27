//! Free space of the pool: ranges of words, first fit, neighbours united.

use std::collections::BTreeMap;

/// Ranges are multiples of this many words: 128 bytes.
const UNIT: u32 = 32;

/// The free words: those of `free`, and all from `end` on.
#[derive(Debug, Default)]
pub(crate) struct Space {
    /// Length by first word. No two ranges are adjacent, and none reaches `end`.
    free: BTreeMap<u32, u32>,
    end: u32,
}

impl Space {
    /// Takes a range of at least `words` words. `None` if the address space is full. O(free ranges).
    pub(crate) fn take(&mut self, words: u32) -> Option<u32> {
        let words = words.max(1).checked_next_multiple_of(UNIT)?;
        let fit = self.free.iter().find(|&(_, &len)| len >= words).map(|(&at, &len)| (at, len));
        if let Some((at, len)) = fit {
            self.free.remove(&at);
            if len > words {
                self.free.insert(at + words, len - words);
            }
            return Some(at);
        }
        let at = self.end;
        self.end = at.checked_add(words)?;
        Some(at)
    }

    /// Gives a range back that was taken with as many words. O(log free ranges).
    pub(crate) fn give(&mut self, mut at: u32, words: u32) {
        let mut len = words.max(1).next_multiple_of(UNIT);
        if let Some((&before, &before_len)) = self.free.range(..at).next_back()
            && before + before_len == at
        {
            self.free.remove(&before);
            (at, len) = (before, before_len + len);
        }
        if let Some(after) = self.free.remove(&(at + len)) {
            len += after;
        }
        if at + len == self.end {
            self.end = at;
        } else {
            self.free.insert(at, len);
        }
    }

    /// The end of the highest range in use.
    pub(crate) fn end(&self) -> u32 {
        self.end
    }

    /// The number of words in use.
    pub(crate) fn taken(&self) -> u32 {
        self.end - self.free.values().sum::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Ranges that are taken never overlap, and when all are given back nothing is left.
        #[test]
        fn ranges_are_disjoint_and_come_back(
            moves in prop::collection::vec((any::<bool>(), 0u32..200, any::<prop::sample::Index>()), 1..200),
        ) {
            let mut space = Space::default();
            let mut taken: Vec<(u32, u32)> = Vec::new();
            for (take, words, which) in moves {
                if take || taken.is_empty() {
                    let at = space.take(words).unwrap();
                    let fits = |&(other, len): &(u32, u32)| at + words.max(1) <= other || other + len.max(1) <= at;
                    prop_assert!(taken.iter().all(fits));
                    prop_assert!(at.is_multiple_of(UNIT) && at + words <= space.end());
                    taken.push((at, words));
                } else {
                    let (at, words) = taken.swap_remove(which.index(taken.len()));
                    space.give(at, words);
                }
                let sum: u32 = taken.iter().map(|(_, words)| words.max(&1).next_multiple_of(UNIT)).sum();
                prop_assert_eq!(space.taken(), sum);
            }
            for (at, words) in taken {
                space.give(at, words);
            }
            prop_assert_eq!((space.end(), space.taken()), (0, 0));
        }
    }

    #[test]
    fn numbers_of_words_end() {
        let mut space = Space::default();
        let most = u32::MAX / UNIT * UNIT;
        assert_eq!(space.take(most), Some(0));
        assert_eq!(space.take(1), None);
        space.give(0, most);
        assert_eq!(space.take(1), Some(0));
    }
}
