//! Equivalent states of a grammar: states with equal outcomes, and the references from whose masks others are derived.
//!
//! | file | what |
//! | --- | --- |
//! | [`own_transitions`] | transitions of the grammar's states, tail calls of its rules looked through |
//! | [`k_equivalence`] | classes of states that are equivalent on strings of `k` bytes, for every `k` |
//! | [`refinement`] | partition refinement by transitions, one byte more in each round |
//! | [`class_history`] | the classes of a state after each round |
//! | [`transition_table`] | states with many outgoing bytes as one table with byte classes |
//! | [`self_loops`] | subtrees that such a state accepts as a whole |
//! | [`reference`](mod@reference) | the state from whose mask another mask is derived |
//! | [`representatives`] | states whose outcome equals that of another, found by the four below |
//! | [`default_transitions`] | states equivalent to the target of their widest edge on every token |
//! | [`token_bisimulation`] | states that are equivalent on every factor (substring) of a token |
//! | [`literals`] | states from which no token leaves a literal |
//! | [`edge_diff`] | bytes on which the edges of two states differ |
//! | [`uncounted`] | rules before a countdown, replaced by rules of the vocabulary without one |
//!
//! Tests: unit tests in most files; `tests/tests/suite/shortcuts.rs`.

pub(crate) mod class_history;
pub(crate) mod default_transitions;
pub(crate) mod edge_diff;
pub(crate) mod k_equivalence;
pub(crate) mod literals;
pub(crate) mod own_transitions;
pub(crate) mod reference;
pub(crate) mod refinement;
pub(crate) mod representatives;
pub(crate) mod self_loops;
pub(crate) mod token_bisimulation;
pub(crate) mod transition_table;
pub(crate) mod uncounted;
