//! The first set of a position: the bytes that may come next.
//!
//! Cost: the epsilon closure of the position, with O(edges) for each state in it.

use crate::error::LimitError;
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::step::byte_set::ByteSet;
use crate::step::machine::{Calls, Machine};

/// The first set of a position: a set of bytes, and whether a whole token may come in place of a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstBytes {
    /// Bytes that may come next.
    pub(crate) bytes: ByteSet,
    /// Whether some token edge can be taken from the position.
    pub(crate) tokens: bool,
}

impl FirstBytes {
    /// Computes the first set of a position. Items that must differ are not compared. So the set may contain bytes that
    /// lead only to an item equal to an earlier one.
    ///
    /// # Errors
    ///
    /// The closure of the position exceeds the limit on configurations.
    pub(crate) fn of(
        machine: &Machine<'_>,
        frames: &mut Frames,
        position: &[Configuration],
        closure: &mut Configurations,
    ) -> Result<Self, LimitError> {
        let mut first = Self::default();
        machine.close(frames, position, closure, Calls::Never, |_, at| {
            if machine.packed.contains(at.state) {
                let node = machine.tables.packed_strings().node(at.count);
                node.labels().iter().for_each(|&byte| first.bytes.add(byte));
                return Ok(());
            }
            let (tables, index) = machine.tables.locate(at.state);
            for edge in tables.byte_edges_of(index) {
                first.bytes.add_range(edge.lo()..=edge.hi());
            }
            first.tokens |= !tables.token_edges_of(index).is_empty();
            for edge in tables.call_edges_of(index) {
                let callee = machine.tables.rule(edge.callee);
                first.bytes.add_all(ByteSet(callee.first_bytes));
                first.tokens |= callee.first_tokens != 0;
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// Returns the only byte that may come next. `None` if several bytes or none may, or if a token edge can be taken.
    pub(crate) fn only(&self) -> Option<u8> {
        if self.bytes.len() != 1 || self.tokens { None } else { self.bytes.iter().next() }
    }
}
