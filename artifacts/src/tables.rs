//! The tables of one artifact, a network of rules with its masks: owned for a writer, borrowed for a reader.
//!
//! The vocabulary artifact has the tables of the shared rules. A grammar artifact has the tables of its own rules,
//! which continue the vocabulary's numbering (see [`sections::network`](crate::sections::network)).

use crate::packed_strings::PackedStrings;
use crate::sections::masks::{
    ClassRecord, FollowEntry, HighFanoutRecord, MaskRecord, NearBoundMask, NearBoundRecord,
};
use crate::sections::network::{
    ByteEdge, CallEdge, NONE, RuleRecord, StateRecord, TokenEdge, arrival, state_flags,
};

/// Returns the number of 32-bit words of a dense row for a logit width: one bit for each token, rounded up to 64 bytes.
pub fn row_words(logit_width: u32) -> u32 {
    logit_width.div_ceil(512) * 16
}

/// The first id of each kind that belongs to an artifact. All are zero in a vocabulary artifact. In a grammar artifact
/// they are the vocabulary's totals, so that ids of both artifacts are one numbering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bases {
    /// Id of the artifact's first rule.
    pub rules: u32,
    /// Id of the artifact's first state.
    pub states: u32,
    /// Id of the artifact's first mask.
    pub masks: u32,
    /// Id of the artifact's first dense row.
    pub rows: u32,
    /// Id of the artifact's first exit class.
    pub classes: u32,
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: $record:ty,)*) => {
        /// The tables of one artifact as owned vectors, as the compiler builds them.
        #[derive(Clone, Debug, Default, PartialEq, Eq)]
        pub struct TablesData {
            /// First ids of the artifact's rules, states, masks, dense rows and exit classes.
            pub bases: Bases,
            /// Number of 32-bit words of a dense row: the logit width in bits, rounded up to 64 bytes.
            pub row_words: u32,
            $($(#[$doc])* pub $name: Vec<$record>,)*
        }

        /// The tables of one artifact as borrowed slices, as a reader sees them.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Tables<'a> {
            /// First ids of the artifact's rules, states, masks, dense rows and exit classes.
            pub bases: Bases,
            /// Number of 32-bit words of a dense row: the logit width in bits, rounded up to 64 bytes.
            pub row_words: u32,
            $($(#[$doc])* pub $name: &'a [$record],)*
        }

        impl TablesData {
            /// Borrows these tables as slices.
            pub fn as_tables(&self) -> Tables<'_> {
                Tables { bases: self.bases, row_words: self.row_words, $($name: &self.$name,)* }
            }

            /// Returns the size of all tables, in bytes.
            pub fn bytes(&self) -> usize {
                0 $(+ size_of_val(&*self.$name))*
            }
        }
    };
}

tables! {
    /// Rules. The index of a rule is its id minus `bases.rules`.
    rules: RuleRecord,
    /// States, and one sentinel record at the end. The index of a state is its id minus `bases.states`.
    states: StateRecord,
    /// Byte edges (transitions on a byte of a range) of all states, state by state.
    byte_edges: ByteEdge,
    /// Call edges (calls of other rules) of all states, state by state.
    call_edges: CallEdge,
    /// Token edges (transitions on a whole token of a set) of all states, state by state.
    token_edges: TokenEdge,
    /// Masks. The index of a mask is its id minus `bases.masks`.
    masks: MaskRecord,
    /// Words of the dense rows, row by row. The row with id `i` begins at word `(i - bases.rows) * row_words`.
    rows: u32,
    /// Token ids in the lists of the masks, list by list.
    lists: u32,
    /// Follow entries of all states, state by state. An entry gives the tokens that return to the state through an exit
    /// class.
    follows: FollowEntry,
    /// Exit classes (sets of trie nodes at which tokens leave a rule). The index of a class is its id minus
    /// `bases.classes`.
    classes: ClassRecord,
    /// Trie nodes of the exit classes, class by class.
    class_nodes: u32,
    /// Bytes of the nodes of packed string sets (finite sets of many strings). Empty in a vocabulary.
    packed_strings: u8,
    /// Nodes of packed string sets that have a stored mask, ascending by address.
    high_fanout: HighFanoutRecord,
    /// For each count-dependent state and each field of its register, the range of its near-bound masks. Ascending by
    /// state and field.
    near_bound: NearBoundRecord,
    /// Masks for small values of a counter. Ascending by the counter's value within each near-bound record.
    near_bound_masks: NearBoundMask,
}

impl TablesData {
    /// Returns tables without rules, as in a vocabulary without shared rules.
    pub fn empty(bases: Bases, row_words: u32) -> Self {
        Self { bases, row_words, states: vec![StateRecord::sentinel([0; 4])], ..Self::default() }
    }
}

impl<'a> Tables<'a> {
    /// Returns the number of dense rows in these tables.
    pub fn row_count(&self) -> u32 {
        self.rows.len().checked_div(self.row_words as usize).unwrap_or(0) as u32
    }

    /// Returns the bases of an artifact that continues these tables. The tables must be validated, so that the totals
    /// fit into 32 bits.
    pub fn totals(&self) -> Bases {
        Bases {
            rules: self.bases.rules.wrapping_add(self.rules.len() as u32),
            states: self.bases.states.wrapping_add(self.state_count()),
            masks: self.bases.masks.wrapping_add(self.masks.len() as u32),
            rows: self.bases.rows.wrapping_add(self.row_count()),
            classes: self.bases.classes.wrapping_add(self.classes.len() as u32),
        }
    }

    /// Whether two sets of tables have equal rules, states and edges. Masks, exits and follow entries are not compared.
    /// O(length of the tables).
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

    /// Returns the ids of the rules in these tables.
    pub fn rule_ids(&self) -> std::ops::Range<u32> {
        self.bases.rules..self.bases.rules + self.rules.len() as u32
    }

    /// Returns the number of states in these tables, without the sentinel.
    pub fn state_count(&self) -> u32 {
        self.states.len().saturating_sub(1) as u32
    }

    /// Returns the byte edges of the state with this index: its id minus `bases.states`.
    #[inline]
    pub fn byte_edges_of(&self, index: usize) -> &'a [ByteEdge] {
        let at = self.states[index].byte_edges as usize;
        &self.byte_edges[at..self.states[index + 1].byte_edges as usize]
    }

    /// Returns the call edges of the state with this index: its id minus `bases.states`.
    #[inline]
    pub fn call_edges_of(&self, index: usize) -> &'a [CallEdge] {
        let at = self.states[index].call_edges as usize;
        &self.call_edges[at..self.states[index + 1].call_edges as usize]
    }

    /// Returns the token edges of the state with this index: its id minus `bases.states`.
    #[inline]
    pub fn token_edges_of(&self, index: usize) -> &'a [TokenEdge] {
        let at = self.states[index].token_edges as usize;
        &self.token_edges[at..self.states[index + 1].token_edges as usize]
    }

    /// Returns the follow entries of the state with this index, ascending by exit class. The index is the id minus
    /// `bases.states`.
    #[inline]
    pub fn follows_of(&self, index: usize) -> &'a [FollowEntry] {
        let at = self.states[index].follows as usize;
        &self.follows[at..self.states[index + 1].follows as usize]
    }

    /// Returns the list of tokens that a mask of these tables removes from its row, ascending.
    #[inline]
    pub fn minus(&self, mask: &MaskRecord) -> &'a [u32] {
        &self.lists[mask.minus as usize..][..mask.minus_len as usize]
    }

    /// Returns the list of tokens that a mask of these tables adds to its row, ascending.
    #[inline]
    pub fn plus(&self, mask: &MaskRecord) -> &'a [u32] {
        &self.lists[mask.plus as usize..][..mask.plus_len as usize]
    }
}

