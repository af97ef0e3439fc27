//! Sets of numerals: numbers with their notation.
//!
//! All keywords but one concern values: `1` and `1.0` are one number. Only draft 4 depends on notation. Its `integer`
//! is a number without a point and without an exponent, so `1.0` is not an `integer`. A numeral is *plain* if it is
//! digits with an optional sign, and *pointed* otherwise. A set of numerals is a pair of sets of numbers: one for plain
//! numerals, one for pointed ones. Boolean operations are those of [`NumberSet`], applied to both. Without draft 4 both
//! sets are equal, and each operation is applied once.
//!
//! Numbers with a fraction have only pointed numerals. Both sets of the pair have the same numbers with a fraction, so
//! equal sets of numerals are equal values.

use grammarc_grammar::automata::{StateBudget, StateLimit};

use super::decimal::Decimal;
use super::set::NumberSet;

/// A set of numerals (texts of numbers), distinguished by value and by notation. A notation is plain, as in `1`, or has
/// a point or exponent, as in `1.0` and `1e0`. Equal sets are equal values, so a set may be a key. Cloning is O(1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NumeralSet {
    /// The numbers whose plain numerals (without point and exponent) are in the set. Also the numbers with a fraction
    /// that are in the set.
    plain: NumberSet,
    /// The numbers whose numerals with a point or an exponent are in the set. `None` if they equal `plain`.
    pointed: Option<NumberSet>,
}

impl From<NumberSet> for NumeralSet {
    /// Returns the set of all numerals of the given numbers, in every notation.
    fn from(numbers: NumberSet) -> Self {
        Self { plain: numbers, pointed: None }
    }
}

impl NumeralSet {
    fn new(plain: NumberSet, pointed: NumberSet) -> Self {
        let pointed = Some(pointed).filter(|pointed| *pointed != plain);
        Self { plain, pointed }
    }

    /// Returns the set of all plain numerals (without point and exponent): the integers of draft 4.
    pub(crate) fn plain_integers() -> Self {
        Self::new(NumberSet::integers(), NumberSet::none())
    }

    /// Returns the numbers whose plain numerals (without point and exponent) are in the set. A number with a fraction
    /// is included if its numeral is in the set.
    pub(super) fn plain(&self) -> &NumberSet {
        &self.plain
    }

    /// Returns the numbers whose numerals with a point or an exponent are in the set.
    pub(super) fn pointed(&self) -> &NumberSet {
        self.pointed.as_ref().unwrap_or(&self.plain)
    }

    /// Returns the numbers of the set, if each of them has all its numerals in the set, with and without a point.
    /// Returns `None` otherwise.
    pub(super) fn values(&self) -> Option<&NumberSet> {
        self.pointed.is_none().then_some(&self.plain)
    }

    /// Applies an operation to the numbers with plain numerals, and to those whose numerals have a point or an
    /// exponent. Applies it only once if both sets of each operand are equal.
    fn combined(
        &self,
        other: &Self,
        of: impl Fn(&NumberSet, &NumberSet) -> Result<NumberSet, StateLimit>,
    ) -> Result<Self, StateLimit> {
        let plain = of(&self.plain, &other.plain)?;
        Ok(match (self.values(), other.values()) {
            (Some(_), Some(_)) => plain.into(),
            _ => Self::new(plain, of(self.pointed(), other.pointed())?),
        })
    }

    /// Returns the numerals (texts of numbers) that are in both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] as for [`NumberSet::intersect`].
    pub(crate) fn intersect(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        self.combined(other, |a, b| a.intersect(b, limit))
    }

    /// Returns the numerals (texts of numbers) that are in at least one of both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] as for [`NumberSet::union`].
    pub(crate) fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combined(other, |a, b| a.union(b, limit))
    }

    /// Returns the numerals (texts of numbers) that are not in the set.
    pub(crate) fn complement(&self) -> Self {
        let pointed = self.pointed.as_ref().map(NumberSet::complement);
        Self { plain: self.plain.complement(), pointed }
    }

    /// Removes the numerals of integers with a point or an exponent, such as `1.0`, which canonical text never has. A
    /// set that has all numerals of its numbers is returned unchanged.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] as for [`NumberSet::intersect`].
    pub(crate) fn canonical(self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        if self.values().is_some() {
            return Ok(self);
        }
        let fractions = self.plain.intersect(&NumberSet::integers().complement(), limit)?;
        Ok(Self::new(self.plain, fractions))
    }

    /// Returns the least common multiple of all divisors (values of `multipleOf`) in the set. `None` if there are none.
    pub(crate) fn period(&self) -> Option<Decimal> {
        self.plain.period()
    }

    /// Returns whether the set has no numeral (text of a number).
    pub(crate) fn is_none(&self) -> bool {
        self.plain.is_none() && self.pointed().is_none()
    }

    /// Returns whether the set has every numeral (text of a number).
    pub(crate) fn is_all(&self) -> bool {
        self.values().is_some_and(NumberSet::is_all)
    }

    /// Returns the numbers with a numeral in the set, in ascending order. Returns `None` if there are more than
    /// `limit`.
    pub(crate) fn finite(&self, limit: usize) -> Option<Vec<Decimal>> {
        let mut members = self.plain.finite(limit)?;
        if let Some(pointed) = &self.pointed {
            members.extend(pointed.finite(limit)?);
            members.sort_unstable();
            members.dedup();
        }
        (members.len() <= limit).then_some(members)
    }
}
