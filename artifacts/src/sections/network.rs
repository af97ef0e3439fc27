//! Records of the network: rules, states, and their edges.
//!
//! # Numbering
//!
//! A grammar artifact continues the numbering of its vocabulary artifact. If the shared rules of the vocabulary have
//! `S` states, these have the ids `0..S`, and the grammar's own states the ids from `S` on. Rules, masks, rows and exit
//! classes are numbered in the same way. A shared rule calls only shared rules, so no id in a vocabulary denotes a part
//! of a grammar.
//!
//! # Ranges
//!
//! The edges of a state are ranges of the edge tables. A state stores the first index of each range. The range ends
//! where that of the next state begins. A sentinel record after the last state has the ends of the last state's ranges.
//! Edge indices, unlike ids, are local to one artifact.

use bytemuck::{Pod, Zeroable};

/// Value of an id field that holds no id.
pub const NONE: u32 = u32::MAX;

/// Flag bits in [`StateRecord::flags`].
pub mod state_flags {
    /// The state is final: its rule may return from here.
    pub const FINAL: u32 = 1;
    /// The state is final and has no edges, so a configuration in it returns at once. At the bottom of the stack it
    /// does not return, and only the end of the sequence may follow.
    pub const POP_ONLY: u32 = 2;
    /// Some sequence of whole tokens continues from this state, so a token may end here. Clear only in vocabularies
    /// that cannot spell some byte.
    pub const RESTS: u32 = 4;
    /// The language of this state within its rule is closed under concatenation with itself. So no second frame is
    /// pushed on a frame that returns to this state with the same register.
    pub const ABSORBING: u32 = 8;
    /// An arrival at the state clears one bit of the register, and does not decrement the register. The bits from
    /// [`CLEARED`] on give the bit's number. The state has a count exit.
    pub const CLEARS: u32 = 16;
    /// Position in the flags of the number of the bit that a state with [`CLEARS`] clears. The number has five bits.
    pub const CLEARED: u32 = 8;
    /// An arrival at the state sets a field of the register to the number in the count exit of its record.
    pub const LOADS: u32 = 32;
    /// An arrival that stays at the state continues as an arrival at the next state. So several counters are updated
    /// one after the other. Both states have the same edges.
    pub const THEN: u32 = 64;
    /// The state is count-dependent: its mask depends on fields of the register. The grammar's near-bound records have
    /// the masks for small values of a field. The state's own mask applies for all other values.
    pub const COUNT_DEPENDENT: u32 = 128;
    /// Position in the flags of the number of the updated field's lowest bit. The number has five bits. A register may
    /// have several counters, each in its own field.
    pub const SHIFT: u32 = 8;
    /// Position in the flags of the updated field's width in bits. The width has five bits. 0 denotes the whole
    /// register.
    pub const WIDTH: u32 = 13;
}

/// Flag bits in [`RuleRecord::flags`].
pub mod rule_flags {
    /// Calls of this rule have a register that is not zero: a countdown, or the set of keys that are still required.
    pub const COUNTED: u32 = 1;
    /// A larger countdown accepts all texts that a smaller countdown accepts. So if two configurations differ in the
    /// countdown alone, the smaller is dropped.
    pub const MONOTONE: u32 = 2;
    /// The rule is distinct: the items that one call of the rule reads must differ from each other. The register
    /// belongs to the runtime, which records the items in it. Its initial value is 0.
    pub const DISTINCT: u32 = 4;
    /// A call of this rule is an item of its caller, which is [`DISTINCT`]: its text must differ from the other items.
    pub const ITEM: u32 = 8;
    /// The rule is a packed string set (a finite set of many strings), and its register is the address of a node. The
    /// rule has three states: for nodes that are not final, for final nodes, and for final nodes without children.
    /// Their edges hold only the bytes with which texts begin and which texts contain.
    pub const PACKED_STRINGS: u32 = 16;
    /// Position in the flags of the number of the rule's region, which takes all bits from here on. The number is one
    /// more than the index of the region, or 0 for a rule that is no region.
    pub const REGION: u32 = 8;
    /// Largest number of regions of a grammar, the parts of an output that a host distinguishes. 24 bits hold the
    /// number. The compiler refuses more.
    pub const MOST_REGIONS: u32 = (1 << (32 - REGION)) - 1;
}

/// One rule: an automaton whose states have consecutive ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct RuleRecord {
    /// Id of the rule's first state, which is the initial state.
    pub first_state: u32,
    /// Number of states of the rule.
    pub state_count: u32,
    /// Flags of the rule, from [`rule_flags`].
    pub flags: u32,
    /// Set of bytes with which a text of the rule can begin: byte `b` is bit `b % 32` of word `b / 32`.
    pub first_bytes: [u32; 8],
    /// Not zero if a text of the rule can begin with a token edge.
    pub first_tokens: u32,
    /// First 128 bits of the rule's content hash, which is equal for rules with the same automaton over the same
    /// callees. Zero in a grammar, since only shared rules are looked up.
    pub hash: [u32; 4],
    /// Follow set that the rule's exit classes assume: byte `b` is bit `b % 32` of word `b / 32`. Exits after which no
    /// such byte comes are left out. So a shared rule serves only callers that continue with these bytes.
    pub after_bytes: [u32; 8],
}

impl RuleRecord {
    /// Returns the index of the region that the rule is. `None` for a rule that is no region.
    #[inline]
    pub fn region(&self) -> Option<u32> {
        (self.flags >> rule_flags::REGION).checked_sub(1)
    }
}

