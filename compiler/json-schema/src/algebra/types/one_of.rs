//! `oneOf` over objects: finds branches that are disjoint anyway, and makes the others exclusive by negation.
//!
//! Exactly one of n sets is a ladder of negations, which a formula should not have where the sets are disjoint: then it is
//! their union. To ask whether two sets are disjoint is to ask about the values of members, whose schemas may lead back to
//! the same `oneOf`. So reading a schema makes an atom of it, which asks nothing, and the atom is resolved where an
//! automaton is made of the formula: by then every schema that it leads to has a formula.
//!
//! Invariant: the operands of an atom have smaller atoms of this kind alone, so resolving in ascending order needs no
//! recursion.
//!
//! Cost: one pass where one key tells all sets apart, else quadratic in the sets.

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::objects::{ObjectAtom, Objects};
use crate::algebra::logic::quick_emptiness::{ALTERNATIVES, DEPTH};
use crate::algebra::{Algebra, FormulaId, OneOf};
use crate::document::NodeId;

/// Why `oneOf` is approximate.
const ANY_OF: &str = "objects that several branches accept are accepted: telling them apart takes too many combinations";

/// Families of sets of objects of which exactly one holds an object.
#[derive(Debug, Default)]
pub(crate) struct Ones {
    /// The sets of each family, and the keyword's place.
    families: IndexSet<(Box<[FormulaId]>, NodeId), FxBuildHasher>,
    /// For each formula with such atoms, the equivalent formula without them.
    resolved: FxHashMap<FormulaId, FormulaId>,
}

impl Objects {
    /// Exactly one of the sets holds the object. `place` is that of the keyword that says so.
    pub(crate) fn exactly_one(&mut self, sets: &[FormulaId], place: NodeId) -> FormulaId {
        let sets: Vec<_> = sets.iter().copied().filter(|&set| set != FormulaId::FALSE).collect();
        match sets[..] {
            [] => return FormulaId::FALSE,
            [one] => return one,
            _ => {}
        }
        let (family, _) = self.ones.families.insert_full((sets.into(), place));
        self.atom(ObjectAtom::One(u32::try_from(family).expect("families take text")))
    }

    /// The sets of a family.
    pub(crate) fn family(&self, family: u32) -> &[FormulaId] {
        &self.ones.families[family as usize].0
    }

    /// The families of a formula, ascending.
    fn families(&self, formula: FormulaId) -> Vec<(u32, u32)> {
        let literals = self.formulas.literals(formula);
        let family = |atom: u32| match self.atoms[atom as usize] {
            ObjectAtom::One(family) => Some((family, atom)),
            _ => None,
        };
        let mut families: Vec<_> =
            literals.iter().filter_map(|literal| family(literal.atom)).collect();
        families.sort_unstable();
        families.dedup();
        families
    }
}

impl Algebra<'_> {
    /// The objects that a formula over values holds for, without atoms about exactly one of several.
    pub(crate) fn resolved_objects(&mut self, value: FormulaId) -> Result<FormulaId, Diagnostic> {
        let formula = self.object_formula(value)?;
        if let Some(&known) = self.objects.ones.resolved.get(&formula) {
            return Ok(known);
        }
        let mut open = self.objects.families(formula);
        if open.is_empty() {
            return Ok(formula);
        }
        let mut seen: IndexSet<(u32, u32), FxBuildHasher> = IndexSet::default();
        while let Some(family) = open.pop() {
            if seen.insert(family) {
                let sets = self.objects.family(family.0);
                open.extend(sets.iter().flat_map(|&set| self.objects.families(set)));
            }
        }
        seen.sort_unstable();
        let mut resolved = FxHashMap::default();
        for (family, atom) in seen {
            let one = self.resolve_family(family, &resolved)?;
            resolved.insert(atom, one);
        }
        let done = self.without_ones(formula, &resolved);
        self.objects.ones.resolved.insert(formula, done);
        Ok(done)
    }

    /// The formula of a family. Its sets contain only families that are already resolved.
    fn resolve_family(
        &mut self,
        family: u32,
        resolved: &FxHashMap<u32, FormulaId>,
    ) -> Result<FormulaId, Diagnostic> {
        let (sets, place) = self.objects.ones.families[family as usize].clone();
        let sets: Vec<_> = sets.iter().map(|&set| self.without_ones(set, resolved)).collect();
        let overlapping = self.overlapping_objects(&sets)?;
        let (others, alone): (Vec<_>, Vec<_>) =
            sets.iter().zip(&overlapping).partition(|(_, overlaps)| **overlaps);
        if self.one_of == OneOf::AnyOf && !others.is_empty() {
            self.inexact.insert((place, Verdict::Approximate, ANY_OF));
            return Ok(self.objects.formulas.or(sets));
        }
        let others: Vec<_> = others.into_iter().map(|(&set, _)| set).collect();
        let formulas = &mut self.objects.formulas;
        let one = formulas.exactly_one(&others);
        Ok(formulas.or(alone.into_iter().map(|(&set, _)| set).chain([one])))
    }

    fn without_ones(
        &mut self,
        formula: FormulaId,
        resolved: &FxHashMap<u32, FormulaId>,
    ) -> FormulaId {
        let formulas = &mut self.objects.formulas;
        formulas.replace(formula, &mut Default::default(), &mut |formulas, literal| match resolved
            .get(&literal.atom)
        {
            Some(&one) if literal.positive => one,
            Some(&one) => formulas.not(one),
            None => formulas.literal(literal.atom, literal.positive),
        })
    }

    /// For each of some object formulas, whether it may hold for an object that another one of them holds for.
    fn overlapping_objects(&mut self, sets: &[FormulaId]) -> Result<Vec<bool>, Diagnostic> {
        let mut overlaps = vec![false; sets.len()];
        if self.told_apart(sets)? {
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
                let both = self.objects.formulas.and([sets[first], sets[second]]);
                if !self.no_object(both, DEPTH)? {
                    overlaps[first] = true;
                    overlaps[second] = true;
                }
            }
            self.spend()?;
        }
        Ok(overlaps)
    }

    /// Whether one key discriminates all formulas: each requires it, with finitely many scalars that no other formula has.
    /// Linear, while comparing pairs is quadratic.
    fn told_apart(&mut self, sets: &[FormulaId]) -> Result<bool, Diagnostic> {
        let Some(&first) = sets.first() else { return Ok(true) };
        let told = self.properties(first).into_iter().filter(|p| p.1 != FormulaId::TRUE);
        let keys: IndexSet<u32, FxBuildHasher> = told.map(|(key, ..)| key).collect();
        'keys: for key in keys {
            let mut seen = FxHashSet::default();
            for &set in sets {
                let mut all = FormulaId::TRUE;
                let mut required = false;
                for (_, value, absent) in self.properties(set).into_iter().filter(|p| p.0 == key) {
                    all = self.values.and([all, value]);
                    required |= !absent;
                }
                if !required {
                    continue 'keys;
                }
                let Some(finite) = self.finite(all, ALTERNATIVES)? else { continue 'keys };
                if !finite.into_iter().all(|scalar| seen.insert(scalar)) {
                    continue 'keys;
                }
            }
            return Ok(true);
        }
        Ok(false)
    }
}
