//! All masks of a network.
//!
//! First the outcome of every state at the root, in parallel: base masks and exit classes. Then the follow masks, in
//! rounds: a return state meets a class where the rule it called can be left through that class, and its own exits are
//! classes that the rules below may meet in turn, so each round's new pairs follow from the classes of the last. States
//! with a model are derived from it after all others. Every number is given [in order](schedule), never by a
//! thread, so the tables do not depend on the number of threads.

pub(crate) mod derived;
pub(crate) mod longest_chain;
pub(crate) mod reachable_pairs;
pub(crate) mod schedule;
pub(crate) mod token_edges;
pub(crate) mod token_liveness;
pub(crate) mod work_range;

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use grammarc_artifacts::sections::masks::FollowEntry;
use grammarc_artifacts::sections::network::NONE;
use grammarc_artifacts::sections::vocabulary::Trie;
use grammarc_artifacts::tables::{Joined, Tables, TablesData};
use rustc_hash::FxHashMap;

use crate::budget::Held;
use crate::masks::derive::batch::Derivation;
use crate::masks::derive::char_runs::CharRuns;
use crate::masks::encode::encoder::{Computed, Encoder, Lengths};
use crate::masks::encode::exit_classes::ExitClasses;
use crate::masks::encode::nearest_row::SharedRows;
use crate::masks::encode::pool::Pool;
use crate::masks::equivalence::k_equivalence::KEquivalence;
use crate::masks::equivalence::representatives::Representatives;
use crate::masks::equivalence::uncounted::Uncounted;
use crate::masks::limits::MaskError;
use crate::masks::limits::MaskLimits;
use crate::masks::outcome::Outcome;
use crate::masks::shared::facts::VocabularyFacts;
use crate::masks::walk::walker::Walker;
use crate::network::Network;
use crate::network::follow::Follow;
use crate::threads::Means;
use longest_chain::longest_chain;
use reachable_pairs::ReachablePairs;
use schedule::Workers;
use token_edges::tokens_of;

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
    known: &VocabularyFacts,
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
        false => Uncounted::new(follow, known, &network.tables),
    };
    let without_counts = endless.as_ref().map(|endless| {
        let joined = Joined { shared, own: endless.tables.as_tables() };
        Follow::new(joined, known.rules(), &network.open)
    });
    // What walks go by; what can come to pass is as the grammar says.
    let (as_it_is, follow) = (follow, without_counts.as_ref().unwrap_or(follow));
    let none_done = |_| MaskError::Spent { states: 0, total: states.len(), state: base };
    let doubles = || Representatives::new(follow, known, trie, budget);
    let agreement = KEquivalence::new(follow, doubles, known.nodes().height(0), means);
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
        true => CharRuns::default(),
        false => {
            let states = first.iter().chain(&derived).copied();
            CharRuns::new(follow, known, &agreement, trie, states, means)
        }
    };
    let new = || {
        let walker = Walker::new(follow, known, &agreement, trie, worth_composing(trie));
        walker.with_stretches(&stretches).within(budget)
    };
    budget.check().map_err(none_done)?;
    let walkers = Workers::new(new, means);
    let lengths = Lengths { row_words: network.tables.row_words as usize, is_vocabulary };
    let mut sources = Encoder::new(trie, shared, known, lengths);
    let mut context = Context {
        classes: ExitClasses::new(shared, known),
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
        let found = Computed { drawn: Some(model.drawn), ..Computed::default() };
        let mask = context.intern(&sources, model.asked_by, &found)?;
        sources.add_model(model.state, context.pool.model(mask, None));
    }
    let find = |walker: &mut Walker<'_>, &state: &u32| Computed {
        outcome: walker.base(state),
        extra: tokens_of(network, walker.sets(), state),
        drawn: None,
    };
    let draw = |walker: &mut Walker<'_>, found: &mut Computed| walker.draw(&sources, found);
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
        Some(Derivation { state, model, known })
    });
    let derived: Vec<Derivation<'_>> = derived.collect();
    let mut rest: Vec<&Derivation<'_>> = Vec::with_capacity(derived.len());
    let far = |walker: &mut Walker<'_>, derived: &Derivation<'_>| {
        walker.far_base(derived).map(Computed::from)
    };
    let draw = |walker: &mut Walker<'_>, found: &mut Computed| walker.draw(&sources, found);
    let draw_far = |walker: &mut Walker<'_>, found: &mut Option<Computed>| {
        found.iter_mut().for_each(|found| draw(walker, found))
    };
    let own = |derived: &Derivation<'_>| derived.state;
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
    derived::outcomes(&walkers, &rest, &sources, (trie, follow), |derived, found| {
        context.add(&sources, derived.state, found).map(|_| ())
    })?;

    for &[state, like] in endless.iter().flat_map(|endless| &endless.states) {
        let like = shared.states[like as usize];
        context.exits[(state - base) as usize] = (like.base, like.exits);
    }
    let mut reach = ReachablePairs::new(as_it_is, known.left_through());
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
            Computed { outcome: walker.follow(ret, nodes, shared), extra, drawn: None }
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
        let found = Computed { extra: ids.clone(), ..Computed::default() };
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
    classes: ExitClasses<'a>,
    pool: Pool<'a>,
    limits: MaskLimits,
    /// Masks.
    held: Held<'a>,
    follow: &'a Follow<'a>,
    doubles: &'a Representatives,
    /// Id of the first own state.
    base: u32,
    /// By index of the state, its mask and its exit class.
    exits: Vec<(u32, u32)>,
}

impl Context<'_> {
    /// The mask of a state or pair.
    fn intern(
        &mut self,
        sources: &Encoder<'_>,
        state: u32,
        found: &Computed,
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
    fn add(
        &mut self,
        sources: &Encoder<'_>,
        state: u32,
        found: &Computed,
    ) -> Result<u32, MaskError> {
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
