//! Unit propagation for keys: unconditional facts about a key decide the atoms about the same key in alternatives.
//!
//! If `country` must be `"CA"`, an alternative for `"US"` is false, and so is "country is absent". Without propagation,
//! automata have states for excluded alternatives until the deciding key is read. A decided atom may turn an
//! alternative into a conjunct, so propagation is repeated.
//!
//! Cost: in each round, two emptiness tests for each atom about a key with a fact.

use rustc_hash::FxHashMap;

use grammarc_grammar::diagnostics::Diagnostic;

use super::layer::Simplifier;
use super::quick_emptiness::obviously_empty;
use super::steps::Step;
use crate::algebra::logic::formula::{Formula, FormulaId, Literal};
use crate::algebra::types::facts::{Facts, facts};
use crate::algebra::types::object_atoms::ObjectAtom;
use crate::algebra::types::structure::is_scalar;

/// Most rounds of propagating facts about keys into alternatives. After the last round the formula is correct, but may
/// be larger than necessary.
const ROUNDS: usize = 4;

/// Simplifies the alternatives of an object formula by the facts about keys in its other conjuncts. Returns the formula
/// unchanged if the simplifier step is switched off.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn propagated(
    simplifier: &mut Simplifier<'_>,
    mut formula: FormulaId,
) -> Result<FormulaId, Diagnostic> {
    if !simplifier.steps.has(Step::UnitPropagation) {
        return Ok(formula);
    }
    for _ in 0..ROUNDS {
        let is_fact = |id: &FormulaId| {
            matches!(simplifier.types.objects.formulas.get(*id), Formula::Literal(_))
        };
        let conjuncts = simplifier.types.objects.formulas.conjuncts(formula);
        if conjuncts.clone().all(|id| is_fact(&id)) {
            break;
        }
        let (facts, choices): (Vec<_>, Vec<_>) = conjuncts.partition(is_fact);
        if facts.is_empty() {
            break;
        }
        let choices = simplifier.types.objects.formulas.and(choices);
        let decided = decided(simplifier, formula, choices)?;
        if decided.is_empty() {
            break;
        }
        simplifier.counts.add(Step::UnitPropagation);
        let choices = simplifier.types.objects.formulas.replace(
            choices,
            &mut Default::default(),
            &mut |formulas, literal| match decided.get(&literal.atom) {
                Some(holds) if *holds == literal.positive => FormulaId::TRUE,
                Some(_) => FormulaId::FALSE,
                None => formulas.literal(literal.atom, literal.positive),
            },
        );
        formula = simplifier.types.objects.formulas.and(facts.into_iter().chain([choices]));
    }
    Ok(formula)
}

/// Returns the atoms (facts about members) of `choices` whose truth follows from the conjuncts of `formula`. Maps the
/// number of each such atom to its truth value.
fn decided(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    choices: FormulaId,
) -> Result<FxHashMap<u32, bool>, Diagnostic> {
    let facts = facts(&mut simplifier.types, formula);
    let mut decided = FxHashMap::default();
    for &Literal { atom, .. } in simplifier.types.objects.formulas.literals(choices).iter() {
        let (key, value, absent) = match simplifier.types.objects.atoms[atom as usize] {
            ObjectAtom::Property { key, value, absent } => (key, value, absent),
            ObjectAtom::Members { names, value } => {
                if some_member_fails(simplifier, &facts, names, value)? {
                    decided.insert(atom, false);
                }
                continue;
            }
            ObjectAtom::Count(_) | ObjectAtom::OneOf(_) => continue,
        };
        let Some(fact) = facts.get(&key) else { continue };
        simplifier.types.spend()?;
        if fact.present || absent {
            let not = simplifier.types.logic.values.not(value);
            let against = simplifier.types.logic.values.and([fact.value, not]);
            if against == FormulaId::FALSE
                || is_scalar(&mut simplifier.types, value)? && obviously_empty(simplifier, against)?
            {
                decided.insert(atom, true);
                continue;
            }
        }
        if fact.present || !absent {
            let with = simplifier.types.logic.values.and([fact.value, value]);
            if obviously_empty(simplifier, with)? {
                decided.insert(atom, false);
            }
        }
    }
    Ok(decided)
}
/// Returns whether no value of some required key satisfies both the fact about that key and `value`. Only keys in the
/// set with the number `names` are tested.
fn some_member_fails(
    simplifier: &mut Simplifier<'_>,
    facts: &Facts,
    names: u32,
    value: FormulaId,
) -> Result<bool, Diagnostic> {
    for (&key, fact) in facts.iter().filter(|(_, fact)| fact.present) {
        if simplifier.types.objects.set_has(names, key) {
            let both = simplifier.types.logic.values.and([fact.value, value]);
            if obviously_empty(simplifier, both)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
