//! The first set of a position: the bytes that may come next.
//!
//! Cost: the closure of the position, with O(edges) for each state in it.

use crate::error::LimitError;
use crate::position::stack::Frames;
use crate::position::{Configuration, Configurations};
use crate::step::machine::{Calls, Machine};

/// A set of bytes, and whether whole tokens may come in place of a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct FirstBytes {
    /// Bit `b % 32` of word `b / 32` for byte `b`.
    bytes: [u32; 8],
    /// Whether a token edge can be taken from the position.
    pub(crate) tokens: bool,
}

impl FirstBytes {
    /// Computes the first set of a position. Items that must differ are not compared, so the set may have bytes that lead
    /// only to an item that was there before.
    ///
    /// # Errors
    ///
    /// The closure of the position has more configurations than the limit.
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

    /// Adds a byte.
    pub(crate) fn add(&mut self, byte: u8) {
        self.bytes[usize::from(byte / 32)] |= 1 << (byte % 32);
    }

    /// Removes a byte.
    pub(crate) fn remove(&mut self, byte: u8) {
        self.bytes[usize::from(byte / 32)] &= !(1 << (byte % 32));
    }

    /// Whether the set has a byte.
    pub(crate) fn contains(&self, byte: u8) -> bool {
        self.bytes[usize::from(byte / 32)] >> (byte % 32) & 1 != 0
    }

    /// The bytes in ascending order.
    pub(crate) fn iter(self) -> impl Iterator<Item = u8> {
        (0..=u8::MAX).filter(move |&byte| self.contains(byte))
    }

    /// The byte that must come next. `None` if there are several bytes, none, or a token edge.
    pub(crate) fn only(&self) -> Option<u8> {
        let total: u32 = self.bytes.iter().map(|word| word.count_ones()).sum();
        if total != 1 || self.tokens { None } else { self.iter().next() }
    }
}
