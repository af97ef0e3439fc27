//! All masks of a network.
//!
//! First the outcome of every state at the root, in parallel: base masks and exit classes. Then the follow masks, in
//! rounds: a return state meets a class where the rule it called can be left through that class, and its own exits are
//! classes that the rules below may meet in turn, so each round's new pairs follow from the classes of the last. Every
//! number is given in state order after a round is done, never by a thread, so the tables do not depend on the number
//! of threads.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Peekable;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use grammarc_artifacts::sections::masks::FollowEntry;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::{Tables, TablesData};
use rayon::prelude::*;
use rustc_hash::FxHashSet;

use super::agree::Agreement;
use super::chain::longest_chain;
use super::classes::Classes;
use super::depart::Derived;
use super::outcome::Outcome;
use super::pool::{Pool, stored};
use super::reach::Reach;
use super::shared::SharedOutcomes;
use super::walk::Walker;
use crate::network::Network;
use crate::network::follow::Follow;
use crate::network::local::{BOTTOM, LocalSets};

/// Time after which a second thread is worth it, which has to learn the wide subtrees anew.
const WORTH_A_THREAD: Duration = Duration::from_millis(1);

/// Items between two looks at the clock: it takes as long as the mask of a simple state.
const A_LOOK: usize = 8;

/// Derived states that are computed while those before them are interned.
const AT_ONCE: usize = 512;

/// Derived states that run over the trie together: the more of them there are, the less each costs, but each group runs
/// on one thread.
const FEWEST_ABREAST: usize = 8;
const MOST_ABREAST: usize = 256;

/// Bounds on the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskLimits {
    /// Pairs of a return state and an exit class.
    pub pairs: usize,
    /// Dense rows of the network's own.
    pub rows: usize,
    /// When to give up.
    pub deadline: Option<Instant>,
}

impl Default for MaskLimits {
    fn default() -> Self {
        Self { pairs: 2_000_000, rows: 16_384, deadline: None }
    }
}

/// Why the masks were not computed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MaskError {
    /// A limit was met.
    #[error("{what} would exceed the limit of {limit}")]
    Limit {
        /// What was counted.
        what: &'static str,
        /// How many are allowed.
        limit: usize,
        /// The own state at which it happened.
        state: u32,
    },
    /// The time is up.
    #[error("the time limit was met after {states} of {total} states")]
    Time {
        /// States done.
        states: usize,
        /// States to do.
        total: usize,
    },
}

/// The masks of a network, in its tables, and what was counted on the way.
pub struct Masks {
    /// The network's tables, complete.
    pub tables: TablesData,
    /// Pairs of a return state and an exit class.
    pub pairs: usize,
    /// Length of the longest chain of follow entries, or a return state of a chain that grows with the stack.
    pub longest_chain: Result<u32, u32>,
}

