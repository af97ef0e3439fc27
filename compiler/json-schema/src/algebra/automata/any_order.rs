//! The automaton over members whose keys come in any order.
//!
//! A key may be written again if each of its values satisfies the key's schema. Parsers keep one of the values, and any
//! of them makes the object valid. So a state need not store the written keys. A state must know which required keys
//! are missing. So each required key has a *mark* (one bit of a register), and an object passes all marks before its
//! end. Marks therefore multiply no states. Required keys without a mark keep the schema's order among themselves.
//!
//! With [`KeyOrder::AnyOnce`](crate::KeyOrder::AnyOnce) a state is the set of written keys, and there are no marks. An
//! object with n keys takes 2^n states. Objects with many keys use marks instead, and the report says so.
//!
//! A repeated member counts again for `minProperties` and `maxProperties`. An upper bound stays sound, since every
//! object has a text without repetition. Under a lower bound, a state stores the written keys until the bound is
//! reached. All required members occur, so the bounds of the automaton count only the others.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::diagnostics::report::Verdict;

use super::key_atoms::KeyAtoms;
use super::layer::{Automata, MOST_ONCE, Once};
use super::member_automaton::{Member, MemberAutomaton, MemberName, MemberState};
use super::other_keys::{OtherKeys, OtherMember, keys_but, other_members, push_names};
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::simplify::atoms::Derivative;
use crate::algebra::simplify::by_key_set::{by_key, with_key};
use crate::algebra::simplify::derivatives::derivatives;
use crate::algebra::simplify::layer::Simplifier;
use crate::algebra::types::facts::{KeyConjunct, key_conjuncts};
use crate::algebra::types::layer::Types;
use crate::algebra::types::object_atoms::ObjectAtom;
use crate::read::schema::{Bounds, Part};

/// Reason in the report for keys that may be repeated although [`KeyOrder::AnyOnce`](crate::KeyOrder::AnyOnce) was
/// requested.
const AGAIN: &str = "these keys may be written again: they have too many sets to be told apart";

/// How often a key that the formula names may occur in one object.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Times {
    /// The key occurs at most once in an object.
    Once,
    /// The key occurs any number of times in an object.
    Any,
}

/// The keys of an object formula that come in any order, and the limits of their automaton.
#[derive(Clone, Copy)]
pub(crate) struct AnyOrder<'k> {
    /// Numbers of the keys that the object formula names.
    pub(crate) keys: &'k [u32],
    /// Whether every required key must get a mark (a register bit that records that the key is written). If `true`, an
    /// object with more required keys than marks has no automaton. If `false`, required keys without a mark keep the
    /// schema's order.
    pub(crate) free: bool,
    /// Most states and edges of the automaton, added up. A larger automaton is abandoned.
    pub(crate) room: usize,
}

/// Builds the automaton of an object formula with its keys in any order. Each key occurs at most once if
/// [`KeyOrder::AnyOnce`](crate::KeyOrder::AnyOnce) was requested and there are few sets of keys. Returns `None` if the
/// automaton has more states and edges than `order.room`.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn in_any_order(
    automata: &mut Automata<'_>,
    formula: FormulaId,
    order: AnyOrder<'_>,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let Automata { simplifier, once, most_marks, .. } = automata;
    let Some(once) = once else {
        return automaton(simplifier, *most_marks, formula, order, Times::Any);
    };
    let Once { room: left, .. } = *once;
    let room = left.min(MOST_ONCE);
    if subsets(order.keys.len(), u32::MAX) <= room {
        let shapes = simplifier.types.meter.shapes;
        let few = AnyOrder { room, ..order };
        if let Some(automaton) = automaton(simplifier, *most_marks, formula, few, Times::Once)? {
            once.room = left - automaton.size().min(left);
            return Ok(Some(automaton));
        }
        simplifier.types.meter.shapes = shapes;
    }
    let automaton = automaton(simplifier, *most_marks, formula, order, Times::Any)?;
    once.again |= automaton.is_some();
    Ok(automaton)
}

