//! Builds the automaton over members for alternatives that name keys in different orders.
//!
//! The next key is the first key that the remaining formula names. Once the written members exclude all alternatives
//! but one, the keys come in the order of that alternative. A state is the remaining formula, and the keys that are
//! neither written nor left out so far. Keys that the remaining formula does not name come last.

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use grammarc_grammar::diagnostics::Diagnostic;

use super::key_atoms::KeyAtoms;
use super::member_automaton::{Member, MemberAutomaton, MemberName, MemberState};
use super::other_keys::{OtherKeys, after_keys, keys_but};
use crate::algebra::logic::formula::FormulaId;
use crate::algebra::simplify::atoms::Derivative;
use crate::algebra::simplify::derivatives::derivatives;
use crate::algebra::simplify::layer::Simplifier;

/// Builds an automaton of an object formula in which the order of keys depends on the formula that remains. `keys` are
/// the numbers of the keys that the formula names. Returns `None` if the automaton has more than `room` states and
/// edges.
///
/// # Errors
///
/// A limit on work, states or memory is exceeded.
pub(crate) fn ordered_by_rest(
    simplifier: &mut Simplifier<'_>,
    formula: FormulaId,
    keys: &[u32],
    room: usize,
) -> Result<Option<MemberAutomaton>, Diagnostic> {
    let mut others = OtherKeys::new(keys_but(&simplifier.types, keys));
    let mut remaining: IndexSet<Vec<u32>, FxBuildHasher> = IndexSet::default();
    remaining.insert(keys.to_vec());
    let mut states: IndexMap<(usize, FormulaId), MemberState, FxBuildHasher> = IndexMap::default();
    states.insert((0, formula), MemberState::default());
    let mut edges = 0;
    let mut at = 0;
    while let Some((&(left, rest), _)) = states.get_index(at) {
        let open = remaining[left].clone();
        let next = simplifier.types.objects.keys_of(rest).first().or(open.first()).copied();
        let state = match next {
            None => after_keys(simplifier, &mut others, rest, at as u32, &mut |rest| {
                reach(&mut states, left, rest)
            })?,
            Some(key) => {
                let fewer = open.into_iter().filter(|other| *other != key).collect();
                let (left, _) = remaining.insert_full(fewer);
                let mut state = MemberState::default();
                let without = simplifier.types.objects.without_key(rest, key);
                if without != FormulaId::FALSE {
                    state.skip = Some(reach(&mut states, left, without));
                }
                let counted = simplifier.types.objects.count_member(rest);
                for Derivative { value, rest } in
                    derivatives(simplifier, KeyAtoms::once(key), counted, FormulaId::TRUE)?
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
        simplifier.types.grow()?;
    }
    let states = states.into_values().collect();
    Ok(Some(MemberAutomaton { states, marks: 0, distinct: false }))
}

/// Returns the number of the automaton state for the remaining object formula `rest` and the set, with index `left`, of
/// keys that may still be written. A new state is added without edges.
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
