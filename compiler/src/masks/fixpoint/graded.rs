//! Masks of graded states: by the number of ticks that a counter has left, where a token can make more.
//!
//! Walks ignore registers, so what they find at a graded state holds while more ticks are left than a token makes. The masks
//! with fewer are [derived](super::super::derive::ticks) from that one. Records are stored where the mask is another one than
//! with one tick more.
//!
//! Cost: that of the walk, and O(tokens that differ) for each mask.

use grammarc_artifacts::sections::masks::GradeRecord;
use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxBuildHasher;

use super::inputs::Inputs;
use super::interning::Interning;
use crate::masks::derive::ticks::{Beginning, GradedRule, Part, at_tick};
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::limits::MaskError;
use crate::threads::Means;

/// A base mask and an exit class.
type Found = (u32, u32);

/// Groups whose masks are found before they are numbered.
const AT_ONCE: usize = 1 << 6;

/// States that do the same, with what is needed for their masks.
struct Group<'a> {
    states: &'a [u32],
    /// Numbers of the parts of their first bytes, of those in which something depends on the ticks.
    parts: Vec<usize>,
}

/// The masks of all graded states, ascending by state and ticks, where `masks` are those with many ticks left.
pub(super) fn masks<'a>(
    inputs: Inputs<'a>,
    encoder: &mut Encoder<'a>,
    interning: &mut Interning<'a>,
    masks: &[Found],
    means: Means<'_>,
) -> Result<Vec<GradeRecord>, MaskError> {
    let Inputs { network, facts, trie, follow, .. } = inputs;
    let (threads, budget) = (means.threads, means.budget);
    let row_words = encoder.lengths().row_words;
    let mut grades: Vec<GradeRecord> = Vec::new();
    for graded in &network.graded {
        let after = follow.bytes(follow.rule_of(graded.states[0][0]));
        let rule = GradedRule::new(network, graded, after, (facts, trie), budget);
        // Parts are shared, and found on all threads; so are the sets of masks.
        let mut beginnings: IndexSet<Beginning, FxBuildHasher> = IndexSet::default();
        let groups = graded.states.iter().map(|states| {
            let own = rule.beginnings(states[0]).into_iter();
            let parts = own.map(|beginning| beginnings.insert_full(beginning).0).collect();
            Group { states, parts }
        });
        let mut groups: Vec<Group<'_>> = groups.collect();
        let beginnings: Vec<Beginning> = beginnings.into_iter().collect();
        let parts: Vec<Part> =
            threads.map(true, &beginnings, || rule.walk(), |walk, &beginning| walk.part(beginning));
        let state = graded.states[0][0];
        let spent = |_| MaskError::Spent { states: 0, total: graded.states.len(), state };
        budget.check().map_err(spent)?;
        // Groups whose states go on alike where their counter does and are otherwise the same have the same masks.
        let mut alike: IndexMap<(Found, Vec<usize>), u32, FxBuildHasher> = IndexMap::default();
        let mut of_group: Vec<usize> = Vec::with_capacity(groups.len());
        for group in &mut groups {
            group.parts.retain(|&part| !parts[part].is_empty());
            let state = group.states[0];
            let key = (interning.found(state), std::mem::take(&mut group.parts));
            of_group.push(alike.insert_full(key, state).0);
        }
        for ((found, _), &state) in &alike {
            encoder.add_reference(state, interning.pool.reference(found.0, None));
        }
        let far = |state: u32| masks[(state - inputs.first_state()) as usize];
        let items = alike.iter().map(|((found, own), &state)| (state, *found, &own[..]));
        let items: Vec<(u32, Found, &[usize])> = items.collect();
        let mut stored: Vec<Vec<Found>> = Vec::with_capacity(items.len());
        for items in items.chunks(AT_ONCE) {
            let find = |scratch: &mut Scratch, &(state, found, own): &(u32, Found, &[usize])| {
                let own: Vec<&Part> = own.iter().map(|&part| &parts[part]).collect();
                let exits = interning.exits_of(found.1);
                let most = own.iter().map(|part| part.len()).max().unwrap_or(0) as u32;
                let at = |left: u32| {
                    let mut computed = Computed::from(at_tick(trie, (state, exits), &own, left)?);
                    encoder.encode_new(&mut computed, scratch);
                    Some(computed)
                };
                (1..=most).map(at).collect::<Vec<Option<Computed>>>()
            };
            let sets = threads.map(true, items, || Scratch::new(row_words), find);
            for (sets, &(state, ..)) in sets.iter().zip(items) {
                let found = sets.iter().map(|computed| {
                    let Some(computed) = computed else { return Ok(far(state)) };
                    let base = interning.mask(encoder, state, computed)?;
                    Ok((base, interning.classes.intern(&computed.outcome.exits)))
                });
                stored.push(found.collect::<Result<_, _>>()?);
            }
        }
        let field = u32::from(graded.field.shift) | u32::from(graded.field.width) << 8;
        for (group, of) in groups.iter().zip(of_group) {
            let found = &stored[of];
            for &state in group.states {
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
