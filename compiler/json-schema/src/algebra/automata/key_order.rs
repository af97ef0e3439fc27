//! Chooses the member automata that the objects of a formula become.
//!
//! One automaton is preferred, since the parser then follows one path. A formula with alternatives may be split into
//! one automaton for each alternative. This is done if one automaton exceeds its limit of states, or if alternatives
//! name keys in different orders. If the parts would be too many, one automaton orders keys by [the remaining
//! formula](super::order_by_rest).
//!
//! With keys in any order, dependencies between members multiply states. Beyond a budget, required keys without a mark
//! (a bit for a key that must come) keep their order. Beyond that, all keys keep their order, except in objects that
//! satisfy a single branch. Keywords that name keys are then reported as narrower.

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

/// Units of work that an attempt to build one automaton may take for each state or edge it may build. An attempt beyond
/// this limit fails, since it would also build too many states.
const WORK: usize = 64;
/// Divisor of the slack (the work that failed attempts may still waste). One object with keys in any order may use this
/// part of the slack.
const SHARE: usize = 4;
/// Most states and edges of one any-order automaton for a formula with alternatives: `ROOM[0]` for each key, and
/// `ROOM[1]` besides. Beyond, the formula is split.
const ROOM: [usize; 2] = [8, 64];
/// Most automata over members into which one object formula is split. A formula with more alternatives stays one
/// automaton.
const MOST_PARTS: usize = 4_096;
/// Most alternatives of an object formula that are tried as any-order automata after the whole formula failed. Further
/// alternatives keep their keys in order.
const MOST_PLAIN: usize = 64;
/// Least limit on the states and edges of an any-order automaton; objects with many keys may have more.
const MOST_FREE: usize = 1_024;

/// Reason in the report for keys that keep their order although any order was requested.
const ORDER: &str = "these keys keep their order: in any order they have too many combinations";

/// Returns automata that together accept the objects that satisfy a formula over values. Returns `None` if every object
/// does.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
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
            // An object may take a part of the slack (work that failed attempts may still waste). So an expensive
            // object leaves some work for the others.
            let share = automata.types().meter.slack().part(SHARE);
            automata.attempt(share, |automata| split_automata(automata, whole, promise))?
        }
        OrderPromise::Schema | OrderPromise::Sorted | OrderPromise::Fallback => {
            split_automata(automata, whole, promise)?
        }
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

/// Builds the automata of an object formula with too many combinations of keys for any order. Required keys without a
/// mark (a register bit) keep their order. If that automaton is too large as well, all keys keep their order, except in
/// objects that satisfy a single branch.
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

/// Builds automata of an object formula, and splits the formula at its alternatives where one automaton is too large.
/// Returns `None` if a part is too large and cannot be split.
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

/// Builds any-order automata of the objects that satisfy one branch and have no key of another branch. Most objects of
/// overlapping branches are such objects. Stops after [`MOST_PLAIN`] branches.
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

/// Replaces each disjunction among the conjuncts of an object formula by its first alternative that an object without
/// further members satisfies; false if there is none.
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

/// Builds one automaton of an object formula. Returns `None` if its states and edges exceed the limit for this formula
/// and this order of keys (`promise`). `spent` is the number of states and edges of the automata of earlier parts.
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
        OrderPromise::Sorted => in_order_of_names(automata, formula, keys, room),
    }
}

/// Returns the limit on work of an attempt to build at most `room` states and edges.
fn limit_of(room: usize) -> WorkLimit {
    WorkLimit { work: room.saturating_mul(WORK), formulas: usize::MAX }
}

/// Builds the automaton of an object formula with keys in any order. Returns `None` beyond `order.room` states and
/// edges, or beyond the work that so many may take.
fn bounded_any_order(
    automata: &mut Automata<'_>,
    formula: FormulaId,
    order: AnyOrder<'_>,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let limit = limit_of(order.room);
    automata.attempt(limit, |automata| in_any_order(automata, formula, order))
}

/// Builds the automaton of an object formula with keys in the order in which the formula names them. If alternatives
/// name keys in different orders, the order depends on the remaining formula. `room` bounds states and edges and is
/// `Some` if the formula may be split. Returns `None` if splitting is better or `room` is exceeded.
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

/// Builds the automaton of an object formula whose keys come by name, without regard to case. `room` bounds states and
/// edges and is `Some` if the formula may be split. Returns `None` if `room` is exceeded.
fn in_order_of_names(
    automata: &mut Automata<'_>,
    formula: FormulaId,
    mut keys: Vec<u32>,
    room: Option<usize>,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let objects = &automata.types().objects;
    keys.sort_by_cached_key(|&key| {
        let name = objects.key(key);
        (name.to_lowercase(), name.to_owned())
    });
    let limit = limit_of(room.unwrap_or(usize::MAX));
    automata.attempt(limit, |automata| {
        members_within(&mut automata.simplifier, formula, &keys, room.unwrap_or(usize::MAX))
    })
}

/// Reports keywords as narrower (fewer texts are accepted): those of the formula `value` that name or count keys.
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

/// Returns whether every alternative inside an object formula names its keys in the order of `keys`.
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

/// Returns the limit on the states and edges, added up, of one any-order automaton with these keys.
fn most_free(keys: &[u32]) -> usize {
    MOST_FREE.max(ROOM[0] * keys.len())
}

/// Returns the limit on the states and edges, added up, of all any-order automata of one formula with these keys.
fn most_together(keys: &[u32]) -> usize {
    8 * most_free(keys)
}

/// Distributes an object formula over its first disjunction, which yields one formula for each alternative. Returns
/// `None` without a disjunction. `large` skips disjunctions whose operands are all literals (single facts or negated
/// facts).
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
