//! Masks of graded states: by the number of ticks that a counter has left, where a token can make more.
//!
//! Walks ignore registers, so what they find at a graded state holds while more ticks are left than a token makes. The masks
//! with fewer follow from the [cuts](super::super::derive::cuts) of the state: either those of the state itself are stored in
//! place of its own, or the tokens that are cut, which states have in common. A mask is stored where it is another one than with
//! one tick more.
//!
//! A state with several graded counters has a grade for each, found as if the others had many ticks left: the rule was
//! [proved](crate::network) to allow what all of them do.
//!
//! Cost: that of the walks, and O(tokens that differ) for each mask.

use std::collections::hash_map::Entry;

use grammarc_artifacts::sections::masks::{NearBoundMask, NearBoundRecord};
use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use super::inputs::Inputs;
use super::interning::Interning;
use crate::masks::derive::cuts::{Cut, Cuts, CutsByTick, RuleCuts};
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::limits::MaskError;
use crate::masks::outcome::Outcome;
use crate::network::Graded;
use crate::threads::Means;

/// A mask and an exit class.
type Found = (u32, u32);

/// Lists of masks that are found before they are numbered.
const AT_ONCE: usize = 1 << 6;

/// The numbers of a rule's cuts and of a state's among them, and what walks found at the state: nothing where cuts are of tokens alone.
type Key = (usize, usize, Found);

/// The records of graded states and their masks.
#[derive(Default)]
pub(super) struct Grades {
    /// Ascending by state and field.
    pub(super) records: Vec<NearBoundRecord>,
    /// The masks of each, ascending by ticks.
    pub(super) masks: Vec<NearBoundMask>,
}

impl Grades {
    /// The classes through which rules are left with few ticks left, each with a state of the rule.
    pub(super) fn classes(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let in_place = self.records.iter().filter(|grade| !grade.is_without());
        in_place.flat_map(|grade| {
            let masks = &self.masks[grade.first as usize..][..grade.len as usize];
            masks.iter().map(|mask| (grade.state, mask.exits))
        })
    }
}

/// The grades so far, and the encoder, numbers and threads by which more are made.
struct Maker<'m, 'a> {
    encoder: &'m mut Encoder<'a>,
    interning: &'m mut Interning<'a>,
    /// By index of the state, its mask with many ticks left.
    masks: &'m [Found],
    first_state: u32,
    means: Means<'m>,
    /// By key, a range of the masks.
    known: FxHashMap<Key, (u32, u32)>,
    made: Grades,
}

/// The grades of all graded states, where `masks` are those with many ticks left.
pub(super) fn masks<'a>(
    inputs: Inputs<'a>,
    encoder: &mut Encoder<'a>,
    interning: &mut Interning<'a>,
    masks: &[Found],
    means: Means<'_>,
) -> Result<Grades, MaskError> {
    let Inputs { network, facts, trie, follow, .. } = inputs;
    let first_state = inputs.first_state();
    let (known, made) = (FxHashMap::default(), Grades::default());
    let mut maker = Maker { encoder, interning, masks, first_state, means, known, made };
    let mut cuts = Cuts::default();
    for graded in &network.graded {
        let state = graded.states[0][0];
        let after = follow.bytes(follow.rule_of(state));
        let rule = cuts.number((network, graded), after, (facts, trie), means);
        let spent = |_| MaskError::Spent { states: 0, total: graded.states.len(), state };
        means.budget.check().map_err(spent)?;
        maker.add(graded, rule, cuts.get(rule))?;
    }
    let mut made = maker.made;
    made.records.sort_unstable_by_key(|grade| (grade.state, grade.field));
    Ok(made)
}