/// Reports as approximate those keywords of the formula `value` that name keys. Does so only if keys may be repeated
/// although the options ask for each key at most once.
pub(crate) fn note_again(automata: &mut Automata<'_>, value: FormulaId) {
    if automata.once.as_mut().is_some_and(|once| std::mem::take(&mut once.again)) {
        automata.logic().note(value, Verdict::Approximate, AGAIN, |part| {
            matches!(part, Part::Properties(_) | Part::Required(_))
        });
    }
}

/// Builds the automaton of an object formula in which each named key occurs as often as `times` says. Returns `None` if
/// states and edges exceed `room`.
fn automaton(
    simplifier: &mut Simplifier<'_>,
    most_marks: u8,
    formula: FormulaId,
    AnyOrder { keys, free, room }: AnyOrder<'_>,
    times: Times,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let negated = negated_keys(&simplifier.types, formula);
    let mut fixed = Fixed::new(&mut simplifier.types, most_marks, formula, keys);
    if times == Times::Once {
        fixed.marks.clear();
        fixed.ordered.clear();
    }
    // Under a lower bound on the number of members, a state is a set of written keys. The number of these sets is known
    // before the automaton is built.
    let optional = keys.len() - fixed.needed.len();
    let fewest = simplifier.types.objects.fewest_members(fixed.rest);
    let sets = subsets(optional, fewest.saturating_sub(1));
    if free && !fixed.ordered.is_empty() || sets > room {
        return Ok(None);
    }
    let mut others = OtherKeys::new(keys_but(&simplifier.types, keys));
    if fixed.marks.is_empty()
        && times == Times::Any
        && let Some(state) = repetition(simplifier, &fixed, keys, &mut others)?
    {
        return Ok(Some(MemberAutomaton { states: vec![state], marks: 0, distinct: false }));
    }
    let placed: FxHashSet<u32> = fixed.ordered.iter().copied().collect();
    let unplaced = keys.iter().copied().filter(|key| !placed.contains(key)).collect();
    let rest = fixed.rest;
    let marks = fixed.marks.values().fold(0, |marks, mark| marks | 1 << mark);
    let mut builder = Builder {
        times,
        negated,
        fixed,
        unplaced,
        others,
        canonical: FxHashMap::default(),
        states: IndexMap::default(),
    };
    let first = Place { next: 0, written: Vec::new(), rest };
    builder.number(simplifier, first);
    let mut edges = 0;
    let mut at = 0;
    while let Some((place, _)) = builder.states.get_index(at) {
        let place = place.clone();
        let state = builder.state(simplifier, &place)?;
        edges += state.members.len();
        builder.states[at] = state;
        at += 1;
        if builder.states.len() + edges > room {
            return Ok(None);
        }
        simplifier.types.grow()?;
    }
    let states = builder.states.into_values().collect();
    Ok(Some(MemberAutomaton { states, marks, distinct: false }))
}

/// Returns the numbers of the keys about which an object formula contains a negated fact (a negated atom).
fn negated_keys(types: &Types<'_>, formula: FormulaId) -> FxHashSet<u32> {
    let objects = &types.objects;
    let literals = objects.formulas.literals(formula);
    let negative = literals.iter().filter(|literal| !literal.positive);
    let key = |atom: u32| match objects.atoms[atom as usize] {
        ObjectAtom::Property { key, .. } => Some(key),
        _ => None,
    };
    negative.filter_map(|literal| key(literal.atom)).collect()
}

