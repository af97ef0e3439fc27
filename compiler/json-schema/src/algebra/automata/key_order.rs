//! Which automata the objects of a formula become.
//!
//! One automaton is preferred, since the parser then follows one path. A formula with alternatives is split into an
//! automaton for each alternative if one automaton exceeds its room, or if alternatives name keys in different orders. If
//! the parts would be too many, one automaton orders keys [by what remains](super::order_by_rest).
//!
//! With keys in any order, dependencies between members multiply states. Beyond a budget, required keys without a mark keep
//! their order. Beyond that, all keys keep their order, except in objects of one branch alone. Keywords that name keys are
//! then reported as narrower.

use rustc_hash::{FxHashMap, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::any_order::{AnyOrder, in_any_order, note_again};
use super::layer::Automata;
use super::member_automaton::MemberAutomaton;
use super::members::members_within;
use super::order_by_rest::ordered_by_rest;
use super::repeated_keys::keep_keys_distinct;
use crate::algebra::logic::formula::{Formula, FormulaId, Formulas};
use crate::algebra::logic::work::WorkLimit;
use crate::algebra::promises::OrderPromise;
use crate::algebra::simplify::disjoint_one_of::resolved_objects;
use crate::algebra::simplify::unit_propagation::propagated;
use crate::algebra::types::object_atoms::Objects;
use crate::read::schema::Part;

/// Most units of work for each state or edge of an attempt's room. Beyond, the attempt fails: it would exceed its room as
/// well.
const WORK: usize = 64;
/// Fraction of the slack that one object with keys in any order may use.
const SHARE: usize = 4;
/// Most states and edges of a formula with alternatives: so many for each key, and so many more. Beyond, the formula is
/// split.
const ROOM: [usize; 2] = [8, 64];
/// Most automata that a formula is split into. Beyond, it stays one automaton.
const MOST_PARTS: usize = 4_096;
/// Most alternatives that get an any-order automaton if the whole formula gets none.
const MOST_PLAIN: usize = 64;
/// States and edges that every any-order automaton may have.
const MOST_FREE: usize = 1_024;

/// Why keys in any order are narrower.
const ORDER: &str = "these keys keep their order: in any order they have too many combinations";

/// Automata that together accept the objects that a formula over values holds for. `None` for all objects.
///
/// # Errors
///
/// An exceeded limit.
pub(crate) fn member_automata(
    automata: &mut Automata<'_>,
    value: FormulaId,
) -> Result<Option<Vec<MemberAutomaton>>, Diagnostic> {
    let whole = resolved_objects(&mut automata.simplifier, value)?;
    if whole == FormulaId::TRUE {
        return Ok(None);
    }
    let promise = automata.key_order;
    let split = match promise {
        OrderPromise::Any => {
            // An object may take a part of the slack, so that one that is too much leaves something to others.
            let share = automata.types().meter.slack().part(SHARE);
            automata.attempt(share, |automata| split_automata(automata, whole, promise))?
        }
        OrderPromise::Schema | OrderPromise::Fallback => split_automata(automata, whole, promise)?,
    };
    let mut found = match split {
        Some(found) => found,
        None => {
            note_order(automata, value);
            partly_ordered(automata, whole)?
        }
    };
    if promise == OrderPromise::Fallback {
        note_order(automata, value);
    }
    note_again(automata, value);
    found.dedup();
    keep_keys_distinct(automata.types(), value, whole, &mut found)?;
    Ok(Some(found))
}

/// Builds the automata of a formula with too many combinations for any order. Required keys without a mark keep their order.
/// If that is too much as well, all keys do, except in objects of one branch alone.
fn partly_ordered(
    automata: &mut Automata<'_>,
    whole: FormulaId,
) -> Result<Vec<MemberAutomaton>, Diagnostic> {
    let keys = automata.types().objects.keys_of(whole);
    let order = AnyOrder { keys: &keys, free: false, room: most_free(&keys) };
    if let Some(automaton) = bounded_any_order(automata, whole, order)? {
        return Ok(vec![automaton]);
    }
    let ordered = split_automata(automata, whole, OrderPromise::Fallback)?;
    let mut found = ordered.unwrap_or_default();
    found.extend(plain_automata(automata, whole)?);
    Ok(found)
}

/// Builds the automata of a formula, and splits alternatives that exceed their room. `None` if a formula without
/// alternatives exceeds its room.
fn split_automata(
    automata: &mut Automata<'_>,
    whole: FormulaId,
    promise: OrderPromise,
) -> Result<Option<Vec<MemberAutomaton>>, Diagnostic> {
    let mut found = Vec::new();
    let mut open = vec![whole];
    let mut parts = 1;
    let mut spent = 0;
    while let Some(formula) = open.pop() {
        let formula = propagated(&mut automata.simplifier, formula)?;
        if formula == FormulaId::FALSE {
            continue;
        }
        let choices = alternatives(&mut automata.types().objects.formulas, formula, false);
        let choices = choices.filter(|choices| parts + choices.len() <= MOST_PARTS);
        let shapes = automata.types().meter.shapes;
        if let Some(automaton) =
            whole_automaton(automata, formula, choices.is_some(), spent, promise)?
        {
            spent += automaton.size();
            found.push(automaton);
            continue;
        }
        automata.types().meter.shapes = shapes;
        let Some(choices) = choices else { return Ok(None) };
        parts += choices.len();
        open.extend(choices.into_iter().rev());
    }
    Ok(Some(found))
}

/// Builds any-order automata of objects that satisfy one branch and have no key of another branch. Most objects of
/// overlapping branches are of this kind.
fn plain_automata(
    automata: &mut Automata<'_>,
    whole: FormulaId,
) -> Result<Vec<MemberAutomaton>, Diagnostic> {
    let mut found = Vec::new();
    let mut open = vec![whole];
    let mut parts = 1;
    while let Some(formula) = open.pop() {
        let formula = propagated(&mut automata.simplifier, formula)?;
        let choices = alternatives(&mut automata.types().objects.formulas, formula, true);
        if let Some(choices) = choices {
            parts += choices.len();
            if parts > MOST_PLAIN {
                break;
            }
            open.extend(choices.into_iter().rev());
            continue;
        }
        let plain = without_choices(&mut automata.types().objects, formula);
        let keys = automata.types().objects.keys_of(plain);
        let order = AnyOrder { keys: &keys, free: true, room: most_free(&keys) };
        if plain != FormulaId::FALSE
            && let Some(automaton) = bounded_any_order(automata, plain, order)?
        {
            found.push(automaton);
        }
    }
    Ok(found)
}

/// The formula with each disjunction replaced by its first alternative that holds if keys are left out.
fn without_choices(objects: &mut Objects, formula: FormulaId) -> FormulaId {
    let conjuncts = objects.formulas.conjuncts(formula);
    let decided: Vec<_> = conjuncts
        .map(|conjunct| match objects.formulas.get(conjunct).clone() {
            Formula::Or(operands) => {
                let holds = operands.iter().find(|&&operand| objects.may_end(operand));
                holds.copied().unwrap_or(FormulaId::FALSE)
            }
            _ => conjunct,
        })
        .collect();
    objects.formulas.and(decided)
}

/// Builds one automaton of a formula. `None` if it exceeds its room.
fn whole_automaton(
    automata: &mut Automata<'_>,
    formula: FormulaId,
    may_split: bool,
    spent: usize,
    promise: OrderPromise,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let keys = automata.types().objects.keys_of(formula);
    let room = may_split.then(|| ROOM[0] * keys.len() + ROOM[1]);
    match promise {
        OrderPromise::Any => {
            let left = most_free(&keys).min(most_together(&keys).saturating_sub(spent));
            let room = room.map_or(left, |room| room.min(left));
            bounded_any_order(automata, formula, AnyOrder { keys: &keys, free: true, room })
        }
        OrderPromise::Schema | OrderPromise::Fallback => {
            in_named_order(automata, formula, &keys, room)
        }
    }
}

/// Limit of work for an automaton with so much room.
fn limit_of(room: usize) -> WorkLimit {
    WorkLimit { work: room.saturating_mul(WORK), formulas: usize::MAX }
}

/// The automaton with keys in any order. `None` if it exceeds its room, or the limit of work that follows from it.
fn bounded_any_order(
    automata: &mut Automata<'_>,
    formula: FormulaId,
    order: AnyOrder<'_>,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let limit = limit_of(order.room);
    automata.attempt(limit, |automata| in_any_order(automata, formula, order))
}

/// Builds the automaton with keys in the order of the formula, or in an order by what remains if alternatives differ. `room`
/// is given if the formula may be split, which is preferred to an order by what remains.
fn in_named_order(
    automata: &mut Automata<'_>,
    formula: FormulaId,
    keys: &[u32],
    room: Option<usize>,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let is_uniform = has_uniform_order(&automata.types().objects, formula, keys);
    let simplifier = &mut automata.simplifier;
    match (is_uniform, room) {
        (true, None) => members_within(simplifier, formula, keys, usize::MAX),
        (true, Some(room)) => automata.attempt(limit_of(room), |automata| {
            members_within(&mut automata.simplifier, formula, keys, room)
        }),
        (false, Some(_)) => Ok(None),
        (false, None) => ordered_by_rest(simplifier, formula, keys, usize::MAX),
    }
}

/// Reports the keywords that name or count keys as narrower.
fn note_order(automata: &mut Automata<'_>, value: FormulaId) {
    automata.logic().note(value, Verdict::Narrower, ORDER, |part| {
        matches!(
            part,
            Part::Required(_)
                | Part::Properties(_)
                | Part::MemberCount(_)
                | Part::DependentRequired(..)
                | Part::DependentSchema(..)
                | Part::Values(_)
        )
    });
}

/// Whether every alternative inside the formula names its keys in the order of the whole.
fn has_uniform_order(objects: &Objects, formula: FormulaId, keys: &[u32]) -> bool {
    let formulas = &objects.formulas;
    let is_literal = |id| matches!(formulas.get(id), Formula::Literal(_));
    if formulas.conjuncts(formula).all(is_literal) {
        return true;
    }
    let place: FxHashMap<u32, usize> =
        keys.iter().enumerate().map(|(at, &key)| (key, at)).collect();
    let mut seen = FxHashSet::default();
    let mut open = vec![formula];
    while let Some(next) = open.pop() {
        if !seen.insert(next) {
            continue;
        }
        match formulas.get(next) {
            Formula::And(operands) => open.extend(operands.iter()),
            Formula::Or(operands) => {
                for &operand in operands.iter() {
                    if !objects.keys_of(operand).is_sorted_by_key(|key| place.get(key)) {
                        return false;
                    }
                    open.push(operand);
                }
            }
            _ => {}
        }
    }
    true
}

/// States and edges of one any-order automaton with these keys before its keys keep their order.
fn most_free(keys: &[u32]) -> usize {
    MOST_FREE.max(ROOM[0] * keys.len())
}

/// States and edges of all any-order automata of one formula.
fn most_together(keys: &[u32]) -> usize {
    8 * most_free(keys)
}

/// Distributes a formula over its first disjunction: one formula for each alternative. `None` without a disjunction. `large`
/// skips disjunctions of literals alone.
fn alternatives(
    formulas: &mut Formulas,
    formula: FormulaId,
    large: bool,
) -> Option<Vec<FormulaId>> {
    let is_small = |formulas: &Formulas, operands: &[FormulaId]| {
        operands.iter().all(|&id| matches!(formulas.get(id), Formula::Literal(_)))
    };
    match formulas.get(formula).clone() {
        Formula::Or(operands) if large && is_small(formulas, &operands) => None,
        Formula::Or(operands) => Some(operands.to_vec()),
        Formula::And(operands) => {
            let is_choice = |id: &FormulaId| match formulas.get(*id) {
                Formula::Or(operands) => !(large && is_small(formulas, operands)),
                _ => false,
            };
            let at = operands.iter().position(is_choice)?;
            let Formula::Or(branches) = formulas.get(operands[at]).clone() else { return None };
            let with = |branch: &FormulaId| {
                let (before, after) = (&operands[..at], &operands[at + 1..]);
                formulas.and(before.iter().chain([branch]).chain(after).copied())
            };
            Some(branches.iter().map(with).collect())
        }
        _ => None,
    }
}
