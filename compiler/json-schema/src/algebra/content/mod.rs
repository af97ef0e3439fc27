//! The graph of all contents that a value can have: its fixpoint, its cardinality, and what is empty in it.
//!
//! | file | what it has |
//! | --- | --- |
//! | [`graph`] | everything reachable from the root, and the fixpoint of what is empty |
//! | [`cardinality`] | whether a set has more values than a bound |
//! | [`endless`] | formulas that only infinite values satisfy |
//! | [`unsatisfiable_pair`] | the two places to blame for an empty formula |
//! | [`merge`] | equal contents become one |
//! | [`pruned`] | notes on places that nothing satisfies |
//! | [`report`] | errors of schemas without an instance |

pub(crate) mod cardinality;
pub(crate) mod endless;
pub(crate) mod graph;
pub(crate) mod merge;
pub(crate) mod pruned;
pub(crate) mod report;
pub(crate) mod unsatisfiable_pair;
