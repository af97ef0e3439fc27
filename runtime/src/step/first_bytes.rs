//! The first set of a position: the bytes that may come next.
//!
//! Cost: the epsilon closure of the position, with O(edges) for each state in it.

use crate::error::LimitError;
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::step::machine::{Calls, Machine};

/// The first set of a position: a set of bytes, and whether a whole token may come in place of a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstBytes {
    /// Set of bytes: byte `b` is bit `b % 32` of word `b / 32`.
    bytes: [u32; 8],
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
                node.labels().iter().for_each(|&byte| first.add(byte));
                return Ok(());
            }
            let (tables, index) = machine.tables.locate(at.state);
            for edge in tables.byte_edges_of(index) {
                (edge.lo()..=edge.hi()).for_each(|byte| first.add(byte));
            }
            first.tokens |= !tables.token_edges_of(index).is_empty();
            for edge in tables.call_edges_of(index) {
                let callee = machine.tables.rule(edge.callee);
                for (word, more) in first.bytes.iter_mut().zip(callee.first_bytes) {
                    *word |= more;
                }
                first.tokens |= callee.first_tokens != 0;
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// Adds a byte to the set.
    pub(crate) fn add(&mut self, byte: u8) {
        self.bytes[usize::from(byte / 32)] |= 1 << (byte % 32);
    }

    /// Removes a byte from the set.
    pub(crate) fn remove(&mut self, byte: u8) {
        self.bytes[usize::from(byte / 32)] &= !(1 << (byte % 32));
    }

    /// Whether the set contains a byte.
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0
    }

    /// Returns the bytes of the set in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&byte| self.contains(byte))
    }

    /// Returns the only byte that may come next. `None` if several bytes or none may, or if a token edge can be taken.
    pub(crate) fn only(&self) -> Option<u8> {
        let total: u32 = self.bytes.iter().map(|word| word.count_ones()).sum();
        if total != 1 || self.tokens { None } else { self.iter().next() }
    }
}
