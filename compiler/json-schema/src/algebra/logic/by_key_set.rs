//! Alternatives by the keys that they leave possible.
//!
//! In a union of a thousand objects that each allow no keys but a few, a key leaves the few alternatives that have it.
//! To ask for each key what it does to each alternative would be their product; sorted by their keys once, the
//! alternatives of all keys together are as many as the members of the union.

use rustc_hash::FxHashMap;

use super::formula::Formula;
use crate::algebra::{Algebra, FormulaId};

/// Least number of alternatives for which sorting by keys pays off.
const MANY: usize = 16;

/// A formula with many alternatives, sorted.
pub(crate) struct ByKey {
    /// The other conjuncts.
    others: Vec<FormulaId>,
    /// Alternatives that leave any key possible, with their places.
    open: Vec<(usize, FormulaId)>,
    /// The others by key.
    closed: FxHashMap<u32, Vec<(usize, FormulaId)>>,
}

impl Algebra<'_> {
    /// The first alternatives of a formula by the keys that they leave possible; `None` where they are few.
    pub(crate) fn by_key(&self, formula: FormulaId) -> Option<ByKey> {
        let conjuncts = self.objects.formulas.conjuncts(formula);
        let many = |id: FormulaId| match self.objects.formulas.get(id) {
            Formula::Or(branches) if branches.len() >= MANY => Some(branches.clone()),
            _ => None,
        };
        let mut alternatives = conjuncts.clone().enumerate();
        let (place, branches) = alternatives.find_map(|(at, id)| Some((at, many(id)?)))?;
        let others = conjuncts.enumerate().filter(|(at, _)| *at != place);
        let others = others.map(|(_, id)| id).collect();
        let mut sorted = ByKey { others, open: Vec::new(), closed: FxHashMap::default() };
        for (at, &branch) in branches.iter().enumerate() {
            match self.only_keys(branch) {
                None => sorted.open.push((at, branch)),
                Some(keys) => {
                    for key in keys {
                        sorted.closed.entry(key).or_default().push((at, branch));
                    }
                }
            }
        }
        Some(sorted)
    }

    /// The formula for objects in which the key is.
    pub(crate) fn with_key(&mut self, sorted: &ByKey, key: u32) -> FormulaId {
        let closed = sorted.closed.get(&key).into_iter().flatten();
        let mut branches: Vec<_> = sorted.open.iter().chain(closed).collect();
        branches.sort_unstable_by_key(|(at, _)| *at);
        let left = self.objects.formulas.or(branches.into_iter().map(|&(_, branch)| branch));
        self.objects.formulas.and(sorted.others.iter().copied().chain([left]))
    }
}
