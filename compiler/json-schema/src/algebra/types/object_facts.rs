//! Queries about object formulas that need no other layer: keys, bounds, and the formula that remains after a key.

use rustc_hash::FxHashMap;

use super::object_atoms::{ObjectAtom, Objects};
use crate::algebra::logic::formula::{Formula, FormulaId, Literal};
use crate::read::schema::Bounds;
use grammarc_grammar::insertion_set::InsertionSet;

impl Objects {
    /// Returns the text of the key with this number, without quotes and escapes.
    pub(crate) fn key(&self, key: u32) -> &str {
        &self.keys[key as usize]
    }

    /// Returns whether the key number `key` is in the set of keys number `names`.
    pub(crate) fn set_has(&self, names: u32, key: u32) -> bool {
        self.names[names as usize].contains(&self.keys[key as usize])
    }

    /// Returns the numbers of the keys that an object formula names, in the order in which the formula first names
    /// them.
    pub(crate) fn keys_of(&self, formula: FormulaId) -> Vec<u32> {
        let mut keys = InsertionSet::default();
        for literal in self.formulas.literals(formula).iter() {
            if let ObjectAtom::Property { key, .. } = self.atoms[literal.atom as usize] {
                keys.insert(key);
            }
        }
        keys.order.into_vec()
    }

    /// Returns the numbers of the keys that an object formula allows. Allowed keys without a number, which no formula
    /// names, are omitted. Returns `None` if no conjunct forbids all but finitely many keys.
    pub(crate) fn only_keys(&self, formula: FormulaId) -> Option<Vec<u32>> {
        let keys = self.possible_keys(formula)?;
        Some(keys.filter_map(|key| self.key_number(key)).collect())
    }

    /// Returns the texts of the keys that an object formula allows. Returns `None` if no conjunct forbids all but
    /// finitely many keys.
    pub(crate) fn possible_keys(&self, formula: FormulaId) -> Option<impl Iterator<Item = &str>> {
        let mut conjuncts = self.formulas.conjuncts(formula);
        conjuncts.find_map(|conjunct| {
            let Formula::Literal(literal) = *self.formulas.get(conjunct) else {
                return None;
            };
            match self.atoms[literal.atom as usize] {
                ObjectAtom::Members { names, value: FormulaId::FALSE } if literal.positive => {
                    self.names[names as usize].left_out()
                }
                _ => None,
            }
        })
    }

    /// Returns the number of a key, or `None` if no formula names it.
    pub(crate) fn key_number(&self, key: &str) -> Option<u32> {
        self.keys.get_index_of(key).map(|index| index as u32)
    }

    /// Returns the number of the key if an object formula is a single fact about one key, or its negation. Returns
    /// `None` for any other formula.
    pub(crate) fn property_key(&self, formula: FormulaId) -> Option<u32> {
        match self.formulas.get(formula) {
            Formula::Literal(Literal { atom, .. }) => match self.atoms[*atom as usize] {
                ObjectAtom::Property { key, .. } => Some(key),
                _ => None,
            },
            _ => None,
        }
    }

    /// Splits an object formula into the intersected bounds on the number of members among its conjuncts, and the other
    /// conjuncts.
    pub(crate) fn split_counts(&mut self, formula: FormulaId) -> (Bounds, FormulaId) {
        let conjuncts = self.formulas.conjuncts(formula);
        if conjuncts.clone().all(|conjunct| self.count(conjunct).is_none()) {
            return (Bounds::default(), formula);
        }
        let (counts, others): (Vec<_>, Vec<_>) =
            conjuncts.partition(|&conjunct| self.count(conjunct).is_some());
        let bounds = counts.iter().filter_map(|&count| self.count(count));
        (bounds.fold(Bounds::default(), Bounds::intersect), self.formulas.and(others))
    }

    /// Returns whether an object formula constrains the number of members.
    pub(crate) fn counts_members(&self, formula: FormulaId) -> bool {
        let literals = self.formulas.literals(formula);
        let atoms = &self.atoms;
        literals.iter().any(|literal| matches!(atoms[literal.atom as usize], ObjectAtom::Count(_)))
    }

