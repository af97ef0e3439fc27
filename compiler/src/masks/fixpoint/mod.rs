//! All masks of a network.
//!
//! First the outcome of every state at the root, in parallel: base masks and exit classes. Then the follow masks, in
//! rounds: a return state meets a class where the rule it called can be left through that class, and its own exits are
//! classes that the rules below may meet in turn, so each round's new pairs follow from the classes of the last. States
//! with a model are derived from it after all others. Every number is given [in order](super::schedule), never by a
//! thread, so the tables do not depend on the number of threads.

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::masks::FollowEntry;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::{Joined, Tables, TablesData};
use rustc_hash::{FxHashMap, FxHashSet};

use super::abreast;
use super::agree::Agreement;
use super::chain::longest_chain;
use super::classes::Classes;
use super::depart::Derived;
use super::doubles::Doubles;
use super::draw::{Found, Lengths, Sources};
use super::endless::Endless;
use super::nearest::SharedRows;
use super::outcome::Outcome;
use super::pool::{Pool, stored};
use super::reach::Reach;
use super::schedule::Walkers;
use super::shared::SharedOutcomes;
use super::stretch::Stretches;
use super::walk::Walker;
use crate::budget::Held;
use crate::network::Network;
use crate::network::follow::Follow;
use crate::network::local::{BOTTOM, LocalSets};
use crate::threads::Means;

/// Bounds on the computation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaskLimits {
    /// Pairs of a return state and an exit class.
    pub pairs: usize,
    /// Dense rows of the network's own.
    pub rows: usize,
}

