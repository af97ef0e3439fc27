//! Results by subject and by formula.

use rustc_hash::FxHashMap;

use crate::algebra::logic::formula::FormulaId;

/// Results by subject.
#[derive(Debug)]
pub(crate) struct BySubject<T>(Vec<Option<T>>);

impl<T> Default for BySubject<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> BySubject<T> {
    /// An empty table with capacity for the subjects.
    pub(crate) fn with_capacity(subjects: usize) -> Self {
        Self(Vec::with_capacity(subjects))
    }

    /// The result of a subject, if it is known.
    pub(crate) fn get(&self, subject: u32) -> Option<&T> {
        self.0.get(subject as usize)?.as_ref()
    }

    /// Stores the result of a subject.
    pub(crate) fn insert(&mut self, subject: u32, result: T) {
        let index = subject as usize;
        if self.0.len() <= index {
            self.0.resize_with(index + 1, || None);
        }
        self.0[index] = Some(result);
    }
}

/// Results by formula over values.
pub(crate) type ByFormula<T> = FxHashMap<FormulaId, T>;
