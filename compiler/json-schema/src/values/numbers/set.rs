//! Exact sets of numbers with union, intersection and complement.
//!
//! The cuts of a set divide the line of numbers into intervals. Within an interval, the set is a Boolean combination of
//! multiples ([`Periodic`]). So bounds are applied before divisors: a divisor without a multiple in an interval is
//! dropped there. No operation takes states of an automaton.
//!
//! A cut is as far to the left as possible. So `minimum: 0` for integers is the cut at -1, the last number whose
//! membership differs from the interval on its right.
//!
//! Cost: O(cuts of both sets), times the cost of an operation on combinations of multiples.

use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock};

use num_bigint::BigInt;

use grammarc_grammar::automata::{StateBudget, StateLimit};

use super::decimal::Decimal;
use super::divisor::Divisor;
use super::periodic::{Interval, Periodic};

/// A number at which a set changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Cut {
    /// The number at which the set changes.
    pub(super) at: Decimal,
    /// Whether that number is in the set.
    pub(super) member: bool,
    /// The set between this cut and the next, as a combination of multiples.
    pub(super) after: Periodic,
}

/// An exact set of decimal numbers. Equal sets are equal values, so a set may be a key. Cloning is O(1).
#[derive(Clone, Debug)]
pub(crate) struct NumberSet(Arc<Line>);

/// The line of numbers, divided at the cuts of a set.
#[derive(Debug, PartialEq, Eq)]
struct Line {
    /// The set before the first cut, as a combination of multiples.
    first: Periodic,
    /// The cuts in ascending order.
    cuts: Vec<Cut>,
}

