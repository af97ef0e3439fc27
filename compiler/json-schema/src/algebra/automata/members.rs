//! Automata over the members of objects, keys in the order in which a formula names them.
//!
//! Each key is written or left out; after the last, members with any other key follow. A state is the place in that
//! order and the formula that remains. Whatever the formula, the automaton has a state for each combination of facts
//! that members in this order can establish and that still matters, which for schemas that people write is a few for
//! each key.

use std::rc::Rc;

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap};
use smallvec::SmallVec;

use grammarc_grammar::diagnostics::Diagnostic;
use grammarc_grammar::insertion_set::InsertionSet;

use crate::algebra::logic::derivatives::{Atoms, Case};
use crate::algebra::logic::formula::{Formula, Formulas, Literal};
use crate::algebra::types::objects::ObjectAtom;
use crate::algebra::{Algebra, FormulaId};
use crate::read::schema::Bounds;
use crate::values::strings::StringSet;

/// States of an automaton over characters that count as one state of an automaton over members, in the limits of work.
const CHARACTER_STATES: usize = 16;

/// The key or keys of a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum MemberName {
    /// The key with this number.
    Key(u32),
    /// Any key of a set.
    Names(StringSet),
}

/// An edge: a member.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Member {
    /// Its key.
    pub(crate) name: MemberName,
    /// A formula over its value.
    pub value: FormulaId,
    /// The state after it.
    pub(crate) to: u32,
    /// The mark that this member passes, if it has one. An object passes every mark before it ends.
    pub(crate) mark: Option<u8>,
}

/// A state.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct MemberState {
    /// Members that may come next, of which there is mostly one.
    pub(crate) members: SmallVec<[Member; 1]>,
    /// The state where the next key is left out.
    pub(crate) skip: Option<u32>,
    /// Whether the object may end.
    pub(crate) end: bool,
    /// The bounds on the number of members that lead back to this state, if there are any.
    pub(crate) repeat: Option<Bounds>,
}

/// An automaton over members. It starts in state 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct MemberAutomaton {
    /// The states.
    pub(crate) states: Vec<MemberState>,
    /// The marks that an object must pass, as bits. If no member has one of them, there is no object.
    pub(crate) marks: u32,
    /// Whether the keys of [`MemberName::Names`] differ from each other in an object.
    pub(crate) distinct: bool,
}

impl MemberAutomaton {
    /// States and members.
    pub(crate) fn size(&self) -> usize {
        let (states, members) = self.room();
        states + members
    }

    /// States, and members.
    pub(crate) fn room(&self) -> (usize, usize) {
        (self.states.len(), self.states.iter().map(|state| state.members.len()).sum())
    }
}

