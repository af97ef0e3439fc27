//! Alternatives that the next value discriminates by its scalars.
//!
//! In a union of a thousand constants, or of two hundred branches each with its own `"type"`, every value of the key
//! leaves one alternative. To ask for each subject whether the value satisfies it would go through the whole formula a
//! thousand times; where each alternative allows finitely many scalars, they are sorted by these in one pass.
//!
//! Cost: O(size of the formula), besides the sets of scalars.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::derivatives::{Atoms, Case};
use super::formula::{Formula, Formulas, Literal};
use crate::algebra::{Algebra, FormulaId, Scalar, Subject};

/// Least number of alternatives for which sorting by scalars pays off.
const MANY: usize = 8;
/// Most scalars of an alternative that is sorted by them. With more it is kept unsorted.
const SCALARS: usize = 64;

impl Algebra<'_> {
    /// Splits a formula by the scalar that the next value is. For values that satisfy `value`, the parts together are
    /// equivalent to the formula. `None` if the alternatives are few or scalars do not distinguish them.
    pub(crate) fn told<A: Atoms>(
        &mut self,
        atoms: A,
        formula: FormulaId,
        value: FormulaId,
    ) -> Result<Option<Vec<Case>>, Diagnostic> {
        let conjuncts = atoms.formulas(self).conjuncts(formula);
        let many = |id, formulas: &Formulas| match formulas.get(id) {
            Formula::Or(branches) if branches.len() >= MANY => Some(branches.clone()),
            _ => None,
        };
        let formulas = &*atoms.formulas(self);
        let mut alternatives = conjuncts.clone().enumerate();
        let Some((place, branches)) =
            alternatives.find_map(|(at, id)| Some((at, many(id, formulas)?)))
        else {
            return Ok(None);
        };
        let mut by_scalar: IndexMap<Scalar, Vec<FormulaId>, FxBuildHasher> = IndexMap::default();
        for &branch in branches.iter() {
            let Some(scalars) = self.told_by(atoms, branch, value)? else { return Ok(None) };
            for scalar in scalars {
                by_scalar.entry(scalar).or_default().push(branch);
            }
        }
        let mut groups: IndexMap<Vec<FormulaId>, Vec<FormulaId>, FxBuildHasher> =
            IndexMap::default();
        for (scalar, branches) in by_scalar {
            let scalar = self.subject(Subject::Scalar(scalar));
            groups.entry(branches).or_default().push(scalar);
        }
        let mut parts = Vec::with_capacity(groups.len());
        for (branches, scalars) in groups {
            self.spend()?;
            let scalars = self.values.or(scalars);
            let value = self.values.and([value, scalars]);
            let formulas = atoms.formulas(self);
            let left = formulas.or(branches);
            let others = conjuncts.clone().enumerate().filter(|(at, _)| *at != place);
            let part = formulas.and(others.map(|(_, id)| id).chain([left]));
            parts.push((value, part));
        }
        Ok(Some(parts))
    }

    /// The scalars of which an alternative requires the next value to be one. `None` if it allows other values.
    fn told_by<A: Atoms>(
        &mut self,
        atoms: A,
        branch: FormulaId,
        value: FormulaId,
    ) -> Result<Option<Vec<Scalar>>, Diagnostic> {
        let mut needed = vec![value];
        for conjunct in atoms.formulas(self).conjuncts(branch) {
            let Formula::Literal(Literal { atom, positive: true }) =
                *atoms.formulas(self).get(conjunct)
            else {
                continue;
            };
            if let Some(subject) = atoms.subject(self, atom)
                && atoms.read(self, atom, false) == FormulaId::FALSE
            {
                needed.push(subject);
            }
        }
        if needed.len() == 1 {
            return Ok(None);
        }
        let needed = self.values.and(needed);
        self.finite(needed, SCALARS)
    }
}