/// An interval between neighbouring cuts of two sets. A cut is a number at which one of the sets changes. Within the
/// interval each set is one combination of multiples of divisors.
struct Piece<'a> {
    /// The number below the interval, and whether it is in each set. `None` in the first interval.
    cut: Option<(&'a Decimal, [bool; 2])>,
    /// The sets within the interval.
    sets: [&'a Periodic; 2],
}

/// The set of all integers.
static INTEGERS: LazyLock<NumberSet> = LazyLock::new(|| {
    let one = Divisor::of(&Decimal::one()).expect("one is a small divisor");
    NumberSet::uncut(Periodic::multiples(one))
});

impl NumberSet {
    /// Returns the set without cuts that is `first` everywhere.
    fn uncut(first: Periodic) -> Self {
        Self(Arc::new(Line { first, cuts: Vec::new() }))
    }

    /// Returns the set of all numbers.
    pub(crate) fn all() -> Self {
        Self::uncut(Periodic::ALL)
    }

    /// Returns the empty set of numbers.
    pub(crate) fn none() -> Self {
        Self::uncut(Periodic::NONE)
    }

    /// Returns the set of all numbers without a fractional part.
    pub(crate) fn integers() -> Self {
        INTEGERS.clone()
    }

    /// Returns the numbers that are at least `bound`, or greater than `bound` if `exclusive`.
    pub(crate) fn at_least(bound: &Decimal, exclusive: bool) -> Self {
        let cut = Cut { at: bound.clone(), member: !exclusive, after: Periodic::ALL };
        Self(Arc::new(Line { first: Periodic::NONE, cuts: vec![cut] }))
    }

    /// Returns the numbers that are at most `bound`, or less than `bound` if `exclusive`.
    pub(crate) fn at_most(bound: &Decimal, exclusive: bool) -> Self {
        Self::at_least(bound, !exclusive).complement()
    }

    /// Returns the multiples of `divisor` by an integer. The sign of the divisor is ignored, and the only multiple of
    /// zero is zero. Returns `None` if the divisor has more than 300 digits without its factors two and five.
    pub(crate) fn multiple_of(divisor: &Decimal) -> Option<Self> {
        if divisor.is_zero() {
            return Some(Self::literal(divisor));
        }
        Some(Self::uncut(Periodic::multiples(Divisor::of(divisor)?)))
    }

    /// Returns the set of one number.
    pub(crate) fn literal(value: &Decimal) -> Self {
        Self::literals([value])
    }

    /// Returns the set of the given numbers. Cost: O(n log n) comparisons.
    pub(crate) fn literals<'a>(values: impl IntoIterator<Item = &'a Decimal>) -> Self {
        let mut values: Vec<&Decimal> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        let cut = |at: &Decimal| Cut { at: at.clone(), member: true, after: Periodic::NONE };
        let cuts = values.into_iter().map(cut).collect();
        Self(Arc::new(Line { first: Periodic::NONE, cuts }))
    }

    /// Returns the set before the first cut, as a combination of multiples.
    pub(super) fn first(&self) -> &Periodic {
        &self.0.first
    }

    /// Returns the set after the last cut, as a combination of multiples.
    pub(super) fn last(&self) -> &Periodic {
        self.0.cuts.last().map_or(&self.0.first, |cut| &cut.after)
    }

    /// Returns the cuts in ascending order.
    pub(super) fn cuts(&self) -> &[Cut] {
        &self.0.cuts
    }

    /// Returns the set with the given cuts, each moved as far to the left as possible. Cuts at which nothing changes
    /// are removed. `first` is the set before the first cut.
    fn normal(
        mut first: Periodic,
        mut cuts: Vec<Cut>,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        let mut kept: Vec<Cut> = Vec::new();
        while let Some(mut cut) = cuts.pop() {
            limit.spend(1)?;
            let (low, before) = match cuts.last_mut() {
                Some(Cut { at, after, .. }) => (Some(&*at), after),
                None => (None, &mut first),
            };
            let within = Interval { low, high: Some(&cut.at) };
            // The combination may hold from an earlier cut on only where it stays an indicator function.
            let continues = cut.after.indicates(&cut.at, cut.member);
            *before = before.reduced(within);
            if before.agrees(&cut.after, within, limit)? {
                before.clone_from(&cut.after);
                if continues {
                    continue;
                }
            } else if continues
                && let Some(last) = before.last_difference(&cut.after, &cut.at, limit)?
            {
                cut.member = before.contains(&last);
                cut.at = last;
            }
            kept.push(cut);
        }
        kept.reverse();
        Ok(Self(Arc::new(Line { first, cuts: kept })))
    }

    /// Returns the intervals between the cuts of two sets, in ascending order.
    fn pieces<'a>(&'a self, other: &'a Self) -> Vec<Piece<'a>> {
        let mut sets = [&self.0.first, &other.0.first];
        let mut rest = [&self.0.cuts[..], &other.0.cuts[..]];
        let mut pieces = vec![Piece { cut: None, sets }];
        while let Some(at) = rest.iter().filter_map(|cuts| Some(&cuts.first()?.at)).min() {
            let mut members = sets.map(|_| false);
            for side in 0..2 {
                members[side] = match rest[side] {
                    [cut, others @ ..] if cut.at == *at => {
                        (sets[side], rest[side]) = (&cut.after, others);
                        cut.member
                    }
                    _ => sets[side].contains(at),
                };
            }
            pieces.push(Piece { cut: Some((at, members)), sets });
        }
        pieces
    }

    /// Applies an operation to two sets. `sets` applies it to combinations of multiples. `member` applies it to whether
    /// a single number is in each set.
    fn combined(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
        sets: impl Fn(&Periodic, &Periodic) -> Result<Periodic, StateLimit>,
        member: impl Fn(bool, bool) -> bool,
    ) -> Result<Self, StateLimit> {
        let mut cuts = Vec::new();
        for Piece { cut, sets: [a, b] } in &self.pieces(other)[1..] {
            let (at, [one, two]) = cut.expect("only the first interval has no cut before it");
            cuts.push(Cut { at: at.clone(), member: member(one, two), after: sets(a, b)? });
        }
        Self::normal(sets(&self.0.first, &other.0.first)?, cuts, limit)
    }

    /// Returns the numbers in both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if a combination of divisors has too many terms, or the budget is spent.
    pub(crate) fn intersect(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        self.combined(other, limit, |a, b| a.and(b, limit), |a, b| a && b)
    }

    /// Returns the numbers in at least one of both sets.
    ///
    /// # Errors
    ///
    /// See [`Self::intersect`].
    pub(crate) fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        self.combined(other, limit, |a, b| a.or(b, limit), |a, b| a || b)
    }

    /// Returns the numbers that are not in the set.
    pub(crate) fn complement(&self) -> Self {
        let not =
            |cut: &Cut| Cut { at: cut.at.clone(), member: !cut.member, after: cut.after.not() };
        let cuts = self.0.cuts.iter().map(not).collect();
        Self(Arc::new(Line { first: self.0.first.not(), cuts }))
    }

    /// Returns the set of the numbers of this set, each multiplied by ten to the power `power`.
    #[must_use]
    pub(crate) fn scaled(&self, power: i32) -> Self {
        let moved = |cut: &Cut| Cut {
            at: cut.at.moved(power),
            member: cut.member,
            after: cut.after.moved(power),
        };
        let cuts = self.0.cuts.iter().map(moved).collect();
        Self(Arc::new(Line { first: self.0.first.moved(power), cuts }))
    }

    /// Returns whether the set has no number.
    pub(crate) fn is_none(&self) -> bool {
        self.0.cuts.is_empty() && self.0.first == Periodic::NONE
    }

    /// Returns whether every number is in the set.
    pub(crate) fn is_all(&self) -> bool {
        self.0.cuts.is_empty() && self.0.first == Periodic::ALL
    }

    /// Returns whether a number is in the set.
    #[cfg(test)]
    pub(crate) fn contains(&self, value: &Decimal) -> bool {
        let past = self.0.cuts.partition_point(|cut| cut.at <= *value);
        match past.checked_sub(1).map(|index| &self.0.cuts[index]) {
            Some(cut) if cut.at == *value => cut.member,
            Some(cut) => cut.after.contains(value),
            None => self.0.first.contains(value),
        }
    }

    /// Returns whether no number is in both sets.
    #[cfg(test)]
    pub(crate) fn disjoint(&self, other: &Self) -> bool {
        self.is_subset(&other.complement())
    }

    /// Returns whether every number of this set is in the other set.
    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        let limit = StateBudget::of(usize::MAX);
        let kept = |set: &Periodic, other: &Periodic, within: Interval<'_>| {
            set.and(other, limit)?.agrees(set, within, limit)
        };
        self.compares(other, kept, |own, their| their || !own)
    }

    /// Returns whether `sets` holds in each interval between the cuts of two sets, and `members` at each cut. If `sets`
    /// fails with [`StateLimit`], it counts as false.
    fn compares(
        &self,
        other: &Self,
        sets: impl Fn(&Periodic, &Periodic, Interval<'_>) -> Result<bool, StateLimit>,
        members: impl Fn(bool, bool) -> bool,
    ) -> bool {
        let pieces = self.pieces(other);
        let cut = |index: usize| pieces.get(index)?.cut;
        pieces.iter().enumerate().all(|(index, Piece { sets: [own, their], .. })| {
            let low = cut(index);
            let within =
                Interval { low: low.map(|(at, _)| at), high: cut(index + 1).map(|(at, _)| at) };
            low.is_none_or(|(_, [own, their])| members(own, their))
                && sets(own, their, within).unwrap_or(false)
        })
    }

    /// Returns the least common multiple of all divisors (values of `multipleOf`) in the set. `None` if there are none.
    pub(crate) fn period(&self) -> Option<Decimal> {
        let periods = self.intervals().filter_map(|(_, set)| set.period());
        periods.reduce(|a, b| a.lcm(&b)).map(|period| period.decimal())
    }

    /// Returns the intervals between the cuts, each with the set within it.
    pub(super) fn intervals(&self) -> impl Iterator<Item = (Interval<'_>, &Periodic)> {
        let Line { first, cuts } = &*self.0;
        let sets = std::iter::once(first).chain(cuts.iter().map(|cut| &cut.after));
        let at = |index: usize| cuts.get(index).map(|cut| &cut.at);
        sets.enumerate().map(move |(index, set)| {
            let low = index.checked_sub(1).and_then(at);
            (Interval { low, high: at(index) }, set)
        })
    }

    /// Returns the numbers of the set in ascending order. Returns `None` if there are more than `most`.
    pub(crate) fn finite(&self, most: usize) -> Option<Vec<Decimal>> {
        self.members(most, StateBudget::of(usize::MAX)).ok()?
    }

    /// Returns the numbers of the set in ascending order. Returns `None` if there are more than `most`.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the budget is spent.
    pub(super) fn members(
        &self,
        most: usize,
        limit: StateBudget<'_>,
    ) -> Result<Option<Vec<Decimal>>, StateLimit> {
        let single = self.0.cuts.iter().filter(|cut| cut.member);
        let counts = self.intervals().map(|(within, set)| set.count(within));
        let counts = counts.chain([Some(single.clone().count().into())]);
        if counts.sum::<Option<BigInt>>().is_none_or(|count| count > most.into()) {
            return Ok(None);
        }
        let mut members: Vec<_> = single.map(|cut| cut.at.clone()).collect();
        for (within, set) in self.intervals() {
            members.extend(set.listed(within, usize::MAX, limit)?.1);
        }
        members.sort_unstable();
        Ok(Some(members))
    }
}

impl PartialEq for NumberSet {
    fn eq(&self, other: &Self) -> bool {
        let agree = |own: &Periodic, their: &Periodic, within: Interval<'_>| {
            own.agrees(their, within, StateBudget::of(usize::MAX))
        };
        Arc::ptr_eq(&self.0, &other.0)
            || self.0 == other.0
            || (self.ends() == other.ends()
                && self.compares(other, agree, |own, their| own == their))
    }
}

impl Eq for NumberSet {}

impl Hash for NumberSet {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.ends().hash(state);
    }
}

impl NumberSet {
    /// Returns parts that are equal for equal sets, however these are cut: both unbounded intervals, and the last cut.
    /// The hash of a set is computed from them.
    fn ends(&self) -> (&Periodic, Option<(&Decimal, bool)>, &Periodic) {
        (self.first(), self.0.cuts.last().map(|cut| (&cut.at, cut.member)), self.last())
    }
}
