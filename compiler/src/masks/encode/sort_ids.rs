//! Sorts token ids and removes duplicates with a bit row. The ids of a mask come in several ascending runs.
//!
//! A second bit row marks the words of the first that have bits, so empty words are skipped.
//!
//! Cost: O(ids), and one step for each 4,096 ids that the vocabulary has.
use crate::masks::bits::for_each_bit;

/// The most ids that are sorted by comparison. With more, the bit row (one bit per token) is faster.
const FEW: usize = 24;

/// The two bit rows (one bit per token) of a sort; all bits are clear between calls.
#[derive(Debug, Default)]
pub(crate) struct IdSorter {
    /// The number of 32-bit words of a mask's row: all ids are below 32 times this number.
    row_words: usize,
    /// One bit for each token id. Allocated at the first sort of many ids, since many grammars have few tokens in most
    /// masks.
    words: Vec<u64>,
    /// One bit for each word of `words`: whether the word has bits set.
    touched: Vec<u64>,
}

impl IdSorter {
    /// Returns a sorter for token ids below 32 times `row_words`.
    pub(crate) fn new(row_words: usize) -> Self {
        Self { row_words, ..Self::default() }
    }

    /// Sorts token ids in ascending order and removes duplicates.
    pub(crate) fn put_in_order(&mut self, ids: &mut Vec<u32>) {
        if ids.len() <= FEW {
            ids.sort_unstable();
            ids.dedup();
            return;
        }
        let words = self.row_words.div_ceil(2);
        self.words.resize(words, 0);
        self.touched.resize(words.div_ceil(64), 0);
        for &id in &*ids {
            let word = id as usize / 64;
            self.words[word] |= 1 << (id % 64);
            self.touched[word / 64] |= 1 << (word % 64);
        }
        ids.clear();
        for (at, touched) in self.touched.iter_mut().enumerate() {
            for_each_bit(std::mem::take(touched), |bit| {
                let word = 64 * at + bit as usize;
                let first = 64 * word as u32;
                for_each_bit(std::mem::take(&mut self.words[word]), |bit| ids.push(first + bit));
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn ids_come_in_order_and_once(
            lists in prop::collection::vec(prop::collection::vec(0u32..20_000, 0..200), 1..4),
        ) {
            let mut ordered = IdSorter::new(625);
            for mut ids in lists {
                let expected: Vec<u32> = BTreeSet::from_iter(ids.iter().copied()).into_iter().collect();
                ordered.put_in_order(&mut ids);
                prop_assert_eq!(ids, expected);
            }
        }
    }
}
