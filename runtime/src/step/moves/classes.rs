//! Byte classes: a partition of the 256 bytes into ranges that no state of an artifact distinguishes.

use std::ops::{Range, RangeInclusive};

use grammarc_artifacts::tables::{Joined, Tables};

/// The byte classes of some tables, numbered from 0 in the order of their bytes. A class ends where the range of an
/// edge or the first set of a callee begins or ends.
pub(super) struct ByteClasses {
    /// Maps each byte to the number of its class.
    pub(super) of: [u8; 256],
    /// For each class, the range of its bytes.
    pub(super) ranges: Vec<RangeInclusive<u8>>,
}

impl ByteClasses {
    /// Computes the byte classes of `tables`, which are one half of `joined`. O(edges).
    pub(super) fn new(joined: &Joined<'_>, tables: &Tables<'_>) -> Self {
        // Bit `b` is set if a class begins with byte `b`.
        let mut begins = [0u32; 8];
        let mut begin = |byte: u8| begins[usize::from(byte / 32)] |= 1 << (byte % 32);
        for edge in tables.byte_edges {
            begin(edge.lo());
            edge.hi().checked_add(1).map(&mut begin);
        }
        for edge in tables.call_edges {
            let mut before = 0;
            for (word, bytes) in begins.iter_mut().zip(joined.rule(edge.callee).first_bytes) {
                *word |= bytes ^ (bytes << 1 | before >> 31);
                before = bytes;
            }
        }
        let (mut of, mut ranges) = ([0; 256], vec![0..=u8::MAX]);
        for byte in 1..=u8::MAX {
            let last = ranges.len() - 1;
            if has(&begins, byte) {
                ranges[last] = *ranges[last].start()..=byte - 1;
                ranges.push(byte..=u8::MAX);
            }
            of[usize::from(byte)] = (ranges.len() - 1) as u8;
        }
        Self { of, ranges }
    }

    /// Returns classes of one byte each.
    #[cfg(test)]
    pub(super) fn of_each_byte() -> Self {
        let ranges = (0..=u8::MAX).map(|byte| byte..=byte).collect();
        Self { of: std::array::from_fn(|byte| byte as u8), ranges }
    }

    /// Returns the bytes of the neighbouring classes in `classes`, of which there is at least one.
    pub(super) fn bytes(&self, classes: &Range<usize>) -> RangeInclusive<u8> {
        *self.ranges[classes.start].start()..=*self.ranges[classes.end - 1].end()
    }

    /// Returns the number of a byte's class.
    pub(super) fn of(&self, byte: u8) -> usize {
        usize::from(self.of[usize::from(byte)])
    }
}

/// Whether `bytes` contains a byte. `bytes` is a set: byte `b` is bit `b % 32` of word `b / 32`.
pub(super) fn has(bytes: &[u32; 8], byte: u8) -> bool {
    bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0
}
