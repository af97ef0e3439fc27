//! Outcomes of states derived from those of their references, many at once.
//!
//! | file | what |
//! | --- | --- |
//! | [`batch`] | the differences of many states from their references in one pass over the trie |
//! | [`product`] | product states of such a batch, interned |
//! | [`early`] | states that differ from their references on short strings, one by one |
//! | [`near_bound_deltas`] | count-dependent states with few increments left, from the same with many |
//! | `increment_walk` | the walks that find these |
//! | `exit_pairs` | how soon texts tell those from these |
//! | `simulation` | count-dependent states that do what another one does for as long as they go on |
//! | `rule_steps` | the steps of a rule with a near-bound counter |
//! | [`char_runs`] | states that stay within a class of characters: tokens by length |

pub(crate) mod batch;
pub(crate) mod char_runs;
pub(crate) mod early;
mod exit_pairs;
mod increment_walk;
pub(crate) mod near_bound_deltas;
pub(crate) mod product;
mod rule_steps;
mod simulation;
