//! An interner of sequences of numbers or other small values. Each distinct sequence is stored
//! once, in one buffer.
//!
//! Subsets, outlines of states, masks and classes of nodes are looked up by content thousands of times for each
//! grammar. With a separate key for each sequence, there would be as many allocations.

use std::hash::Hasher;
use std::ops::Range;

use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use rustc_hash::FxHasher;

/// An element of the sequences in an [`Interner`].
pub trait Word: Copy + Eq {
    /// Returns the hash of a sequence, for lookups.
    fn hash(words: &[Self]) -> u64;
}

impl Word for u32 {
    fn hash(words: &[Self]) -> u64 {
        hash(words)
    }
}

/// An interner of sequences of numbers or other small values: equal sequences have one number.
/// Sequences are numbered from 0 in the order in which they are first added.
#[derive(Clone, Debug)]
pub struct Interner<T = u32> {
    /// The elements of all sequences, one sequence after the other.
    words: Vec<T>,
    /// For each sequence, the index in `words` after its last element.
    ends: Vec<usize>,
    /// The numbers of all sequences, in a hash table that is searched by the contents of the
    /// sequences.
    numbers: HashTable<u32>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { words: Vec::new(), ends: Vec::new(), numbers: HashTable::default() }
    }
}

#[expect(clippy::len_without_is_empty, reason = "nobody asks whether there is none")]
impl<T: Word> Interner<T> {
    /// Creates an empty interner with capacity for `count` sequences with `words` elements
    /// altogether.
    pub fn with_capacity(count: usize, words: usize) -> Self {
        Self {
            words: Vec::with_capacity(words),
            ends: Vec::with_capacity(count),
            numbers: HashTable::with_capacity(count),
        }
    }

    /// Returns the number of sequences in the interner.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns the estimated size of the interner in bytes.
    pub fn bytes(&self) -> usize {
        // A number in the hash table takes 4 bytes and one byte of metadata, and the table is at
        // most seven eighths full.
        size_of_val(&*self.words) + size_of_val(&*self.ends) + 6 * self.numbers.len()
    }

    /// Removes all sequences. The next sequence gets number 0.
    pub(crate) fn clear(&mut self) {
        let Self { words, ends, numbers } = self;
        words.clear();
        ends.clear();
        numbers.clear();
    }

    /// Returns the elements of the sequence with a given number.
    pub fn get(&self, number: u32) -> &[T] {
        &self.words[range(&self.ends, number)]
    }

    /// Returns the number of a sequence of elements. Returns `None` if the sequence was not added.
    pub fn find(&self, words: &[T]) -> Option<u32> {
        let is_equal = |&number: &u32| *self.get(number) == *words;
        self.numbers.find(T::hash(words), is_equal).copied()
    }

    /// Returns the number of a sequence of elements, and adds the sequence if it is new.
    pub fn number(&mut self, words: &[T]) -> u32 {
        let Self { words: all, ends, numbers } = self;
        let is_equal = |&number: &u32| all[range(ends, number)] == *words;
        match numbers.entry(T::hash(words), is_equal, |&number| T::hash(&all[range(ends, number)]))
        {
            Entry::Occupied(entry) => *entry.get(),
            Entry::Vacant(entry) => {
                let new = ends.len() as u32;
                entry.insert(new);
                all.extend_from_slice(words);
                ends.push(all.len());
                new
            }
        }
    }
}

/// Returns the range of indices in `Interner::words` of the sequence with this number, given the
/// end of each sequence.
fn range(ends: &[usize], number: u32) -> Range<usize> {
    let from = number.checked_sub(1).map_or(0, |before| ends[before as usize]);
    from..ends[number as usize]
}

/// Returns the hash of a sequence of numbers, for lookups.
pub fn hash(words: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    let (pairs, rest) = words.as_chunks();
    pairs.iter().for_each(|&[a, b]| hasher.write_u64(u64::from(a) << 32 | u64::from(b)));
    rest.iter().for_each(|&word| hasher.write_u32(word));
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_is_kept_once(all in prop::collection::vec(prop::collection::vec(0u32..3, 0..4), 0..60)) {
            let mut sequences = Interner::default();
            let mut met: Vec<Vec<u32>> = Vec::new();
            for words in all {
                let expected = met.iter().position(|other| *other == words);
                if expected.is_none() {
                    met.push(words.clone());
                }
                let number = sequences.number(&words);
                prop_assert_eq!(number as usize, expected.unwrap_or(met.len() - 1));
                prop_assert_eq!(sequences.get(number), &words[..]);
                prop_assert_eq!(sequences.len(), met.len());
            }
            sequences.clear();
            prop_assert_eq!(sequences.len(), 0);
            for (number, words) in (0..).zip(&met) {
                prop_assert_eq!(sequences.number(words), number);
            }
        }
    }
}
