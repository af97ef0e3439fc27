//! `uniqueItems`: replaced by other atoms if items have few values, otherwise a comparison of texts at run time.
//!
//! With few values, `uniqueItems` says that each value is contained at most once. Such an automaton has a state for
//! every set of values. With many values, the array becomes a rule whose items must differ, and the runtime compares
//! the texts of items. This is exact unless a value has several texts.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use rustc_hash::{FxBuildHasher, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::layer::Automata;
use crate::algebra::logic::formula::{Formula, FormulaId};
use crate::algebra::logic::layer::Inexact;
use crate::algebra::logic::subject::{Scalar, Subject};
use crate::algebra::types::array_atoms::ArrayAtom;
use crate::algebra::types::arrays::array_formula;
use crate::algebra::types::objects::object_formula;
use crate::algebra::types::scalar_sets::Scalars;
use crate::algebra::types::scalars::scalars;
use crate::algebra::types::structure::finite;
use crate::document::NodeId;
use crate::options::Escapes;
use crate::read::schema::Bounds;

/// Most values of an item for which `uniqueItems` is replaced by other atoms (facts about how often each value occurs):
/// the automaton has up to `2^MOST_UNIQUE` states. With more values, the runtime compares texts.
const MOST_UNIQUE: usize = 8;

/// Reason in the report for an approximate `uniqueItems`: nothing compares the items of the array.
pub(crate) const MANY: &str = "items with many possible values may repeat";

/// Reason in the report for an approximate `uniqueItems`: the runtime compares texts, and equal values may have
/// different texts.
const WRITTEN: &str = "items that are equal and written differently may repeat";

/// Replaces each `uniqueItems`, which is one atom (basic fact) of an array formula, by other facts about items. Returns
/// the new formula, and whether the texts of items must differ in all of its arrays.
///
/// The keyword is approximate if items have many values and only some arrays have the keyword. The negated
/// keyword then holds for all arrays.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn resolve_unique(
    automata: &mut Automata<'_>,
    formula: FormulaId,
) -> Result<(FormulaId, bool), Diagnostic> {
    let arrays = &automata.simplifier.types.arrays;
    let literals = arrays.formulas.literals(formula);
    let unique = |atom: u32| matches!(arrays.atoms[atom as usize], ArrayAtom::Unique(_));
    if !literals.iter().any(|literal| unique(literal.atom)) {
        return Ok((formula, false));
    }
    let mut values: IndexSet<Scalar, FxBuildHasher> = IndexSet::default();
    let mut is_exact = true;
    let item_values = item_values(automata, formula);
    for &items in &item_values {
        match finite(&mut automata.simplifier.types, items, MOST_UNIQUE)? {
            Some(few) => values.extend(few),
            None => is_exact = false,
        }
    }
    if values.len() > MOST_UNIQUE {
        is_exact = false;
        values.clear();
    }
    if !is_exact && let Some(rest) = without_unique(automata, formula, &item_values)? {
        return Ok((rest, true));
    }
    let once: Vec<_> = values
        .into_iter()
        .map(|value| {
            let value = automata.simplifier.types.logic.literal(Subject::Scalar(value));
            automata.simplifier.types.arrays.atom(ArrayAtom::Contains(value, Bounds::at_most(1)))
        })
        .collect();
    let at_most_once = automata.simplifier.types.arrays.formulas.and(once);
    let atoms = automata.simplifier.types.arrays.atoms.clone();
    let inexact = &mut automata.simplifier.types.logic.inexact;
    let replaced = automata.simplifier.types.arrays.formulas.replace(
        formula,
        &mut Default::default(),
        &mut |formulas, literal| match atoms[literal.atom as usize] {
            ArrayAtom::Unique(_) if is_exact && !literal.positive => formulas.not(at_most_once),
            ArrayAtom::Unique(place) => {
                if !is_exact {
                    inexact.insert(Inexact { place, verdict: Verdict::Approximate, reason: MANY });
                }
                if literal.positive { at_most_once } else { FormulaId::TRUE }
            }
            _ => formulas.literal(literal.atom, literal.positive),
        },
    );
    Ok((replaced, false))
}

