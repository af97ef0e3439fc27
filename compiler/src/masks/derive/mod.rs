//! Outcomes of states derived from the outcomes of other states, their references, many at once. An outcome has the
//! tokens that a state accepts within its rule, and the trie nodes of the rule's returns.
//!
//! | file | what |
//! | --- | --- |
//! | [`batch`] | the differences of many states from their references in one pass over the trie |
//! | [`product`] | the product automaton of such a batch: each state beside its reference |
//! | [`early`] | one by one, the states that differ from their references on short strings |
//! | [`near_bound_deltas`] | masks near a counter's bound, as differences from the unbounded masks |
//! | `increment_walk` | the walks that find these differences |
//! | `exit_pairs` | how long strings must be to distinguish a counted state from its exit |
//! | `simulation` | which states that depend on a count simulate others |
//! | `rule_steps` | the transitions of a rule while one counter is near its bound |
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
