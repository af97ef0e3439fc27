//! Records of the network: rules, states, and their edges.
//!
//! # Numbering
//!
//! A grammar artifact continues the numbering of its vocabulary artifact. The ids `0..S` are states of the
//! vocabulary's shared rules, of which there are `S`, and `S..` are the grammar's own; rules, masks, rows, lists and
//! exit classes are numbered in the same way. A shared rule calls shared rules only, so nothing in the vocabulary
//! ever points into a grammar.
//!
//! # Ranges
//!
//! A state's edges are ranges of the edge tables. Each range is stored as its first index; it ends where the range of
//! the next state begins, and the state table closes with one sentinel record that holds the ends of the last state.
//! Edge indices, unlike ids, are local to the artifact that holds the state.

use bytemuck::{Pod, Zeroable};

/// The absence of an id in any field that may be empty.
pub const NONE: u32 = u32::MAX;

/// Flag bits of [`StateRecord::flags`].
pub mod state_flags {
    /// The state's rule may return here.
    pub const FINAL: u32 = 1;
    /// The state is final and has no edges: a configuration never rests in it, it returns at once. At the bottom of
    /// the stack, where there is nowhere to return to, it rests and only an end of sequence may follow.
    pub const POP_ONLY: u32 = 2;
    /// A token may end here: some sequence of whole tokens continues from this state. Clear only in vocabularies that cannot
    /// spell some byte.
    pub const RESTS: u32 = 4;
    /// The language of this state within its rule is closed under concatenation with itself, so that pushing it on a
    /// frame that returns to the same state (with the same counter) changes nothing and is not done.
    pub const ABSORBING: u32 = 8;
    /// Arriving at the state clears a bit of the activation's register instead of lowering it by one: the bit whose
    /// number stands from [`CLEARED`] on. Only a state with a count exit clears one.
    pub const CLEARS: u32 = 16;
    /// Place of the number of the bit that a state with [`CLEARS`] clears, which takes five bits.
    pub const CLEARED: u32 = 8;
    /// Arriving at the state sets a field of the register to the number that stands in place of the count exit.
    pub const LOADS: u32 = 32;
    /// An arrival that stays at the state continues as an arrival at the next state, so that several counters are updated one
    /// after the other. Both states have the same edges.
    pub const THEN: u32 = 64;
    /// The mask of the state depends on a field of the register. The grammar's grades hold the masks for small values of the
    /// field, and the state's own mask serves all others.
    pub const COUNT_DEPENDENT: u32 = 128;
    /// Place of the lowest bit of the field that is lowered or set, which takes five bits. A register may hold several
    /// counters, each in a field of its own.
    pub const SHIFT: u32 = 8;
    /// Place of the width of that field in bits, which takes five bits; 0 denotes the whole register.
    pub const WIDTH: u32 = 13;
}

/// Flag bits of [`RuleRecord::flags`].
pub mod rule_flags {
    /// Activations of this rule carry a register that is not zero: a countdown, or a set of what is still to come.
    pub const COUNTED: u32 = 1;
    /// A larger countdown accepts all that a smaller one accepts, so of two configurations that differ in the
    /// countdown alone the smaller is dropped.
    pub const MONOTONE: u32 = 2;
    /// The texts of the items that an activation of this rule calls differ from each other. Its register is no count: it
    /// is 0 at first and belongs to the runtime, which remembers the items there.
    pub const DISTINCT: u32 = 4;
    /// An activation of this rule is an item of the rule that calls it, which is [`DISTINCT`].
    pub const ITEM: u32 = 8;
    /// The rule's language is a packed string set: the register of an activation is the address of a node. The rule has three states:
    /// for nodes that are not final, for final nodes, and for final nodes without children. Their edges hold only the bytes
    /// that texts begin with and contain.
    pub const PACKED_STRINGS: u32 = 16;
    /// Place of the number of the rule's region, which takes all bits from here on: one more than its place in the list of
    /// regions, or 0 for a rule that is none.
    pub const REGION: u32 = 8;
    /// Most regions of a grammar.
    pub const MOST_REGIONS: u32 = (1 << (32 - REGION)) - 1;
}