impl Default for MaskLimits {
    fn default() -> Self {
        Self { pairs: 2_000_000, rows: 16_384 }
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
    /// The budget of the compilation is spent.
    #[error("the budget was spent after {states} of {total} states")]
    Spent {
        /// States or pairs done, of those that were to be done at once.
        states: usize,
        /// So many these were.
        total: usize,
        /// The own state that was to be next.
        state: u32,
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
pub(crate) fn compute(
    network: &Network,
    shared: Tables<'_>,
    known: &SharedOutcomes,
    trie: Trie<'_>,
    follow: &Follow<'_>,
    limits: MaskLimits,
    means: Means<'_>,
) -> Result<Masks, MaskError> {
    let budget = means.budget;
    let base = network.tables.bases.states;
    let states: Vec<u32> = (0..network.tables.states.len() as u32 - 1).map(|i| base + i).collect();
    let is_vocabulary = !network.open.is_empty();
    let endless = match is_vocabulary {
        true => None,
        false => Endless::new(follow, known, &network.tables),
    };
    let without_counts = endless.as_ref().map(|endless| {
        let joined = Joined { shared, own: endless.tables.as_tables() };
        Follow::new(joined, known.rules(), &network.open)
    });
    // What walks go by; what can come to pass is as the grammar says.
    let (as_it_is, follow) = (follow, without_counts.as_ref().unwrap_or(follow));
    let none_done = |_| MaskError::Spent { states: 0, total: states.len(), state: base };
    let doubles = || Doubles::new(follow, known, trie, budget);
    let agreement = Agreement::new(follow, doubles, known.nodes().height(0), means);
    let mut held = budget.hold();
    held.set(agreement.bytes()).and_then(|()| budget.check()).map_err(none_done)?;
    let alone = states.iter().filter(|&&state| !agreement.doubles().contains(state));
    let (derived, first): (Vec<u32>, Vec<u32>) =
        alone.partition(|&&state| agreement.model(state).is_some());
    let is_model: BTreeSet<u32> =
        derived.iter().filter_map(|&state| agreement.model(state)).collect();
    // By state, the mask and the outcome that others are derived from.
    let mut models: BTreeMap<u32, (u32, Outcome)> = BTreeMap::new();
    let stretches = match is_vocabulary {
        true => Stretches::default(),
        false => {
            let states = first.iter().chain(&derived).copied();
            Stretches::new(follow, known, &agreement, trie, states, means)
        }
    };
    let new = || {
        let walker = Walker::new(follow, known, &agreement, trie, worth_composing(trie));
        walker.with_stretches(&stretches).within(budget)
    };
    budget.check().map_err(none_done)?;
    let walkers = Walkers::new(new, means);
    let lengths = Lengths { row_words: network.tables.row_words as usize, is_vocabulary };
    let mut sources = Sources::new(trie, shared, known, lengths);
    let mut context = Context {
        classes: Classes::new(shared, known),
        pool: Pool::new(shared, known, network.tables.clone(), lengths),
        limits,
        held: budget.hold(),
        follow,
        doubles: agreement.doubles(),
        base,
        exits: vec![(0, NONE); states.len()],
    };
    let rows = SharedRows::new(shared, known, lengths);
    for model in stretches.models(known, trie, rows, means.threads) {
        let found = Found { drawn: Some(model.drawn), ..Found::default() };
        let mask = context.intern(&sources, model.asked_by, &found)?;
        sources.add_model(model.state, context.pool.model(mask, None));
    }
    let find = |walker: &mut Walker<'_>, &state: &u32| Found {
        outcome: walker.base(state),
        extra: tokens_of(network, walker.sets(), state),
        drawn: None,
    };
    let draw = |walker: &mut Walker<'_>, found: &mut Found| walker.draw(&sources, found);
    let own = |&state: &u32| state;
    walkers.in_order(&first, own, find, draw, |&state, found| {
        let mask = context.add(&sources, state, found)?;
        if is_model.contains(&state) {
            let outcome = &found.outcome;
            let whole = match &outcome.taken {
                Some(taken) if taken.state < base => {
                    outcome.over(known.spans(shared, trie, taken.state))
                }
                // What is taken over along a stretch is told by the mask sooner.
                _ => outcome.clone(),
            };
            models.insert(state, (mask, whole));
        }
        Ok(())
    })?;
    for (&state, (mask, model)) in &models {
        let ranks = model.taken.is_none().then_some(&model.spans[..]);
        sources.add_model(state, context.pool.model(*mask, ranks));
    }
    let derived = derived.into_iter().filter_map(|state| {
        let (&model, (_, known)) = models.get_key_value(&agreement.model(state)?)?;
        Some(Derived { state, model, known })
    });
    let derived: Vec<Derived<'_>> = derived.collect();
    let mut rest: Vec<&Derived<'_>> = Vec::with_capacity(derived.len());
    let far =
        |walker: &mut Walker<'_>, derived: &Derived<'_>| walker.far_base(derived).map(Found::from);
    let draw = |walker: &mut Walker<'_>, found: &mut Found| walker.draw(&sources, found);
    let draw_far = |walker: &mut Walker<'_>, found: &mut Option<Found>| {
        found.iter_mut().for_each(|found| draw(walker, found))
    };
    let own = |derived: &Derived<'_>| derived.state;
    walkers.in_order(&derived, own, far, draw_far, |derived, found| {
        match found {
            Some(found) => _ = context.add(&sources, derived.state, found)?,
            None => rest.push(derived),
        }
        Ok(())
    })?;
    // Those near the end of a chain are most work, and the results of what is found last are taken while no other
    // thread has work.
    rest.reverse();
    abreast::outcomes(&walkers, &rest, &sources, (trie, follow), |derived, found| {
        context.add(&sources, derived.state, found).map(|_| ())
    })?;

    for &[state, like] in endless.iter().flat_map(|endless| &endless.states) {
        let like = shared.states[like as usize];
        context.exits[(state - base) as usize] = (like.base, like.exits);
    }
    let mut reach = Reach::new(as_it_is, known.left_through());
    for (&state, &(_, class)) in states.iter().zip(&context.exits) {
        reach.add(state, class);
    }
    let mut entries: Vec<(u32, FollowEntry)> = Vec::with_capacity(states.len() / 4);
    let copies = agreement.doubles().copies();
    // What a state does with tokens that it reads as wholes is no part of its class.
    let joined = follow.network();
    let reads_tokens = joined.reads_tokens();
    let reads = |ret| reads_tokens && joined.may_read_token(ret);
    let copied = |ret| copies.class(ret).filter(|_| !reads(ret));
    // By class of copies and exit class, what comes of one of the copies, if anything.
    let mut of_copies: FxHashMap<(u32, u32), Option<FollowEntry>> = FxHashMap::default();
    let mut pairs = 0;
    loop {
        let mut round = reach.pairs();
        if round.is_empty() {
            break;
        }
        round.sort_unstable();
        round.dedup();
        pairs += round.len();
        let (states, total) = (0, round.len());
        let spent = |_| MaskError::Spent { states, total, state: round[0].0 };
        budget.spend(round.len()).map_err(spent)?;
        if pairs > limits.pairs {
            let (state, limit) = (round[0].0, limits.pairs);
            return Err(MaskError::Limit {
                what: "pairs of return state and exit class",
                limit,
                state,
            });
        }
        let mut repeated: Vec<(u32, (u32, u32))> = Vec::new();
        let asked = round.iter().filter(|&&(ret, class)| {
            let Some(copied) = copied(ret) else { return true };
            match of_copies.entry((copied, class)) {
                Entry::Vacant(entry) => {
                    entry.insert(None);
                    true
                }
                Entry::Occupied(_) => {
                    repeated.push((ret, (copied, class)));
                    false
                }
            }
        });
        let mut all: Vec<(u32, u32)> = Vec::with_capacity(round.len());
        all.extend(asked);
        let asked = all;
        // Results are interned, and may be new classes, while others are found.
        let mut nodes: FxHashMap<u32, Cow<'_, [u32]>> = FxHashMap::default();
        for &(_, class) in &asked {
            nodes.entry(class).or_insert_with(|| context.classes.nodes(class));
        }
        let find = |walker: &mut Walker<'_>, &(ret, class): &(u32, u32)| {
            let nodes = &nodes[&class];
            let extra = match nodes.first() {
                Some(0) => tokens_of(network, walker.sets(), ret),
                _ => Vec::new(),
            };
            let shared = (class < shared.classes.len() as u32).then_some(class);
            Found { outcome: walker.follow(ret, nodes, shared), extra, drawn: None }
        };
        let own = |&(ret, _): &(u32, u32)| ret;
        walkers.in_order(&asked, own, find, draw, |&(ret, class), found| {
            let next = context.classes.intern(&found.outcome.exits);
            if next == NONE && found.outcome.is_empty() && found.extra.is_empty() {
                return Ok(());
            }
            let mask = context.intern(&sources, ret, found)?;
            let entry = FollowEntry { class, mask, next };
            if let Some(copied) = copied(ret) {
                of_copies.insert((copied, class), Some(entry));
            }
            entries.push((ret, entry));
            reach.add(ret, next);
            Ok(())
        })?;
        for (ret, of) in repeated {
            if let Some(entry) = of_copies[&of] {
                entries.push((ret, entry));
                reach.add(ret, entry.next);
            }
        }
    }
    entries.sort_unstable_by_key(|(ret, entry)| (*ret, entry.class));

