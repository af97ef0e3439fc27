//! Automata over members whose keys come in any order.
//!
//! A key that has been written may be written again, with a value that satisfies the same: whichever of its values a
//! parser keeps, the object is the same kind of object. So an automaton need not know what has been written, only
//! which required keys have not: these carry marks, which an object has to pass each before it ends, and the number of
//! states does not depend on how many they are. Required keys beyond the number of marks keep the order of the schema
//! among themselves, and all other keys may still stand anywhere between them.
//!
//! A state is the set of the keys that have been written, and needs no marks, where each key that the schema names is to come
//! once ([`KeyOrder::AnyOnce`](crate::KeyOrder::AnyOnce)). These are 2^n states for n keys, so objects with many keys
//! take them again, and the report says so.
//!
//! A member that is written again counts again. For an upper bound that is sound, and every object has a text that repeats
//! nothing. For a lower bound, written keys are told apart and may not come again until so many have come. Required
//! members all come, so bounds count the others only.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::members::{KeyAtoms, Member, MemberAutomaton, MemberName, MemberState, OtherKeys};
use crate::algebra::types::objects::ObjectAtom;
use crate::algebra::{Algebra, FormulaId};
use crate::read::schema::{Bounds, Part};

/// Most states and members of an automaton whose keys come once. Beyond, keys may come again, and the report says so.
const MOST_ONCE: usize = 2_048;

/// Why keys that were to come once may come again.
const AGAIN: &str = "these keys may be written again: they have too many sets to be told apart";

/// Keys are to come once.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Once {
    /// States and members that automata of such keys may yet have.
    room: usize,
    /// Whether the keys of an automaton may come again all the same.
    again: bool,
}

impl Default for Once {
    fn default() -> Self {
        Self { room: 16 * MOST_ONCE, again: false }
    }
}

/// How often a key that the schema names may come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    /// Once at most.
    Once,
    /// Any number of times.
    Any,
}

