//! The range of bytes, from the one that is read, for which a step is the same.
//!
//! The edges and calls that a step looks at do not depend on the byte that it reads. So the following bytes are read
//! alike up to where one of these begins or ends.

use grammarc_artifacts::sections::network::ByteEdge;

use crate::ir::ByteSet;

/// The last byte of the range.
pub(super) struct ByteRange {
    last: u8,
}

impl ByteRange {
    /// Returns the range of all bytes from the one that is read.
    pub(super) fn all() -> Self {
        Self { last: u8::MAX }
    }

    /// Whether a later byte is read alike.
    pub(super) fn contains(&self, byte: u8) -> bool {
        byte <= self.last
    }

    /// Restricts the range to the byte that is read.
    pub(super) fn only(&mut self, byte: u8) {
        self.last = byte;
    }

    /// Restricts the range to bytes that are in a set if and only if the byte that is read is.
    pub(super) fn depends_on(&mut self, byte: u8, set: ByteSet) {
        self.last = self.last.min(set.alike_until(byte));
    }

    /// Returns the target of the edge that reads a byte, and restricts the range to bytes with the same target.
    pub(super) fn read(&mut self, edges: &[ByteEdge], byte: u8) -> Option<u32> {
        let at = edges.partition_point(|edge| edge.hi() < byte);
        let edge = edges.get(at);
        let last = edge.map_or(u8::MAX, |edge| match edge.lo() <= byte {
            true => edge.hi(),
            false => edge.lo() - 1,
        });
        self.last = self.last.min(last);
        edge.filter(|edge| edge.lo() <= byte).map(|edge| edge.target)
    }
}
