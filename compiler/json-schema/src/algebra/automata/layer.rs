//! The fourth layer: the state that automata over members and automata over items share.

use crate::algebra::logic::layer::Logic;
use crate::algebra::logic::work::{Limits, WorkLimit};
use crate::algebra::promises::{OrderPromise, Promises};
use crate::algebra::simplify::layer::Simplifier;
use crate::algebra::simplify::steps::Steps;
use crate::algebra::types::layer::Types;
use crate::document::{Document, NodeId};
use crate::options::{JsonSchemaOptions, KeyOrder};
use crate::read::schema::Schemas;
use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::budget::Budget;
use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::ir::MOST_REQUIRED_KEYS;

/// Most states and edges, added up, of one automaton over members whose keys occur at most once. Beyond, keys may be
/// repeated, and the report says so.
pub(crate) const MOST_ONCE: usize = 2_048;

/// The remaining budget of automata over members in which each key occurs at most once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Once {
    /// The remaining number of states and edges, over the whole schema, for automata in which each key occurs at most
    /// once.
    pub(crate) room: usize,
    /// Whether some automaton of the current value lets keys be repeated although each key was to occur at most once.
    pub(crate) again: bool,
}

impl Default for Once {
    fn default() -> Self {
        Self { room: 16 * MOST_ONCE, again: false }
    }
}

/// The state that the builders of all automata over members and over items share.
pub(crate) struct Automata<'a> {
    /// The layer below: the formulas, and the simplifier steps that keep them small.
    pub(crate) simplifier: Simplifier<'a>,
    /// The grammar's promise about the order of keys.
    pub(crate) key_order: OrderPromise,
    /// The budget of automata in which each key occurs at most once. `None` unless the options ask for
    /// [`KeyOrder::AnyOnce`](crate::KeyOrder::AnyOnce).
    pub(crate) once: Option<Once>,
    /// Most required keys of one object that have a mark (a bit of a register) and so come in any order.
    pub(crate) most_marks: u8,
    /// Places of the `uniqueItems` keywords for which the runtime compares the texts of items.
    pub(crate) unique: Vec<NodeId>,
}

impl<'a> Automata<'a> {
    /// Creates the state for the schemas of a document, without any formula.
    pub(crate) fn new(
        document: &'a Document<'a>,
        schemas: &'a Schemas,
        promises: Promises,
        steps: Steps,
        options: &JsonSchemaOptions,
        budget: &'a Budget,
    ) -> Self {
        let (size, shapes) = (document.len(), options.max_shapes);
        let limits = Limits {
            states: StateBudget::new(options.max_states, budget),
            shapes: shapes.saturating_add(size.saturating_mul(4)),
            all: WorkLimit {
                work: shapes.saturating_mul(100).saturating_add(size.saturating_mul(100)),
                formulas: shapes.saturating_mul(10).saturating_add(size.saturating_mul(8)),
            },
        };
        let types = Types::new(document, schemas, limits, options.text);
        Self {
            simplifier: Simplifier::new(types, promises.one_of, steps),
            key_order: promises.key_order,
            once: (options.key_order == KeyOrder::AnyOnce).then(Once::default),
            most_marks: options.max_unordered.min(MOST_REQUIRED_KEYS),
            unique: Vec::new(),
        }
    }

    /// Returns the layer below the simplifier: for each formula over values, its sets of objects, arrays and scalars.
    pub(crate) fn types(&mut self) -> &mut Types<'a> {
        &mut self.simplifier.types
    }

    /// Returns the lowest layer: the schemas of the document, and the formulas over values.
    pub(crate) fn logic(&mut self) -> &mut Logic<'a> {
        &mut self.simplifier.types.logic
    }

    /// Runs an attempt (a computation that may fail) under its own limit on work and formulas. Returns `None` if the
    /// attempt exceeds that limit or itself returns `None`.
    pub(crate) fn attempt<T>(
        &mut self,
        most: WorkLimit,
        attempt: impl FnOnce(&mut Self) -> Result<Option<T>, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let begun = self.types().begin(most);
        let result = attempt(self);
        self.types().end(begun, result)
    }

    /// Switches to tests of emptiness, in which the order of keys does not matter. They may take at most `work` more
    /// units of work.
    pub(crate) fn explain(&mut self, work: usize) {
        self.key_order = OrderPromise::Schema;
        self.types().meter.lower_limit(work);
    }
}