impl Algebra<'_> {
    /// The automaton of an object formula with its keys in any order, which come once where that was asked for and their sets
    /// are few. See [`unordered`](Self::unordered).
    pub(crate) fn unordered_members(
        &mut self,
        formula: FormulaId,
        keys: &[u32],
        free: bool,
        room: usize,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        let Some(Once { room: left, .. }) = self.once else {
            return self.unordered(formula, keys, free, room, Times::Any);
        };
        let most = left.min(MOST_ONCE);
        if subsets(keys.len(), u32::MAX) <= most {
            let shapes = self.shapes;
            if let Some(automaton) = self.unordered(formula, keys, free, most, Times::Once)? {
                let room = left - automaton.size().min(left);
                self.once.iter_mut().for_each(|once| once.room = room);
                return Ok(Some(automaton));
            }
            self.shapes = shapes;
        }
        let automaton = self.unordered(formula, keys, free, room, Times::Any)?;
        let again = automaton.is_some();
        self.once.iter_mut().for_each(|once| once.again |= again);
        Ok(automaton)
    }

    /// Enters the keywords that name keys of a value as approximate, where some of its keys were to come once and may come
    /// again.
    pub(crate) fn note_again(&mut self, value: FormulaId) {
        if self.once.as_mut().is_some_and(|once| std::mem::take(&mut once.again)) {
            self.note(value, Verdict::Approximate, AGAIN, |part| {
                matches!(part, Part::Properties(_) | Part::Required(_))
            });
        }
    }

    /// The automaton of an object formula with its keys in any order. If the keys are too many to be told apart,
    /// `free` says to give up, and otherwise required keys keep their order among themselves, but for those with
    /// marks. `None` where the automaton has more states or edges than there is room for.
    fn unordered(
        &mut self,
        formula: FormulaId,
        keys: &[u32],
        free: bool,
        room: usize,
        times: Times,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        let literals = self.objects.formulas.literals(formula);
        let negated: FxHashSet<u32> = literals
            .iter()
            .filter(|literal| !literal.positive)
            .filter_map(|literal| match self.objects.atoms[literal.atom as usize] {
                ObjectAtom::Property { key, .. } => Some(key),
                _ => None,
            })
            .collect();
        let once = times == Times::Once;
        let mut fixed = self.fixed_members(formula, keys);
        if once {
            fixed.marks.clear();
            fixed.ordered.clear();
        }
        let Fixed { needed, marks, ordered, values, rest } = fixed;
        // A state is a set of written keys where so many have to come, and these sets may be known to be too many.
        let optional = keys.len() - needed.len();
        let sets = subsets(optional, self.fewest_members(rest).saturating_sub(1));
        if free && !ordered.is_empty() || sets > room {
            return Ok(None);
        }
        let placed: FxHashSet<u32> = ordered.iter().copied().collect();
        let unplaced: Vec<u32> = keys.iter().copied().filter(|key| !placed.contains(key)).collect();
        let mut others = OtherKeys::new(self.keys_but(keys));
        if marks.is_empty()
            && !once
            && let Some(state) = self.unordered_repetition(rest, keys, &values, &mut others)?
        {
            return Ok(Some(MemberAutomaton { states: vec![state], marks: 0, distinct: false }));
        }
        let mut canonical = FxHashMap::default();
        let mut states: IndexMap<Place, MemberState, FxBuildHasher> = IndexMap::default();
        let rest = self.objects.formulas.sorted(rest, &mut canonical);
        states.insert(Place { next: 0, written: Vec::new(), rest }, MemberState::default());
        let mut edges = 0;
        let mut at = 0;
        while let Some((place, _)) = states.get_index(at) {
            let Place { next, written, rest } = place.clone();
            let mut state = MemberState {
                end: next == ordered.len()
                    && (!once || needed.iter().all(|key| written.contains(key)))
                    && self.object_may_end(rest),
                ..MemberState::default()
            };
            let mut to = |place: Place| {
                let entry = states.entry(place);
                let index = entry.index();
                entry.or_default();
                u32::try_from(index).expect("budgets are below 2^32")
            };
            let counted = self.count_object_member(rest);
            let by_key = if counted == rest { self.by_key(rest) } else { None };
            let here = ordered.get(next).map(|&key| (key, next + 1));
            for (key, after) in unplaced.iter().map(|&key| (key, next)).chain(here) {
                if written.contains(&key) {
                    continue;
                }
                let value = values.get(&key).copied().unwrap_or(FormulaId::TRUE);
                let mark = marks.get(&key).copied();
                let is_counted = !needed.contains(&key);
                let before = match &by_key {
                    Some(sorted) => self.with_key(sorted, key),
                    None if is_counted => counted,
                    None => rest,
                };
                let atoms = KeyAtoms::again(key, negated.contains(&key));
                for (value, rest) in self.cases(atoms, before, value)? {
                    let mut written = written.clone();
                    if once || is_counted {
                        written.push(key);
                        written.sort_unstable();
                    }
                    let to = to(self.unordered_place(after, written, rest, times, &mut canonical));
                    state.members.push(Member { name: MemberName::Key(key), value, to, mark });
                }
            }
            for (names, (value, rest)) in self.other_members(&mut others, counted)? {
                let written = written.clone();
                let to = to(self.unordered_place(next, written, rest, times, &mut canonical));
                self.push_names(&mut state, names, value, to)?;
            }
            edges += state.members.len();
            states[at] = state;
            at += 1;
            if states.len() + edges > room {
                return Ok(None);
            }
            self.grow()?;
        }
        let marks = marks.values().fold(0, |marks, mark| marks | 1 << mark);
        let states = states.into_values().collect();
        Ok(Some(MemberAutomaton { states, marks, distinct: false }))
    }

    /// A state that counts members by a repetition, if members change nothing else and may come again. `None` otherwise.
    fn unordered_repetition(
        &mut self,
        rest: FormulaId,
        keys: &[u32],
        values: &FxHashMap<u32, FormulaId>,
        others: &mut OtherKeys,
    ) -> Result<Option<MemberState>, Diagnostic> {
        let (bounds, uncounted) = self.split_counts(rest);
        let tells = bounds.min > 1 && !keys.is_empty() || self.counts_members(uncounted);
        if bounds.is_all() || bounds.is_empty() || tells || !self.keys_of(uncounted).is_empty() {
            return Ok(None);
        }
        let mut state = MemberState {
            end: self.object_may_end(uncounted),
            repeat: Some(bounds),
            ..MemberState::default()
        };
        for &key in keys {
            let value = values.get(&key).copied().unwrap_or(FormulaId::TRUE);
            for (value, after) in self.cases(KeyAtoms::again(key, false), uncounted, value)? {
                if after != uncounted {
                    return Ok(None);
                }
                let name = MemberName::Key(key);
                state.members.push(Member { name, value, to: 0, mark: None });
            }
        }
        for (names, (value, after)) in self.other_members(others, uncounted)? {
            if after != uncounted {
                return Ok(None);
            }
            self.push_names(&mut state, names, value, 0)?;
        }
        Ok(Some(state))
    }

    /// The place after a member.
    fn unordered_place(
        &mut self,
        next: usize,
        mut written: Vec<u32>,
        rest: FormulaId,
        times: Times,
        canonical: &mut FxHashMap<FormulaId, FormulaId>,
    ) -> Place {
        if times == Times::Any && self.fewest_members(rest) == 0 {
            written.clear();
        }
        Place { next, written, rest: self.objects.formulas.sorted(rest, canonical) }
    }

    /// Splits off the unconditional facts about single keys: they are checked when the key is written and need no state. The
    /// bounds on the number of members are then bounds on the members that are not required.
    fn fixed_members(&mut self, formula: FormulaId, keys: &[u32]) -> Fixed {
        let mut rest = Vec::new();
        for conjunct in self.objects.formulas.conjuncts(formula) {
            if self.property_key(conjunct).is_none() {
                rest.push(conjunct);
            }
        }
        let mut needed = FxHashSet::default();
        let mut values: IndexMap<u32, Vec<FormulaId>, FxBuildHasher> = IndexMap::default();
        for (key, value, absent) in self.properties(formula) {
            values.entry(key).or_default().push(value);
            if !absent {
                needed.insert(key);
            }
        }
        let values = values.into_iter().map(|(key, all)| (key, self.values.and(all))).collect();
        let required = keys.iter().copied().filter(|key| needed.contains(key));
        let most = usize::from(self.most_marks);
        let marks = required.clone().take(most).zip(0..).collect();
        let ordered = required.skip(most).collect();
        let rest = self.objects.formulas.and(rest);
        let possible = self.possible_keys(formula).map(|keys| {
            let is_needed =
                |key: &str| self.key_number(key).is_some_and(|key| needed.contains(&key));
            let others = keys.filter(|key| !is_needed(key)).count();
            u32::try_from(others).unwrap_or(u32::MAX)
        });
        let come = u32::try_from(needed.len()).unwrap_or(u32::MAX);
        let rest = self.count_object_members(rest, |bounds| {
            let bounds = bounds.after(come)?;
            let all = bounds.max.is_some_and(|max| possible.is_some_and(|most| most <= max));
            Some(Bounds { max: bounds.max.filter(|_| !all), ..bounds })
        });
        Fixed { needed, marks, ordered, values, rest }
    }
}

/// The facts about single keys that an object formula states in every case.
struct Fixed {
    /// Required keys.
    needed: FxHashSet<u32>,
    /// The keys with marks.
    marks: FxHashMap<u32, u8>,
    /// The keys that keep their order.
    ordered: Vec<u32>,
    /// Formulas over the values under keys.
    values: FxHashMap<u32, FormulaId>,
    /// The formula without these facts.
    rest: FormulaId,
}

/// A state of the automaton.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    /// The next of the keys that keep their order.
    next: usize,
    /// Keys that may not come again, ascending.
    written: Vec<u32>,
    /// The formula that remains, in sorted form.
    rest: FormulaId,
}

/// The number of sets of up to `most` of so many.
fn subsets(all: usize, most: u32) -> usize {
    let (mut sets, mut of_size) = (1_usize, 1_usize);
    for size in 1..=(most as usize).min(all) {
        of_size = of_size.saturating_mul(all + 1 - size) / size;
        sets = sets.saturating_add(of_size);
    }
    sets
}
