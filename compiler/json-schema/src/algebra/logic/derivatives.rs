//! Derivatives of a formula over atoms, by the formulas that the next value satisfies.
//!
//! Reading a value decides the atoms that concern it. For each formula over values that these atoms name, [`Algebra::cases`]
//! splits the values into those that satisfy it and those that do not. Equal remaining formulas are one case.
//!
//! If satisfying a formula can only help, because no negation concerns it, the other case need not exclude the values that
//! satisfy it. It allows less after them, so the union is the same. This saves the complement of a large schema, which is
//! larger still.

use indexmap::IndexMap;
use rustc_hash::FxBuildHasher;
use smallvec::{SmallVec, smallvec};

use grammarc_grammar::diagnostics::Diagnostic;

use super::formula::{Formulas, Literal};
use crate::algebra::{Algebra, FormulaId};

/// A kind of atom that the next value can decide.
pub(crate) trait Atoms: Copy {
    /// The arena of formulas over these atoms.
    fn formulas<'m>(self, algebra: &'m mut Algebra<'_>) -> &'m mut Formulas;
    /// The formula over values that the atom depends on, if it is about the next value.
    fn subject(self, algebra: &Algebra<'_>, atom: u32) -> Option<FormulaId>;
    /// The residue of the atom, given whether the next value satisfies that formula.
    fn read(self, algebra: &mut Algebra<'_>, atom: u32, satisfied: bool) -> FormulaId;
    /// Whether satisfying it can only help the atom, can only harm it, or may do either.
    fn helps(self, algebra: &Algebra<'_>, atom: u32) -> Option<bool>;
}

/// The formula over values of one case, and the formula that remains after such a value.
pub(crate) type Case = (FormulaId, FormulaId);

/// The cases of a formula. Mostly there is one, since the value decides no atom.
pub(crate) type Cases = SmallVec<[Case; 1]>;

/// Remaining formulas, with the formulas over values that lead to each.
type Found = IndexMap<FormulaId, Vec<FormulaId>, FxBuildHasher>;

impl Algebra<'_> {
    /// The cases of a formula for a value that satisfies `value`. Values of different cases may overlap. No remaining
    /// formula is false, and none repeats.
    pub(crate) fn cases<A: Atoms>(
        &mut self,
        atoms: A,
        formula: FormulaId,
        value: FormulaId,
    ) -> Result<Cases, Diagnostic> {
        let literals = atoms.formulas(self).literals(formula);
        if literals.iter().all(|literal| atoms.subject(self, literal.atom).is_none()) {
            // The value decides nothing.
            self.spend()?;
            let none = formula == FormulaId::FALSE || self.nothing(value)?;
            return Ok(if none { Cases::new() } else { smallvec![(value, formula)] });
        }
        let mut found = Found::default();
        let parts = self.told(atoms, formula, value)?;
        for (value, formula) in parts.unwrap_or_else(|| vec![(value, formula)]) {
            self.cases_by_subject(atoms, formula, value, &mut found)?;
        }
        let mut cases = Cases::with_capacity(found.len());
        for (formula, values) in found {
            cases.push((self.values.or(values), formula));
        }
        Ok(cases)
    }

    /// The cases of a formula, one formula over values after the other.
    fn cases_by_subject<A: Atoms>(
        &mut self,
        atoms: A,
        formula: FormulaId,
        value: FormulaId,
        found: &mut Found,
    ) -> Result<(), Diagnostic> {
        let mut subjects: IndexMap<FormulaId, Vec<Literal>, FxBuildHasher> = IndexMap::default();
        for &literal in atoms.formulas(self).literals(formula).iter() {
            if let Some(subject) = atoms.subject(self, literal.atom) {
                subjects.entry(subject).or_default().push(literal);
            }
        }
        let subjects: Vec<_> = subjects.into_iter().collect();
        let mut open = vec![(0, formula, value)];
        while let Some((next, formula, value)) = open.pop() {
            self.spend()?;
            if formula == FormulaId::FALSE {
                continue;
            }
            let Some((subject, about)) = subjects.get(next) else {
                if !self.nothing(value)? {
                    found.entry(formula).or_default().push(value);
                }
                continue;
            };
            let met = self.decide(atoms, formula, about, true);
            let unmet = self.decide(atoms, formula, about, false);
            if met == unmet {
                open.push((next + 1, met, value));
                continue;
            }
            let with = self.values.and([value, *subject]);
            let not = self.values.not(*subject);
            let without = self.values.and([value, not]);
            if with == FormulaId::FALSE || self.nothing(with)? {
                open.push((next + 1, unmet, value));
                continue;
            }
            // How the literals about the subject that are left in the formula take it.
            let mut helps = true;
            let mut harms = true;
            let left = atoms.formulas(self).literals(formula);
            for literal in about.iter().filter(|&&literal| left.contains(literal)) {
                let effect = atoms.helps(self, literal.atom);
                helps &= effect == Some(literal.positive);
                harms &= effect == Some(!literal.positive);
            }
            let simple = self.is_simple(*subject)?;
            // Last in, first out: the case that satisfies comes first.
            if unmet != FormulaId::FALSE {
                if !helps || simple {
                    if without != FormulaId::FALSE && !self.nothing(without)? {
                        open.push((next + 1, unmet, without));
                    }
                } else {
                    open.push((next + 1, unmet, value));
                }
            }
            if met != FormulaId::FALSE {
                let value = if harms && !helps && !simple { value } else { with };
                open.push((next + 1, met, value));
            }
        }
        Ok(())
    }

    fn decide<A: Atoms>(
        &mut self,
        atoms: A,
        formula: FormulaId,
        about: &[Literal],
        satisfied: bool,
    ) -> FormulaId {
        let mut decided: Vec<_> = about.iter().map(|literal| (literal.atom, formula)).collect();
        decided.sort_unstable();
        decided.dedup();
        for (atom, read) in &mut decided {
            *read = atoms.read(self, *atom, satisfied);
        }
        atoms.formulas(self).replace(formula, &mut Default::default(), &mut |formulas, literal| {
            match decided.binary_search_by_key(&literal.atom, |(atom, _)| *atom) {
                Ok(at) if literal.positive => decided[at].1,
                Ok(at) => formulas.not(decided[at].1),
                Err(_) => formulas.literal(literal.atom, literal.positive),
            }
        })
    }

    /// Whether a formula over values says nothing of objects and arrays but yes or no, so that its complement is no
    /// larger than itself.
    pub(crate) fn is_simple(&mut self, value: FormulaId) -> Result<bool, Diagnostic> {
        let constant = |formula| matches!(formula, FormulaId::TRUE | FormulaId::FALSE);
        Ok(constant(self.object_formula(value)?) && constant(self.array_formula(value)?))
    }
}