/// Computes the masks of `network`, whose numbering continues that of `shared`; `known` is what follows from the masks
/// of `shared`, and `follow` what comes after its rules.
///
/// # Errors
///
/// [`MaskError`] where a limit is met.
pub fn compute(
    network: &Network,
    shared: Tables<'_>,
    known: &SharedOutcomes,
    trie: Trie<'_>,
    follow: &Follow<'_>,
    limits: MaskLimits,
) -> Result<Masks, MaskError> {
    let joined = network.joined(shared);
    let base = network.tables.bases.states;
    let states: Vec<u32> = (0..network.tables.states.len() as u32 - 1).map(|i| base + i).collect();
    let agreement = Agreement::new(follow, known.nodes().height(0));
    let new = || Walker::new(follow, known, &agreement, trie, worth_composing(trie));
    let walkers = Walkers { idle: Mutex::default(), new, are_many: AtomicBool::new(false) };
    let (derived, first): (Vec<u32>, Vec<u32>) =
        states.iter().partition(|&&state| agreement.model(state).is_some());
    let extra = |walker: &mut Walker<'_>, state| tokens_of(network, walker.sets(), state);
    let outcomes =
        run(&first, limits, &walkers, |walker, &state| (walker.base(state), extra(walker, state)))?;
    let models: BTreeSet<u32> =
        derived.iter().filter_map(|&state| agreement.model(state)).collect();
    let models: BTreeMap<u32, Outcome> = first
        .iter()
        .zip(&outcomes)
        .filter(|(state, _)| models.contains(state))
        .map(|(&state, (outcome, _))| {
            let taken = outcome.taken.as_ref();
            let stored = taken.map_or(&[][..], |taken| known.spans(shared, trie, taken.state));
            (state, outcome.over(stored))
        })
        .collect();
    let is_vocabulary = !network.open.is_empty();
    let mut interning = Interning {
        context: Context {
            classes: Classes::new(shared, known),
            pool: Pool::new(trie, shared, known, network.tables.clone(), is_vocabulary),
            limits,
        },
        models: &models,
        first: first.iter().copied().zip(outcomes).peekable(),
        exits: Vec::with_capacity(states.len()),
    };
    let derive = |walker: &mut Walker<'_>, group: &&[Derived<'_>]| {
        let outcomes = walker.base_like(group);
        let found = group.iter().zip(outcomes);
        let found = found
            .map(|(derived, outcome)| (derived.state, (outcome, extra(walker, derived.state))));
        found.collect::<Vec<_>>()
    };
    let mut ready = Vec::new();
    for states in derived.chunks(AT_ONCE) {
        let derived = states.iter().filter_map(|&state| {
            let (&model, known) = models.get_key_value(&agreement.model(state)?)?;
            Some(Derived { state, model, known })
        });
        let derived: Vec<Derived<'_>> = derived.collect();
        let threads = rayon::current_num_threads();
        let groups = if threads > 1 { 2 * threads } else { 1 };
        let abreast = derived.len().div_ceil(groups).clamp(FEWEST_ABREAST, MOST_ABREAST);
        let groups: Vec<&[Derived<'_>]> = derived.chunks(abreast).collect();
        let computed = || run(&groups, limits, &walkers, derive);
        let before = std::mem::take(&mut ready);
        let computed = if before.is_empty() {
            computed()?
        } else {
            let (computed, interned) = rayon::join(computed, || interning.up_to(before));
            interned?;
            computed?
        };
        ready.extend(computed.into_iter().flatten());
    }
    interning.up_to(ready)?;
    let (mut context, exits) = interning.finish()?;

    let mut reach = Reach::new(joined, network, shared);
    for (&state, &(_, class)) in states.iter().zip(&exits) {
        reach.add(network.rule_of(state), class);
    }
    let mut entries: Vec<(u32, FollowEntry)> = Vec::new();
    let mut pairs = 0;
    loop {
        let mut round = reach.pairs();
        if round.is_empty() {
            break;
        }
        round.sort_unstable();
        round.dedup();
        pairs += round.len();
        if pairs > limits.pairs {
            let (state, limit) = (round[0].0, limits.pairs);
            return Err(MaskError::Limit {
                what: "pairs of return state and exit class",
                limit,
                state,
            });
        }
        let classes = &context.classes;
        let outcomes = run(&round, limits, &walkers, |walker, &(ret, class)| {
            let nodes = classes.nodes(class);
            let extra = match nodes.first() {
                Some(0) => tokens_of(network, walker.sets(), ret),
                _ => Vec::new(),
            };
            let shared = (class < shared.classes.len() as u32).then_some(class);
            (walker.follow(ret, nodes, shared), extra)
        })?;
        for (&(ret, class), (outcome, extra)) in round.iter().zip(&outcomes) {
            let next = context.classes.intern(&outcome.exits);
            if next == NONE && outcome.is_empty() && extra.is_empty() {
                continue;
            }
            let mask = context.intern(ret, outcome, extra)?;
            entries.push((ret, FollowEntry { class, mask, next }));
            reach.add(network.rule_of(ret), next);
        }
    }
    entries.sort_unstable_by_key(|(ret, entry)| (*ret, entry.class));

    let Context { classes, mut pool, .. } = context;
    let none = Outcome::default();
    let sets: Vec<u32> = network.token_sets.iter().map(|ids| pool.intern(&none, ids)).collect();
    let mut tables = pool.finish();
    let mut follows = entries.iter().peekable();
    for (index, record) in tables.states.iter_mut().enumerate() {
        record.follows = tables.follows.len() as u32;
        if let Some(&(mask, class)) = exits.get(index) {
            (record.base, record.exits) = (mask, class);
        }
        while let Some((_, entry)) = follows.next_if(|(ret, _)| *ret == base + index as u32) {
            tables.follows.push(*entry);
        }
    }
    tables.token_edges.iter_mut().for_each(|edge| edge.tokens = sets[edge.tokens as usize]);
    classes.store(&mut tables, is_vocabulary);
    let longest_chain = longest_chain(&tables, known.chains(), follow);
    Ok(Masks { tables, pairs, longest_chain })
}

/// Nodes of a subtree, or tokens of a mask, from which on what is known of it is put together instead of walked. Real
/// vocabularies have the highest; small ones a low one, so that they are composed like the real ones.
fn worth_composing(trie: Trie<'_>) -> u32 {
    (trie.len() as u32 / 4096).clamp(2, 64)
}

/// What becomes of a state, and the tokens that it matches by id.
type Found = (Outcome, Vec<u32>);

/// The masks and exit classes of states, given out in the order of the states.
struct Interning<'a, I: Iterator<Item = (u32, Found)>> {
    context: Context<'a>,
    models: &'a BTreeMap<u32, Outcome>,
    /// Outcomes of the states that are not derived from others, as far as they are not interned.
    first: Peekable<I>,
    /// By state, its mask and its exit class.
    exits: Vec<(u32, u32)>,
}

impl<'a, I: Iterator<Item = (u32, Found)>> Interning<'a, I> {
    /// Interns some outcomes of derived states, and those of all states before them.
    fn up_to(&mut self, derived: Vec<(u32, Found)>) -> Result<(), MaskError> {
        for (state, found) in derived {
            while let Some((before, found)) = self.first.next_if(|(first, _)| *first < state) {
                self.add(before, &found)?;
            }
            self.add(state, &found)?;
        }
        Ok(())
    }

