//! Rules of the network under construction: automata over bytes and labels. A label is a call of a
//! rule or a set of tokens.

use grammarc_artifacts::sections::network::state_flags;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::content_hash::RuleHash;
use super::packed_string_set::PackedStringSet;
use crate::automata::{Dfa, Symbol, Table};
use crate::ir::{Origin, RuleKind};

/// The meaning of a symbol that is not a byte.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// A call of a rule.
    Call {
        /// Index of the called rule in `Built::rules`.
        rule: usize,
        /// The value with which the register of the activation (the call in progress) begins. 0 if
        /// the rule has no register.
        count: u32,
    },
    /// Reads one token of a set, as a whole. Holds the ids of the tokens in ascending order.
    Tokens(Vec<u32>),
}

/// The labels (calls or token sets) in use. The symbol of a label is 256 plus its index.
#[derive(Clone, Debug, Default)]
pub struct Labels(IndexSet<Label, FxBuildHasher>);

impl Labels {
    /// Returns the symbol of a label (call or token set), at least 256. Adds the label if it is
    /// new.
    pub fn symbol(&mut self, label: Label) -> Symbol {
        256 + self.0.insert_full(label).0 as Symbol
    }

    /// Returns the label of a symbol. Returns `None` for a byte, or if no label has the symbol.
    pub fn get(&self, symbol: Symbol) -> Option<&Label> {
        self.0.get_index(symbol.checked_sub(256)? as usize)
    }

    /// Returns the index of the rule that a symbol calls. Returns `None` if the symbol is no call.
    pub fn callee(&self, symbol: Symbol) -> Option<usize> {
        match self.get(symbol) {
            Some(&Label::Call { rule, .. }) => Some(rule),
            _ => None,
        }
    }
}

/// The states of a rule whose arrivals update the register. Each activation (call in progress) of
/// the rule has one register of 32 bits.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counted {
    /// The arrivals, in ascending order of their states.
    arrivals: Vec<Arrival>,
    /// The exits of all arrivals, in ascending order, each once. An exit replaces the state when
    /// the register reaches zero.
    exits: Vec<u32>,
    /// Whether a larger value of the register accepts every string that a smaller value accepts, as
    /// for a countdown of optional repetitions.
    pub monotone: bool,
    /// For each near-bound counter, the states whose masks depend on the counter.
    pub count_dependent: Vec<CountDependent>,
}

/// The states of one rule whose masks depend on one counter. The mask changes if fewer increments
/// are left than one token can make.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CountDependent {
    /// The bits of the register that hold the counter.
    pub field: Field,
    /// The states, in groups that behave alike except for the count, in ascending order within a
    /// group. States are numbers in the rule, or ids in a network. In most cases the next group
    /// simulates a group: it accepts every string that the group accepts.
    pub states: Vec<Vec<u32>>,
}

impl CountDependent {
    /// Returns the states of a counter, given in groups that behave alike except for the count.
    /// Sorts each group.
    pub fn new(field: Field, mut states: Vec<Vec<u32>>) -> Self {
        states.iter_mut().for_each(|group| group.sort_unstable());
        Self { field, states }
    }

    /// Returns the same groups with ids of a network. `first` is the id of the rule's initial
    /// state.
    pub(super) fn moved_to(&self, first: u32) -> Self {
        let ids = |group: &Vec<u32>| group.iter().map(|state| first + state).collect();
        Self { field: self.field, states: self.states.iter().map(ids).collect() }
    }

    /// Returns the states of all groups.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        self.states.iter().flatten().copied()
    }
}

/// A state of a rule at which every incoming transition updates the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The number of the state in its rule.
    pub state: u32,
    /// The number of the exit: the state that replaces this one when the counter or the register
    /// becomes zero. The state itself if the counter is set.
    pub exit: u32,
    /// The update that an arrival makes.
    pub update: RegisterUpdate,
}

/// An update of the register of an activation (a call in progress).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterUpdate {
    /// Decrements the whole register, a word of 32 bits.
    Decrement,
    /// Clears the bit with this number, from 0 to 31: a required key was written.
    ClearBit(u8),
    /// Decrements the field of a counter.
    DecrementField {
        /// The bits of the register that hold the counter.
        field: Field,
        /// Whether the arrival continues at the state with the next number, unless the counter
        /// becomes zero.
        then: bool,
    },
    /// Sets the field of a counter.
    Set {
        /// The bits of the register that hold the counter.
        field: Field,
        /// The new value of the counter.
        to: u32,
        /// Whether the arrival continues at the state with the next number.
        then: bool,
    },
}