/// Returns a single automaton state whose loop counts all members of an object. Returns `None` if some member changes
/// the remaining formula by more than the count, or if the formula bounds no count.
fn repetition(
    simplifier: &mut Simplifier<'_>,
    fixed: &Fixed,
    keys: &[u32],
    others: &mut OtherKeys,
) -> Result<Option<MemberState>, Diagnostic> {
    let objects = &mut simplifier.types.objects;
    let (bounds, uncounted) = objects.split_counts(fixed.rest);
    let depends = bounds.min > 1 && !keys.is_empty() || objects.counts_members(uncounted);
    if bounds.is_all() || bounds.is_empty() || depends || !objects.keys_of(uncounted).is_empty() {
        return Ok(None);
    }
    let mut state = MemberState {
        end: objects.may_end(uncounted),
        repeat: Some(bounds),
        ..MemberState::default()
    };
    for &key in keys {
        let atoms = KeyAtoms::again(key, false);
        for Derivative { value, rest } in
            derivatives(simplifier, atoms, uncounted, fixed.value(key))?
        {
            if rest != uncounted {
                return Ok(None);
            }
            let name = MemberName::Key(key);
            state.members.push(Member { name, value, to: 0, mark: None });
        }
    }
    for OtherMember { names, after } in other_members(simplifier, others, uncounted)? {
        if after.rest != uncounted {
            return Ok(None);
        }
        push_names(simplifier, &mut state, names, after.value, 0)?;
    }
    Ok(Some(state))
}

/// An automaton over members under construction, whose keys come in any order.
struct Builder {
    times: Times,
    /// Numbers of the keys about which the object formula contains a negated fact (a negated atom).
    negated: FxHashSet<u32>,
    /// The unconditional facts about single keys in the object formula.
    fixed: Fixed,
    /// Numbers of the keys that may come anywhere in the object: all keys but those of `fixed.ordered`.
    unplaced: Vec<u32>,
    /// The keys that the object formula does not name. Keys that are in the same sets of keys form a class.
    others: OtherKeys,
    /// Maps each object formula to an equal formula with operands in ascending order, so that automaton states of equal
    /// formulas merge.
    canonical: FxHashMap<FormulaId, FormulaId>,
    /// Maps each state, as a [`Place`], to its edges. The index of an entry is the number of the state.
    states: IndexMap<Place, MemberState, FxBuildHasher>,
}

impl Builder {
    /// Returns the number of the automaton state `place`. A new state is added without edges.
    fn number(&mut self, simplifier: &mut Simplifier<'_>, mut place: Place) -> u32 {
        let objects = &mut simplifier.types.objects;
        if self.times == Times::Any && objects.fewest_members(place.rest) == 0 {
            place.written.clear();
        }
        place.rest = objects.formulas.sorted(place.rest, &mut self.canonical);
        let entry = self.states.entry(place);
        let index = entry.index();
        entry.or_default();
        u32::try_from(index).expect("budgets are below 2^32")
    }

    /// Builds the edges of the automaton state `place`: the members that may come next, and whether the object may end.
    fn state(
        &mut self,
        simplifier: &mut Simplifier<'_>,
        place: &Place,
    ) -> Result<MemberState, Diagnostic> {
        let Place { next, rest, .. } = *place;
        let mut state =
            MemberState { end: self.may_end(simplifier, place), ..MemberState::default() };
        let counted = simplifier.types.objects.count_member(rest);
        let by_key = if counted == rest { by_key(simplifier, rest) } else { None };
        let here = self.fixed.ordered.get(next).map(|&key| (key, next + 1));
        let unplaced = self.unplaced.clone();
        for (key, next) in unplaced.into_iter().map(|key| (key, next)).chain(here) {
            if place.written.contains(&key) {
                continue;
            }
            let is_counted = !self.fixed.needed.contains(&key);
            let before = match &by_key {
                Some(sorted) => with_key(simplifier, sorted, key),
                None if is_counted => counted,
                None => rest,
            };
            let mark = self.fixed.marks.get(&key).copied();
            let mut written = place.written.clone();
            if self.times == Times::Once || is_counted {
                written.push(key);
                written.sort_unstable();
            }
            let atoms = KeyAtoms::again(key, self.negated.contains(&key));
            for Derivative { value, rest } in
                derivatives(simplifier, atoms, before, self.fixed.value(key))?
            {
                let after = Place { next, written: written.clone(), rest };
                let to = self.number(simplifier, after);
                state.members.push(Member { name: MemberName::Key(key), value, to, mark });
            }
        }
        for OtherMember { names, after } in other_members(simplifier, &mut self.others, counted)? {
            let to = Place { next, written: place.written.clone(), rest: after.rest };
            let to = self.number(simplifier, to);
            push_names(simplifier, &mut state, names, after.value, to)?;
        }
        Ok(state)
    }

