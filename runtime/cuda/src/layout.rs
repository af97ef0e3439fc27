//! The records that host and device share, word by word as in `kernels/layout.cuh` and the kernels' parameters.
//!
//! `README.md` beside this crate says what they mean. A test compares sizes and fields with the C++ ones.

use bytemuck::{Pod, Zeroable};

/// The absence of an offset, a state or a class.
pub(crate) const NONE: u32 = u32::MAX;
/// Most parts of a row.
pub(crate) const ROW_PARTS: usize = 13;
/// Most frames of a position.
pub(crate) const FRAMES: usize = 32;
/// There is a mask.
pub(crate) const ROW_MASKED: u32 = 0x100;
/// Words of a grammar record.
pub(crate) const GRAMMAR_WORDS: u32 = 24;
/// Words of a half.
pub(crate) const HALF_WORDS: usize = 8;
/// Words of a mask record.
pub(crate) const MASK_WORDS: u32 = 8;

/// One half of a grammar's tables: see `struct Half`.
pub(crate) type Half = [u32; HALF_WORDS];

/// What one row of logits allows: see `struct Row`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Row {
    pub(crate) kind: u32,
    pub(crate) ends: u32,
    pub(crate) ends_len: u32,
    pub(crate) parts: [u32; ROW_PARTS],
}

/// One configuration with its stack: see `struct Position`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct Position {
    pub(crate) grammar: u32,
    pub(crate) state: u32,
    pub(crate) count: u32,
    pub(crate) depth: u32,
    pub(crate) finals: u32,
    pub(crate) rests: u32,
    pub(crate) status: u32,
    pub(crate) unused: u32,
    pub(crate) ret: [u32; FRAMES],
    pub(crate) counts: [u32; FRAMES],
}

/// See `struct Logits`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct LogitsParams {
    pub(crate) at: u64,
    pub(crate) stride: i64,
    pub(crate) columns: u32,
    pub(crate) dtype: u32,
    pub(crate) first: u32,
    pub(crate) rows: u32,
    pub(crate) map: u64,
    pub(crate) tokens: u64,
}

/// See `struct ApplyParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct ApplyParams {
    pub(crate) pool: u64,
    pub(crate) rows: u64,
    pub(crate) logits: LogitsParams,
}

/// See `struct BitmaskParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct BitmaskParams {
    pub(crate) bitmask: u64,
    pub(crate) stride: i64,
    pub(crate) words: u32,
    pub(crate) tokens: u32,
    pub(crate) logits: LogitsParams,
}

/// See `struct FillParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct FillParams {
    pub(crate) pool: u64,
    pub(crate) rows: u64,
    pub(crate) bitmask: u64,
    pub(crate) stride: i64,
    pub(crate) words: u32,
    pub(crate) count: u32,
    pub(crate) map: u64,
}

/// See `struct AdvanceParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct AdvanceParams {
    pub(crate) pool: u64,
    pub(crate) positions: u64,
    pub(crate) rows: u64,
    pub(crate) status: u64,
    pub(crate) places: u32,
    pub(crate) count: u32,
    pub(crate) slots: u64,
    pub(crate) tokens: u64,
    pub(crate) token_stride: i64,
    pub(crate) accepted: u64,
    pub(crate) drafts: u32,
    pub(crate) pad: u32,
    pub(crate) allowed: u64,
}

/// See `struct SampleParams`.
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
#[repr(C)]
pub(crate) struct SampleParams {
    pub(crate) pool: u64,
    pub(crate) rows: u64,
    pub(crate) logits: LogitsParams,
    pub(crate) best: u64,
    pub(crate) blocks: u64,
    pub(crate) tokens: u64,
    pub(crate) temperatures: u64,
    pub(crate) seeds: u64,
    pub(crate) steps: u64,
    pub(crate) advances: u32,
    pub(crate) pad: u32,
    pub(crate) advance: AdvanceParams,
}
