//! Counters: bounds on the number of increments along a path, kept in registers instead of states.
//!
//! A [graph with counters](crate::ir::ExprGraph) is a language within bounds: 20 to 2,083 characters, or up to 50 words
//! within 500 characters. Unrolled, each state is a state of the graph with its counts. Let `L` be the most increments
//! that one token can make, and `D` the most on a shortest path to the end. While more than `L + D` increments of a
//! counter are left, no token can distinguish how many, so masks do not depend on the count: the count is *far*. A
//! state of the rule is a state of the graph and, for each counter, far or an exact count near a bound:
//!
//! ```text
//! increments of {m,M}   0 ......... m-T   m-T+1 .. m   m+1 ......... M-T   M-T+1 .. M        T = L + D
//!                       far: register     exact        far: register       exact
//! ```
//!
//! A *near-bound counter* has a longer far zone, up to the last `D` increments, if exact counts would be many states.
//! The masks of a far state with fewer than `L` increments left are then stored by the count
//! (`masks/derive/near_bound_deltas`). Near the bounds of several counters, the mask is the intersection of those by
//! each.
//!
//! In a far zone the count is in a field of the activation's register. An increment decrements the field. At zero the
//! activation continues in the exit, a state with an exact count. So a language of Q states costs Q times a product of
//! zones, never of bounds, and zones that no path shares are not built.
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
//! Invariant: the rule accepts the strings of the graph. Walks of masks ignore registers and still find what the counts
//! allow, but for near-bound counters. This is proved for each rule: each far state and its exit are walked side by
//! side for `L` increments. If the proof fails, or the counts of one state diverge, the graph is unrolled under the
//! limits on states.
//!
//! Far below a minimum, every path must be long enough to reach the minimum. A path that the maximum of another counter
//! ends breaks this; then the minimum is unrolled.
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

/// The most times that a far zone is made smaller, after a token distinguished a far count from an exact one.
const ATTEMPTS: u32 = 6;

/// Trie nodes that a walk for the most increments of a token is worth, for each state with an exact count.
const NODES_A_STATE: usize = 1 << 7;

/// The most increments of each counter that a token makes, by the structure of the machine. Empty where a walk found no
/// bound.
#[derive(Default)]
pub(super) struct IncrementsPerToken(FxHashMap<[u8; 32], Vec<u32>>);

impl IncrementsPerToken {
    fn of(&mut self, machine: &Machine, source: &Source<'_>) -> Vec<u32> {
        let most = || most_increments(machine, source.lexicon.trie(), source.bounds());
        let known = self.0.entry(machine.structure());
        known.or_insert_with(|| most().map(|most| most.to_vec()).unwrap_or_default()).clone()
    }
}

/// Whether a graph has so few counters that a rule can have registers for them.
pub(super) fn has_few_counters(graph: &ExprGraph) -> bool {
    graph.counters().len() <= machine::MOST_COUNTERS
}

/// Builds the rule of a machine, with registers for its counters. `None` if the graph is to be unrolled.
pub(super) fn build_rule(
    mut machine: Machine,
    source: &Source<'_>,
    increments: &mut IncrementsPerToken,
) -> Option<CountedRule> {
    if machine.unrolled_states(&[]) > source.lexicon.trie().len() / NODES_A_STATE {
        let found = increments.of(&machine, source);
        for (known, most) in machine.increments_a_token.iter_mut().zip(found) {
            // The first increment may end a part that began before the token.
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

/// Whether the rule may have near-bound masks: the rule is a grammar's, and each of its bytes is a token by itself, so
/// that a token may end after any of them.
fn may_be_count_dependent(machine: &Machine, source: &Source<'_>) -> bool {
    let alone = source.lexicon.single_bytes();
    let is_read = |symbol: u32| u8::try_from(symbol).is_ok_and(|byte| alone.contains(byte));
    let mut edges = machine.states.iter().flat_map(|state| &state.edges);
    source.is_grammar() && edges.all(|edge| (edge.lo..=edge.hi).all(is_read))
}

/// Builds the rule of a machine with far zones, which are made smaller until no token distinguishes a far count.
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
            // Unrolled, some graphs have fewer states than with several counts in one place.
            Err(refused) => return Err(refused),
        }
    }
    Err(Refused::Unrolled)
}