impl Algebra<'_> {
    /// The text of a key.
    pub(crate) fn key(&self, key: u32) -> &str {
        &self.objects.keys[key as usize]
    }

    pub(crate) fn keys_of(&self, formula: FormulaId) -> Vec<u32> {
        let mut keys = InsertionSet::default();
        for literal in self.objects.formulas.literals(formula).iter() {
            if let ObjectAtom::Property { key, .. } = self.objects.atoms[literal.atom as usize] {
                keys.insert(key);
            }
        }
        keys.order.into_vec()
    }

    /// The keys that are not among some.
    pub(crate) fn keys_but(&self, keys: &[u32]) -> StringSet {
        let keys = keys.iter().map(|&key| self.key(key));
        // Nothing is made of it where the budget is spent.
        StringSet::all_but(keys, self.limits.states).unwrap_or_else(|_| StringSet::all())
    }

    /// The automaton of a formula. `None` if it exceeds the bounds on states or edges.
    pub(crate) fn members_within(
        &mut self,
        formula: FormulaId,
        keys: &[u32],
        room: usize,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        let place: FxHashMap<u32, usize> =
            keys.iter().enumerate().map(|(at, &key)| (key, at)).collect();
        let fixed = self.properties(formula).into_iter();
        let mut fixed: Vec<_> =
            fixed.map(|(key, value, absent)| (place[&key], value, absent)).collect();
        fixed.sort_by_key(|(at, ..)| *at);
        let rest: Vec<_> = self
            .objects
            .formulas
            .conjuncts(formula)
            .filter(|&conjunct| self.property_key(conjunct).is_none())
            .collect();
        let rest = self.objects.formulas.and(rest);
        let others = OtherKeys::new(self.keys_but(keys));
        let named = FxHashMap::default();
        let states = IndexMap::with_capacity_and_hasher(keys.len() + 1, FxBuildHasher);
        let mut builder = Builder { fixed, place, named, others, states };
        self.state(&mut builder, 0, rest);
        let mut edges = 0;
        let mut at = 0;
        while let Some((&(place, rest), _)) = builder.states.get_index(at) {
            let state = match keys.get(place) {
                Some(&key) => self.at_key(&mut builder, place, key, rest)?,
                None => {
                    let Builder { others, states, .. } = &mut builder;
                    self.after_keys(others, rest, at as u32, &mut |rest| {
                        let entry = states.entry((place, rest));
                        let index = entry.index();
                        entry.or_default();
                        u32::try_from(index).expect("budgets are below 2^32")
                    })?
                }
            };
            edges += state.members.len();
            builder.states[at] = state;
            at += 1;
            if builder.states.len() + edges > room {
                return Ok(None);
            }
            self.grow()?;
        }
        let states = builder.states.into_values().collect();
        Ok(Some(MemberAutomaton { states, marks: 0, distinct: false }))
    }

    /// The state for a remaining formula from a place on. It is at the next key that the formula allows or names, so that the
    /// keys of excluded alternatives need no states.
    fn state(&mut self, builder: &mut Builder, place: usize, rest: FormulaId) -> u32 {
        let Builder { place: place_of, named, .. } = builder;
        let places = named.entry(rest).or_insert_with(|| {
            let names = self.only_keys(rest)?;
            let keys = names.into_iter().chain(self.keys_of(rest));
            let mut places: Vec<usize> =
                keys.filter_map(|key| place_of.get(&key).copied()).collect();
            places.sort_unstable();
            Some(places)
        });
        let after = |places: &[usize]| {
            let at = places.partition_point(|&at| at < place);
            places.get(at).copied().unwrap_or(place_of.len())
        };
        let place = match places {
            None => place,
            Some(places) => {
                let fixed = &builder.fixed;
                let from = fixed.partition_point(|(at, ..)| *at < place);
                after(places).min(fixed.get(from).map_or(place_of.len(), |(at, ..)| *at))
            }
        };
        let entry = builder.states.entry((place, rest));
        let index = entry.index();
        entry.or_default();
        u32::try_from(index).expect("budgets are below 2^32")
    }

    /// The keys that a formula leaves possible and that some formula names, where it excludes all but some.
    pub(crate) fn only_keys(&self, formula: FormulaId) -> Option<Vec<u32>> {
        let keys = self.possible_keys(formula)?;
        Some(keys.filter_map(|key| self.key_number(key)).collect())
    }

    /// The texts of all keys that a formula leaves possible, where it excludes all but some.
    pub(crate) fn possible_keys(&self, formula: FormulaId) -> Option<impl Iterator<Item = &str>> {
        let mut conjuncts = self.objects.formulas.conjuncts(formula);
        conjuncts.find_map(|conjunct| {
            let Formula::Literal(literal) = *self.objects.formulas.get(conjunct) else {
                return None;
            };
            match self.objects.atoms[literal.atom as usize] {
                ObjectAtom::Members { names, value: FormulaId::FALSE } if literal.positive => {
                    self.objects.names[names as usize].left_out()
                }
                _ => None,
            }
        })
    }

    /// The number of a key, where a formula has named it.
    pub(crate) fn key_number(&self, key: &str) -> Option<u32> {
        self.objects.keys.get_index_of(key).map(|index| index as u32)
    }

    /// The key that a literal is about, where the formula is such a literal.
    pub(crate) fn property_key(&self, formula: FormulaId) -> Option<u32> {
        match self.objects.formulas.get(formula) {
            Formula::Literal(Literal { atom, .. }) => match self.objects.atoms[*atom as usize] {
                ObjectAtom::Property { key, .. } => Some(key),
                _ => None,
            },
            _ => None,
        }
    }

    /// The state before a key.
    fn at_key(
        &mut self,
        builder: &mut Builder,
        place: usize,
        key: u32,
        rest: FormulaId,
    ) -> Result<MemberState, Diagnostic> {
        let mut state = MemberState::default();
        let fixed = builder.fixed(place);
        let value = self.values.and(fixed.iter().map(|(_, value, _)| *value));
        if fixed.iter().all(|(.., absent)| *absent) {
            let without = self.without_key(rest, key);
            if without != FormulaId::FALSE {
                state.skip = Some(self.state(builder, place + 1, without));
            }
        }
        let counted = self.count_object_member(rest);
        for (value, rest) in self.cases(KeyAtoms::once(key), counted, value)? {
            let to = self.state(builder, place + 1, rest);
            state.members.push(Member { name: MemberName::Key(key), value, to, mark: None });
        }
        Ok(state)
    }

    /// The state after all keys, where members with other keys follow. `reach` numbers the state of what remains.
    pub(crate) fn after_keys(
        &mut self,
        names: &mut OtherKeys,
        rest: FormulaId,
        at: u32,
        reach: &mut impl FnMut(FormulaId) -> u32,
    ) -> Result<MemberState, Diagnostic> {
        let (bounds, uncounted) = self.split_counts(rest);
        if bounds.is_empty() {
            return Ok(MemberState::default());
        }
        // If members change nothing but their count, a repetition counts them.
        let loops = self.other_members(names, uncounted)?;
        if !self.counts_members(uncounted) && loops.iter().all(|(_, (_, rest))| *rest == uncounted)
        {
            let mut state = MemberState {
                end: self.object_may_end(uncounted),
                repeat: (!bounds.is_all()).then_some(bounds),
                ..MemberState::default()
            };
            for (names, (value, _)) in loops {
                self.push_names(&mut state, names, value, at)?;
            }
            return Ok(state);
        }
        let mut state = MemberState { end: self.object_may_end(rest), ..MemberState::default() };
        let counted = self.count_object_member(rest);
        for (keys, (value, rest)) in self.other_members(names, counted)? {
            let to = reach(rest);
            self.push_names(&mut state, keys, value, to)?;
        }
        Ok(state)
    }

    /// Adds an edge, or adds its keys to an edge that differs in the keys only.
    pub(crate) fn push_names(
        &mut self,
        state: &mut MemberState,
        names: StringSet,
        value: FormulaId,
        to: u32,
    ) -> Result<(), Diagnostic> {
        for member in &mut state.members {
            if let (MemberName::Names(known), true) =
                (&mut member.name, member.value == value && member.to == to)
            {
                *known = self.limited(known.union(&names, self.limits.states))?;
                return Ok(());
            }
        }
        state.members.push(Member { name: MemberName::Names(names), value, to, mark: None });
        Ok(())
    }

    /// A partition of the keys that the formula does not name, into sets that it treats alike, with the cases of each.
    pub(crate) fn other_members(
        &mut self,
        others: &mut OtherKeys,
        rest: FormulaId,
    ) -> Result<Vec<(StringSet, Case)>, Diagnostic> {
        let literals = self.objects.formulas.literals(rest);
        let mut named: Vec<u32> = literals
            .iter()
            .filter_map(|literal| match self.objects.atoms[literal.atom as usize] {
                ObjectAtom::Members { names, .. } => Some(names),
                _ => None,
            })
            .collect();
        named.sort_unstable();
        named.dedup();
        let classes = match others.classes.get(&named) {
            Some(known) => Rc::clone(known),
            None => {
                let classes: Rc<[_]> = self.split_names(&others.all, &named)?.into();
                others.classes.insert(named, Rc::clone(&classes));
                classes
            }
        };
        let mut found = Vec::new();
        for (names, sets) in classes.iter() {
            for case in self.cases(NameAtoms(sets), rest, FormulaId::TRUE)? {
                found.push((names.clone(), case));
            }
        }
        Ok(found)
    }

    /// Partitions the keys that are not named by the sets that contain them.
    fn split_names(
        &mut self,
        others: &StringSet,
        named: &[u32],
    ) -> Result<Vec<NameClass>, Diagnostic> {
        let limit = self.limits.states;
        let mut classes = vec![(others.clone(), Vec::new())];
        for &names in named {
            let set = self.objects.names[names as usize].clone();
            let mut split = Vec::new();
            for (class, sets) in classes {
                let inside = self.limited(class.intersect(&set, limit))?;
                let outside = self.limited(class.minus(&set, limit))?;
                let with = sets.iter().copied().chain([names]).collect();
                self.grow_by(1 + (inside.states() + outside.states()) / CHARACTER_STATES)?;
                split.extend((!inside.is_none()).then_some((inside, with)));
                split.extend((!outside.is_none()).then_some((outside, sets)));
            }
            classes = split;
        }
        Ok(classes)
    }

    /// The bounds on the number of members in the conjuncts of a formula, and the formula without them.
    pub(crate) fn split_counts(&mut self, formula: FormulaId) -> (Bounds, FormulaId) {
        let conjuncts = self.objects.formulas.conjuncts(formula);
        if conjuncts.clone().all(|conjunct| self.object_count(conjunct).is_none()) {
            return (Bounds::default(), formula);
        }
        let (counts, others): (Vec<_>, Vec<_>) =
            conjuncts.partition(|&conjunct| self.object_count(conjunct).is_some());
        let bounds = counts.iter().filter_map(|&count| self.object_count(count));
        (bounds.fold(Bounds::default(), Bounds::intersect), self.objects.formulas.and(others))
    }

    /// Whether the formula says anything about the number of members.
    pub(crate) fn counts_members(&self, formula: FormulaId) -> bool {
        let literals = self.objects.formulas.literals(formula);
        let atoms = &self.objects.atoms;
        literals.iter().any(|literal| matches!(atoms[literal.atom as usize], ObjectAtom::Count(_)))
    }

    /// The fewest members that some bound of the formula, taken alone, asks for.
    pub(crate) fn fewest_members(&self, formula: FormulaId) -> u32 {
        let literals = self.objects.formulas.literals(formula);
        let fewest = literals.iter().map(|literal| {
            match (self.objects.atoms[literal.atom as usize], literal.positive) {
                (ObjectAtom::Count(bounds), true) => bounds.min,
                (ObjectAtom::Count(bounds), false) => {
                    bounds.max.map_or(0, |max| max.saturating_add(1))
                }
                _ => 0,
            }
        });
        fewest.max().unwrap_or(0)
    }

    fn object_count(&self, formula: FormulaId) -> Option<Bounds> {
        let Formula::Literal(literal) = *self.objects.formulas.get(formula) else { return None };
        match self.objects.atoms[literal.atom as usize] {
            ObjectAtom::Count(bounds) if literal.positive => Some(bounds),
            ObjectAtom::Count(bounds) => bounds.complement(),
            _ => None,
        }
    }

    /// The formula after one more member: its bounds on the number of members decrease by one.
    pub(crate) fn count_object_member(&mut self, formula: FormulaId) -> FormulaId {
        self.count_object_members(formula, Bounds::after_one)
    }

    /// The formula with other bounds on the number of members, `None` for one that cannot be met.
    pub(crate) fn count_object_members(
        &mut self,
        formula: FormulaId,
        change: impl Fn(Bounds) -> Option<Bounds>,
    ) -> FormulaId {
        let literals = self.objects.formulas.literals(formula);
        let mut counted = FxHashMap::default();
        for literal in literals.iter() {
            if let ObjectAtom::Count(bounds) = self.objects.atoms[literal.atom as usize] {
                let next = change(bounds);
                let next = next.map(|bounds| self.objects.atom(ObjectAtom::Count(bounds)));
                counted.insert(literal.atom, next.unwrap_or(FormulaId::FALSE));
            }
        }
        if counted.is_empty() {
            return formula;
        }
        let formulas = &mut self.objects.formulas;
        formulas.replace(formula, &mut Default::default(), &mut |formulas, literal| match counted
            .get(&literal.atom)
        {
            Some(&next) if literal.positive => next,
            Some(&next) => formulas.not(next),
            None => formulas.literal(literal.atom, literal.positive),
        })
    }

    /// Whether an object may end where this is what remains of its formula.
    pub(crate) fn object_may_end(&mut self, formula: FormulaId) -> bool {
        let ended = self.replace_objects(formula, |atom| match atom {
            ObjectAtom::Property { absent, .. } => Some(absent),
            ObjectAtom::Members { .. } => Some(true),
            ObjectAtom::Count(bounds) => Some(bounds.min == 0),
            ObjectAtom::One(_) => None,
        });
        ended == FormulaId::TRUE
    }

    /// The rest of a formula when a key is left out.
    pub(crate) fn without_key(&mut self, formula: FormulaId, key: u32) -> FormulaId {
        self.replace_objects(formula, |atom| match atom {
            ObjectAtom::Property { key: other, absent, .. } if other == key => Some(absent),
            _ => None,
        })
    }

    /// The formula with some atoms decided.
    pub(crate) fn replace_objects(
        &mut self,
        formula: FormulaId,
        decide: impl Fn(ObjectAtom) -> Option<bool>,
    ) -> FormulaId {
        let atoms = &self.objects.atoms;
        let formulas = &mut self.objects.formulas;
        formulas.replace(formula, &mut Default::default(), &mut |formulas, literal| match decide(
            atoms[literal.atom as usize],
        ) {
            Some(holds) if holds == literal.positive => FormulaId::TRUE,
            Some(_) => FormulaId::FALSE,
            None => formulas.literal(literal.atom, literal.positive),
        })
    }
}

