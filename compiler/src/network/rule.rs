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
    /// The symbol of a label.
    pub fn symbol(&mut self, label: Label) -> Symbol {
        256 + self.0.insert_full(label).0 as Symbol
    }

    /// The label of a symbol, or `None` for a byte.
    pub fn get(&self, symbol: Symbol) -> Option<&Label> {
        self.0.get_index(symbol.checked_sub(256)? as usize)
    }

    /// The rule that a symbol calls, where it is a call.
    pub fn callee(&self, symbol: Symbol) -> Option<usize> {
        match self.get(symbol) {
            Some(&Label::Call { rule, .. }) => Some(rule),
            _ => None,
        }
    }
}

/// The arrivals that lower the register of a rule's activations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counted {
    /// The states that do, ascending.
    arrivals: Vec<Arrival>,
    /// The exits of these, ascending.
    exits: Vec<u32>,
    /// Whether the register is a countdown, of which a larger one accepts all that a smaller one does.
    pub monotone: bool,
    /// By counter, the states whose masks depend on its field of the register.
    pub count_dependent: Vec<CountDependent>,
}

/// States of one rule whose masks depend on how many increments a counter has left, where these are fewer than a token can make.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CountDependent {
    /// The counter.
    pub field: Field,
    /// The states, each with those that do the same, ascending: their numbers in the rule, or in a network their ids. What one of
    /// these groups does, the next one mostly does too, for as long as it goes on.
    pub states: Vec<Vec<u32>>,
}

impl CountDependent {
    /// The states in groups of those that do the same, in an order in which one mostly does more than the next.
    pub fn new(field: Field, mut states: Vec<Vec<u32>>) -> Self {
        states.iter_mut().for_each(|group| group.sort_unstable());
        Self { field, states }
    }

    /// The same in a rule whose first state has this id.
    pub(super) fn moved_to(&self, first: u32) -> Self {
        let ids = |group: &Vec<u32>| group.iter().map(|state| first + state).collect();
        Self { field: self.field, states: self.states.iter().map(ids).collect() }
    }

    /// All states.
    pub fn all(&self) -> impl Iterator<Item = u32> + '_ {
        self.states.iter().flatten().copied()
    }
}

/// A state, arriving at which by a transition changes the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The state.
    pub state: u32,
    /// The state that takes its place when the counter becomes zero; of one that is set, the state itself.
    pub exit: u32,
    /// The change of the register.
    pub update: RegisterUpdate,
}

/// The change of a register by an arrival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RegisterUpdate {
    /// It becomes less by one.
    Decrement,
    /// This bit is cleared.
    ClearBit(u8),
    /// A counter becomes less by one.
    DecrementField {
        /// The counter.
        field: Field,
        /// Whether the next state is arrived at in turn where it is not zero.
        then: bool,
    },
    /// A counter is set to this.
    Set {
        /// The counter.
        field: Field,
        /// The value that it is set to.
        to: u32,
        /// Whether the next state is arrived at in turn.
        then: bool,
    },
}

/// Bits of a register that are a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Field {
    /// The lowest.
    pub shift: u8,
    /// How many, at least one and at most 31.
    pub width: u8,
}

impl RegisterUpdate {
    /// The [flags](state_flags) of a state that arrivals do this at.
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
    /// Words that say what arrivals at the state do to a field of the register; none where it is the whole register.
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
    /// A register that these arrivals lower.
    pub fn new(mut arrivals: Vec<Arrival>, monotone: bool) -> Self {
        arrivals.sort_unstable_by_key(|arrival| arrival.state);
        let mut exits: Vec<u32> = arrivals.iter().map(|arrival| arrival.exit).collect();
        exits.sort_unstable();
        exits.dedup();
        Self { arrivals, exits, monotone, count_dependent: Vec::new() }
    }

    /// The arrival at a state.
    pub fn arrival(&self, state: u32) -> Option<&Arrival> {
        let at = self.arrivals.binary_search_by_key(&state, |arrival| arrival.state);
        at.ok().map(|at| &self.arrivals[at])
    }

    /// Whether some arrival's exit is this state.
    pub fn is_exit(&self, state: u32) -> bool {
        self.exits.binary_search(&state).is_ok()
    }
}

/// One rule: an automaton whose strings are not empty (but for the start rule's), over bytes and labels.
#[derive(Clone, Debug)]
pub struct NetworkRule {
    /// Name, for people.
    pub name: String,
    /// Its place in the source.
    pub origin: Origin,
    /// The automaton, trimmed; the initial state is 0.
    pub dfa: Table,
    /// Set where activations carry a register.
    pub counted: Option<Counted>,
    /// Its kind, which the runtime asks for where it is distinct or an item.
    pub kind: RuleKind,
    /// Content hash and number of the vocabulary's rule that this is known to be; its automaton was not built then.
    pub stored: Option<(RuleHash, u32)>,
    /// The packed set that it is; its automaton is what tokens reach of that.
    pub packed: Option<Arc<PackedStringSet>>,
}

impl NetworkRule {
    /// A plain rule of an automaton, without a register.
    pub(super) fn plain(name: String, origin: Origin, dfa: Table) -> Self {
        let kind = RuleKind::Plain;
        Self { name, origin, dfa, counted: None, kind, stored: None, packed: None }
    }

    /// A rule that the vocabulary holds, by its content hash and number there.
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
