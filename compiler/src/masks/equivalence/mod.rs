//! Equivalent states of a grammar: which states have one outcome, and which one's mask another's is derived from.
//!
//! | file | what |
//! | --- | --- |
//! | [`own_transitions`] | transitions of own states, tail calls of own rules looked through |
//! | [`k_equivalence`] | classes of states that do the same for `k` bytes, for every `k` |
//! | [`refinement`] | partition refinement, one byte more in each round |
//! | [`class_history`] | the classes of a state in all rounds |
//! | [`transition_table`] | wide states as one table with byte classes |
//! | [`self_loops`] | subtrees that a wide state accepts as a whole |
//! | [`reference`](mod@reference) | the state that another's mask is derived from |
//! | [`representatives`] | states whose outcome is that of another, found by the four below |
//! | [`default_transitions`] | states that differ from the target of their widest edge in no token |
//! | [`token_bisimulation`] | states that do the same with every factor of a token |
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
