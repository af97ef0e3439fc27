//! Sequences of numbers, each kept once, in one buffer.
//!
//! Subsets, descriptions of states, masks and classes of nodes are looked up by content thousands of times for each
//! grammar, and a key of its own for each would be as many allocations.

use std::hash::Hasher;
use std::ops::Range;

use rustc_hash::FxHasher;

const NONE: u32 = u32::MAX;

/// Slots of the smallest table.
const FEWEST_SLOTS: usize = 16;

/// Sequences by number, in the order in which they were met.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sequences {
    words: Vec<u32>,
    /// By sequence, where it ends, and its hash.
    ends: Vec<usize>,
    hashes: Vec<u64>,
    /// Numbers of sequences, each in the first slot from that of its hash on that was free. A power of two, of which at
    /// most half are taken; none before there is a sequence.
    slots: Vec<u32>,
}

impl Sequences {
    /// None yet, with room for some.
    pub(crate) fn with_capacity(count: usize) -> Self {
        Self {
            words: Vec::with_capacity(4 * count),
            ends: Vec::with_capacity(count),
            hashes: Vec::with_capacity(count),
            slots: vec![NONE; (2 * count).next_power_of_two().max(FEWEST_SLOTS)],
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// Forgets them all.
    pub(crate) fn clear(&mut self) {
        let Self { words, ends, hashes, slots } = self;
        words.clear();
        ends.clear();
        hashes.clear();
        slots.fill(NONE);
    }

    /// A sequence by its number.
    pub(crate) fn get(&self, number: u32) -> &[u32] {
        &self.words[range(&self.ends, number)]
    }

    /// The number of a sequence, which is new or not.
    pub(crate) fn number(&mut self, words: &[u32]) -> u32 {
        if 2 * self.len() >= self.slots.len() {
            self.grow();
        }
        let hash = hash(words);
        let mut slot = self.slot(hash);
        while let number = self.slots[slot]
            && number != NONE
        {
            if self.hashes[number as usize] == hash && self.get(number) == words {
                return number;
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        let new = self.len() as u32;
        self.slots[slot] = new;
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len());
        self.hashes.push(hash);
        new
    }

    /// The slot from which on a sequence of this hash is looked for.
    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }

    /// Doubles the table.
    fn grow(&mut self) {
        let count = (2 * self.slots.len()).max(FEWEST_SLOTS);
        self.slots.clear();
        self.slots.resize(count, NONE);
        for number in 0..self.hashes.len() {
            let mut slot = self.slot(self.hashes[number]);
            while self.slots[slot] != NONE {
                slot = (slot + 1) & (count - 1);
            }
            self.slots[slot] = number as u32;
        }
    }
}

/// Where the words of a sequence stand.
fn range(ends: &[usize], number: u32) -> Range<usize> {
    let from = number.checked_sub(1).map_or(0, |before| ends[before as usize]);
    from..ends[number as usize]
}

/// The hash by which a sequence is looked up.
pub(crate) fn hash(words: &[u32]) -> u64 {
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
            let mut sequences = Sequences::default();
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
