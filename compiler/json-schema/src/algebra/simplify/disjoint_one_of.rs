//! `oneOf` over objects: disjoint branches become a union, and the other branches exclude each other by negation.
//!
//! "Exactly one of n sets" is a ladder of negations. For disjoint sets it is their union. Testing disjointness needs
//! the values of members, whose schemas may refer to the same `oneOf`. So reading a schema only makes an atom of the
//! `oneOf`. The atom is replaced when an automaton is built, since every schema then has a formula.
//!
//! Invariant: the sets of a family (the branches of one `oneOf`) contain only families with smaller numbers. So
//! resolving families in ascending order needs no recursion.
//!
//! Cost: one pass if one key distinguishes all branches, else quadratic in the number of branches.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::layer::Simplifier;
use super::quick_emptiness::{ALTERNATIVES, DEPTH, obviously_no_object};
use super::steps::Step;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Inexact;
use crate::algebra::promises::OneOfPromise;
use crate::algebra::types::facts::key_conjuncts;
use crate::algebra::types::object_atoms::Family;
use crate::algebra::types::objects::object_formula;
use crate::algebra::types::structure::finite;

/// Reason in the report for an approximate `oneOf`: the grammar accepts objects that several branches accept.
const ANY_OF: &str = "objects that several branches accept are accepted: telling them apart takes too many combinations";

/// Returns the object formula of the objects that satisfy a formula over values. Each `oneOf`, which is one atom (basic
/// fact) of the formula, is replaced by other atoms.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn resolved_objects(
    simplifier: &mut Simplifier<'_>,
    value: FormulaId,
) -> Result<FormulaId, Diagnostic> {
    let formula = object_formula(&mut simplifier.types, value)?;
    if let Some(&known) = simplifier.resolved.get(&formula) {
        return Ok(known);
    }
    let mut open = simplifier.types.objects.families(formula);
    if open.is_empty() {
        return Ok(formula);
    }
    let mut seen: IndexSet<(u32, u32), FxBuildHasher> = IndexSet::default();
    while let Some(family) = open.pop() {
        if seen.insert(family) {
            let objects = &simplifier.types.objects;
            let sets = &objects.family(family.0).sets;
            open.extend(sets.iter().flat_map(|&set| objects.families(set)));
        }
    }
    seen.sort_unstable();
    let mut resolved = FxHashMap::default();
    for (family, atom) in seen {
        let one = resolve_family(simplifier, family, &resolved)?;
        resolved.insert(atom, one);
    }
    let done = without_one_of(simplifier, formula, &resolved);
    simplifier.resolved.insert(formula, done);
    Ok(done)
}

/// Returns the object formula that replaces one `oneOf`, given by the number of its family (list of branches).
/// `resolved` maps the atom of each `oneOf` inside the branches to its replacement.
fn resolve_family(
    simplifier: &mut Simplifier<'_>,
    family: u32,
    resolved: &FxHashMap<u32, FormulaId>,
) -> Result<FormulaId, Diagnostic> {
    let Family { sets, place } = simplifier.types.objects.family(family).clone();
    let sets: Vec<_> = sets.iter().map(|&set| without_one_of(simplifier, set, resolved)).collect();
    let overlapping = overlapping_objects(simplifier, &sets)?;
    let (others, alone): (Vec<_>, Vec<_>) =
        sets.iter().zip(&overlapping).partition(|(_, overlaps)| **overlaps);
    if simplifier.one_of == OneOfPromise::AnyOf && !others.is_empty() {
        simplifier.types.logic.inexact.insert(Inexact {
            place,
            verdict: Verdict::Approximate,
            reason: ANY_OF,
        });
        return Ok(simplifier.types.objects.formulas.or(sets));
    }
    let others: Vec<_> = others.into_iter().map(|(&set, _)| set).collect();
    let formulas = &mut simplifier.types.objects.formulas;
    let one = formulas.exactly_one(&others);
    Ok(formulas.or(alone.into_iter().map(|(&set, _)| set).chain([one])))
}

/// Replaces each `oneOf` atom in an object formula by its formula in `resolved`.
fn without_one_of(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    resolved: &FxHashMap<u32, FormulaId>,
) -> FormulaId {
    let formulas = &mut simplifier.types.objects.formulas;
    formulas.substitute(formula, |atom| resolved.get(&atom).copied())
}

/// Returns for each object formula of `sets` whether some object may satisfy both this and another formula of `sets`.
/// `true` may also mean unknown.
fn overlapping_objects(
    simplifier: &mut Simplifier<'_>,
    sets: &[FormulaId],
) -> Result<Vec<bool>, Diagnostic> {
    let mut overlaps = vec![false; sets.len()];
    if !simplifier.steps.has(Step::DisjointOneOf) {
        overlaps.fill(true);
        return Ok(overlaps);
    }
    if have_discriminator(simplifier, sets)? {
        simplifier.counts.add(Step::DisjointOneOf);
        return Ok(overlaps);
    }
    for second in 1..sets.len() {
        for first in 0..second {
            if (overlaps[first] && overlaps[second])
                || sets[first] == FormulaId::FALSE
                || sets[second] == FormulaId::FALSE
            {
                continue;
            }
            let both = simplifier.types.objects.formulas.and([sets[first], sets[second]]);
            if !obviously_no_object(simplifier, both, DEPTH)? {
                overlaps[first] = true;
                overlaps[second] = true;
            }
        }
        simplifier.types.spend()?;
    }
    if overlaps.iter().any(|overlaps| !overlaps) {
        simplifier.counts.add(Step::DisjointOneOf);
    }
    Ok(overlaps)
}

/// Returns whether one key distinguishes all object formulas, the branches of one `oneOf`: each formula requires the
/// key, with finitely many scalars that no other formula allows. The test is linear, while comparing pairs is
/// quadratic.
fn have_discriminator(
    simplifier: &mut Simplifier<'_>,
    sets: &[FormulaId],
) -> Result<bool, Diagnostic> {
    let types = &mut simplifier.types;
    let Some(&first) = sets.first() else { return Ok(true) };
    let constrained =
        key_conjuncts(types, first).into_iter().filter(|c| c.value != FormulaId::TRUE);
    let keys: IndexSet<u32, FxBuildHasher> = constrained.map(|conjunct| conjunct.key).collect();
    'keys: for key in keys {
        let mut seen = FxHashSet::default();
        for &set in sets {
            let mut all = FormulaId::TRUE;
            let mut required = false;
            for conjunct in key_conjuncts(types, set).into_iter().filter(|c| c.key == key) {
                all = types.logic.values.and([all, conjunct.value]);
                required |= !conjunct.absent;
            }
            if !required {
                continue 'keys;
            }
            let Some(finite) = finite(types, all, ALTERNATIVES)? else { continue 'keys };
            if !finite.into_iter().all(|scalar| seen.insert(scalar)) {
                continue 'keys;
            }
        }
        return Ok(true);
    }
    Ok(false)
}
