//! Rules of the network under construction: automata over bytes and labels.

use indexmap::IndexSet;

use super::merge::RuleHash;
use crate::automata::{Dfa, Symbol};
use crate::ir::Origin;

/// What a symbol above the bytes stands for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Label {
    /// A call of a rule, with the countdown its activation starts with (0 where it is not counted).
    Call {
        /// Index of the rule in [`Built::rules`](super::build::Built).
        rule: usize,
        /// Initial countdown.
        count: u32,
    },
    /// One token of the ids, ascending.
    Tokens(Vec<u32>),
}

/// The labels in use; a label's symbol is 256 plus its index.
#[derive(Clone, Debug, Default)]
pub struct Labels(IndexSet<Label>);

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

/// Where the countdown of a counted rule goes on and where it ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Counted {
    /// The loop state: arriving here by a transition lowers the countdown.
    pub head: u32,
    /// The state that takes the head's place when the countdown runs out.
    pub exit: u32,
    /// Whether a larger countdown accepts all that a smaller one does.
    pub monotone: bool,
}

/// One rule: an automaton whose strings are not empty (but for the start rule's), over bytes and labels.
#[derive(Clone, Debug)]
pub struct NetworkRule {
    /// Name, for people.
    pub name: String,
    /// Where it comes from.
    pub origin: Origin,
    /// The automaton, trimmed; the initial state is 0.
    pub dfa: Dfa,
    /// Set where activations carry a countdown.
    pub counted: Option<Counted>,
    /// Content hash and number of the vocabulary's rule that this is known to be; its automaton was not built then.
    pub stored: Option<(RuleHash, u32)>,
}
