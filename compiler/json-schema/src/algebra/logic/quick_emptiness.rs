//! Whether a formula obviously holds nothing.
//!
//! Emptiness is decided for the whole graph at its end; what is needed before, so that branches that exclude each other
//! do not multiply, is a quick test that may miss. It looks at scalars exactly; at objects, for a required key whose
//! value can satisfy nothing, and at arrays likewise, to a bounded depth. Alternatives are tried one by one.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::diagnostics::Diagnostic;

use super::formula::{Formula, Literal};
use crate::algebra::types::arrays::ArrayAtom;
use crate::algebra::types::objects::ObjectAtom;
use crate::algebra::{Algebra, FormulaId};
use crate::read::schema::Bounds;

/// Levels of objects and arrays that the test looks into.
pub(crate) const DEPTH: u32 = 3;
/// Alternatives of one formula that the test tries.
pub(crate) const ALTERNATIVES: usize = 64;

/// The result of the test.
#[derive(Debug, Default)]
pub(crate) struct Apart {
    /// By formula over values and depth.
    values: FxHashMap<(FormulaId, u32), bool>,
}

/// A fact about one key that the conjuncts of an object formula state.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact {
    /// A formula over its value.
    pub(crate) value: FormulaId,
    /// Whether the key is required.
    pub(crate) present: bool,
}

/// The facts of an object formula that concern sets of keys, such as `additionalProperties`, and the number of keys.
#[derive(Default)]
pub(crate) struct OfAllKeys {
    /// For each set of keys, by number, the formula that the value of each of its keys must satisfy.
    pub(crate) members: Vec<(u32, FormulaId)>,
    /// The bounds on the number of keys.
    pub(crate) count: Bounds,
}

