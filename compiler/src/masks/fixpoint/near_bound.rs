//! Near-bound masks: the masks of count-dependent states, by the number of remaining increments of a counter.
//!
//! Walks ignore registers. So the outcome of a walk from a count-dependent state is right while more increments remain
//! than one token can make. The masks for fewer increments follow from the state's
//! [deltas](super::super::derive::near_bound_deltas). The stored masks either replace the state's mask, or are sets of
//! tokens to exclude from it, which states share. A mask is stored only if it differs from the mask with one more
//! increment.
//!
//! A state with several near-bound counters has near-bound masks for each, found as if the others had many increments
//! left. Near several bounds at once, the state allows exactly the intersection of these masks. The network has
//! verified this for each such rule (`network::counting::conjunction`).
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

/// The ids of a mask and of a set of exits (nodes where a rule returns). Before these ids are given, the indexes of a
/// token set and of a list of exits.
type Found = (u32, u32);

/// The number of keys (states with equal near-bound masks) whose masks are computed before they get ids. It bounds the
/// memory of results.
const AT_ONCE: usize = 1 << 6;

/// The key of a list of near-bound masks (few increments left). The first number is the index of the rule's deltas
/// (differences from the unbounded masks). The second is the index of the state's deltas among these. The third part
/// has the indexes of the state's unbounded token set and exits. It is `(NONE, NONE)` if deltas are only sets of
/// tokens.
type Key = (usize, usize, Found);

/// The near-bound masks of a grammar: masks of states for few remaining increments of a counter.
#[derive(Default)]
pub(super) struct NearBoundMasks {
    /// One entry for each pair of a count-dependent state (mask changes near a bound) and a counter, ascending by state
    /// and register bits. The entry names the range of its masks in `masks`.
    pub(super) records: Vec<NearBoundRecord>,
    /// The near-bound masks (few increments left) of all entries of `records`, one entry after another. The masks of an
    /// entry ascend by the number of remaining increments.
    pub(super) masks: Vec<NearBoundMask>,
}

impl NearBoundMasks {
    /// Returns the sets of exits (nodes where a rule returns) of all masks that replace a state's mask near a bound.
    /// Each is given by its id, after a state of its rule.
    pub(super) fn classes(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let in_place = self.records.iter().filter(|record| !record.is_without());
        in_place.flat_map(|record| {
            let masks = &self.masks[record.first as usize..][..record.len as usize];
            masks.iter().map(|mask| (record.state, mask.exits))
        })
    }
}

/// The near-bound masks (few increments left) made so far, and the tools that make more.
struct Maker<'m, 'a> {
    /// Encodes token sets.
    encoder: &'m mut Encoder<'a>,
    /// Gives ids to masks and to sets of exits (nodes where a rule returns).
    interning: &'m mut Interning<'a>,
    /// For each state of the grammar, the id of its mask with many increments left. Also the id of its set of exits:
    /// the trie nodes at which its rule returns then.
    masks: &'m [Found],
    /// The id of the grammar's first state; lower ids belong to the vocabulary.
    first_state: u32,
    /// The budget and the threads of the computation.
    context: Context<'m>,
    /// Maps a key (states with equal near-bound masks) to the range of its masks in `made.masks`: the first index, and
    /// how many there are.
    known: FxHashMap<Key, (u32, u32)>,
    /// The near-bound masks (few increments left) made so far, with the states that have them.
    made: NearBoundMasks,
}

/// Computes the near-bound masks of all count-dependent states (masks change near a bound). `masks` has, for each state
/// of the grammar, the ids of its mask and of its set of exits (nodes where the rule returns) with many increments
/// left.
///
/// # Errors
///
/// [`MaskError`] if the number of rows exceeds its limit, or the budget is spent.
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
    /// Adds the near-bound masks (few increments left) of the states `count_dependent` of a rule, for one counter.
    /// `rule` is the index of the rule's deltas (differences from the unbounded masks), and `of` has these deltas.
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

    /// Makes the near-bound masks (few increments left) of the keys `new` as sets of tokens to exclude from the
    /// unbounded masks. A key comes with a state that has it. An error names `state`. `deltas` has the differences from
    /// the unbounded masks, by the second index of a key.
    fn left_out(
        &mut self,
        state: u32,
        new: &[(u32, Key)],
        deltas: &[DeltasByIncrement],
    ) -> Result<(), MaskError> {
        let nothing = self.interning.mask(self.encoder, state, &Computed::default())?;
        self.make(new, deltas, |_, _, delta| delta.excluded(), |_| (nothing, NONE))
    }

    /// Makes the near-bound masks (few increments left) of the keys `new` as masks that replace the unbounded masks of
    /// the states. A key comes with a state that has it. `deltas` has the differences from the unbounded masks, by the
    /// second index of a key.
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

    /// Makes the near-bound masks (few increments left) of the keys `new`, each with a state that has the key. `deltas`
    /// has the differences from the unbounded masks, by the second index of a key. `outcome` returns the outcome
    /// (tokens and exits) of such a difference. Without a difference, the mask is the unbounded one, which `far`
    /// returns.
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

    /// Stores the near-bound masks (few increments left) of all states with the key `key`. Entry `i` of `found` is the
    /// mask for `i + 1` remaining increments. A mask is stored only if it differs from the mask for one increment more.
    /// The last entry is compared with `far`, the unbounded mask.
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
