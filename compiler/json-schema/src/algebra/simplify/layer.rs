//! The third layer: what the simplifier's steps have found, memoised.

use super::steps::{StepCounts, Steps};
use crate::algebra::promises::OneOfPromise;
use crate::algebra::types::layer::Types;
use crate::algebra::types::memo::ByFormula;
use rustc_hash::FxHashMap;

use crate::algebra::logic::formula::FormulaId;

/// The simplifier.
pub(crate) struct Simplifier<'a> {
    pub(crate) types: Types<'a>,
    pub(crate) one_of: OneOfPromise,
    /// The steps that are taken.
    pub(crate) steps: Steps,
    /// How often each took effect.
    pub(crate) counts: StepCounts,
    /// Results of the quick emptiness test, by formula over values and depth.
    pub(crate) empty: FxHashMap<(FormulaId, u32), bool>,
    /// For each object formula with atoms of `oneOf`, the equivalent formula without them.
    pub(crate) resolved: ByFormula<FormulaId>,
}

impl<'a> Simplifier<'a> {
    /// Nothing simplified yet.
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
