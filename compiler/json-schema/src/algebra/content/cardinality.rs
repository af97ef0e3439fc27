//! Decides whether items that must differ have enough values.
//!
//! The runtime refuses an item that equals an earlier one, one item at a time and without lookahead. An array never
//! gets stuck if each required item has more values than items can precede it. A lower bound on the number of values
//! shows this. Otherwise items may repeat, and `uniqueItems` is approximate.
//!
//! Cost: nothing if no array needs a second item; else [`ROUNDS`] passes over the graph.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::report::Verdict;

use super::node::Content;
use crate::algebra::automata::item_automaton::ItemAutomaton;
use crate::algebra::automata::layer::Automata;
use crate::algebra::automata::member_automaton::{MemberAutomaton, MemberName};
use crate::algebra::automata::unique_items::MANY;
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::logic::layer::Inexact;

/// Largest number of items, and of automaton states, for which an array with `uniqueItems` stays exact: each item is a
/// state or a few. Beyond, items may repeat. Sets with more values count as infinite.
const MOST_ITEMS: u32 = 1_024;

/// Number of passes that count how many values satisfy each formula. Each pass sees one level deeper into arrays and
/// objects. Deeper values do not count.
const ROUNDS: usize = 6;

/// A number of values of an item that suffices for every array with `uniqueItems`: one more than the most items.
const ENOUGH: u32 = MOST_ITEMS + 1;

/// The formulas over values of a content graph. The index of a formula is the index of its content, the values that
/// satisfy it.
type Formulas = IndexSet<FormulaId, FxBuildHasher>;

/// Lets the items of an array with `uniqueItems` repeat if they may not have enough values, or if bounds on their
/// number exceed [`MOST_ITEMS`]. Then every `uniqueItems` that the runtime checks is reported as approximate.
pub(crate) fn check_cardinality(
    automata: &mut Automata<'_>,
    contents: &mut [Content],
    formulas: &Formulas,
) {
    let arrays = contents.iter().flat_map(|content| content.arrays.iter().flatten());
    let distinct = arrays.filter(|automaton| automaton.distinct);
    let needs: Vec<Needs> = distinct.map(Needs::of).collect();
    let Some(most) = needs.iter().map(|needs| needs.most).max() else { return };
    let known = if most > 1 { counts(contents, formulas) } else { Vec::new() };
    let values = |value| formulas.get_index_of(&value).and_then(|at| known.get(at)).copied();
    let values = |value| values(value).unwrap_or(0);
    let mut some_repeat = false;
    let arrays = contents.iter_mut().flat_map(|content| content.arrays.iter_mut().flatten());
    for (automaton, needs) in arrays.filter(|automaton| automaton.distinct).zip(&needs) {
        automaton.distinct = suffices(automaton, needs, values);
        some_repeat |= !automaton.distinct;
    }
    if some_repeat {
        let Automata { unique, simplifier, .. } = automata;
        let inexact = |&place| Inexact { place, verdict: Verdict::Approximate, reason: MANY };
        simplifier.types.logic.inexact.extend(unique.iter().map(inexact));
    }
}

/// Numbers of items before and after each state of an item automaton.
struct Needs {
    /// For each state, the most items before it; `None` if a cycle makes their number unbounded.
    before: Vec<Option<u32>>,
    /// For each state, the fewest items from it to an end of the array; `u32::MAX` if no end is reachable.
    after: Vec<u32>,
    /// The position of the last required item, counted from 1 over the longest path to it.
    most: u32,
}

impl Needs {
    fn of(automaton: &ItemAutomaton) -> Self {
        let states = &automaton.states;
        let mut before: Vec<Option<u32>> = vec![Some(0); states.len()];
        let mut after = vec![u32::MAX; states.len()];
        // States are numbered in the order of discovery, so one or two rounds suffice unless items lead back to earlier
        // states.
        for round in 0..=states.len() {
            let mut changed = false;
            for (at, state) in states.iter().enumerate() {
                let next = before[at].map(|count| count + 1);
                for &(_, to) in state.items.iter().filter(|_| state.repeat.is_none()) {
                    let longest = match (next, before[to as usize]) {
                        (Some(next), Some(known)) if round < states.len() => Some(next.max(known)),
                        (Some(next), Some(known)) if next <= known => Some(known),
                        _ => None,
                    };
                    changed |= longest != before[to as usize];
                    before[to as usize] = longest;
                }
            }
            for (at, state) in states.iter().enumerate().rev() {
                let own = match (state.end, state.repeat) {
                    (true, bounds) => bounds.map_or(0, |bounds| bounds.min),
                    (false, _) => u32::MAX,
                };
                let items = state.items.iter().filter(|_| state.repeat.is_none());
                let through = items.map(|(_, to)| after[*to as usize].saturating_add(1)).min();
                let fewest = own.min(through.unwrap_or(u32::MAX));
                changed |= fewest != after[at];
                after[at] = fewest;
            }
            if !changed {
                break;
            }
        }
        let most = before.iter().zip(&after).filter(|(_, after)| **after > 0);
        let most = most.map(|(before, after)| before.unwrap_or(u32::MAX).saturating_add(*after));
        let most = most.max().unwrap_or(0);
        Self { before, after, most }
    }
}

