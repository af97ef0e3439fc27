//! Boolean combinations of `multipleOf`, as polynomials.
//!
//! The indicator function of a combination is a sum of the indicator functions of single divisors with integer
//! coefficients. A product of two indicators is that of the least common multiple. So intersection is the product `f *
//! g`, union is `f + g - f * g`, and the complement is `1 - f` (inclusion and exclusion). Equal combinations have equal
//! polynomials, because the indicators of different divisors are linearly independent. A polynomial that is not zero
//! has another value than zero at one of its least divisors.
//!
//! Cost: an operation takes O(terms of `f` * terms of `g`) least common multiples.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use grammarc_grammar::automata::{StateBudget, StateLimit};

use super::decimal::Decimal;
use super::divisor::Divisor;

/// Most terms of a polynomial, one for each divisor. Nine divisors without common factors have so many least common
/// multiples. Beyond, an operation fails with [`StateLimit`].
pub(crate) const MOST_TERMS: usize = 512;

/// Memory in bytes that is charged to the budget for each listed number.
const NUMBER_BYTES: usize = 96;

/// Steps of work that are charged to the budget for each listed number.
const NUMBER_STEPS: usize = 16;

/// The open interval between two numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Interval<'a> {
    /// The number below all numbers of the interval. `None` if the interval is not bounded below.
    pub(super) low: Option<&'a Decimal>,
    /// The number above all numbers of the interval. `None` if the interval is not bounded above.
    pub(super) high: Option<&'a Decimal>,
}

/// A Boolean combination of sets of multiples, given by its indicator function: 1 at members, 0 elsewhere. The function
/// is a sum of indicator functions of single divisors. Its values count only within the interval in which it is used.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Periodic {
    /// The value at numbers that are no multiple of any divisor.
    constant: i64,
    /// The divisors in ascending order, each with its coefficient. The indicator function adds the coefficient to the
    /// value at each multiple of the divisor. No coefficient is zero.
    terms: Vec<(Divisor, i64)>,
}

impl Periodic {
    /// The empty set.
    pub(super) const NONE: Self = Self { constant: 0, terms: Vec::new() };
    /// The set of all numbers.
    pub(super) const ALL: Self = Self { constant: 1, terms: Vec::new() };

    /// Returns the set of the multiples of a divisor.
    pub(super) fn multiples(divisor: Divisor) -> Self {
        Self { constant: 0, terms: vec![(divisor, 1)] }
    }

    /// Returns whether numbers that are no multiple of any divisor are in the set.
    pub(super) fn is_dense(&self) -> bool {
        self.constant != 0
    }

    /// Returns whether the set is empty or has all numbers: there are no divisors.
    pub(super) fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// Returns the polynomial `one * self + two * other + both * self * other`.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if a coefficient is too large or the budget is spent.
    fn combined(
        &self,
        other: &Self,
        [one, two, both]: [i64; 3],
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        limit.spend((1 + self.terms.len()) * (1 + other.terms.len()))?;
        let own =
            |factor: i64| self.terms.iter().map(move |(by, times)| (by.clone(), times * factor));
        let their =
            |factor: i64| other.terms.iter().map(move |(by, times)| (by.clone(), times * factor));
        let mut terms: BTreeMap<Divisor, i128> = BTreeMap::new();
        let mut add = |(divisor, times): (Divisor, i64)| {
            *terms.entry(divisor).or_default() += i128::from(times);
        };
        own(one + both * other.constant).for_each(&mut add);
        their(two + both * self.constant).for_each(&mut add);
        if both != 0 {
            for (a, times) in &self.terms {
                their(both * times).for_each(|(b, times)| add((a.lcm(&b), times)));
            }
        }
        let terms = terms.into_iter().filter(|&(_, times)| times != 0);
        let terms = terms.map(|(by, times)| Some((by, i32::try_from(times).ok()?.into())));
        let terms = terms.collect::<Option<_>>().ok_or(limit.error())?;
        let (a, b) = (self.constant, other.constant);
        Ok(Self { constant: one * a + two * b + both * a * b, terms })
    }

    /// Returns the polynomial unless it has more than [`MOST_TERMS`] terms.
    fn limited(self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        if self.terms.len() > MOST_TERMS { Err(limit.error()) } else { Ok(self) }
    }