/// One rule: a contiguous range of states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct RuleRecord {
    /// Id of the rule's first state; the states of a rule are contiguous and the initial state comes first.
    pub first_state: u32,
    /// Number of states.
    pub state_count: u32,
    /// Bits of [`rule_flags`].
    pub flags: u32,
    /// Bytes with which a string of the rule can begin: bit `b % 32` of word `b / 32`.
    pub first_bytes: [u32; 8],
    /// Non-zero where a string of the rule can begin with a token edge.
    pub first_tokens: u32,
    /// First 128 bits of the rule's content hash: equal for rules with the same automaton over the same callees. Zero in a
    /// grammar, whose own rules nobody looks up.
    pub hash: [u32; 4],
    /// The follow set that the rule's exit classes assume: bit `b % 32` of word `b / 32`. Exits after which no such byte comes
    /// are left out, so a vocabulary's rule serves only callers that continue with these bytes.
    pub after_bytes: [u32; 8],
}

impl RuleRecord {
    /// The region that the rule is, as its place in the list of regions.
    #[inline]
    pub fn region(&self) -> Option<u32> {
        (self.flags >> rule_flags::REGION).checked_sub(1)
    }
}

/// One state of one rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct StateRecord {
    /// First index into the byte edges, which are sorted and disjoint.
    pub byte_edges: u32,
    /// First index into the call edges.
    pub call_edges: u32,
    /// First index into the token edges.
    pub token_edges: u32,
    /// First index into the follow entries, which are sorted by class. Only a return state has any.
    pub follows: u32,
    /// Mask id of the base mask.
    pub base: u32,
    /// Exit class id, or [`NONE`] where no token can leave the rule from here.
    pub exits: u32,
    /// The state that is entered in place of this one when the counter becomes zero. A transition to this state lowers the
    /// counter by one. With [`LOADS`](state_flags::LOADS), the number that the counter is set to. [`NONE`] for most states.
    pub count_exit: u32,
    /// Bits of [`state_flags`].
    pub flags: u32,
}

impl StateRecord {
    /// A state without edges, in which nothing may end.
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

    /// The record that closes the state table: the numbers of byte edges, call edges, token edges and follow entries,
    /// and nothing else.
    pub fn sentinel([byte_edges, call_edges, token_edges, follows]: [u32; 4]) -> Self {
        Self { byte_edges, call_edges, token_edges, follows, ..Self::NOTHING }
    }

    /// The state that an arrival moves to when its counter becomes zero.
    #[inline]
    pub fn exit(&self) -> Option<u32> {
        (self.count_exit != NONE && self.flags & state_flags::LOADS == 0).then_some(self.count_exit)
    }

    /// Whether an arrival here updates a field of the register, and not the whole register.
    pub fn has_field(&self) -> bool {
        self.count_exit != NONE && self.flags & (31 << state_flags::WIDTH) != 0
    }

    /// Makes one step of an arrival at this state, whose id is `state`. Returns the next state and register, and whether the
    /// arrival continues there.
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

/// Most states through which one arrival may pass: a chain that updates several counters, and the count exits of these.
pub const MOST_STEPS: usize = 32;

/// The state and the register in which an arrival at a state ends. `record` returns the record of a state. O(counters that the
/// arrival updates), at most [`MOST_STEPS`].
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

/// A transition on one byte of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct ByteEdge {
    /// Lowest byte in the low 8 bits, highest byte in the next 8, zero above.
    pub range: u32,
    /// Target state.
    pub target: u32,
}

impl ByteEdge {
    /// An edge on the bytes `lo..=hi`.
    pub fn new(lo: u8, hi: u8, target: u32) -> Self {
        Self { range: u32::from(lo) | u32::from(hi) << 8, target }
    }

    /// Lowest byte.
    #[inline]
    pub fn lo(self) -> u8 {
        (self.range & 0xff) as u8
    }

    /// Highest byte.
    #[inline]
    pub fn hi(self) -> u8 {
        (self.range >> 8 & 0xff) as u8
    }
}

/// A call of one rule from a state of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct CallEdge {
    /// Called rule.
    pub callee: u32,
    /// State to which the callee returns, or [`NONE`] for a tail call, which pushes no frame.
    pub ret: u32,
    /// Register that the callee's activation starts with; 0 where the callee is not counted.
    pub count: u32,
}

/// A transition on one whole token of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct TokenEdge {
    /// Mask id of the token set.
    pub tokens: u32,
    /// Target state.
    pub target: u32,
}
