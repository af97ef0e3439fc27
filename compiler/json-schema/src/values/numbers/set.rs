//! Exact sets of numbers with union, intersection and complement.

use std::sync::{Arc, LazyLock};

use rustc_hash::FxHashSet;

use grammarc_grammar::automata::{
    Dfa, DfaState, Edge, StateBudget, StateLimit, complement, difference, intersect, minimize,
};

use super::bound::{every_number, from_bound, mirrored};
use super::decimal::Decimal;
use super::multiple;

/// An exact set of decimal numbers: the minimal automaton of their canonical texts. Equal sets are equal values, so a
/// set may be a key. Cloning is O(1).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct NumberSet(Arc<Dfa>);

/// The set of all numbers.
static ALL: LazyLock<NumberSet> = LazyLock::new(|| NumberSet::of(every_number()));

/// The empty set of numbers.
static NONE: LazyLock<NumberSet> = LazyLock::new(|| NumberSet::of(Dfa::never()));

/// The set of all integers.
static INTEGERS: LazyLock<NumberSet> = LazyLock::new(|| {
    let mut dfa = every_number();
    for state in &mut dfa.states {
        state.edges.retain(|edge| edge.lo != u32::from(b'.'));
    }
    NumberSet::of(dfa)
});

impl NumberSet {
    /// Returns the set of the numbers whose canonical texts a minimal automaton accepts.
    pub(super) fn of(dfa: Dfa) -> Self {
        Self(Arc::new(minimize(&dfa.trimmed())))
    }

    /// Returns the set of the canonical texts that an automaton accepts; its other texts are dropped.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the product has more than `limit` states.
    pub(super) fn canonical(dfa: &Dfa, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        Ok(Self(Arc::new(intersect(&ALL.0, dfa, limit)?)))
    }

    /// Returns the minimal automaton of the canonical texts of the numbers in the set.
    pub(crate) fn dfa(&self) -> &Dfa {
        &self.0
    }

    /// Returns the set of all numbers.
    pub(crate) fn all() -> Self {
        ALL.clone()
    }

    /// Returns the empty set of numbers.
    pub(crate) fn none() -> Self {
        NONE.clone()
    }

    /// Returns the set of all numbers without a fractional part.
    pub(crate) fn integers() -> Self {
        INTEGERS.clone()
    }

    /// Returns the numbers that are at least `bound`, or greater than `bound` if `exclusive`. Cost: O(digits of the
    /// bound).
    pub(crate) fn at_least(bound: &Decimal, exclusive: bool) -> Self {
        match bound.is_negative() {
            // All numbers except those below the bound, or those at most the bound if `exclusive`.
            true => Self::all_but(&mirrored(from_bound(&bound.magnitude(), !exclusive))),
            false => Self::of(from_bound(bound, exclusive)),
        }
    }

    /// Returns the numbers that are at most `bound`, or less than `bound` if `exclusive`. Cost: O(digits of the bound).
    pub(crate) fn at_most(bound: &Decimal, exclusive: bool) -> Self {
        match bound.is_negative() {
            true => Self::of(mirrored(from_bound(&bound.magnitude(), exclusive))),
            false => Self::all_but(&from_bound(bound, !exclusive)),
        }
    }

    /// Returns the multiples of `divisor` by an integer. The sign of the divisor is ignored, and the only multiple of
    /// zero is zero.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the automaton of residues has more than `limit` states. It has at most one for each residue
    /// modulo the digits of the divisor without its powers of ten (12 for 0.12 and for 12,000).
    pub(crate) fn multiple_of(
        divisor: &Decimal,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        if divisor.is_zero() {
            return Ok(Self::literal(divisor));
        }
        Self::canonical(&multiple::residues(divisor, limit)?, limit.states(usize::MAX))
    }

    /// Returns the set of one number.
    pub(crate) fn literal(value: &Decimal) -> Self {
        Self::literals([value])
    }