impl Algebra<'_> {
    /// Whether a quick test shows that a formula over values is empty. `false` where it cannot tell.
    pub(crate) fn nothing(&mut self, value: FormulaId) -> Result<bool, Diagnostic> {
        self.nothing_within(value, DEPTH)
    }

    fn nothing_within(&mut self, value: FormulaId, depth: u32) -> Result<bool, Diagnostic> {
        match value {
            FormulaId::TRUE => return Ok(false),
            FormulaId::FALSE => return Ok(true),
            _ => {}
        }
        if let Some(&known) = self.apart.values.get(&(value, depth)) {
            return Ok(known);
        }
        let nothing = self.scalars(value)?.is_none() && {
            let objects = self.object_formula(value)?;
            let arrays = self.array_formula(value)?;
            match depth {
                0 => objects == FormulaId::FALSE && arrays == FormulaId::FALSE,
                _ => self.no_object(objects, depth - 1)? && self.no_array(arrays, depth - 1)?,
            }
        };
        self.apart.values.insert((value, depth), nothing);
        Ok(nothing)
    }

    /// The facts about single keys in the conjuncts of an object formula: the key, the formula over its value, and
    /// whether it may be missing.
    pub(crate) fn properties(&mut self, formula: FormulaId) -> Vec<(u32, FormulaId, bool)> {
        let conjuncts = self.objects.formulas.conjuncts(formula);
        let mut found = Vec::with_capacity(conjuncts.size_hint().0);
        for conjunct in conjuncts {
            let Formula::Literal(literal) = *self.objects.formulas.get(conjunct) else { continue };
            let atom = self.objects.atoms[literal.atom as usize];
            let ObjectAtom::Property { key, value, absent } = atom else { continue };
            found.push(match literal.positive {
                true => (key, value, absent),
                false => (key, self.values.not(value), !absent),
            });
        }
        found
    }

    /// The same by key: the formula over its value, and whether it has to be there. In the order of the conjuncts.
    pub(crate) fn facts(&mut self, formula: FormulaId) -> IndexMap<u32, Fact, FxBuildHasher> {
        let mut facts: IndexMap<u32, Fact, FxBuildHasher> = IndexMap::default();
        for (key, value, absent) in self.properties(formula) {
            let fact = facts.entry(key).or_insert(Fact { value: FormulaId::TRUE, present: false });
            fact.value = self.values.and([fact.value, value]);
            fact.present |= !absent;
        }
        facts
    }

    /// Whether an object formula obviously holds for no object.
    pub(crate) fn no_object(&mut self, formula: FormulaId, depth: u32) -> Result<bool, Diagnostic> {
        if let Some(branches) = self.branches(formula) {
            if branches.len() > ALTERNATIVES {
                return Ok(false);
            }
            for branch in branches {
                if !self.no_conjunction(branch, depth)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        self.no_conjunction(formula, depth)
    }

    /// The same of a formula that is no choice.
    fn no_conjunction(&mut self, formula: FormulaId, depth: u32) -> Result<bool, Diagnostic> {
        match self.objects.formulas.get(formula).clone() {
            Formula::True => Ok(false),
            Formula::False => Ok(true),
            Formula::Literal(_) if depth == 0 => Ok(false),
            Formula::Literal(_) | Formula::Or(_) => self.no_simple_object(formula, depth),
            Formula::And(operands) => {
                if self.no_simple_object(formula, depth)? {
                    return Ok(true);
                }
                // Each alternative with all that is not one.
                let (choices, simple): (Vec<_>, Vec<_>) =
                    operands.iter().copied().partition(|&id| self.branches(id).is_some());
                for choice in choices {
                    let Some(branches) = self.branches(choice) else { continue };
                    if branches.len() > ALTERNATIVES {
                        continue;
                    }
                    let mut none = true;
                    for branch in branches {
                        let with = simple.iter().copied().chain([branch]);
                        let with = self.objects.formulas.and(with);
                        // Not further alternatives: the product of all of them would be exponential.
                        if !self.no_simple_object(with, depth)? {
                            none = false;
                            break;
                        }
                    }
                    if none {
                        return Ok(true);
                    }
                }
                Ok(false)
            }
        }
    }

    /// Formulas of which some hold where this one does, none of them a choice, where it is a choice. One too many where
    /// they are more than are tried.
    fn branches(&self, formula: FormulaId) -> Option<Vec<FormulaId>> {
        let mut open = self.choices(formula)?;
        open.reverse();
        let mut branches = Vec::with_capacity(open.len());
        while let Some(next) = open.pop() {
            match self.choices(next) {
                Some(inner) => open.extend(inner.into_iter().rev()),
                None => branches.push(next),
            }
            if branches.len() > ALTERNATIVES {
                break;
            }
        }
        Some(branches)
    }

    /// The operands of a choice.
    fn choices(&self, formula: FormulaId) -> Option<Vec<FormulaId>> {
        match self.objects.formulas.get(formula) {
            Formula::Or(branches) => Some(branches.to_vec()),
            Formula::Literal(Literal { atom, positive: true }) => {
                match self.objects.atoms[*atom as usize] {
                    ObjectAtom::One(family) => Some(self.objects.family(family).to_vec()),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// The same, by literals that all hold.
    fn no_simple_object(&mut self, formula: FormulaId, depth: u32) -> Result<bool, Diagnostic> {
        if formula == FormulaId::FALSE {
            return Ok(true);
        }
        let facts = self.facts(formula);
        let OfAllKeys { members, count } = self.of_all_keys(formula);
        let mut required = 0;
        for (key, Fact { value, present }) in facts {
            if !present {
                continue;
            }
            required += 1;
            let value = self.with_all_keys(key, value, &members);
            let nothing = match depth {
                0 => value == FormulaId::FALSE,
                _ => self.nothing_within(value, depth)?,
            };
            if nothing {
                return Ok(true);
            }
        }
        Ok(count.is_empty() || count.max.is_some_and(|max| max < required))
    }

    /// The facts about sets of keys and their number in the conjuncts of an object formula.
    pub(crate) fn of_all_keys(&self, formula: FormulaId) -> OfAllKeys {
        let mut found = OfAllKeys::default();
        for conjunct in self.objects.formulas.conjuncts(formula) {
            let Formula::Literal(literal) = *self.objects.formulas.get(conjunct) else { continue };
            match self.objects.atoms[literal.atom as usize] {
                ObjectAtom::Members { names, value } if literal.positive => {
                    found.members.push((names, value));
                }
                ObjectAtom::Count(bounds) if literal.positive => {
                    found.count = found.count.intersect(bounds);
                }
                _ => {}
            }
        }
        found
    }

    /// The formula over the value of a key, and the formulas of all sets of `members` that contain the key.
    pub(crate) fn with_all_keys(
        &mut self,
        key: u32,
        mut value: FormulaId,
        members: &[(u32, FormulaId)],
    ) -> FormulaId {
        for &(names, of_names) in members {
            if self.objects.names[names as usize].contains(&self.objects.keys[key as usize]) {
                value = self.values.and([value, of_names]);
            }
        }
        value
    }

    /// Whether an array formula obviously holds for no array.
    fn no_array(&mut self, formula: FormulaId, depth: u32) -> Result<bool, Diagnostic> {
        let mut count = Bounds::default();
        let mut items = Vec::new();
        match self.arrays.formulas.get(formula).clone() {
            Formula::False => return Ok(true),
            Formula::Or(operands) => {
                if operands.len() > ALTERNATIVES {
                    return Ok(false);
                }
                for &operand in operands.iter() {
                    if !self.no_array(operand, depth)? {
                        return Ok(false);
                    }
                }
                return Ok(true);
            }
            _ => {}
        }
        for conjunct in self.arrays.formulas.conjuncts(formula) {
            let Formula::Literal(literal) = *self.arrays.formulas.get(conjunct) else { continue };
            match self.arrays.atoms[literal.atom as usize] {
                ArrayAtom::Count(bounds) if literal.positive => count = count.intersect(bounds),
                ArrayAtom::Item(at, value) if literal.positive => items.push((at, at, value)),
                ArrayAtom::Items(from, value) if literal.positive => {
                    items.push((from, u32::MAX, value));
                }
                ArrayAtom::Item(at, _) => count = count.intersect(Bounds::at_least(at + 1)),
                _ => {}
            }
        }
        if count.is_empty() {
            return Ok(true);
        }
        let last = items.iter().map(|item| item.0.saturating_add(1)).max().unwrap_or(0);
        for at in 0..count.min.min(last) {
            let here = items.iter().filter(|(from, to, _)| (*from..=*to).contains(&at));
            let here: Vec<_> = here.map(|item| item.2).collect();
            let value = self.values.and(here);
            let nothing = match depth {
                0 => value == FormulaId::FALSE,
                _ => self.nothing_within(value, depth)?,
            };
            if nothing {
                return Ok(true);
            }
        }
        Ok(false)
    }
}
