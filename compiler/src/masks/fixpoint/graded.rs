//! Masks of graded states: by the number of ticks that a counter has left, where a token can make more.
//!
//! Walks ignore registers, so what they find at a graded state holds while more ticks are left than a token makes. The masks
//! with fewer are [derived](super::super::derive::ticks) from that one. Records are stored where the mask is another one than
//! with one tick more.
//!
//! Cost: that of the walk, and O(tokens that differ) for each mask.

use std::collections::hash_map::Entry;

use grammarc_artifacts::sections::masks::GradeRecord;
use rustc_hash::FxHashMap;

use super::inputs::Inputs;
use super::interning::Interning;
use crate::budget::Budget;
use crate::masks::derive::ticks::{Beginning, TickWalk, at_tick};
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::limits::MaskError;

/// A base mask and an exit class.
type Found = (u32, u32);

/// The masks of all graded states, ascending by state and ticks, where `masks` are those with many ticks left.
pub(super) fn masks<'a>(
    inputs: Inputs<'a>,
    encoder: &mut Encoder<'a>,
    interning: &mut Interning<'a>,
    masks: &[Found],
    budget: &Budget,
) -> Result<Vec<GradeRecord>, MaskError> {
    let Inputs { network, facts, trie, follow, .. } = inputs;
    let mut grades: Vec<GradeRecord> = Vec::new();
    let mut scratch = Scratch::new(encoder.lengths().row_words);
    for graded in &network.graded {
        let after = follow.bytes(follow.rule_of(graded.states[0][0]));
        let mut walk = TickWalk::new(network, graded, after, (facts, trie), budget);
        let mut known: FxHashMap<(Found, Vec<Beginning>), Vec<Found>> = FxHashMap::default();
        for group in &graded.states {
            let state = group[0];
            let far = |state: u32| masks[(state - inputs.first_state()) as usize];
            let (beginnings, parts) = walk.parts(state);
            let spent = |_| MaskError::Spent { states: 0, total: graded.states.len(), state };
            budget.check().map_err(spent)?;
            let found = match known.entry((interning.found(state), beginnings)) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => {
                    let (set, exits) = interning.found(state);
                    let exits = interning.exits_of(exits).to_vec();
                    encoder.add_reference(state, interning.pool.reference(set, None));
                    let most = parts.iter().map(|part| part.len()).max().unwrap_or(0);
                    let mut found = Vec::with_capacity(most);
                    for left in 1..=most as u32 {
                        let Some(outcome) = at_tick(trie, (state, &exits), &parts, left) else {
                            found.push(far(state));
                            continue;
                        };
                        let mut computed = Computed::from(outcome);
                        encoder.encode_new(&mut computed, &mut scratch);
                        let base = interning.mask(encoder, state, &computed)?;
                        found.push((base, interning.classes.intern(&computed.outcome.exits)));
                    }
                    new.insert(found)
                }
            };
            let field = u32::from(graded.field.shift) | u32::from(graded.field.width) << 8;
            for &state in group {
                let next = |at: usize| found.get(at + 1).copied().unwrap_or(far(state));
                let differing = (0..found.len()).filter(|&at| found[at] != next(at));
                grades.extend(differing.map(|at| {
                    let (base, exits) = found[at];
                    GradeRecord { state, most: at as u32 + 1, field, base, exits }
                }));
            }
        }
    }
    grades.sort_unstable_by_key(|grade| (grade.state, grade.most));
    Ok(grades)
}

/// The classes through which rules are left with few ticks left, each with a state of the rule.
pub(super) fn classes(grades: &[GradeRecord]) -> impl Iterator<Item = (u32, u32)> + '_ {
    grades.iter().map(|grade| (grade.state, grade.exits))
}
