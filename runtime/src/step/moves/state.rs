//! One move, and the moves of one state.

use std::ops::RangeInclusive;

use bytemuck::{Pod, Zeroable};
use grammarc_artifacts::sections::network::state_flags;

/// Flag of a state: it has a row of moves. The flags of a [`State`] are some of the [artifact's](state_flags) and these.
pub(super) const ROW: u32 = 16;
/// Flag of a state: an arrival there updates the register.
pub(super) const COUNTED: u32 = 32;
/// Flag of a state: it goes to itself on every plain byte, and is not final.
pub(super) const LOOPS: u32 = 64;
/// Flag of a state: it is not final, and the move on its range is a [`Kind::Go`].
const STEP: u32 = 128;

/// The effect of a byte in a state, in 32 bits: a kind and an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub(crate) struct Move(u32);

/// The kinds of moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// No edge and no callee takes the byte.
    Refused,
    /// The byte is read, and the state becomes the one with this index in the same tables.
    Go,
    /// The byte is read, and the state with this index updates the register or returns at once.
    Arrive,
    /// A callee takes the byte: the call with this index.
    Call,
    /// The byte can be read in several ways, or the index is too large for 29 bits.
    Open,
}

impl Move {
    /// Largest index of a move, and the mask of its bits. A move with a larger index is open.
    pub(super) const INDEX: u32 = (1 << 29) - 1;
    /// The byte is not allowed.
    pub(crate) const REFUSED: Self = Self::new(Kind::Refused, 0);
    /// The machine decides.
    pub(crate) const OPEN: Self = Self::new(Kind::Open, 0);

    /// Packs a kind and an index.
    pub(super) const fn new(kind: Kind, index: usize) -> Self {
        if index <= Self::INDEX as usize {
            Self((kind as u32) << 29 | index as u32)
        } else {
            Self((Kind::Open as u32) << 29)
        }
    }

    /// Whether the move is of a kind.
    #[inline]
    pub(crate) fn is(self, kind: Kind) -> bool {
        self.0 >> 29 == kind as u32
    }

    /// The index of a state or a call.
    #[inline]
    pub(crate) fn index(self) -> u32 {
        self.0 & Self::INDEX
    }

    /// The index of the state after the byte. `None` for a move that calls, is refused or open.
    pub(crate) fn target(self) -> Option<u32> {
        (self.is(Kind::Go) || self.is(Kind::Arrive)).then(|| self.index())
    }
}

/// The moves of one state.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct State {
    /// Lowest byte of the range, highest byte, and the flags from bit 16 on. The range of a state without moves is empty.
    pub(super) word: u32,
    /// The move on the bytes of the range.
    pub(super) next: Move,
    /// Index of the first move of the state's row, for a state with [`ROW`].
    pub(super) row: u32,
}

impl State {
    /// A state that allows no byte.
    pub(super) fn refusing(flags: u32) -> Self {
        Self { word: 1 | flags << 16, next: Move::REFUSED, row: 0 }
    }

    /// A state with one move on the bytes of a range. Without a row, no other byte is allowed.
    pub(super) fn on_range(flags: u32, range: RangeInclusive<u8>, next: Move) -> Self {
        let steps = flags & state_flags::FINAL == 0 && next.is(Kind::Go);
        let flags = flags | if steps { STEP } else { 0 };
        let word = u32::from(*range.start()) | u32::from(*range.end()) << 8 | flags << 16;
        Self { word, next, row: 0 }
    }

    /// The flags of the state: some of the [artifact's](state_flags), and those of this file.
    #[inline]
    pub(crate) fn flags(self) -> u32 {
        self.word >> 16
    }

    /// Whether the state goes to itself on every plain byte, and has no other move on one.
    #[inline]
    pub(crate) fn loops(self) -> bool {
        self.has(LOOPS)
    }

    /// The target of a byte in the range of the state, if the move is a [`Kind::Go`] and the state is not final. This is the
    /// most frequent case, and the fastest.
    #[inline]
    pub(crate) fn step(self, byte: u8) -> Option<u32> {
        let [lo, hi, ..] = self.word.to_le_bytes();
        (lo <= byte && byte <= hi && self.has(STEP)).then(|| self.next.index())
    }

    /// Whether the state has one of these flags.
    #[inline]
    pub(crate) fn has(self, flags: u32) -> bool {
        self.flags() & flags != 0
    }
}
