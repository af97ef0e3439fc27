//! Memo tables by subject and by formula.

use rustc_hash::FxHashMap;

use crate::algebra::logic::formula::FormulaId;

/// Maps each condition on a value (schema, keyword or constant), by its number, to a memoised result.
#[derive(Debug)]
pub(crate) struct BySubject<T>(Vec<Option<T>>);

impl<T> Default for BySubject<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> BySubject<T> {
    /// Creates an empty table with capacity for the results of `subjects` conditions.
    pub(crate) fn with_capacity(subjects: usize) -> Self {
        Self(Vec::with_capacity(subjects))
    }

    /// Returns the result of the condition with the number `subject`, or `None` if the result is not known yet.
    pub(crate) fn get(&self, subject: u32) -> Option<&T> {
        self.0.get(subject as usize)?.as_ref()
    }

    /// Stores the result of the condition with the number `subject`.
    pub(crate) fn insert(&mut self, subject: u32, result: T) {
        let index = subject as usize;
        if self.0.len() <= index {
            self.0.resize_with(index + 1, || None);
        }
        self.0[index] = Some(result);
    }
}

/// Maps each formula over values to a memoised result.
pub(crate) type ByFormula<T> = FxHashMap<FormulaId, T>;
