//! Near-bound masks: the masks of count-dependent states by the number of remaining increments of a counter.
//!
//! Walks ignore registers, so what they find at a count-dependent state holds while more increments remain than a token
//! makes. The masks for fewer follow from the [deltas](super::super::derive::near_bound_deltas) of the state. Either
//! the state's own near-bound masks are stored in place of its mask, or the tokens to leave out, which states share. A
//! mask is stored only if it differs from that with one more increment.
//!
//! A state with several near-bound counters has near-bound masks for each, found as if the others had many increments
//! left. The rule was proved to allow near all bounds the intersection of these (`network::counting::conjunction`).
//!
//! Cost: that of the walks, and O(tokens that differ) for each mask.

use std::collections::hash_map::Entry;

use grammarc_artifacts::sections::masks::{NearBoundMask, NearBoundRecord};
use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use super::inputs::Inputs;
use super::interning::Interning;
use crate::masks::derive::near_bound_deltas::{
    DeltasByIncrement, NearBoundDelta, NearBoundDeltas, RuleDeltas,
};
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::limits::MaskError;
use crate::masks::outcome::Outcome;
use crate::network::CountDependent;
use crate::threads::Context;

/// A mask and an exit class.
type Found = (u32, u32);

/// Lists of masks that are found before they are numbered.
const AT_ONCE: usize = 1 << 6;

/// The numbers of a rule's deltas and of a state's among them, and what walks found at the state. Nothing of the last
/// if deltas are sets of tokens.
type Key = (usize, usize, Found);

/// The records of count-dependent states and their masks.
#[derive(Default)]
pub(super) struct NearBoundMasks {
    /// Ascending by state and field.
    pub(super) records: Vec<NearBoundRecord>,
    /// The masks of each, ascending by increments.
    pub(super) masks: Vec<NearBoundMask>,
}

impl NearBoundMasks {
    /// The classes through which rules are left with few increments left, each with a state of the rule.
    pub(super) fn classes(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let in_place = self.records.iter().filter(|record| !record.is_without());
        in_place.flat_map(|record| {
            let masks = &self.masks[record.first as usize..][..record.len as usize];
            masks.iter().map(|mask| (record.state, mask.exits))
        })
    }
}

/// The near-bound masks so far, and the encoder, numbers and threads by which more are made.
struct Maker<'m, 'a> {
    encoder: &'m mut Encoder<'a>,
    interning: &'m mut Interning<'a>,
    /// By index of the state, its mask with many increments left.
    masks: &'m [Found],
    first_state: u32,
    context: Context<'m>,
    /// By key, a range of the masks.
    known: FxHashMap<Key, (u32, u32)>,
    made: NearBoundMasks,
}

/// Returns the near-bound masks of all count-dependent states, given `masks`, those with many increments left.
pub(super) fn masks<'a>(
    inputs: Inputs<'a>,
    encoder: &mut Encoder<'a>,
    interning: &mut Interning<'a>,
    masks: &[Found],
    context: Context<'_>,
) -> Result<NearBoundMasks, MaskError> {
    let Inputs { network, facts, trie, follow, .. } = inputs;
    let first_state = inputs.first_state();
    let (known, made) = (FxHashMap::default(), NearBoundMasks::default());
    let mut maker = Maker { encoder, interning, masks, first_state, context, known, made };
    let mut deltas = NearBoundDeltas::new(network, facts, trie, context);
    for count_dependent in &network.count_dependent {
        let state = count_dependent.states[0][0];
        let after = follow.bytes(follow.rule_of(state));
        let rule = deltas.number(count_dependent, after);
        let spent = |_| MaskError::Spent { states: 0, total: count_dependent.states.len(), state };
        context.budget.check().map_err(spent)?;
        maker.add(count_dependent, rule, deltas.get(rule))?;
    }
    let mut made = maker.made;
    made.records.sort_unstable_by_key(|record| (record.state, record.field));
    Ok(made)
}

