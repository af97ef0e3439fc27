//! Base masks and exit classes of all own states.
//!
//! A state is walked, derived from its [reference](crate::masks::equivalence::reference), or has the outcome of its
//! representative. References come first; among the derived states, those that differ from their references soon are
//! done one by one, and the rest many at once.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::derived;
use super::inputs::Inputs;
use super::interning::Interning;
use super::schedule::{Item, Workers};
use super::token_edges::tokens_of;
use super::worker::Worker;
use crate::masks::derive::batch::Derivation;
use crate::masks::derive::char_runs::{CharRuns, RunRow};
use crate::masks::encode::encoder::{Computed, Encoder, Scratch};
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::limits::MaskError;
use crate::masks::outcome::Outcome;
use crate::masks::shortcuts::{Shortcut, Shortcuts};
use crate::network::Network;
use crate::threads::Threads;

/// Rows of runs from which on a second thread is worth it.
const WORTH_A_THREAD: usize = 16;

/// The states that are walked and those that are derived.
pub(crate) struct Plan {
    /// States that are walked, ascending.
    pub(crate) walked: Vec<u32>,
    /// States that are derived, ascending, each with its reference.
    pub(crate) derived: Vec<(u32, u32)>,
    /// The states that others are derived from.
    references: BTreeSet<u32>,
}

impl Plan {
    /// Selects own states of a network. States with a representative are in neither list. States of packed sets are in
    /// no table, and only those that others are derived from are selected.
    pub(crate) fn new(
        equivalence: &KEquivalence,
        network: &Network,
        states: &[u32],
        shortcuts: Shortcuts,
    ) -> Self {
        let is_derived = shortcuts.has(Shortcut::References);
        let representatives = equivalence.representatives();
        let rules = network.packed_sets.iter().map(|&(rule, _)| &network.tables.rules[rule]);
        let packed = rules.map(|rule| rule.first_state..rule.first_state + rule.state_count);
        let packed: Vec<Range<u32>> = packed.collect();
        let is_packed = |state: u32| packed.iter().any(|states| states.contains(&state));
        let stays = |&state: &u32| !is_packed(state);
        let references: BTreeSet<u32> = match packed.is_empty() || !is_derived {
            true => BTreeSet::new(),
            false => {
                let left = states.iter().copied().filter(stays);
                left.filter_map(|state| equivalence.reference(state)).collect()
            }
        };
        let is_wanted = |&state: &u32| {
            stays(&state)
                || references.contains(&state)
                || representatives.of(state).iter().any(stays)
        };
        let alone =
            states.iter().filter(|&&state| !representatives.contains(state) && is_wanted(&state));
        let (mut walked, mut derived) = (Vec::new(), Vec::new());
        for &state in alone {
            match equivalence.reference(state).filter(|_| is_derived) {
                Some(reference) => derived.push((state, reference)),
                None => walked.push(state),
            }
        }
        let references = derived.iter().map(|&(_, reference)| reference).collect();
        Self { walked, derived, references }
    }

    /// All states of both lists.
    pub(crate) fn states(&self) -> impl Iterator<Item = u32> + '_ {
        let derived = self.derived.iter().map(|&(state, _)| state);
        self.walked.iter().copied().chain(derived)
    }
}

impl Item for Derivation<'_> {
    fn state(&self) -> u32 {
        self.state
    }
}

/// By state that others are derived from, its set and its outcome.
pub(crate) type ReferenceOutcomes = BTreeMap<u32, (u32, Outcome)>;