    let Context { classes, mut pool, exits, .. } = context;
    let sets = network.token_sets.iter().map(|ids| {
        let found = Found { extra: ids.clone(), ..Found::default() };
        pool.intern(&sources, &found)
    });
    let sets: Vec<u32> = sets.collect();
    let mut tables = pool.finish();
    tables.follows.reserve(entries.len());
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
    let longest_chain = longest_chain(&tables, known.chains(), as_it_is);
    Ok(Masks { tables, pairs, longest_chain })
}

/// Nodes of a subtree, or tokens of a mask, from which on what is known of it is put together instead of walked. Real
/// vocabularies have the highest; small ones a low one, so that they are composed like the real ones.
fn worth_composing(trie: Trie<'_>) -> u32 {
    (trie.len() as u32 / 4096).clamp(2, 64)
}

/// What is made of what was found.
struct Context<'a> {
    classes: Classes<'a>,
    pool: Pool<'a>,
    limits: MaskLimits,
    /// Masks.
    held: Held<'a>,
    follow: &'a Follow<'a>,
    doubles: &'a Doubles,
    /// Id of the first own state.
    base: u32,
    /// By index of the state, its mask and its exit class.
    exits: Vec<(u32, u32)>,
}

impl Context<'_> {
    /// The mask of a state or pair.
    fn intern(
        &mut self,
        sources: &Sources<'_>,
        state: u32,
        found: &Found,
    ) -> Result<u32, MaskError> {
        let mask = self.pool.intern(sources, found);
        let limit = self.limits.rows;
        if self.pool.rows() > limit {
            return Err(MaskError::Limit { what: "dense rows", limit, state });
        }
        let spent = |_| MaskError::Spent { states: 0, total: self.exits.len(), state };
        self.held.set(self.pool.bytes()).map_err(spent)?;
        Ok(mask)
    }

    /// The mask of a state, which is noted with its exit class.
    fn add(&mut self, sources: &Sources<'_>, state: u32, found: &Found) -> Result<u32, MaskError> {
        let mask = self.intern(sources, state, found)?;
        self.note(state, mask, &found.outcome.exits);
        Ok(mask)
    }

    /// Notes the mask of a state and the nodes at which its rule is left, for it and its doubles.
    fn note(&mut self, state: u32, mask: u32, nodes: &[u32]) {
        let class = self.classes.intern(nodes);
        self.exits[(state - self.base) as usize] = (mask, class);
        let is_left = nodes.first() == Some(&0);
        for &double in self.doubles.of(state) {
            let class = match self.follow.is_final(double) && !is_left {
                true => self.classes.intern(&[&[0], nodes].concat()),
                false => class,
            };
            self.exits[(double - self.base) as usize] = (mask, class);
        }
    }
}

/// Ids of the tokens that a state consumes by token edges, ascending: its own, and those of rules it can begin.
fn tokens_of(network: &Network, sets: &mut LocalSets<'_>, state: u32) -> Vec<u32> {
    let joined = sets.network();
    if !joined.reads_tokens() {
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
