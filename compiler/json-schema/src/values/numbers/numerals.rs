//! Sets of numerals: numbers, distinguished by notation.
//!
//! All keywords but one are about values: `1` and `1.0` are one number to them. Only draft 4 depends on notation. Its
//! `integer` is a number without a point and an exponent, so `1.0` satisfies `not` an integer. A numeral is *plain*
//! if it is digits alone with an optional sign, and *pointed* otherwise. A set of numerals is a pair: the numbers
//! whose plain numerals are in it, and the numbers whose pointed numerals are. Boolean operations are those of
//! [`NumberSet`], applied to both. Without draft 4 both sets are equal, and the operations are applied once.
//!
//! Numbers with a fraction have only pointed numerals. The two sets agree on them, so equal sets of numerals are
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

    /// The numbers whose plain numerals are in the set. Numbers with a fraction are included if their numeral is in
    /// the set.
    pub(super) fn plain(&self) -> &NumberSet {
        &self.plain
    }

    /// The numbers whose numerals with a point or an exponent are in the set.
    pub(super) fn pointed(&self) -> &NumberSet {
        self.pointed.as_ref().unwrap_or(&self.plain)
    }

    /// The numbers of the set, if it has all numerals of each. `None` otherwise.
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
    /// [`StateLimit`] if a product has more than `limit` states.
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
    /// [`StateLimit`] if a product has more than `limit` states.
    pub(crate) fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combined(other, |a, b| a.union(b, limit))
    }

    /// Returns the complement.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if an automaton has more than `limit` states.
    pub(crate) fn complement(&self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combined(self, |set, _| set.complement(limit))
    }

    /// Removes pointed numerals of integers, which canonical form never writes. A set that has all numerals of its
    /// numbers is returned unchanged.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if a product has more than `limit` states.
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

    /// The numbers with a numeral in the set, in ascending order. `None` if there are more than `limit`.
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