    /// Returns the set of the given numbers. Cost: O(digits of all numbers).
    pub(crate) fn literals<'a>(values: impl IntoIterator<Item = &'a Decimal>) -> Self {
        let mut states = vec![DfaState::default()];
        for value in values {
            let mut at = 0;
            for byte in value.text().bytes().map(u32::from) {
                let edges = &states[at].edges;
                let place = edges.partition_point(|edge| edge.lo < byte);
                at = match edges.get(place) {
                    Some(edge) if edge.lo == byte => edge.target as usize,
                    _ => {
                        let target = states.len() as u32;
                        states[at].edges.insert(place, Edge { lo: byte, hi: byte, target });
                        states.push(DfaState::default());
                        target as usize
                    }
                };
            }
            states[at].accepting = true;
        }
        Self::of(Dfa { states })
    }

    /// Returns the numbers in both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the product has more than `limit` states.
    pub(crate) fn intersect(
        &self,
        other: &Self,
        limit: StateBudget<'_>,
    ) -> Result<Self, StateLimit> {
        if self == other || other.is_all() || self.is_none() {
            return Ok(self.clone());
        }
        if self.is_all() || other.is_none() {
            return Ok(other.clone());
        }
        Ok(Self(Arc::new(intersect(&self.0, &other.0, limit)?)))
    }

    /// Returns the numbers in at least one of both sets.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the product has more than `limit` states.
    pub(crate) fn union(&self, other: &Self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        if self == other || other.is_none() || self.is_all() {
            return Ok(self.clone());
        }
        if self.is_none() || other.is_all() {
            return Ok(other.clone());
        }
        let [one, other] = [complement(&self.0, limit)?, complement(&other.0, limit)?];
        let neither = intersect(&one, &other, limit)?;
        Ok(Self::of(complement(&neither, limit)?))
    }

    /// Returns the numbers that are not in the set. The result has at most seven times as many states.
    ///
    /// # Errors
    ///
    /// [`StateLimit`] if the automaton has more than `limit` states.
    pub(crate) fn complement(&self, limit: StateBudget<'_>) -> Result<Self, StateLimit> {
        Ok(Self(Arc::new(difference(&ALL.0, &self.0, limit)?)))
    }

    /// Returns the numbers whose canonical texts an automaton does not accept.
    fn all_but(dfa: &Dfa) -> Self {
        let others = difference(&ALL.0, dfa, StateBudget::of(usize::MAX));
        Self(Arc::new(others.expect("a product never has this many states")))
    }

    /// Returns whether the set has no number.
    pub(crate) fn is_none(&self) -> bool {
        self.0.is_never()
    }

    /// Returns whether every number is in the set.
    pub(crate) fn is_all(&self) -> bool {
        *self == *ALL
    }

    /// Returns whether a number is in the set. Cost: O(digits of the number).
    pub(crate) fn contains(&self, value: &Decimal) -> bool {
        self.0.accepts(value.text().as_bytes())
    }

    /// Returns whether no number is in both sets. Cost: O(product of the states), without building the product.
    #[cfg(test)]
    pub(crate) fn disjoint(&self, other: &Self) -> bool {
        !self.meets(other, |inner, outer| outer.is_some_and(|outer| inner && outer))
    }

    /// Returns whether every number of this set is in the other set. Cost: O(product of the states), without building
    /// the product.
    pub(crate) fn is_subset(&self, other: &Self) -> bool {
        !self.meets(other, |inner, outer| inner && outer != Some(true))
    }

    /// Returns whether some text leads the automata of two sets to a pair of states that satisfies `found`.
    ///
    /// `found` gets whether the state in `self` accepts, and whether the state in `other` does. The second value is
    /// `None` if `other` cannot read the text. Texts that `self` cannot read are not visited.
    fn meets(&self, other: &Self, found: impl Fn(bool, Option<bool>) -> bool) -> bool {
        let mut seen: FxHashSet<(u32, Option<u32>)> = FxHashSet::default();
        let mut work = vec![(0, Some(0))];
        while let Some((own, their)) = work.pop() {
            if !seen.insert((own, their)) {
                continue;
            }
            let state = &self.0.states[own as usize];
            let counterpart = their.map(|their| &other.0.states[their as usize]);
            if found(state.accepting, counterpart.map(|state| state.accepting)) {
                return true;
            }
            for edge in &state.edges {
                let mut next = edge.lo;
                for facing in counterpart.into_iter().flat_map(|state| &state.edges) {
                    let (lo, hi) = (facing.lo.max(edge.lo), facing.hi.min(edge.hi));
                    if lo <= hi {
                        if next < lo {
                            work.push((edge.target, None));
                        }
                        work.push((edge.target, Some(facing.target)));
                        next = hi + 1;
                    }
                }
                if next <= edge.hi {
                    work.push((edge.target, None));
                }
            }
        }
        false
    }

    /// Returns the numbers of the set in ascending order. Returns `None` if there are more than `limit`.
    pub(crate) fn finite(&self, limit: usize) -> Option<Vec<Decimal>> {
        let mut members = Vec::new();
        // A text at least as long as the number of states passes a cycle, so the set is infinite.
        let mut work = vec![(0u32, String::new())];
        while let Some((at, text)) = work.pop() {
            if text.len() >= self.0.states.len() {
                return None;
            }
            let state = &self.0.states[at as usize];
            if state.accepting {
                if members.len() == limit {
                    return None;
                }
                members.push(Decimal::parse(&text).ok()?);
            }
            for edge in &state.edges {
                let bytes = (edge.lo..=edge.hi).filter_map(char::from_u32);
                work.extend(bytes.map(|byte| (edge.target, format!("{text}{byte}"))));
            }
        }
        members.sort_unstable();
        Some(members)
    }
}
