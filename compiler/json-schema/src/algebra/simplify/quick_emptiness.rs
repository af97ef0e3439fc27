//! A quick, incomplete test of whether a formula is empty.
//!
//! Emptiness is decided exactly only when the whole content graph is built. Branches that exclude each other must be
//! recognized earlier, or they multiply. The quick test is exact for scalars. An object formula is empty if a required
//! key has an empty value, and an array formula if a required item is empty. Both are tested to a bounded depth.
//! Alternatives are tested one by one.
//!
//! Cost: a bounded number of conjunctions for each formula and depth; results are memoised.

use grammarc_grammar::diagnostics::Diagnostic;

use super::layer::Simplifier;
use super::steps::Step;
use crate::algebra::logic::formula::{Formula, FormulaId, Literal};
use crate::algebra::types::array_atoms::ArrayAtom;
use crate::algebra::types::arrays::array_formula;
use crate::algebra::types::facts::{Fact, OfAllKeys, facts, of_all_keys, with_all_keys};
use crate::algebra::types::object_atoms::{ObjectAtom, Objects};
use crate::algebra::types::objects::object_formula;
use crate::algebra::types::scalars::scalars;
use crate::read::schema::Bounds;

/// Levels of nested objects and arrays that the quick test of emptiness descends. Values at deeper levels count as
/// satisfiable.
pub(crate) const DEPTH: u32 = 3;
/// Most alternatives of one disjunction that the quick test of emptiness visits. A formula with more alternatives
/// counts as satisfiable.
pub(crate) const ALTERNATIVES: usize = 64;

/// Returns whether a quick test shows that no value satisfies a formula over values. `false` may also mean unknown.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn obviously_empty(
    simplifier: &mut Simplifier<'_>,
    value: FormulaId,
) -> Result<bool, Diagnostic> {
    obviously_empty_within(simplifier, value, DEPTH)
}

/// Returns whether a quick test shows that no value satisfies a formula over values. The test descends at most `depth`
/// levels of objects and arrays. `false` may also mean unknown.
fn obviously_empty_within(
    simplifier: &mut Simplifier<'_>,
    value: FormulaId,
    depth: u32,
) -> Result<bool, Diagnostic> {
    match value {
        FormulaId::TRUE => return Ok(false),
        FormulaId::FALSE => return Ok(true),
        _ if !simplifier.steps.has(Step::QuickEmptiness) => return Ok(false),
        _ => {}
    }
    if let Some(&known) = simplifier.empty.get(&(value, depth)) {
        return Ok(known);
    }
    let is_empty = scalars(&mut simplifier.types, value)?.is_none() && {
        let objects = object_formula(&mut simplifier.types, value)?;
        let arrays = array_formula(&mut simplifier.types, value)?;
        match depth {
            0 => objects == FormulaId::FALSE && arrays == FormulaId::FALSE,
            _ => {
                obviously_no_object(simplifier, objects, depth - 1)?
                    && obviously_no_array(simplifier, arrays, depth - 1)?
            }
        }
    };
    if is_empty {
        simplifier.counts.add(Step::QuickEmptiness);
    }
    simplifier.empty.insert((value, depth), is_empty);
    Ok(is_empty)
}

