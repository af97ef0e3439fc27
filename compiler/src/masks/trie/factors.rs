//! Bloom filter of the factors (contiguous parts) of tokens. Two states that are equivalent on every factor have equal
//! masks.
//!
//! A string is represented by its last bytes, as many as a [`Factor`] holds, and looked up by their hash in a table of
//! bits. So the filter has false positives and no false negatives. Factors of two bytes have an exact table: in most
//! vocabularies no token has a letter and then a quote.
//!
//! Eight bits for each node of the trie: half a megabyte for 128,000 tokens. Built in O(nodes), some 10 ns each.

use grammarc_artifacts::sections::vocabulary::Trie;

use crate::ir::ByteSet;

/// The most bytes of a string that are kept: its last four, with a marker bit in a word of 64 bits. Longer strings with
/// equal last bytes are not distinguished.
const LONGEST: u32 = 4;

/// Multiplier of the hash: 2^64 divided by the golden ratio, odd.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// The last bytes of a string, at most [`LONGEST`]. The newest byte is the lowest, and one bit is set above the oldest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Factor(u64);

impl Factor {
    /// The empty string.
    pub(crate) const EMPTY: Self = Self(1);

    /// Returns the last byte of the string. `None` for the empty string.
    pub(crate) fn last(self) -> Option<u8> {
        (self != Self::EMPTY).then_some(self.0 as u8)
    }

    /// Returns the string with one more byte at its end. Only the last [`LONGEST`] bytes are kept.
    pub(crate) fn then(self, byte: u8) -> Self {
        const WHOLE: u64 = 1 << (8 * LONGEST);
        let longer = self.0 << 8 | u64::from(byte);
        Self(if longer >> (8 * LONGEST) > 1 { longer & (WHOLE - 1) | WHOLE } else { longer })
    }
}

/// The factors (substrings) of a vocabulary's tokens, as a Bloom filter.
#[derive(Default)]
pub(crate) struct FactorFilter {
    /// The table of bits of the Bloom filter. The bit at the hash of each factor (substring of a token) is set.
    bits: Vec<u64>,
    /// Number of bits by which a hash is shifted right to give the index of a bit.
    shift: u32,
    /// For each byte, the bytes that follow it in some token.
    after: Vec<ByteSet>,
}

impl FactorFilter {
    /// Collects the factors (substrings) of all tokens of a trie. O(nodes).
    pub(crate) fn new(trie: Trie<'_>) -> Self {
        let bits = (8 * trie.len()).next_power_of_two().max(64);
        let mut this = Self {
            bits: vec![0; bits / 64],
            shift: u64::BITS - bits.trailing_zeros(),
            after: vec![ByteSet::EMPTY; 256],
        };
        // For each node on the path to the current one: the end of its subtree, and the factors of each length that end
        // at it.
        let mut path: Vec<(u32, [Factor; LONGEST as usize])> = Vec::new();
        for node in 1..trie.len() as u32 {
            while path.last().is_some_and(|&(end, _)| end <= node) {
                path.pop();
            }
            let mut strings = path.last().map_or([Factor::EMPTY; _], |&(_, strings)| strings);
            let byte = trie.byte[node as usize];
            if let Some(&(_, [Factor(before), ..])) = path.last() {
                this.after[usize::from(before as u8)].insert(byte);
            }
            for length in (1..LONGEST as usize).rev() {
                strings[length] = strings[length - 1].then(byte);
            }
            strings[0] = Factor::EMPTY.then(byte);
            strings.iter().for_each(|&piece| this.add(piece));
            path.push((trie.end[node as usize], strings));
        }
        this
    }

    /// Returns the index of the table's word with the bit of a factor (substring of a token), and that bit.
    fn place(&self, piece: Factor) -> (usize, u64) {
        let bit = piece.0.wrapping_mul(FACTOR) >> self.shift;
        ((bit / 64) as usize, 1 << (bit % 64))
    }

    /// Adds a factor (substring of a token) to the filter.
    fn add(&mut self, piece: Factor) {
        let (word, bit) = self.place(piece);
        self.bits[word] |= bit;
    }

    /// Whether some token may contain the string `piece`, which must not be empty. True for every factor (substring of
    /// a token), and by mistake for a few other strings.
    pub(crate) fn may_have(&self, piece: Factor) -> bool {
        let (word, bit) = self.place(piece);
        self.bits[word] & bit != 0
    }

    /// Returns the bytes that follow `byte` in some token.
    #[inline]
    pub(crate) fn after(&self, byte: u8) -> ByteSet {
        self.after[usize::from(byte)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use grammarc_artifacts::{TokenKind, TrieData};

    fn piece(text: &[u8]) -> Factor {
        text.iter().fold(Factor::EMPTY, |piece, &byte| piece.then(byte))
    }

    proptest! {
        #[test]
        fn pieces_are_all_that_occurs_and_little_else(
            texts in prop::collection::btree_set(prop::collection::vec(any::<u8>(), 1..12), 1..40),
            others in prop::collection::vec(prop::collection::vec(any::<u8>(), 1..12), 200),
        ) {
            let tokens: Vec<_> = texts.iter().map(|text| (text.clone(), TokenKind::Text)).collect();
            let trie = TrieData::build(&tokens).expect("it is small");
            let pieces = FactorFilter::new(trie.as_trie());
            for text in &texts {
                for from in 0..text.len() {
                    for to in from + 1..=text.len() {
                        prop_assert!(pieces.may_have(piece(&text[from..to])));
                    }
                }
            }
            for before in 0..=u8::MAX {
                let pairs = texts.iter().flat_map(|text| text.windows(2));
                let after = pairs.filter(|pair| pair[0] == before).map(|pair| pair[1]);
                prop_assert_eq!(pieces.after(before), after.collect());
            }
            let occurs = |other: &[u8]| {
                let end = &other[other.len().saturating_sub(LONGEST as usize)..];
                texts.iter().any(|text| text.windows(end.len()).any(|window| window == end))
            };
            let wrong = others.iter().filter(|other| pieces.may_have(piece(other)) && !occurs(other));
            prop_assert!(wrong.count() < others.len() / 2);
        }
    }
}