    /// Returns the numbers in both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the result has more than [`MOST_TERMS`] divisors, a coefficient exceeds 32 bits, or the budget
    /// is spent.
    pub(super) fn and(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        match (self.is_constant(), other.is_constant()) {
            (true, _) => Ok(if self.is_dense() { other.clone() } else { Self::NONE }),
            (_, true) => Ok(if other.is_dense() { self.clone() } else { Self::NONE }),
            _ => self.combined(other, [0, 0, 1], limit)?.limited(limit),
        }
    }

    /// Returns the numbers in at least one of both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] as for [`Self::and`].
    pub(super) fn or(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        match (self.is_constant(), other.is_constant()) {
            (true, _) => Ok(if self.is_dense() { Self::ALL } else { other.clone() }),
            (_, true) => Ok(if other.is_dense() { Self::ALL } else { self.clone() }),
            _ => self.combined(other, [1, 1, -1], limit)?.limited(limit),
        }
    }

    /// Returns the numbers that are not in the set.
    pub(super) fn not(&self) -> Self {
        let terms = self.terms.iter().map(|(by, times)| (by.clone(), -times));
        Self { constant: 1 - self.constant, terms: terms.collect() }
    }

    /// Returns the polynomial `self - other`. It is not an indicator function.
    fn minus(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combined(other, [1, -1, 0], limit)
    }

    /// Returns the divisor if the set is that of the multiples of one divisor.
    pub(super) fn single(&self) -> Option<&Divisor> {
        match &self.terms[..] {
            [(divisor, 1)] if self.constant == 0 => Some(divisor),
            _ => None,
        }
    }

    /// Returns the least common multiple of the set's divisors, or `None` without any.
    pub(super) fn period(&self) -> Option<Divisor> {
        self.terms.iter().map(|(by, _)| by.clone()).reduce(|a, b| a.lcm(&b))
    }

    /// Returns the divisors that are not the least common multiple of other divisors of the set.
    pub(super) fn generators(&self) -> Vec<&Divisor> {
        let divisors = || self.terms.iter().map(|(by, _)| by);
        let is_generator = |by: &&Divisor| {
            let factors = divisors().filter(|other| other != by && by.is_multiple_of(other));
            factors.cloned().reduce(|a, b| a.lcm(&b)).as_ref() != Some(*by)
        };
        divisors().filter(is_generator).collect()
    }

    /// Returns the value of the polynomial at a number. `divides` returns whether a divisor of the set divides the
    /// number.
    fn value(&self, divides: impl Fn(&Divisor) -> bool) -> i64 {
        let dividing = self.terms.iter().filter(|(by, _)| divides(by));
        self.constant + dividing.map(|&(_, times)| times).sum::<i64>()
    }

    /// Returns whether a number is in the set. `divides` returns whether a divisor of the set divides the number.
    pub(super) fn holds(&self, divides: impl Fn(&Divisor) -> bool) -> bool {
        self.value(divides) != 0
    }

    /// Returns whether a number is in the set.
    pub(super) fn contains(&self, number: &Decimal) -> bool {
        self.holds(|by| by.divides(number))
    }

    /// Returns whether the polynomial is an indicator function at a number: 1 if the number `is_member`, 0 if not. It may
    /// have another value outside of the interval of its user, where some divisors were dropped.
    pub(super) fn indicates(&self, number: &Decimal, is_member: bool) -> bool {
        self.value(|by| by.divides(number)) == i64::from(is_member)
    }

    /// Returns the number of members in an interval, or `None` if it is infinite.
    pub(super) fn count(&self, within: Interval<'_>) -> Option<BigInt> {
        if *self == Self::NONE {
            return Some(BigInt::ZERO);
        }
        let (Some(low), Some(high), false) = (within.low, within.high, self.is_dense()) else {
            return None;
        };
        Some(self.terms.iter().map(|(by, times)| by.multiples_between(low, high) * *times).sum())
    }

