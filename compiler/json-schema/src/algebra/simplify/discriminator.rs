//! Splits alternatives by the value of the next member or item, if that is one of a few scalars.
//!
//! In a union of two hundred branches, each with its own `"type"`, a value of that key leaves one alternative. Deciding
//! one subject after the other would rebuild the whole formula two hundred times. If each alternative requires one of
//! finitely many scalars, one pass groups the alternatives by scalar.
//!
//! Cost: O(size of the formula), and the sets of scalars.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::atoms::{Atoms, Derivative};
use super::layer::Simplifier;
use super::steps::Step;
use crate::algebra::logic::formula::{Formula, FormulaId, Formulas, Literal};
use crate::algebra::logic::subject::{Scalar, Subject};
use crate::algebra::types::structure::finite;

/// Fewest alternatives of a disjunction that are grouped by scalar. With fewer, deciding the conditions on the next
/// value one by one is as fast.
const MANY: usize = 8;
/// Most scalars (null, booleans, numbers, strings) that an alternative may allow as the next value. With more, the
/// formula is not grouped by scalar.
const SCALARS: usize = 64;

/// Splits an object or array formula by the value of its next member or item, a scalar. For values that satisfy
/// `value`, the union of the parts is equivalent to the formula. Returns `None` if there are fewer than [`MANY`]
/// alternatives, or if an alternative allows other values than a few scalars.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn discriminated<A: Atoms>(
    simplifier: &mut Simplifier<'_>,
    atoms: A,
    formula: FormulaId,
    value: FormulaId,
) -> Result<Option<Vec<Derivative>>, Diagnostic> {
    if !simplifier.steps.has(Step::Discriminator) {
        return Ok(None);
    }
    let conjuncts = atoms.formulas(&mut simplifier.types).conjuncts(formula);
    let many = |id, formulas: &Formulas| match formulas.get(id) {
        Formula::Or(branches) if branches.len() >= MANY => Some(branches.clone()),
        _ => None,
    };
    let formulas = &*atoms.formulas(&mut simplifier.types);
    let mut alternatives = conjuncts.clone().enumerate();
    let Some((place, branches)) = alternatives.find_map(|(at, id)| Some((at, many(id, formulas)?)))
    else {
        return Ok(None);
    };
    let mut by_scalar: IndexMap<Scalar, Vec<FormulaId>, FxBuildHasher> = IndexMap::default();
    for &branch in branches.iter() {
        let Some(scalars) = required_scalars(simplifier, atoms, branch, value)? else {
            return Ok(None);
        };
        for scalar in scalars {
            by_scalar.entry(scalar).or_default().push(branch);
        }
    }
    let mut groups: IndexMap<Vec<FormulaId>, Vec<FormulaId>, FxBuildHasher> = IndexMap::default();
    for (scalar, branches) in by_scalar {
        let scalar = simplifier.types.logic.literal(Subject::Scalar(scalar));
        groups.entry(branches).or_default().push(scalar);
    }
    simplifier.counts.add(Step::Discriminator);
    let mut parts = Vec::with_capacity(groups.len());
    for (branches, scalars) in groups {
        simplifier.types.spend()?;
        let scalars = simplifier.types.logic.values.or(scalars);
        let value = simplifier.types.logic.values.and([value, scalars]);
        let formulas = atoms.formulas(&mut simplifier.types);
        let left = formulas.or(branches);
        let others = conjuncts.clone().enumerate().filter(|(at, _)| *at != place);
        let part = formulas.and(others.map(|(_, id)| id).chain([left]));
        parts.push(Derivative { value, rest: part });
    }
    Ok(Some(parts))
}

/// Returns the scalars that an alternative allows as the next value. Returns `None` if it also allows other values, or
/// more than [`SCALARS`] scalars.
fn required_scalars<A: Atoms>(
    simplifier: &mut Simplifier<'_>,
    atoms: A,
    branch: FormulaId,
    value: FormulaId,
) -> Result<Option<Vec<Scalar>>, Diagnostic> {
    let mut needed = vec![value];
    for conjunct in atoms.formulas(&mut simplifier.types).conjuncts(branch) {
        let Formula::Literal(Literal { atom, positive: true }) =
            *atoms.formulas(&mut simplifier.types).get(conjunct)
        else {
            continue;
        };
        if let Some(subject) = atoms.subject(&simplifier.types, atom)
            && atoms.read(&mut simplifier.types, atom, false) == FormulaId::FALSE
        {
            needed.push(subject);
        }
    }
    if needed.len() == 1 {
        return Ok(None);
    }
    let needed = simplifier.types.logic.values.and(needed);
    finite(&mut simplifier.types, needed, SCALARS)
}
