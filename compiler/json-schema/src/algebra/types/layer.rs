//! The second layer: what formulas over values say about each type, memoised.
//!
//! The arenas of object and array formulas lie here, beside the arena of value formulas in [`Logic`]. Work is counted
//! here, since its limits concern all three.

use grammarc_grammar::automata::StateBudget;
use grammarc_grammar::diagnostics::Diagnostic;

use super::array_atoms::Arrays;
use super::object_atoms::Objects;
use super::scalar_sets::ScalarMemo;
use crate::algebra::logic::layer::Logic;
use crate::algebra::logic::work::{Attempt, Limits, Size, WorkLimit, WorkMeter};
use crate::document::Document;
use crate::options::TextForm;
use crate::read::schema::Schemas;

/// What is known of each type.
pub(crate) struct Types<'a> {
    pub(crate) logic: Logic<'a>,
    pub(crate) meter: WorkMeter<'a>,
    /// The text form of values.
    pub(crate) text: TextForm,
    pub(crate) scalars: ScalarMemo,
    pub(crate) objects: Objects,
    pub(crate) arrays: Arrays,
}

impl<'a> Types<'a> {
    /// Nothing known of the schemas of a document yet.
    pub(crate) fn new(
        document: &'a Document<'a>,
        schemas: &'a Schemas,
        limits: Limits<'a>,
        text: TextForm,
    ) -> Self {
        // Few schemas constrain arrays. Most constrain their values once, and all of it is needed.
        let size = schemas.len();
        Self {
            logic: Logic::new(document, schemas),
            meter: WorkMeter::new(limits),
            text,
            scalars: ScalarMemo::with_capacity(size),
            objects: Objects::with_capacity(size),
            arrays: Arrays::with_capacity(size),
        }
    }

    /// The limit on one automaton.
    pub(crate) fn states(&self) -> StateBudget<'a> {
        self.meter.limits.states
    }

    /// Counts a unit of work.
    ///
    /// # Errors
    ///
    /// An exceeded limit.
    pub(crate) fn spend(&mut self) -> Result<(), Diagnostic> {
        let size = self.size();
        self.meter.spend(size).map_err(|text| self.logic.too_much(text))
    }

    /// Counts a state of an automaton, and a unit of work.
    ///
    /// # Errors
    ///
    /// An exceeded limit.
    pub(crate) fn grow(&mut self) -> Result<(), Diagnostic> {
        self.grow_by(1)
    }

    /// Counts states of an automaton, and a unit of work.
    ///
    /// # Errors
    ///
    /// An exceeded limit.
    pub(crate) fn grow_by(&mut self, states: usize) -> Result<(), Diagnostic> {
        self.meter.grow(states).map_err(|text| self.logic.too_much(text))?;
        self.spend()
    }

    /// Begins an attempt with its own limit.
    pub(crate) fn begin(&mut self, most: WorkLimit) -> Attempt {
        let size = self.size();
        self.meter.begin(most, size)
    }

    /// Ends an attempt: its result, or `None` if it exceeded its own limit.
    ///
    /// # Errors
    ///
    /// Those of the attempt, unless its own limit was the cause.
    pub(crate) fn end<T>(
        &mut self,
        attempt: Attempt,
        result: Result<Option<T>, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let size = self.size();
        let is_over = self.meter.end(attempt, size, matches!(result, Ok(None)));
        if is_over { Ok(None) } else { result }
    }

    /// The size of all arenas.
    fn size(&self) -> Size {
        let arenas = [&self.logic.values, &self.objects.formulas, &self.arrays.formulas];
        Size {
            formulas: arenas.iter().map(|arena| arena.len()).sum(),
            operands: arenas.iter().map(|arena| arena.operands()).sum(),
        }
    }
}