/// Encodes the rows of runs of characters, for states to be derived from.
pub(crate) fn rows_of_runs<'a>(
    runs: &CharRuns,
    inputs: Inputs<'a>,
    encoder: &mut Encoder<'a>,
    interning: &mut Interning<'a>,
    threads: &Threads,
) -> Result<(), MaskError> {
    let row_words = encoder.lengths().row_words;
    let references = runs.references(inputs.facts, inputs.trie, row_words);
    let are_many = references.len() >= WORTH_A_THREAD;
    let room = || Scratch::new(row_words);
    let encode =
        |scratch: &mut Scratch, reference: &RunRow| encoder.of_row(&reference.row, scratch);
    let encoded = threads.map(are_many, &references, room, encode);
    for (reference, encoded) in references.iter().zip(encoded) {
        let found = Computed { encoded: Some(encoded), ..Computed::default() };
        let set = interning.set(encoder, reference.asked_by, &found)?;
        encoder.add_reference(reference.state, interning.pool.reference(set, None));
    }
    Ok(())
}

/// Walks the states that are not derived.
pub(crate) fn walked<'a>(
    workers: &Workers<'a, impl Fn() -> Worker<'a> + Sync>,
    plan: &Plan,
    inputs: Inputs<'_>,
    encoder: &Encoder<'_>,
    interning: &mut Interning<'_>,
) -> Result<ReferenceOutcomes, MaskError> {
    let Inputs { network, shared, facts, trie, .. } = inputs;
    let find = |worker: &mut Worker<'_>, &state: &u32| Computed {
        outcome: worker.base(state),
        extra: tokens_of(network, worker.walker.sets(), state),
        encoded: None,
    };
    let encode = |worker: &mut Worker<'_>, found: &mut Computed| worker.encode(encoder, found);
    let mut outcomes = ReferenceOutcomes::new();
    workers.in_order(&plan.walked, find, encode, |&state, found| {
        let set = interning.add(encoder, state, found)?;
        if plan.references.contains(&state) {
            let outcome = &found.outcome;
            let whole = match &outcome.delta {
                Some(taken) if taken.reference < inputs.first_state() => {
                    outcome.over(facts.spans(shared, trie, taken.reference))
                }
                // A mask that is taken over along a run of characters follows from the row sooner.
                _ => outcome.clone(),
            };
            outcomes.insert(state, (set, whole));
        }
        Ok(())
    })?;
    Ok(outcomes)
}

/// Has others encoded by how they differ from the sets of references.
pub(crate) fn add_references<'a>(
    outcomes: &'a ReferenceOutcomes,
    encoder: &mut Encoder<'a>,
    interning: &Interning<'a>,
) {
    for (&state, (set, outcome)) in outcomes {
        let ranks = outcome.delta.is_none().then_some(&outcome.spans[..]);
        encoder.add_reference(state, interning.pool.reference(*set, ranks));
    }
}

/// Derives the other states from their references.
pub(crate) fn derived<'a>(
    workers: &Workers<'a, impl Fn() -> Worker<'a> + Sync>,
    plan: &Plan,
    outcomes: &ReferenceOutcomes,
    encoder: &Encoder<'_>,
    interning: &mut Interning<'_>,
) -> Result<(), MaskError> {
    let derived = plan.derived.iter().filter_map(|&(state, reference)| {
        let (_, known) = outcomes.get(&reference)?;
        Some(Derivation { state, reference, known })
    });
    let derived: Vec<Derivation<'_>> = derived.collect();
    let mut rest: Vec<&Derivation<'_>> = Vec::with_capacity(derived.len());
    let far = |worker: &mut Worker<'_>, derived: &Derivation<'_>| {
        worker.early(derived).map(Computed::from)
    };
    let encode = |worker: &mut Worker<'_>, found: &mut Option<Computed>| {
        found.iter_mut().for_each(|found| worker.encode(encoder, found))
    };
    workers.in_order(&derived, far, encode, |derived, found| {
        match found {
            Some(found) => _ = interning.add(encoder, derived.state, found)?,
            None => rest.push(derived),
        }
        Ok(())
    })?;
    // States near the end of a chain are most work, and the last results are taken while no other
    // thread has work.
    rest.reverse();
    let inputs = interning.inputs();
    derived::outcomes(workers, &rest, encoder, inputs, |derived, found| {
        interning.add(encoder, derived.state, found).map(|_| ())
    })
}
