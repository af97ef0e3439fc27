//! Base masks and exit classes of all states of the grammar itself. A base mask has the tokens that a state consumes
//! within its rule. An exit class is the set of trie nodes at which the rule returns.
//!
//! A state is either walked, or derived from its [reference](crate::masks::equivalence::reference), or has the outcome
//! of an equivalent state, its representative. References come first. Of the derived states, those that differ from
//! their references on short strings are computed one by one, and the rest many at once.

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

/// The least number of bit rows (one bit per token) of character runs (states within one character class) for which
/// encoding uses several threads.
const WORTH_A_THREAD: usize = 16;

/// The states of the grammar whose outcomes (consumed tokens and exit nodes) are computed. An outcome is found by a
/// walk over the trie, or derived from that of another state.
pub(crate) struct Plan {
    /// The states whose outcomes (consumed tokens and exit nodes) are found by a walk over the trie, ascending.
    pub(crate) walked: Vec<u32>,
    /// The states whose outcomes (consumed tokens and exit nodes) are derived, ascending, each with its reference
    /// (source of its mask).
    pub(crate) derived: Vec<(u32, u32)>,
    /// The states that some derived state has as its reference (source of its mask).
    references: BTreeSet<u32>,
}

impl Plan {
    /// Selects, among the states `states` of a grammar, those to walk and those to derive. A state that takes its
    /// outcome (consumed tokens and exit nodes) from an equivalent state is in neither list. A state of a packed string
    /// set (finite set of strings) is not stored for run time. So it is selected only if another state's outcome
    /// depends on it.
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

    /// Returns all states of the plan: those to walk and those to derive.
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

/// Maps each reference (source of other masks) to the index of its token set, and to its outcome (tokens and exits).
pub(crate) type ReferenceOutcomes = BTreeMap<u32, (u32, Outcome)>;

/// Encodes the bit rows (one bit per token) of all character runs (states within one character class). Adds them to the
/// encoder, so that masks are derived from them. A bit row has the tokens of some character kinds up to some length.
///
/// # Errors
///
/// [`MaskError`] if the memory of the budget is spent.
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

/// Walks the states of the plan that are not derived from others, and records their outcomes (consumed tokens and exit
/// nodes) in `interning`. Returns the outcomes of the references (sources of other masks) among them.
///
/// # Errors
///
/// [`MaskError`] if the budget is spent.
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
                // A mask that is derived from a character run is cheaper to get from the run's bit row.
                _ => outcome.clone(),
            };
            outcomes.insert(state, (set, whole));
        }
        Ok(())
    })?;
    Ok(outcomes)
}

/// Adds the token sets of all references (sources of other masks) in `outcomes` to the encoder. Sets of derived states
/// are encoded as differences from them.
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

/// Derives the remaining states of the plan from their references (sources of their masks). Records their outcomes
/// (consumed tokens and exit nodes) in `interning`. `outcomes` has those of the references.
///
/// # Errors
///
/// [`MaskError`] if the budget is spent.
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
    // States near the end of a chain take the most work. They come first, because the last results are taken while no
    // other thread has work.
    rest.reverse();
    let inputs = interning.inputs();
    derived::outcomes(workers, &rest, encoder, inputs, |derived, found| {
        interning.add(encoder, derived.state, found).map(|_| ())
    })
}
