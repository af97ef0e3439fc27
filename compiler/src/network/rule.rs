//! Rules of the network under construction: automata over bytes and labels.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use super::merge::RuleHash;
use crate::automata::{Dfa, Symbol, Table};
use crate::ir::{Origin, RuleKind};

/// What a symbol above the bytes stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// A call of a rule, with the register its activation starts with (0 where it has none).
    Call {
        /// Index of the rule in [`Built::rules`](super::build::Built).
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

    /// What a symbol stands for, or `None` for a byte.
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

/// What lowers the register of a rule's activations.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Counted {
    /// The states that do, ascending.
    arrivals: Vec<Arrival>,
    /// The exits of these, ascending.
    exits: Vec<u32>,
    /// Whether the register is a countdown, of which a larger one accepts all that a smaller one does.
    pub monotone: bool,
}

/// A state, arriving at which by a transition lowers the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Arrival {
    /// The state.
    pub state: u32,
    /// The state that takes its place when the register becomes zero.
    pub exit: u32,
    /// What becomes of the register.
    pub lowered: Lowered,
}

/// What an arrival does to the register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Lowered {
    /// It becomes less by one.
    ByOne,
    /// This bit is cleared.
    Without(u8),
}

impl Counted {
    /// A register that these arrivals lower.
    pub fn new(mut arrivals: Vec<Arrival>, monotone: bool) -> Self {
        arrivals.sort_unstable_by_key(|arrival| arrival.state);
        let mut exits: Vec<u32> = arrivals.iter().map(|arrival| arrival.exit).collect();
        exits.sort_unstable();
        exits.dedup();
        Self { arrivals, exits, monotone }
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
    /// Where it comes from.
    pub origin: Origin,
    /// The automaton, trimmed; the initial state is 0.
    pub dfa: Table,
    /// Set where activations carry a register.
    pub counted: Option<Counted>,
    /// Its kind, which the runtime asks for where it is distinct or an item.
    pub kind: RuleKind,
    /// Content hash and number of the vocabulary's rule that this is known to be; its automaton was not built then.
    pub stored: Option<(RuleHash, u32)>,
}

impl NetworkRule {
    /// A rule that the vocabulary holds, by its content hash and number there.
    pub(super) fn stored(
        name: String,
        origin: Origin,
        kind: RuleKind,
        stored: (RuleHash, u32),
    ) -> Self {
        Self {
            name,
            origin,
            dfa: (&Dfa::never()).into(),
            counted: None,
            kind,
            stored: Some(stored),
        }
    }
}
