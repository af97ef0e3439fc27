//! Builds the automaton over members in the order in which a formula names its keys.
//!
//! Each named key is written or left out, and members with other keys follow. A state is a place in the order of keys,
//! and the object formula that remains.
//!
//! Cost: a state for each combination of facts that members in this order establish and that still matters. Most
//! schemas take a few states for each key.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};

use grammarc_grammar::diagnostics::Diagnostic;

use super::key_atoms::KeyAtoms;
use super::member_automaton::{Member, MemberAutomaton, MemberName, MemberState};
use super::other_keys::{OtherKeys, after_keys, keys_but};
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::simplify::atoms::Derivative;
use crate::algebra::simplify::derivatives::derivatives;
use crate::algebra::simplify::layer::Simplifier;
use crate::algebra::types::facts::{KeyConjunct, key_conjuncts};

/// Builds the automaton of an object formula whose named keys come in the order of `keys`. Returns `None` if it has
/// more than `room` states and edges.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn members_within(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    keys: &[u32],
    room: usize,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let mut builder = Builder::new(simplifier, formula, keys);
    let objects = &mut simplifier.types.objects;
    let conjuncts = objects.formulas.conjuncts(formula);
    let rest: Vec<_> =
        conjuncts.filter(|&conjunct| objects.property_key(conjunct).is_none()).collect();
    let rest = objects.formulas.and(rest);
    builder.state(simplifier, 0, rest);
    let mut edges = 0;
    let mut at = 0;
    while let Some((&(place, rest), _)) = builder.states.get_index(at) {
        let state = match keys.get(place) {
            Some(&key) => builder.at_key(simplifier, place, key, rest)?,
            None => {
                let Builder { others, states, .. } = &mut builder;
                after_keys(simplifier, others, rest, at as u32, &mut |rest| {
                    number(states, place, rest)
                })?
            }
        };
        edges += state.members.len();
        builder.states[at] = state;
        at += 1;
        if builder.states.len() + edges > room {
            return Ok(None);
        }
        simplifier.types.grow()?;
    }
    let states = builder.states.into_values().collect();
    Ok(Some(MemberAutomaton { states, marks: 0, distinct: false }))
}

/// Maps each automaton state, as an index into the keys and the object formula that remains, to its edges. The index of
/// an entry is the number of the state.
type States = IndexMap<(usize, FormulaId), MemberState, FxBuildHasher>;

/// Returns the number of the automaton state before the key at index `place`, if the object formula `rest` remains. A
/// new state is added without edges.
fn number(states: &mut States, place: usize, rest: FormulaId) -> u32 {
    let entry = states.entry((place, rest));
    let index = entry.index();
    entry.or_default();
    u32::try_from(index).expect("budgets are below 2^32")
}

/// The unconditional facts about one key in an object formula.
struct Fixed {
    /// Index of the key in the order of keys.
    place: usize,
    /// The formula that every value under the key satisfies.
    value: FormulaId,
    /// Whether the key may be left out.
    absent: bool,
}

/// An automaton over the members of an object under construction, whose keys keep one order.
struct Builder {
    /// The unconditional facts about single keys in the object formula, in ascending order of the keys' indices.
    fixed: Vec<Fixed>,
    /// Maps the number of each key to its index in the order of keys.
    places: FxHashMap<u32, usize>,
    /// Maps each object formula that may remain to the indices of its allowed or named keys, ascending. The entry is
    /// `None` if the formula allows all but finitely many keys.
    named: FxHashMap<FormulaId, Option<Vec<usize>>>,
    /// The keys that the object formula does not name. Keys that are in the same sets of keys form a class.
    others: OtherKeys,
    /// The automaton states so far, each with its edges.
    states: States,
}

impl Builder {
    fn new(simplifier: &mut Simplifier<'_>, formula: FormulaId, keys: &[u32]) -> Self {
        let places: FxHashMap<u32, usize> =
            keys.iter().enumerate().map(|(at, &key)| (key, at)).collect();
        let conjuncts = key_conjuncts(&mut simplifier.types, formula).into_iter();
        let fixed = |KeyConjunct { key, value, absent }| {
            let place = places[&key];
            Fixed { place, value, absent }
        };
        let mut fixed: Vec<_> = conjuncts.map(fixed).collect();
        fixed.sort_by_key(|fixed| fixed.place);
        Self {
            fixed,
            places,
            named: FxHashMap::default(),
            others: OtherKeys::new(keys_but(&simplifier.types, keys)),
            states: States::with_capacity_and_hasher(keys.len() + 1, FxBuildHasher),
        }
    }

    /// Returns the unconditional facts about the key at index `place` in the object formula.
    fn fixed(&self, place: usize) -> &[Fixed] {
        let from = self.fixed.partition_point(|fixed| fixed.place < place);
        let to = self.fixed.partition_point(|fixed| fixed.place <= place);
        &self.fixed[from..to]
    }

    /// Returns the number of the automaton state for the remaining object formula `rest`. The state is before the first
    /// key, from index `place` on, that the formula allows or names. So keys of excluded alternatives need no states.
    fn state(&mut self, simplifier: &Simplifier<'_>, place: usize, rest: FormulaId) -> u32 {
        let Self { places: place_of, named, fixed, .. } = self;
        let objects = &simplifier.types.objects;
        let places = named.entry(rest).or_insert_with(|| {
            let names = objects.only_keys(rest)?;
            let keys = names.into_iter().chain(objects.keys_of(rest));
            let mut places: Vec<usize> =
                keys.filter_map(|key| place_of.get(&key).copied()).collect();
            places.sort_unstable();
            Some(places)
        });
        let place = match places {
            None => place,
            Some(places) => {
                let last = place_of.len();
                let named = places.partition_point(|&at| at < place);
                let fixed_from = fixed.partition_point(|fixed| fixed.place < place);
                let named = places.get(named).copied().unwrap_or(last);
                named.min(fixed.get(fixed_from).map_or(last, |fixed| fixed.place))
            }
        };
        number(&mut self.states, place, rest)
    }

    /// Builds the automaton state before the key at index `place`: the key is written with a value, or left out.
    fn at_key(
        &mut self,
        simplifier: &mut Simplifier<'_>,
        place: usize,
        key: u32,
        rest: FormulaId,
    ) -> Result<MemberState, Diagnostic> {
        let mut state = MemberState::default();
        let fixed = self.fixed(place);
        let values = &mut simplifier.types.logic.values;
        let value = values.and(fixed.iter().map(|fixed| fixed.value));
        if fixed.iter().all(|fixed| fixed.absent) {
            let without = simplifier.types.objects.without_key(rest, key);
            if without != FormulaId::FALSE {
                state.skip = Some(self.state(simplifier, place + 1, without));
            }
        }
        let counted = simplifier.types.objects.count_member(rest);
        for Derivative { value, rest } in
            derivatives(simplifier, KeyAtoms::once(key), counted, value)?
        {
            let to = self.state(simplifier, place + 1, rest);
            state.members.push(Member { name: MemberName::Key(key), value, to, mark: None });
        }
        Ok(state)
    }
}