    /// Returns whether the object may end in the automaton state `place`: no required key is missing.
    fn may_end(&self, simplifier: &mut Simplifier<'_>, place: &Place) -> bool {
        let Fixed { needed, ordered, .. } = &self.fixed;
        place.next == ordered.len()
            && (self.times == Times::Any || needed.iter().all(|key| place.written.contains(key)))
            && simplifier.types.objects.may_end(place.rest)
    }
}

/// The unconditional facts about single keys in an object formula. They are checked when a key is written and need no
/// state.
struct Fixed {
    /// Numbers of the keys that every object must have.
    needed: FxHashSet<u32>,
    /// Maps the number of each required key to its mark: the index of the register bit that records that the key is
    /// written. Keys beyond the number of marks have none.
    marks: FxHashMap<u32, u8>,
    /// Numbers of the required keys without a mark, which keep the schema's order.
    ordered: Vec<u32>,
    /// Maps the number of each key to a formula that every value under that key satisfies.
    values: FxHashMap<u32, FormulaId>,
    /// The object formula without the facts about single keys. Its bounds on the number of members count only members
    /// that are not required.
    rest: FormulaId,
}

impl Fixed {
    /// Splits the unconditional facts about single keys off an object formula. At most `most_marks` required keys get a
    /// mark.
    fn new(types: &mut Types<'_>, most_marks: u8, formula: FormulaId, keys: &[u32]) -> Self {
        let conjuncts = types.objects.formulas.conjuncts(formula);
        let rest: Vec<_> =
            conjuncts.filter(|&conjunct| types.objects.property_key(conjunct).is_none()).collect();
        let mut needed = FxHashSet::default();
        let mut values: IndexMap<u32, Vec<FormulaId>, FxBuildHasher> = IndexMap::default();
        for KeyConjunct { key, value, absent } in key_conjuncts(types, formula) {
            values.entry(key).or_default().push(value);
            if !absent {
                needed.insert(key);
            }
        }
        let values = values.into_iter();
        let values = values.map(|(key, all)| (key, types.logic.values.and(all))).collect();
        let required = keys.iter().copied().filter(|key| needed.contains(key));
        let most = usize::from(most_marks);
        let marks = required.clone().take(most).zip(0..).collect();
        let ordered = required.skip(most).collect();
        let objects = &mut types.objects;
        let rest = objects.formulas.and(rest);
        let possible = objects.possible_keys(formula).map(|keys| {
            let is_needed =
                |key: &str| objects.key_number(key).is_some_and(|key| needed.contains(&key));
            let others = keys.filter(|key| !is_needed(key)).count();
            u32::try_from(others).unwrap_or(u32::MAX)
        });
        let come = u32::try_from(needed.len()).unwrap_or(u32::MAX);
        let rest = objects.map_counts(rest, |bounds| {
            let bounds = bounds.after(come)?;
            let all = bounds.max.is_some_and(|max| possible.is_some_and(|most| most <= max));
            Some(Bounds { max: bounds.max.filter(|_| !all), ..bounds })
        });
        Self { needed, marks, ordered, values, rest }
    }

    /// Returns the formula that every value under the key with number `key` satisfies; true if nothing is stated about
    /// the key.
    fn value(&self, key: u32) -> FormulaId {
        self.values.get(&key).copied().unwrap_or(FormulaId::TRUE)
    }
}

/// A state of an any-order automaton over members.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Place {
    /// Index, in the list of required keys without a mark, of the next key. These keys keep the schema's order.
    next: usize,
    /// Numbers of the written keys that may not come again, ascending.
    written: Vec<u32>,
    /// The object formula that remains after the written members, with operands in ascending order.
    rest: FormulaId,
}

/// Returns the number of subsets with at most `most` elements of a set of `all` elements. The result saturates.
fn subsets(all: usize, most: u32) -> usize {
    let (mut sets, mut of_size) = (1_usize, 1_usize);
    for size in 1..=(most as usize).min(all) {
        of_size = of_size.saturating_mul(all + 1 - size) / size;
        sets = sets.saturating_add(of_size);
    }
    sets
}