/// Returns whether every required item of an automaton's arrays has more values than items can precede it. `values`
/// returns a lower bound on the number of values that satisfy a formula.
fn suffices(automaton: &ItemAutomaton, needs: &Needs, values: impl Fn(FormulaId) -> u32) -> bool {
    automaton.states.iter().enumerate().all(|(at, state)| {
        let bounds = state.repeat.unwrap_or_default();
        let most = bounds.max.unwrap_or(0).max(bounds.min);
        if most > MOST_ITEMS || automaton.states.len() > MOST_ITEMS as usize {
            return false;
        }
        let after = needs.after[at];
        let Some(before) = needs.before[at] else { return after == 0 };
        let (items, come) = match state.repeat {
            Some(_) => (after, before.saturating_add(after)),
            None => (after, before.saturating_add(1)),
        };
        let nearer = |to: u32| state.repeat.is_some() || needs.after[to as usize] < after;
        // The first item of an array is always new.
        items == 0
            || come <= 1
            || state.items.iter().any(|&(value, to)| nearer(to) && values(value) >= come)
    })
}

/// Returns for each content (scalars, arrays and objects that satisfy a formula) a lower bound on the number of its
/// values. The bounds are capped at [`ENOUGH`].
fn counts(contents: &[Content], formulas: &Formulas) -> Vec<u32> {
    let scalars = contents.iter().map(|content| {
        let few = content.scalars.finite(MOST_ITEMS as usize);
        few.map_or(ENOUGH, |few| few.len() as u32)
    });
    let mut counts: Vec<u32> = scalars.collect();
    for _ in 0..ROUNDS {
        for (at, content) in contents.iter().enumerate() {
            let value = |value: FormulaId| formulas.get_index_of(&value).map_or(0, |at| counts[at]);
            let arrays = content.arrays.as_ref().map_or(ENOUGH, |automata| {
                automata.iter().map(|automaton| arrays(automaton, value)).max().unwrap_or(0)
            });
            let objects = content.objects.as_ref().map_or(ENOUGH, |automata| {
                automata.iter().map(|automaton| objects(automaton, value)).max().unwrap_or(0)
            });
            counts[at] = counts[at].max(arrays).max(objects);
        }
    }
    counts
}

/// Returns the product of two numbers of values, capped at [`ENOUGH`].
fn times(a: u32, b: u32) -> u32 {
    a.saturating_mul(b).min(ENOUGH)
}

/// Returns a lower bound on the number of arrays that an automaton accepts: the arrays along the path with the most.
fn arrays(automaton: &ItemAutomaton, value: impl Fn(FormulaId) -> u32) -> u32 {
    let mut known = vec![0; automaton.states.len()];
    for (at, state) in automaton.states.iter().enumerate().rev() {
        let own = match state.repeat {
            _ if !state.end => 0,
            Some(bounds) => {
                let item = state.items.iter().map(|&(item, _)| value(item)).max().unwrap_or(0);
                match bounds.max {
                    Some(0) => 1,
                    None if item > 0 => ENOUGH,
                    _ if bounds.min == 0 => item.max(1),
                    _ => item,
                }
            }
            None => 1,
        };
        let edges = state.items.iter().filter(|_| state.repeat.is_none());
        let through = edges.map(|&(item, to)| times(value(item), known[to as usize])).max();
        known[at] = own.max(through.unwrap_or(0));
    }
    known[0]
}

/// Returns a lower bound on the number of objects that an automaton accepts: the objects along the path with the most.
fn objects(automaton: &MemberAutomaton, value: impl Fn(FormulaId) -> u32) -> u32 {
    if automaton.marks != 0 {
        return marked_objects(automaton, value);
    }
    let mut known = vec![0; automaton.states.len()];
    for (at, state) in automaton.states.iter().enumerate().rev() {
        let member = |name: &MemberName, item: u32| match name {
            MemberName::Names(names) if item > 0 && names.finite(MOST_ITEMS as usize).is_none() => {
                ENOUGH
            }
            _ => item,
        };
        let ways = state.members.iter().map(|m| (member(&m.name, value(m.value)), m.to));
        let (mut most, mut repeated) = (u32::from(state.end && state.repeat.is_none()), 0);
        for (count, to) in ways {
            repeated = repeated.max(count);
            if state.repeat.is_none() {
                most = most.max(times(count, known[to as usize]));
            }
        }
        most = match state.repeat {
            Some(bounds) if bounds.max == Some(0) => most.max(1),
            Some(bounds) if state.end => most.max(repeated).max(u32::from(bounds.min == 0)),
            _ => most,
        };
        let skipped = state.skip.map_or(0, |to| known[to as usize]);
        known[at] = most.max(skipped);
    }
    known[0]
}

/// Returns a lower bound on the number of objects of an automaton with marks (required keys in any order). The bound is
/// the number of values of the required member with the most values.
fn marked_objects(automaton: &MemberAutomaton, value: impl Fn(FormulaId) -> u32) -> u32 {
    let members = || automaton.states.iter().flat_map(|state| &state.members);
    let marks = (0..u32::BITS as u8).filter(|mark| automaton.marks >> mark & 1 != 0);
    let fewest = marks.map(|mark| {
        let of_mark = members().filter(|member| member.mark == Some(mark));
        of_mark.map(|member| value(member.value)).min().unwrap_or(0)
    });
    let counts: Vec<u32> = fewest.collect();
    if counts.contains(&0) { 0 } else { counts.into_iter().max().unwrap_or(0) }
}
