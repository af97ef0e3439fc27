//! Automata over members whose keys come in any order.
//!
//! A key that has been written may be written again, with a value that satisfies the same: whichever of its values a
//! parser keeps, the object is the same kind of object. So an automaton need not know what has been written, only
//! which required keys have not: a state for each set of them. Where more than [`MOST_UNORDERED`] are required, these
//! keep the order of the schema among themselves, and all other keys may still stand anywhere between them: every
//! object keeps an accepted text, and states stay linear.
//!
//! Where the number of members is bounded, repeated keys would be counted twice, so written keys are then forbidden,
//! and a state is a set of written keys.

use indexmap::IndexMap;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};

use crate::diagnostics::Diagnostic;

use super::members::{KeyAtoms, Member, MemberAutomaton, MemberName, MemberState, OtherKeys};
use super::objects::ObjectAtom;
use super::{Algebra, FormulaId};

/// Work for each state or edge that an automaton has room for. More is a sign that it will have no room.
const WORK: usize = 64;

impl Algebra<'_> {
    /// The automaton of an object formula with its keys in any order, required ones in theirs unless they are `free`;
    /// `None` where it has more states or edges than there is room for.
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
        let mut required: Vec<u32> = Vec::new();
        for (key, _, absent) in self.properties(formula) {
            if !absent && !required.contains(&key) {
                required.push(key);
            }
        }
        // A state is a set of keys, and these sets are known to be too many.
        let told = match (counted, free) {
            (true, _) => keys.len(),
            (false, true) => required.len(),
            (false, false) => 0,
        };
        let sets = u32::try_from(told).ok().and_then(|told| 1_usize.checked_shl(told));
        if sets.is_none_or(|sets| sets > room) {
            return Ok(None);
        }
        required.sort_by_key(|key| keys.iter().position(|other| other == key));
        if free {
            required.clear();
        }
        // Facts about keys that keep their order hold where those keys are written, and need no state.
        let mut fixed: FxHashMap<u32, Vec<FormulaId>> = FxHashMap::default();
        for (key, value, _) in self.properties(formula) {
            if required.contains(&key) {
                fixed.entry(key).or_default().push(value);
            }
        }
        let rest: Vec<_> = self
            .objects
            .formulas
            .conjuncts(formula)
            .into_iter()
            .filter(|&conjunct| {
                !self.property_key(conjunct).is_some_and(|key| required.contains(&key))
            })
            .collect();
        let rest = self.objects.formulas.and(rest);
        let mut others = OtherKeys::new(self.keys_but(keys)?);
        let mut states: IndexMap<(usize, FormulaId), MemberState, FxBuildHasher> =
            IndexMap::default();
        states.insert((0, rest), MemberState::default());
        let most_work = self.work.saturating_add(room.saturating_mul(WORK));
        let mut edges = 0;
        let mut at = 0;
        while let Some((&(place, rest), _)) = states.get_index(at) {
            let mut state = MemberState {
                end: place == required.len() && self.object_may_end(rest),
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
                let (value, after) = match required.iter().position(|other| *other == key) {
                    Some(at) if at == place => (self.values.and(fixed[&key].clone()), place + 1),
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
                for (value, mut rest) in self.cases(atoms, next, value)? {
                    if counted {
                        let atom =
                            ObjectAtom::Property { key, value: FormulaId::FALSE, absent: true };
                        let forbidden = self.objects.atom(atom);
                        rest = self.objects.formulas.and([rest, forbidden]);
                    }
                    let to = to(after, rest);
                    state.members.push(Member { name: MemberName::Key(key), value, to });
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
}