impl Maker<'_, '_> {
    /// Adds the near-bound masks of the states of a rule by one counter, given the deltas with this number.
    fn add(
        &mut self,
        count_dependent: &CountDependent,
        rule: usize,
        of: &RuleDeltas,
    ) -> Result<(), MaskError> {
        let keys = count_dependent.states.iter().zip(&of.of_group).map(|(states, &list)| match of
            .of_tokens
        {
            true => (rule, list, (NONE, NONE)),
            // Groups with equal unbounded outcomes and equal deltas have the same masks.
            false => (rule, list, self.interning.found(states[0])),
        });
        let keys: Vec<Key> = keys.collect();
        let mut new: Vec<(u32, Key)> = Vec::new();
        for (states, &key) in count_dependent.states.iter().zip(&keys) {
            if let Entry::Vacant(vacant) = self.known.entry(key) {
                vacant.insert((0, 0));
                new.push((states[0], key));
            }
        }
        match of.of_tokens {
            true => self.left_out(count_dependent.states[0][0], &new, &of.deltas)?,
            false => self.in_place(&new, &of.deltas)?,
        }
        let without = if of.of_tokens { NearBoundRecord::WITHOUT } else { 0 };
        let field = u32::from(count_dependent.field.shift)
            | u32::from(count_dependent.field.width) << 8
            | without;
        for (states, key) in count_dependent.states.iter().zip(&keys) {
            let (first, len) = self.known[key];
            if len > 0 {
                let of_state = |&state: &u32| NearBoundRecord { state, field, first, len };
                self.made.records.extend(states.iter().map(of_state));
            }
        }
        Ok(())
    }

    /// Makes masks of the tokens to leave out. A limit that is exceeded is reported at some state.
    fn left_out(
        &mut self,
        state: u32,
        new: &[(u32, Key)],
        deltas: &[DeltasByIncrement],
    ) -> Result<(), MaskError> {
        let nothing = self.interning.mask(self.encoder, state, &Computed::default())?;
        self.make(new, deltas, |_, _, delta| delta.excluded(), |_| (nothing, NONE))
    }

    /// Makes masks that replace those of states.
    fn in_place(
        &mut self,
        new: &[(u32, Key)],
        deltas: &[DeltasByIncrement],
    ) -> Result<(), MaskError> {
        for &(state, (.., found)) in new {
            let reference = self.interning.pool.reference(found.0, None);
            self.encoder.add_reference(state, reference);
        }
        let (masks, first) = (self.masks, self.first_state);
        let outcome = |interning: &Interning<'_>,
                       &(state, (.., found)): &(u32, Key),
                       delta: &NearBoundDelta| {
            delta.outcome(state, interning.exits_of(found.1))
        };
        self.make(new, deltas, outcome, |state| masks[(state - first) as usize])
    }

    /// Makes the masks of some keys, each with a state that has it: by its deltas, and else as they are with many
    /// increments left.
    fn make(
        &mut self,
        new: &[(u32, Key)],
        deltas: &[DeltasByIncrement],
        outcome: impl Fn(&Interning<'_>, &(u32, Key), &NearBoundDelta) -> Outcome + Sync,
        far: impl Fn(u32) -> Found,
    ) -> Result<(), MaskError> {
        for items in new.chunks(AT_ONCE) {
            let (encoder, interning) = (&*self.encoder, &*self.interning);
            let find = |scratch: &mut Scratch, item: &(u32, Key)| {
                let at = |delta: &Option<NearBoundDelta>| {
                    let mut computed = Computed::from(outcome(interning, item, delta.as_ref()?));
                    encoder.encode_new(&mut computed, scratch);
                    Some(computed)
                };
                deltas[item.1.1].iter().map(at).collect::<Vec<Option<Computed>>>()
            };
            let room = || Scratch::new(encoder.lengths().row_words);
            let sets = self.context.threads.map(true, items, room, find);
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

    /// Stores the masks of a key for 1 remaining increment and more, where they differ from those for one more.
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
