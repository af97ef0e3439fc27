//! Unit propagation for keys: a fact about a key that an object formula states in every case simplifies its
//! alternatives' facts about the same key.
//!
//! With `country` required to be `"CA"`, an alternative for `"US"` is none, and that `country` is missing is false.
//! Without this, automata tell apart what never differs: states for alternatives that other conjuncts exclude, until the
//! key that excludes them is read. A decided atom may turn an alternative into a conjunct, which decides more, so this is
//! repeated while it helps (unit propagation).
//!
//! Cost: two tests of a conjunction for each atom about a key that the conjuncts speak of, each round.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::diagnostics::Diagnostic;

use super::formula::{Formula, Literal};
use super::quick_emptiness::Fact;
use crate::algebra::types::objects::ObjectAtom;
use crate::algebra::{Algebra, FormulaId};

/// Most rounds of propagation. Beyond, the formula stays correct but may be larger.
const ROUNDS: usize = 4;

impl Algebra<'_> {
    /// Simplifies the alternatives of a formula by the facts that its other conjuncts state.
    pub(crate) fn assumed(&mut self, mut formula: FormulaId) -> Result<FormulaId, Diagnostic> {
        for _ in 0..ROUNDS {
            let is_fact =
                |id: &FormulaId| matches!(self.objects.formulas.get(*id), Formula::Literal(_));
            let conjuncts = self.objects.formulas.conjuncts(formula);
            if conjuncts.clone().all(|id| is_fact(&id)) {
                break;
            }
            let (facts, choices): (Vec<_>, Vec<_>) = conjuncts.partition(is_fact);
            if facts.is_empty() {
                break;
            }
            let choices = self.objects.formulas.and(choices);
            let decided = self.decided(formula, choices)?;
            if decided.is_empty() {
                break;
            }
            let choices = self.objects.formulas.replace(
                choices,
                &mut Default::default(),
                &mut |formulas, literal| match decided.get(&literal.atom) {
                    Some(holds) if *holds == literal.positive => FormulaId::TRUE,
                    Some(_) => FormulaId::FALSE,
                    None => formulas.literal(literal.atom, literal.positive),
                },
            );
            formula = self.objects.formulas.and(facts.into_iter().chain([choices]));
        }
        Ok(formula)
    }

    /// The atoms of `choices` that the conjuncts of `formula` decide.
    fn decided(
        &mut self,
        formula: FormulaId,
        choices: FormulaId,
    ) -> Result<FxHashMap<u32, bool>, Diagnostic> {
        let facts = self.facts(formula);
        let mut decided = FxHashMap::default();
        for &Literal { atom, .. } in self.objects.formulas.literals(choices).iter() {
            let (key, value, absent) = match self.objects.atoms[atom as usize] {
                ObjectAtom::Property { key, value, absent } => (key, value, absent),
                ObjectAtom::Members { names, value } => {
                    if self.some_member_fails(&facts, names, value)? {
                        decided.insert(atom, false);
                    }
                    continue;
                }
                ObjectAtom::Count(_) | ObjectAtom::One(_) => continue,
            };
            let Some(fact) = facts.get(&key) else { continue };
            self.spend()?;
            if fact.present || absent {
                let not = self.values.not(value);
                let against = self.values.and([fact.value, not]);
                if against == FormulaId::FALSE || self.is_simple(value)? && self.nothing(against)? {
                    decided.insert(atom, true);
                    continue;
                }
            }
            if fact.present || !absent {
                let with = self.values.and([fact.value, value]);
                if self.nothing(with)? {
                    decided.insert(atom, false);
                }
            }
        }
        Ok(decided)
    }
    /// Whether a required key in a set of keys has no value that satisfies both its fact and the formula.
    fn some_member_fails(
        &mut self,
        facts: &IndexMap<u32, Fact, FxBuildHasher>,
        names: u32,
        value: FormulaId,
    ) -> Result<bool, Diagnostic> {
        for (&key, fact) in facts.iter().filter(|(_, fact)| fact.present) {
            if self.objects.names[names as usize].contains(&self.objects.keys[key as usize]) {
                let both = self.values.and([fact.value, value]);
                if self.nothing(both)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
