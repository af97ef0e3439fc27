//! Follow masks: summary edges to a fixpoint. A follow mask has the tokens that leave a callee through one exit class
//! and continue from one return state. An exit class is a set of trie nodes at which a rule returns.
//!
//! A return state meets an exit class if the callee can return through that class. The exits of the return state form
//! another class, which the return states of its own rule meet. So the classes of one round determine the new pairs of
//! the next. T. Reps, S. Horwitz and M. Sagiv, "Precise Interprocedural Dataflow Analysis via Graph Reachability",
//! 1995, call them summary edges.

use std::borrow::Cow;
use std::collections::hash_map::Entry;

use grammarc_artifacts::sections::masks::FollowEntry;
use grammarc_artifacts::sections::network::NONE;
use rustc_hash::FxHashMap;

use super::inputs::Inputs;
use super::interning::Interning;
use super::reachable_pairs::ReachablePairs;
use super::schedule::Workers;
use super::token_edges::tokens_of;
use super::worker::Worker;
use crate::budget::Budget;
use crate::masks::encode::encoder::{Computed, Encoder};
use crate::masks::limits::{MaskError, MaskLimits};

/// The masks of the tokens that return from a callee and continue after the call. There is one for each pair of a
/// return state (state after a call) and a set of exits (nodes where a callee returns).
pub(crate) struct FollowMasks {
    /// The masks, each with its return state, ascending by state and set of exits. An entry has the id of a set of
    /// exits (nodes where the callee returns) and the mask of the tokens. It also has the id of a second set of exits:
    /// longer tokens return there from the return state's own rule.
    pub(crate) entries: Vec<(u32, FollowEntry)>,
    /// The number of pairs of a return state and a set of exits (nodes where a rule returns) that can occur. A pair for
    /// which no token continues has no entry.
    pub(crate) pairs: usize,
}

/// Computes the masks of the tokens that return from a callee and continue after the call. There is one for each pair
/// of a return state and a set of exits (nodes where a callee returns) that can occur. `reach` has the sets of exits
/// known so far for each rule. Masks and sets get their ids from `interning`.
///
/// # Errors
///
/// [`MaskError`] if the number of pairs or rows exceeds its limit, or the budget is spent.
pub(crate) fn masks<'a>(
    workers: &Workers<'a, impl Fn() -> Worker<'a> + Sync>,
    mut reach: ReachablePairs<'_>,
    encoder: &Encoder<'_>,
    interning: &mut Interning<'_>,
) -> Result<FollowMasks, MaskError> {
    let Inputs { network, shared, follow, .. } = interning.inputs();
    let bisimulation = interning.representatives.bisimulation();
    let (limits, budget) = (interning.limits, workers.budget());
    let mut entries: Vec<(u32, FollowEntry)> = Vec::with_capacity(network.tables.states.len() / 4);
    // The class of a state ignores edges on tokens that are matched by id.
    let joined = follow.network();
    let reads_tokens = joined.reads_tokens();
    let reads = |ret| reads_tokens && joined.may_read_token(ret);
    let copied = |ret| bisimulation.class(ret).filter(|_| !reads(ret));
    // Maps a class of equivalent states and an exit class to the entry of one of the states; `None` if it has none.
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
        within_limits(&round, pairs, limits, budget)?;
        let mut repeated: Vec<(u32, (u32, u32))> = Vec::new();
        let mut asked: Vec<(u32, u32)> = Vec::with_capacity(round.len());
        asked.extend(round.iter().filter(|&&(ret, class)| {
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
        }));
        // Results are interned, and may be new classes, while other results are still computed.
        let mut nodes: FxHashMap<u32, Cow<'_, [u32]>> = FxHashMap::default();
        for &(_, class) in &asked {
            nodes.entry(class).or_insert_with(|| interning.classes.nodes(class));
        }
        let find = |worker: &mut Worker<'_>, &(ret, class): &(u32, u32)| {
            let nodes = &nodes[&class];
            let extra = match nodes.first() {
                Some(0) => tokens_of(network, worker.walker.sets(), ret),
                _ => Vec::new(),
            };
            let of_vocabulary = (class < shared.classes.len() as u32).then_some(class);
            Computed { outcome: worker.follow(ret, nodes, of_vocabulary), extra, encoded: None }
        };
        let encode = |worker: &mut Worker<'_>, found: &mut Computed| worker.encode(encoder, found);
        workers.in_order(&asked, find, encode, |&(ret, class), found| {
            let next = interning.classes.intern(&found.outcome.exits);
            if next == NONE && found.outcome.is_empty() && found.extra.is_empty() {
                return Ok(());
            }
            let mask = interning.mask(encoder, ret, found)?;
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
    Ok(FollowMasks { entries, pairs })
}

/// Charges the budget for the pairs `round`, each a return state and a set of exits (nodes where a callee returns).
/// `pairs` is their number, with the pairs of all earlier rounds.
///
/// # Errors
///
/// [`MaskError`] if the budget is spent, or if `pairs` exceeds its limit.
fn within_limits(
    round: &[(u32, u32)],
    pairs: usize,
    limits: MaskLimits,
    budget: &Budget,
) -> Result<(), MaskError> {
    let state = round[0].0;
    let spent = |_| MaskError::Spent { states: 0, total: round.len(), state };
    budget.spend(round.len()).map_err(spent)?;
    let limit = limits.pairs;
    match pairs > limit {
        true => {
            Err(MaskError::Limit { what: "pairs of return state and exit class", limit, state })
        }
        false => Ok(()),
    }
}