/// Removes `uniqueItems` from an array formula, because the runtime compares the items instead. Returns `None` if the
/// keyword is not a conjunct of the formula.
fn without_unique(
    automata: &mut Automata<'_>,
    formula: FormulaId,
    item_values: &[FormulaId],
) -> Result<Option<FormulaId>, Diagnostic> {
    let formulas = &automata.simplifier.types.arrays.formulas;
    let places = formulas.conjuncts(formula).filter_map(|conjunct| {
        let Formula::Literal(literal) = *formulas.get(conjunct) else { return None };
        match automata.simplifier.types.arrays.atoms[literal.atom as usize] {
            ArrayAtom::Unique(place) if literal.positive => Some(place),
            _ => None,
        }
    });
    let places: Vec<NodeId> = places.collect();
    if places.is_empty() {
        return Ok(None);
    }
    let mut one_text = true;
    for &items in item_values {
        one_text = one_text && has_one_text(automata, items)?;
    }
    for &place in &places {
        automata.unique.push(place);
        if !one_text {
            automata.simplifier.types.logic.inexact.insert(Inexact {
                place,
                verdict: Verdict::Approximate,
                reason: WRITTEN,
            });
        }
    }
    let atoms = &automata.simplifier.types.arrays.atoms;
    let unique: FxHashSet<u32> = (0..)
        .zip(atoms)
        .filter(|(_, atom)| matches!(atom, ArrayAtom::Unique(_)))
        .map(|(index, _)| index)
        .collect();
    let rest = automata.simplifier.types.arrays.formulas.replace(
        formula,
        &mut Default::default(),
        &mut |formulas, literal| match unique.contains(&literal.atom) {
            true if literal.positive => FormulaId::TRUE,
            true => FormulaId::FALSE,
            false => formulas.literal(literal.atom, literal.positive),
        },
    );
    Ok(Some(rest))
}

/// Returns whether the grammar accepts at most one text for each value that satisfies a formula. Objects and arrays
/// count as having several.
fn has_one_text(automata: &mut Automata<'_>, formula: FormulaId) -> Result<bool, Diagnostic> {
    if object_formula(&mut automata.simplifier.types, formula)? != FormulaId::FALSE
        || array_formula(&mut automata.simplifier.types, formula)? != FormulaId::FALSE
    {
        return Ok(false);
    }
    let text = automata.simplifier.types.text;
    let scalars = scalars(&mut automata.simplifier.types, formula)?;
    let Scalars { numbers, strings, .. } = &*scalars;
    let numbers = numbers.is_none() || numbers.has_one_text(text.numbers);
    let strings = strings.is_none() || text.escapes == Escapes::Shortest;
    Ok(numbers && strings)
}

/// Returns formulas over values: each item of an array with two or more items satisfies one of them. Returns no formula
/// if arrays have at most one item.
fn item_values(automata: &mut Automata<'_>, formula: FormulaId) -> Vec<FormulaId> {
    let mut items: BTreeMap<u32, Vec<FormulaId>> = BTreeMap::new();
    let (mut rests, mut most) = (Vec::new(), u32::MAX);
    for conjunct in automata.simplifier.types.arrays.formulas.conjuncts(formula) {
        let Formula::Literal(literal) = *automata.simplifier.types.arrays.formulas.get(conjunct)
        else {
            continue;
        };
        match automata.simplifier.types.arrays.atoms[literal.atom as usize] {
            _ if !literal.positive => {}
            ArrayAtom::Item(at, value) => items.entry(at).or_default().push(value),
            ArrayAtom::Items(from, value) => rests.push((from, value)),
            ArrayAtom::Count(bounds) => most = most.min(bounds.max.unwrap_or(u32::MAX)),
            _ => {}
        }
    }
    if most < 2 {
        return Vec::new();
    }
    let ends = items.keys().map(|at| at + 1).chain(rests.iter().map(|(from, _)| *from));
    let uniform = ends.max().unwrap_or(0);
    let positions = 0..=uniform.min(most - 1);
    let values = positions.map(|position| {
        let here = items.get(&position).into_iter().flatten().copied();
        let rest = rests.iter().filter(|(from, _)| *from <= position).map(|(_, value)| *value);
        automata.simplifier.types.logic.values.and(here.chain(rest))
    });
    let distinct: IndexSet<_, FxBuildHasher> = values.collect();
    distinct.into_iter().collect()
}