/// One state of a rule: the ranges of its edges, its masks, and its effect on the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StateRecord {
    /// Index of the state's first byte edge. The byte edges of a state are sorted and disjoint.
    pub byte_edges: u32,
    /// Index of the state's first call edge.
    pub call_edges: u32,
    /// Index of the state's first token edge.
    pub token_edges: u32,
    /// Index of the state's first follow entry. The entries are sorted by exit class. Only a return state has any.
    pub follows: u32,
    /// Id of the base mask: the tokens that end within the state's rule.
    pub base: u32,
    /// Id of the exit class through which longer tokens leave the rule, or [`NONE`] if none does.
    pub exits: u32,
    /// State that is entered in place of this one when the counter becomes zero. A transition to this state lowers the
    /// counter by one. With [`LOADS`](state_flags::LOADS), the number to which the counter is set. [`NONE`] for most
    /// states.
    pub count_exit: u32,
    /// Flags of the state, from [`state_flags`].
    pub flags: u32,
}

impl StateRecord {
    /// Record of a state without edges that is not final.
    pub const NOTHING: Self = Self {
        byte_edges: 0,
        call_edges: 0,
        token_edges: 0,
        follows: 0,
        base: NONE,
        exits: NONE,
        count_exit: NONE,
        flags: 0,
    };

    /// Returns the record after the last state. It has the lengths of the tables of byte edges, call edges, token edges
    /// and follow entries.
    pub fn sentinel([byte_edges, call_edges, token_edges, follows]: [u32; 4]) -> Self {
        Self { byte_edges, call_edges, token_edges, follows, ..Self::NOTHING }
    }

    /// Returns the state that is entered in place of this one when the counter becomes zero. `None` for a state without
    /// a counter, and for a state that sets a counter.
    #[inline]
    pub fn exit(&self) -> Option<u32> {
        (self.count_exit != NONE && self.flags & state_flags::LOADS == 0).then_some(self.count_exit)
    }

    /// Whether an arrival at the state updates a field of the register (one of several counters), and not the whole
    /// register.
    pub fn has_field(&self) -> bool {
        self.count_exit != NONE && self.flags & (31 << state_flags::WIDTH) != 0
    }

    /// Makes one step of an arrival at this state, whose id is `state`, with a register. Returns the next state, the
    /// updated register, and whether the arrival continues at that state.
    #[inline]
    pub fn arrive(&self, state: u32, register: u32) -> (u32, u32, bool) {
        if self.count_exit == NONE {
            return (state, register, false);
        }
        let bits = self.flags >> state_flags::SHIFT & 31;
        if self.flags & state_flags::CLEARS != 0 {
            return match register & !(1 << bits) {
                0 => (self.count_exit, 0, true),
                left => (state, left, false),
            };
        }
        let width = self.flags >> state_flags::WIDTH & 31;
        let (shift, ones) = match width {
            0 => (0, u32::MAX),
            width => (bits, (1 << width) - 1),
        };
        let others = register & !(ones << shift);
        let on = self.flags & state_flags::THEN;
        let next = state + u32::from(on != 0);
        if self.flags & state_flags::LOADS != 0 {
            return (next, others | (self.count_exit & ones) << shift, on != 0);
        }
        match (register >> shift & ones).saturating_sub(1) {
            0 => (self.count_exit, others, true),
            left => (next, others | left << shift, on != 0),
        }
    }
}

/// Largest number of steps of one arrival. Each step may update one counter and pass its count exit. An artifact with a
/// longer chain is refused.
pub const MOST_STEPS: usize = 32;

/// Returns the state and the register in which an arrival at `state` ends. `record` returns the record of a state.
/// O(counters that the arrival updates), at most [`MOST_STEPS`].
#[inline]
pub fn arrival<'a>(
    mut state: u32,
    mut register: u32,
    record: impl Fn(u32) -> &'a StateRecord,
) -> (u32, u32) {
    let mut on = true;
    for _ in 0..MOST_STEPS {
        if !on {
            break;
        }
        (state, register, on) = record(state).arrive(state, register);
    }
    (state, register)
}

/// A transition to another state of the rule on one byte of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ByteEdge {
    /// Range of bytes: the lowest byte in bits 0 to 7, the highest byte (inclusive) in bits 8 to 15, zero above.
    pub range: u32,
    /// Id of the target state.
    pub target: u32,
}

impl ByteEdge {
    /// Returns an edge on the bytes `lo..=hi`.
    pub fn new(lo: u8, hi: u8, target: u32) -> Self {
        Self { range: u32::from(lo) | u32::from(hi) << 8, target }
    }

    /// Returns the lowest byte of the edge.
    #[inline]
    pub fn lo(self) -> u8 {
        (self.range & 0xff) as u8
    }

    /// Returns the highest byte of the edge, inclusive.
    #[inline]
    pub fn hi(self) -> u8 {
        (self.range >> 8 & 0xff) as u8
    }
}

/// A call of a rule from a state of the caller's rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CallEdge {
    /// Id of the called rule.
    pub callee: u32,
    /// Id of the state to which the callee returns. [`NONE`] for a tail call, which pushes no frame.
    pub ret: u32,
    /// Initial register of the callee. 0 if the callee has no register.
    pub count: u32,
}

/// A transition to another state of the rule on one whole token of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TokenEdge {
    /// Id of the mask that is the set of tokens.
    pub tokens: u32,
    /// Id of the target state.
    pub target: u32,
}
