//! Automata over members whose keys come in any order.
//!
//! A key that has been written may be written again, with a value that satisfies the same: whichever of its values a
//! parser keeps, the object is the same kind of object. So an automaton need not know what has been written, only
//! which required keys have not: these carry marks, which an object has to pass each before it ends, and the number of
//! states does not depend on how many they are. Where more are required than there are marks, the others keep the
//! order of the schema among themselves, and all other keys may still stand anywhere between them.
//!
//! Where the number of members is bounded, repeated keys would be counted twice, so written keys are then forbidden,
//! and a state is a set of written keys.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::diagnostics::Diagnostic;
use crate::ir::MOST_MARKS;

use super::members::{KeyAtoms, Member, MemberAutomaton, MemberName, MemberState, OtherKeys, WORK};
use super::objects::ObjectAtom;
use super::{Algebra, FormulaId};

impl Algebra<'_> {
    /// The automaton of an object formula with its keys in any order. Where these are too many to be told apart,
    /// `free` says to give up, and otherwise required keys keep their order among themselves, but for those with
    /// marks. `None` where the automaton has more states or edges than there is room for.
    pub(super) fn unordered_members(
        &mut self,
        formula: FormulaId,
        keys: &[u32],
        free: bool,
        room: usize,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        let literals = self.objects.formulas.literals(formula);
        let counted = literals.iter().any(|literal| {
            matches!(self.objects.atoms[literal.atom as usize], ObjectAtom::Count(_))
        });
        let negated: FxHashSet<u32> = literals
            .iter()
            .filter(|literal| !literal.positive)
            .filter_map(|literal| match self.objects.atoms[literal.atom as usize] {
                ObjectAtom::Property { key, .. } => Some(key),
                _ => None,
            })
            .collect();
        let Fixed { marks, ordered, values, rest } = self.fixed_members(formula, keys, counted);
        // A state is a set of written keys where members are counted, and these sets are known to be too many.
        let sets = if counted { u32::try_from(keys.len()).ok() } else { Some(0) };
        let sets = sets.and_then(|keys| 1_usize.checked_shl(keys));
        if free && !ordered.is_empty() || sets.is_none_or(|sets| sets > room) {
            return Ok(None);
        }
        let placed: FxHashSet<u32> = ordered.iter().copied().collect();
        let unplaced: Vec<u32> = keys.iter().copied().filter(|key| !placed.contains(key)).collect();
        let mut others = OtherKeys::new(self.keys_but(keys));
        let mut states: IndexMap<(usize, FormulaId), MemberState, FxBuildHasher> =
            IndexMap::default();
        states.insert((0, rest), MemberState::default());
        let most_work = self.work.saturating_add(room.saturating_mul(WORK));
        let mut edges = 0;
        let mut at = 0;
        while let Some((&(place, rest), _)) = states.get_index(at) {
            let mut state = MemberState {
                end: place == ordered.len() && self.object_may_end(rest),
                ..MemberState::default()
            };
            let mut to = |place: usize, rest: FormulaId| {
                let entry = states.entry((place, rest));
                let index = entry.index();
                entry.or_default();
                u32::try_from(index).expect("budgets are below 2^32")
            };
            let next = self.count_object_member(rest);
            let here = ordered.get(place).map(|&key| (key, place + 1));
            for (key, after) in unplaced.iter().map(|&key| (key, place)).chain(here) {
                let value = values.get(&key).copied().unwrap_or(FormulaId::TRUE);
                let atoms = match counted {
                    true => KeyAtoms::once(key),
                    false => KeyAtoms::again(key, negated.contains(&key)),
                };
                if self.work > most_work {
                    return Ok(None);
                }
                let mark = marks.get(&key).copied();
                for (value, mut rest) in self.cases(atoms, next, value)? {
                    if counted {
                        let atom =
                            ObjectAtom::Property { key, value: FormulaId::FALSE, absent: true };
                        let forbidden = self.objects.atom(atom);
                        rest = self.objects.formulas.and([rest, forbidden]);
                    }
                    let to = to(after, rest);
                    state.members.push(Member { name: MemberName::Key(key), value, to, mark });
                }
            }
            for (names, (value, rest)) in self.other_members(&mut others, next)? {
                let to = to(place, rest);
                self.push_names(&mut state, names, value, to)?;
            }
            edges += state.members.len();
            states[at] = state;
            at += 1;
            if states.len() + edges > room || self.work > most_work {
                return Ok(None);
            }
            self.grow()?;
        }
        let marks = marks.values().fold(0, |marks, mark| marks | 1 << mark);
        Ok(Some(MemberAutomaton { states: states.into_values().collect(), marks }))
    }

    /// Takes out of a formula what it says of single keys in every case: it holds where the key is written, each time,
    /// and needs no state.
    fn fixed_members(&mut self, formula: FormulaId, keys: &[u32], counted: bool) -> Fixed {
        let mut rest = Vec::new();
        for conjunct in self.objects.formulas.conjuncts(formula) {
            if self.property_key(conjunct).is_none() {
                rest.push(conjunct);
            }
        }
        let mut needed = FxHashSet::default();
        let mut values: IndexMap<u32, Vec<FormulaId>, FxBuildHasher> = IndexMap::default();
        for (key, value, absent) in self.properties(formula) {
            if counted && !absent {
                // Where written keys are told apart, the states say which required ones are missing.
                rest.push(self.objects.atom(ObjectAtom::Property { key, value, absent }));
                continue;
            }
            values.entry(key).or_default().push(value);
            if !absent {
                needed.insert(key);
            }
        }
        let values = values.into_iter().map(|(key, all)| (key, self.values.and(all))).collect();
        let needed = keys.iter().copied().filter(|key| needed.contains(key));
        let most = usize::from(MOST_MARKS);
        let marks = needed.clone().take(most).zip(0..).collect();
        let ordered = needed.skip(most).collect();
        Fixed { marks, ordered, values, rest: self.objects.formulas.and(rest) }
    }
}

/// What an object formula says of single keys in every case.
struct Fixed {
    /// Required keys with marks.
    marks: FxHashMap<u32, u8>,
    /// Required keys that keep their order.
    ordered: Vec<u32>,
    /// Formulas over the values under keys.
    values: FxHashMap<u32, FormulaId>,
    /// The formula without what these say.
    rest: FormulaId,
}
