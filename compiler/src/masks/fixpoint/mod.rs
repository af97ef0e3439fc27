//! All masks of a network.
//!
//! First the outcome of every state at the root ([`base`]), in parallel: base masks and exit classes. Then the follow
//! masks ([`follow`]), in rounds, until no pair of a return state and a class is new. Every number is given
//! [in order](schedule), never by a thread, so the tables do not depend on the number of threads.
//!
//! | file | what |
//! | --- | --- |
//! | [`base`] | base masks and exit classes |
//! | [`high_fanout`] | masks of the high-fanout nodes of packed sets |
//! | [`near_bound`] | masks of count-dependent states, by the increments that are left |
//! | [`derived`](mod@derived) | derived states, many at once and on several threads |
//! | [`follow`] | follow masks |
//! | [`reachable_pairs`] | pairs of return state and exit class that can occur |
//! | [`interning`] | numbers of masks and classes |
//! | [`longest_chain`](mod@longest_chain) | the longest chain of follow entries |
//! | [`token_edges`] | tokens that are read as wholes |
//! | [`token_liveness`] | states in which no token may end, where the vocabulary lacks a byte |
//! | [`worker`] | what a thread works with |
//! | [`schedule`], [`work_range`] | several threads, and results in the order of the work |
//! | [`inputs`] | what masks are computed of |
//!
//! Tests: unit tests in `derived` and `schedule`; `tests/tests/suite/{masks,determinism,packed_strings}.rs`.

pub(crate) mod base;
pub(crate) mod derived;
pub(crate) mod follow;
pub(crate) mod high_fanout;
pub(crate) mod inputs;
pub(crate) mod interning;
pub(crate) mod longest_chain;
pub(crate) mod near_bound;
pub(crate) mod reachable_pairs;
pub(crate) mod schedule;
pub(crate) mod token_edges;
pub(crate) mod token_liveness;
pub(crate) mod work_range;
pub(crate) mod worker;

use grammarc_artifacts::sections::masks::FollowEntry;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::{Joined, Tables, TablesData};

use base::Plan;
use follow::FollowMasks;
use high_fanout::HighFanoutMasks;
use inputs::Inputs;
use interning::Interning;
use longest_chain::longest_chain;
use schedule::Workers;
use worker::Worker;

use crate::masks::derive::char_runs::CharRuns;
use crate::masks::encode::encoder::{Computed, Encoder};
use crate::masks::encode::lengths::Lengths;
use crate::masks::encode::pool::Pool;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::equivalence::representatives::Representatives;
use crate::masks::equivalence::uncounted::Uncounted;
use crate::masks::limits::{MaskError, MaskLimits};
use crate::masks::outcome::{Delta, Outcome};
use crate::masks::shared::exits::class_nodes;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::shortcuts::{Shortcut, ShortcutCounts, Shortcuts};
use crate::masks::walk::walker::Walker;
use crate::network::Network;
use crate::network::follow::Follow;
use crate::threads::Context;

/// The masks of a network, in its tables, and what was counted on the way.
pub struct Masks {
    /// The network's tables, complete.
    pub tables: TablesData,
    /// Masks of nodes of packed sets, which are no states.
    pub high_fanout: HighFanoutMasks,
    /// Pairs of a return state and an exit class.
    pub pairs: usize,
    /// Length of the longest chain of follow entries, or a return state of a chain that grows with the stack.
    pub longest_chain: Result<u32, u32>,
    /// How often each shortcut took effect.
    #[doc(hidden)]
    pub counts: ShortcutCounts,
}

