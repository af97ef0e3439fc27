//! All masks of a grammar.
//!
//! First, in parallel, the outcome of every state at the root of the trie is found ([`base`]). An outcome has the
//! tokens of the state's base mask, and the trie nodes of the exit class, at which its rule returns. Then the follow
//! masks are found ([`follow`]), in rounds, until no pair of a return state and an exit class is new. Ids are given [in
//! order](schedule), never by a thread, so the tables do not depend on the number of threads.
//!
//! | file | what |
//! | --- | --- |
//! | [`base`] | base masks and exit classes |
//! | [`high_fanout`] | masks of the high-fanout nodes of packed string sets |
//! | [`near_bound`] | masks of count-dependent states, by the remaining increments |
//! | [`derived`](mod@derived) | derived states, many at once and on several threads |
//! | [`follow`] | follow masks |
//! | [`reachable_pairs`] | pairs of return state and exit class that can occur |
//! | [`interning`] | ids of masks and classes |
//! | [`longest_chain`](mod@longest_chain) | the longest chain of follow entries |
//! | [`token_edges`] | tokens that are matched by id |
//! | [`token_liveness`] | states in which no token may end, if the vocabulary lacks a byte |
//! | [`worker`] | the tools of one thread |
//! | [`schedule`], [`work_range`] | several threads, and results in the order of the work |
//! | [`inputs`] | the inputs of the computation |
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
use reachable_pairs::ReachablePairs;
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

/// The masks of a grammar, stored in its tables, with some figures of their computation.
pub struct Masks {
    /// The tables of the grammar, with all its masks and all sets of exits (nodes where a rule returns).
    pub tables: TablesData,
    /// The stored masks of nodes of packed string sets (finite sets of strings). Such nodes are not states.
    pub high_fanout: HighFanoutMasks,
    /// The number of pairs of a return state and a set of exits (nodes where a rule returns) that can occur.
    pub pairs: usize,
    /// A bound on the number of returns that one token makes, each to another stack frame. The runtime reads one stored
    /// mask for each of them. The error is a state after a call at which the number is unbounded: it grows with the
    /// stack.
    pub longest_chain: Result<u32, u32>,
    /// How often each shortcut (saving in a trie walk) took effect.
    #[doc(hidden)]
    pub counts: ShortcutCounts,
}

