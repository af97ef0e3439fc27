//! Groups the alternatives of an object formula by the keys that they allow.
//!
//! In a union of a thousand closed objects, each key occurs in a few alternatives. Deriving every alternative by every
//! key takes the product of both numbers. After grouping, the alternatives of all keys together are as many as the
//! members of the union.

use rustc_hash::FxHashMap;

use super::layer::Simplifier;
use super::steps::Step;
use crate::algebra::logic::formula::{Formula, FormulaId};

/// Fewest alternatives of a disjunction that are grouped by key. With fewer, the derivative for each key (the formula
/// after a member with that key) visits all of them.
const MANY: usize = 16;

/// An object formula whose first large disjunction is split into groups: for each key, the alternatives that allow it.
pub(crate) struct ByKey {
    /// The conjuncts of the object formula other than the grouped disjunction.
    others: Vec<FormulaId>,
    /// Alternatives that allow all but finitely many keys, each with its index in the disjunction.
    open: Vec<(usize, FormulaId)>,
    /// Maps each key to the other alternatives that allow it, each with its index in the disjunction.
    closed: FxHashMap<u32, Vec<(usize, FormulaId)>>,
}

/// Groups the alternatives of an object formula's first disjunction with at least [`MANY`] by the keys that they allow.
/// Returns `None` without such a disjunction, or if the simplifier step `ByKeySet` is switched off.
pub(crate) fn by_key(simplifier: &mut Simplifier<'_>, formula: FormulaId) -> Option<ByKey> {
    if !simplifier.steps.has(Step::ByKeySet) {
        return None;
    }
    let conjuncts = simplifier.types.objects.formulas.conjuncts(formula);
    let many = |id: FormulaId| match simplifier.types.objects.formulas.get(id) {
        Formula::Or(branches) if branches.len() >= MANY => Some(branches.clone()),
        _ => None,
    };
    let mut alternatives = conjuncts.clone().enumerate();
    let (place, branches) = alternatives.find_map(|(at, id)| Some((at, many(id)?)))?;
    simplifier.counts.add(Step::ByKeySet);
    let others = conjuncts.enumerate().filter(|(at, _)| *at != place);
    let others = others.map(|(_, id)| id).collect();
    let mut sorted = ByKey { others, open: Vec::new(), closed: FxHashMap::default() };
    for (at, &branch) in branches.iter().enumerate() {
        match simplifier.types.objects.only_keys(branch) {
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

/// Returns the grouped object formula for objects that contain the key number `key`: alternatives that exclude the key
/// are removed.
pub(crate) fn with_key(simplifier: &mut Simplifier<'_>, sorted: &ByKey, key: u32) -> FormulaId {
    let closed = sorted.closed.get(&key).into_iter().flatten();
    let mut branches: Vec<_> = sorted.open.iter().chain(closed).collect();
    branches.sort_unstable_by_key(|(at, _)| *at);
    let left =
        simplifier.types.objects.formulas.or(branches.into_iter().map(|&(_, branch)| branch));
    simplifier.types.objects.formulas.and(sorted.others.iter().copied().chain([left]))
}
