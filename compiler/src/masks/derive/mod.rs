//! Outcomes of states derived from those of their references, many at once.
//!
//! | file | what |
//! | --- | --- |
//! | [`batch`] | the differences of many states from their references in one pass over the trie |
//! | [`product`] | product states of such a batch, interned |
//! | [`early`] | states that differ from their references on short strings, one by one |
//! | [`near_bound_deltas`] | near-bound masks, as differences from the unbounded ones |
//! | `increment_walk` | the walks that find these differences |
//! | `exit_pairs` | how long strings must be to distinguish a far state from its exit |
//! | `simulation` | which count-dependent states simulate others |
//! | `rule_steps` | the transitions of a rule with a near-bound counter |
//! | [`char_runs`] | states that stay within a class of characters: tokens by length |
//!
//! Tests: unit tests in `batch` and `char_runs`; `tests/tests/suite/{counters,shortcuts}.rs`.

pub(crate) mod batch;
pub(crate) mod char_runs;
pub(crate) mod early;
mod exit_pairs;
mod increment_walk;
pub(crate) mod near_bound_deltas;
pub(crate) mod product;
mod rule_steps;
mod simulation;