    /// Returns the set without the divisors that have no multiple in an interval. Within the interval the members stay
    /// the same.
    pub(super) fn reduced(&self, within: Interval<'_>) -> Self {
        let (Some(low), Some(high)) = (within.low, within.high) else { return self.clone() };
        let terms =
            self.terms.iter().filter(|(by, _)| by.multiples_between(low, high) != BigInt::ZERO);
        Self { constant: self.constant, terms: terms.cloned().collect() }
    }

    /// Returns whether two sets have the same members in an interval.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] as for [`Self::and`].
    pub(super) fn agrees(
        &self,
        other: &Self,
        within: Interval<'_>,
        limit: StateBudget<'_>,
    ) -> Result<bool, StateLimit> {
        if self == other {
            return Ok(true);
        }
        let difference = self.minus(other, limit)?.reduced(within);
        if difference.is_constant() || difference.is_dense() {
            return Ok(difference == Self::NONE);
        }
        // The square counts each number of the difference once.
        let square = difference.combined(&difference, [0, 0, 1], limit)?;
        Ok(square.count(within) == Some(BigInt::ZERO))
    }

    /// Returns the greatest number below `high` that is in exactly one of two sets. Returns `None` if arbitrarily close
    /// numbers are. The sets must differ below `high`.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] as for [`Self::and`].
    pub(super) fn last_difference(
        &self,
        other: &Self,
        high: &Decimal,
        limit: StateBudget<'_>,
    ) -> Result<Option<Decimal>, StateLimit> {
        let difference = self.minus(other, limit)?;
        if difference.is_dense() {
            return Ok(None);
        }
        let mut at = high.clone();
        loop {
            limit.spend(difference.terms.len())?;
            let below = difference.terms.iter().map(|(by, _)| by.multiple_below(&at)).max();
            let Some(below) = below else { return Ok(None) };
            if difference.contains(&below) {
                return Ok(Some(below));
            }
            at = below;
        }
    }

    /// Splits off the divisors with the fewest multiples in an interval: as many divisors as have at most `most`
    /// multiples together. Returns the set without these divisors. Also returns the numbers of the interval that are in
    /// exactly one of both sets, in ascending order. Splits off nothing if the interval is not bounded.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget is spent.
    pub(super) fn listed(
        &self,
        within: Interval<'_>,
        most: usize,
        limit: StateBudget<'_>,
    ) -> Result<(Self, Vec<Decimal>), StateLimit> {
        let (Some(low), Some(high)) = (within.low, within.high) else {
            return Ok((self.clone(), Vec::new()));
        };
        let counted = self.terms.iter().map(|term| (term.0.multiples_between(low, high), term));
        let mut counted: Vec<_> = counted.collect();
        counted.sort_by(|one, other| one.0.cmp(&other.0));
        // The multiples of a multiple of another divisor are listed with those of the latter.
        let mut least: Vec<(&BigInt, &Divisor)> = Vec::new();
        let (mut split, mut listed) = (0, Vec::new());
        for (index, (count, (by, _))) in counted.iter().enumerate() {
            limit.spend(1 + least.len())?;
            least.retain(|(_, other)| !other.is_multiple_of(by));
            least.push((count, by));
            if least.iter().map(|(count, _)| *count).sum::<BigInt>() <= most.into() {
                (split, listed) = (index + 1, least.clone());
            }
        }
        let terms = self
            .terms
            .iter()
            .filter(|term| counted[split..].iter().any(|(_, kept)| std::ptr::eq(*kept, *term)));
        let rest = Self { constant: self.constant, terms: terms.cloned().collect() };
        let count = listed.iter().map(|(count, _)| *count).sum::<BigInt>();
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        limit.hold(&mut limit.held(), NUMBER_BYTES.saturating_mul(count))?;
        let numbers = listed.iter().flat_map(|(_, by)| by.multiples(low, high));
        let numbers = numbers.map(|number| limit.spend(NUMBER_STEPS).map(|()| number));
        let mut numbers = numbers.collect::<Result<Vec<_>, _>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        numbers.retain(|number| self.contains(number) != rest.contains(number));
        Ok((rest, numbers))
    }

    /// Returns the set of the members, each multiplied by ten to the power `power`.
    pub(super) fn moved(&self, power: i32) -> Self {
        let terms = self.terms.iter().map(|(by, times)| (by.moved(power), *times));
        Self { constant: self.constant, terms: terms.collect() }
    }
}
