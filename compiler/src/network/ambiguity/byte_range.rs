//! The range of bytes, from the byte of a step on, for which the step has the same result.
//!
//! A step looks at edges and calls that do not depend on its byte. So the next bytes have the same
//! result, up to where one of these edges or calls begins or ends.

use grammarc_artifacts::sections::network::ByteEdge;

use crate::ir::ByteSet;

/// A range of bytes. Its first byte is the byte of the current step.
pub(super) struct ByteRange {
    /// The last byte of the range, inclusive.
    last: u8,
}

impl ByteRange {
    /// Returns the range from the byte of the step to byte 255.
    pub(super) fn all() -> Self {
        Self { last: u8::MAX }
    }

    /// Whether a byte that is greater than the byte of the step has the same result.
    pub(super) fn contains(&self, byte: u8) -> bool {
        byte <= self.last
    }

    /// Restricts the range to `byte`, the byte of the step.
    pub(super) fn only(&mut self, byte: u8) {
        self.last = byte;
    }

    /// Restricts the range to bytes that agree with `byte`, the byte of the step, on membership in
    /// `set`.
    pub(super) fn depends_on(&mut self, byte: u8, set: ByteSet) {
        self.last = self.last.min(set.alike_until(byte));
    }

    /// Returns the target of the edge that reads `byte`, the byte of the step, and restricts the
    /// range to bytes with the same target. Returns `None` without such an edge.
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