/// The tables of a vocabulary and of a grammar, in one numbering. The ids of the grammar follow those of the
/// vocabulary.
#[derive(Clone, Copy, Debug)]
pub struct Joined<'a> {
    /// Tables of the vocabulary's shared rules.
    pub shared: Tables<'a>,
    /// Tables of the grammar's own rules.
    pub own: Tables<'a>,
}

impl<'a> Joined<'a> {
    /// Returns the tables that contain a state, and the state's index in them.
    #[inline]
    pub fn locate(&self, state: u32) -> (&Tables<'a>, usize) {
        match state.checked_sub(self.own.bases.states) {
            Some(index) => (&self.own, index as usize),
            None => (&self.shared, state as usize),
        }
    }

    /// Whether some state of either artifact has a token edge.
    pub fn reads_tokens(&self) -> bool {
        !self.shared.token_edges.is_empty() || !self.own.token_edges.is_empty()
    }

    /// Whether a state has a token edge, or calls a rule that can begin with a token edge.
    pub fn may_read_token(&self, state: u32) -> bool {
        let (tables, index) = self.locate(state);
        let begins = |call: &CallEdge| self.rule(call.callee).first_tokens != 0;
        !tables.token_edges_of(index).is_empty() || tables.call_edges_of(index).iter().any(begins)
    }

    /// Returns the nodes of the grammar's packed string sets.
    #[inline]
    pub fn packed_strings(&self) -> PackedStrings<'a> {
        PackedStrings::new(self.own.packed_strings)
    }

    /// Returns the record of a state, of either artifact.
    #[inline]
    pub fn state(&self, state: u32) -> &'a StateRecord {
        let (tables, index) = self.locate(state);
        &tables.states[index]
    }

    /// Returns the state and the register in which an arrival at a state ends. An arrival may update counters of the
    /// register.
    #[inline]
    pub fn arrival(&self, state: u32, register: u32) -> (u32, u32) {
        match self.state(state).count_exit {
            NONE => (state, register),
            _ => arrival(state, register, |state| self.state(state)),
        }
    }

    /// Returns all states in which an arrival at a state may end, for any register. For a state without a counter this
    /// is only the state itself.
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

    /// Returns the record of a rule, of either artifact.
    #[inline]
    pub fn rule(&self, rule: u32) -> &'a RuleRecord {
        match rule.checked_sub(self.own.bases.rules) {
            Some(index) => &self.own.rules[index as usize],
            None => &self.shared.rules[rule as usize],
        }
    }

    /// Returns the tables that contain a mask, and the mask's record. The lists of the record are in these tables. Its
    /// row may be in those of the vocabulary.
    #[inline]
    pub fn mask(&self, mask: u32) -> (&Tables<'a>, &'a MaskRecord) {
        match mask.checked_sub(self.own.bases.masks) {
            Some(index) => (&self.own, &self.own.masks[index as usize]),
            None => (&self.shared, &self.shared.masks[mask as usize]),
        }
    }

    /// Returns the dense row with an id, of either artifact. `None` for [`NONE`].
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