struct Builder {
    /// The facts that hold for keys in every case, by place: a formula over the value, and whether it may be missing.
    fixed: Vec<(usize, FormulaId, bool)>,
    place: FxHashMap<u32, usize>,
    /// By remaining formula, the places of the keys that it leaves possible or says something of, ascending; none where
    /// these are all.
    named: FxHashMap<FormulaId, Option<Vec<usize>>>,
    others: OtherKeys,
    /// By place among the keys and remaining formula.
    states: IndexMap<(usize, FormulaId), MemberState, FxBuildHasher>,
}

impl Builder {
    /// The facts that hold for the key at a place in every case.
    fn fixed(&self, place: usize) -> &[(usize, FormulaId, bool)] {
        let from = self.fixed.partition_point(|(at, ..)| *at < place);
        let to = self.fixed.partition_point(|(at, ..)| *at <= place);
        &self.fixed[from..to]
    }
}

/// Keys, and the sets that they are in.
type NameClass = (StringSet, Vec<u32>);

/// The keys that a formula does not name.
pub(crate) struct OtherKeys {
    all: StringSet,
    /// By the sets that matter, the keys of each combination of these sets.
    classes: FxHashMap<Vec<u32>, Rc<[NameClass]>>,
}

impl OtherKeys {
    pub(crate) fn new(all: StringSet) -> Self {
        Self { all, classes: FxHashMap::default() }
    }
}