    /// Returns the largest lower bound on the number of members that occurs anywhere in an object formula; 0 without
    /// one.
    pub(crate) fn fewest_members(&self, formula: FormulaId) -> u32 {
        let literals = self.formulas.literals(formula);
        let fewest = literals.iter().map(|literal| {
            match (self.atoms[literal.atom as usize], literal.positive) {
                (ObjectAtom::Count(bounds), true) => bounds.min,
                (ObjectAtom::Count(bounds), false) => {
                    bounds.max.map_or(0, |max| max.saturating_add(1))
                }
                _ => 0,
            }
        });
        fewest.max().unwrap_or(0)
    }

    /// Returns the bounds on the number of members that a formula of a single fact states. Returns `None` for other
    /// formulas, and for negated bounds that are no single interval.
    fn count(&self, formula: FormulaId) -> Option<Bounds> {
        let Formula::Literal(literal) = *self.formulas.get(formula) else { return None };
        match self.atoms[literal.atom as usize] {
            ObjectAtom::Count(bounds) if literal.positive => Some(bounds),
            ObjectAtom::Count(bounds) => bounds.complement(),
            _ => None,
        }
    }

    /// Returns the object formula that remains after one more member: bounds on the number of members decrease by one.
    /// A bound that is exceeded becomes false.
    pub(crate) fn count_member(&mut self, formula: FormulaId) -> FormulaId {
        self.map_counts(formula, Bounds::after_one)
    }

    /// Changes all bounds on the number of members in an object formula. If `change` returns `None`, no object
    /// satisfies the bounds, and the fact (atom) is replaced by false.
    pub(crate) fn map_counts(
        &mut self,
        formula: FormulaId,
        change: impl Fn(Bounds) -> Option<Bounds>,
    ) -> FormulaId {
        let literals = self.formulas.literals(formula);
        let mut counted = FxHashMap::default();
        for literal in literals.iter() {
            if let ObjectAtom::Count(bounds) = self.atoms[literal.atom as usize] {
                let next = change(bounds);
                let next = next.map(|bounds| self.atom(ObjectAtom::Count(bounds)));
                counted.insert(literal.atom, next.unwrap_or(FormulaId::FALSE));
            }
        }
        if counted.is_empty() {
            return formula;
        }
        self.formulas.substitute(formula, |atom| counted.get(&atom).copied())
    }

    /// Returns whether an object may end where this object formula remains, so that the formula holds without further
    /// members.
    pub(crate) fn may_end(&mut self, formula: FormulaId) -> bool {
        let ended = self.decide(formula, |atom| match atom {
            ObjectAtom::Property { absent, .. } => Some(absent),
            ObjectAtom::Members { .. } => Some(true),
            ObjectAtom::Count(bounds) => Some(bounds.min == 0),
            ObjectAtom::OneOf(_) => None,
        });
        ended == FormulaId::TRUE
    }

    /// Returns the object formula that remains for objects without the key number `key`.
    pub(crate) fn without_key(&mut self, formula: FormulaId, key: u32) -> FormulaId {
        self.decide(formula, |atom| match atom {
            ObjectAtom::Property { key: other, absent, .. } if other == key => Some(absent),
            _ => None,
        })
    }

    /// Replaces those atoms (facts about members) of an object formula for which `decide` returns a truth value, by
    /// that value.
    pub(crate) fn decide(
        &mut self,
        formula: FormulaId,
        decide: impl Fn(ObjectAtom) -> Option<bool>,
    ) -> FormulaId {
        let atoms = &self.atoms;
        let formulas = &mut self.formulas;
        formulas.replace(formula, &mut Default::default(), &mut |formulas, literal| match decide(
            atoms[literal.atom as usize],
        ) {
            Some(holds) if holds == literal.positive => FormulaId::TRUE,
            Some(_) => FormulaId::FALSE,
            None => formulas.literal(literal.atom, literal.positive),
        })
    }
}
