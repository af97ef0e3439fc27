//! Automata over members where alternatives name keys in different orders.
//!
//! The order of the remaining keys is then that of the formula that remains: once the members so far have told an
//! alternative from the others, its keys come in its own order. A state is the remaining formula and the keys that are
//! neither written nor left out; those that the formula no longer names come after those that it does.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::members::{KeyAtoms, Member, MemberAutomaton, MemberName, MemberState, OtherKeys};
use crate::algebra::{Algebra, FormulaId};

impl Algebra<'_> {
    /// The automaton of an object formula; `None` where it has more states or edges than there is room for.
    pub(crate) fn reordered_members(
        &mut self,
        formula: FormulaId,
        keys: &[u32],
        room: usize,
    ) -> Result<Option<MemberAutomaton>, Diagnostic> {
        let mut others = OtherKeys::new(self.keys_but(keys));
        let mut remaining: IndexSet<Vec<u32>, FxBuildHasher> = IndexSet::default();
        remaining.insert(keys.to_vec());
        let mut states: IndexMap<(usize, FormulaId), MemberState, FxBuildHasher> =
            IndexMap::default();
        states.insert((0, formula), MemberState::default());
        let mut edges = 0;
        let mut at = 0;
        while let Some((&(left, rest), _)) = states.get_index(at) {
            let open = remaining[left].clone();
            let next = self.keys_of(rest).first().or(open.first()).copied();
            let state = match next {
                None => self.after_keys(&mut others, rest, at as u32, &mut |rest| {
                    reach(&mut states, left, rest)
                })?,
                Some(key) => {
                    let fewer = open.into_iter().filter(|other| *other != key).collect();
                    let (left, _) = remaining.insert_full(fewer);
                    let mut state = MemberState::default();
                    let without = self.without_key(rest, key);
                    if without != FormulaId::FALSE {
                        state.skip = Some(reach(&mut states, left, without));
                    }
                    let counted = self.count_object_member(rest);
                    for (value, rest) in
                        self.cases(KeyAtoms::once(key), counted, FormulaId::TRUE)?
                    {
                        let to = reach(&mut states, left, rest);
                        state.members.push(Member {
                            name: MemberName::Key(key),
                            value,
                            to,
                            mark: None,
                        });
                    }
                    state
                }
            };
            edges += state.members.len();
            states[at] = state;
            at += 1;
            if states.len() + edges > room {
                return Ok(None);
            }
            self.grow()?;
        }
        let states = states.into_values().collect();
        Ok(Some(MemberAutomaton { states, marks: 0, distinct: false }))
    }
}

fn reach(
    states: &mut IndexMap<(usize, FormulaId), MemberState, FxBuildHasher>,
    left: usize,
    rest: FormulaId,
) -> u32 {
    let entry = states.entry((left, rest));
    let index = entry.index();
    entry.or_default();
    u32::try_from(index).expect("budgets are below 2^32")
}
