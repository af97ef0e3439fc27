//! Brings token ids in order, each once, by way of a row of bits: the ids of a mask come run by run of the trie.
//!
//! A second row says which words of the first have bits, so neither is passed over as a whole.
//!
//! Cost: O(ids), and one step for each 4,096 ids that the vocabulary has.
use crate::masks::bits::for_each_bit;

/// Ids up to which they are sorted.
const FEW: usize = 24;

/// Rows of bits, empty between calls.
#[derive(Debug, Default)]
pub(crate) struct IdSorter {
    /// u32 words of a row.
    row_words: usize,
    /// Once they are asked for: many grammars have few tokens in most masks.
    words: Vec<u64>,
    /// By word, whether it has bits.
    touched: Vec<u64>,
}

impl IdSorter {
    /// Rows for ids below 32 times `row_words`.
    pub(crate) fn new(row_words: usize) -> Self {
        Self { row_words, ..Self::default() }
    }

    /// Brings ids in ascending order, each once.
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
