//! The tables of a network with its masks, as one artifact has them: owned for a writer, borrowed for a reader.
//!
//! The vocabulary artifact has the tables of the shared rules. The grammar artifact has those of its own rules, which continue
//! the vocabulary's numbering (see [`sections::network`](crate::sections::network)).

use crate::packed_strings::PackedStrings;
use crate::sections::masks::{
    ClassRecord, FollowEntry, HighFanoutRecord, MaskRecord, NearBoundMask, NearBoundRecord,
};
use crate::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, TokenEdge, arrival, state_flags,
};

/// Number of u32 words of a dense row, for a logit width: one bit for each token, rounded up to 64 bytes.
pub fn row_words(logit_width: u32) -> u32 {
    logit_width.div_ceil(512) * 16
}

/// The first ids of an artifact's own rules, states, masks, dense rows and exit classes. All are zero in a vocabulary artifact.
/// In a grammar artifact they are the vocabulary's totals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// Rules.
    pub rules: u32,
    /// States.
    pub states: u32,
    /// Masks.
    pub masks: u32,
    /// Dense rows.
    pub rows: u32,
    /// Exit classes.
    pub classes: u32,
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: $record:ty,)*) => {
        /// Owned tables, as the compiler builds them.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct TablesData {
            /// The first own ids.
            pub bases: Bases,
            /// u32 words of a dense row: the logit width in bits, rounded up to 64 bytes.
            pub row_words: u32,
            $($(#[$doc])* pub $name: Vec<$record>,)*
        }

        /// Borrowed tables, as a reader sees them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Tables<'a> {
            /// The first own ids.
            pub bases: Bases,
            /// u32 words of a dense row.
            pub row_words: u32,
            $($(#[$doc])* pub $name: &'a [$record],)*
        }

        impl TablesData {
            /// The same tables, borrowed.
            pub fn as_tables(&self) -> Tables<'_> {
                Tables { bases: self.bases, row_words: self.row_words, $($name: &self.$name,)* }
            }

            /// Number of bytes of all tables.
            pub fn bytes(&self) -> usize {
                0 $(+ size_of_val(&*self.$name))*
            }
        }
    };
}

tables! {
    /// Rules, by id minus `bases.rules`.
    rules: RuleRecord,
    /// States, by id minus `bases.states`, and one sentinel record at the end.
    states: StateRecord,
    /// Byte edges of all states.
    byte_edges: ByteEdge,
    /// Call edges of all states.
    call_edges: CallEdge,
    /// Token edges of all states.
    token_edges: TokenEdge,
    /// Mask pool, by id minus `bases.masks`.
    masks: MaskRecord,
    /// Dense rows, one after the other. Row `i` begins at `(i - bases.rows) * row_words`.
    rows: u32,
    /// Token id lists of the masks.
    lists: u32,
    /// Follow entries of all states.
    follows: FollowEntry,
    /// Exit classes, by id minus `bases.classes`.
    classes: ClassRecord,
    /// Trie nodes of the exit classes.
    class_nodes: u32,
    /// The nodes of packed string sets. A vocabulary has none.
    packed_strings: u8,
    /// Nodes of packed string sets with stored masks, ascending by address.
    high_fanout: HighFanoutRecord,
    /// Count-dependent states with their near-bound masks, ascending by state and field of the register.
    near_bound: NearBoundRecord,
    /// The near-bound masks, ascending by the counter's value for each record.
    near_bound_masks: NearBoundMask,
}

impl TablesData {
    /// Tables without rules, as in a vocabulary without shared rules.
    pub fn empty(bases: Bases, row_words: u32) -> Self {
        Self { bases, row_words, states: vec![StateRecord::sentinel([0; 4])], ..Self::default() }
    }
}

impl<'a> Tables<'a> {
    /// Number of own dense rows.
    pub fn row_count(&self) -> u32 {
        self.rows.len().checked_div(self.row_words as usize).unwrap_or(0) as u32
    }

    /// The bases of an artifact that continues these tables. The tables must be validated, so that the totals fit in 32 bits.
    pub fn totals(&self) -> Bases {
        Bases {
            rules: self.bases.rules.wrapping_add(self.rules.len() as u32),
            states: self.bases.states.wrapping_add(self.state_count()),
            masks: self.bases.masks.wrapping_add(self.masks.len() as u32),
            rows: self.bases.rows.wrapping_add(self.row_count()),
            classes: self.bases.classes.wrapping_add(self.classes.len() as u32),
        }
    }

    /// Whether two tables are equal except for their masks. O(their length).
    pub fn has_network_of(&self, other: &Tables<'_>) -> bool {
        let unmasked =
            |state: &StateRecord| StateRecord { follows: 0, base: NONE, exits: NONE, ..*state };
        let edges = |edge: &TokenEdge| TokenEdge { tokens: 0, ..*edge };
        self.bases == other.bases
            && self.rules == other.rules
            && self.byte_edges == other.byte_edges
            && self.call_edges == other.call_edges
            && self.states.iter().map(unmasked).eq(other.states.iter().map(unmasked))
            && self.token_edges.iter().map(edges).eq(other.token_edges.iter().map(edges))
    }

    /// Ids of the own rules.
    pub fn rule_ids(&self) -> std::ops::Range<u32> {
        self.bases.rules..self.bases.rules + self.rules.len() as u32
    }

