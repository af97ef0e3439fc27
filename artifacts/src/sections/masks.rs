//! Records of the masks: the pool, follow entries and exit classes.
//!
//! A mask is `(row without the tokens of minus) with the tokens of plus`, where row, minus and plus may each be empty.
//! Narrow masks are a plus list alone; of the wide ones, those that differ in few tokens share one dense row.

use bytemuck::{Pod, Zeroable};

/// One mask of the pool.
///
/// Lists are ranges of the list table of the artifact that holds the record: sorted token ids without repetition.
/// `minus` is a subset of the row, `plus` is disjoint from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct MaskRecord {
    /// Dense row id, or [`NONE`](super::network::NONE).
    pub row: u32,
    /// First index of the minus list.
    pub minus: u32,
    /// Length of the minus list.
    pub minus_len: u32,
    /// First index of the plus list.
    pub plus: u32,
    /// Length of the plus list.
    pub plus_len: u32,
    /// Number of tokens in the mask.
    pub count: u32,
}

/// The follow mask of a token that leaves a callee through `class` when the frame on top returns to the state that
/// holds this entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FollowEntry {
    /// Exit class through which the callee is left.
    pub class: u32,
    /// Mask id of the tokens that are consumed within the return state's rule.
    pub mask: u32,
    /// Exit class through which the return state's own rule is left in turn, or [`NONE`](super::network::NONE).
    pub next: u32,
}

/// A node of a catalogue whose mask and exits are stored, since finding them takes more than a step may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CrowdedRecord {
    /// Address of the node.
    pub node: u32,
    /// Mask id of the tokens that are consumed within the catalogue.
    pub base: u32,
    /// Exit class id, or [`NONE`](super::network::NONE).
    pub exits: u32,
}

/// The mask and the exits of a state with [`GRADED`](super::network::state_flags::GRADED) while a field of the register is
/// small.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct GradeRecord {
    /// The state.
    pub state: u32,
    /// The largest number in the field for which this holds, as far down as that of the record before it, if that is of the same
    /// state.
    pub most: u32,
    /// The field: its lowest bit, and from bit 8 on its width.
    pub field: u32,
    /// Mask id of the tokens that are consumed within the rule.
    pub base: u32,
    /// Exit class id, or [`NONE`](super::network::NONE).
    pub exits: u32,
}

impl GradeRecord {
    /// The number in the field.
    #[inline]
    pub fn count(&self, register: u32) -> u32 {
        let (shift, width) = (self.field & 31, self.field >> 8 & 31);
        register >> shift & ((1 << width) - 1)
    }

    /// The grade of a state with a register; `None` where more is left in the field than any has. O(log records).
    #[inline]
    pub fn find(records: &[Self], state: u32, register: u32) -> Option<&Self> {
        let first = records.partition_point(|record| record.state < state);
        let own = &records[first..];
        let count = own.first().filter(|record| record.state == state)?.count(register);
        let at = own.partition_point(|record| record.state == state && record.most < count);
        own.get(at).filter(|record| record.state == state)
    }
}

/// One exit class: a range of the class node table, which holds trie node ids in ascending order. A grammar artifact
/// may leave the nodes out (`first` is [`NONE`](super::network::NONE)): only compilations read them, and only the
/// vocabulary's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ClassRecord {
    /// First index of the class's nodes.
    pub first: u32,
    /// Number of nodes, at least one.
    pub len: u32,
}
