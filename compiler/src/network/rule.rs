//! Rules of the network under construction: automata over bytes and labels.

use grammarc_artifacts::sections::network::state_flags;
use std::sync::Arc;

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::content_hash::RuleHash;
use super::packed_string_set::PackedStringSet;
use crate::automata::{Dfa, Symbol, Table};
use crate::ir::{Origin, RuleKind};

/// The meaning of a symbol above the bytes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// A call of a rule, with the register its activation starts with (0 where it has none).
    Call {
        /// Index of the rule in `Built::rules`.
        rule: usize,
        /// The register that the activation starts with.
        count: u32,
    },
    /// One token of the ids, ascending.
    Tokens(Vec<u32>),
}

/// The labels in use; a label's symbol is 256 plus its index.
#[derive(Clone, Debug, Default)]
pub struct Labels(IndexSet<Label, FxBuildHasher>);

impl Labels {
    /// Returns the symbol of a label.
    pub fn symbol(&mut self, label: Label) -> Symbol {
        256 + self.0.insert_full(label).0 as Symbol
    }

    /// Returns the label of a symbol, or `None` for a byte.
    pub fn get(&self, symbol: Symbol) -> Option<&Label> {
        self.0.get_index(symbol.checked_sub(256)? as usize)
    }

    /// Returns the rule that a symbol calls, if it is a call.
    pub fn callee(&self, symbol: Symbol) -> Option<usize> {
        match self.get(symbol) {
            Some(&Label::Call { rule, .. }) => Some(rule),
            _ => None,
        }
    }
}

/// The arrivals that update the register of a rule's activations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counted {
    /// The arrivals, by ascending state.
    arrivals: Vec<Arrival>,
    /// The exits of the arrivals, ascending.
    exits: Vec<u32>,
    /// Whether a larger value of the register accepts all that a smaller one does, as of a countdown.
    pub monotone: bool,
    /// By counter, the count-dependent states.
    pub count_dependent: Vec<CountDependent>,
}

/// States of one rule whose masks depend on how many increments a counter has left, if these are fewer than a token can
/// make.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CountDependent {
    /// The counter.
    pub field: Field,
    /// The states, in groups of equivalent states, ascending: their numbers in the rule, or their ids in a network. The
    /// next group mostly simulates a group.
    pub states: Vec<Vec<u32>>,
}

impl CountDependent {
    /// Returns the states of a counter, given in groups of equivalent states. The next group mostly simulates a group.
    pub fn new(field: Field, mut states: Vec<Vec<u32>>) -> Self {
        states.iter_mut().for_each(|group| group.sort_unstable());
        Self { field, states }
    }

    /// Returns the same states in a rule whose first state has this id.
    pub(super) fn moved_to(&self, first: u32) -> Self {
        let ids = |group: &Vec<u32>| group.iter().map(|state| first + state).collect();
        Self { field: self.field, states: self.states.iter().map(ids).collect() }
    }

    /// Returns all states.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        self.states.iter().flatten().copied()
    }
}

/// An arrival: a state at which transitions update the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The state.
    pub state: u32,
    /// The exit: the state that replaces it when the counter becomes zero. The state itself if the counter is set.
    pub exit: u32,
    /// The update of the register.
    pub update: RegisterUpdate,
}

/// An update of a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterUpdate {
    /// Decrements the whole register.
    Decrement,
    /// Clears this bit.
    ClearBit(u8),
    /// Decrements a counter.
    DecrementField {
        /// The counter.
        field: Field,
        /// Whether the next state is arrived at in turn unless the counter becomes zero.
        then: bool,
    },
    /// Sets a counter.
    Set {
        /// The counter.
        field: Field,
        /// The new value.
        to: u32,
        /// Whether the next state is arrived at in turn.
        then: bool,
    },
}

/// The bits of a register that hold a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The lowest bit.
    pub shift: u8,
    /// The number of bits, from 1 to 31.
    pub width: u8,
}

impl RegisterUpdate {
    /// Returns the [flags](state_flags) of a state with this update.
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
    /// Returns words that describe the update of a field of the register. `None` for an update of the whole register.
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
    /// Returns the register that these arrivals update.
    pub fn new(mut arrivals: Vec<Arrival>, monotone: bool) -> Self {
        arrivals.sort_unstable_by_key(|arrival| arrival.state);
        let mut exits: Vec<u32> = arrivals.iter().map(|arrival| arrival.exit).collect();
        exits.sort_unstable();
        exits.dedup();
        Self { arrivals, exits, monotone, count_dependent: Vec::new() }
    }

    /// Returns the arrival at a state.
    pub fn arrival(&self, state: u32) -> Option<&Arrival> {
        let at = self.arrivals.binary_search_by_key(&state, |arrival| arrival.state);
        at.ok().map(|at| &self.arrivals[at])
    }

    /// Whether some arrival's exit is this state.
    pub fn is_exit(&self, state: u32) -> bool {
        self.exits.binary_search(&state).is_ok()
    }
}

/// A rule: an automaton over bytes and labels. Only the start rule may accept the empty string.
#[derive(Clone, Debug)]
pub struct NetworkRule {
    /// The name, for people.
    pub name: String,
    /// The place in the source.
    pub origin: Origin,
    /// The automaton, trimmed; the initial state is 0.
    pub dfa: Table,
    /// The register updates, if activations have a register.
    pub counted: Option<Counted>,
    /// The kind, which the runtime needs for distinct rules and their items.
    pub kind: RuleKind,
    /// Content hash and number of the vocabulary's rule that replaces this one. The automaton is not built then.
    pub stored: Option<(RuleHash, u32)>,
    /// The packed string set, if the rule is one. The automaton is its reached part.
    pub packed: Option<Arc<PackedStringSet>>,
}

impl NetworkRule {
    /// Returns a plain rule with an automaton and without a register.
    pub(super) fn plain(name: String, origin: Origin, dfa: Table) -> Self {
        let kind = RuleKind::Plain;
        Self { name, origin, dfa, counted: None, kind, stored: None, packed: None }
    }

    /// Returns a rule that the vocabulary holds, by its content hash and number there.
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
