//! The fourth layer: what automata over members and items share.

use crate::algebra::logic::layer::Logic;
use crate::algebra::logic::work::WorkLimit;
use crate::algebra::promises::OrderPromise;
use crate::algebra::simplify::layer::Simplifier;
use crate::algebra::types::layer::Types;
use crate::document::NodeId;
use grammarc_grammar::diagnostics::Diagnostic;

/// Most states and edges of an automaton whose keys come once. Beyond, keys may come again, and the report says so.
pub(crate) const MOST_ONCE: usize = 2_048;

/// What is left for automata whose keys come once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Once {
    /// States and edges that are left for such automata.
    pub(crate) room: usize,
    /// Whether an automaton of the current value lets its keys come again.
    pub(crate) again: bool,
}

impl Default for Once {
    fn default() -> Self {
        Self { room: 16 * MOST_ONCE, again: false }
    }
}

/// What automata over members and items share.
pub(crate) struct Automata<'a> {
    pub(crate) simplifier: Simplifier<'a>,
    pub(crate) key_order: OrderPromise,
    /// Keys that come once, if keys come in any order and once; otherwise `None`.
    pub(crate) once: Option<Once>,
    /// Most required keys of an object that come in any order.
    pub(crate) most_marks: u8,
    /// Places of the keywords whose items must have different texts.
    pub(crate) unique: Vec<NodeId>,
}

impl<'a> Automata<'a> {
    /// What is known of each type.
    pub(crate) fn types(&mut self) -> &mut Types<'a> {
        &mut self.simplifier.types
    }

    /// The formulas over values.
    pub(crate) fn logic(&mut self) -> &mut Logic<'a> {
        &mut self.simplifier.types.logic
    }

    /// The result of an attempt with its own limit. `None` if the attempt exceeds it.
    pub(crate) fn attempt<T>(
        &mut self,
        most: WorkLimit,
        attempt: impl FnOnce(&mut Self) -> Result<Option<T>, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let begun = self.types().begin(most);
        let result = attempt(self);
        self.types().end(begun, result)
    }

    /// Switches to tests of emptiness, in which the order of keys does not matter, with at most `work` more units of work.
    pub(crate) fn explain(&mut self, work: usize) {
        self.key_order = OrderPromise::Schema;
        self.types().meter.lower_limit(work);
    }
}