/// Computes the masks of `network`, whose numbering continues that of `shared`; `facts` is what follows from the masks
/// of `shared`, and `follow` the calls of its rules.
///
/// # Errors
///
/// [`MaskError`] where a limit is met.
pub(crate) fn compute(
    network: &Network,
    shared: Tables<'_>,
    facts: &VocabularyFacts,
    trie: Trie<'_>,
    follow: &Follow<'_>,
    (limits, shortcuts): (MaskLimits, Shortcuts),
    context: Context<'_>,
) -> Result<Masks, MaskError> {
    let budget = context.budget;
    let first = network.tables.bases.states;
    let states: Vec<u32> = (0..network.tables.states.len() as u32 - 1).map(|i| first + i).collect();
    let is_vocabulary = !network.open.is_empty();
    let uncounted = match is_vocabulary {
        false if shortcuts.has(Shortcut::Uncounted) => {
            Uncounted::new(follow, facts, &network.tables)
        }
        _ => None,
    };
    let without_counts = uncounted.as_ref().map(|uncounted| {
        let joined = Joined { shared, own: uncounted.tables.as_tables() };
        Follow::new(joined, facts.rules(), &network.open)
    });
    // Walks use the network without countdowns; which pairs can occur is decided on the original network.
    let (as_it_is, follow) = (follow, without_counts.as_ref().unwrap_or(follow));
    let inputs = Inputs { network, shared, facts, trie, follow };
    let none_done = |_| MaskError::Spent { states: 0, total: states.len(), state: first };
    let representatives = || Representatives::new(follow, facts, trie, shortcuts, budget);
    let equivalence = KEquivalence::new(follow, representatives, facts.nodes().height(0), context);
    let mut held = budget.hold();
    held.set(equivalence.bytes()).and_then(|()| budget.check()).map_err(none_done)?;
    let plan = Plan::new(&equivalence, network, &states, shortcuts);
    let runs = match is_vocabulary {
        true => CharRuns::default(),
        false => {
            CharRuns::new(follow, facts, &equivalence, trie, plan.states(), shortcuts, context)
        }
    };
    let new = || {
        let walker = Walker::new(follow, facts, &equivalence, trie, worth_composing(trie));
        Worker::new(walker.taking(shortcuts), &runs, budget)
    };
    budget.check().map_err(none_done)?;
    let workers = Workers::new(new, context);
    let lengths = Lengths { row_words: network.tables.row_words as usize, is_vocabulary };
    #[expect(clippy::needless_late_init, reason = "the encoder borrows them and is dropped first")]
    let outcomes;
    let mut encoder = Encoder::new(trie, shared, facts, lengths);
    let mut interning =
        Interning::new(inputs, equivalence.representatives(), lengths, limits, budget);
    base::rows_of_runs(&runs, inputs, &mut encoder, &mut interning, context.threads)?;
    outcomes = base::walked(&workers, &plan, inputs, &encoder, &mut interning)?;
    base::add_references(&outcomes, &mut encoder, &interning);
    let plan = (&plan, &equivalence);
    base::derived(&workers, plan, &outcomes, inputs, &encoder, &mut interning)?;
    for &[state, like] in uncounted.iter().flat_map(|uncounted| &uncounted.states) {
        interning.add_alone(&encoder, state, &Computed::from(stored_outcome(shared, like)))?;
    }
    // A walk that the budget has ended leaves states without a set.
    budget.check().map_err(none_done)?;
    let masks = interning.masks()?;
    let high_fanout = high_fanout::masks(inputs, &encoder, &mut interning, context)?;
    let calls = (as_it_is, equivalence.representatives().bisimulation());
    let bounds = (limits, budget);
    let mut counts = ShortcutCounts::default();
    let near_bound = near_bound::masks(inputs, &mut encoder, &mut interning, &masks, context)?;
    let mut classes = high_fanout.classes(inputs);
    classes.extend(near_bound.classes());
    classes.sort_unstable();
    classes.dedup();
    let numbers = (&mut interning, [&masks[..], &classes[..]]);
    let follows = follow::masks(&workers, inputs, calls, &encoder, numbers, bounds)?;
    let pairs = follows.pairs;
    counts.append(&workers.counts());
    counts.append(equivalence.representatives().counts());
    counts.add(Shortcut::References, plan.0.derived.len());
    counts.add(Shortcut::Uncounted, uncounted.as_ref().map_or(0, |rules| rules.states.len()));
    let mut tables = stored(inputs, (interning, &masks), follows, &encoder);
    (tables.near_bound, tables.near_bound_masks) = (near_bound.records, near_bound.masks);
    let longest_chain = longest_chain(&tables, facts.chains(), as_it_is);
    Ok(Masks { tables, high_fanout, pairs, longest_chain, counts })
}

/// The tables of a network before its masks are computed: every own state has an empty base mask and no exit class, and
/// no node of a packed set a mask. O(length of the tables).
pub(crate) fn without_masks(
    network: &Network,
    shared: Tables<'_>,
    facts: &VocabularyFacts,
    trie: Trie<'_>,
) -> (TablesData, HighFanoutMasks) {
    let lengths = Lengths { row_words: network.tables.row_words as usize, is_vocabulary: false };
    let encoder = Encoder::new(trie, shared, facts, lengths);
    let mut pool = Pool::new(shared, facts, network.tables.clone(), lengths);
    let sets = token_edges::masks(network, &mut pool, &encoder);
    let nothing = pool.set(&encoder, &Computed::default());
    let nothing = pool.mask(nothing);
    let mut tables = pool.finish();
    let states = tables.states.len() - 1;
    for record in &mut tables.states[..states] {
        (record.base, record.exits, record.follows) = (nothing, NONE, 0);
    }
    tables.states[states].follows = 0;
    token_edges::name(&mut tables, &sets);
    let nodes = vec![Vec::new(); network.packed_sets.len()];
    (tables, HighFanoutMasks { nodes, nothing })
}

/// The outcome of a shared state, as it is stored.
fn stored_outcome(shared: Tables<'_>, state: u32) -> Outcome {
    let exits = class_nodes(shared, shared.states[state as usize].exits).to_vec();
    let delta = Some(Delta { reference: state, excluded: Vec::new() });
    Outcome { delta, exits, ..Outcome::default() }
}

/// The network's tables with its masks, classes and follow entries in them.
fn stored(
    inputs: Inputs<'_>,
    (interning, masks): (Interning<'_>, &[(u32, u32)]),
    follows: FollowMasks,
    encoder: &Encoder<'_>,
) -> TablesData {
    let Interning { classes, mut pool, .. } = interning;
    let sets = token_edges::masks(inputs.network, &mut pool, encoder);
    let mut tables = pool.finish();
    tables.follows.reserve(follows.entries.len());
    let mut entries = follows.entries.iter().peekable();
    for (state, record) in (inputs.first_state()..).zip(&mut *tables.states) {
        record.follows = tables.follows.len() as u32;
        let index = (state - inputs.first_state()) as usize;
        if let Some(&(mask, class)) = masks.get(index) {
            (record.base, record.exits) = (mask, class);
        }
        while let Some((_, entry)) = entries.next_if(|(ret, _)| *ret == state) {
            let entry: &FollowEntry = entry;
            tables.follows.push(*entry);
        }
    }
    token_edges::name(&mut tables, &sets);
    classes.store(&mut tables, inputs.is_vocabulary());
    tables
}

/// Returns the nodes of a subtree, or tokens of a mask, from which on it is composed of known outcomes instead of
/// walked. Real vocabularies have the highest; small ones a low one, so that they are composed like the real ones.
fn worth_composing(trie: Trie<'_>) -> u32 {
    (trie.len() as u32 / 4096).clamp(2, 64)
}
