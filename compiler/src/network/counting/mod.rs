//! Counters: bounds on the number of increments along a path, kept in registers instead of states.
//!
//! A [graph with counters](crate::ir::ExprGraph) is a language within bounds: 20 to 2,083
//! characters, or up to 50 words within 500 characters. Unrolled, a state of the rule is a state of
//! the graph with the exact counts of its counters. Let `L` be the most increments that one token
//! can make, and `D` the most increments on a shortest path to the end. While more than `L + D`
//! increments of a counter are left, no token can distinguish how many, so masks do not depend on
//! the count. Such a count is *far*. A state of the rule is a state of the graph and, for each
//! counter, far or an exact count near a bound:
//!
//! ```text
//! increments of {m,M}   0 ......... m-T   m-T+1 .. m   m+1 ......... M-T   M-T+1 .. M        T = L + D
//!                       far: register     exact        far: register       exact
//! ```
//!
//! The *far zone* of a counter is a range of far counts. A *near-bound counter* has a longer far
//! zone, up to the last `D` increments, if exact counts would be many states. The masks of a far
//! state with fewer than `L` increments left are then stored for each remaining count
//! (`masks/derive/near_bound_deltas`). Near the bounds of several counters, the mask is the
//! intersection of the masks near each bound.
//!
//! In a far zone the count is in a bit field of the register. The register belongs to one
//! activation, which is one call of the rule in progress. An increment of the counter decrements
//! the field. At zero the activation continues in the *exit*, a state with an exact count. So a
//! language of Q states costs Q times a product of zones, never of bounds. Zones that no path
//! shares are not built.
//!
//! | pass | file |
//! | --- | --- |
//! | the graph as an automaton whose steps are symbols | `machine` |
//! | the most increments that one token makes | `token_increments` |
//! | the near-bound counters | `near_bound_choice` |
//! | which counts are far | `zones` |
//! | subset construction on states with counts; far counts are relative to the register | `explore` |
//! | the proof that masks cannot distinguish a far count from an exact one | `verify` |
//! | the proof for several near-bound counters | `conjunction` |
//! | the rule: states and register updates | `build_rule` |
//!
//! Invariant: the rule accepts the strings of the graph. The walks that compute masks ignore
//! registers. Their masks are nevertheless right, except those of near-bound counters. This is
//! proved for each rule: each far state and its exit are walked side by side for `L` increments. If
//! the proof fails, or the counts of one state diverge, the graph is unrolled under the limits on
//! states.
//!
//! Every path from a far count below a minimum must be long enough to reach the minimum. The
//! maximum of another counter may end a path earlier. Then the counts up to the minimum are
//! unrolled.
//!
//! Sources: counters of extended finite automata; Turoňová et al., "Regex matching with counting-set automata" (2020),
//! for subsets whose counts are at fixed distances. Tests: `tests/tests/suite/counters.rs`.

mod build_rule;
mod conjunction;
mod explore;
mod machine;
mod near_bound_choice;
mod refused;
mod token_increments;
mod verify;
mod zones;

use std::cell::OnceCell;

use rustc_hash::FxHashMap;

use super::build::source::Source;
use crate::ir::ExprGraph;

pub(super) use build_rule::CountedRule;
pub(super) use machine::Machine;
use near_bound_choice::NearBoundChoice;
use refused::Refused;
use token_increments::{most_increments, most_on_entry};
use zones::Zones;

/// The most attempts to build the rule of one graph for one choice of near-bound counters. After a
/// failed attempt, the far zone (counts far from all bounds) is made smaller or counters no longer
/// share a field. Beyond the limit, the graph is unrolled.
const ATTEMPTS: u32 = 6;

/// Trie nodes for each state with an exact count. The walk that finds the exact most increments of
/// a token visits the whole trie. The walk is done only if the states would be more than the trie's
/// nodes divided by this number.
const NODES_A_STATE: usize = 1 << 7;

/// Maps the structural digest of a machine to the most increments that one token makes, for each
/// counter. The list is empty if the walk found no bound.
#[derive(Default)]
pub(super) struct IncrementsPerToken(FxHashMap<[u8; 32], Vec<u32>>);