/// Computes the masks of a grammar. `inputs.follow` has the calls of the original rules, with countdowns (registers of
/// repetitions left).
///
/// # Errors
///
/// [`MaskError`] if a limit of `limits` is exceeded or the budget is spent.
pub(crate) fn compute(
    inputs: Inputs<'_>,
    limits: MaskLimits,
    shortcuts: Shortcuts,
    context: Context<'_>,
) -> Result<Masks, MaskError> {
    let Inputs { network, shared, facts, trie, follow: as_it_is } = inputs;
    let budget = context.budget;
    let first = network.tables.bases.states;
    let states: Vec<u32> = (0..network.tables.states.len() as u32 - 1).map(|i| first + i).collect();
    let is_vocabulary = inputs.is_vocabulary();
    let uncounted = match is_vocabulary {
        false if shortcuts.has(Shortcut::Uncounted) => {
            Uncounted::new(as_it_is, facts, &network.tables)
        }
        _ => None,
    };
    let without_counts = uncounted.as_ref().map(|uncounted| {
        let joined = Joined { shared, own: uncounted.tables.as_tables() };
        Follow::new(joined, facts.rules(), &network.open)
    });
    // Walks use the network without countdowns. The original network decides which pairs can occur.
    let follow = without_counts.as_ref().unwrap_or(as_it_is);
    let inputs = Inputs { follow, ..inputs };
    let none_done = |_| MaskError::Spent { states: 0, total: states.len(), state: first };
    let representatives = || Representatives::new(follow, facts, trie, shortcuts, budget);
    let equivalence = KEquivalence::new(follow, representatives, facts.nodes().height(0), context);
    let mut held = budget.hold();
    held.set(equivalence.bytes()).and_then(|()| budget.check()).map_err(none_done)?;
    let plan = Plan::new(&equivalence, network, &states, shortcuts);
    let walker =
        || Walker::new(follow, facts, &equivalence, trie, worth_composing(trie)).taking(shortcuts);
    let runs = match is_vocabulary {
        true => CharRuns::default(),
        false => CharRuns::new(&walker(), plan.states(), context),
    };
    let new = || Worker::new(walker(), &runs, budget);
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
    base::derived(&workers, &plan, &outcomes, &encoder, &mut interning)?;
    for &[state, like] in uncounted.iter().flat_map(|uncounted| &uncounted.states) {
        interning.add_alone(&encoder, state, &Computed::from(stored_outcome(shared, like)))?;
    }
    // A walk that ended because the budget is spent leaves states without a set.
    budget.check().map_err(none_done)?;
    let masks = interning.masks()?;
    let high_fanout = high_fanout::masks(inputs, &encoder, &mut interning, context)?;
    let mut counts = ShortcutCounts::default();
    let near_bound = near_bound::masks(inputs, &mut encoder, &mut interning, &masks, context)?;
    let mut classes = high_fanout.classes(inputs);
    classes.extend(near_bound.classes());
    classes.sort_unstable();
    classes.dedup();
    let mut reach = ReachablePairs::new(as_it_is, facts.left_through());
    for (state, &(_, class)) in (first..).zip(&masks) {
        reach.add(state, class);
    }
    classes.iter().for_each(|&(state, class)| reach.add(state, class));
    let follows = follow::masks(&workers, reach, &encoder, &mut interning)?;
    let pairs = follows.pairs;
    counts.append(&workers.counts());
    counts.append(equivalence.representatives().counts());
    counts.add(Shortcut::References, plan.derived.len());
    counts.add(Shortcut::Uncounted, uncounted.as_ref().map_or(0, |rules| rules.states.len()));
    let mut tables = stored(interning, &masks, follows, &encoder);
    (tables.near_bound, tables.near_bound_masks) = (near_bound.records, near_bound.masks);
    let longest_chain = longest_chain(&tables, facts.chains(), as_it_is);
    Ok(Masks { tables, high_fanout, pairs, longest_chain, counts })
}

/// The tables of a grammar before its masks are computed. Every state has an empty mask, and no trie node at which its
/// rule returns. No node of a packed string set (finite set of strings) has a mask.
pub(crate) struct UnmaskedTables {
    /// The tables of the rules, without masks: each state has an empty token set.
    pub(crate) tables: TablesData,
    /// For each packed string set (finite set of strings), an empty list of masks.
    pub(crate) high_fanout: HighFanoutMasks,
}

/// Returns the tables of a grammar before its masks are computed: every mask is empty. O(length of the tables).
pub(crate) fn without_masks(
    network: &Network,
    shared: Tables<'_>,
    facts: &VocabularyFacts,
    trie: Trie<'_>,
) -> UnmaskedTables {
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
    UnmaskedTables { tables, high_fanout: HighFanoutMasks { nodes, nothing } }
}

/// Returns the stored outcome of a state of the vocabulary's rules: the tokens of its mask, and the trie nodes at which
/// its rule returns.
fn stored_outcome(shared: Tables<'_>, state: u32) -> Outcome {
    let exits = class_nodes(shared, shared.states[state as usize].exits).to_vec();
    let delta = Some(Delta { reference: state, excluded: Vec::new() });
    Outcome { delta, exits, ..Outcome::default() }
}

/// Returns the tables of the grammar with all masks in them. `masks` has for each state, in order, the ids of its mask
/// and of its set of exits (nodes where the rule returns). `follows` has the masks of tokens that return from a call
/// and continue.
fn stored(
    interning: Interning<'_>,
    masks: &[(u32, u32)],
    follows: FollowMasks,
    encoder: &Encoder<'_>,
) -> TablesData {
    let inputs = interning.inputs();
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

/// Returns the least number of trie nodes in a subtree, or of tokens in a mask, for which an outcome is composed of
/// known ones. Outcomes (consumed tokens and exit nodes) below the number are found by a walk. The number is 2 to 64.
/// Real vocabularies have the highest number. Small test vocabularies have a low one, so that their outcomes are
/// composed too.
fn worth_composing(trie: Trie<'_>) -> u32 {
    (trie.len() as u32 / 4096).clamp(2, 64)
}
