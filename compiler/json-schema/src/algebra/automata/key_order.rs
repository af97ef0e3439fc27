//! The automata over members that a formula becomes.
//!
//! A formula with alternatives can be one automaton, or one for each alternative. One is preferred, because the parse
//! position then follows one path; but where too many combinations matter, or where alternatives name keys in different
//! orders, each gets its own. If these would be too many, one automaton lets the order depend on what remains
//! ([`reordered`](super::order_by_rest)).
//!
//! With keys in any order, combinations of what members say of each other multiply, and the automata have a budget that
//! is met long before it costs time. Over it, required keys that have no marks keep their order, and where that is not
//! enough all do, but for objects that are like one branch alone; the keywords that name keys are then entered as
//! narrower.

use rustc_hash::{FxHashMap, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::members::MemberAutomaton;
use crate::algebra::logic::formula::{Formula, Formulas};
use crate::algebra::{Algebra, FormulaId, Orders, Patience, Subject};
use crate::read::schema::{Part, SchemaId};

/// Most work for each state or edge of an automaton's bound. More is a sign that the automaton will exceed its bound.
const WORK: usize = 64;
/// Share of the spare states that one object with keys in any order may take: a fourth.
const SHARE: usize = 4;
/// Most states of a formula with alternatives, for each key and in addition, before it is split.
const ROOM: [usize; 2] = [8, 64];
/// Most automata that one formula is split into.
const MOST_PARTS: usize = 4_096;
/// Most alternatives that get automata with keys in any order of their own, if the whole formula gets none.
const MOST_PLAIN: usize = 64;
/// States and members that every automaton with keys in any order may have.
const MOST_FREE: usize = 1_024;

/// Why keys in any order are narrower.
const ORDER: &str = "these keys keep their order: in any order they have too many combinations";

impl Algebra<'_> {
    /// Automata that together accept the objects that a formula over values holds for. `None` for all objects.
    pub(crate) fn member_automata(
        &mut self,
        value: FormulaId,
    ) -> Result<Option<Vec<MemberAutomaton>>, Diagnostic> {
        let whole = self.resolved_objects(value)?;
        if whole == FormulaId::TRUE {
            return Ok(None);
        }
        // An object may take a part of what there is to spare, so that one that is too much leaves something to others.
        let orders = self.orders;
        let split = match orders {
            Orders::Any => {
                let share = self.spare.part(SHARE);
                self.attempt(share, |algebra| algebra.split_automata(whole, orders))?
            }
            Orders::Schema | Orders::GivenUp => self.split_automata(whole, orders)?,
        };
        let mut automata = match split {
            Some(automata) => automata,
            None => {
                // Too much to tell one part of it from the others in any order.
                self.note_order(value);
                let keys = self.keys_of(whole);
                let room = most_free(&keys);
                match self.patiently(room, |algebra| {
                    algebra.unordered_members(whole, &keys, false, room)
                })? {
                    Some(automaton) => vec![automaton],
                    None => {
                        let ordered = self.split_automata(whole, Orders::GivenUp)?;
                        let mut automata = ordered.unwrap_or_default();
                        automata.extend(self.plain_automata(whole)?);
                        automata
                    }
                }
            }
        };
        if self.orders == Orders::GivenUp {
            self.note_order(value);
        }
        self.note_again(value);
        automata.dedup();
        self.keep_keys_apart(value, whole, &mut automata)?;
        Ok(Some(automata))
    }

    /// The automata of a formula, split into its alternatives where one would be too large. `None` where keys come in any
    /// order, and even then they would.
    fn split_automata(
        &mut self,
        whole: FormulaId,
        orders: Orders,
    ) -> Result<Option<Vec<MemberAutomaton>>, Diagnostic> {
        let mut automata = Vec::new();
        let mut open = vec![whole];
        let mut parts = 1;
        let mut spent = 0;
        while let Some(formula) = open.pop() {
            let formula = self.assumed(formula)?;
            if formula == FormulaId::FALSE {
                continue;
            }
            let choices = alternatives(&mut self.objects.formulas, formula, false);
            let choices = choices.filter(|choices| parts + choices.len() <= MOST_PARTS);
            let shapes = self.shapes;
            if let Some(automaton) =
                self.whole_automaton(formula, choices.is_some(), spent, orders)?
            {
                spent += automaton.size();
                automata.push(automaton);
                continue;
            }
            self.shapes = shapes;
            let Some(choices) = choices else { return Ok(None) };
            parts += choices.len();
            open.extend(choices.into_iter().rev());
        }
        Ok(Some(automata))
    }

    /// Automata with keys in any order of the objects that are like one branch and have no key by which another one
    /// could hold too. Most objects of overlapping branches are such.
    fn plain_automata(&mut self, whole: FormulaId) -> Result<Vec<MemberAutomaton>, Diagnostic> {
        let mut automata = Vec::new();
        let mut open = vec![whole];
        let mut parts = 1;
        while let Some(formula) = open.pop() {
            let formula = self.assumed(formula)?;
            let choices = alternatives(&mut self.objects.formulas, formula, true);
            if let Some(choices) = choices {
                parts += choices.len();
                if parts > MOST_PLAIN {
                    break;
                }
                open.extend(choices.into_iter().rev());
                continue;
            }
            let plain = self.without_choices(formula);
            let keys = self.keys_of(plain);
            let room = most_free(&keys);
            if plain != FormulaId::FALSE
                && let Some(automaton) = self.patiently(room, |algebra| {
                    algebra.unordered_members(plain, &keys, true, room)
                })?
            {
                automata.push(automaton);
            }
        }
        Ok(automata)
    }

    /// The formula with each disjunction replaced by its first alternative that holds if keys are left out.
    fn without_choices(&mut self, formula: FormulaId) -> FormulaId {
        let conjuncts = self.objects.formulas.conjuncts(formula);
        let decided: Vec<_> = conjuncts
            .map(|conjunct| match self.objects.formulas.get(conjunct).clone() {
                Formula::Or(operands) => {
                    let holds = operands.iter().find(|&&operand| self.object_may_end(operand));
                    holds.copied().unwrap_or(FormulaId::FALSE)
                }
                _ => conjunct,
            })
            .collect();
        self.objects.formulas.and(decided)
    }

    /// One automaton of a formula; `None` where it is to be split, or in any order is too large.
    fn whole_automaton(
        &mut self,
        formula: FormulaId,
        may_split: bool,
        spent: usize,
        orders: Orders,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        let keys = self.keys_of(formula);
        let room = may_split.then(|| ROOM[0] * keys.len() + ROOM[1]);
        match orders {
            Orders::Any => {
                let left = most_free(&keys).min(most_together(&keys).saturating_sub(spent));
                let room = room.map_or(left, |room| room.min(left));
                self.patiently(room, |algebra| {
                    algebra.unordered_members(formula, &keys, true, room)
                })
            }
            Orders::Schema | Orders::GivenUp => self.named_members(formula, &keys, room),
        }
    }

    /// The result of an attempt at an automaton with room for so many states and edges; `None` also where telling its
    /// cases apart takes so long that it will have no room.
    fn patiently(
        &mut self,
        room: usize,
        attempt: impl FnOnce(&mut Self) -> Result<Option<MemberAutomaton>, Diagnostic>,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        let most = Patience { work: room.saturating_mul(WORK), formulas: usize::MAX };
        self.attempt(most, attempt)
    }

    /// The automaton with keys in the order in which the formula names them, or what remains of it where alternatives
    /// differ. `room` is given where the formula may be split, which is then preferred to an order that depends on what
    /// remains.
    fn named_members(
        &mut self,
        formula: FormulaId,
        keys: &[u32],
        room: Option<usize>,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        match (self.in_order(formula, keys), room) {
            (true, None) => self.members_within(formula, keys, usize::MAX),
            (true, Some(room)) => {
                self.patiently(room, |algebra| algebra.members_within(formula, keys, room))
            }
            (false, Some(_)) => Ok(None),
            (false, None) => self.reordered_members(formula, keys, usize::MAX),
        }
    }

    /// Enters the keywords that name or count keys as narrower.
    fn note_order(&mut self, value: FormulaId) {
        self.note(value, Verdict::Narrower, ORDER, |part| {
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

    /// Enters keywords of a value's schemas in the report as not exact.
    pub(crate) fn note(
        &mut self,
        value: FormulaId,
        verdict: Verdict,
        reason: &'static str,
        applies: impl Fn(&Part) -> bool,
    ) {
        let mut open: Vec<SchemaId> = self
            .subjects(value)
            .filter_map(|(subject, _)| match subject {
                Subject::Schema(id) | Subject::Keyword(id, _) => Some(*id),
                _ => None,
            })
            .collect();
        let mut seen = FxHashSet::default();
        while let Some(id) = open.pop() {
            if !seen.insert(id) {
                continue;
            }
            for (place, part) in self.schemas.parts(id) {
                open.extend(part.in_place());
                if applies(part) {
                    self.inexact.insert((*place, verdict, reason));
                }
            }
        }
    }

    /// Whether every alternative inside the formula names its keys in the order in which the whole does.
    fn in_order(&self, formula: FormulaId, keys: &[u32]) -> bool {
        let formulas = &self.objects.formulas;
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
            match self.objects.formulas.get(next) {
                Formula::And(operands) => open.extend(operands.iter()),
                Formula::Or(operands) => {
                    for &operand in operands.iter() {
                        if !self.keys_of(operand).is_sorted_by_key(|key| place.get(key)) {
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
}

/// States and members that an automaton with these keys in any order may have before keys keep their order.
fn most_free(keys: &[u32]) -> usize {
    MOST_FREE.max(ROOM[0] * keys.len())
}

/// States and members that the automata of one formula with these keys in any order may have together.
fn most_together(keys: &[u32]) -> usize {
    8 * most_free(keys)
}

/// The first alternatives of a formula, each with all else that it says; `None` where there are none. `large` leaves out
/// those that are about a key or a set of keys each.
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
