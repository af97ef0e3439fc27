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

/// A node of a packed string set whose mask and exits are stored, since finding them takes more than a step may.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CrowdedRecord {
    /// Address of the node.
    pub node: u32,
    /// Mask id of the tokens that are consumed within the packed string set.
    pub base: u32,
    /// Exit class id, or [`NONE`](super::network::NONE).
    pub exits: u32,
}

/// The masks of a state with [`COUNT_DEPENDENT`](super::network::state_flags::COUNT_DEPENDENT) by what is left in one field of the register.
///
/// A state has a grade for each counter on which its mask depends. Either it gives masks that take the place of the state's, of
/// which those of several grades are met; or it gives masks that are left out of all that the state and its frames allow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NearBoundRecord {
    /// The state.
    pub state: u32,
    /// The field: its lowest bit, from bit 8 on its width, and [`WITHOUT`](Self::WITHOUT).
    pub field: u32,
    /// First index into the grade masks, of which grades may share some.
    pub first: u32,
    /// Number of grade masks.
    pub len: u32,
}

/// A mask while no more than some number is left in a field of the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct NearBoundMask {
    /// The largest number in the field for which this holds, as far down as that of the one before it of the same grade.
    pub most: u32,
    /// Mask id of the tokens that are consumed within the rule; of a grade that is [`WITHOUT`](NearBoundRecord::WITHOUT), of those that
    /// are left out.
    pub base: u32,
    /// Exit class id, or [`NONE`](super::network::NONE).
    pub exits: u32,
}

impl NearBoundRecord {
    /// Bit of [`field`](Self::field): the grade's masks are left out, and do not take the place of the state's mask and exits.
    pub const WITHOUT: u32 = 1 << 16;

    /// Most grades of a state.
    pub const MOST: usize = 8;

    /// Whether the grade's masks are left out of all that the state and its frames allow.
    #[inline]
    pub fn is_without(&self) -> bool {
        self.field & Self::WITHOUT != 0
    }

    /// The number in the field.
    #[inline]
    pub fn count(&self, register: u32) -> u32 {
        let (shift, width) = (self.field & 31, self.field >> 8 & 31);
        register >> shift & ((1 << width) - 1)
    }

    /// The grades of a state. O(log records).
    #[inline]
    pub fn of_state(records: &[Self], state: u32) -> &[Self] {
        let first = records.partition_point(|record| record.state < state);
        let own = &records[first..];
        let len = own.iter().take_while(|record| record.state == state).count();
        &own[..len]
    }

    /// The mask of a register among the grade masks; `None` where more is left in the field than any has. O(log masks).
    #[inline]
    pub fn find<'m>(&self, masks: &'m [NearBoundMask], register: u32) -> Option<&'m NearBoundMask> {
        let own = &masks[self.first as usize..][..self.len as usize];
        let count = self.count(register);
        own.get(own.partition_point(|mask| mask.most < count))
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
