//! Records of the masks: the pool, follow entries and exit classes.
//!
//! A mask has the tokens of `row` minus those of `minus`, and those of `plus`. Each of the three may be empty. A narrow mask is a
//! plus list alone. Wide masks that differ in few tokens share one dense row.

use bytemuck::{Pod, Zeroable};

/// One mask of the pool.
///
/// Lists are ranges of the artifact's list table: sorted token ids without repetition. `minus` is a subset of the row, and `plus`
/// is disjoint from it.
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

/// The follow mask of tokens that leave a callee through `class` and return to the state with this entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FollowEntry {
    /// Exit class through which tokens leave the callee.
    pub class: u32,
    /// Mask id of the tokens that are consumed within the return state's rule.
    pub mask: u32,
    /// Exit class through which tokens leave the return state's own rule, or [`NONE`](super::network::NONE).
    pub next: u32,
}

/// A high-fanout node of a packed string set: its mask and exits are stored, because a walk would take more work than a
/// step may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct HighFanoutRecord {
    /// Address of the node.
    pub node: u32,
    /// Mask id of the tokens that are consumed within the packed string set.
    pub base: u32,
    /// Exit class id, or [`NONE`](super::network::NONE).
    pub exits: u32,
}

/// The near-bound masks of a [count-dependent](super::network::state_flags::COUNT_DEPENDENT) state for one counter.
///
/// A state has a record for each counter on which its mask depends. There are two kinds of records:
///
/// - The masks replace the state's mask and exits. With several such records, the masks are intersected.
/// - The masks are subtracted from all masks of the state and of its follow chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NearBoundRecord {
    /// The state.
    pub state: u32,
    /// The counter, as a field of the register: its lowest bit, its width from bit 8 on, and [`WITHOUT`](Self::WITHOUT).
    pub field: u32,
    /// First index into the near-bound masks. Records may share a range.
    pub first: u32,
    /// Number of near-bound masks.
    pub len: u32,
}

/// A mask for small values of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NearBoundMask {
    /// Largest value of the counter for which the mask applies. The smallest is one more than `most` of the mask before.
    pub most: u32,
    /// Mask id of the tokens that are consumed within the rule. For a record with [`WITHOUT`](NearBoundRecord::WITHOUT), mask id
    /// of the subtracted tokens.
    pub base: u32,
    /// Exit class id, or [`NONE`](super::network::NONE).
    pub exits: u32,
}

impl NearBoundRecord {
    /// Bit of [`field`](Self::field): the masks are subtracted, and do not replace the state's mask and exits.
    pub const WITHOUT: u32 = 1 << 16;

    /// Most records of a state. More do not validate, so that a reader needs no allocation.
    pub const MOST: usize = 8;

    /// Whether the masks are subtracted.
    #[inline]
    pub fn is_without(&self) -> bool {
        self.field & Self::WITHOUT != 0
    }

    /// The value of the counter in a register.
    #[inline]
    pub fn count(&self, register: u32) -> u32 {
        let (shift, width) = (self.field & 31, self.field >> 8 & 31);
        register >> shift & ((1 << width) - 1)
    }

    /// Returns the records of a state. O(log records).
    #[inline]
    pub fn of_state(records: &[Self], state: u32) -> &[Self] {
        let first = records.partition_point(|record| record.state < state);
        let own = &records[first..];
        let len = own.iter().take_while(|record| record.state == state).count();
        &own[..len]
    }

    /// Returns the mask for a register. `None` if the counter is larger than `most` of all masks. O(log masks).
    #[inline]
    pub fn find<'m>(&self, masks: &'m [NearBoundMask], register: u32) -> Option<&'m NearBoundMask> {
        let own = &masks[self.first as usize..][..self.len as usize];
        let count = self.count(register);
        own.get(own.partition_point(|mask| mask.most < count))
    }
}

/// One exit class: a range of the class node table, which has trie node ids in ascending order.
///
/// A grammar artifact may leave out the nodes: `first` is [`NONE`](super::network::NONE) then. Only the nodes of a vocabulary's
/// classes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ClassRecord {
    /// First index of the class's nodes.
    pub first: u32,
    /// Number of nodes, at least one.
    pub len: u32,
}
