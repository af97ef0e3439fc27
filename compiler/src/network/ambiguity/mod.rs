//! The most configurations that a parse position can hold. A configuration is one parse of the
//! bytes so far: a state, its register and its stack of return states. The number is a part of the
//! printed bound on the work of a step.
//!
//! Nearly every grammar passes the first test, the LL(1) condition on automata. The condition holds
//! if the edges and calls of each state begin with disjoint bytes, and those of a final state are
//! disjoint from its FOLLOW bytes. Then there is always one configuration.
//!
//! Otherwise the reachable sets of configurations are explored, from every state alone. A lower
//! part of the stacks that all members of a set share is removed, because it changes nothing. A set
//! that can leave its rule is tried over every return state of that rule. Only bytes with at least
//! two transitions are tried ([`conflicting_bytes`]). Any other byte leads to the successor of one
//! state alone. The size of the largest set is the bound if the sets stay small and few. Beyond the
//! limits, the number of states bounds the configurations of rules that call each other in tail
//! position ([`tail_closure`]). Otherwise the number may grow with the input. It is reported as
//! unbounded, with a state of the rule that causes this.
//!
//! All tokens that a set may read as wholes are one symbol beside the bytes, as if one token were
//! in the sets of all token edges. This can only make sets larger. If a text token may be read both
//! as a whole and byte by byte, the sets depend on its bytes, and no bound is known.
//!
//! Configurations also differ by their registers, whose values are unknown. [`position`] tracks the
//! source of each value instead. A counter that is decremented may or may not reach zero, so both
//! outcomes are explored.
//!
//! Tests: `tests/tests/suite/ambiguity.rs`, `bounds.rs`.

mod byte_range;
mod conflicting_bytes;
mod deterministic;
mod exploration;
mod packed;
mod position;
mod register;
mod registers;
mod sets;
mod stacks;
mod step;
mod tail_closure;
mod tokens;
mod view;

use super::follow::Follow;
use super::normal_form::Network;
use crate::budget::Budget;
use deterministic::{is_deterministic, shared_are_deterministic};
use exploration::Exploration;
use packed::Packed;

/// Returns the most configurations that a parse position can hold. `is_text` identifies the tokens
/// that may be read byte by byte. The FOLLOW sets in `follow` have to be complete. The result has
/// no meaning once the budget is spent.
///
/// # Errors
///
/// A state at which no bound was found.
pub(crate) fn most_configurations(
    network: &Network,
    follow: &Follow<'_>,
    is_text: &dyn Fn(u32) -> bool,
    budget: &Budget,
) -> Result<u32, u32> {
    let joined = follow.network();
    let mut own = joined.own.bases.states..joined.own.bases.states + joined.own.state_count();
    let packed = Packed::new(network);
    let are_others_deterministic = (!joined.reads_tokens()
        || tokens::are_deterministic(network, follow, is_text))
        && shared_are_deterministic(follow)
        && packed.are_deterministic(follow);
    if are_others_deterministic
        && own.all(|state| packed.of(state).is_some() || is_deterministic(follow, state))
    {
        return Ok(1);
    }
    let texts = network.token_sets.iter().map(|set| set.iter().any(|&token| is_text(token)));
    Exploration::new(follow, packed, texts.collect(), budget).run().or_else(|state| {
        let states = || tail_closure::most_states(follow, &Packed::new(network));
        are_others_deterministic.then(states).flatten().ok_or(state)
    })
}