/// The bits of a register that hold a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The number of the lowest bit, from 0 to 31.
    pub shift: u8,
    /// The number of bits, from 1 to 31.
    pub width: u8,
}

impl RegisterUpdate {
    /// Returns the [flags](state_flags) that describe this update in a state's record.
    pub(super) fn flags(self) -> u32 {
        let of = |field: Field, then: bool| {
            u32::from(field.shift) << state_flags::SHIFT
                | u32::from(field.width) << state_flags::WIDTH
                | if then { state_flags::THEN } else { 0 }
        };
        match self {
            Self::Decrement => 0,
            Self::ClearBit(bit) => state_flags::CLEARS | u32::from(bit) << state_flags::CLEARED,
            Self::DecrementField { field, then } => of(field, then),
            Self::Set { field, then, .. } => state_flags::LOADS | of(field, then),
        }
    }
}

impl Arrival {
    /// Returns two words that identify the update of a field. Returns `None` for an update of the
    /// whole register.
    pub(super) fn describe(&self) -> Option<[u32; 2]> {
        let (kind, to) = match self.update {
            RegisterUpdate::Decrement | RegisterUpdate::ClearBit(_) => return None,
            RegisterUpdate::DecrementField { .. } => (0, 0),
            RegisterUpdate::Set { to, .. } => (1, to),
        };
        Some([self.update.flags() << 1 | kind, to])
    }
}

impl Counted {
    /// Collects the arrivals of a rule. `monotone` says whether larger register values accept every
    /// string that smaller values accept.
    pub fn new(mut arrivals: Vec<Arrival>, monotone: bool) -> Self {
        arrivals.sort_unstable_by_key(|arrival| arrival.state);
        let mut exits: Vec<u32> = arrivals.iter().map(|arrival| arrival.exit).collect();
        exits.sort_unstable();
        exits.dedup();
        Self { arrivals, exits, monotone, count_dependent: Vec::new() }
    }

    /// Returns the arrival at a state. Returns `None` if arriving there leaves the register as it
    /// is.
    pub fn arrival(&self, state: u32) -> Option<&Arrival> {
        let at = self.arrivals.binary_search_by_key(&state, |arrival| arrival.state);
        at.ok().map(|at| &self.arrivals[at])
    }

    /// Whether a state is the exit of some arrival.
    pub fn is_exit(&self, state: u32) -> bool {
        self.exits.binary_search(&state).is_ok()
    }
}

/// A rule of the network: an automaton over bytes and labels. Only the start rule may accept the
/// empty string.
#[derive(Clone, Debug)]
pub struct NetworkRule {
    /// The name of the rule, for people.
    pub name: String,
    /// The place of the rule in the source.
    pub origin: Origin,
    /// The automaton, without unreachable and dead states. State 0 is the initial state.
    pub dfa: Table,
    /// The register updates. `None` if activations (calls in progress) of the rule have no
    /// register.
    pub counted: Option<Counted>,
    /// The kind of the rule. The runtime needs the kinds of distinct rules (arrays whose items must
    /// differ) and of their items.
    pub kind: RuleKind,
    /// Content hash and id of the vocabulary's rule that replaces this rule. The automaton is then
    /// not built. `None` if the rule is built.
    pub stored: Option<(RuleHash, u32)>,
    /// The packed string set (texts as a packed automaton), if the rule is one. The automaton then
    /// has only the states that tokens reach from outside.
    pub packed: Option<Arc<PackedStringSet>>,
}

impl NetworkRule {
    /// Returns a rule of the plain kind, with an automaton and without a register.
    pub(super) fn plain(name: String, origin: Origin, dfa: Table) -> Self {
        let kind = RuleKind::Plain;
        Self { name, origin, dfa, counted: None, kind, stored: None, packed: None }
    }

    /// Returns a rule that is taken from the vocabulary, by its content hash and id there. The
    /// automaton accepts nothing.
    pub(super) fn stored(
        name: String,
        origin: Origin,
        kind: RuleKind,
        stored: (RuleHash, u32),
    ) -> Self {
        let never = (&Dfa::never()).into();
        Self { kind, stored: Some(stored), ..Self::plain(name, origin, never) }
    }
}
