//! The named simplifier steps: each keeps formulas or automata small, and changes no set of accepted texts.
//!
//! Without any step, the next value splits a formula by every subject, and emptiness is the least fixpoint of the
//! content graph. Each [`Step`] finds a part of that result earlier. Any step can be [switched off](Steps::without), to
//! measure it or to rule it out as the cause of a wrong grammar. [`StepCounts`] counts how often each step had an
//! effect.
//!
//! An order of keys by the remaining formula (`automata/order_by_rest.rs`) is not a step, since the order of keys is
//! observable.
//!
//! Tests: `tests/steps.rs` beside this front end.

use std::fmt;

/// A simplifier step: a named way to keep the formulas over schemas, or their automata, small. No step changes the
/// accepted texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// A bounded test finds formulas that no value satisfies (`quick_emptiness.rs`).
    QuickEmptiness,
    /// The unconditional facts about a key decide the alternatives about the same key (`unit_propagation.rs`).
    UnitPropagation,
    /// The alternatives of a formula are grouped by the scalars that they require as the next value
    /// (`discriminator.rs`).
    Discriminator,
    /// The alternatives of an object formula are grouped by the keys that they allow (`by_key_set.rs`).
    ByKeySet,
    /// Disjoint branches of `oneOf` become a union (`disjoint_one_of.rs`).
    DisjointOneOf,
    /// If a value that satisfies a condition can only help, the complement of the condition is not computed
    /// (`derivatives.rs`).
    Monotone,
    /// Large bounds beside `contains` become counters (`automata/counted_items.rs`).
    CountedItems,
}

impl Step {
    /// All steps of the simplifier, in the order of their declaration.
    pub const ALL: [Self; 7] = [
        Self::QuickEmptiness,
        Self::UnitPropagation,
        Self::Discriminator,
        Self::ByKeySet,
        Self::DisjointOneOf,
        Self::Monotone,
        Self::CountedItems,
    ];
}

/// The set of simplifier steps that are switched on. By default all are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps(u32);

impl Default for Steps {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Steps {
    /// Returns the set of simplifier steps without `step`.
    #[must_use]
    pub fn without(self, step: Step) -> Self {
        Self(self.0 & !(1 << step as u32))
    }

    /// Returns whether the simplifier step `step` is switched on.
    pub fn has(self, step: Step) -> bool {
        self.0 >> step as u32 & 1 == 1
    }
}

/// For each simplifier step, how often it had an effect.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct StepCounts([u64; Step::ALL.len()]);

impl StepCounts {
    /// Counts one effect of the simplifier step `step`.
    pub(crate) fn add(&mut self, step: Step) {
        self.0[step as usize] += 1;
    }

    /// Returns how often the simplifier step `step` had an effect.
    pub fn of(&self, step: Step) -> u64 {
        self.0[step as usize]
    }
}

impl fmt::Debug for StepCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(Step::ALL.map(|step| (step, self.of(step)))).finish()
    }
}

/// The work of combining the schemas of a document into formulas and automata.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// For each simplifier step, how often it had an effect.
    pub steps: StepCounts,
    /// Size of the result: the number of states of automata over members and items, plus the number of formulas over
    /// values.
    pub shapes: usize,
    /// Units of work: computed derivatives (formulas that remain after a member or item), and states of the sets of
    /// strings that distinguish derivatives.
    pub work: usize,
    /// Whether the promises about accepted texts had to be weakened, because combinations were too many: keys in the
    /// schema's order, or an `oneOf` that accepts objects of several branches.
    pub is_weaker: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_left_out_and_counted_by_itself() {
        let mut counts = StepCounts::default();
        for (times, step) in (1..).zip(Step::ALL) {
            let rest = Steps::default().without(step);
            assert_eq!(Step::ALL.into_iter().filter(|&other| rest.has(other)).count(), 6);
            assert!(!rest.has(step));
            (0..times).for_each(|_| counts.add(step));
        }
        assert!((1..).zip(Step::ALL).all(|(times, step)| counts.of(step) == times));
    }
}
