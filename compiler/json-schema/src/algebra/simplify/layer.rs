//! The third layer: the memoised results of the steps that keep formulas small.

use super::steps::{StepCounts, Steps};
use crate::algebra::promises::OneOfPromise;
use crate::algebra::types::layer::Types;
use crate::algebra::types::memo::ByFormula;
use rustc_hash::FxHashMap;

use crate::algebra::logic::formula::FormulaId;

/// The simplifier of formulas over schemas: named steps that keep formulas small, and memoised results of these steps.
pub(crate) struct Simplifier<'a> {
    /// The layer below: object, array and scalar sets of each formula.
    pub(crate) types: Types<'a>,
    /// How the grammar reads `oneOf` over objects.
    pub(crate) one_of: OneOfPromise,
    /// The simplifier steps that are switched on.
    pub(crate) steps: Steps,
    /// For each step, how often it had an effect.
    pub(crate) counts: StepCounts,
    /// Maps each formula over values, with the number of levels that the test descends, to whether the quick test shows
    /// it empty.
    pub(crate) empty: FxHashMap<(FormulaId, u32), bool>,
    /// Maps each object formula that contains `oneOf` atoms (facts "in exactly one branch") to the equivalent formula
    /// without them.
    pub(crate) resolved: ByFormula<FormulaId>,
}

impl<'a> Simplifier<'a> {
    /// Creates a simplifier of formulas without memoised results.
    pub(crate) fn new(types: Types<'a>, one_of: OneOfPromise, steps: Steps) -> Self {
        Self {
            types,
            one_of,
            steps,
            counts: StepCounts::default(),
            empty: FxHashMap::default(),
            resolved: ByFormula::default(),
        }
    }
}