impl Maker<'_, '_> {
    /// Adds the grades of the states of a rule by one counter, by the cuts with this number.
    fn add(&mut self, graded: &Graded, rule: usize, of: &RuleCuts) -> Result<(), MaskError> {
        let keys =
            graded.states.iter().zip(&of.of_group).map(|(states, &list)| match of.of_tokens {
                true => (rule, list, (NONE, NONE)),
                // Groups whose states go on alike where their counter does and are otherwise the same have the same masks.
                false => (rule, list, self.interning.found(states[0])),
            });
        let keys: Vec<Key> = keys.collect();
        let mut new: Vec<(u32, Key)> = Vec::new();
        for (states, &key) in graded.states.iter().zip(&keys) {
            if let Entry::Vacant(vacant) = self.known.entry(key) {
                vacant.insert((0, 0));
                new.push((states[0], key));
            }
        }
        match of.of_tokens {
            true => self.left_out(graded.states[0][0], &new, &of.cuts)?,
            false => self.in_place(&new, &of.cuts)?,
        }
        let without = if of.of_tokens { NearBoundRecord::WITHOUT } else { 0 };
        let field = u32::from(graded.field.shift) | u32::from(graded.field.width) << 8 | without;
        for (states, key) in graded.states.iter().zip(&keys) {
            let (first, len) = self.known[key];
            if len > 0 {
                let of_state = |&state: &u32| NearBoundRecord { state, field, first, len };
                self.made.records.extend(states.iter().map(of_state));
            }
        }
        Ok(())
    }

    /// Makes masks of the tokens that are cut; a limit that is met is one at some state.
    fn left_out(
        &mut self,
        state: u32,
        new: &[(u32, Key)],
        cuts: &[CutsByTick],
    ) -> Result<(), MaskError> {
        let nothing = self.interning.mask(self.encoder, state, &Computed::default())?;
        self.make(new, cuts, |_, _, cut| cut.excluded(), |_| (nothing, NONE))
    }

    /// Makes masks that take the place of those of states.
    fn in_place(&mut self, new: &[(u32, Key)], cuts: &[CutsByTick]) -> Result<(), MaskError> {
        for &(state, (.., found)) in new {
            let reference = self.interning.pool.reference(found.0, None);
            self.encoder.add_reference(state, reference);
        }
        let (masks, first) = (self.masks, self.first_state);
        let outcome = |interning: &Interning<'_>, &(state, (.., found)): &(u32, Key), cut: &Cut| {
            cut.outcome(state, interning.exits_of(found.1))
        };
        self.make(new, cuts, outcome, |state| masks[(state - first) as usize])
    }

    /// Makes the masks of some keys, each with a state that has it: by cut, or as they are with many ticks left.
    fn make(
        &mut self,
        new: &[(u32, Key)],
        cuts: &[CutsByTick],
        outcome: impl Fn(&Interning<'_>, &(u32, Key), &Cut) -> Outcome + Sync,
        far: impl Fn(u32) -> Found,
    ) -> Result<(), MaskError> {
        for items in new.chunks(AT_ONCE) {
            let (encoder, interning) = (&*self.encoder, &*self.interning);
            let find = |scratch: &mut Scratch, item: &(u32, Key)| {
                let at = |cut: &Option<Cut>| {
                    let mut computed = Computed::from(outcome(interning, item, cut.as_ref()?));
                    encoder.encode_new(&mut computed, scratch);
                    Some(computed)
                };
                cuts[item.1.1].iter().map(at).collect::<Vec<Option<Computed>>>()
            };
            let room = || Scratch::new(encoder.lengths().row_words);
            let sets = self.means.threads.map(true, items, room, find);
            for (sets, &(state, key)) in sets.iter().zip(items) {
                let mut found = Vec::with_capacity(sets.len());
                for computed in sets {
                    let Some(computed) = computed else {
                        found.push(far(state));
                        continue;
                    };
                    let base = self.interning.mask(self.encoder, state, computed)?;
                    found.push((base, self.interning.classes.intern(&computed.outcome.exits)));
                }
                self.store(key, &found, far(state));
            }
        }
        Ok(())
    }

    /// Stores the masks of a key, with 1 tick left and more, where they are others than with one tick more.
    fn store(&mut self, key: Key, found: &[Found], far: Found) {
        let first = self.made.masks.len() as u32;
        let next = |at: usize| found.get(at + 1).copied().unwrap_or(far);
        let differing = (0..found.len()).filter(|&at| found[at] != next(at));
        self.made.masks.extend(differing.map(|at| {
            let (base, exits) = found[at];
            NearBoundMask { most: at as u32 + 1, base, exits }
        }));
        self.known.insert(key, (first, self.made.masks.len() as u32 - first));
    }
}
