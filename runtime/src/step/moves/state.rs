//! One move, and the moves of one state.

use std::ops::RangeInclusive;

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::network::state_flags;

/// Flag of a state: the state has a row, with one move for each byte class. The flags of a [`State`] are four of the
/// [artifact's](state_flags), in bits 0 to 3, and the flags of this file.
pub(super) const ROW: u32 = 16;
/// Flag of a state: an arrival at the state updates the register, which holds counters.
pub(super) const COUNTED: u32 = 32;
/// Flag of a state: the state goes to itself on every plain byte (printable ASCII but quote and backslash), and is not
/// final.
pub(super) const LOOPS: u32 = 64;
/// Flag of a state: the state is not final, and the move on its range is a [`Kind::Go`].
const STEP: u32 = 128;

/// The effect of a byte in a state, packed into 32 bits: a [`Kind`] in the three highest bits and an index in the
/// others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Move(u32);

/// The kinds of moves, with the meaning of the move's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No edge of the state reads the byte, and no callee begins with it.
    Refused,
    /// The byte is read, and the next state is the one with this index in the same artifact.
    Go,
    /// The byte is read, and the next state is the one with this index. The arrival updates the register or returns at
    /// once.
    Arrive,
    /// A callee reads the byte. The index is that of a call in [`Moves`](super::Moves).
    Call,
    /// The byte can be read in several ways, or the index does not fit into 29 bits. The machine decides.
    Open,
}

impl Move {
    /// Largest index that a move can hold, 2^29 - 1, which is also the mask of its bits. With a larger index a move
    /// becomes open.
    pub(super) const INDEX: u32 = (1 << 29) - 1;
    /// Move of a byte that is not allowed.
    pub(crate) const REFUSED: Self = Self::new(Kind::Refused, 0);
    /// Move of a byte whose effect the [machine](crate::step::machine) decides.
    pub(crate) const OPEN: Self = Self::new(Kind::Open, 0);

    /// Packs a kind and an index. Returns an open move if the index exceeds [`Self::INDEX`].
    pub(super) const fn new(kind: Kind, index: usize) -> Self {
        if index <= Self::INDEX as usize {
            Self((kind as u32) << 29 | index as u32)
        } else {
            Self((Kind::Open as u32) << 29)
        }
    }

    /// Whether the move has this kind.
    #[inline]
    pub(crate) fn is(self, kind: Kind) -> bool {
        self.0 >> 29 == kind as u32
    }

    /// Returns the index of the move: of a state or of a call, depending on the kind.
    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.0 & Self::INDEX
    }

    /// Returns the index of the state after the byte. `None` for a move that is a call, refused or open.
    pub(crate) fn target(self) -> Option<u32> {
        (self.is(Kind::Go) || self.is(Kind::Arrive)).then(|| self.index())
    }
}

/// The moves of one state: one move for a range of bytes, and a row for all others.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    /// Lowest byte of the range in bits 0 to 7, highest in bits 8 to 15, flags from bit 16 on. A state without moves
    /// has an empty range.
    pub(super) word: u32,
    /// Move on the bytes of the range.
    pub(super) next: Move,
    /// Index in `Moves::rows` of the state's row, if the state has the flag [`ROW`].
    pub(super) row: u32,
}

impl State {
    /// Returns a state that allows no byte.
    pub(super) fn refusing(flags: u32) -> Self {
        Self { word: 1 | flags << 16, next: Move::REFUSED, row: 0 }
    }

    /// Returns a state with the move `next` on the bytes of a range. No other byte is allowed, unless the caller adds a
    /// row.
    pub(super) fn on_range(flags: u32, range: RangeInclusive<u8>, next: Move) -> Self {
        let steps = flags & state_flags::FINAL == 0 && next.is(Kind::Go);
        let flags = flags | if steps { STEP } else { 0 };
        let word = u32::from(*range.start()) | u32::from(*range.end()) << 8 | flags << 16;
        Self { word, next, row: 0 }
    }

    /// Returns the flags of the state: some of the [artifact's](state_flags), and the flags of this file.
    #[inline]
    pub(crate) fn flags(self) -> u32 {
        self.word >> 16
    }

    /// Whether the state goes to itself on every plain byte: printable ASCII but quote and backslash.
    #[inline]
    pub(crate) fn loops(self) -> bool {
        self.has(LOOPS)
    }

    /// Returns the index of the state after a byte. `None` if the byte is outside the range, the state is final, or the
    /// move is no [`Kind::Go`]. This is the most frequent case and the fastest test.
    #[inline]
    pub(crate) fn step(self, byte: u8) -> Option<u32> {
        let [lo, hi, ..] = self.word.to_le_bytes();
        (lo <= byte && byte <= hi && self.has(STEP)).then(|| self.next.index())
    }

    /// Whether the state has at least one of `flags`.
    #[inline]
    pub(crate) fn has(self, flags: u32) -> bool {
        self.flags() & flags != 0
    }
}
