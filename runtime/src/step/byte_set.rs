//! Sets of bytes, in the layout of a rule's first set in the artifact.

use std::ops::RangeInclusive;

/// A set of bytes: byte `b` is bit `b % 32` of word `b / 32`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ByteSet(pub(crate) [u32; 8]);

impl ByteSet {
    /// The set of all bytes.
    pub(crate) const ALL: Self = Self([u32::MAX; 8]);

    /// Adds a byte to the set.
    pub(crate) fn add(&mut self, byte: u8) {
        self.0[usize::from(byte / 32)] |= 1 << (byte % 32);
    }

    /// Adds a range of bytes to the set.
    pub(crate) fn add_range(&mut self, bytes: RangeInclusive<u8>) {
        bytes.for_each(|byte| self.add(byte));
    }

    /// Adds all bytes of another set.
    pub(crate) fn add_all(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(word, more)| *word |= more);
    }

    /// Removes a byte from the set.
    pub(crate) fn remove(&mut self, byte: u8) {
        self.0[usize::from(byte / 32)] &= !(1 << (byte % 32));
    }

    /// Whether the set contains a byte.
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte / 32)] >> (byte % 32) & 1 != 0
    }

    /// Whether the two sets have a byte in common.
    pub(crate) fn meets(&self, other: Self) -> bool {
        self.0.iter().zip(other.0).any(|(word, other)| word & other != 0)
    }

    /// Returns the number of bytes in the set.
    pub(crate) fn len(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    /// Returns the bytes of the set in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (0..8_u8).zip(self.0).flat_map(|(at, mut word)| {
            std::iter::from_fn(move || {
                let bit = (word != 0).then(|| word.trailing_zeros() as u8)?;
                word &= word - 1;
                Some(at * 32 + bit)
            })
        })
    }
}
