//! Records of the masks: the mask pool, follow entries, exit classes and near-bound masks.
//!
//! A mask has the tokens of `row` without those of `minus`, and those of `plus`. Each of the three may be empty. A
//! narrow mask is a plus list alone. Wide masks that differ in few tokens share one dense row.

use bytemuck::{Pod, Zeroable};

/// One mask of the mask pool.
///
/// The two lists are ranges of the artifact's list table, which holds token ids. A list is sorted and without
/// repetition. `minus` is a subset of the row, and `plus` is disjoint from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct MaskRecord {
    /// Id of the dense row, or [`NONE`](super::network::NONE) for a mask without one.
    pub row: u32,
    /// Index in the list table of the first token that is removed from the row.
    pub minus: u32,
    /// Number of tokens that are removed from the row.
    pub minus_len: u32,
    /// Index in the list table of the first token that is added to the row.
    pub plus: u32,
    /// Number of tokens that are added to the row.
    pub plus_len: u32,
    /// Number of tokens in the mask.
    pub count: u32,
}

/// The tokens that leave a callee through an exit class and return to one state. An entry belongs to the return state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct FollowEntry {
    /// Id of the exit class through which the tokens leave the callee.
    pub class: u32,
    /// Id of the mask of the tokens that end within the return state's rule.
    pub mask: u32,
    /// Id of the exit class through which longer tokens leave the return state's rule. [`NONE`](super::network::NONE)
    /// if none does.
    pub next: u32,
}

/// A node of a packed string set whose mask and exits are stored, because a walk would take more work than a step may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct HighFanoutRecord {
    /// Address of the node in the packed string sets.
    pub node: u32,
    /// Id of the mask of the tokens that end within the packed string set.
    pub base: u32,
    /// Id of the exit class through which longer tokens leave the set. [`NONE`](super::network::NONE) if none does.
    pub exits: u32,
}

/// The near-bound masks of a [count-dependent](super::network::state_flags::COUNT_DEPENDENT) state for one counter.
///
/// A state has a record for each counter on which its mask depends. The masks of a record act in one of two ways:
///
/// - They replace the state's mask and exits. The masks of several such records are intersected.
/// - They are subtracted from all masks of the state and of its follow chain. Such a record has the bit
///   [`WITHOUT`](Self::WITHOUT).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NearBoundRecord {
    /// Id of the count-dependent state.
    pub state: u32,
    /// Counter, as a field of the register. Bits 0 to 4 are the field's lowest bit, and bits 8 to 12 its width in bits.
    /// Bit 16 is [`WITHOUT`](Self::WITHOUT).
    pub field: u32,
    /// Index in the near-bound masks of the record's first mask. Records may share a range.
    pub first: u32,
    /// Number of near-bound masks of the record.
    pub len: u32,
}

/// The mask of a count-dependent state for a range of small values of a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NearBoundMask {
    /// Largest value of the counter for which the mask applies, inclusive. The smallest value is one more than `most`
    /// of the mask before.
    pub most: u32,
    /// Id of the mask of the tokens that end within the rule. For a record with [`WITHOUT`](NearBoundRecord::WITHOUT),
    /// id of the mask that is subtracted.
    pub base: u32,
    /// Id of the exit class through which longer tokens leave the rule. [`NONE`](super::network::NONE) if none does.
    pub exits: u32,
}

impl NearBoundRecord {
    /// Bit of [`field`](Self::field): the masks are subtracted, and do not replace the state's mask and exits.
    pub const WITHOUT: u32 = 1 << 16;

    /// Largest number of records of one state. An artifact with more is refused, so that a reader needs no allocation.
    pub const MOST: usize = 8;

    /// Whether the masks of the record are subtracted from the state's masks.
    #[inline]
    pub fn is_without(&self) -> bool {
        self.field & Self::WITHOUT != 0
    }

    /// Returns the value of the record's counter in a register.
    #[inline]
    pub fn count(&self, register: u32) -> u32 {
        let (shift, width) = (self.field & 31, self.field >> 8 & 31);
        register >> shift & ((1 << width) - 1)
    }

    /// Returns the part of `records` that belongs to a state. `records` are ascending by state. O(log records).
    #[inline]
    pub fn of_state(records: &[Self], state: u32) -> &[Self] {
        let first = records.partition_point(|record| record.state < state);
        let own = &records[first..];
        let len = own.iter().take_while(|record| record.state == state).count();
        &own[..len]
    }

    /// Returns the mask for the value of the counter in a register. `None` if the value exceeds `most` of all masks, so
    /// that the state's own mask applies. O(log masks).
    #[inline]
    pub fn find<'m>(&self, masks: &'m [NearBoundMask], register: u32) -> Option<&'m NearBoundMask> {
        let own = &masks[self.first as usize..][..self.len as usize];
        let count = self.count(register);
        own.get(own.partition_point(|mask| mask.most < count))
    }
}

/// One exit class: a set of trie nodes at which tokens leave a rule. The class is a range of the table of class nodes,
/// ascending.
///
/// A grammar artifact may leave out the nodes, with [`NONE`](super::network::NONE) as `first`. Only the nodes of a
/// vocabulary's classes are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ClassRecord {
    /// Index of the class's first trie node in the table of class nodes.
    pub first: u32,
    /// Number of trie nodes of the class, at least one.
    pub len: u32,
}
