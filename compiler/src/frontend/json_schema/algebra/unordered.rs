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

use super::members::{KeyAtoms, Member, MemberAutomaton, MemberName, MemberState, OtherKeys};
use super::objects::ObjectAtom;
use super::{Algebra, FormulaId};

/// Work for each state or edge that an automaton has room for. More is a sign that it will have no room.
const WORK: usize = 64;

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
        let Required { marks, ordered, rest } = self.required_members(formula, keys, counted);
        // A state is a set of written keys where members are counted, and these sets are known to be too many.
        let sets = if counted { u32::try_from(keys.len()).ok() } else { Some(0) };
        let sets = sets.and_then(|keys| 1_usize.checked_shl(keys));
        if free && !ordered.is_empty() || sets.is_none_or(|sets| sets > room) {
            return Ok(None);
        }
        let mut others = OtherKeys::new(self.keys_but(keys)?);
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
            for &key in keys {
                let (value, after) = match ordered.get(&key) {
                    Some((at, values)) if *at == place => {
                        (self.values.and(values.clone()), place + 1)
                    }
                    Some(_) => continue,
                    None => (FormulaId::TRUE, place),
                };
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
        Ok(Some(MemberAutomaton { states: states.into_values().collect() }))
    }

    /// Takes out of a formula what it says of required keys in every case.
    fn required_members(&mut self, formula: FormulaId, keys: &[u32], counted: bool) -> Required {
        let fixed = self.properties(formula);
        let needed: FxHashSet<u32> =
            fixed.iter().filter(|(.., absent)| !absent).map(|&(key, ..)| key).collect();
        // Where written keys are told apart, a formula that requires one says so in its states.
        let needed = keys.iter().filter(|&key| !counted && needed.contains(key));
        let most = usize::from(MOST_MARKS);
        let marks = needed.clone().take(most).copied().zip(0..).collect::<FxHashMap<u32, u8>>();
        let ordered = needed.skip(most).zip(0..).map(|(&key, place)| (key, (place, Vec::new())));
        let mut ordered: FxHashMap<u32, (usize, Vec<FormulaId>)> = ordered.collect();
        let mut rest = Vec::new();
        for conjunct in self.objects.formulas.conjuncts(formula) {
            let key = self.property_key(conjunct);
            if key.is_none_or(|key| !marks.contains_key(&key) && !ordered.contains_key(&key)) {
                rest.push(conjunct);
            }
        }
        for (key, value, _) in fixed {
            if marks.contains_key(&key) {
                let atom = ObjectAtom::Property { key, value, absent: true };
                rest.push(self.objects.atom(atom));
            } else if let Some((_, values)) = ordered.get_mut(&key) {
                // What holds for a key that keeps its place holds where it is written, and needs no state.
                values.push(value);
            }
        }
        Required { marks, ordered, rest: self.objects.formulas.and(rest) }
    }
}

/// The keys that an object has to have in every case.
struct Required {
    /// Those with marks.
    marks: FxHashMap<u32, u8>,
    /// Those that keep their order: their places in it, and formulas over their values.
    ordered: FxHashMap<u32, (usize, Vec<FormulaId>)>,
    /// The formula without what these say.
    rest: FormulaId,
}