/// Atoms about the member with a key.
#[derive(Clone, Copy)]
pub(crate) struct KeyAtoms {
    key: u32,
    /// Whether some negation is about the key, if it may come again.
    again: Option<bool>,
}

impl KeyAtoms {
    /// Atoms about a key that comes once.
    pub(crate) fn once(key: u32) -> Self {
        Self { key, again: None }
    }

    /// Atoms about a key that may come again. `negated` is set if some negation concerns the key.
    pub(crate) fn again(key: u32, negated: bool) -> Self {
        Self { key, again: Some(negated) }
    }
}

impl Atoms for KeyAtoms {
    fn formulas<'m>(self, algebra: &'m mut Algebra<'_>) -> &'m mut Formulas {
        &mut algebra.objects.formulas
    }

    fn subject(self, algebra: &Algebra<'_>, atom: u32) -> Option<FormulaId> {
        let objects = &algebra.objects;
        match objects.atoms[atom as usize] {
            ObjectAtom::Property { key, value, .. } if key == self.key => Some(value),
            ObjectAtom::Members { names, value } => {
                let key = &objects.keys[self.key as usize];
                objects.names[names as usize].contains(key).then_some(value)
            }
            _ => None,
        }
    }

    fn read(self, algebra: &mut Algebra<'_>, atom: u32, satisfied: bool) -> FormulaId {
        match algebra.objects.atoms[atom as usize] {
            ObjectAtom::Property { key, value, .. }
                if self.again == Some(true) || (satisfied && self.again.is_some()) =>
            {
                algebra.objects.atom(ObjectAtom::Property { key, value, absent: satisfied })
            }
            _ if !satisfied => FormulaId::FALSE,
            ObjectAtom::Property { .. } => FormulaId::TRUE,
            other => algebra.objects.atom(other),
        }
    }

    fn helps(self, _: &Algebra<'_>, _: u32) -> Option<bool> {
        Some(true)
    }
}

/// Atoms about members with keys of these sets.
#[derive(Clone, Copy)]
struct NameAtoms<'s>(&'s [u32]);

impl Atoms for NameAtoms<'_> {
    fn formulas<'m>(self, algebra: &'m mut Algebra<'_>) -> &'m mut Formulas {
        &mut algebra.objects.formulas
    }

    fn subject(self, algebra: &Algebra<'_>, atom: u32) -> Option<FormulaId> {
        match algebra.objects.atoms[atom as usize] {
            ObjectAtom::Members { names, value } if self.0.contains(&names) => Some(value),
            _ => None,
        }
    }

    fn read(self, algebra: &mut Algebra<'_>, atom: u32, satisfied: bool) -> FormulaId {
        match satisfied {
            true => algebra.objects.formulas.literal(atom, true),
            false => FormulaId::FALSE,
        }
    }

    fn helps(self, _: &Algebra<'_>, _: u32) -> Option<bool> {
        Some(true)
    }
}
