//! All simplifier steps by name: each keeps formulas or automata small, and changes no set of accepted texts.
//!
//! The definition is the derivative: the next value splits a formula by every subject, and emptiness is the least fixpoint of
//! the content graph. Each [`Step`] finds a part of that result earlier. Any step can be [left out](Steps::without), to be
//! measured or to be ruled out where a grammar is wrong. How often each took effect is [counted](StepCounts).
//!
//! An order by what remains (`automata/order_by_rest.rs`) is no step: it decides the order of keys, which is observable.
//!
//! Tests: `tests/steps.rs` beside this front end.

use std::fmt;

/// A way to keep formulas or automata small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Step {
    /// A bounded test finds formulas that hold for no value (`quick_emptiness.rs`).
    QuickEmptiness,
    /// Facts about keys decide alternatives beside them (`unit_propagation.rs`).
    UnitPropagation,
    /// Alternatives are sorted by the scalars that they require of the next value (`discriminator.rs`).
    Discriminator,
    /// Alternatives are sorted by the keys that they allow (`by_key_set.rs`).
    ByKeySet,
    /// Disjoint branches of `oneOf` become a union (`disjoint_one_of.rs`).
    DisjointOneOf,
    /// Monotone subjects need no complement (`derivatives.rs`).
    Monotone,
    /// Large bounds beside `contains` become counters (`automata/counted_items.rs`).
    CountedItems,
}

impl Step {
    /// All of them.
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

/// The steps that are taken: all of them by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps(u32);

impl Default for Steps {
    fn default() -> Self {
        Self(u32::MAX)
    }
}

impl Steps {
    /// The same without one step.
    #[must_use]
    pub fn without(self, step: Step) -> Self {
        Self(self.0 & !(1 << step as u32))
    }

    /// Whether a step is taken.
    pub fn has(self, step: Step) -> bool {
        self.0 >> step as u32 & 1 == 1
    }
}

/// How often each step took effect.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct StepCounts([u64; Step::ALL.len()]);

impl StepCounts {
    /// Counts an effect of a step.
    pub(crate) fn add(&mut self, step: Step) {
        self.0[step as usize] += 1;
    }

    /// How often a step took effect.
    pub fn of(&self, step: Step) -> u64 {
        self.0[step as usize]
    }
}

impl fmt::Debug for StepCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(Step::ALL.map(|step| (step, self.of(step)))).finish()
    }
}

/// What combining the schemas of a document took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Effort {
    /// How often each step took effect.
    pub steps: StepCounts,
    /// States of automata over members and items, and value formulas.
    pub shapes: usize,
    /// Units of work.
    pub work: usize,
    /// Whether a weaker promise was needed: another order of keys, or any branch of `oneOf`.
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
