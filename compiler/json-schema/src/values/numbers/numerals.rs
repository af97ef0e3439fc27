//! Sets of numerals: numbers, told apart by how they are written.
//!
//! All keywords but one are about values: `1` and `1.0` are one number to them. Draft 4 alone asks how a number is
//! written: its `integer` is a number without a point and an exponent, so that `1.0` is none and `not` an integer is
//! what `1.0` satisfies. A numeral is *plain* where it is digits alone, after a sign or none, and *pointed* otherwise.
//! A set has the numbers whose plain numerals are in it and those whose pointed ones are, so that the Boolean
//! operations are those of [`NumberSet`], taken twice; and once where both are the same set, which they are in every
//! schema without draft 4.
//!
//! Numbers with a fraction have pointed numerals alone. The two sets agree on them, so that equal sets of numerals are
//! equal values.

use grammarc_grammar::automata::{StateBudget, StateLimit};

use super::decimal::Decimal;
use super::set::NumberSet;

/// A set of numerals. Equal sets are equal values, so a set may be a key. Cloning is O(1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NumeralSet {
    plain: NumberSet,
    /// The numerals with a point, if they are another set.
    pointed: Option<NumberSet>,
}

impl From<NumberSet> for NumeralSet {
    /// All numerals of the numbers.
    fn from(numbers: NumberSet) -> Self {
        Self { plain: numbers, pointed: None }
    }
}

impl NumeralSet {
    fn new(plain: NumberSet, pointed: NumberSet) -> Self {
        let pointed = Some(pointed).filter(|pointed| *pointed != plain);
        Self { plain, pointed }
    }

    /// Every plain numeral, and no other: the integers of draft 4.
    pub(crate) fn plain_integers() -> Self {
        Self::new(NumberSet::integers(), NumberSet::none())
    }

    /// The numbers whose plain numerals are in the set; those with a fraction, if that one numeral is.
    pub(super) fn plain(&self) -> &NumberSet {
        &self.plain
    }

    /// The numbers whose numerals with a point or an exponent are in the set.
    pub(super) fn pointed(&self) -> &NumberSet {
        self.pointed.as_ref().unwrap_or(&self.plain)
    }

    /// The numbers, where each is in the set with all of its numerals.
    pub(super) fn values(&self) -> Option<&NumberSet> {
        self.pointed.is_none().then_some(&self.plain)
    }

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

    /// The numerals in both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] where a product has more than `limit` states.
    pub(crate) fn intersect(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        self.combined(other, |a, b| a.intersect(b, limit))
    }

    /// The numerals in either set.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] where a product has more than `limit` states.
    pub(crate) fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combined(other, |a, b| a.union(b, limit))
    }

    /// The numerals that are not in the set.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] where an automaton has more than `limit` states.
    pub(crate) fn complement(&self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combined(self, |set, _| set.complement(limit))
    }

    /// The set without pointed numerals of integers, which are not written where numbers are in canonical form. A set
    /// that has all numerals of its numbers keeps them, and is told by its plain ones.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] where a product has more than `limit` states.
    pub(crate) fn canonical(self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        if self.values().is_some() {
            return Ok(self);
        }
        let fractions = self.plain.intersect(&NumberSet::integers().complement(limit)?, limit)?;
        Ok(Self::new(self.plain, fractions))
    }

    /// Whether the set has no member.
    pub(crate) fn is_none(&self) -> bool {
        self.plain.is_none() && self.pointed().is_none()
    }

    /// Whether every numeral is a member.
    pub(crate) fn is_all(&self) -> bool {
        self.values().is_some_and(NumberSet::is_all)
    }

    /// The numbers with a numeral in the set, in ascending order, where there are at most `limit`; `None` where there
    /// are more.
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
