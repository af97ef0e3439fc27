//! The second layer of the algebra: the set of each type for every formula over values, memoised.
//!
//! The arenas of object and array formulas lie here, beside the arena of formulas over values in [`Logic`]. The work is
//! counted here, since its limits concern all three arenas.

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

/// The state of the layer that splits formulas by type: arenas and memos of scalar, object and array sets, and the
/// meter of work.
pub(crate) struct Types<'a> {
    /// The layer below: the schemas of the document, and boolean formulas over values.
    pub(crate) logic: Logic<'a>,
    /// The meter of work, of automaton states and formulas, and of memory.
    pub(crate) meter: WorkMeter<'a>,
    /// How values are written: whitespace, numbers and escapes.
    pub(crate) text: TextForm,
    /// Memoised sets of null, booleans, numbers and strings.
    pub(crate) scalars: ScalarMemo,
    /// The arena (store) of object formulas.
    pub(crate) objects: Objects,
    /// The arena (store) of array formulas.
    pub(crate) arrays: Arrays,
}

impl<'a> Types<'a> {
    /// Creates the state of the layer for the schemas of a document, without any formula or memoised set.
    pub(crate) fn new(
        document: &'a Document<'a>,
        schemas: &'a Schemas,
        limits: Limits<'a>,
        text: TextForm,
    ) -> Self {
        // Array formulas get little capacity, since few schemas constrain arrays.
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

    /// Returns the limit on the states of one automaton, with the budget of the compilation.
    pub(crate) fn states(&self) -> StateBudget<'a> {
        self.meter.limits.states
    }

    /// Counts a unit of work against the limits.
    ///
    /// # Errors
    ///
    /// A limit on work, formulas, time or memory is exceeded.
    pub(crate) fn spend(&mut self) -> Result<(), Diagnostic> {
        let size = self.size();
        self.meter.spend(size).map_err(|text| self.logic.too_much(text))
    }

    /// Counts one state of an automaton over members or items, or one formula over values (a "shape"), and a unit of
    /// work.
    ///
    /// # Errors
    ///
    /// A limit on states, work, formulas, time or memory is exceeded.
    pub(crate) fn grow(&mut self) -> Result<(), Diagnostic> {
        self.grow_by(1)
    }

    /// Counts `states` states of automata over members or items ("shapes"), and a unit of work.
    ///
    /// # Errors
    ///
    /// A limit on states, work, formulas, time or memory is exceeded.
    pub(crate) fn grow_by(&mut self, states: usize) -> Result<(), Diagnostic> {
        self.meter.grow(states).map_err(|text| self.logic.too_much(text))?;
        self.spend()
    }

    /// Begins an attempt: a computation that may use at most `most` work and formulas. Beyond, the attempt fails and
    /// [`end`](Self::end) returns `None`.
    pub(crate) fn begin(&mut self, most: WorkLimit) -> Attempt {
        let size = self.size();
        self.meter.begin(most, size)
    }

    /// Ends an attempt, a computation under its own limits. Returns its result, or `None` if the attempt exceeded its
    /// own limit.
    ///
    /// # Errors
    ///
    /// The error of the attempt, unless the attempt's own limit caused it.
    pub(crate) fn end<T>(
        &mut self,
        attempt: Attempt,
        result: Result<Option<T>, Diagnostic>,
    ) -> Result<Option<T>, Diagnostic> {
        let size = self.size();
        let is_over = self.meter.end(attempt, size, matches!(result, Ok(None)));
        if is_over { Ok(None) } else { result }
    }

    /// Returns the size of the three arenas of formulas together: over values, over objects and over arrays.
    fn size(&self) -> Size {
        let arenas = [&self.logic.values, &self.objects.formulas, &self.arrays.formulas];
        Size {
            formulas: arenas.iter().map(|arena| arena.len()).sum(),
            operands: arenas.iter().map(|arena| arena.operands()).sum(),
        }
    }
}
