//! The most configurations that a parse position can hold: part of the printed bound on the work of a step.
//!
//! Nearly every grammar is settled by the first test: if the ways on from each state begin with different bytes, and a
//! final state's ways on differ from those of all that may follow its rule, there is one configuration, always. This is
//! the LL(1) condition on automata.
//!
//! Otherwise the sets of configurations that can occur are explored, from every state alone, each cut down to what its
//! members do not share: a common lower part of their stacks changes nothing. A set that can leave its rule is tried
//! over every return state that its rule may return to. Only bytes with which two ways lead on are tried
//! ([`conflicting_bytes`]): any other leads to a state alone. The largest set is the bound where the sets stay small and few;
//! where they outgrow the budget, the number grows with the input, or is not known, and is reported as unbounded with
//! the rule that does it.
//!
//! All tokens that a set may read as wholes are one symbol beside the bytes, as if one token were in all the sets of
//! token edges: a set that is too large by that bounds the true ones. A text token may be read as a whole and byte by
//! byte at once, and which sets that gives only its bytes can tell, so where both are possible no bound is known.
//!
//! Configurations differ by their registers as well, whose values are not known: what is known of them instead is in
//! [`position`]. A register that is lowered is taken to be zero and not to be.

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
mod tokens;
mod view;

use super::follow::Follow;
use super::normal_form::Network;
use crate::budget::Budget;
use deterministic::{is_deterministic, shared_are_deterministic};
use exploration::Exploration;
use packed::Packed;

/// The most configurations alive at once, or a state at which no bound was found. `is_text` tells the tokens that may
/// be read byte by byte; `follow` is of the network, after whose rules nothing else comes. Of no use where the budget is
/// spent.
pub(crate) fn most_configurations(
    network: &Network,
    follow: &Follow<'_>,
    is_text: &dyn Fn(u32) -> bool,
    budget: &Budget,
) -> Result<u32, u32> {
    let joined = follow.network();
    let mut own = joined.own.bases.states..joined.own.bases.states + joined.own.state_count();
    let packed = Packed::new(network);
    if (!joined.reads_tokens() || tokens::are_deterministic(network, follow, is_text))
        && shared_are_deterministic(follow)
        && packed.are_deterministic(follow)
        && own.all(|state| packed.of(state).is_some() || is_deterministic(follow, state))
    {
        return Ok(1);
    }
    let texts = network.token_sets.iter().map(|set| set.iter().any(|&token| is_text(token)));
    Exploration::new(follow, packed, texts.collect(), budget).run()
}