    /// Number of own states, without the sentinel.
    pub fn state_count(&self) -> u32 {
        self.states.len().saturating_sub(1) as u32
    }

    /// Byte edges of the own state with this index: its id minus the base.
    #[inline]
    pub fn byte_edges_of(&self, index: usize) -> &'a [ByteEdge] {
        let at = self.states[index].byte_edges as usize;
        &self.byte_edges[at..self.states[index + 1].byte_edges as usize]
    }

    /// Call edges of the own state with this index.
    #[inline]
    pub fn call_edges_of(&self, index: usize) -> &'a [CallEdge] {
        let at = self.states[index].call_edges as usize;
        &self.call_edges[at..self.states[index + 1].call_edges as usize]
    }

    /// Token edges of the own state with this index.
    #[inline]
    pub fn token_edges_of(&self, index: usize) -> &'a [TokenEdge] {
        let at = self.states[index].token_edges as usize;
        &self.token_edges[at..self.states[index + 1].token_edges as usize]
    }

    /// Follow entries of the own state with this index, sorted by class.
    #[inline]
    pub fn follows_of(&self, index: usize) -> &'a [FollowEntry] {
        let at = self.states[index].follows as usize;
        &self.follows[at..self.states[index + 1].follows as usize]
    }

    /// Minus list of a mask record of these tables.
    #[inline]
    pub fn minus(&self, mask: &MaskRecord) -> &'a [u32] {
        &self.lists[mask.minus as usize..][..mask.minus_len as usize]
    }

    /// Plus list of a mask record of these tables.
    #[inline]
    pub fn plus(&self, mask: &MaskRecord) -> &'a [u32] {
        &self.lists[mask.plus as usize..][..mask.plus_len as usize]
    }
}

/// The vocabulary's shared tables and a grammar's own, in one numbering.
#[derive(Clone, Copy, Debug)]
pub struct Joined<'a> {
    /// The vocabulary's tables.
    pub shared: Tables<'a>,
    /// The grammar's own tables.
    pub own: Tables<'a>,
}

impl<'a> Joined<'a> {
    /// The tables that have a state, and the state's index in them.
    #[inline]
    pub fn locate(&self, state: u32) -> (&Tables<'a>, usize) {
        match state.checked_sub(self.own.bases.states) {
            Some(index) => (&self.own, index as usize),
            None => (&self.shared, state as usize),
        }
    }

    /// Whether some state has a token edge.
    pub fn reads_tokens(&self) -> bool {
        !self.shared.token_edges.is_empty() || !self.own.token_edges.is_empty()
    }

    /// Whether a state has a token edge, or calls a rule that can begin with one.
    pub fn may_read_token(&self, state: u32) -> bool {
        let (tables, index) = self.locate(state);
        let begins = |call: &CallEdge| self.rule(call.callee).first_tokens != 0;
        !tables.token_edges_of(index).is_empty() || tables.call_edges_of(index).iter().any(begins)
    }

    /// The nodes of the grammar's packed string sets.
    #[inline]
    pub fn packed_strings(&self) -> PackedStrings<'a> {
        PackedStrings::new(self.own.packed_strings)
    }

    /// Record of a state.
    #[inline]
    pub fn state(&self, state: u32) -> &'a StateRecord {
        let (tables, index) = self.locate(state);
        &tables.states[index]
    }

    /// The state and the register in which an arrival at a state ends.
    #[inline]
    pub fn arrival(&self, state: u32, register: u32) -> (u32, u32) {
        match self.state(state).count_exit {
            NONE => (state, register),
            _ => arrival(state, register, |state| self.state(state)),
        }
    }

    /// Returns the states in which an arrival at a state may end, for all registers. For a state without a counter, only itself.
    pub fn arrivals(&self, state: u32) -> Vec<u32> {
        let mut found = vec![state];
        let mut at = 0;
        while let Some(&state) = found.get(at) {
            at += 1;
            let record = self.state(state);
            let next = record.count_exit != NONE && record.flags & state_flags::THEN != 0;
            let next = next.then_some(state + 1);
            let more = record.exit().into_iter().chain(next);
            let new: Vec<u32> = more.filter(|state| !found.contains(state)).collect();
            found.extend(new);
        }
        found
    }

    /// Record of a rule.
    #[inline]
    pub fn rule(&self, rule: u32) -> &'a RuleRecord {
        match rule.checked_sub(self.own.bases.rules) {
            Some(index) => &self.own.rules[index as usize],
            None => &self.shared.rules[rule as usize],
        }
    }

    /// The tables that have a mask, and its record. The record's lists are in these tables. Its row may be in the others.
    #[inline]
    pub fn mask(&self, mask: u32) -> (&Tables<'a>, &'a MaskRecord) {
        match mask.checked_sub(self.own.bases.masks) {
            Some(index) => (&self.own, &self.own.masks[index as usize]),
            None => (&self.shared, &self.shared.masks[mask as usize]),
        }
    }

    /// The dense row with an id. `None` for [`NONE`].
    #[inline]
    pub fn row(&self, row: u32) -> Option<&'a [u32]> {
        if row == NONE {
            return None;
        }
        let (tables, index) = match row.checked_sub(self.own.bases.rows) {
            Some(index) => (&self.own, index as usize),
            None => (&self.shared, row as usize),
        };
        let words = tables.row_words as usize;
        Some(&tables.rows[index * words..][..words])
    }
}