    /// The masks and exit classes of all states.
    fn finish(mut self) -> Result<(Context<'a>, Vec<(u32, u32)>), MaskError> {
        while let Some((state, found)) = self.first.next() {
            self.add(state, &found)?;
        }
        Ok((self.context, self.exits))
    }

    fn add(&mut self, state: u32, (outcome, extra): &Found) -> Result<(), MaskError> {
        let mask = self.context.intern(state, outcome, extra)?;
        if let Some(model) = self.models.get(&state) {
            self.context.pool.add_model(state, mask, &model.spans);
        }
        let class = self.context.classes.intern(&outcome.exits);
        self.exits.push((mask, class));
        Ok(())
    }
}

struct Context<'a> {
    classes: Classes<'a>,
    pool: Pool<'a>,
    limits: MaskLimits,
}

impl Context<'_> {
    fn intern(&mut self, state: u32, outcome: &Outcome, extra: &[u32]) -> Result<u32, MaskError> {
        let mask = self.pool.intern(outcome, extra);
        let limit = self.limits.rows;
        if self.pool.rows() > limit {
            return Err(MaskError::Limit { what: "dense rows", limit, state });
        }
        Ok(mask)
    }
}

/// The walkers of a computation. Each is used by one thread at a time and keeps what it has learnt.
struct Walkers<'a, F> {
    idle: Mutex<Vec<Walker<'a>>>,
    new: F,
    /// Whether a second thread has been worth it.
    are_many: AtomicBool,
}

impl<'a, F: Fn() -> Walker<'a>> Walkers<'a, F> {
    fn with<R>(&self, work: impl FnOnce(&mut Walker<'a>) -> R) -> R {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let next = idle().pop();
        let mut walker = next.unwrap_or_else(&self.new);
        let result = work(&mut walker);
        idle().push(walker);
        result
    }
}

/// Maps the items in order; on several threads once it has taken as long as makes them worth it. Which items these are
/// depends on the time, and no result does.
fn run<'a, T: Sync, R: Send>(
    items: &[T],
    limits: MaskLimits,
    walkers: &Walkers<'a, impl Fn() -> Walker<'a> + Sync>,
    work: impl Fn(&mut Walker<'a>, &T) -> R + Sync,
) -> Result<Vec<R>, MaskError> {
    let late = |now| limits.deadline.is_some_and(|deadline| now > deadline);
    let time = |states| MaskError::Time { states, total: items.len() };
    let threads = rayon::current_num_threads();
    let start = Instant::now();
    let mut results = Vec::with_capacity(items.len());
    let alone = if walkers.are_many.load(Ordering::Relaxed) { &[][..] } else { items };
    walkers.with(|walker| {
        for (done, item) in alone.iter().enumerate() {
            results.push(work(walker, item));
            if done % A_LOOK != 0 {
                continue;
            }
            let now = Instant::now();
            if late(now) {
                return Err(time(results.len()));
            }
            if threads > 1 && now - start > WORTH_A_THREAD {
                walkers.are_many.store(true, Ordering::Relaxed);
                break;
            }
        }
        Ok(())
    })?;
    let done = results.len();
    let rest = &items[done..];
    // Contiguous parts: neighbouring states lead to the same sets.
    let part = rest.len().div_ceil(threads * 32).max(1);
    // Each may be stolen: what takes long stands side by side.
    let parts = rest.par_chunks(part).with_max_len(1).enumerate().map(|(index, chunk)| {
        walkers.with(|walker| {
            let one = |item| match late(Instant::now()) {
                true => Err(time(done + index * part)),
                false => Ok(work(walker, item)),
            };
            chunk.iter().map(one).collect::<Result<Vec<R>, MaskError>>()
        })
    });
    if !rest.is_empty() {
        let parts: Result<Vec<Vec<R>>, MaskError> = parts.collect();
        results.extend(parts?.into_iter().flatten());
    }
    Ok(results)
}

/// Ids of the tokens that a state consumes by token edges, ascending: its own, and those of rules it can begin.
fn tokens_of(network: &Network, sets: &mut LocalSets<'_>, state: u32) -> Vec<u32> {
    let joined = sets.network();
    if joined.own.token_edges.is_empty() && joined.shared.token_edges.is_empty() {
        return Vec::new();
    }
    let mut ids = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work = vec![(state, BOTTOM)];
    while let Some((state, frame)) = work.pop() {
        if !seen.insert((state, frame)) {
            continue;
        }
        let (tables, index) = joined.locate(state);
        let own = state >= network.tables.bases.states;
        for edge in tables.token_edges_of(index) {
            if !sets.settled(edge.target, frame).ends {
                continue;
            }
            if own {
                ids.extend_from_slice(&network.token_sets[edge.tokens as usize]);
            } else {
                ids.extend(stored(joined.shared, edge.tokens));
            }
        }
        for call in tables.call_edges_of(index) {
            let callee = joined.rule(call.callee);
            if callee.first_tokens != 0 {
                let frame = if call.ret == NONE { frame } else { sets.push(call.ret, frame) };
                work.push((callee.first_state, frame));
            }
        }
    }
    ids.sort_unstable();
    ids.dedup();
    ids
}
