//! Masks of graded states: by the number of ticks that a counter has left, where a token can make more.
//!
//! Walks ignore registers, so what they find at a graded state holds while more ticks are left than a token makes. The masks
//! with fewer are [derived](super::super::derive::cuts) from that one. Records are stored where the mask is another one than
//! with one tick more.
//!
//! Cost: that of the walk, and O(tokens that differ) for each mask.

use std::collections::hash_map::Entry;

use grammarc_artifacts::sections::masks::GradeRecord;
use rustc_hash::FxHashMap;

use super::inputs::Inputs;
use super::interning::Interning;
use crate::masks::derive::cuts::{Cut, Cuts};
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::limits::MaskError;
use crate::masks::shortcuts::{Shortcut, ShortcutCounts, Shortcuts};
use crate::threads::Means;

/// A base mask and an exit class.
type Found = (u32, u32);

/// States whose masks are found before they are numbered.
const AT_ONCE: usize = 1 << 6;

/// The numbers of a rule's cuts and of a state's among them, and what walks found at the state.
type Key = (usize, usize, Found);

/// The masks of all graded states, ascending by state and ticks, where `masks` are those with many ticks left.
pub(super) fn masks<'a>(
    inputs: Inputs<'a>,
    encoder: &mut Encoder<'a>,
    interning: &mut Interning<'a>,
    masks: &[Found],
    (shortcuts, counts): (Shortcuts, &mut ShortcutCounts),
    means: Means<'_>,
) -> Result<Vec<GradeRecord>, MaskError> {
    let Inputs { network, facts, trie, follow, .. } = inputs;
    let (threads, budget) = (means.threads, means.budget);
    let row_words = encoder.lengths().row_words;
    let mut grades: Vec<GradeRecord> = Vec::new();
    let mut cuts = Cuts::new(shortcuts);
    // By the cuts and what walks found, the masks with 1 tick left and more.
    let mut known: FxHashMap<Key, Vec<Found>> = FxHashMap::default();
    for graded in &network.graded {
        let state = graded.states[0][0];
        let after = follow.bytes(follow.rule_of(state));
        let rule = cuts.number((network, graded), after, (facts, trie), means);
        let spent = |_| MaskError::Spent { states: 0, total: graded.states.len(), state };
        budget.check().map_err(spent)?;
        let of = cuts.get(rule);
        // Groups whose states go on alike where their counter does and are otherwise the same have the same masks.
        let keys = graded.states.iter().zip(&of.of_group);
        let keys = keys.map(|(states, &list)| (rule, list, interning.found(states[0])));
        let keys: Vec<Key> = keys.collect();
        let mut items: Vec<(u32, Key)> = Vec::new();
        for (states, key) in graded.states.iter().zip(&keys) {
            if let Entry::Vacant(vacant) = known.entry(*key) {
                vacant.insert(Vec::new());
                items.push((states[0], *key));
            }
        }
        for &(state, (.., found)) in &items {
            encoder.add_reference(state, interning.pool.reference(found.0, None));
        }
        let far = |state: u32| masks[(state - inputs.first_state()) as usize];
        for items in items.chunks(AT_ONCE) {
            let find = |scratch: &mut Scratch, &(state, (_, list, found)): &(u32, Key)| {
                let exits = interning.exits_of(found.1);
                let at = |cut: &Option<Cut>| {
                    let mut computed = Computed::from(cut.as_ref()?.outcome(state, exits));
                    encoder.encode_new(&mut computed, scratch);
                    Some(computed)
                };
                of.cuts[list].iter().map(at).collect::<Vec<Option<Computed>>>()
            };
            let sets = threads.map(true, items, || Scratch::new(row_words), find);
            for (sets, &(state, key)) in sets.iter().zip(items) {
                let found = sets.iter().map(|computed| {
                    let Some(computed) = computed else { return Ok(far(state)) };
                    let base = interning.mask(encoder, state, computed)?;
                    Ok((base, interning.classes.intern(&computed.outcome.exits)))
                });
                known.insert(key, found.collect::<Result<_, _>>()?);
            }
        }
        let field = u32::from(graded.field.shift) | u32::from(graded.field.width) << 8;
        for (states, key) in graded.states.iter().zip(&keys) {
            let found = &known[key];
            for &state in states {
                let next = |at: usize| found.get(at + 1).copied().unwrap_or(far(state));
                let differing = (0..found.len()).filter(|&at| found[at] != next(at));
                grades.extend(differing.map(|at| {
                    let (base, exits) = found[at];
                    GradeRecord { state, most: at as u32 + 1, field, base, exits }
                }));
            }
        }
    }
    counts.add(Shortcut::Simulation, cuts.covered);
    grades.sort_unstable_by_key(|grade| (grade.state, grade.most));
    Ok(grades)
}

/// The classes through which rules are left with few ticks left, each with a state of the rule.
pub(super) fn classes(grades: &[GradeRecord]) -> impl Iterator<Item = (u32, u32)> + '_ {
    grades.iter().map(|grade| (grade.state, grade.exits))
}