/// Returns whether a quick test shows that no object satisfies an object formula. The test descends at most `depth`
/// levels of nested values. `false` may also mean unknown.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn obviously_no_object(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    depth: u32,
) -> Result<bool, Diagnostic> {
    if !simplifier.steps.has(Step::QuickEmptiness) {
        return Ok(formula == FormulaId::FALSE);
    }
    if let Some(branches) = branches(&simplifier.types.objects, formula) {
        if branches.len() > ALTERNATIVES {
            return Ok(false);
        }
        for branch in branches {
            if !obviously_no_conjunction(simplifier, branch, depth)? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    obviously_no_conjunction(simplifier, formula, depth)
}

/// Returns whether a quick test shows that no object satisfies a formula that is not itself a disjunction. Disjunctions
/// among its conjuncts are tested one at a time. `false` may also mean unknown.
fn obviously_no_conjunction(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    depth: u32,
) -> Result<bool, Diagnostic> {
    match simplifier.types.objects.formulas.get(formula).clone() {
        Formula::True => Ok(false),
        Formula::False => Ok(true),
        Formula::Literal(_) if depth == 0 => Ok(false),
        Formula::Literal(_) | Formula::Or(_) => {
            obviously_no_simple_object(simplifier, formula, depth)
        }
        Formula::And(operands) => {
            if obviously_no_simple_object(simplifier, formula, depth)? {
                return Ok(true);
            }
            // Tests each alternative together with all conjuncts that are no alternatives.
            let (choices, simple): (Vec<_>, Vec<_>) = operands
                .iter()
                .copied()
                .partition(|&id| branches(&simplifier.types.objects, id).is_some());
            for choice in choices {
                let Some(branches) = branches(&simplifier.types.objects, choice) else { continue };
                if branches.len() > ALTERNATIVES {
                    continue;
                }
                let mut none = true;
                for branch in branches {
                    let with = simple.iter().copied().chain([branch]);
                    let with = simplifier.types.objects.formulas.and(with);
                    // The other disjunctions are ignored: their product would be exponential.
                    if !obviously_no_simple_object(simplifier, with, depth)? {
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

/// Returns the alternatives of an object formula, with nested disjunctions flattened. Returns `None` if the formula is
/// neither a disjunction nor an `oneOf`. The list ends once it has more than [`ALTERNATIVES`] entries.
fn branches(objects: &Objects, formula: FormulaId) -> Option<Vec<FormulaId>> {
    let mut open = choices(objects, formula)?;
    open.reverse();
    let mut branches = Vec::with_capacity(open.len());
    while let Some(next) = open.pop() {
        match choices(objects, next) {
            Some(inner) => open.extend(inner.into_iter().rev()),
            None => branches.push(next),
        }
        if branches.len() > ALTERNATIVES {
            break;
        }
    }
    Some(branches)
}

/// Returns the operands of a disjunction or the branches of an `oneOf`, or `None` for any other formula.
fn choices(objects: &Objects, formula: FormulaId) -> Option<Vec<FormulaId>> {
    match objects.formulas.get(formula) {
        Formula::Or(branches) => Some(branches.to_vec()),
        Formula::Literal(Literal { atom, positive: true }) => match objects.atoms[*atom as usize] {
            ObjectAtom::OneOf(family) => Some(objects.family(family).sets.to_vec()),
            _ => None,
        },
        _ => None,
    }
}

/// Returns whether no object satisfies the conjuncts of an object formula that are literals (single facts or negated
/// facts). Other conjuncts are ignored, so `false` may also mean unknown.
fn obviously_no_simple_object(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    depth: u32,
) -> Result<bool, Diagnostic> {
    if formula == FormulaId::FALSE {
        return Ok(true);
    }
    let facts = facts(&mut simplifier.types, formula);
    let OfAllKeys { members, count } = of_all_keys(&simplifier.types.objects, formula);
    let mut required = 0;
    for (key, Fact { value, present }) in facts {
        if !present {
            continue;
        }
        required += 1;
        let value = with_all_keys(&mut simplifier.types, key, value, &members);
        let is_empty = match depth {
            0 => value == FormulaId::FALSE,
            _ => obviously_empty_within(simplifier, value, depth)?,
        };
        if is_empty {
            return Ok(true);
        }
    }
    Ok(count.is_empty() || count.max.is_some_and(|max| max < required))
}

/// A conjunct of an array formula about the items at some indices: each of these items satisfies `value`.
struct Items {
    /// Index of the first item that the conjunct concerns.
    from: u32,
    /// Index of the last item that the conjunct concerns; `u32::MAX` for no last item.
    to: u32,
    /// The formula that each of these items satisfies.
    value: FormulaId,
}

/// Returns whether a quick test shows that no array satisfies an array formula. The test descends at most `depth`
/// levels of nested values. `false` may also mean unknown.
fn obviously_no_array(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    depth: u32,
) -> Result<bool, Diagnostic> {
    let mut count = Bounds::default();
    let mut items = Vec::new();
    match simplifier.types.arrays.formulas.get(formula).clone() {
        Formula::False => return Ok(true),
        Formula::Or(operands) => {
            if operands.len() > ALTERNATIVES {
                return Ok(false);
            }
            for &operand in operands.iter() {
                if !obviously_no_array(simplifier, operand, depth)? {
                    return Ok(false);
                }
            }
            return Ok(true);
        }
        _ => {}
    }
    for conjunct in simplifier.types.arrays.formulas.conjuncts(formula) {
        let Formula::Literal(literal) = *simplifier.types.arrays.formulas.get(conjunct) else {
            continue;
        };
        match simplifier.types.arrays.atoms[literal.atom as usize] {
            ArrayAtom::Count(bounds) if literal.positive => count = count.intersect(bounds),
            ArrayAtom::Item(at, value) if literal.positive => {
                items.push(Items { from: at, to: at, value });
            }
            ArrayAtom::Items(from, value) if literal.positive => {
                items.push(Items { from, to: u32::MAX, value });
            }
            ArrayAtom::Item(at, _) => count = count.intersect(Bounds::at_least(at + 1)),
            _ => {}
        }
    }
    if count.is_empty() {
        return Ok(true);
    }
    let last = items.iter().map(|item| item.from.saturating_add(1)).max().unwrap_or(0);
    for at in 0..count.min.min(last) {
        let here = items.iter().filter(|items| (items.from..=items.to).contains(&at));
        let here: Vec<_> = here.map(|items| items.value).collect();
        let value = simplifier.types.logic.values.and(here);
        let is_empty = match depth {
            0 => value == FormulaId::FALSE,
            _ => obviously_empty_within(simplifier, value, depth)?,
        };
        if is_empty {
            return Ok(true);
        }
    }
    Ok(false)
}