impl IncrementsPerToken {
    /// Returns for each counter the most increments that one token makes. Walks the token trie
    /// unless a machine of the same structure was walked before.
    fn of(&mut self, machine: &Machine, source: &Source<'_>) -> Vec<u32> {
        let most = || most_increments(machine, source.lexicon.trie(), source.bounds());
        let known = self.0.entry(machine.structure());
        known.or_insert_with(|| most().map(|most| most.to_vec()).unwrap_or_default()).clone()
    }
}

/// Whether a graph has at most [`machine::MOST_COUNTERS`] counters, so that a rule with a register
/// may be built for it.
pub(super) fn has_few_counters(graph: &ExprGraph) -> bool {
    graph.counters().len() <= machine::MOST_COUNTERS
}

/// Builds the rule of a machine, with its counters in bit fields of the register. Returns `None` if
/// the graph has to be unrolled.
pub(super) fn build_rule(
    mut machine: Machine,
    source: &Source<'_>,
    increments: &mut IncrementsPerToken,
) -> Option<CountedRule> {
    if machine.unrolled_states(&[]) > source.lexicon.trie().len() / NODES_A_STATE {
        let found = increments.of(&machine, source);
        for (known, most) in machine.increments_a_token.iter_mut().zip(found) {
            // The first increment may end a repetition that began before the token.
            *known = (*known).min(most + 1);
        }
    }
    let limit = source.wanted.limits.count_dependent_states;
    let mut choice = match may_be_count_dependent(&machine, source) {
        true => NearBoundChoice::new(&machine, limit),
        false => NearBoundChoice::none(),
    };
    while let Some(near_bound) = choice.next_choice(&machine, limit) {
        match rule_of_zones(&machine, &near_bound, source) {
            Ok(rule) => return Some(rule),
            Err(refused) => choice.refuse(refused),
        }
    }
    None
}

/// Whether the rule may have near-bound masks (masks that depend on the remaining count). The rule
/// has to belong to a grammar, not to the vocabulary. Each byte that it reads has to be a token by
/// itself, so that a token may end after any byte.
fn may_be_count_dependent(machine: &Machine, source: &Source<'_>) -> bool {
    let alone = source.lexicon.single_bytes();
    let is_read = |symbol: u32| u8::try_from(symbol).is_ok_and(|byte| alone.contains(byte));
    let mut edges = machine.states.iter().flat_map(|state| &state.edges);
    source.is_grammar() && edges.all(|edge| (edge.lo..=edge.hi).all(is_read))
}

/// Builds the rule of a machine with far zones (counts far from all bounds). Makes a zone smaller
/// as long as some token distinguishes a far count from an exact one.
///
/// # Errors
///
/// The reason why the last attempt failed. [`Refused::Unrolled`] after [`ATTEMPTS`] failed
/// attempts.
fn rule_of_zones(
    machine: &Machine,
    near_bound: &[usize],
    source: &Source<'_>,
) -> Result<CountedRule, Refused> {
    let (bounds, trie) = (source.bounds(), source.lexicon.trie());
    let mut more = vec![0; machine.counters.len()];
    let mut is_sharing = true;
    let on_entry = OnceCell::new();
    for _ in 0..ATTEMPTS {
        let Some(zones) = Zones::new(machine, &more, near_bound, is_sharing) else {
            return Err(Refused::Unrolled);
        };
        let found = explore::explore(machine, &zones, bounds).and_then(|explored| {
            let on_entry = |counter: usize| {
                on_entry.get_or_init(|| most_on_entry(machine, trie, bounds))[counter]
            };
            let alive = verify::verify(machine, &zones, &explored, on_entry, trie, bounds)?;
            build_rule::build(&zones, &explored, &alive, bounds)
        });
        match found {
            Ok(rule) => return Ok(rule),
            Err(Refused::Distinguished(counter)) => more[counter] = zones.margin(counter).max(1),
            Err(Refused::Shared) if is_sharing => is_sharing = false,
            // Some graphs have fewer states when they are unrolled.
            Err(refused) => return Err(refused),
        }
    }
    Err(Refused::Unrolled)
}
